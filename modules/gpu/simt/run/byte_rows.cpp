// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/byte_rows.h"

#include "gpu/simt/run/matrix_parts.h"

#include <cstring>

namespace ridge::gpu::simt {

namespace {

constexpr unsigned kRowBytes = 16;

Step placeRows(Warp& warp, const MicroOp& op, std::size_t rows, PlacedAccess& access, MemoryOp kind)
{
    gatherAddresses(warp, op, warp.launch->image->memory[op.detail], access.lanes.address);
    access.lanes.mask = rows == kWarpSize ? ~0u : (1u << rows) - 1;
    access.lanes.bytes = kRowBytes;
    return placeAt(warp, op, access, kind);
}

/// Element `at` of a row.
std::uint32_t elementOf(const std::byte* row, RowElement kind, unsigned at)
{
    const auto byteAt = [&](unsigned byte) { return std::to_integer<std::uint32_t>(row[byte]); };
    if (kind == RowElement::Byte)
        return byteAt(at);
    const unsigned bits = kind == RowElement::Six ? 6 : 4;
    const unsigned first = at * bits;
    const std::uint32_t two = byteAt(first / 8) | byteAt(first / 8 + 1) << 8;
    return two >> (first % 8) & ((1u << bits) - 1);
}

Step load(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    if (!allHere(warp, mask))
        return Step::Wait;
    const MatrixDetail& t = detailOf(warp, op);
    const bool turned = (op.flags & kRowsTurned) != 0;
    const auto kind = static_cast<RowElement>(op.flags & (kRowsTurned - 1));
    PlacedAccess access;
    if (const Step step = placeRows(warp, op, t.planesD.size() * 8, access, MemoryOp::Load); step != Step::Next)
        return step;
    for (std::size_t index = 0; index < t.planesD.size(); ++index) {
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            std::uint32_t word = 0;
            for (unsigned part = 0; part < 4; ++part) {
                const std::size_t row = turned ? index / 2 * 16 + lane % 4 * 4 + part : index * 8 + lane / 4;
                const unsigned at = turned ? lane / 4 + 8 * static_cast<unsigned>(index % 2) : lane % 4 * 4 + part;
                word |= elementOf(hostOf(access, row), kind, at) << (8 * part);
            }
            plane<std::uint32_t>(warp, t.planesD[index])[lane] = word;
        }
    }
    return Step::Next;
}

Step store(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    if (!allHere(warp, mask))
        return Step::Wait;
    const MatrixDetail& t = detailOf(warp, op);
    std::array<std::byte, kWarpSize * kRowBytes> rows; // one of each address
    for (std::size_t index = 0; index < t.planesA.size(); ++index) {
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            const std::uint32_t word = plane<std::uint32_t>(warp, t.planesA[index])[lane];
            for (unsigned part = 0; part < 4; ++part) {
                const std::size_t row = index * 8 + lane % 4 * 2 + part % 2;
                rows[row * kRowBytes + lane / 4 + part / 2 * 8] = static_cast<std::byte>(word >> (8 * part) & 0xff);
            }
        }
    }
    PlacedAccess access;
    access.rows = rows.data();
    if (const Step step = placeRows(warp, op, t.planesA.size() * 8, access, MemoryOp::Store); step != Step::Next)
        return step;
    warp.launch->changed = true;
    for (std::size_t row = 0; row < t.planesA.size() * 8; ++row)
        std::memcpy(hostOf(access, row), &rows[row * kRowBytes], kRowBytes);
    return Step::Next;
}

} // namespace

OpFunction findByteRowsLoad()
{
    return &load;
}

OpFunction findByteRowsStore()
{
    return &store;
}

} // namespace ridge::gpu::simt
