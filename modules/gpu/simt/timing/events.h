// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"

#include <functional>
#include <optional>
#include <span>

namespace ridge::gpu::simt {

/// Where a reader stops.
struct Breakpoint {
    std::optional<std::uint32_t> sourceLine; ///< an event of an instruction of this line …
    std::optional<std::uint32_t> op;         ///< … of this machine instruction
    std::optional<std::uint16_t> sm;         ///< … on this SM
    std::optional<std::uint8_t> slot;        ///< … of this warp slot
    std::optional<TimingEvent::Kind> kind;
    std::optional<Stall> stall; ///< a wait for this reason …
    std::uint32_t atLeast = 1;  ///< … of at least this many cycles
};

/// What is known of a warp slot at the reader's place: its last instruction and its last wait in the window.
struct SlotView {
    std::optional<TimingEvent> issued;
    std::optional<TimingEvent> waited;
    std::optional<std::uint32_t> block; ///< linear, if it started in the window
    bool ended = false;
};

/// Walks the events of one report forwards and backwards. The report must outlive it.
class TimingEventReader {
public:
    explicit TimingEventReader(const TimingReport& report) : m_report(&report) {}

    std::size_t size() const { return m_report->events.size(); }
    std::size_t position() const { return m_at; }
    bool atEnd() const { return m_at == size(); }
    /// The event that comes next. Not at the end.
    const TimingEvent& current() const { return m_report->events[m_at]; }
    const MachineLine& line() const { return m_report->machine[current().op]; }

    bool step(); ///< false at the end
    bool back(); ///< false at the start
    /// To the first event of `cycle` or later.
    void seek(std::uint64_t cycle);

    void add(const Breakpoint& breakpoint) { m_breakpoints.push_back(breakpoint); }
    void clear() { m_breakpoints.clear(); }
    /// On to the next event that a breakpoint names, or the end: false.
    bool run();
    /// Back to the one before, or the start: false.
    bool runBack();
    /// Calls `watch` with each event from here up to `cycle`, without moving.
    void watch(std::uint64_t cycle, const std::function<void(const TimingEvent&)>& watch) const;
    SlotView slot(std::uint16_t sm, std::uint8_t slot) const;

    static Stall stallOf(const TimingEvent& event) { return static_cast<Stall>(event.payload >> 24); }
    static std::uint32_t cyclesOf(const TimingEvent& event) { return event.payload & 0xffffff; }

private:
    bool stopsAt(const TimingEvent& event) const;

    const TimingReport* m_report;
    std::size_t m_at = 0;
    std::vector<Breakpoint> m_breakpoints;
};

/// Options with which the same launch on the same input shows [first, end) in full detail: a simulation repeats itself
/// cycle by cycle, so that any window can be seen later. `capacity` events are kept, the last ones of each SM.
LaunchOptions replayWindow(const LaunchOptions& options, std::uint64_t first, std::uint64_t end, std::size_t capacity);

} // namespace ridge::gpu::simt
