// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/memory.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace ridge::gpu::simt {

/// What device memory holds, to be put back.
class MemoryCopy {
public:
    explicit MemoryCopy(const GlobalMemory& memory) : m_memory(memory)
    {
        for (const Allocation& one : memory.allocations()) {
            std::unique_ptr<std::byte, Allocation::Release> bytes;
            if (!one.freed) {
                bytes.reset(static_cast<std::byte*>(std::malloc(one.bytes)));
                m_isWhole = m_isWhole && bytes;
                if (bytes)
                    std::memcpy(bytes.get(), one.host.get(), one.bytes);
            }
            m_bytes.push_back(std::move(bytes));
        }
    }
    ~MemoryCopy()
    {
        for (std::size_t at = 0; at < m_bytes.size(); ++at) {
            const Allocation& one = m_memory.allocations()[at];
            if (m_isWhole && m_bytes[at])
                std::memcpy(one.host.get(), m_bytes[at].get(), one.bytes);
        }
    }
    MemoryCopy(const MemoryCopy&) = delete;
    MemoryCopy& operator=(const MemoryCopy&) = delete;
    bool isWhole() const { return m_isWhole; }

private:
    const GlobalMemory& m_memory;
    std::vector<std::unique_ptr<std::byte, Allocation::Release>> m_bytes;
    bool m_isWhole = true;
};

} // namespace ridge::gpu::simt
