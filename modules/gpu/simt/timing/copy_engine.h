// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/timing/sm_state.h"

namespace ridge::gpu::simt {

/// The copies of one instruction of the copy engine: when all are done their phases are signalled.
struct BulkCopies {
    bool active = false;
    std::uint32_t remaining = 0; ///< transactions
    std::uint32_t block = 0;     ///< slot of the block that issued it, and which block that was
    std::uint64_t blockIndex = 0;
    std::uint64_t doneAt = 0;
    std::vector<PhaseNote> notes;
};

/// The copies that an SM's engine is at, by numbers that are used again.
class CopyEngine {
public:
    std::uint32_t begin(BulkCopies copies)
    {
        const auto free = std::find_if(m_all.begin(), m_all.end(), [](const BulkCopies& one) { return !one.active; });
        const auto id = static_cast<std::uint32_t>(free - m_all.begin());
        if (free == m_all.end())
            m_all.emplace_back();
        m_all[id] = std::move(copies);
        m_all[id].active = true;
        return id;
    }
    BulkCopies& operator[](std::uint32_t id) { return m_all[id]; }
    /// One transaction of it is done. Whether that was the last.
    bool finish(std::uint32_t id, std::uint64_t cycle)
    {
        BulkCopies& copies = m_all[id];
        copies.doneAt = std::max(copies.doneAt, cycle);
        copies.active = --copies.remaining != 0;
        return !copies.active;
    }

    std::uint64_t freeAt = 0; ///< when lines of the next copy may go out

private:
    std::vector<BulkCopies> m_all;
};

} // namespace ridge::gpu::simt
