// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/thread_team.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>

namespace ridge::gpu::simt {

namespace {

constexpr int kSpins = 4000; ///< looks before a thread sleeps: phases follow each other within microseconds
constexpr auto kShared = std::chrono::microseconds(30);

/// Looks for a while. Where one look takes long, another program was given the processor meanwhile, and would be given
/// it with every look: then it is better to sleep and to be woken.
template<class Done>
bool lookFor(const Done& done)
{
    auto last = std::chrono::steady_clock::now();
    for (int spin = 0; spin < kSpins && !done(); ++spin) {
        std::this_thread::yield();
        const auto now = std::chrono::steady_clock::now();
        if (now - last > kShared)
            break;
        last = now;
    }
    return done();
}

} // namespace

ThreadTeam::ThreadTeam(unsigned workers) : m_workers(std::max(workers, 1u)), m_begun(m_workers)
{
    for (unsigned worker = 1; worker < m_workers; ++worker)
        m_threads.emplace_back([this, worker] { serve(worker); });
}

ThreadTeam::~ThreadTeam()
{
    m_end = true;
    ++m_phase;
    m_phase.notify_all();
    for (std::thread& thread : m_threads)
        thread.join();
}

void ThreadTeam::serve(unsigned worker)
{
    std::uint64_t seen = 0;
    while (true) {
        lookFor([&] { return m_phase.load(std::memory_order_acquire) != seen; });
        m_phase.wait(seen, std::memory_order_acquire);
        seen = m_phase.load(std::memory_order_acquire);
        if (m_end)
            return;
        if (!begin(worker, seen))
            continue;
        (*m_work)(worker);
        if (m_left.fetch_sub(1, std::memory_order_acq_rel) == 1)
            m_left.notify_one();
    }
}

bool ThreadTeam::begin(unsigned worker, std::uint64_t phase)
{
    std::atomic<std::uint64_t>& begun = m_begun[worker].phase;
    std::uint64_t last = begun.load(std::memory_order_relaxed);
    return last < phase && begun.compare_exchange_strong(last, phase, std::memory_order_acq_rel);
}

void ThreadTeam::run(const std::function<void(unsigned)>& work)
{
    if (m_workers == 1)
        return work(0);
    m_work = &work;
    m_left.store(m_workers - 1, std::memory_order_release);
    const std::uint64_t phase = m_phase.fetch_add(1, std::memory_order_acq_rel) + 1;
    m_phase.notify_all();
    // The others may be waiting for what this one was to do: no exception leads out of here.
    [&]() noexcept {
        work(0);
        for (unsigned worker = 1; worker < m_workers; ++worker) {
            if (begin(worker, phase)) {
                work(worker);
                m_left.fetch_sub(1, std::memory_order_acq_rel);
            }
        }
    }();
    lookFor([&] { return m_left.load(std::memory_order_acquire) == 0; });
    for (unsigned left = m_left.load(std::memory_order_acquire); left != 0;
         left = m_left.load(std::memory_order_acquire))
        m_left.wait(left, std::memory_order_acquire);
}

void Milestone::raise(std::size_t count)
{
    m_count.store(count, std::memory_order_release);
    m_count.notify_all();
}

void Milestone::add(std::size_t more)
{
    m_count.fetch_add(more, std::memory_order_acq_rel);
    m_count.notify_all();
}

void Milestone::await(std::size_t count) const
{
    if (lookFor([&] { return m_count.load(std::memory_order_acquire) >= count; }))
        return;
    for (std::size_t seen = m_count.load(std::memory_order_acquire); seen < count;
         seen = m_count.load(std::memory_order_acquire))
        m_count.wait(seen, std::memory_order_acquire);
}

bool Claims::claim(bool fromEnd, std::size_t& number)
{
    std::uint64_t left = m_left.load(std::memory_order_relaxed);
    while (true) {
        const std::uint64_t front = left & 0xffffffffu, end = left >> 32;
        if (front == end)
            return false;
        const std::uint64_t after = fromEnd ? (end - 1) << 32 | front : end << 32 | (front + 1);
        if (m_left.compare_exchange_weak(left, after, std::memory_order_relaxed)) {
            number = fromEnd ? end - 1 : front;
            return true;
        }
    }
}

unsigned simulationThreads(unsigned wanted, unsigned most)
{
    if (wanted == 0) {
        if (const char* text = std::getenv("RIDGE_SIM_THREADS"))
            std::from_chars(text, text + std::strlen(text), wanted);
    }
    if (wanted == 0)
        wanted = std::max(std::thread::hardware_concurrency(), 1u);
    return std::clamp(wanted, 1u, std::max(most, 1u));
}

} // namespace ridge::gpu::simt
