// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/debug_session.h"

#include "base/json.h"

#include <algorithm>
#include <bit>

namespace ridge::app {

std::vector<SourceVariable> variablesOf(const Json& document)
{
    using K = SourceVariable::Kind;
    static const std::map<std::string, K> kKinds{{"signed", K::Signed},   {"unsigned", K::Unsigned},
                                                 {"float", K::Float},     {"boolean", K::Boolean},
                                                 {"pointer", K::Pointer}, {"other", K::Other}};
    std::vector<SourceVariable> all;
    const auto list = document.find("variables");
    if (list == document.end() || !list->is_array())
        return all;
    try {
        for (const Json& each : *list) {
            SourceVariable variable{
                each.at("name"), each.at("function"), each.at("type"), K::Other, each.at("bytes"), each.at("line"), {}};
            if (const auto kind = kKinds.find(each.at("kind").get<std::string>()); kind != kKinds.end())
                variable.kind = kind->second;
            for (const Json& place : each.at("places"))
                variable.places.push_back({place.at(0), place.at(1), place.at(2), 0});
            all.push_back(std::move(variable));
        }
    } catch (const Json::exception&) { // another worker's: what was read stands
    }
    return all;
}

DebugSession::DebugSession(StepTrace trace) : m_trace(std::move(trace)), m_reader(m_trace)
{
    followWarp();
}

void DebugSession::setWarp(std::uint16_t warp)
{
    m_warp = static_cast<std::uint16_t>(std::min<std::uint32_t>(warp, std::max(1u, m_trace.warps()) - 1));
}

void DebugSession::followWarp()
{
    if (const TracedStep* step = m_reader.next() ? m_reader.next() : m_reader.last())
        m_warp = step->warp;
}

const TracedStep* DebugSession::lastStep() const
{
    const auto at = m_trace.steps.empty() ? std::nullopt : m_reader.lastOf(m_warp);
    return at ? &m_trace.steps[*at] : nullptr;
}

const TracedStep* DebugSession::nextStep() const
{
    const auto at = m_trace.steps.empty() ? std::nullopt : m_reader.nextOf(m_warp);
    return at ? &m_trace.steps[*at] : nullptr;
}

void DebugSession::setVariables(std::vector<SourceVariable> variables)
{
    std::map<std::string_view, std::uint32_t> registers;
    for (std::uint32_t reg = 0; reg < m_trace.registers.size(); ++reg)
        registers.emplace(m_trace.registers[reg].name, reg);
    for (SourceVariable& variable : variables) {
        for (SourceVariable::Place& place : variable.places)
            if (variable.function != m_trace.kernel) // registers of a function that is called
                place.reg += '@' + variable.function;
        std::erase_if(variable.places, [&](const auto& place) { return !registers.contains(place.reg); });
        for (SourceVariable::Place& place : variable.places)
            place.index = registers.at(place.reg);
    }
    std::erase_if(variables, [](const SourceVariable& variable) { return variable.places.empty(); });
    m_variables = std::move(variables);
}

std::vector<DebugSession::Seen> DebugSession::variables() const
{
    std::vector<Seen> seen;
    const TracedStep* step = nextStep();
    if (!step)
        return seen;
    const std::uint32_t line = m_trace.code[step->instruction].ptxLine;
    for (const SourceVariable& variable : m_variables)
        for (const SourceVariable::Place& place : variable.places) {
            if (line < place.begin || line >= place.end)
                continue;
            std::erase_if(seen, [&](const Seen& outer) { return outer.variable->name == variable.name; });
            seen.push_back({&variable, place.index});
            break;
        }
    return seen;
}

std::optional<std::string> DebugSession::text(const Seen& seen, std::uint32_t lane) const
{
    const auto bits = m_reader.value(m_warp, seen.reg, lane);
    if (!bits)
        return std::nullopt;
    const SourceVariable& variable = *seen.variable;
    const StepRegister& reg = m_trace.registers[seen.reg];
    const std::uint32_t width = std::clamp<std::uint32_t>(variable.bytes, 1, 8) * 8;
    const std::uint64_t value = *bits << (64 - width) >> (64 - width);
    using K = SourceVariable::Kind;
    switch (variable.kind) {
    case K::Boolean:
        return (reg.bytes == 0 ? *bits : value) != 0 ? "true" : "false";
    case K::Signed:
        return std::to_string(static_cast<std::int64_t>(value << (64 - width)) >> (64 - width));
    case K::Unsigned:
        return std::to_string(value);
    case K::Float:
        return registerText({{}, static_cast<std::uint8_t>(variable.bytes), true}, *bits);
    case K::Pointer: // "x + 128" where a buffer holds it
        return m_reader.addressText({}, *bits);
    case K::Other:
        break;
    }
    return registerText(reg, *bits);
}

std::uint32_t DebugSession::writtenLanes(std::uint32_t reg) const
{
    const TracedStep* step = lastStep();
    if (!step)
        return 0;
    const auto at = std::size_t(step - m_trace.steps.data());
    for (std::uint32_t write = step->firstWrite; write < m_trace.endWrite(at); ++write)
        if (m_trace.writes[write].reg == reg)
            return step->executed;
    return 0;
}

int DebugSession::line() const
{
    const TracedStep* step = nextStep();
    return step ? static_cast<int>(lineOf(m_trace.code[step->instruction])) : 0;
}

Result<void> DebugSession::setBreakpoint(int line, const std::string& condition)
{
    Breakpoint breakpoint;
    breakpoint.condition = condition;
    if (!condition.empty()) {
        auto read = expression(condition);
        if (!read)
            return read.error();
        breakpoint.expression = std::move(*read);
    }
    m_breakpoints[line] = std::move(breakpoint);
    return {};
}

bool DebugSession::stops(const TracedStep& step) const
{
    const auto found = m_breakpoints.empty()
                           ? m_breakpoints.end()
                           : m_breakpoints.find(static_cast<int>(lineOf(m_trace.code[step.instruction])));
    if (found != m_breakpoints.end()) {
        if (!found->second.expression)
            return true;
        for (std::uint32_t mask = step.active; mask != 0; mask &= mask - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
            const auto value = found->second.expression->evaluate(m_reader, step.warp, lane);
            if (value && isTrue(*value))
                return true;
        }
    }
    if (stopAtReports && reportedLines.contains(static_cast<int>(lineOf(m_trace.code[step.instruction]))))
        return true;
    if (stopAtConflicts && step.access != TracedStep::kNoStep) {
        const StepAccess& access = m_trace.accesses[step.access];
        if (access.space == StepAccess::Space::Shared && access.least != 0 && access.passes > access.least)
            return true;
    }
    if (stopAtDivergence && step.active != step.live) {
        // Only where they part: the steps after it are no news.
        const auto before = m_reader.lastOf(step.warp);
        return !before || m_trace.steps[*before].active == m_trace.steps[*before].live;
    }
    return false;
}

void DebugSession::beginRun(bool back)
{
    // Of a line that is several instructions, only the first one stops.
    const TracedStep* now = m_reader.next();
    m_run = {back, false, now ? lineOf(m_trace.code[now->instruction]) : 0, now ? now->warp : -1};
}

DebugSession::Run DebugSession::goOn(std::chrono::milliseconds budget)
{
    using Clock = std::chrono::steady_clock;
    constexpr std::uint32_t kLook = 64; // steps between two looks at the clock
    const Clock::time_point end = Clock::now() + budget;
    std::uint32_t seen = 0;
    bool stopped = false;
    const auto holds = [&](const TracedStep& step) {
        if (m_run.back)
            return stops(step);
        const bool same = step.warp == m_run.warp && lineOf(m_trace.code[step.instruction]) == m_run.line;
        m_run.left = m_run.left || (step.warp == m_run.warp && !same);
        return (m_run.left || !same) && stops(step);
    };
    const auto look = [&](const TracedStep& step) {
        stopped = holds(step);
        return stopped || (++seen % kLook == 0 && Clock::now() >= end);
    };
    const bool more = m_run.back ? m_reader.runBackTo(look) : m_reader.runTo(look);
    return stopped ? Run::Stopped : more ? Run::Goes : Run::Ended;
}

bool DebugSession::runOn()
{
    beginRun(false);
    return goOn(std::chrono::hours(1)) == Run::Stopped;
}

bool DebugSession::runBack()
{
    beginRun(true);
    return goOn(std::chrono::hours(1)) == Run::Stopped;
}

} // namespace ridge::app
