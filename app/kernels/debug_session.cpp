// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/debug_session.h"

#include <bit>

namespace ridge::app {
namespace {

int lineOf(const StepInstruction& instruction)
{
    return static_cast<int>(instruction.sourceLine != 0 ? instruction.sourceLine : instruction.ptxLine);
}

} // namespace

double numberOf(const StepRegister& reg, std::uint64_t bits)
{
    if (reg.bytes == 0)
        return bits != 0 ? 1 : 0;
    if (reg.isFloat && reg.bytes == 4)
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (reg.isFloat && reg.bytes == 8)
        return std::bit_cast<double>(bits);
    if (reg.bytes == 2)
        return static_cast<std::int16_t>(bits);
    if (reg.bytes == 4)
        return static_cast<std::int32_t>(bits);
    return static_cast<double>(static_cast<std::int64_t>(bits));
}

DebugSession::DebugSession(StepTrace trace) : m_trace(std::move(trace)), m_reader(m_trace)
{
    for (std::size_t at = 0; at < m_trace.registers.size(); ++at) {
        const std::string& name = m_trace.registers[at].name;
        m_registers[name] = static_cast<std::uint32_t>(at);
        if (name.rfind('%', 0) == 0)
            m_registers[name.substr(1)] = static_cast<std::uint32_t>(at);
    }
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

int DebugSession::line() const
{
    const TracedStep* step = nextStep();
    return step ? lineOf(m_trace.code[step->instruction]) : 0;
}

bool DebugSession::knows(const std::string& name) const
{
    static const std::set<std::string> names{"lane", "warp", "thread", "line", "active", "passes", "least"};
    return names.contains(name) || m_registers.contains(name);
}

std::optional<double> DebugSession::lookup(const std::string& name, std::uint16_t warp, std::uint32_t lane,
                                           const TracedStep* step) const
{
    if (name == "lane")
        return lane;
    if (name == "warp")
        return warp;
    if (name == "thread")
        return 32.0 * warp + lane;
    if (name == "line")
        return step ? std::optional<double>(lineOf(m_trace.code[step->instruction])) : std::nullopt;
    if (name == "active")
        return step ? std::optional<double>(std::popcount(step->active)) : std::nullopt;
    if (name == "passes" || name == "least") {
        if (!step || step->access == TracedStep::kNoStep)
            return std::nullopt;
        const StepAccess& access = m_trace.accesses[step->access];
        return name == "passes" ? access.passes : access.least;
    }
    const auto found = m_registers.find(name);
    if (found == m_registers.end())
        return std::nullopt;
    const auto bits = m_reader.value(warp, found->second, lane);
    return bits ? std::optional(numberOf(m_trace.registers[found->second], *bits)) : std::nullopt;
}

Result<WatchExpression> DebugSession::expression(const std::string& text) const
{
    return WatchExpression::parse(text, [this](const std::string& name) { return knows(name); });
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
    const auto found = m_breakpoints.find(lineOf(m_trace.code[step.instruction]));
    if (found != m_breakpoints.end()) {
        if (!found->second.expression)
            return true;
        for (std::uint32_t mask = step.active; mask != 0; mask &= mask - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
            if (found->second.expression->holds(
                    [&](const std::string& name) { return lookup(name, step.warp, lane, &step); }))
                return true;
        }
    }
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

bool DebugSession::runOn()
{
    // Of a line that is several instructions, only the first one stops.
    const TracedStep* now = m_reader.next();
    const int line = now ? lineOf(m_trace.code[now->instruction]) : 0;
    const int warp = now ? now->warp : -1;
    bool left = false;
    return m_reader.runTo([&](const TracedStep& step) {
        const bool same = step.warp == warp && lineOf(m_trace.code[step.instruction]) == line;
        left = left || (step.warp == warp && !same);
        return (left || !same) && stops(step);
    });
}

bool DebugSession::runBack()
{
    return m_reader.runBackTo([this](const TracedStep& step) { return stops(step); });
}

std::string DebugSession::divergenceText(const TracedStep& step) const
{
    return std::to_string(std::popcount(step.executed)) + " of " + std::to_string(std::popcount(step.live)) + " lanes";
}

} // namespace ridge::app
