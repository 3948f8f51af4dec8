// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/timing/sm_state.h"

namespace ridge::gpu::simt {

/// A warp instruction that waits for memory.
struct Transaction {
    std::uint32_t next = kNoLine; ///< free list
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
    std::uint32_t remaining = 0; ///< lines
    std::uint32_t dataCycles = 1;
    std::uint8_t counter = kNoCounter;
    bool isStore = false;
    std::uint32_t copyGroup = kNoLine;
    std::uint32_t bulk = kNoLine; ///< of the copy engine; kNoLine: it is not a bulk copy
    std::uint64_t doneAt = 0;
};

/// Those of one SM, by numbers that are used again.
class Transactions {
public:
    std::uint32_t add(const Transaction& transaction)
    {
        if (m_free == kNoLine) {
            m_all.push_back(transaction);
            return static_cast<std::uint32_t>(m_all.size() - 1);
        }
        const std::uint32_t id = m_free;
        m_free = m_all[id].next;
        m_all[id] = transaction;
        return id;
    }
    void remove(std::uint32_t id)
    {
        m_all[id].next = m_free;
        m_free = id;
    }
    Transaction& operator[](std::uint32_t id) { return m_all[id]; }

private:
    std::vector<Transaction> m_all;
    std::uint32_t m_free = kNoLine;
};

} // namespace ridge::gpu::simt
