// SPDX-License-Identifier: GPL-3.0-or-later
// Included once by a source for each width of vectors, with RIDGE_DENSE (the name) and RIDGE_DENSE_BYTES defined. No
// function here has external linkage: a copy with wide vectors must not serve as another's.
#include "memory/dense.h"

#include <cstring>

namespace ridge::memory::dense {
namespace {

constexpr std::size_t kLanes = RIDGE_DENSE_BYTES / sizeof(float);
constexpr std::size_t kTileRows = RIDGE_DENSE_BYTES == 64 ? 8 : 4, kTileColumns = 2 * kLanes;

typedef float Vector __attribute__((vector_size(RIDGE_DENSE_BYTES)));

inline Vector load(const float* at)
{
    Vector v;
    std::memcpy(&v, at, sizeof v);
    return v;
}

inline void store(float* at, Vector v)
{
    std::memcpy(at, &v, sizeof v);
}

void tile(const float* a, std::size_t aApart, const float* b, std::size_t k, float* c, std::size_t cApart)
{
    Vector sums[kTileRows][2];
    for (std::size_t r = 0; r < kTileRows; ++r)
        for (std::size_t v = 0; v < 2; ++v)
            sums[r][v] = load(c + r * cApart + v * kLanes);
    for (std::size_t i = 0; i < k; ++i) {
        const Vector b0 = load(b + i * kTileColumns), b1 = load(b + i * kTileColumns + kLanes);
        for (std::size_t r = 0; r < kTileRows; ++r) {
            const Vector x = a[r * aApart + i] - Vector{};
            sums[r][0] += x * b0;
            sums[r][1] += x * b1;
        }
    }
    for (std::size_t r = 0; r < kTileRows; ++r)
        for (std::size_t v = 0; v < 2; ++v)
            store(c + r * cApart + v * kLanes, sums[r][v]);
}

void axpy(float* y, const float* x, float s, std::size_t n)
{
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        store(y + i, load(y + i) + s * load(x + i));
    for (; i < n; ++i)
        y[i] += s * x[i];
}

} // namespace

const Loops RIDGE_DENSE = {kTileRows, kTileColumns, tile, axpy};

} // namespace ridge::memory::dense
