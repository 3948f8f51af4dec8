// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace ridge::host {

/// How long a piece of work took.
struct Round {
    double seconds = 0; ///< from the first thread's start to the last one's end
    double busy = 1;    ///< processor time over wall time of all threads: below 1, others used the processors as well
};

/// Threads that each stay on a processor of their own where the system allows it, and start work together.
class Team {
public:
    explicit Team(std::vector<int> processors);
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    ~Team();

    unsigned size() const { return static_cast<unsigned>(m_threads.size()); }
    /// Runs work(thread) on all threads and waits for them.
    Round run(const std::function<void(unsigned)>& work);

private:
    void serve(unsigned thread, int processor);

    struct Times {
        double start = 0, end = 0, processor = 0;
    };
    std::mutex m_mutex;
    std::condition_variable m_begin, m_done;
    const std::function<void(unsigned)>* m_work = nullptr;
    std::uint64_t m_round = 0;
    unsigned m_running = 0;
    bool m_ending = false;
    std::atomic<unsigned> m_ready{0};
    std::vector<Times> m_times;
    std::vector<std::thread> m_threads;
};

} // namespace ridge::host
