// SPDX-License-Identifier: GPL-3.0-or-later
#include "rtl/cells.h"

#include "base/json.h"

#include <fmt/core.h>

namespace ridge::rtl {
namespace {

constexpr std::uint64_t kMostJson = 64u << 20;

std::uint64_t numberAt(const Json& json, const char* key)
{
    return json.is_object() && json.contains(key) && json[key].is_number_unsigned() ? json[key].get<std::uint64_t>()
                                                                                    : 0;
}

} // namespace

Result<CellCount> countCells(const Design& design, const accelerator::Array& array, const Limits& limits)
{
    const auto scratch = Scratch::make();
    if (!scratch)
        return scratch.error();
    if (auto good = scratch->write("design.sv", design.text); !good)
        return good.error();
    const std::string script = fmt::format("read_verilog -sv design.sv; chparam -set ROWS {} -set COLS {} array; synth "
                                           "-top array; tee -q -o cells.json stat -json",
                                           array.rows, array.cols);
    const auto ran =
        runTool("yosys", {"-q", "-p", script}, scratch->path(), limits, "counting the cells of " + design.name);
    if (!ran)
        return ran.error();
    if (ran->exitCode >= 128)
        return Error{"rtl-crash",
                     fmt::format("yosys ended with {}: {}", ran->exitCode, said(ran->err, scratch->path())),
                     design.name, "take a smaller array, or write the last lines that you changed another way"};
    std::string words = said(ran->err + ran->out, scratch->path());
    for (auto at = words.find("design.sv"); at != std::string::npos; at = words.find("design.sv", at + 1))
        words.replace(at, 9, design.name);
    if (ran->exitCode != 0)
        return Error{"rtl-compile", "yosys cannot read the design: " + words, design.name,
                     "yosys reads less of SystemVerilog than Icarus: no arrays as ports, no packed arrays of arrays"};
    const auto json = parseJson(scratch->read("cells.json", kMostJson), "cells.json");
    if (!json || !json->is_object() || !json->contains("design"))
        return Error{"rtl-crash", "yosys gave no counts: " + words, design.name,
                     "look whether yosys is of version 0.23 or later"};
    CellCount count;
    const Json& all = (*json)["design"];
    count.cells = numberAt(all, "num_cells");
    if (all.contains("num_cells_by_type") && all["num_cells_by_type"].is_object())
        for (const auto& [type, number] : all["num_cells_by_type"].items())
            if (type.find("DFF") != std::string::npos && number.is_number_unsigned())
                count.flipFlops += number.get<std::uint64_t>();
    if (json->contains("modules") && (*json)["modules"].contains("\\mac"))
        count.ofPe = numberAt((*json)["modules"]["\\mac"], "num_cells");
    return count;
}

std::uint64_t flipFlops(const accelerator::Array& array)
{
    const std::uint64_t rows = array.rows, cols = array.cols;
    const std::uint64_t elements = rows * cols * (8 + 8 + 32);
    const std::uint64_t skew = 8 * rows * (rows - 1) / 2, align = 32 * cols * (cols - 1) / 2;
    const std::uint64_t onItsWay = 2 * (rows + cols - 1), control = 6 + 1;
    return elements + skew + align + onItsWay + control;
}

} // namespace ridge::rtl
