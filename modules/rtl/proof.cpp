// SPDX-License-Identifier: GPL-3.0-or-later
#include "rtl/proof.h"

#include <algorithm>
#include <fmt/core.h>
#include <sstream>

namespace ridge::rtl {
namespace {

constexpr std::size_t kMostLines = 64;

/// "     1 \in_a_in    1    1    00000001": the cycle, the signal, its value.
std::vector<std::vector<std::string>> exampleOf(const std::string& words)
{
    std::vector<std::vector<std::string>> lines;
    std::istringstream in(words);
    std::string text;
    while (std::getline(in, text) && lines.size() < kMostLines) {
        std::istringstream row(text);
        std::string cycle, signal, value;
        if (!(row >> cycle >> signal >> value) || !signal.starts_with("\\in_") || signal == "\\in_clk" ||
            cycle.find_first_not_of("0123456789") != std::string::npos)
            continue;
        lines.push_back({cycle, signal.substr(4), value});
    }
    return lines;
}

/// Of the last "** Trying induction with length 2 **".
std::uint64_t depthOf(const std::string& words)
{
    constexpr std::string_view kKey = "Trying induction with length ";
    const auto at = words.rfind(kKey);
    std::uint64_t depth = 0;
    if (at != std::string::npos)
        std::istringstream(words.substr(at + kKey.size(), 8)) >> depth;
    return depth;
}

std::string named(std::string words, const Design& design)
{
    for (auto at = words.find("design.sv"); at != std::string::npos; at = words.find("design.sv", at + 1))
        words.replace(at, 9, design.name);
    return words;
}

} // namespace

Result<Proof> proveMac(const Design& design, const Limits& limits)
{
    const auto rule = macRule();
    if (!rule)
        return rule.error();
    const auto scratch = Scratch::make();
    if (!scratch)
        return scratch.error();
    for (const auto& [name, text] :
         {std::pair<std::string, const std::string&>{"design.sv", design.text}, {"mac_rule.sv", rule->text}})
        if (auto good = scratch->write(name, text); !good)
            return good.error();
    // Both begin in the same state, whichever: reset for the first cycle.
    const std::string script =
        "read_verilog -sv design.sv; read_verilog -sv mac_rule.sv; proc; opt_clean; "
        "miter -equiv -flatten -make_outputs mac_rule mac both; hierarchy -top both; opt; "
        "sat -verify-no-timeout -seq 1 -set-at 1 in_reset 1 -prove trigger 0 -tempinduct -show-inputs both";
    const auto ran = runTool("yosys", {"-p", script}, scratch->path(), limits, "the proof of " + design.name);
    if (!ran)
        return ran.error();
    const std::string& words = ran->out;
    if (ran->exitCode >= 128)
        return Error{"rtl-crash",
                     fmt::format("yosys ended with {}: {}", ran->exitCode, said(ran->err, scratch->path())),
                     design.name, "write the last lines that you changed another way"};
    Proof proof;
    proof.depth = depthOf(words);
    if (words.find("Induction step proven: SUCCESS!") != std::string::npos && ran->exitCode == 0) {
        proof.proved = true;
        return proof;
    }
    if (words.find("proof did fail") == std::string::npos && ran->err.find("proof did fail") == std::string::npos)
        return Error{"rtl-compile",
                     "yosys cannot compare the design's mac: " + named(said(ran->err + "\n", scratch->path()), design),
                     design.name, "the module is called mac, with the ports of labs/rtl/array.sv"};
    proof.example = exampleOf(words);
    return proof;
}

} // namespace ridge::rtl
