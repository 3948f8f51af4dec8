// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/team.h"

#include <algorithm>
#include <ctime>
#include <pthread.h>
#include <sched.h>

namespace ridge::host {

namespace {

double secondsOf(clockid_t clock)
{
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

} // namespace

Team::Team(std::vector<int> processors) : m_times(processors.size())
{
    for (std::size_t i = 0; i < processors.size(); ++i)
        m_threads.emplace_back([this, i, on = processors[i]] { serve(static_cast<unsigned>(i), on); });
}

Team::~Team()
{
    {
        const std::lock_guard lock(m_mutex);
        m_ending = true;
    }
    m_begin.notify_all();
    for (std::thread& thread : m_threads)
        thread.join();
}

Round Team::run(const std::function<void(unsigned)>& work)
{
    std::unique_lock lock(m_mutex);
    m_work = &work;
    m_running = size();
    m_ready.store(0);
    ++m_round;
    m_begin.notify_all();
    m_done.wait(lock, [this] { return m_running == 0; });
    m_work = nullptr;
    double first = m_times.front().start, last = 0, wall = 0, processor = 0;
    for (const Times& times : m_times) {
        first = std::min(first, times.start);
        last = std::max(last, times.end);
        wall += times.end - times.start;
        processor += times.processor;
    }
    return {last - first, wall > 0 ? std::min(1.0, processor / wall) : 1};
}

void Team::serve(unsigned thread, int processor)
{
    // Refused in some containers; the thread then runs where the system puts it.
    if (processor < CPU_SETSIZE) {
        cpu_set_t only;
        CPU_ZERO(&only);
        CPU_SET(processor, &only);
        (void)pthread_setaffinity_np(pthread_self(), sizeof(only), &only);
    }
    for (std::uint64_t seen = 0;;) {
        const std::function<void(unsigned)>* work = nullptr;
        {
            std::unique_lock lock(m_mutex);
            m_begin.wait(lock, [&] { return m_ending || m_round != seen; });
            if (m_ending)
                return;
            seen = m_round;
            work = m_work;
        }
        // All start together; a thread that has no processor yet must be let in.
        m_ready.fetch_add(1);
        while (m_ready.load() < size())
            sched_yield();
        Times& times = m_times[thread];
        const double before = secondsOf(CLOCK_THREAD_CPUTIME_ID);
        times.start = secondsOf(CLOCK_MONOTONIC);
        (*work)(thread);
        times.end = secondsOf(CLOCK_MONOTONIC);
        times.processor = secondsOf(CLOCK_THREAD_CPUTIME_ID) - before;
        const std::lock_guard lock(m_mutex);
        if (--m_running == 0)
            m_done.notify_one();
    }
}

} // namespace ridge::host
