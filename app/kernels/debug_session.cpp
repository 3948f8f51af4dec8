// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/debug_session.h"

#include <bit>

namespace ridge::app {

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
