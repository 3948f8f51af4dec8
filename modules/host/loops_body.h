// SPDX-License-Identifier: GPL-3.0-or-later
// The loops for one width of vectors; each loops_*.cpp compiles them with options of its own. RIDGE_LOOPS names the
// table, RIDGE_LOOPS_NAME the width for people, RIDGE_VECTOR_BYTES the width. Nothing here may call an inline function
// of a library: the linker could keep this build's copy for a processor that cannot execute it.
#include "host/vector_loops.h"

namespace ridge::host {
namespace {

// Aligned as their elements only, and allowed to alias them.
typedef float Floats __attribute__((vector_size(RIDGE_VECTOR_BYTES), aligned(4), may_alias));
typedef double Doubles __attribute__((vector_size(RIDGE_VECTOR_BYTES), aligned(8), may_alias));
typedef std::uint32_t Words __attribute__((vector_size(RIDGE_VECTOR_BYTES), aligned(4), may_alias));
typedef std::uint64_t Longs __attribute__((vector_size(RIDGE_VECTOR_BYTES), aligned(8), may_alias));
typedef std::uint32_t Word __attribute__((may_alias));

constexpr std::size_t kLanes = RIDGE_VECTOR_BYTES / sizeof(float);
constexpr std::size_t kUnroll = 4;
constexpr std::size_t kStep = kLanes * kUnroll;
constexpr unsigned kChains = 12; // 2 units × 4 cycles of latency need 8; 16 registers hold no more beside m and a

// Keeps a compiler from making a library call of the loop, whose stores may go around the caches.
inline void asWritten()
{
    asm volatile("" ::: "memory");
}

void copy(float* c, const float* a, std::size_t n)
{
    std::size_t i = 0;
    for (; i + kStep <= n; i += kStep) {
        for (std::size_t k = 0; k < kUnroll; ++k)
            *reinterpret_cast<Floats*>(c + i + k * kLanes) = *reinterpret_cast<const Floats*>(a + i + k * kLanes);
        asWritten();
    }
    for (; i < n; ++i)
        c[i] = a[i];
}

void scale(float* c, const float* a, float s, std::size_t n)
{
    std::size_t i = 0;
    for (; i + kStep <= n; i += kStep)
        for (std::size_t k = 0; k < kUnroll; ++k)
            *reinterpret_cast<Floats*>(c + i + k * kLanes) = s * *reinterpret_cast<const Floats*>(a + i + k * kLanes);
    for (; i < n; ++i)
        c[i] = s * a[i];
}

void add(float* c, const float* a, const float* b, std::size_t n)
{
    std::size_t i = 0;
    for (; i + kStep <= n; i += kStep)
        for (std::size_t k = 0; k < kUnroll; ++k)
            *reinterpret_cast<Floats*>(c + i + k * kLanes) = *reinterpret_cast<const Floats*>(a + i + k * kLanes) +
                                                             *reinterpret_cast<const Floats*>(b + i + k * kLanes);
    for (; i < n; ++i)
        c[i] = a[i] + b[i];
}

void triad(float* c, const float* a, const float* b, float s, std::size_t n)
{
    std::size_t i = 0;
    for (; i + kStep <= n; i += kStep)
        for (std::size_t k = 0; k < kUnroll; ++k)
            *reinterpret_cast<Floats*>(c + i + k * kLanes) = *reinterpret_cast<const Floats*>(a + i + k * kLanes) +
                                                             s * *reinterpret_cast<const Floats*>(b + i + k * kLanes);
    for (; i < n; ++i)
        c[i] = a[i] + s * b[i];
}

void write(float* c, float s, std::size_t n)
{
    const Floats value = s - Floats{};
    std::size_t i = 0;
    for (; i + kStep <= n; i += kStep) {
        for (std::size_t k = 0; k < kUnroll; ++k)
            *reinterpret_cast<Floats*>(c + i + k * kLanes) = value;
        asWritten();
    }
    for (; i < n; ++i)
        c[i] = s;
}

std::uint32_t read(const float* a, std::size_t n)
{
    Words sums[kUnroll] = {};
    std::size_t i = 0;
    for (; i + kStep <= n; i += kStep)
        for (std::size_t k = 0; k < kUnroll; ++k)
            sums[k] += *reinterpret_cast<const Words*>(a + i + k * kLanes);
    std::uint32_t sum = 0;
    for (std::size_t k = 0; k < kUnroll; ++k)
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            sum += sums[k][lane];
    for (; i < n; ++i)
        sum += *reinterpret_cast<const Word*>(a + i);
    return sum;
}

double dot(const float* a, const float* b, std::size_t n)
{
    Floats sums[kUnroll] = {};
    std::size_t i = 0;
    for (; i + kStep <= n; i += kStep)
        for (std::size_t k = 0; k < kUnroll; ++k)
            sums[k] += *reinterpret_cast<const Floats*>(a + i + k * kLanes) *
                       *reinterpret_cast<const Floats*>(b + i + k * kLanes);
    double sum = 0;
    for (std::size_t k = 0; k < kUnroll; ++k)
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            sum += static_cast<double>(sums[k][lane]);
    for (; i < n; ++i)
        sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
}

// The compiler must believe that the factors may change, or it would move work out of the loop.
template<class V, class T>
double fma(std::uint64_t iterations, T m, T a)
{
    const V vm = m - V{}, va = a - V{};
    V x[kChains] = {};
    for (unsigned chain = 0; chain < kChains; ++chain)
        asm volatile("" : "+m"(x[chain])); // chains that begin alike are one chain to a compiler
    for (std::uint64_t i = 0; i < iterations; ++i)
#pragma GCC unroll 12
        for (unsigned chain = 0; chain < kChains; ++chain)
            x[chain] = vm * x[chain] + va;
    double sum = 0;
    for (unsigned chain = 0; chain < kChains; ++chain)
        for (std::size_t lane = 0; lane < sizeof(V) / sizeof(T); ++lane)
            sum += static_cast<double>(x[chain][lane]);
    return sum;
}

double fma32(std::uint64_t iterations, float m, float a)
{
    return fma<Floats, float>(iterations, m, a);
}

double fma64(std::uint64_t iterations, double m, double a)
{
    return fma<Doubles, double>(iterations, m, a);
}

// Eight vectors by name, which stay in registers whatever a compiler unrolls.
template<class V>
struct Eight {
    V x0, x1, x2, x3, x4, x5, x6, x7;
};

// `Some`: fewer than 8 of them are worked on.
template<unsigned Some, class V>
inline void step(Eight<V>& e, V m, V c)
{
    if (Some > 0)
        e.x0 = m * e.x0 + c;
    if (Some > 1)
        e.x1 = m * e.x1 + c;
    if (Some > 2) {
        e.x2 = m * e.x2 + c;
        e.x3 = m * e.x3 + c;
    }
    if (Some > 4) {
        e.x4 = m * e.x4 + c;
        e.x5 = m * e.x5 + c;
        e.x6 = m * e.x6 + c;
        e.x7 = m * e.x7 + c;
    }
}

// `Some`: fewer than 16 vectors of a group are worked on; 0: all of them, `turns` times.
template<unsigned Some, class V, class Bits, class T>
auto mixGroups(const T* a, std::size_t n, unsigned turns, T m, T c)
{
    constexpr std::size_t lanes = sizeof(V) / sizeof(T);
    const V vm = m - V{}, vc = c - V{};
    Bits even = {}, odd = {};
    for (std::size_t i = 0; i < n; i += 8 * lanes) { // 2 units × 4 cycles need 8, and 16 registers hold no more
        const V* at = reinterpret_cast<const V*>(a + i);
        Eight<V> e{at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7]};
        if (Some == 0)
            for (unsigned turn = 0; turn < turns; ++turn)
                step<8>(e, vm, vc);
        else if (i / (8 * lanes) % 2 == 0)
            step<Some>(e, vm, vc);
        even += (Bits)e.x0 + (Bits)e.x2 + (Bits)e.x4 + (Bits)e.x6; // the same bits, as of vectors of one size
        odd += (Bits)e.x1 + (Bits)e.x3 + (Bits)e.x5 + (Bits)e.x7;
    }
    even += odd;
    auto sum = even[0] - even[0];
    for (std::size_t lane = 0; lane < lanes; ++lane)
        sum += even[lane];
    return sum;
}

template<class V, class Bits, class T>
auto mix(const T* a, std::size_t n, unsigned work, T m, T c)
{
    switch (work) {
    case 1:
        return mixGroups<1, V, Bits>(a, n, 0, m, c);
    case 2:
        return mixGroups<2, V, Bits>(a, n, 0, m, c);
    case 4:
        return mixGroups<4, V, Bits>(a, n, 0, m, c);
    case 8:
        return mixGroups<8, V, Bits>(a, n, 0, m, c);
    default:
        return mixGroups<0, V, Bits>(a, n, work / 16, m, c);
    }
}

std::uint32_t mix32(const float* a, std::size_t n, unsigned work, float m, float c)
{
    return mix<Floats, Words>(a, n, work, m, c);
}

std::uint64_t mix64(const double* a, std::size_t n, unsigned work, double m, double c)
{
    return mix<Doubles, Longs>(a, n, work, m, c);
}

// Sums that stay in registers: 16 vectors of 32, or 8 of 16, and enough of them to keep two units of 4 cycles busy.
constexpr unsigned kTileRows = RIDGE_VECTOR_BYTES == 64 ? 8 : 4;

void sgemmTile(const float* a, const float* b, std::size_t k, float* c, std::size_t apart, bool add)
{
    Floats left[kTileRows] = {}, right[kTileRows] = {};
    for (; k > 0; --k, a += kTileRows, b += 2 * kLanes) {
        const Floats b0 = *reinterpret_cast<const Floats*>(b), b1 = *reinterpret_cast<const Floats*>(b + kLanes);
#pragma GCC unroll 8
        for (unsigned row = 0; row < kTileRows; ++row) {
            const Floats value = a[row] - Floats{};
            left[row] += value * b0;
            right[row] += value * b1;
        }
    }
#pragma GCC unroll 8
    for (unsigned row = 0; row < kTileRows; ++row, c += apart) {
        Floats* const at0 = reinterpret_cast<Floats*>(c);
        Floats* const at1 = reinterpret_cast<Floats*>(c + kLanes);
        *at0 = add ? *at0 + left[row] : left[row];
        *at1 = add ? *at1 + right[row] : right[row];
    }
}

} // namespace

const Loops RIDGE_LOOPS = {RIDGE_LOOPS_NAME,
                           RIDGE_VECTOR_BYTES,
                           kChains,
                           copy,
                           scale,
                           add,
                           triad,
                           write,
                           read,
                           dot,
                           fma32,
                           fma64,
                           mix32,
                           mix64,
                           sgemmTile,
                           kTileRows};

} // namespace ridge::host
