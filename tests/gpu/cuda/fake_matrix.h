// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/harness/small_formats.h"

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

/// Matrix products of the stand-ins, in the words of BLAS: columns first, a leading dimension, transposes.
namespace fake {

/// cudaDataType, and the format that it means; null: one that no product here takes.
inline const ridge::labs::SmallFormat* formatOf(int type)
{
    switch (type) {
    case 0:
        return &ridge::labs::kFp32;
    case 2:
        return &ridge::labs::kFp16;
    case 14:
        return &ridge::labs::kBf16;
    case 28:
        return &ridge::labs::kE4m3;
    default:
        return nullptr;
    }
}

struct Matrix {
    std::uint8_t* data = nullptr;
    int type = 0;
    std::uint64_t rows = 0, columns = 0;
    std::int64_t leading = 0;

    unsigned size() const { return static_cast<unsigned>(formatOf(type)->bits() + 7) / 8; }
    std::size_t bytes() const { return ((columns - 1) * static_cast<std::uint64_t>(leading) + rows) * size(); }
    std::uint8_t* at(std::uint64_t row, std::uint64_t column) const
    {
        return data + (column * static_cast<std::uint64_t>(leading) + row) * size();
    }
    double value(std::uint64_t row, std::uint64_t column) const
    {
        std::uint32_t bits = 0;
        std::memcpy(&bits, at(row, column), size());
        return ridge::labs::valueOf(*formatOf(type), bits);
    }
    void set(std::uint64_t row, std::uint64_t column, double value) const
    {
        const std::uint32_t bits = ridge::labs::roundTo(*formatOf(type), value);
        std::memcpy(at(row, column), &bits, size());
    }
};

/// C = op(A)·op(B); false where the shapes do not fit. `wrong`: one element is.
inline bool multiply(const Matrix& a, bool transposeA, const Matrix& b, bool transposeB, const Matrix& c, bool wrong)
{
    const std::uint64_t m = transposeA ? a.columns : a.rows, k = transposeA ? a.rows : a.columns;
    const std::uint64_t n = transposeB ? b.rows : b.columns;
    if ((transposeB ? b.columns : b.rows) != k || c.rows != m || c.columns != n)
        return false;
    for (const Matrix* each : {&a, &b, &c})
        if (each->leading < static_cast<std::int64_t>(each->rows) || formatOf(each->type) == nullptr)
            return false;
    std::vector<double> rows(m * k), columns(k * n); // formats are slow to read
    for (std::uint64_t i = 0; i < k; ++i) {
        for (std::uint64_t row = 0; row < m; ++row)
            rows[row * k + i] = transposeA ? a.value(i, row) : a.value(row, i);
        for (std::uint64_t column = 0; column < n; ++column)
            columns[column * k + i] = transposeB ? b.value(column, i) : b.value(i, column);
    }
    for (std::uint64_t column = 0; column < n; ++column)
        for (std::uint64_t row = 0; row < m; ++row) {
            double sum = 0;
            for (std::uint64_t i = 0; i < k; ++i)
                sum += rows[row * k + i] * columns[column * k + i];
            c.set(row, column, wrong && row == m - 1 && column == n - 1 ? 2 * sum + 1 : sum);
        }
    return true;
}

} // namespace fake
