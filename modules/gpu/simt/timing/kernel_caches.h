// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/timing/sm_setup.h"

#include <algorithm>
#include <vector>

namespace ridge::gpu::simt {

inline constexpr std::uint32_t kCodeChunk = 64; ///< instructions that the instruction cache asks for at a time

/// What an SM has of the kernel itself: its code in the instruction cache, its parameters in that of constants. Both
/// are empty when a launch begins, and nothing leaves them.
class KernelCaches {
public:
    explicit KernelCaches(const SmSetup& setup)
        : m_codeCycles(static_cast<std::uint64_t>(setup.chip->l1MissCycles)),
          m_constantCycles(static_cast<std::uint64_t>(setup.chip->constantMissCycles)),
          m_code(setup.kernel->ops.size() / kCodeChunk + 1, kNever)
    {
    }

    /// When a chunk of code is there. The first to need it asks for it and for the next one.
    std::uint64_t codeAt(std::uint32_t chunk, std::uint64_t now)
    {
        for (std::uint32_t at = chunk; at < std::min<std::size_t>(chunk + 2, m_code.size()); ++at)
            m_code[at] = m_code[at] == kNever ? now + m_codeCycles : m_code[at];
        return m_code[chunk];
    }
    /// When the parameters are there; the first to need them asks.
    std::uint64_t constantsAt(std::uint64_t now)
    {
        if (m_constants == kNever)
            m_constants = now + m_constantCycles;
        return m_constants;
    }

private:
    std::uint64_t m_codeCycles;
    std::uint64_t m_constantCycles;
    std::vector<std::uint64_t> m_code; ///< of each chunk; kNever: not asked for yet
    std::uint64_t m_constants = kNever;
};

} // namespace ridge::gpu::simt
