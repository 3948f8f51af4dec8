// SPDX-License-Identifier: GPL-3.0-or-later
// Products of matrices of floats on one core, the same bits whatever the width of its vectors.
#pragma once

#include <cstddef>
#include <span>

namespace ridge::memory {

/// Rows that lie `apart` floats apart.
struct Matrix {
    const float* at = nullptr;
    std::size_t rows = 0, columns = 0, apart = 0;
};

enum class Transposed : bool { No, Yes };

/// C += A B, or A B^T, or with `sign` -1 C -= …; C has A's rows, `apart` floats apart. Each element adds its terms one
/// by one in their order, rounded after product and sum, so that the result does not depend on the processor.
void addProduct(const Matrix& a, const Matrix& b, Transposed transposed, float* c, std::size_t apart, float sign = 1);

/// The upper U with U U^T = H, a symmetric positive definite n x n matrix that it takes the place of (what is below the
/// diagonal becomes 0). False: it is not positive definite as floats go.
bool factorUpper(std::span<float> h, std::size_t n);

namespace dense {

/// The inner loops, built once for each width of vectors.
struct Loops {
    std::size_t rows, columns; ///< of a tile
    /// Adds to a tile of C: `a` has rows `aApart` apart, `b` is packed, k x columns.
    void (*tile)(const float* a, std::size_t aApart, const float* b, std::size_t k, float* c, std::size_t cApart);
    void (*axpy)(float* y, const float* x, float s, std::size_t n); ///< y += s x, rounded twice
};
extern const Loops kBaseline, kAvx2, kAvx512;
/// The widest that this processor executes.
const Loops& loops();

} // namespace dense
} // namespace ridge::memory
