// SPDX-License-Identifier: GPL-3.0-or-later
// The loops for one width of vectors; each loops_*.cpp compiles them with options of its own. RIDGE_LOOPS names the
// table, RIDGE_LOOPS_NAME the width for people, RIDGE_VECTOR_BYTES the width. Nothing here may call an inline function
// of a library: the linker could keep this build's copy for a processor that cannot execute it.
#include "host/loops.h"

namespace ridge::host {
namespace {

// Aligned as their elements only, and allowed to alias them.
typedef float Floats __attribute__((vector_size(RIDGE_VECTOR_BYTES), aligned(4), may_alias));
typedef double Doubles __attribute__((vector_size(RIDGE_VECTOR_BYTES), aligned(8), may_alias));
typedef std::uint32_t Words __attribute__((vector_size(RIDGE_VECTOR_BYTES), aligned(4), may_alias));
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

} // namespace

const Loops RIDGE_LOOPS = {
    RIDGE_LOOPS_NAME, RIDGE_VECTOR_BYTES, kChains, copy, scale, add, triad, write, read, dot, fma32, fma64};

} // namespace ridge::host
