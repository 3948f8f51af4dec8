// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/check/defined_bytes.h"

#include <algorithm>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint64_t kFewBytes = 16384;

} // namespace

void DefinedBytes::allocated(std::uint64_t begin, std::uint64_t bytes)
{
    m_buffers[begin].bytes = bytes;
}

DefinedBytes::Buffer* DefinedBytes::find(std::uint64_t address, std::uint64_t& offset)
{
    auto after = m_buffers.upper_bound(address);
    if (after == m_buffers.begin())
        return nullptr;
    --after;
    offset = address - after->first;
    return offset < after->second.bytes ? &after->second : nullptr;
}

void DefinedBytes::setBits(Buffer& buffer, std::uint64_t from, std::uint64_t to)
{
    while (from < to) {
        const std::uint64_t word = from / 64, bit = from % 64;
        const std::uint64_t count = std::min<std::uint64_t>(64 - bit, to - from);
        buffer.bits[word] |= (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << bit;
        from += count;
    }
}

void DefinedBytes::makeBits(Buffer& buffer)
{
    if (!buffer.bits.empty())
        return;
    buffer.bits.resize((buffer.bytes + 63) / 64);
    for (const auto& [from, to] : buffer.ranges)
        setBits(buffer, from, to);
    buffer.ranges = {};
}

void DefinedBytes::define(std::uint64_t address, std::uint64_t bytes)
{
    std::uint64_t from = 0;
    Buffer* buffer = find(address, from);
    if (buffer == nullptr)
        return;
    const std::uint64_t to = std::min(from + bytes, buffer->bytes);
    if (!buffer->bits.empty())
        return setBits(*buffer, from, to);
    auto& ranges = buffer->ranges;
    // A buffer filled in pieces is one range, and a loop that writes one place over and over adds none.
    if (!ranges.empty() && ranges.back().first <= from && from <= ranges.back().second) {
        ranges.back().second = std::max(ranges.back().second, to);
        return;
    }
    // The list never takes more room than the bits would, or than a few pages.
    if (ranges.size() * sizeof ranges.front() >= std::max<std::uint64_t>(buffer->bytes / 8, kFewBytes)) {
        makeBits(*buffer);
        return setBits(*buffer, from, to);
    }
    ranges.emplace_back(from, to);
}

std::size_t DefinedBytes::storage(std::uint64_t begin) const
{
    const auto found = m_buffers.find(begin);
    if (found == m_buffers.end())
        return 0;
    const Buffer& buffer = found->second;
    return buffer.ranges.capacity() * sizeof(buffer.ranges.front()) + buffer.bits.capacity() * sizeof(std::uint64_t);
}

bool DefinedBytes::isDefined(std::uint64_t address, std::uint32_t bytes)
{
    std::uint64_t from = 0;
    Buffer* buffer = find(address, from);
    if (buffer == nullptr)
        return true;
    makeBits(*buffer);
    for (std::uint64_t at = from; at < std::min(from + bytes, buffer->bytes); ++at)
        if ((buffer->bits[at / 64] >> (at % 64) & 1) == 0)
            return false;
    return true;
}

} // namespace ridge::gpu::simt
