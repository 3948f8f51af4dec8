// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/step_text.h"

#include "base/lane_mask.h"
#include "base/step_reader.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace ridge::cli {
namespace {

/// "0", "0, 4, 8, … 124" or all of them where they follow no rule.
std::string valuesText(const StepTrace& trace, const StepWrite& write, std::uint32_t mask)
{
    const StepRegister& reg = trace.registers[write.reg];
    std::vector<std::string> values;
    forLanes(mask,
             [&](std::uint32_t lane) { values.push_back(registerText(reg, trace.word(write.values, mask, lane))); });
    if (write.values.kind == LaneWords::Kind::Uniform)
        return values.front();
    constexpr std::size_t kShown = 4;
    std::string text;
    for (std::size_t at = 0; at < values.size() && at < kShown; ++at)
        text += (at == 0 ? "" : ", ") + values[at];
    return values.size() > kShown ? text + ", … " + values.back() : text;
}

const char* spaceText(StepAccess::Space space)
{
    return space == StepAccess::Space::Global ? "global" : space == StepAccess::Space::Shared ? "shared" : "local";
}

std::string accessText(const StepTrace& trace, const StepReader& reader, const TracedStep& step)
{
    if (step.access == TracedStep::kNoStep || step.executed == 0)
        return {};
    const StepAccess& access = trace.accesses[step.access];
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(step.executed));
    std::string text = " at " + reader.addressText(access, *reader.address(step, lane));
    if (std::popcount(step.executed) > 1)
        text += " …";
    if (access.passes != 0)
        text += fmt::format(" ({} {})", access.passes,
                            access.space == StepAccess::Space::Shared ? "wavefronts" : "sectors");
    return text;
}

} // namespace

std::string stepsText(const StepTrace& trace)
{
    const StepReader reader(trace);
    std::string out = fmt::format("\nblock ({}, {}, {}), {} steps{}\n{:>7} {:>4} {:>5}  {:8}  {}\n", trace.block[0],
                                  trace.block[1], trace.block[2], trace.steps.size(), trace.isCut ? " and more" : "",
                                  "STEP", "WARP", "LINE", "LANES", "INSTRUCTION");
    for (std::size_t at = 0; at < trace.steps.size(); ++at) {
        const TracedStep& step = trace.steps[at];
        const StepInstruction& instruction = trace.code[step.instruction];
        // What was called stands further to the right, as far as a line of a terminal has room for it.
        constexpr std::uint32_t kMostIndents = 10;
        out += fmt::format("{:>7} {:>4} {:>5}  {:08x}  {:{}}{}", at + 1, step.warp, instruction.sourceLine,
                           step.executed, "", 2 * std::min(reader.deepestOf(at), kMostIndents), instruction.text);
        out += accessText(trace, reader, step);
        for (std::uint32_t write = step.firstWrite; write < trace.endWrite(at); ++write)
            out += "  " + trace.registers[trace.writes[write].reg].name + " = " +
                   valuesText(trace, trace.writes[write], step.executed);
        out += '\n';
    }
    return out;
}

Json stepsToJson(const StepTrace& trace)
{
    const StepReader reader(trace);
    Json json{{"kernel", trace.kernel}, {"block", trace.block}, {"cut", trace.isCut}, {"steps", Json::array()}};
    for (std::size_t at = 0; at < trace.steps.size(); ++at) {
        const TracedStep& step = trace.steps[at];
        const StepInstruction& instruction = trace.code[step.instruction];
        Json each{{"step", at + 1},
                  {"warp", step.warp},
                  {"line", instruction.sourceLine},
                  {"ptx_line", instruction.ptxLine},
                  {"instruction", instruction.text},
                  {"function", trace.functions[instruction.function]},
                  {"depth", {reader.shallowestOf(at), reader.deepestOf(at)}},
                  {"active", fmt::format("{:08x}", step.active)},
                  {"executed", fmt::format("{:08x}", step.executed)},
                  {"writes", Json::array()},
                  {"access", nullptr}};
        for (std::uint32_t write = step.firstWrite; write < trace.endWrite(at); ++write) {
            const StepRegister& reg = trace.registers[trace.writes[write].reg];
            Json values = Json::array();
            forLanes(step.executed, [&](std::uint32_t lane) {
                values.push_back(registerText(reg, trace.word(trace.writes[write].values, step.executed, lane)));
            });
            each["writes"].push_back(Json{{"register", reg.name}, {"values", std::move(values)}});
        }
        if (step.access != TracedStep::kNoStep) {
            const StepAccess& access = trace.accesses[step.access];
            Json addresses = Json::array();
            forLanes(step.executed, [&](std::uint32_t lane) {
                addresses.push_back(trace.word(access.addresses, step.executed, lane));
            });
            each["access"] = Json{{"space", spaceText(access.space)},
                                  {"bytes", access.bytes},
                                  {"passes", access.passes},
                                  {"least", access.least},
                                  {"addresses", std::move(addresses)}};
        }
        json["steps"].push_back(std::move(each));
    }
    return json;
}

} // namespace ridge::cli
