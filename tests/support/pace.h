// SPDX-License-Identifier: GPL-3.0-or-later
// How fast the machine under a test computes just now. A limit in milliseconds is about the program, not about the
// machine: other tests, other guests of the host and an older processor make the same work take two to four times as
// long. What is measured here is therefore divided by what a fixed piece of work takes beside it.
#pragma once
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <ctime>
#include <string>
#include <sys/mman.h>
#include <unordered_map>
#include <vector>

namespace ridge::test {

/// What this thread has computed so far, in milliseconds.
inline double threadMs()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e3 + double(time.tv_nsec) * 1e-6;
}

/// The fixed piece of work: short strings that are made, found and sorted, a walk through 8 MiB in no order, and fresh
/// pages. That is what laying out a page does most: it allocates, follows pointers, misses caches and faults.
class PaceWork {
public:
    PaceWork() : m_next(kCells)
    {
        std::uint32_t at = 0; // one round through all cells: the step is odd, so that it meets each
        for (std::uint32_t i = 0; i < kCells; ++i, at = (at + kStep) % kCells)
            m_next[at] = (at + kStep) % kCells;
    }

    /// Milliseconds that it takes now.
    double run()
    {
        const double begin = threadMs();
        std::unordered_map<std::string, std::uint32_t> numbers;
        std::vector<std::string> words;
        for (std::uint32_t i = 0; i < kWords; ++i) {
            std::array<char, 16> digits{};
            const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), i * 2654435761U).ptr;
            words.push_back("a word of the page " + std::string(digits.data(), end));
            numbers[words.back()] = i;
        }
        std::sort(words.begin(), words.end());
        for (const std::string& word : words)
            m_found += numbers.find(word)->second;
        for (int i = 0; i < kSteps; ++i)
            m_at = m_next[m_at];
        constexpr std::size_t kFresh = 64 * 4096;
        void* fresh = mmap(nullptr, kFresh, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (fresh != MAP_FAILED) {
            for (std::size_t i = 0; i < kFresh; i += 4096)
                static_cast<volatile char*>(fresh)[i] = 1;
            munmap(fresh, kFresh);
        }
        return threadMs() - begin;
    }

private:
    static constexpr std::uint32_t kCells = (8U << 20U) / sizeof(std::uint32_t), kStep = 1297633;
    static constexpr std::uint32_t kWords = 3000;
    static constexpr int kSteps = 8000;
    std::vector<std::uint32_t> m_next;
    std::uint32_t m_at = 0, m_found = 0; // kept, so that the work is not optimised away
};

/// Least of many on the machine whose figures docs/benchmarks.md has, with nothing else running.
inline constexpr double kPaceWorkMs = 1.0;

/// How many times longer than that machine this one computes now: 1 or more. @p forMs: how long the measured piece
/// took; a long one is compared with more work, so that both meet the same neighbours.
inline double pace(double forMs)
{
    static PaceWork work; // 8 MiB that would otherwise be filled each time
    std::vector<double> took;
    for (double sum = 0; took.size() < 3 || (sum < forMs / 5 && took.size() < 40); sum += took.back())
        took.push_back(work.run());
    std::sort(took.begin(), took.end());
    return std::max(1.0, took[took.size() / 2] / kPaceWorkMs);
}

/// A stopwatch of what this thread computes, in milliseconds of the machine of docs/benchmarks.md.
class PacedClock {
public:
    PacedClock() : m_begin(threadMs()) {}
    double ms() const
    {
        const double took = threadMs() - m_begin;
        return took / pace(took);
    }

private:
    double m_begin;
};

} // namespace ridge::test
