// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/harness/small_formats.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

/// Norms of the stand-ins: rows of bf16 without gaps.
namespace fake {

struct NormBuffers {
    const std::uint8_t* x = nullptr;
    const std::uint8_t* scale = nullptr;
    const std::uint8_t* bias = nullptr; ///< LayerNorm alone
    std::uint8_t* y = nullptr;
};

inline double bf16At(const std::uint8_t* from, std::uint64_t index)
{
    std::uint16_t bits = 0;
    std::memcpy(&bits, from + 2 * index, 2);
    return ridge::labs::valueOf(ridge::labs::kBf16, bits);
}

/// `wrong`: the last element is.
inline void normalise(const NormBuffers& at, std::uint64_t rows, std::uint64_t columns, double epsilon, bool wrong)
{
    const bool layer = at.bias != nullptr;
    std::vector<double> row(columns);
    for (std::uint64_t r = 0; r < rows; ++r) {
        double sum = 0, squares = 0;
        for (std::uint64_t c = 0; c < columns; ++c)
            sum += row[c] = bf16At(at.x, r * columns + c);
        const double mean = layer ? sum / static_cast<double>(columns) : 0;
        for (const double x : row)
            squares += (x - mean) * (x - mean);
        const double scale = 1 / std::sqrt(squares / static_cast<double>(columns) + epsilon);
        for (std::uint64_t c = 0; c < columns; ++c) {
            const double out = (row[c] - mean) * scale * bf16At(at.scale, c) + (layer ? bf16At(at.bias, c) : 0);
            const bool last = r == rows - 1 && c == columns - 1;
            const auto bits =
                static_cast<std::uint16_t>(ridge::labs::roundTo(ridge::labs::kBf16, wrong && last ? 2 * out + 1 : out));
            std::memcpy(at.y + 2 * (r * columns + c), &bits, 2);
        }
    }
}

} // namespace fake
