// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <algorithm>
#include <ctime>

namespace ridge::test {

/// Measures the turns of the event loop it lives on, 5 ms apart when nothing else is done.
class Heartbeat : public QObject {
public:
    Heartbeat()
    {
        reset();
        startTimer(5);
    }
    qint64 worst() const { return m_worst; }
    /// The longest the thread itself computed between two beats: what a gap is on a machine that has time for us.
    double worstBusy() const { return m_worstBusy; }
    void reset()
    {
        m_worst = 0;
        m_worstBusy = 0;
        m_busy = threadMs();
        m_clock.start();
    }

protected:
    void timerEvent(QTimerEvent*) override
    {
        m_worst = std::max(m_worst, m_clock.restart());
        const double now = threadMs();
        m_worstBusy = std::max(m_worstBusy, now - m_busy);
        m_busy = now;
    }

private:
    static double threadMs()
    {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return double(time.tv_sec) * 1e3 + double(time.tv_nsec) * 1e-6;
    }
    QElapsedTimer m_clock;
    qint64 m_worst = 0;
    double m_busy = 0, m_worstBusy = 0;
};

} // namespace ridge::test
