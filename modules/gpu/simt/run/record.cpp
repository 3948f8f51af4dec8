// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/record.h"

namespace ridge::gpu::simt {

namespace {

constexpr unsigned kLineShift = 7;
constexpr unsigned kSectorShift = 5;
constexpr std::uint64_t kLineBytes = 1u << kLineShift;

LineTouch touchOf(std::uint64_t address, std::uint64_t bytes)
{
    const std::uint64_t first = address >> kSectorShift & 3;
    const std::uint64_t last = std::min<std::uint64_t>(((address & (kLineBytes - 1)) + bytes - 1) >> kSectorShift, 3);
    const std::uint64_t sectors = ((1u << (last + 1)) - 1) & ~((1u << first) - 1);
    return address >> kLineShift << 4 | sectors;
}

/// Every byte from `begin` to `end` (one past) is touched, or at least every sector between them.
void appendRange(std::uint64_t begin, std::uint64_t end, std::vector<LineTouch>& lines)
{
    while (begin < end) {
        const std::uint64_t next = std::min(end, (begin | (kLineBytes - 1)) + 1);
        lines.push_back(touchOf(begin, next - begin));
        begin = next;
    }
}

void merge(LineTouch touch, std::size_t first, std::vector<LineTouch>& lines)
{
    // Neighbouring lanes mostly share a line: look from the end.
    for (std::size_t at = lines.size(); at-- > first;) {
        if (lines[at] >> 4 == touch >> 4) {
            lines[at] |= touch & 15;
            return;
        }
    }
    lines.push_back(touch);
}

/// The same for every sector from `begin` to `end` (one past).
void mergeRange(std::uint64_t begin, std::uint64_t end, std::size_t first, std::vector<LineTouch>& lines)
{
    while (begin < end) {
        const std::uint64_t next = std::min(end, (begin | (kLineBytes - 1)) + 1);
        merge(touchOf(begin, next - begin), first, lines);
        begin = next;
    }
}

/// Most lanes of an atomic that meet in one word.
std::uint16_t mostMeeting(const LaneAddresses& lanes)
{
    std::array<std::uint64_t, kWarpSize> sorted;
    std::size_t count = 0;
    for (std::uint32_t mask = lanes.mask; mask != 0; mask &= mask - 1)
        sorted[count++] = lanes.address[static_cast<std::size_t>(std::countr_zero(mask))];
    std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count));
    std::uint16_t most = 0;
    std::uint16_t run = 0;
    for (std::size_t at = 0; at < count; ++at) {
        run = at > 0 && sorted[at] == sorted[at - 1] ? static_cast<std::uint16_t>(run + 1) : std::uint16_t{1};
        most = std::max(most, run);
    }
    return most;
}

/// Where local memory lies for caches: word w of lane l of a warp at (w * 32 + l) * 4 past the warp's base.
LaneAddresses localAddresses(const Warp& warp, const LaneAddresses& lanes)
{
    const std::uint64_t bytes = warp.launch->image->localBytes;
    const std::uint64_t perWarp = (bytes * kWarpSize + kLineBytes - 1) / kLineBytes * kLineBytes;
    const std::uint64_t base = kLocalWindow + warp.number * perWarp;
    LaneAddresses placed = lanes;
    placed.regular = false;
    for (std::uint32_t mask = lanes.mask; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(mask));
        const std::uint64_t at = lanes.address[lane];
        placed.address[lane] = base + (at / 4 * kWarpSize + lane) * 4 + at % 4;
    }
    return placed;
}

void appendLocal(const Warp& warp, const LaneAddresses& lanes, std::vector<LineTouch>& lines)
{
    LaneAddresses words = localAddresses(warp, lanes);
    words.bytes = std::min(lanes.bytes, 4u);
    const std::size_t first = lines.size();
    for (std::uint32_t word = 0; word < std::max(lanes.bytes / 4, 1u); ++word) {
        for (std::uint32_t mask = words.mask; mask != 0; mask &= mask - 1) {
            std::uint64_t& address = words.address[static_cast<std::size_t>(std::countr_zero(mask))];
            merge(touchOf(address, words.bytes), first, lines);
            address += kLineBytes;
        }
    }
}

} // namespace

void appendRange(std::uint64_t begin, std::uint64_t end, std::size_t first, std::vector<LineTouch>& lines)
{
    while (begin < end) {
        const std::uint64_t next = std::min(end, (begin | (kLineBytes - 1)) + 1);
        const LineTouch touch = touchOf(begin, next - begin);
        if (lines.size() > first && lines.back() >> 4 == touch >> 4)
            lines.back() |= touch & 15;
        else
            lines.push_back(touch);
        begin = next;
    }
}

void appendLines(const LaneAddresses& lanes, std::vector<LineTouch>& lines)
{
    const std::uint64_t step =
        lanes.stride < 0 ? 0 - static_cast<std::uint64_t>(lanes.stride) : static_cast<std::uint64_t>(lanes.stride);
    if (lanes.regular && lanes.rowLanes == kWarpSize && step <= 1u << kSectorShift) {
        appendRange(lanes.least, lanes.greatest + lanes.bytes, lines);
        return;
    }
    const std::size_t first = lines.size();
    if (lanes.regular && lanes.stride >= 0 && step <= 1u << kSectorShift) {
        const std::uint64_t bytes = (lanes.rowLanes - 1) * step + lanes.bytes;
        for (std::uint32_t lane = 0; lane < kWarpSize; lane += lanes.rowLanes)
            mergeRange(lanes.address[lane], lanes.address[lane] + bytes, first, lines);
        return;
    }
    for (std::uint32_t mask = lanes.mask; mask != 0; mask &= mask - 1)
        merge(touchOf(lanes.address[static_cast<std::size_t>(std::countr_zero(mask))], lanes.bytes), first, lines);
}

void recordAccess(const Warp& warp, const MicroOp& op, Space space, MemoryOp kind, const LaneAddresses& lanes)
{
    WarpStream& stream = *warp.launch->stream;
    Access access;
    access.microOp = static_cast<std::uint32_t>(&op - warp.launch->image->ops.data());
    access.space = space;
    access.op = kind;
    access.bytes = static_cast<std::uint8_t>(lanes.bytes);
    access.lanes = static_cast<std::uint8_t>(laneCount(lanes.mask));
    access.sameAddress = kind == MemoryOp::Atomic ? mostMeeting(lanes) : std::uint16_t{0};
    const std::size_t before = stream.lines.size();
    if (space == Space::Local)
        appendLocal(warp, lanes, stream.lines);
    else if (space != Space::Shared)
        appendLines(lanes, stream.lines);
    if (space == Space::Shared || space == Space::Global) { // the L1's data stage has the same banks
        const BankCount banks = countBanks(lanes);
        access.wavefronts = static_cast<std::uint16_t>(banks.wavefronts);
        access.least = static_cast<std::uint8_t>(banks.minimum);
    } else
        access.wavefronts = static_cast<std::uint16_t>(countGranules(lanes, 2));
    access.lineCount = static_cast<std::uint16_t>(stream.lines.size() - before);
    stream.accesses.push_back(access);
}

void recordValues(const Warp& warp, const MicroOp& op, std::uint16_t values)
{
    if (warp.launch->stream == nullptr)
        return;
    Access access;
    access.microOp = static_cast<std::uint32_t>(&op - warp.launch->image->ops.data());
    access.space = Space::Param;
    access.wavefronts = values;
    warp.launch->stream->accesses.push_back(access);
}

} // namespace ridge::gpu::simt
