// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/tensor_math.h"

namespace ridge::gpu::simt {

/// The metadata of a row of a sparse A. What a row has (16, 32 or 64 bits) is spread over lanes of four: one, which the
/// selector names, a pair, or all. The PTX ISA draws it; the drawings for m16n8k32 of 16-bit types and m16n8k64 of
/// 8-bit types were checked against code that runs on GPUs, those for the other shapes follow them; CUTLASS's layouts
/// of the metadata of wgmma are the same for each warp. `words`: a register of the 32 lanes.
inline std::uint64_t metadataOf(const MatrixDetail& t, const std::uint32_t* words, unsigned row, unsigned bits)
{
    const std::uint32_t* const lanes = words + row % 8 * 4;
    const bool lower = row < 8;
    const bool wholeRows = bitsOf(t.a) <= 8; // a lane holds 32 bits of one row rather than 16 bits of two
    if (bits == 16)
        return lower ? lanes[t.selector] & 0xffffu : lanes[t.selector] >> 16;
    std::uint64_t made = 0;
    const unsigned first = bits == 32 ? t.selector * 2u : 0;
    for (unsigned at = 0; at < bits / 16; ++at) {
        const std::uint32_t word = wholeRows ? lanes[first + at / 2 * 2 + (lower ? 0 : 1)] : lanes[first + at];
        const unsigned shift = wholeRows ? at % 2 * 16 : lower ? 0 : 16;
        made |= std::uint64_t{word >> shift & 0xffffu} << (16 * at);
    }
    return made;
}

/// `rows` of A with their zeros. Of four neighbours along k two are stored, of two of tf32 one, of four pairs of 4-bit
/// elements two pairs; two bits of metadata tell each one's place.
template<class Value>
std::vector<Value> expandSparse(const MatrixDetail& t, unsigned rows, const std::vector<Value>& stored,
                                const std::uint32_t* metadata)
{
    const unsigned bits = bitsOf(t.a);
    const unsigned together = bits == 4 ? 2 : 1;          // elements that share an index
    const unsigned chunk = bits == 32 ? 2 : 4 * together; // elements of A that four bits of metadata tell about
    std::vector<Value> whole(std::size_t{rows} * t.k);
    for (unsigned row = 0; row < rows; ++row) {
        const std::uint64_t row4 = metadataOf(t, metadata, row, t.k / chunk * 4);
        for (unsigned at = 0; at < t.k / 2u; ++at) {
            const unsigned unit = at / together; // stored units: two a chunk, of tf32 one
            const unsigned inChunk = bits == 32 ? 0 : unit % 2;
            const unsigned number = bits == 32 ? unit : unit / 2;
            const auto index = static_cast<unsigned>(row4 >> (number * 4 + inChunk * 2) & 3);
            const unsigned place = bits == 32 ? index / 2 : index * together + at % together;
            whole[row * t.k + number * chunk + place] = stored[row * (t.k / 2) + at];
        }
    }
    return whole;
}

} // namespace ridge::gpu::simt
