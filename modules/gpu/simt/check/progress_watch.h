// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/state.h"

namespace ridge::gpu::simt {

/// Proves that a block will run for ever: registers and positions of all its warps come back to what they were, and
/// between the two no store was made, no atomic changed memory, no barrier opened and no thread exited. Execution is
/// deterministic, so that what happened once happens again. A loop that counts is never called endless.
class ProgressWatch {
public:
    void startBlock() { *this = {}; }
    /// After each round in which every warp had its turn and which reset LaunchState::changed at its start. Costs a
    /// comparison as long as something changes.
    bool isStuck(const std::vector<Warp>& warps, const LaunchState& state);

    /// Whether global memory was read, atomically or not, since the state that came back: another block may write it.
    bool looksAtGlobal(const LaunchState& state) const { return looks(state) != m_globalLooks; }

    /// Of the registers and positions of all warps; a block that does nothing else than look comes back to it.
    static std::uint64_t hashOf(const std::vector<Warp>& warps, std::uint32_t registerBytes);

private:
    static std::uint64_t looks(const LaunchState& state)
    {
        return state.counters.globalLoadRequests + state.globalAtomics;
    }
    std::uint64_t m_barriers = 0;
    std::uint64_t m_live = 0;
    std::uint64_t m_quiet = 0; ///< rounds without a change
    std::uint64_t m_power = 0; ///< Brent's algorithm: the state to compare with is taken anew at powers of two
    std::uint64_t m_hash = 0;
    std::uint64_t m_globalLooks = 0;
};

} // namespace ridge::gpu::simt
