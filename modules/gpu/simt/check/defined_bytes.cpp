// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/check/defined_bytes.h"

#include <algorithm>

namespace ridge::gpu::simt {

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
    buffer.ranges.clear();
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
    // A buffer filled in pieces is one range.
    if (!buffer->ranges.empty() && buffer->ranges.back().second == from)
        buffer->ranges.back().second = to;
    else
        buffer->ranges.emplace_back(from, to);
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
