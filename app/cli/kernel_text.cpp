// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/kernel_text.h"

#include "base/units.h"
#include "cli/console.h"

#include <fmt/core.h>

namespace ridge::cli {
namespace {

std::string text(const Json& json, const char* key)
{
    const auto found = json.find(key);
    if (found == json.end() || found->is_null())
        return "–";
    return found->is_string() ? found->get<std::string>() : found->dump();
}

bool has(const Json& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && !found->is_null();
}

std::string triple(const Json& list)
{
    std::string out;
    for (const Json& value : list)
        out += (out.empty() ? "(" : ", ") + value.dump();
    return out + ")";
}

std::string timeText(const Json& document)
{
    std::string out;
    if (has(document, "cycles"))
        out += "  cycles     " + formatNumber(document["cycles"].get<double>()) + "\n";
    if (has(document, "time_s"))
        out += "  time       " + formatQuantity(document["time_s"].get<double>(), "s");
    else
        return out +
               "  time       none: " + (has(document, "untimed") ? text(document, "untimed") : "run without a clock") +
               "\n";
    if (has(document, "timing")) {
        const Json& timing = document["timing"];
        out += " (" + text(timing, "confidence") + " chip file";
        if (const Json& e = timing["extrapolation"]; e.value("used", false))
            out += ", " + text(e, "simulated_blocks") + " of " + text(e, "blocks") + " blocks" +
                   (e.value("turns", std::uint64_t{0}) != 0
                        ? " and " + text(e, "simulated_turns") + " of " + text(e, "turns") + " turns of their loop"
                        : "") +
                   " simulated, the rest extrapolated within " + formatNumber(100 * e.value("relative_error", 0.0)) +
                   " %";
        if (timing["extrapolation"].value("results_left_out", false))
            out += ", results left out";
        out += ")";
    }
    if (has(document, "measurement")) {
        const Json& m = document["measurement"];
        out += ", median of " + text(m, "samples") + ", middle half within " +
               formatQuantity(m.value("iqr_s", 0.0), "s") + ", " + text(m, "validity");
    }
    return out + "\n";
}

std::string occupancyText(const Json& document)
{
    if (!has(document, "occupancy"))
        return {};
    const Json& o = document["occupancy"];
    std::string limiters;
    for (const Json& limiter : o["limiters"])
        limiters += (limiters.empty() ? "" : ", ") + limiter.get<std::string>();
    std::string out = "  occupancy  " + formatNumber(100 * o.value("theoretical", 0.0)) +
                      " %: " + text(o, "blocks_per_sm") + " blocks, " + text(o, "warps_per_sm") +
                      " warps an SM, held by " + limiters + " (" + text(o, "registers_per_thread") +
                      " registers a thread" + (o.value("registers_exact", false) ? "" : ", estimated") + ")\n";
    if (has(o, "achieved"))
        out += "             " + formatNumber(100 * o["achieved"].get<double>()) + " % achieved\n";
    return out;
}

std::string namedValues(const Json& values, const char* first, const char* second)
{
    std::vector<std::vector<std::string>> rows;
    for (const auto& [name, item] : values.items()) {
        const bool plain = item.is_number();
        const double value = plain ? item.get<double>() : item.value("value", 0.0);
        if (value != 0)
            rows.push_back({name, formatNumber(value), plain ? std::string() : text(item, "unit")});
    }
    return rows.empty() ? std::string() : "\n" + table({first, second, "UNIT"}, rows);
}

std::string whereText(const Json& place)
{
    std::string out;
    if (has(place, "source_line"))
        out +=
            "line " + text(place, "source_line") + (has(place, "source_text") ? ": " + text(place, "source_text") : "");
    if (has(place, "ptx_line"))
        out += (out.empty() ? "" : "   ") + std::string("[PTX line ") + text(place, "ptx_line") +
               (has(place, "instruction") ? ", " + text(place, "instruction") : "") + "]";
    return out;
}

std::string whoText(const Json& report)
{
    if (!has(report, "block"))
        return {};
    return "block " + triple(report["block"]) + ", thread " + triple(report["thread"]) + ", warp " +
           text(report, "warp") + ", lane " + text(report, "lane");
}

std::string reportText(const Json& report)
{
    std::string out = "\n✗ " + text(report, "code");
    if (has(report, "cuda"))
        out += " (" + text(report, "cuda") + ")";
    if (report.value("count", std::uint64_t{1}) > 1)
        out += ", " + text(report, "count") + " times";
    out += " in " + text(report, "kernel") + "\n  " + text(report, "message") + "\n";
    for (const std::string& line : {whereText(report), whoText(report)})
        if (!line.empty())
            out += "  " + line + "\n";
    if (has(report, "other"))
        out += "  against " + whereText(report["other"]) + "\n  by " + whoText(report["other"]) + "\n";
    return out + "  Look for: " + text(report, "look_for") + "\n";
}

/// Why kernels have no figures: the simulator does not run them.
std::string notSimulatedText(const Json& document)
{
    std::string out;
    for (const Json& kernel : document["kernels"])
        if (const auto why = kernel.find("not_simulated"); why != kernel.end()) {
            out += "\n" + text(kernel, "kernel") + " is not simulated: " + text(*why, "message");
            for (const char* more : {"place", "fix"})
                if (!why->value(more, std::string()).empty())
                    out += "\n  " + text(*why, more);
            out += "\n";
        }
    return out;
}

} // namespace

std::string kernelRunText(const Json& document)
{
    std::string out = text(document, "kernel") + " on " + text(document, "target") + " (" + text(document, "device") +
                      "), " + text(document, "provenance") + ", compiled by " + text(document, "compiler") + "\n" +
                      "grid " + triple(document["grid"]) + ", block " + triple(document["block"]) +
                      (document["cluster"].is_null() ? std::string() : ", cluster " + triple(document["cluster"])) +
                      "\n\n";
    out += timeText(document) + occupancyText(document);
    out += namedValues(document["counters"], "COUNTER", "VALUE");
    if (has(document, "counters_missing"))
        out += "\nno counters: " + text(document["counters_missing"], "message") + "\n  " +
               text(document["counters_missing"], "fix") + "\n";
    if (has(document, "stalls"))
        out += namedValues(document["stalls"], "STALL", "CYCLES");
    if (const std::string printed = document.value("printed", std::string()); !printed.empty())
        out += "\nprinted by the kernel" +
               std::string(document.value("printed_cut", false) ? " (its first 1 MiB)" : "") + ":\n" + printed +
               (printed.back() == '\n' ? "" : "\n");
    for (const Json& report : document["reports"])
        out += reportText(report);
    for (const Json& file : document["files"])
        out += "\nwrote " + text(file, "path") + " (" + text(file, "bytes") + " bytes)";
    return out.back() == '\n' ? out : out + "\n";
}

std::string kernelCompileText(const Json& document, const std::string& show)
{
    if (show == "ptx")
        return document["ptx"].get<std::string>();
    std::string out = text(document, "file") + " for " + text(document, "arch") + ", compiled by " +
                      text(document, "compiler") + "\n\n";
    std::vector<std::vector<std::string>> rows;
    if (show == "registers") {
        bool estimated = false;
        for (const Json& kernel : document["kernels"]) {
            const bool exact = kernel.value("registers_exact", Json(false)) == Json(true);
            const bool guessed = !exact && !kernel["registers"].is_null();
            estimated = estimated || guessed;
            rows.push_back({text(kernel, "kernel"), text(kernel, "registers") + (guessed ? " *" : ""),
                            text(kernel, "uniform_registers"), text(kernel, "spill_bytes"),
                            text(kernel, "shared_bytes"), text(kernel, "local_bytes"), text(kernel, "constant_bytes"),
                            text(kernel, "machine_instructions")});
        }
        return out +
               table({"KERNEL", "REGISTERS", "UNIFORM", "SPILL B", "SHARED B", "LOCAL B", "CONSTANT B", "INSTRUCTIONS"},
                     rows) +
               (estimated ? "\n* modelled by lowering PTX to machine instructions; ptxas may decide otherwise\n" : "") +
               notSimulatedText(document);
    }
    if (show == "sass") {
        const Json& sass = document["sass"];
        for (const Json& kernel : sass["kernels"]) {
            rows.clear();
            for (const Json& line : kernel["lines"])
                rows.push_back({line["source_line"].is_null() ? "" : text(line, "source_line"),
                                fmt::format("{:04x}", line["address"].get<std::uint64_t>()), text(line, "sass")});
            out += text(kernel, "kernel") + ", SASS for " + text(sass, "arch") + "\n" +
                   table({"LINE", "ADDRESS", "SASS"}, rows) + "\n";
        }
        return out + "by " + text(sass, "ptxas") + " and " + text(sass, "nvdisasm") +
               "; a driver may make other code of the PTX\n";
    }
    for (const Json& line : document["lines"])
        rows.push_back({text(line, "kernel"), text(line, "source_line"), text(line, "ptx_instructions"), [&] {
                            std::string lines;
                            for (const Json& at : line["ptx_lines"])
                                lines += (lines.empty() ? "" : " ") + at.dump();
                            return lines;
                        }()});
    out += table({"KERNEL", "LINE", "PTX INSTRUCTIONS", "AT PTX LINES"}, rows);
    for (const Json& kernel : document["kernels"]) {
        if (kernel.contains("not_simulated"))
            continue;
        std::vector<std::vector<std::string>> listing;
        for (const Json& line : kernel["listing"]) {
            std::string machine;
            for (const Json& instruction : line["machine"])
                machine += (machine.empty() ? "" : "; ") + instruction.get<std::string>();
            listing.push_back({line["source_line"].is_null() ? "" : text(line, "source_line"), text(line, "ptx_line"),
                               text(line, "ptx"), machine});
        }
        out += "\n" + text(kernel, "kernel") + ", modelled machine instructions\n" +
               table({"LINE", "PTX LINE", "PTX", "BECOMES"}, listing);
    }
    return out + notSimulatedText(document);
}

} // namespace ridge::cli
