// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/managed_pages.h"

#include <algorithm>
#include <list>

namespace ridge::memory {

namespace {

constexpr std::int64_t kMostTouches = std::int64_t{1} << 26;

/// Which blocks are in device memory, in the order in which they make room.
class DeviceMemory {
public:
    DeviceMemory(std::int64_t blocks, std::int64_t capacity, ManagedEviction evict)
        : m_place(std::size_t(blocks)), m_here(std::size_t(blocks), false), m_capacity(capacity), m_evict(evict)
    {
    }

    struct Touch {
        bool came = false, evicted = false;
    };

    Touch touch(std::int64_t block)
    {
        const auto at = std::size_t(block);
        if (m_here[at]) {
            if (m_evict == ManagedEviction::Used)
                m_order.splice(m_order.end(), m_order, m_place[at]);
            return {};
        }
        const bool full = std::int64_t(m_order.size()) == m_capacity;
        if (full) {
            m_here[std::size_t(m_order.front())] = false;
            m_order.pop_front();
        }
        m_place[at] = m_order.insert(m_order.end(), block);
        m_here[at] = true;
        return {true, full};
    }

private:
    std::list<std::int64_t> m_order;
    std::vector<std::list<std::int64_t>::iterator> m_place;
    std::vector<bool> m_here;
    std::int64_t m_capacity;
    ManagedEviction m_evict;
};

Error badUse(const char* what, const char* where, const char* fix)
{
    return Error{"bad-use", what, where, fix};
}

} // namespace

std::vector<std::int64_t> managedFaultSizes()
{
    constexpr int kLeaves = int(kManagedBlock / kManagedLeaf);
    std::vector<std::int64_t> sizes;
    int there = 0; // leaves from the begin on: a stream leaves no holes
    while (there < kLeaves) {
        const int leaf = there;
        int end = leaf + 1;
        // The largest aligned part around the leaf of which more than half is there with it.
        for (int part = 2; part <= kLeaves; part *= 2) {
            const int begin = leaf / part * part;
            if (2 * (end - begin) > part)
                end = std::max(end, begin + part);
        }
        sizes.push_back(std::int64_t(end - there) * kManagedLeaf);
        there = end;
    }
    return sizes;
}

Result<ManagedCost> playManaged(const ManagedMachine& machine, const ManagedUse& use)
{
    if (!(machine.bytesPerS > 0) || !(machine.linkBytesPerS > 0) || !(machine.faultSeconds >= 0))
        return badUse("a rate is not above 0, or the service of faults is below 0", "the machine",
                      "give both bandwidths and the time of a group of faults");
    if (use.arrays < 1 || use.passes < 1)
        return badUse("there is no array or no pass", "arrays, passes", "give at least 1 of each");
    const std::int64_t capacity = machine.capacity / kManagedBlock, steps = use.bytes / use.arrays / kManagedBlock;
    if (capacity < use.arrays)
        return badUse("the device memory holds less than one block of each array", "arrays",
                      "take fewer arrays or a larger memory");
    if (steps < 1)
        return badUse("the arrays are smaller than a block of 2 MiB each", "the working set",
                      "take at least 2 MiB an array");
    if (steps > kMostTouches / use.arrays / (use.passes + 1))
        return badUse("the passes touch more blocks than can be played", "the working set, passes",
                      "take a smaller working set or fewer passes");

    ManagedCost cost;
    DeviceMemory memory(steps * use.arrays, capacity, use.evict);
    const auto groups = std::int64_t(managedFaultSizes().size());
    const auto step = [&](std::int64_t at, bool counted) {
        bool came = false;
        for (std::int64_t array = 0; array < use.arrays; ++array) {
            const auto touch = memory.touch(at * use.arrays + array);
            came = came || touch.came;
            cost.touched += counted;
            cost.movedIn += counted && touch.came;
            cost.movedOut += counted && touch.evicted;
        }
        if (counted && came && !use.prefetched)
            cost.faultGroups += groups;
    };
    const auto walk = [&](std::int64_t from, std::int64_t to, bool counted, bool backwards = false) {
        for (std::int64_t at = from; at < to; ++at)
            step(backwards ? to - 1 - (at - from) : at, counted);
    };

    walk(0, steps, false);
    if (use.order == ManagedOrder::Tiled) {
        const std::int64_t tile = capacity / use.arrays;
        for (std::int64_t from = 0; from < steps; from += tile)
            for (int pass = 0; pass < use.passes; ++pass)
                walk(from, std::min(steps, from + tile), true);
    } else
        for (int pass = 0; pass < use.passes; ++pass)
            walk(0, steps, true, use.order == ManagedOrder::BackAndForth && pass % 2 == 0);

    cost.copySeconds = double(cost.movedIn + cost.movedOut) * double(kManagedBlock) / machine.linkBytesPerS;
    cost.faultSeconds = double(cost.faultGroups) * machine.faultSeconds;
    cost.readSeconds = double(cost.touched) * double(kManagedBlock) / machine.bytesPerS;
    return cost;
}

} // namespace ridge::memory
