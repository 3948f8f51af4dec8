// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/memory.h"
#include <array>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint64_t kGap = 1u << 20;
constexpr std::uint64_t kLastAddress = 0x7000'0000'0000u; ///< windows of shared and local memory lie above

const Allocation* lastAtOrBefore(const std::vector<Allocation>& allocations, std::uint64_t address)
{
    auto after = std::upper_bound(allocations.begin(), allocations.end(), address,
                                  [](std::uint64_t a, const Allocation& next) { return a < next.begin; });
    return after == allocations.begin() ? nullptr : &*std::prev(after);
}

} // namespace

void Allocation::Release::operator()(std::byte* memory) const
{
    std::free(memory);
}

Result<std::uint64_t> GlobalMemory::allocate(std::uint64_t bytes, std::string_view label)
{
    const std::string name(label);
    if (bytes == 0)
        return Error{"bad-allocation", "an allocation of 0 bytes was asked for", name, "Ask for at least one byte."};
    const std::string fix = "Use a smaller problem, free buffers, or raise the memory limit (--memory-mib).";
    if (bytes > m_capacity - m_used || bytes > kLastAddress - m_next)
        return Error{"out-of-memory",
                     std::to_string(bytes) + " bytes asked for, " + std::to_string(m_capacity - m_used) + " of " +
                         std::to_string(m_capacity) + " bytes of device memory are free",
                     name, fix};
    // calloc takes large blocks as untouched zero pages: an allocation costs what is used of it.
    Allocation made{m_next, bytes, name, false, {}};
    made.host.reset(static_cast<std::byte*>(std::calloc(bytes, 1)));
    if (!made.host)
        return Error{"out-of-memory",
                     std::to_string(bytes) + " bytes are more than the worker's memory limit or this computer has left",
                     name, fix};
    m_used += bytes;
    m_next = (made.end() + 2 * kGap - 1) / kGap * kGap;
    m_allocations.push_back(std::move(made));
    return m_allocations.back().begin;
}

Result<void> GlobalMemory::free(std::uint64_t address)
{
    const auto* found = lastAtOrBefore(m_allocations, address);
    if (found == nullptr || found->begin != address || found->freed)
        return Error{"out-of-bounds",
                     "free: " + describeAddress(*this, address),
                     {},
                     "Free the address that allocate() gave, once."};
    Allocation& allocation = m_allocations[static_cast<std::size_t>(found - m_allocations.data())];
    allocation.freed = true;
    allocation.host.reset();
    m_used -= allocation.bytes;
    return {};
}

const Allocation* GlobalMemory::find(std::uint64_t address, std::uint64_t bytes) const
{
    const Allocation* found = lastAtOrBefore(m_allocations, address);
    const bool inside = found != nullptr && !found->freed && address - found->begin <= found->bytes &&
                        bytes <= found->bytes - (address - found->begin);
    return inside ? found : nullptr;
}

Result<std::byte*> GlobalMemory::range(std::uint64_t address, std::uint64_t bytes) const
{
    const Allocation* found = find(address, bytes);
    if (found == nullptr)
        return Error{"out-of-bounds",
                     "copy of " + std::to_string(bytes) + " bytes at " + describeAddress(*this, address),
                     {},
                     "Copy no more than was allocated."};
    return found->host.get() + (address - found->begin);
}

NearestAllocation GlobalMemory::nearest(std::uint64_t address) const
{
    NearestAllocation best;
    for (const Allocation& allocation : m_allocations) {
        const bool before = address < allocation.begin;
        const bool past = address >= allocation.end();
        const std::uint64_t distance = before ? allocation.begin - address : past ? address - allocation.end() + 1 : 0;
        if (best.allocation == nullptr || distance < best.distance)
            best = {&allocation, distance, before};
    }
    return best;
}

std::string hexText(std::uint64_t value)
{
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
    return text.data();
}

std::string describeAddress(const GlobalMemory& memory, std::uint64_t address)
{
    std::string text = "address " + hexText(address);
    const NearestAllocation near = memory.nearest(address);
    if (near.allocation == nullptr)
        return text + " (nothing is allocated)";
    const Allocation& a = *near.allocation;
    const std::string name = "'" + a.label + "' (" + std::to_string(a.bytes) + " bytes at " + hexText(a.begin) +
                             (a.freed ? ", freed earlier)" : ")");
    if (near.distance == 0)
        return text + ", byte " + std::to_string(address - a.begin) + " of " + name;
    if (near.before)
        return text + ", " + std::to_string(near.distance) + " bytes before the start of " + name;
    return text + ", " + std::to_string(near.distance) + " bytes past the last byte of " + name;
}

} // namespace ridge::gpu::simt
