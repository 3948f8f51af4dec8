// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/timing/memory_system.h"

#include <bit>

namespace ridge::gpu::simt {

/// The L1 of an SM: tags, and for each line the transactions that wait for sectors of it.
class L1Cache {
public:
    L1Cache(std::uint32_t lines, std::uint32_t ways) : m_tags(lines, ways) {}

    /// One line of a load: what is there, what is on its way, what must be asked for.
    struct Lookup {
        std::uint32_t line = kNoLine; ///< that waits; kNoLine: what is asked for passes by
        std::uint32_t hits = 0;       ///< sectors there or on their way, as Nsight Compute counts
        std::uint8_t missing = 0;     ///< sectors that are not there yet
        std::uint8_t toAsk = 0;       ///< of these: not on their way
    };
    /// `pastL1`: neither looks nor keeps.
    Lookup lookUp(std::uint64_t tag, std::uint8_t sectors, std::uint32_t transaction, bool pastL1);
    /// Whole sectors that a store has written.
    void keep(std::uint64_t tag, std::uint8_t sectors);
    /// Sectors of a line arrive. `done` is called with each transaction that has all it waited for there.
    template<typename Done>
    void fill(std::uint32_t at, std::uint8_t sectors, Done done);

private:
    struct Waiter {
        std::uint32_t next = kNoLine;
        std::uint32_t transaction = 0;
        std::uint8_t sectors = 0;
    };

    SectorCache m_tags;
    std::vector<Waiter> m_waiters;
    std::uint32_t m_freeWaiter = kNoLine;
};

inline L1Cache::Lookup L1Cache::lookUp(std::uint64_t tag, std::uint8_t sectors, std::uint32_t transaction, bool pastL1)
{
    std::uint32_t at = pastL1 ? kNoLine : m_tags.find(tag);
    const std::uint8_t there = at == kNoLine ? std::uint8_t{0} : m_tags.line(at).valid;
    const auto known = static_cast<std::uint8_t>(at == kNoLine ? 0 : sectors & (there | m_tags.line(at).pending));
    Lookup found;
    found.hits = static_cast<std::uint32_t>(std::popcount(known));
    found.missing = found.toAsk = static_cast<std::uint8_t>(sectors & ~there);
    if (found.missing == 0) {
        m_tags.touch(at);
        return found;
    }
    if (at == kNoLine && !pastL1)
        at = m_tags.allocate(tag);
    if (at == kNoLine) // no room, or not wanted there
        return found;
    SectorCache::Line& line = m_tags.line(at);
    m_tags.touch(at);
    std::uint32_t waiter = m_freeWaiter;
    if (waiter == kNoLine) {
        waiter = static_cast<std::uint32_t>(m_waiters.size());
        m_waiters.emplace_back();
    } else {
        m_freeWaiter = m_waiters[waiter].next;
    }
    m_waiters[waiter] = {line.waiters, transaction, found.missing};
    line.waiters = waiter;
    found.line = at;
    found.toAsk = static_cast<std::uint8_t>(found.missing & ~line.pending);
    line.pending |= found.missing;
    return found;
}

inline void L1Cache::keep(std::uint64_t tag, std::uint8_t sectors)
{
    std::uint32_t at = m_tags.find(tag);
    at = at == kNoLine ? m_tags.allocate(tag) : at;
    if (at == kNoLine)
        return;
    m_tags.line(at).valid |= sectors;
    m_tags.touch(at);
}

template<typename Done>
void L1Cache::fill(std::uint32_t at, std::uint8_t sectors, Done done)
{
    SectorCache::Line& line = m_tags.line(at);
    line.valid |= sectors;
    line.pending = static_cast<std::uint8_t>(line.pending & ~sectors);
    std::uint32_t* link = &line.waiters;
    while (*link != kNoLine) {
        Waiter& waiter = m_waiters[*link];
        waiter.sectors = static_cast<std::uint8_t>(waiter.sectors & ~sectors);
        if (waiter.sectors != 0) {
            link = &waiter.next;
            continue;
        }
        const std::uint32_t freed = *link;
        const std::uint32_t transaction = waiter.transaction;
        *link = waiter.next;
        m_waiters[freed].next = m_freeWaiter;
        m_freeWaiter = freed;
        done(transaction);
    }
}

} // namespace ridge::gpu::simt
