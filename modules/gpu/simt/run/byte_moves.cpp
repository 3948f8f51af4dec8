// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/byte_moves.h"

#include "gpu/simt/run/matrix_parts.h"

namespace ridge::gpu::simt {

namespace {

template<class Whole>
void apart(WarpRegisters& warp, const MicroOp& op, std::size_t lane)
{
    const std::array<std::uint32_t, 4> parts{op.d, op.b, op.c, op.e};
    const std::uint32_t word = plane<Whole>(warp, op.a)[lane];
    for (std::size_t at = 0; at < op.flags; ++at)
        if (parts[at] != kNone)
            plane<std::uint16_t>(warp, parts[at])[lane] = static_cast<std::uint8_t>(word >> (8 * at));
}

template<class Whole>
void together(WarpRegisters& warp, const MicroOp& op, std::size_t lane)
{
    const std::array<std::uint32_t, 4> parts{op.a, op.b, op.c, op.e};
    std::uint32_t word = 0;
    for (std::size_t at = 0; at < op.flags; ++at)
        word |= std::uint32_t{static_cast<std::uint8_t>(plane<std::uint16_t>(warp, parts[at])[lane])} << (8 * at);
    plane<Whole>(warp, op.d)[lane] = static_cast<Whole>(word);
}

template<bool Unpack>
Step move(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    forMask(mask, [&](std::size_t lane) {
        if (op.flags == 2)
            Unpack ? apart<std::uint16_t>(warp, op, lane) : together<std::uint16_t>(warp, op, lane);
        else
            Unpack ? apart<std::uint32_t>(warp, op, lane) : together<std::uint32_t>(warp, op, lane);
    });
    return Step::Next;
}

} // namespace

OpFunction findByteMove(bool unpack)
{
    return unpack ? &move<true> : &move<false>;
}

} // namespace ridge::gpu::simt
