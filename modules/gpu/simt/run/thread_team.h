// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
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
    /// Calls work(worker) once for each, on its own thread or, where that has not begun when the caller is done, on the
    /// caller's: other programs may have the processor. Returns when all have returned.
    void run(const std::function<void(unsigned)>& work);

private:
    /// The last phase of a worker that somebody has begun.
    struct alignas(64) Begun {
        std::atomic<std::uint64_t> phase{0};
    };
    void serve(unsigned worker);
    bool begin(unsigned worker, std::uint64_t phase); ///< false: the other one has

    unsigned m_workers;
    std::vector<Begun> m_begun;
    std::vector<std::thread> m_threads;
    const std::function<void(unsigned)>* m_work = nullptr;
    std::atomic<std::uint64_t> m_phase{0};
    std::atomic<unsigned> m_left{0};
    std::atomic<bool> m_end{false};
};

/// A count that is raised and waited for.
class Milestone {
public:
    void reset() { m_count.store(0, std::memory_order_relaxed); } ///< while nobody waits
    void raise(std::size_t count);
    void add(std::size_t more); ///< for several threads that raise it together
    void await(std::size_t count) const;

private:
    std::atomic<std::size_t> m_count{0};
};

/// Hands out the numbers below `count`, each once: from the front, or from the end.
class Claims {
public:
    void reset(std::size_t count) { m_left.store(std::uint64_t{count} << 32, std::memory_order_relaxed); }
    bool claim(bool fromEnd, std::size_t& number); ///< false: none is left

private:
    std::atomic<std::uint64_t> m_left{0}; ///< end << 32 | front
};

/// Workers for a simulation: `wanted`, or RIDGE_SIM_THREADS, or one for each processor up to `most`.
unsigned simulationThreads(unsigned wanted, unsigned most);

} // namespace ridge::gpu::simt
