// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/dense.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ridge::memory {
namespace {

constexpr std::size_t kDepth = 256; // of B that is packed at once: 32 KiB a panel of 32 columns
constexpr std::size_t kColumns = 2048;
constexpr std::size_t kRows = 128; // of A that meet all panels: 128 KiB of the second cache
constexpr std::size_t kFewRows = 16;
constexpr std::size_t kFactor = 128; // columns of U that are found together

/// Columns of op(B), in panels as wide as a tile, filled up with 0.
void pack(const Matrix& b, Transposed transposed, float sign, std::size_t k, std::size_t depth, std::size_t column,
          std::size_t columns, std::size_t width, std::vector<float>& packed)
{
    const std::size_t panels = (columns + width - 1) / width;
    packed.assign(panels * width * depth, 0.0f);
    for (std::size_t panel = 0; panel < panels; ++panel) {
        const std::size_t first = column + panel * width, here = std::min(width, column + columns - first);
        float* to = packed.data() + panel * width * depth;
        if (transposed == Transposed::Yes) {
            for (std::size_t j = 0; j < here; ++j)
                for (std::size_t i = 0; i < depth; ++i)
                    to[i * width + j] = sign * b.at[(first + j) * b.apart + k + i];
        } else {
            for (std::size_t i = 0; i < depth; ++i)
                for (std::size_t j = 0; j < here; ++j)
                    to[i * width + j] = sign * b.at[(k + i) * b.apart + first + j];
        }
    }
}

/// A tile at the edge, by way of a whole one.
void edgeTile(const dense::Loops& loop, const float* a, std::size_t aApart, std::size_t rows, const float* b,
              std::size_t depth, float* c, std::size_t cApart, std::size_t columns)
{
    std::vector<float> whole(loop.rows * depth + loop.rows * loop.columns, 0.0f);
    float* out = whole.data() + loop.rows * depth;
    for (std::size_t r = 0; r < rows; ++r) {
        std::copy_n(a + r * aApart, depth, whole.data() + r * depth);
        std::copy_n(c + r * cApart, columns, out + r * loop.columns);
    }
    loop.tile(whole.data(), depth, b, depth, out, loop.columns);
    for (std::size_t r = 0; r < rows; ++r)
        std::copy_n(out + r * loop.columns, columns, c + r * cApart);
}

} // namespace

const dense::Loops& dense::loops()
{
#ifdef RIDGE_DENSE_AVX
    static const bool avx2 = __builtin_cpu_supports("avx2") != 0;
    static const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") != 0;
    return avx512 ? kAvx512 : avx2 ? kAvx2 : kBaseline;
#else
    return kBaseline;
#endif
}

void addProduct(const Matrix& a, const Matrix& b, Transposed transposed, float* c, std::size_t apart, float sign)
{
    const dense::Loops& loop = dense::loops();
    const std::size_t all = transposed == Transposed::Yes ? b.rows : b.columns;
    if (transposed == Transposed::No &&
        a.rows < kFewRows) { // packing would take longer; the terms and their order stay
        for (std::size_t k = 0; k < a.columns; ++k)
            for (std::size_t row = 0; row < a.rows; ++row)
                loop.axpy(c + row * apart, b.at + k * b.apart, sign * a.at[row * a.apart + k], all);
        return;
    }
    std::vector<float> packed;
    for (std::size_t column = 0; column < all; column += kColumns)
        for (std::size_t k = 0; k < a.columns; k += kDepth) {
            const std::size_t columns = std::min(kColumns, all - column), depth = std::min(kDepth, a.columns - k);
            pack(b, transposed, sign, k, depth, column, columns, loop.columns, packed);
            for (std::size_t block = 0; block < a.rows; block += kRows)
                for (std::size_t j = 0; j < columns; j += loop.columns) {
                    const float* panel = packed.data() + j * depth;
                    const std::size_t width = std::min(loop.columns, columns - j);
                    for (std::size_t row = block; row < std::min(block + kRows, a.rows); row += loop.rows) {
                        const std::size_t rows = std::min(loop.rows, a.rows - row);
                        const float* from = a.at + row * a.apart + k;
                        float* to = c + row * apart + column + j;
                        if (rows == loop.rows && width == loop.columns)
                            loop.tile(from, a.apart, panel, depth, to, apart);
                        else
                            edgeTile(loop, from, a.apart, rows, panel, depth, to, apart, width);
                    }
                }
        }
}

bool factorUpper(std::span<float> h, std::size_t n)
{
    // From the last columns to the first: U[i][j] (i <= j) needs those right of it.
    const dense::Loops& loop = dense::loops();
    std::vector<float> rows; // of the block's triangle, column by column
    for (std::size_t end = n; end > 0;) {
        const std::size_t first = end > kFactor ? end - kFactor : 0, width = end - first;
        // H[0..end, first..end] -= U[0..end, end..n] U[first..end, end..n]^T
        const Matrix right{h.data() + end, end, n - end, n};
        const Matrix own{h.data() + first * n + end, width, n - end, n};
        if (end < n)
            addProduct(right, own, Transposed::Yes, h.data() + first, n, -1);
        rows.assign(width * width, 0.0f);
        for (std::size_t j = end; j-- > first;) { // the triangle
            double left = h[j * n + j];
            for (std::size_t k = j + 1; k < end; ++k)
                left -= double{h[j * n + k]} * h[j * n + k];
            if (!(left > 0) || !std::isfinite(left))
                return false;
            const auto diagonal = static_cast<float>(std::sqrt(left));
            h[j * n + j] = diagonal;
            for (std::size_t i = first; i < j; ++i) {
                double sum = h[i * n + j];
                for (std::size_t k = j + 1; k < end; ++k)
                    sum -= double{h[i * n + k]} * h[j * n + k];
                h[i * n + j] = static_cast<float>(sum / diagonal);
            }
            for (std::size_t i = first; i < j; ++i)
                rows[(j - first) * width + (i - first)] = h[i * n + j];
        }
        for (std::size_t i = 0; i < first; ++i) { // x U^T = what is left, from its last element
            float* x = h.data() + i * n + first;
            for (std::size_t j = width; j-- > 0;) {
                x[j] /= h[(first + j) * n + first + j];
                // Element k < j loses x[j] U[k][j].
                loop.axpy(x, rows.data() + j * width, -x[j], j);
            }
        }
        end = first;
    }
    for (std::size_t i = 1; i < n; ++i)
        std::fill_n(h.begin() + static_cast<std::ptrdiff_t>(i * n), i, 0.0f);
    return true;
}

} // namespace ridge::memory
