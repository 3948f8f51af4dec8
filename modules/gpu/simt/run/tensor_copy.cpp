// SPDX-License-Identifier: GPL-3.0-or-later
// cp.async.bulk.tensor: boxes of tensors.
#include "gpu/simt/image/tensor_map.h"
#include "gpu/simt/run/async_parts.h"
#include "gpu/simt/run/atomics.h"

#include <algorithm>
#include <cstring>

namespace ridge::gpu::simt {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// The blocks whose shared memory a copy reads or fills, and their barriers (none on the way back).
struct Ends {
    std::vector<SharedBytes> data;
    std::vector<SharedBytes> barriers;
};

bool endsOf(Warp& warp, const MicroOp& op, std::size_t lane, u64 span, Ends& ends)
{
    const bool toGlobal = (op.flags & kBulkToGlobal) != 0;
    const MemoryOp kind = toGlobal ? MemoryOp::Load : MemoryOp::Store;
    const SharedBytes first = sharedBytesAt(warp, lane, planeOf<u64>(warp, op.b)[lane], span, 128, kind);
    if (first.host == nullptr)
        return false;
    if (op.d == kNone) {
        ends.data.push_back(first);
        if (!toGlobal)
            ends.barriers.push_back(sharedBytesAt(warp, lane, planeOf<u64>(warp, op.e)[lane], 8, 8, MemoryOp::Atomic));
        return toGlobal || ends.barriers.back().host != nullptr;
    }
    const SharedBytes barrier = sharedBytesAt(warp, lane, planeOf<u64>(warp, op.e)[lane], 8, 8, MemoryOp::Atomic);
    if (barrier.host == nullptr)
        return false;
    const u32 ranks = planeOf<std::uint16_t>(warp, op.d)[lane];
    for (u32 rank = 0; rank < 16; ++rank) {
        if ((ranks >> rank & 1) == 0)
            continue;
        ends.data.push_back(sharedBytesAt(warp, lane, {rank, first.place.offset}, span, 128, kind));
        const bool isPair = (op.flags & kBulkPair) != 0;
        const u32 signalled = isPair ? (rank & ~1u) | (barrier.place.rank & 1u) : rank;
        ends.barriers.push_back(sharedBytesAt(warp, lane, {signalled, barrier.place.offset}, 8, 8, MemoryOp::Atomic));
        if (ends.data.back().host == nullptr || ends.barriers.back().host == nullptr)
            return false;
    }
    return true;
}

/// What a reduction does with elements of the map; no value where it does not exist for them.
std::optional<MemoryDetail> reductionOf(const MemoryDetail& detail, const TensorMap& map)
{
    using T = ScalarType;
    constexpr std::array<T, 13> types{T::U8,  T::U16, T::U32, T::S32,  T::U64, T::S64, T::F16,
                                      T::F32, T::F32, T::F64, T::BF16, T::F32, T::F32};
    MemoryDetail made = detail;
    const bool isLogic =
        detail.atomic == AtomicOp::And || detail.atomic == AtomicOp::Or || detail.atomic == AtomicOp::Xor;
    const auto at = static_cast<std::size_t>(map.element);
    if (at >= types.size() || (isLogic && isFloat(types[at])))
        return std::nullopt;
    made.type = !isLogic ? types[at] : map.elementBytes == 8 ? T::B64 : map.elementBytes == 4 ? T::B32 : T::B16;
    made.elementBytes = made.registerBytes = map.elementBytes;
    return isAtomicSupported(made.atomic, made.type) ? std::optional(made) : std::nullopt;
}

/// Where a box begins; of four rows the column and the rows.
using Start = std::array<std::int64_t, 5>;

/// A pixel of an image, without its channel.
struct Pixel {
    bool isInside = true;
    u64 address = 0;
};

/// The pixels that a copy of windows moves (PTX ISA, "im2col mode"): the filter's corner goes through its bounding box
/// along W, then H, D and the images, each by its step, and the offsets say which pixel of the filter is meant.
/// `problem` says why there are none.
std::vector<Pixel> pixelsOf(const TensorMap& map, const Start& start, const std::array<std::uint16_t, 3>& offsets,
                            std::string& problem)
{
    const std::size_t image = map.rank - 1u;
    Start at = start;
    for (std::size_t i = 1; i < image; ++i) {
        const std::int64_t least = map.lower[i - 1], most = std::int64_t{map.size[i]} - 1 + map.upper[i - 1];
        if (at[i] < least || at[i] > most || (at[i] - least) % map.step[i] != 0)
            problem = "the copy begins at " + std::to_string(at[i]) + " in dimension " + std::to_string(i) +
                      ", and the corners of the tensor map allow " + std::to_string(least) + " to " +
                      std::to_string(most) + " in steps of " + std::to_string(map.step[i]);
    }
    std::vector<Pixel> pixels(problem.empty() ? map.box[1] : 0);
    for (Pixel& pixel : pixels) {
        pixel.address = map.address;
        for (std::size_t i = 1; i < map.rank; ++i) {
            const std::int64_t index = at[i] + (i < image ? offsets[i - 1] : 0);
            pixel.isInside = pixel.isInside && index >= 0 && index < std::int64_t{map.size[i]};
            pixel.address += static_cast<u64>(index) * map.stride[i - 1];
        }
        for (std::size_t i = 1; i < map.rank; ++i) {
            at[i] += i < image ? map.step[i] : 1;
            if (i == image || at[i] <= std::int64_t{map.size[i]} - 1 + map.upper[i - 1])
                break;
            at[i] = map.lower[i - 1];
        }
    }
    return pixels;
}

/// Moves one box, or the pixels of windows, or combines them with what is there. Elements outside the tensor are filled
/// on the way in and left out on the way back.
bool moveBox(Warp& warp, const MicroOp& op, std::size_t lane, const TensorMap& map, const Start& start,
             std::span<const Pixel> pixels, const MemoryDetail* reduction)
{
    const bool isRows = (op.flags & kBulkRows) != 0;
    LaunchState& launch = *warp.launch;
    const bool toGlobal = (op.flags & kBulkToGlobal) != 0;
    u64 elements = 1;
    std::array<std::uint16_t, 5> box = map.box;
    if (isRows)
        box[1] = 4;
    for (const std::uint16_t size : box)
        elements *= size;
    const u64 span = elements * map.elementBytes;
    Ends ends;
    if (!endsOf(warp, op, lane, span, ends))
        return false;
    for (std::size_t at = 0; at < ends.barriers.size() && launch.check != nullptr; ++at)
        if (ends.data[at].place.rank == launch.rank)
            launch.check->bulkStarts(warp, op, lane,
                                     {ends.data[at].place.offset, span, ends.barriers[at].place.offset});
    const bool isTold = launch.stream != nullptr || launch.check != nullptr;
    std::vector<std::pair<u64, u64>> ranges; ///< of global memory, neighbours joined
    u64 moved = 0;
    constexpr std::array<std::uint8_t, 8> nan{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
    // Neighbours that are neighbours on both sides go together: swizzles move sixteen bytes as one.
    constexpr u64 kPiece = 16;
    const u64 together = map.step[0] == 1 && reduction == nullptr ? kPiece / map.elementBytes : 1;
    bool isRowInside = true;
    u64 rowAddress = 0;
    const auto beginRow = [&](u64 row) {
        if (!pixels.empty()) {
            isRowInside = pixels[row].isInside;
            rowAddress = pixels[row].address;
            return;
        }
        isRowInside = true;
        rowAddress = map.address;
        for (std::size_t i = 1; i < 5; ++i) {
            const u64 inBox = row % box[i];
            const std::int64_t index =
                isRows ? (i == 1 ? start[1 + inBox] : 0) : start[i] + static_cast<std::int64_t>(inBox * map.step[i]);
            row /= box[i];
            isRowInside = isRowInside && index >= 0 && index < std::int64_t{map.size[i]};
            rowAddress += static_cast<u64>(index) * map.stride[i - 1];
        }
    };
    for (u64 element = 0, count = 1, inRow = 0; element < elements; element += count, inRow += count) {
        inRow = inRow == box[0] ? 0 : inRow;
        if (inRow == 0)
            beginRow(element / box[0]);
        const std::int64_t column = start[0] + static_cast<std::int64_t>(inRow * (pixels.empty() ? map.step[0] : 1));
        const bool inside = isRowInside && column >= 0 && column < std::int64_t{map.size[0]};
        const u64 address = rowAddress + static_cast<u64>(column) * map.elementBytes;
        const auto fits = [&](const SharedBytes& end) {
            const u64 to = end.place.offset + element * map.elementBytes;
            return to % kPiece == 0 && swizzled(map.swizzle, to) + kPiece <= launch.sharedBytes;
        };
        const bool isPiece = together > 1 && inside && inRow + together <= box[0] &&
                             start[0] + static_cast<std::int64_t>(inRow + together) <= std::int64_t{map.size[0]} &&
                             launch.memory->find(address, kPiece) != nullptr &&
                             std::all_of(ends.data.begin(), ends.data.end(), fits);
        count = isPiece ? together : 1;
        const u64 bytes = count * map.elementBytes;
        std::byte* theirs = nullptr;
        if (inside) {
            theirs = globalBytesAt(warp, lane, address, bytes, map.elementBytes,
                                   toGlobal ? MemoryOp::Store : MemoryOp::Load);
            if (theirs == nullptr)
                return false;
            moved += bytes;
            if (isTold && !ranges.empty() && ranges.back().first + ranges.back().second == address)
                ranges.back().second += bytes;
            else if (isTold)
                ranges.emplace_back(address, bytes);
        }
        for (const SharedBytes& end : ends.data) {
            const u64 base = end.place.offset;
            const u64 at = swizzled(map.swizzle, base + element * map.elementBytes);
            std::byte* mine = end.host - base + std::min(at, launch.sharedBytes - map.elementBytes);
            if (inside && reduction != nullptr)
                reduceBytes(*reduction, Space::Global, theirs, mine, map.elementBytes);
            else if (inside)
                std::memcpy(toGlobal ? theirs : mine, toGlobal ? mine : theirs, bytes);
            else if (!toGlobal && map.fillNan)
                std::memcpy(mine, nan.data() + 8 - map.elementBytes, map.elementBytes);
            else if (!toGlobal)
                std::memset(mine, 0, map.elementBytes);
        }
    }
    ++launch.counters.bulkCopies;
    (toGlobal ? launch.counters.bulkStoreBytes : launch.counters.bulkLoadBytes) += moved;
    recordBulkGlobal(warp, op, lane, toGlobal ? MemoryOp::Store : MemoryOp::Load, ranges);
    for (std::size_t at = 0; at < ends.barriers.size(); ++at) {
        recordBulkShared(warp, op, MemoryOp::Store, span, ends.data[at].place.rank != launch.rank);
        completeBytesAt(warp, op, ends.barriers[at], span);
    }
    return true;
}

const std::byte* mapBytes(Warp& warp, std::size_t lane, u64 address)
{
    if (spaceOfGeneric(address) != Space::Param)
        return globalBytesAt(warp, lane, address, kTensorMapBytes, 64, MemoryOp::Load);
    const u64 at = address - kParamWindow;
    if (at <= warp.launch->paramBytes && kTensorMapBytes <= warp.launch->paramBytes - at)
        return warp.launch->params + at;
    noteFault(warp, Fault::Kind::OutOfBounds, Space::Param, MemoryOp::Load, kTensorMapBytes, lane, at,
              warp.launch->paramBytes);
    return nullptr;
}

Step tensorCopy(WarpRegisters& registers, const MicroOp& op, u32 mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    const MemoryDetail& detail = warp.launch->image->memory[op.detail];
    Step step = Step::Next;
    const std::size_t coordinates = (op.flags & kBulkRows) != 0 ? 5 : detail.count;
    if ((op.flags & (kBulkToGlobal | kBulkReduces)) == kBulkToGlobal)
        mask = distinctLanes(warp, mask, {op.a, op.b}, std::span(detail.data).first(coordinates));
    forMask(mask, [&](std::size_t lane) {
        if (step != Step::Next)
            return;
        step = Step::Fault;
        const std::byte* bytes = mapBytes(warp, lane, planeOf<u64>(warp, op.a)[lane]);
        if (bytes == nullptr)
            return;
        const auto map = decodeTensorMap(bytes);
        if (!map || map->rank != detail.count) {
            warp.launch->faultText = map ? "the tensor map has another number of dimensions" : map.error().message;
            noteFault(warp, Fault::Kind::BadTensorMap, Space::Global, MemoryOp::Load, 0, lane, 0, 0);
            return;
        }
        const auto refuse = [&](std::string why) {
            warp.launch->faultText = std::move(why);
            noteFault(warp, Fault::Kind::BadTensorMap, Space::Global, MemoryOp::Load, 0, lane, 0, 0);
        };
        const bool isRows = (op.flags & kBulkRows) != 0, reduces = (op.flags & kBulkReduces) != 0;
        if (isRows && map->box[1] != 1)
            return refuse("gather4 and scatter4 take four boxes of one row each, and the map's box has " +
                          std::to_string(map->box[1]));
        const auto reduction = reduces ? reductionOf(detail, *map) : std::nullopt;
        if (reduces && !reduction)
            return refuse(map->element == kUnknownElement
                              ? "the tensor map does not say what its elements are, which a reduction has to know"
                              : "this reduction does not exist for the elements of the tensor map");
        Start start{};
        for (std::size_t i = 0; i < coordinates; ++i)
            start[i] = planeOf<std::int32_t>(warp, detail.data[i])[lane];
        const bool isWindows = (op.flags & kBulkWindows) != 0, toGlobal = (op.flags & kBulkToGlobal) != 0;
        if (isWindows != (map->mode == TensorMode::Windows))
            return refuse(isWindows ? "it is tiled, and the copy is of windows (im2col)"
                                    : "it is of windows (im2col), and the copy is of a tile");
        std::vector<Pixel> pixels;
        if (isWindows) {
            std::array<std::uint16_t, 3> offsets{};
            std::string problem;
            for (std::size_t i = 0; i + 2 < map->rank && !toGlobal; ++i)
                offsets[i] = planeOf<std::uint16_t>(warp, detail.data[map->rank + i])[lane];
            for (std::size_t i = 0; i < map->rank && toGlobal; ++i)
                if (start[i] < 0 || (i < 3 && (map->lower[i] < 0 || map->upper[i] > 0)))
                    problem = "a copy to global memory has no coordinate and no corner outside the images";
            if (problem.empty())
                pixels = pixelsOf(*map, start, offsets, problem);
            if (!problem.empty())
                return refuse(std::move(problem));
        }
        step =
            moveBox(warp, op, lane, *map, start, pixels, reduction ? &*reduction : nullptr) ? Step::Next : Step::Fault;
    });
    warp.launch->changed = true;
    return step;
}

} // namespace

OpFunction findTensorCopy()
{
    return &tensorCopy;
}

} // namespace ridge::gpu::simt
