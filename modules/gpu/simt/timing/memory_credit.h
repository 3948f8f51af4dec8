// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/timing/chip_timing.h"
#include "gpu/simt/timing/timed_kernel.h"

#include <utility>
#include <vector>

namespace ridge::gpu::simt {

/// How much an SM may have on the way to L2, and whether somebody waits until it may have more. Stores and atomics have
/// a bound of their own: without it all that a kernel stores would wait in the network, and its warps end long before
/// an H200's do.
class MemoryCredit {
public:
    explicit MemoryCredit(const ChipTiming& chip)
        : m_chip(chip), m_lastStores(static_cast<std::size_t>(chip.storeQueue))
    {
    }

    /// Whether the instruction may go; if not, it is known that a warp waits.
    bool grants(const TimedOp& op)
    {
        const bool none = m_lines >= m_chip.pendingLines;
        const bool noneToStore = op.writesL2 && !mayStore();
        m_starved = m_starved || none;
        m_storesStarved = m_storesStarved || noneToStore;
        return !none && !noneToStore;
    }
    void lineLeaves(bool isStore)
    {
        ++m_lines;
        m_storeLines += isStore ? 1 : 0;
    }
    void lineArrives(bool isStore)
    {
        --m_lines;
        m_storeLines -= isStore ? 1 : 0;
    }
    /// A store has gone into the queue for the way out.
    void queueStore(std::uint32_t lines)
    {
        m_queuedLines += lines - m_lastStores[m_nextStore];
        m_lastStores[m_nextStore] = lines;
        m_nextStore = (m_nextStore + 1) % m_lastStores.size();
    }
    /// True if warps that wait for credit should try again.
    bool hasMore()
    {
        const bool more = m_starved && m_lines < m_chip.pendingLines;
        const bool moreToStore = m_storesStarved && mayStore();
        m_starved = m_starved && !more;
        m_storesStarved = m_storesStarved && !moreToStore;
        return more || moreToStore;
    }

private:
    /// The last stores may wait in the queue; what came before them must be on its way, and not too much of it.
    bool mayStore() const { return m_storeLines < m_chip.storeLines + m_queuedLines; }

    const ChipTiming& m_chip;
    std::uint32_t m_lines = 0;               ///< on their way
    std::uint32_t m_storeLines = 0;          ///< of them
    std::vector<std::uint32_t> m_lastStores; ///< lines of the last stores, as many as the queue holds: a ring
    std::size_t m_nextStore = 0;
    std::uint32_t m_queuedLines = 0; ///< of m_lastStores
    bool m_starved = false;          ///< a warp waits for lines in flight
    bool m_storesStarved = false;    ///< a warp waits for its stores' lines
};

} // namespace ridge::gpu::simt
