// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/loops_native.h"

#include "base/seed.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace ridge::memory {
namespace {

constexpr std::uint64_t kPage = 4096;

std::uint64_t pages(std::uint64_t bytes)
{
    return (bytes + kPage - 1) / kPage * kPage;
}

bool isMatrix(Loop loop)
{
    return loop >= Loop::TransposeRows;
}

std::size_t arraysOf(Loop loop)
{
    return loop >= Loop::MatmulIjk || loop == Loop::Stream ? 3 : isMatrix(loop) ? 2 : 1;
}

std::uint64_t bytesOfArray(const LoopSpec& spec)
{
    const std::uint64_t row = std::uint64_t{spec.n + std::uint64_t{spec.pad}} * spec.element;
    return pages(isMatrix(spec.loop) ? row * spec.n : std::uint64_t{spec.n} * spec.element);
}

/// 0 or 1, without a pattern.
unsigned bit(std::uint64_t i)
{
    return static_cast<unsigned>((i * 0x9e3779b97f4a7c15ULL) >> 63);
}

template<class T>
void transpose(const T* a, T* b, std::size_t row, std::size_t i0, std::size_t i1, std::size_t j0, std::size_t j1)
{
    for (std::size_t i = i0; i < i1; ++i)
        for (std::size_t j = j0; j < j1; ++j)
            b[j * row + i] = a[i * row + j];
}

template<class T>
void transposeByColumns(const T* a, T* b, std::size_t row, std::size_t n)
{
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t i = 0; i < n; ++i)
            b[j * row + i] = a[i * row + j];
}

template<class T>
struct Operands {
    const T* a;
    const T* b;
    T* c;
    std::size_t row;
};

/// Six orders of the same three loops. What the innermost one does not change is in a register.
template<class T>
void innerK(const Operands<T>& m, std::size_t i, std::size_t j, std::size_t n)
{
    T sum = m.c[i * m.row + j];
    for (std::size_t k = 0; k < n; ++k)
        sum += m.a[i * m.row + k] * m.b[k * m.row + j];
    m.c[i * m.row + j] = sum;
}

template<class T>
void innerJ(const Operands<T>& m, std::size_t i, std::size_t k, std::size_t j0, std::size_t j1)
{
    const T x = m.a[i * m.row + k];
    for (std::size_t j = j0; j < j1; ++j)
        m.c[i * m.row + j] += x * m.b[k * m.row + j];
}

template<class T>
void innerI(const Operands<T>& m, std::size_t j, std::size_t k, std::size_t n)
{
    const T x = m.b[k * m.row + j];
    for (std::size_t i = 0; i < n; ++i)
        m.c[i * m.row + j] += m.a[i * m.row + k] * x;
}

template<class T>
void product(Loop loop, const Operands<T>& m, std::size_t n, std::size_t tile)
{
    const auto both = [n](const auto& inner) {
        for (std::size_t x = 0; x < n; ++x)
            for (std::size_t y = 0; y < n; ++y)
                inner(x, y);
    };
    switch (loop) {
    case Loop::MatmulIjk:
        return both([&](std::size_t i, std::size_t j) { innerK(m, i, j, n); });
    case Loop::MatmulJik:
        return both([&](std::size_t j, std::size_t i) { innerK(m, i, j, n); });
    case Loop::MatmulIkj:
        return both([&](std::size_t i, std::size_t k) { innerJ(m, i, k, 0, n); });
    case Loop::MatmulKij:
        return both([&](std::size_t k, std::size_t i) { innerJ(m, i, k, 0, n); });
    case Loop::MatmulJki:
        return both([&](std::size_t j, std::size_t k) { innerI(m, j, k, n); });
    case Loop::MatmulKji:
        return both([&](std::size_t k, std::size_t j) { innerI(m, j, k, n); });
    default:
        for (std::size_t i0 = 0; i0 < n; i0 += tile)
            for (std::size_t k0 = 0; k0 < n; k0 += tile)
                for (std::size_t j0 = 0; j0 < n; j0 += tile)
                    for (std::size_t i = i0; i < std::min(n, i0 + tile); ++i)
                        for (std::size_t k = k0; k < std::min(n, k0 + tile); ++k)
                            innerJ(m, i, k, j0, std::min(n, j0 + tile));
    }
}

} // namespace

void NativeLoop::Free::operator()(void* at) const
{
    std::free(at);
}

Result<NativeLoop> NativeLoop::make(const LoopSpec& spec)
{
    NativeLoop made;
    made.m_spec = spec;
    made.m_bytes = bytesOfArray(spec) * arraysOf(spec.loop);
    made.m_memory.reset(std::aligned_alloc(kPage, made.m_bytes));
    if (!made.m_memory)
        return Error{"out-of-memory", "the arrays take " + std::to_string(made.m_bytes) + " bytes", "loop",
                     "take a smaller n"};
    const std::uint64_t elements = made.m_bytes / spec.element;
    for (std::uint64_t i = 0; i < elements; ++i)
        if (spec.element == 4)
            static_cast<float*>(made.m_memory.get())[i] = static_cast<float>(bit(i));
        else
            static_cast<double*>(made.m_memory.get())[i] = bit(i);
    return made;
}

template<class T>
T* NativeLoop::at(std::uint64_t array) const
{
    return reinterpret_cast<T*>(static_cast<std::byte*>(m_memory.get()) + array * bytesOfArray(m_spec));
}

template<class T>
double NativeLoop::passOf()
{
    const std::size_t n = m_spec.n, row = n + m_spec.pad;
    T* const a = at<T>(0);
    switch (m_spec.loop) {
    case Loop::Stream: {
        const T* const b = at<T>(1);
        T* const c = at<T>(2);
        for (std::size_t i = 0; i < n; ++i)
            c[i] = a[i] + b[i];
        return 0;
    }
    case Loop::Strided: {
        T sum = 0;
        const std::size_t step = m_spec.stride % n;
        std::size_t place = 0;
        for (std::size_t i = 0; i < n; ++i) {
            sum += a[place];
            place += step;
            if (place >= n)
                place -= n;
        }
        return static_cast<double>(sum);
    }
    case Loop::Random: {
        T sum = 0;
        Rng rng(m_spec.seed);
        for (std::size_t i = 0; i < n; ++i)
            sum += a[rng.next() % n];
        return static_cast<double>(sum);
    }
    case Loop::TransposeRows:
        transpose(a, at<T>(1), row, 0, n, 0, n);
        return 0;
    case Loop::TransposeColumns:
        transposeByColumns(a, at<T>(1), row, n);
        return 0;
    case Loop::TransposeTiled:
        for (std::size_t i = 0; i < n; i += m_spec.tile)
            for (std::size_t j = 0; j < n; j += m_spec.tile)
                transpose(a, at<T>(1), row, i, std::min<std::size_t>(n, i + m_spec.tile), j,
                          std::min<std::size_t>(n, j + m_spec.tile));
        return 0;
    default:
        product(m_spec.loop, Operands<T>{a, at<T>(1), at<T>(2), row}, n, m_spec.tile);
        return 0;
    }
}

double NativeLoop::pass()
{
    return m_spec.element == 4 ? passOf<float>() : passOf<double>();
}

template<class T>
bool NativeLoop::rightOf()
{
    const std::size_t n = m_spec.n, row = n + m_spec.pad;
    const T* const a = at<T>(0);
    if (arraysOf(m_spec.loop) > 1) // what is written
        std::memset(at<T>(arraysOf(m_spec.loop) - 1), 0, bytesOfArray(m_spec));
    const double sum = passOf<T>();
    if (m_spec.loop == Loop::Stream) {
        for (std::size_t i = 0; i < n; ++i)
            if (at<T>(2)[i] != a[i] + at<T>(1)[i])
                return false;
        return true;
    }
    if (m_spec.loop == Loop::Strided || m_spec.loop == Loop::Random) {
        double wanted = 0;
        Rng rng(m_spec.seed);
        for (std::uint64_t i = 0; i < n; ++i)
            wanted += static_cast<double>(a[m_spec.loop == Loop::Strided ? i * m_spec.stride % n : rng.next() % n]);
        return sum == wanted;
    }
    if (m_spec.loop <= Loop::TransposeTiled) {
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                if (at<T>(1)[j * row + i] != a[i * row + j])
                    return false;
        return true;
    }
    // c x = a (b x); a wrong element goes unseen with a chance of 1 in 8 a row.
    const auto times = [&](const T* matrix, const std::vector<double>& x) {
        std::vector<double> y(n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                y[i] += static_cast<double>(matrix[i * row + j]) * x[j];
        return y;
    };
    Rng rng(m_spec.seed);
    std::vector<double> x(n);
    for (double& each : x)
        each = 1 + static_cast<double>(rng.next() % 8);
    return times(at<T>(2), x) == times(a, times(at<T>(1), x));
}

bool NativeLoop::right()
{
    return m_spec.element == 4 ? rightOf<float>() : rightOf<double>();
}

} // namespace ridge::memory
