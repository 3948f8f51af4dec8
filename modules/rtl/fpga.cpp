// SPDX-License-Identifier: GPL-3.0-or-later
#include "rtl/fpga.h"

#include "base/json.h"

#include <fmt/core.h>

namespace ridge::rtl {
namespace {

constexpr std::uint64_t kMostReport = 64u << 20;
constexpr double kNano = 1e-9;

double numberAt(const Json& json, const char* key)
{
    return json.is_object() && json.contains(key) && json[key].is_number() ? json[key].get<double>() : 0;
}

std::string textAt(const Json& json, const char* key)
{
    return json.is_object() && json.contains(key) && json[key].is_string() ? json[key].get<std::string>()
                                                                           : std::string();
}

std::vector<PathStep> pathOf(const Json& path)
{
    std::vector<PathStep> steps;
    if (!path.is_object() || !path.contains("path") || !path["path"].is_array())
        return steps;
    for (const Json& each : path["path"]) {
        PathStep step{textAt(each, "type"), {}, textAt(each, "net"), numberAt(each, "delay") * kNano};
        if (each.is_object() && each.contains("to")) {
            const Json& to = each["to"];
            step.cell = textAt(to, "cell");
            if (to.is_object() && to.contains("loc") && to["loc"].is_array() && to["loc"].size() == 2 &&
                to["loc"][0].is_number_integer() && to["loc"][1].is_number_integer()) {
                step.x = to["loc"][0].get<int>();
                step.y = to["loc"][1].get<int>();
            }
        }
        steps.push_back(std::move(step));
    }
    return steps;
}

double lengthOf(const std::vector<PathStep>& path)
{
    double sum = 0;
    for (const PathStep& step : path)
        sum += step.seconds;
    return sum;
}

/// The design's own name in what a tool says of it.
std::string named(std::string words, const Design& design)
{
    for (auto at = words.find("design.sv"); at != std::string::npos; at = words.find("design.sv", at + 1))
        words.replace(at, 9, design.name);
    return words;
}

/// ": line 91", where Yosys warned of a loop; empty: it did not.
std::string loopIn(const std::string& words, const Design& design)
{
    const auto loop = words.find("logic loop");
    const auto at = loop == std::string::npos ? loop : words.find(design.name + ":", loop);
    if (at == std::string::npos)
        return {};
    const auto from = at + design.name.size() + 1, end = words.find_first_not_of("0123456789", from);
    return end == from ? std::string() : ": see line " + words.substr(from, end - from);
}

/// "nextpnr-ice40 -- Next Generation Place and Route (Version 0.4-1+b1)" on standard error.
std::string nextpnrVersion(const std::filesystem::path& folder, const Limits& limits)
{
    const auto said = runTool("nextpnr-ice40", {"--version"}, folder, limits, "asking nextpnr-ice40 for its version");
    if (!said)
        return "of unknown version";
    const std::string words = said->err + said->out;
    constexpr std::string_view mark = "(Version ";
    const auto at = words.find(mark);
    const auto end = at == std::string::npos ? at : words.find(')', at);
    return end == std::string::npos ? "of unknown version" : words.substr(at + mark.size(), end - at - mark.size());
}

} // namespace

double Placed::seconds(bool routing) const
{
    double sum = 0;
    for (const PathStep& step : path)
        if ((step.kind == "routing") == routing)
            sum += step.seconds;
    return sum;
}

Result<Placed> readPlaceReport(const std::string& text)
{
    const Error none{"rtl-crash", "nextpnr's report is not what it should be", "report.json",
                     "look whether nextpnr-ice40 is of version 0.4 or later"};
    const auto json = parseJson(text, "report.json");
    if (!json || !json->is_object() || !json->contains("critical_paths") || !(*json)["critical_paths"].is_array() ||
        !json->contains("fmax") || !(*json)["fmax"].is_object() || !json->contains("utilization"))
        return none;
    Placed placed;
    const Json& used = (*json)["utilization"];
    const auto count = [&](const char* kind, const char* key) {
        return used.is_object() && used.contains(kind) ? static_cast<std::uint64_t>(numberAt(used[kind], key)) : 0;
    };
    placed.logicCells = count("ICESTORM_LC", "used");
    placed.logicCellsInAll = count("ICESTORM_LC", "available");
    placed.pins = count("SB_IO", "used");
    placed.pinsInAll = count("SB_IO", "available");
    for (const auto& [clock, figures] : (*json)["fmax"].items())
        if (const double hz = numberAt(figures, "achieved") * 1e6; placed.fmax == 0 || hz < placed.fmax)
            placed.fmax = hz;
    for (const Json& each : (*json)["critical_paths"]) {
        const bool fromRegister = textAt(each, "from") != "<async>", toRegister = textAt(each, "to") != "<async>";
        auto path = pathOf(each);
        if (fromRegister && toRegister && lengthOf(path) > lengthOf(placed.path))
            placed.path = std::move(path);
        else if (!fromRegister && toRegister)
            placed.inputSeconds = std::max(placed.inputSeconds, lengthOf(path));
    }
    return placed;
}

Result<void> readMappedCells(const std::string& text, Placed& placed)
{
    const Error none{"rtl-crash", "Yosys' count of cells is not what it should be", "cells.json",
                     "look whether yosys is of version 0.23 or later"};
    const auto json = parseJson(text, "cells.json");
    if (!json || !json->is_object() || !json->contains("modules") || !(*json)["modules"].is_object())
        return none;
    const std::string creator = textAt(*json, "creator");
    placed.yosys = creator.substr(0, creator.find(" (")); // "Yosys 0.23 (git sha1 7ce5011c24b)"
    for (const auto& [name, module] : (*json)["modules"].items())
        if (module.is_object() && module.contains("num_cells_by_type") && module["num_cells_by_type"].is_object())
            for (const auto& [type, count] : module["num_cells_by_type"].items()) {
                const std::uint64_t cells = count.is_number_unsigned() ? count.get<std::uint64_t>() : 0;
                if (type == "SB_LUT4")
                    placed.luts += cells;
                else if (type == "SB_CARRY")
                    placed.carries += cells;
                else if (type.starts_with("SB_DFF"))
                    placed.flipFlops += cells;
            }
    return {};
}

Result<Placed> placeAndRoute(const Design& design, const accelerator::Array& array, std::uint64_t seed,
                             const Limits& limits)
{
    for (const char* tool : {"yosys", "nextpnr-ice40"}) // both before anything takes its time
        if (auto found = findTool(tool); !found)
            return found.error();
    const auto scratch = Scratch::make();
    if (!scratch)
        return scratch.error();
    if (auto good = scratch->write("design.sv", design.text); !good)
        return good.error();
    // Not -dsp: Yosys 0.23 and 0.70 add two products wrongly there.
    const std::string script = fmt::format("read_verilog -sv design.sv; chparam -set ROWS {} -set COLS {} array; "
                                           "synth_ice40 -top array -json netlist.json; "
                                           "tee -q -o cells.json stat -json",
                                           array.rows, array.cols);
    const auto mapped =
        runTool("yosys", {"-q", "-p", script}, scratch->path(), limits, "mapping " + design.name + " to the FPGA");
    if (!mapped)
        return mapped.error();
    const std::string words = named(said(mapped->err + mapped->out, scratch->path()), design);
    if (mapped->exitCode >= 128)
        return Error{"rtl-crash", fmt::format("yosys ended with {}: {}", mapped->exitCode, words), design.name,
                     "take a smaller array, or write the last lines that you changed another way"};
    if (mapped->exitCode != 0)
        return Error{"rtl-compile", "yosys cannot read the design: " + words, design.name,
                     "yosys reads less of SystemVerilog than Icarus: no arrays as ports, no packed arrays of arrays"};
    // No --freq: a clock that is missed would end nextpnr with an error. Without weights of timing the first placement
    // takes a third of the rounds; the refinement after it goes by timing all the same, and clocks stay within what
    // another seed does to them (docs/validation.md).
    const auto placed =
        runTool("nextpnr-ice40",
                {"--hx8k", "--package", "ct256", "--json", "netlist.json", "--seed", std::to_string(seed),
                 "--pcf-allow-unconstrained", "--timing-allow-fail", "--placer-heap-timingweight", "0", "--report",
                 "report.json", "--log", "place.log", "-q"},
                scratch->path(), limits, "placing " + design.name);
    if (!placed)
        return placed.error();
    if (placed->exitCode != 0 && (placed->err + placed->out).find("combinatorial loops") != std::string::npos)
        return Error{"rtl-compile",
                     "the design drives itself without a register in between, so its paths have no length" +
                         loopIn(words, design),
                     design.name, "put a register (always_ff) into the loop, or take one of its signals out of it"};
    if (placed->exitCode >= 128)
        return Error{
            "rtl-crash",
            fmt::format("nextpnr-ice40 ended with {}: {}", placed->exitCode, said(placed->err, scratch->path())),
            design.name, "take a smaller array"};
    if (placed->exitCode != 0)
        return Error{"rtl-full",
                     fmt::format("{} x {} PEs cannot be placed on an iCE40 HX8K: {}", array.rows, array.cols,
                                 said(placed->err, scratch->path())),
                     design.name, "take a smaller array: its pins and its 7,680 logic cells are what there is"};
    auto report = readPlaceReport(scratch->read("report.json", kMostReport));
    if (!report)
        return report;
    if (auto counted = readMappedCells(scratch->read("cells.json", kMostReport), *report); !counted)
        return counted.error();
    report->nextpnr = nextpnrVersion(scratch->path(), limits);
    return report;
}

} // namespace ridge::rtl
