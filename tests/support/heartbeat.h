// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/support/pace.h"

#include <QObject>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace ridge::test {

/// Measures the turns of the event loop it lives on, 5 ms apart when nothing else is done. Neither figure depends on
/// how fast the machine is: see pace.h.
class Heartbeat : public QObject {
public:
    Heartbeat()
    {
        reset();
        startTimer(kBeatMs);
    }
    /// The longest gap between two beats, in the 5 ms naps that a thread beside it slept meanwhile: where the whole
    /// machine stands still, that thread does too.
    int worst() const { return m_worst; }
    /// The longest the thread itself computed between two beats, in milliseconds of the machine of docs/benchmarks.md.
    double worstBusy() const { return m_worstBusy; }
    void reset()
    {
        m_worst = 0;
        m_worstBusy = 0;
        m_busy = threadMs();
        m_beat = m_naps;
    }

protected:
    void timerEvent(QTimerEvent*) override
    {
        m_worst = std::max(m_worst, (m_naps - m_beat) * kBeatMs);
        const double busy = threadMs() - m_busy;
        if (busy > m_worstBusy) // the machine is never taken to be faster than it is
            m_worstBusy = std::max(m_worstBusy, busy / pace(busy));
        m_busy = threadMs();
        m_beat = m_naps;
    }

private:
    static constexpr int kBeatMs = 5;
    int m_worst = 0, m_beat = 0;
    double m_busy = 0, m_worstBusy = 0;
    std::atomic<int> m_naps{0};
    std::jthread m_beside{[this](const std::stop_token& over) {
        for (; !over.stop_requested(); ++m_naps)
            std::this_thread::sleep_for(std::chrono::milliseconds(kBeatMs));
    }};
};

} // namespace ridge::test
