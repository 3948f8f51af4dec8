// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lanes/product_loops.h"
#include "gpu/simt/lanes/small_float.h"
#include "gpu/simt/run/tensor_math.h"

#include <bit>
#include <vector>

namespace ridge::gpu::simt {

/// One operand of a product, many rows (of B: columns) side by side.
struct TensorSide {
    Element element = Element::F16;
    unsigned outer = 0; ///< rows of A, columns of B
    unsigned stride = 0;
    /// Neighbours along k in a word, as registers hold them; word i of row r is at i * stride + r.
    std::vector<std::uint32_t> words;

    unsigned pack() const { return bitsOf(element) == 32 ? 1 : 32 / bitsOf(element); }
    std::uint32_t bitsAt(unsigned row, unsigned k) const;
};

/// multiply() for elements of at most 32 bits, sixteen sums at a time, and the same bits. One of a thread is made once:
/// fill `a`, `b` and `sums` after prepare(), then multiply.
class TensorLanes {
public:
    /// False: no product of this kind is computed here.
    static bool takes(const MatrixDetail& detail, const TensorRules& rules);
    static TensorLanes& ofThisThread();

    void prepare(const MatrixDetail& detail, unsigned m, unsigned n, unsigned k, const TensorRules& rules);
    /// False where a factor is no finite number: nothing has been done.
    bool multiply();

    /// Where in `sums` an element of C and D stands.
    std::size_t at(unsigned row, unsigned column) const
    {
        return m_rowsAreLanes ? std::size_t{column} * a.stride + row : std::size_t{row} * b.stride + column;
    }
    unsigned stride() const { return m_rowsAreLanes ? a.stride : b.stride; }
    bool rowsAreLanes() const { return m_rowsAreLanes; }

    ProductLoops loops = productLoops(); ///< of this processor, unless a test wants others
    TensorSide a, b;
    /// C, which becomes D: an f32 or s32. A half is made an f32 and the other way round by who fills and reads it.
    std::vector<std::uint32_t> sums;

private:
    struct Decoded {
        std::vector<float> values;                    ///< where all are `narrow`
        std::vector<std::int32_t> mantissa, exponent; ///< a zero's exponent is below every other
        bool isNarrow = false;                        ///< no product of two leaves the range of an f32
    };
    bool decode(const TensorSide& side, Decoded& to) const;
    float oneGroup(unsigned lane, unsigned other, unsigned from, unsigned count, float c) const;
    void sumReals();
    void sumIntegers();

    const TensorSide& lanes() const { return m_rowsAreLanes ? a : b; }
    const TensorSide& others() const { return m_rowsAreLanes ? b : a; }

    bool m_rowsAreLanes = true, m_half = false, m_saturates = false;
    unsigned m_k = 0;
    TensorRules m_rules;
    Decoded m_decodedA, m_decodedB;
};

/// Puts what a register of C holds in its lanes to where `place` says, lane by lane: one sum a lane, or two halves.
/// One past the last place used.
template<class Place>
const Place* takeSums(TensorLanes& lanes, const std::uint32_t* words, bool isHalf, const Place* place)
{
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        if (!isHalf) {
            lanes.sums[*place++] = words[lane];
            continue;
        }
        for (const unsigned part : {0u, 16u})
            lanes.sums[*place++] =
                std::bit_cast<std::uint32_t>(halfToSingle(static_cast<std::uint16_t>(words[lane] >> part)));
    }
    return place;
}

/// The next lane's word of a register of D, by its places as above.
template<class Place>
std::uint32_t wordOfSums(const TensorLanes& lanes, bool isHalf, const Place*& place)
{
    const std::uint32_t first = lanes.sums[*place++];
    if (!isHalf)
        return first;
    const std::uint32_t upper = halfNearest(std::bit_cast<float>(lanes.sums[*place++]));
    return halfNearest(std::bit_cast<float>(first)) | upper << 16;
}

} // namespace ridge::gpu::simt
