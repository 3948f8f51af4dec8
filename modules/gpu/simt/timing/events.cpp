// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/events.h"

#include <algorithm>

namespace ridge::gpu::simt {

bool TimingEventReader::step()
{
    if (atEnd())
        return false;
    ++m_at;
    return !atEnd();
}

bool TimingEventReader::back()
{
    if (m_at == 0)
        return false;
    --m_at;
    return true;
}

void TimingEventReader::seek(std::uint64_t cycle)
{
    const auto& events = m_report->events;
    m_at = static_cast<std::size_t>(
        std::lower_bound(events.begin(), events.end(), cycle,
                         [](const TimingEvent& event, std::uint64_t c) { return event.cycle < c; }) -
        events.begin());
}

bool TimingEventReader::stopsAt(const TimingEvent& event) const
{
    return std::any_of(m_breakpoints.begin(), m_breakpoints.end(), [&](const Breakpoint& b) {
        const bool isStall = event.kind == TimingEvent::Kind::Stall;
        return (!b.sourceLine || m_report->machine[event.op].sourceLine == *b.sourceLine) &&
               (!b.op || event.op == *b.op) && (!b.sm || event.sm == *b.sm) && (!b.slot || event.slot == *b.slot) &&
               (!b.kind || event.kind == *b.kind) &&
               (!b.stall || (isStall && stallOf(event) == *b.stall && cyclesOf(event) >= b.atLeast));
    });
}

bool TimingEventReader::run()
{
    while (step()) {
        if (stopsAt(current()))
            return true;
    }
    return false;
}

bool TimingEventReader::runBack()
{
    while (back()) {
        if (stopsAt(current()))
            return true;
    }
    return false;
}

void TimingEventReader::watch(std::uint64_t cycle, const std::function<void(const TimingEvent&)>& watch) const
{
    for (std::size_t at = m_at; at < size() && m_report->events[at].cycle < cycle; ++at)
        watch(m_report->events[at]);
}

SlotView TimingEventReader::slot(std::uint16_t sm, std::uint8_t slot) const
{
    SlotView view;
    for (std::size_t at = 0; at < m_at; ++at) {
        const TimingEvent& event = m_report->events[at];
        if (event.sm != sm || event.slot != slot)
            continue;
        if (event.kind == TimingEvent::Kind::BlockStart) {
            view = {};
            view.block = event.payload;
        } else if (event.kind == TimingEvent::Kind::Issue) {
            view.issued = event;
        } else if (event.kind == TimingEvent::Kind::Stall) {
            view.waited = event;
        } else if (event.kind == TimingEvent::Kind::WarpEnd) {
            view.ended = true;
        }
    }
    return view;
}

LaunchOptions replayWindow(const LaunchOptions& options, std::uint64_t first, std::uint64_t end, std::size_t capacity)
{
    LaunchOptions replay = options;
    replay.timing = true;
    replay.timingOptions.firstEventCycle = first;
    replay.timingOptions.endEventCycle = end;
    replay.timingOptions.eventCapacity = capacity;
    return replay;
}

} // namespace ridge::gpu::simt
