// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>

namespace ridge {

/// How long this process has worked: the time by the clock, but no longer than its threads computed together. A limit
/// in these seconds lets the same work through on a machine that others use too as on a free one. An eighth of the time
/// by the clock counts in any case, so that what waits for ever ends as well.
class WorkClock {
public:
    WorkClock() : m_begin(Clock::now()), m_computed(computed()) {}

    double seconds() const { return worked(byTheClock(), computed() - m_computed); }
    bool past(double limit) const { return byTheClock() >= limit && seconds() >= limit; }
    /// Time in which somebody was asked.
    void leaveOut(std::chrono::steady_clock::duration asked) { m_begin += asked; }

    static double worked(double byTheClock, double computed)
    {
        return std::max(std::min(byTheClock, computed), byTheClock / kMostLoad);
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr double kMostLoad = 8;

    double byTheClock() const { return std::chrono::duration<double>(Clock::now() - m_begin).count(); }
    static double computed()
    {
        timespec time{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
    }

    Clock::time_point m_begin;
    double m_computed;
};

} // namespace ridge
