// SPDX-License-Identifier: GPL-3.0-or-later
// tcgen05: tensor memory (PTX ISA, "TensorCore 5th Generation Family Instructions").
#include "gpu/simt/run/tensor_memory_parts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>

namespace ridge::gpu::simt {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// Of the block that runs.
TensorMemory& ownMemory(const LaunchState& launch)
{
    return tensorMemoryOf(launch, launch.rank);
}

} // namespace

TensorMemory& tensorMemoryOf(const LaunchState& launch, u32 rank)
{
    std::shared_ptr<TensorMemory>& memory = launch.cluster->tensorMemory(rank);
    if (!memory)
        memory = std::make_shared<TensorMemory>();
    return *memory;
}

Step refuseTensor(Warp& warp, std::size_t lane, std::string why)
{
    warp.launch->faultText = "tensor memory: " + std::move(why);
    return noteFault(warp, Fault::Kind::BadTensorMap, Space::Global, MemoryOp::Load, 0, lane, 0, 0);
}

std::string spansText(const TensorMemory& memory)
{
    std::string text;
    for (const TensorMemory::Span& span : memory.spans)
        text += (text.empty() ? "" : ", ") + std::to_string(span.first) + " to " +
                std::to_string(span.first + span.columns - 1);
    return text.empty() ? "none is" : text + " are";
}

std::string problemOfColumns(const TensorMemory& memory, u32 column, u32 columns, const char* what)
{
    for (const TensorMemory::Span& span : memory.spans)
        if (column >= span.first && column + columns <= span.first + span.columns)
            return {};
    return std::string(what) + " columns " + std::to_string(column) + " to " + std::to_string(column + columns - 1) +
           ", of which not all are allocated (" + spansText(memory) + ")";
}

std::vector<u32> blocksOf(Warp& warp, std::size_t lane, bool isPair)
{
    const LaunchState& launch = *warp.launch;
    if (!isPair)
        return {launch.rank};
    const u32 even = launch.rank & ~1u, other = launch.rank ^ 1u;
    if (other >= launch.cluster->size()) {
        refuseTensor(warp, lane,
                     ".cta_group::2 is the pair of blocks 2i and 2i + 1 of a cluster, and block " +
                         std::to_string(launch.rank) + " of this cluster of " + std::to_string(launch.cluster->size()) +
                         " has no other; launch clusters of an even number of blocks");
        return {};
    }
    if (launch.cluster->hasExited(other)) {
        refuseTensor(warp, lane, "the other block of the pair has ended");
        return {};
    }
    return {even, even + 1};
}

namespace {

Step allocate(WarpRegisters& registers, const MicroOp& op, u32 mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    if (!allHere(warp, mask))
        return Step::Wait;
    const auto lane = static_cast<std::size_t>(std::countr_zero(mask));
    if (blocksOf(warp, lane, (op.flags & kTensorPair) != 0).empty())
        return Step::Fault;
    const u32 columns = plane<u32>(warp, op.b)[lane];
    TensorMemory& memory = ownMemory(*warp.launch);
    if (!std::has_single_bit(columns) || columns < kLeastColumns || columns > kTensorColumns)
        return refuseTensor(warp, lane,
                            std::to_string(columns) + " columns are asked for; a power of two from 32 to 512 is given");
    if (memory.isRelinquished)
        return refuseTensor(warp, lane, "the block asks for columns after it has relinquished the right to");
    u32 first = 0;
    std::size_t place = 0;
    for (; place < memory.spans.size() && memory.spans[place].first - first < columns; ++place)
        first = memory.spans[place].first + memory.spans[place].columns;
    if (first + columns > kTensorColumns)
        return refuseTensor(warp, lane,
                            std::to_string(columns) + " columns are asked for while " + spansText(memory) +
                                " taken by this block, which would wait for itself for ever");
    const SharedBytes to = sharedBytesAt(warp, lane, plane<u64>(warp, op.a)[lane], 4, 4, MemoryOp::Store);
    if (to.host == nullptr)
        return Step::Fault;
    memory.spans.insert(memory.spans.begin() + static_cast<std::ptrdiff_t>(place), {first, columns});
    for (u32 row = 0; row < kTensorLanes; ++row)
        std::fill_n(&memory.at(row, first), columns, kNeverWritten);
    std::memcpy(to.host, &first, sizeof first);
    if (warp.launch->check != nullptr) {
        PlacedAccess access;
        access.lanes.bytes = 4;
        access.lanes.mask = 1u << lane;
        access.lanes.address[lane] = to.place.offset;
        access.space = Space::Shared;
        warp.launch->check->seen(warp, op, access, MemoryOp::Store);
    }
    warp.launch->changed = true;
    return Step::Next;
}

Step release(WarpRegisters& registers, const MicroOp& op, u32 mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    if (!allHere(warp, mask))
        return Step::Wait;
    const auto lane = static_cast<std::size_t>(std::countr_zero(mask));
    const u32 address = static_cast<u32>(plane<u64>(warp, op.a)[lane]), columns = plane<u32>(warp, op.b)[lane];
    TensorMemory& memory = ownMemory(*warp.launch);
    const auto found = std::ranges::find_if(
        memory.spans, [&](const TensorMemory::Span& span) { return span.first == address && span.columns == columns; });
    if (found == memory.spans.end())
        return refuseTensor(warp, lane,
                            std::to_string(columns) + " columns from " + std::to_string(address) +
                                " on are given back, which was never allocated like that (" + spansText(memory) + ")");
    memory.spans.erase(found);
    if (memory.spans.empty())
        warp.launch->cluster->tensorMemory(warp.launch->rank).reset();
    warp.launch->changed = true;
    return Step::Next;
}

Step relinquish(WarpRegisters& registers, const MicroOp&, u32 mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    if (!allHere(warp, mask))
        return Step::Wait;
    ownMemory(*warp.launch).isRelinquished = true;
    return Step::Next;
}

/// Where a register of a lane lies from the address on: lane of tensor memory, column.
struct Cell32 {
    u32 lane = 0, column = 0;
};

/// The layouts of PTX ISA, "Matrix fragments for shape …".
Cell32 placeOf(TensorShape shape, u32 lane, u32 index)
{
    switch (shape) {
    case TensorShape::Lanes32x32:
        return {lane, index};
    case TensorShape::Lanes16x64:
        return {lane / 4 + lane % 2 * 8, lane / 2 % 2 + 2 * index};
    case TensorShape::Lanes16x128:
        return {lane / 4 + index % 2 * 8, lane % 4 + index / 2 * 4};
    case TensorShape::Lanes16x256:
        return {lane / 4 + index / 2 % 2 * 8, index % 2 + lane % 4 * 2 + index / 4 * 8};
    default:
        return {lane % 16, index}; // the second half of the lanes at an address of its own
    }
}

u32 columnsOf(TensorShape shape, u32 registers)
{
    return shape == TensorShape::Lanes16x64 || shape == TensorShape::Lanes16x128 || shape == TensorShape::Lanes16x256
               ? 2 * registers
               : registers;
}

/// The least or the most of what a lane has loaded, as min and max of two have it.
u32 reduced(u32 flags, const std::vector<const u32*>& values, std::size_t lane)
{
    constexpr u32 kNoNumber = 0x7fffffff, kSign = 0x80000000;
    const bool wantsMost = (flags & kTensorMost) != 0, isFloat = (flags & kTensorFloats) != 0;
    // Bits in an order of their own: unsigned, with the sign on top, and of negative floats turned round.
    const auto rank = [&](u32 bits) {
        if (isFloat)
            return (bits & kSign) != 0 ? ~bits : bits | kSign;
        return (flags & kTensorSigned) != 0 ? bits ^ kSign : bits;
    };
    std::optional<u32> best;
    for (const u32* const words : values) {
        const u32 bits = (flags & kTensorMagnitudes) != 0 ? words[lane] & ~kSign : words[lane];
        if (isFloat && std::isnan(std::bit_cast<float>(bits))) {
            if ((flags & kTensorKeepsNan) != 0)
                return kNoNumber;
        } else if (!best || (wantsMost ? rank(bits) > rank(*best) : rank(bits) < rank(*best))) {
            best = bits;
        }
    }
    return best.value_or(kNoNumber);
}

/// Packed, a register has the lower halves of two neighbours along the columns.
template<bool IsLoad>
Step move(WarpRegisters& registers, const MicroOp& op, u32 mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    if (!allHere(warp, mask))
        return Step::Wait;
    const auto first = static_cast<std::size_t>(std::countr_zero(mask));
    const u64 address = plane<u64>(warp, op.a)[first];
    const MatrixDetail& detail = detailOf(warp, op);
    const bool reduces = (op.flags & kTensorReduces) != 0;
    const std::span<const u32> planes =
        std::span(IsLoad ? detail.planesD : detail.planesA)
            .first((IsLoad ? detail.planesD : detail.planesA).size() - (reduces ? 1 : 0));
    const auto shape = static_cast<TensorShape>(op.flags & kTensorShape);
    const u32 pack = (op.flags & kTensorPacks) != 0 ? 2 : 1, own = warp.index % 4 * kPartition;
    const auto cells = static_cast<u32>(planes.size()) * pack;
    const bool isWhole = shape == TensorShape::Lanes32x32, isSplit = shape == TensorShape::Lanes16x32x2;
    TensorMemory& memory = ownMemory(*warp.launch);
    const std::array<TensorAddress, 2> begins{TensorAddress(address),
                                              TensorAddress(address + static_cast<u64>(isSplit ? op.imm : 0))};
    for (const TensorAddress& begin : begins) {
        if (begin.lane != own && (isWhole || begin.lane != own + 16))
            return refuseTensor(warp, first,
                                "warp " + std::to_string(warp.index) + " names lane " + std::to_string(begin.lane) +
                                    "; its lanes are " + std::to_string(own) + " to " + std::to_string(own + 31));
        if (std::string why = problemOfColumns(memory, begin.column, columnsOf(shape, cells),
                                               IsLoad ? "a load reads" : "a store writes");
            !why.empty())
            return refuseTensor(warp, first, std::move(why));
    }
    for (u32 index = 0; index < cells; ++index) {
        u32* const words = plane<u32>(warp, planes[index / pack]);
        const unsigned shift = index % pack * 16;
        forMask(mask, [&](std::size_t lane) {
            const TensorAddress& begin = begins[isSplit && lane >= 16 ? 1 : 0];
            // Packed are neighbours along the columns: the places of a register that is twice as wide.
            const Cell32 at = placeOf(shape, static_cast<u32>(lane), index / pack);
            const u32 column = pack == 2 ? at.column * 2 + index % 2 : at.column;
            u32& word = memory.at(begin.lane + at.lane, begin.column + column);
            if (pack == 1)
                (IsLoad ? words[lane] : word) = IsLoad ? word : words[lane];
            else if constexpr (IsLoad)
                words[lane] = (shift == 0 ? 0 : words[lane]) | (word & 0xffff) << shift;
            else
                word = words[lane] >> shift & 0xffff;
        });
    }
    if (reduces) {
        std::vector<const u32*> values;
        for (const u32 at : planes)
            values.push_back(plane<u32>(warp, at));
        forMask(mask, [&](std::size_t lane) {
            plane<u32>(warp, detail.planesD.back())[lane] = reduced(op.flags, values, lane);
        });
    }
    warp.launch->changed = warp.launch->changed || !IsLoad;
    return Step::Next;
}

/// Bytes of a row, 16 of them at a time made of packed elements where the copy says so.
u32 unpackedByte(const std::byte* chunk, unsigned at, unsigned bits)
{
    if (bits == 8)
        return static_cast<u32>(chunk[at]);
    const unsigned begin = at * bits;
    const u32 two =
        static_cast<u32>(chunk[begin / 8]) | (begin / 8 + 1 < 16 ? static_cast<u32>(chunk[begin / 8 + 1]) << 8 : 0u);
    const u32 value = two >> begin % 8 & ((1u << bits) - 1);
    return bits == 4 ? value << 2 : value;
}

/// tcgen05.cp: rows of 16 or 32 bytes from shared memory, K-major as the descriptor has it.
Step copyLane(Warp& warp, const MicroOp& op, std::size_t lane)
{
    const auto shape = static_cast<TensorCopy>(op.flags & kTensorShape);
    const unsigned bits = (op.flags & kTensorFours) != 0 ? 4 : (op.flags & kTensorSixes) != 0 ? 6 : 8;
    const bool isWide = shape == TensorCopy::Rows128x256 || shape == TensorCopy::Rows4x256;
    const u32 chunks = isWide ? 2 : 1, rows = shape == TensorCopy::Rows4x256                                      ? 4
                                              : shape == TensorCopy::Rows32x128                                   ? 32
                                              : shape == TensorCopy::Rows64Far || shape == TensorCopy::Rows64Near ? 64
                                                                                                                  : 128;
    const TensorAddress to(plane<u64>(warp, op.a)[lane]);
    const u64 text = plane<u64>(warp, op.b)[lane];
    if ((text >> 61 & 1) != 0)
        return refuseTensor(warp, lane, "swizzling by 128 bytes in steps of 32 is not simulated");
    const MatrixDescriptor descriptor = decodeDescriptor(text);
    const auto lanesOf = [&](u32 row) -> std::vector<u32> {
        switch (shape) {
        case TensorCopy::Rows4x256:
            return {row * 32};
        case TensorCopy::Rows32x128:
            return {row, row + 32, row + 64, row + 96};
        case TensorCopy::Rows64Far:
            return {row, row + 64};
        case TensorCopy::Rows64Near:
            return {row / 32 * 64 + row % 32, row / 32 * 64 + row % 32 + 32};
        default:
            return {row};
        }
    };
    const std::vector<u32> blocks = blocksOf(warp, lane, (op.flags & kTensorPair) != 0);
    if (blocks.empty())
        return Step::Fault;
    if (to.lane != 0 && (shape != TensorCopy::Rows4x256 || to.lane >= kPartition))
        return refuseTensor(warp, lane,
                            "a copy begins in lane 0, and its address names lane " + std::to_string(to.lane));
    for (const u32 block : blocks) {
        TensorMemory& memory = tensorMemoryOf(*warp.launch, block);
        if (std::string why = problemOfColumns(memory, to.column, chunks * 4, "a copy writes"); !why.empty())
            return refuseTensor(warp, lane, std::move(why));
        const std::byte* const shared = warp.launch->cluster->shared(block);
        for (u32 row = 0; row < rows; ++row)
            for (u32 chunk = 0; chunk < chunks; ++chunk) {
                const u64 offset = elementOffset(descriptor, false, 1, row, chunk * 16);
                if (offset + 16 > warp.launch->sharedBytes)
                    return noteFault(warp, Fault::Kind::OutOfBounds, Space::Shared, MemoryOp::Load, 16, lane, offset,
                                     warp.launch->sharedBytes);
                for (u32 word = 0; word < 4; ++word) {
                    u32 value = 0;
                    for (unsigned byte = 0; byte < 4; ++byte)
                        value |= unpackedByte(shared + offset, word * 4 + byte, bits) << (8 * byte);
                    for (const u32 at : lanesOf(row))
                        memory.at(to.lane + at, to.column + chunk * 4 + word) = value;
                }
            }
    }
    return Step::Next;
}

/// tcgen05.shift.down: 31 lanes of 8 columns, each to the lane behind it.
Step shiftLane(Warp& warp, const MicroOp& op, std::size_t lane)
{
    constexpr u32 kShifted = 8;
    const TensorAddress at(plane<u64>(warp, op.a)[lane]);
    if (at.lane % kPartition != 0 || at.lane >= kTensorLanes)
        return refuseTensor(warp, lane,
                            "a shift begins in lane 0, 32, 64 or 96, and its address names lane " +
                                std::to_string(at.lane));
    const std::vector<u32> blocks = blocksOf(warp, lane, (op.flags & kTensorPair) != 0);
    if (blocks.empty())
        return Step::Fault;
    for (const u32 block : blocks) {
        TensorMemory& memory = tensorMemoryOf(*warp.launch, block);
        if (std::string why = problemOfColumns(memory, at.column, kShifted, "a shift moves"); !why.empty())
            return refuseTensor(warp, lane, std::move(why));
        for (u32 row = kPartition - 1; row > 0; --row)
            for (u32 column = 0; column < kShifted; ++column)
                memory.at(at.lane + row, at.column + column) = memory.at(at.lane + row - 1, at.column + column);
    }
    return Step::Next;
}

template<Step (*One)(Warp&, const MicroOp&, std::size_t)>
Step forLanes(WarpRegisters& registers, const MicroOp& op, u32 mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    Step step = Step::Next;
    forMask(mask, [&](std::size_t lane) {
        if (step == Step::Next)
            step = One(warp, op, lane);
    });
    warp.launch->changed = true;
    return step;
}

} // namespace

OpFunction findTensorMemoryOp(TensorMemoryOp op)
{
    switch (op) {
    case TensorMemoryOp::Allocate:
        return &allocate;
    case TensorMemoryOp::Free:
        return &release;
    case TensorMemoryOp::Relinquish:
        return &relinquish;
    case TensorMemoryOp::Load:
        return &move<true>;
    case TensorMemoryOp::Store:
        return &move<false>;
    case TensorMemoryOp::Copy:
        return &forLanes<&copyLane>;
    case TensorMemoryOp::Shift:
        return &forLanes<&shiftLane>;
    default:
        return findTensorMultiply();
    }
}

} // namespace ridge::gpu::simt
