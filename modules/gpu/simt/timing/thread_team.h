// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace ridge::gpu::simt {

/// Threads that do one phase together and wait for each other at its end. The caller is worker 0.
class ThreadTeam {
public:
    explicit ThreadTeam(unsigned workers);
    ~ThreadTeam();
    ThreadTeam(const ThreadTeam&) = delete;
    ThreadTeam& operator=(const ThreadTeam&) = delete;

    unsigned workers() const { return m_workers; }
    /// Calls work(worker) once on each; returns when all have returned.
    void run(const std::function<void(unsigned)>& work);

private:
    void serve(unsigned worker);

    unsigned m_workers;
    std::vector<std::thread> m_threads;
    const std::function<void(unsigned)>* m_work = nullptr;
    std::atomic<std::uint64_t> m_phase{0};
    std::atomic<unsigned> m_left{0};
    std::atomic<bool> m_end{false};
};

/// Workers for a simulation: `wanted`, or RIDGE_SIM_THREADS, or one for each processor up to `most`.
unsigned simulationThreads(unsigned wanted, unsigned most);

} // namespace ridge::gpu::simt
