// SPDX-License-Identifier: GPL-3.0-or-later
// What rounds the elements of a group: shared by the methods of memory/quantize.h and memory/calibrated.h.
#pragma once

#include "memory/quantize.h"

#include <cmath>
#include <vector>

namespace ridge::memory {

/// Of the elements that share a scale. An element x becomes the number nearest to x / scale + zero within low..high.
struct GroupScale {
    double scale = 1;         ///< 0: all become 0
    double zero = 0;          ///< Minmax
    double low = 0, high = 0; ///< codes of an integer
};

/// As encode() to nearest even with saturation, for formats with a sign and subnormals.
struct FloatKernel {
    double largest, minPower; ///< 2^minExponent
    double magic;             ///< times a power of two: the number whose last bit is the unit of that binade
    std::uint64_t minField;   ///< of minPower as a double
    int fractionBits, signShift;

    explicit FloatKernel(const NumberFormat& format);
    void encode(const double* x, std::size_t count, double scale, std::int32_t* codes) const;
};

/// For all formats but the blocks of GGUF.
class Rounder {
public:
    /// `most` is the largest size of the tensor, which NVFP4 has a scale for.
    Rounder(const QuantScheme& scheme, double most);
    GroupScale scaleOf(const double* x, std::size_t count) const;
    GroupScale groupWith(double scale, double zero) const;
    void encode(const double* x, std::size_t count, const GroupScale& group, std::int32_t* codes) const;
    double decode(std::int32_t code, const GroupScale& group) const;
    bool minmax() const { return m_scaling == Scaling::Minmax; }
    double scaleBits() const; ///< that a file has for the scale of a group

private:
    QuantKind m_kind;
    const NumberFormat& m_element;
    Scaling m_scaling;
    FloatKernel m_floats;
    double m_tensorScale = 0;    ///< NVFP4: makes the largest block scale 448
    std::vector<double> m_table; ///< the numbers of a small floating-point format
};

/// The largest |x|.
double mostOf(const double* x, std::size_t count);
/// Elements that share a scale: the block of the format, else what the granularity says of rows of `columns`.
std::size_t groupOf(const QuantScheme& scheme, std::size_t count, std::size_t columns);

} // namespace ridge::memory
