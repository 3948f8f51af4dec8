// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/products.h"

#include "host/measure.h"
#include "host/vector_loops.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

namespace ridge::host {

namespace {

/// Where all threads of a team wait for each other. They spin, since a pass may take a microsecond; where processors
/// are shared, they let others run.
class Barrier {
public:
    explicit Barrier(unsigned threads) : m_threads(threads) {}
    void wait()
    {
        const unsigned turn = m_turn.load(std::memory_order_acquire);
        if (m_arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == m_threads) {
            m_arrived.store(0, std::memory_order_relaxed);
            m_turn.store(turn + 1, std::memory_order_release);
            return;
        }
        for (unsigned spins = 0; m_turn.load(std::memory_order_acquire) == turn; ++spins)
            if (spins > kSpins)
                std::this_thread::yield();
    }

private:
    static constexpr unsigned kSpins = 20000;
    const unsigned m_threads;
    std::atomic<unsigned> m_arrived{0}, m_turn{0};
};

void axpyPart(unsigned thread, unsigned threads, float a, std::span<const float> x, std::span<float> y)
{
    const Part part = partOf(x.size(), thread, threads);
    loops().triad(y.data() + part.begin, y.data() + part.begin, x.data() + part.begin, a, part.size());
}

constexpr std::size_t kFirstCacheFloats = 4096;   // a packed panel of B: 16 KiB of the first cache
constexpr std::size_t kSecondCacheFloats = 32768; // a packed block of A: 128 KiB of the second
constexpr std::size_t kColumns = 2048;            // of B that are packed at once

/// The sizes that follow from the width of the vectors. A tile of C is `rows` × `width`.
struct Blocking {
    std::size_t rows, width, depth, block;
    Blocking()
    {
        const Loops& loop = loops();
        rows = loop.tileRows;
        width = 2 * loop.vectorBytes / sizeof(float);
        depth = kFirstCacheFloats / width;
        block = kSecondCacheFloats / depth;
    }
};

/// One multiplication, carried out by all threads at once: they pack B together and compute rows of their own.
class Multiplication {
public:
    Multiplication(const Sgemm& matrices, unsigned threads, std::span<float> packedB, std::vector<Pages>& packedA)
        : m_(matrices), m_threads(threads), m_packedB(packedB), m_packedA(packedA), m_barrier(threads)
    {
    }

    void run(unsigned thread)
    {
        const std::size_t tiles = m_.n / m_size.rows;
        const std::size_t first = tiles * thread / m_threads * m_size.rows;
        const std::size_t last = tiles * (thread + 1) / m_threads * m_size.rows;
        for (std::size_t column = 0; column < m_.n; column += kColumns)
            for (std::size_t k = 0; k < m_.n; k += m_size.depth) {
                const std::size_t columns = std::min(kColumns, m_.n - column);
                const std::size_t depth = std::min(m_size.depth, m_.n - k);
                for (std::size_t panel = thread; panel < columns / m_size.width; panel += m_threads)
                    packB(panel, column, k, depth);
                m_barrier.wait();
                for (std::size_t row = first; row < last; row += m_size.block)
                    block(thread, {row, std::min(row + m_size.block, last)}, column, columns, k, depth);
                m_barrier.wait(); // nobody needs this B any more
            }
    }

private:
    void packB(std::size_t panel, std::size_t column, std::size_t k, std::size_t depth)
    {
        float* to = m_packedB.data() + panel * m_size.width * m_size.depth;
        const float* from = m_.b + k * m_.n + column + panel * m_size.width;
        for (std::size_t step = 0; step < depth; ++step)
            std::memcpy(to + step * m_size.width, from + step * m_.n, m_size.width * sizeof(float));
    }

    void packA(float* to, Part rows, std::size_t k, std::size_t depth) const
    {
        for (std::size_t row = rows.begin; row < rows.end; row += m_size.rows)
            for (std::size_t step = 0; step < depth; ++step)
                for (std::size_t r = 0; r < m_size.rows; ++r)
                    *to++ = m_.a[(row + r) * m_.n + k + step];
    }

    void block(unsigned thread, Part rows, std::size_t column, std::size_t columns, std::size_t k, std::size_t depth)
    {
        float* const packed = m_packedA[thread].floats().data();
        packA(packed, rows, k, depth);
        for (std::size_t panel = 0; panel < columns / m_size.width; ++panel)
            for (std::size_t row = rows.begin; row < rows.end; row += m_size.rows)
                loops().sgemmTile(packed + (row - rows.begin) * depth,
                                  m_packedB.data() + panel * m_size.width * m_size.depth, depth,
                                  m_.c + row * m_.n + column + panel * m_size.width, m_.n, k > 0);
    }

    const Sgemm m_;
    const unsigned m_threads;
    std::span<float> m_packedB;
    std::vector<Pages>& m_packedA;
    Barrier m_barrier;
    Blocking m_size;
};

} // namespace

void axpy(Team& team, float a, std::span<const float> x, std::span<float> y)
{
    team.run([&](unsigned thread) { axpyPart(thread, team.size(), a, x, y); });
}

Result<Timing> timeAxpy(Team& team, float a, std::span<const float> x, std::span<float> y, const Sampling& how)
{
    Barrier barrier(team.size());
    return timePasses(team, how, [&](unsigned thread, std::uint64_t passes) {
        for (std::uint64_t pass = 0; pass < passes; ++pass) {
            axpyPart(thread, team.size(), pass % 2 ? -a : a, x, y);
            barrier.wait();
        }
    });
}

Result<Timing> timeSgemm(Team& team, const Sgemm& matrices, const Sampling& how)
{
    if (matrices.n == 0 || matrices.n % 64 != 0)
        return Error{"bad-value", "the order of the matrices must be a multiple of 64", "sgemm on a processor",
                     "take 64, 128, 256 …"};
    const Blocking size;
    auto packedB = Pages::allocate(std::min(kColumns, matrices.n) * size.depth * sizeof(float));
    if (!packedB)
        return packedB.error();
    std::vector<Pages> packedA;
    for (unsigned thread = 0; thread < team.size(); ++thread) {
        auto pages = Pages::allocate(size.block * size.depth * sizeof(float));
        if (!pages)
            return pages.error();
        packedA.push_back(std::move(*pages));
    }
    Multiplication multiplication(matrices, team.size(), packedB->floats(), packedA);
    return timePasses(team, how, [&](unsigned thread, std::uint64_t passes) {
        for (; passes > 0; --passes)
            multiplication.run(thread);
    });
}

} // namespace ridge::host
