// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/timing/sm_setup.h"

#include <algorithm>
#include <vector>

namespace ridge::gpu::simt {

/// The places of blocks that have ended on an SM: each may be taken again only some time later, and one after another.
class BlockPlaces {
public:
    explicit BlockPlaces(const ChipTiming& chip) : m_chip(chip) {}

    /// A block of so many warps has ended.
    void leave(std::uint64_t now, std::uint64_t ended, std::size_t warps)
    {
        if (const auto cycles = static_cast<std::uint64_t>(m_chip.blockCycles); cycles != 0)
            m_left.push_back(std::max(ended + cycles, m_next));
        m_next = (m_left.empty() ? now : m_left.back()) +
                 static_cast<std::uint64_t>(m_chip.blockInterval + m_chip.warpInterval * static_cast<double>(warps));
    }
    void standAt(std::uint64_t now)
    {
        m_left.erase(m_left.begin(),
                     std::find_if(m_left.begin(), m_left.end(), [&](std::uint64_t until) { return until > now; }));
    }
    std::uint32_t closed() const { return static_cast<std::uint32_t>(m_left.size()); } ///< that may not be taken yet
    std::uint64_t next() const { return m_left.empty() ? kNever : m_left.front(); }    ///< when one of them may

private:
    const ChipTiming& m_chip;
    std::vector<std::uint64_t> m_left; ///< until when no block can have them, ascending
    std::uint64_t m_next = 0;          ///< when the next of those that are left from now on may be taken
};

} // namespace ridge::gpu::simt
