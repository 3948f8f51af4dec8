// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/state.h"

namespace ridge::gpu::simt {

/// Words of 8 bytes of a warp's registers that a clock was read into or that were computed from such; empty where the
/// kernel reads none.
std::vector<bool> timedWords(const KernelImage& image);

/// Looks at memory and barriers that others may change.
inline std::uint64_t looksOf(const LaunchState& state)
{
    return state.counters.globalLoadRequests + state.counters.sharedLoadRequests + state.globalAtomics +
           state.barrierTests;
}

/// Instructions in which a loop looks and nothing changes but the clock, before it counts as endless: as many
/// nanoseconds pass for a functional launch. What only waits for a time to pass is never called endless.
inline constexpr std::uint64_t kLongWait = std::uint64_t{1} << 23;
/// Where a kernel reads clocks, states are compared once in so many rounds.
inline constexpr std::uint64_t kTimedRounds = 64;

/// Proves that a block will run for ever: registers and positions of all its warps come back to what they were, and
/// between the two no store was made, no atomic changed memory, no barrier opened and no thread exited. Execution is
/// deterministic, so that what happened once happens again. A loop that counts is never called endless. One that reads
/// a clock never comes back to what it was: it is called endless where for a very long time nothing has changed but
/// what follows from the clock, which waits of libcu++ (an mbarrier that nobody completes) look at to sleep longer.
class ProgressWatch {
public:
    void startBlock();
    /// After each round in which every warp had its turn and which reset LaunchState::changed at its start. Costs a
    /// comparison as long as something changes.
    bool isStuck(const std::vector<Warp>& warps, const LaunchState& state);

    /// Whether global memory was read, atomically or not, since the state that came back: another block may write it.
    bool looksAtGlobal(const LaunchState& state) const { return looks(state) != m_globalLooks; }

    /// Of the registers and positions of all warps; a block that does nothing else than look comes back to it.
    static std::uint64_t hashOf(const std::vector<Warp>& warps, std::uint32_t registerBytes,
                                const std::vector<bool>& leftOut = {});

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
    std::uint64_t m_calmHash = 0; ///< of what does not follow from the clock
    std::uint64_t m_since = 0;    ///< instructions when something changed last
    std::uint64_t m_looks = 0;    ///< looksOf() then
    std::uint64_t m_globalLooks = 0;
    std::vector<bool> m_timed;
    const KernelImage* m_image = nullptr;
};

} // namespace ridge::gpu::simt
