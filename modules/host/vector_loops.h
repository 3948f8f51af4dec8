// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

namespace ridge::host {

/// The inner loops of the measurements, built once for each width of vectors. Arrays need the alignment of floats.
struct Loops {
    const char* name;     ///< "AVX-512", "AVX2", "baseline"
    unsigned vectorBytes; ///< 64, 32, 16
    unsigned chains;      ///< independent accumulators of the two fma loops, a vector each

    void (*copy)(float* c, const float* a, std::size_t n);
    void (*scale)(float* c, const float* a, float s, std::size_t n);
    void (*add)(float* c, const float* a, const float* b, std::size_t n);
    void (*triad)(float* c, const float* a, const float* b, float s, std::size_t n); ///< c = a + s·b
    void (*write)(float* c, float s, std::size_t n);
    std::uint32_t (*read)(const float* a, std::size_t n); ///< sum of the words, modulo 2^32
    double (*dot)(const float* a, const float* b, std::size_t n);
    /// x = m·x + a, `iterations` times in each lane of each chain from x = 0; the sum of all x at the end.
    double (*fma32)(std::uint64_t iterations, float m, float a);
    double (*fma64)(std::uint64_t iterations, double m, double a);
    /// Reads n elements, a multiple of 16 vectors and aligned as vectors, and works on 16 vectors at a time: x = m·x +
    /// c `work` / 16 times on each, or once on the first `work` of them. `work` is a power of two. The sum of the
    /// results' bits.
    std::uint32_t (*mix32)(const float* a, std::size_t n, unsigned work, float m, float c);
    std::uint64_t (*mix64)(const double* a, std::size_t n, unsigned work, double m, double c);
    /// A tile of C, `tileRows` rows of two vectors that lie `apart` elements apart: the product of a (k × tileRows) and
    /// b (k × two vectors), both packed, written to it or added to it.
    void (*sgemmTile)(const float* a, const float* b, std::size_t k, float* c, std::size_t apart, bool add);
    unsigned tileRows; ///< 8, 4, 4: divides 64
};

extern const Loops kBaselineLoops, kAvx2Loops, kAvx512Loops;

/// The widest that this processor executes.
const Loops& loops();

/// Follows pointers `steps` times, one load after the other.
void* const* chase(void* const* from, std::uint64_t steps);

} // namespace ridge::host
