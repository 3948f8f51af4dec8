// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/step_calls.h"

#include "base/lane_mask.h"

#include <algorithm>
#include <bit>

namespace ridge {
namespace {

using Flow = StepInstruction::Flow;
constexpr std::uint32_t kLanes = 32;

} // namespace

StepCalls::StepCalls(const StepTrace& trace) : m_trace(&trace)
{
    std::vector<std::vector<std::uint16_t>> stacks(std::size_t{trace.warps()} * kLanes); // depths before each call
    std::vector<std::uint16_t> now(stacks.size(), 0);
    for (std::uint32_t at = 0; at < trace.steps.size(); ++at) {
        const TracedStep& step = trace.steps[at];
        const StepInstruction& code = trace.code[step.instruction];
        if (code.flow == Flow::Plain || step.executed == 0)
            continue;
        const std::size_t first = std::size_t{step.warp} * kLanes;
        forLanes(step.executed, [&](std::uint32_t lane) {
            std::uint16_t& depth = now[first + lane];
            std::vector<std::uint16_t>& stack = stacks[first + lane];
            if (code.flow == Flow::Call) {
                stack.push_back(depth);
                depth = static_cast<std::uint16_t>(depth + code.inlined + 1);
            } else if (!stack.empty()) {
                depth = stack.back();
                stack.pop_back();
            }
        });
        const std::uint16_t shared = now[first + static_cast<std::size_t>(std::countr_zero(step.executed))];
        bool isMixed = false;
        forLanes(step.executed, [&](std::uint32_t lane) { isMixed = isMixed || now[first + lane] != shared; });
        m_steps.push_back(at);
        m_depths.push_back(isMixed ? kMixed | static_cast<std::uint32_t>(m_mixed.size()) : shared);
        if (isMixed) {
            std::array<std::uint16_t, kLanes>& made = m_mixed.emplace_back();
            std::copy_n(now.begin() + static_cast<std::ptrdiff_t>(first), kLanes, made.begin());
        }
    }
    m_ofWarp.build(trace.warps(), kLanes, [&](const NewestWith::Use& use) {
        for (std::uint32_t event = 0; event < m_steps.size(); ++event) {
            const TracedStep& step = trace.steps[m_steps[event]];
            use(step.warp, event, step.executed);
        }
    });
}

std::uint32_t StepCalls::after(std::size_t event, std::uint32_t lane) const
{
    const std::uint32_t depth = m_depths[event];
    return (depth & kMixed) != 0 ? m_mixed[depth & ~kMixed][lane] : depth;
}

StepCalls::Depths StepCalls::before(std::size_t at, std::uint16_t warp) const
{
    Depths depths{};
    const auto limit =
        static_cast<std::uint32_t>(std::lower_bound(m_steps.begin(), m_steps.end(), at) - m_steps.begin());
    for (std::uint32_t lane = 0; lane < kLanes && limit != 0; ++lane)
        if (const auto event = m_ofWarp.find(warp, limit, lane))
            depths[lane] = after(*event, lane);
    return depths;
}

void StepCalls::take(std::size_t at, Depths& depths) const
{
    const TracedStep& step = m_trace->steps[at];
    if (m_trace->code[step.instruction].flow == Flow::Plain || step.executed == 0)
        return;
    const auto event = static_cast<std::size_t>(std::lower_bound(m_steps.begin(), m_steps.end(), at) - m_steps.begin());
    forLanes(step.executed, [&](std::uint32_t lane) { depths[lane] = after(event, lane); });
}

std::uint32_t StepCalls::depth(std::size_t at, std::uint32_t lane) const
{
    const TracedStep& step = m_trace->steps[at];
    const auto limit =
        static_cast<std::uint32_t>(std::lower_bound(m_steps.begin(), m_steps.end(), at) - m_steps.begin());
    const auto event = limit == 0 ? std::nullopt : m_ofWarp.find(step.warp, limit, lane);
    return (event ? after(*event, lane) : 0) + m_trace->code[step.instruction].inlined;
}

} // namespace ridge
