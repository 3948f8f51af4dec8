// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ridge::gpu::simt {

inline constexpr std::uint32_t kNoPhase = ~std::uint32_t{0};

/// What the clock must know of mbarriers and of the barriers of clusters. Every phase of one has a number in the
/// launch; streams name the phases that instructions signal or wait for (PhaseNote). Functional execution runs ahead,
/// so that a phase is complete here before its signals happen in time; only then is their number final. Filled between
/// epochs, read during them.
struct PhaseBook {
    struct Phase {
        std::uint32_t signals = 0; ///< notes in all streams
        bool complete = false;
        bool ofCluster = false; ///< all blocks of the cluster wait for it; otherwise those of `home`
        std::uint64_t home = 0; ///< linear index of the block whose memory holds the barrier, or of one of the cluster
    };
    /// The phases of one mbarrier that can still be asked for.
    struct Pair {
        std::uint32_t current = kNoPhase;
        std::uint32_t last = kNoPhase; ///< kNoPhase: none is complete yet
    };
    std::vector<Phase> phases;
    std::unordered_map<const std::byte*, Pair> barriers; ///< by the place of the object on the host

    std::uint32_t open(std::uint64_t home, bool ofCluster)
    {
        phases.push_back({0, false, ofCluster, home});
        return static_cast<std::uint32_t>(phases.size() - 1);
    }
};

/// An instruction signals a phase, or goes on only when it is complete.
struct PhaseNote {
    std::uint32_t visit = 0; ///< number of the visit, counted from the warp's start
    std::uint32_t microOp = 0;
    std::uint32_t phase = kNoPhase;
    bool waits = false;
    bool isRemote = false; ///< the signal goes to other SMs
};

} // namespace ridge::gpu::simt
