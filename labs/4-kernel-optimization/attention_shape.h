// SPDX-License-Identifier: GPL-3.0-or-later
// Attention of n queries over n keys: sizes, and the bytes and operations that follow from them. The one owner of these
// formulas.
#pragma once

#include "labs/harness/ladder.h"

namespace ridge::labs {

enum AttentionRung : std::size_t {
    kAttentionThree,
    kAttentionFused,
    kAttentionOnline,
    kAttentionTiled,
    kAttentionThreeMma,
    kAttentionTiledMma,
    kAttentionAsync,
    kAttentionHopper,
    kAttentionPingpong,
};

std::span<const Rung> attentionRungs();

/// Operations that a rung executes on elements that exist; of a tile's masked elements, too, where it computes them. A
/// fused multiply-add is two, everything else one: comparison, difference, exponential, product, quotient.
struct AttentionWork {
    double products = 0;     ///< Q K^T and P V
    double softmax = 0;      ///< all else: scaling, maxima, exponentials, sums, rescaling, divisions
    double exponentials = 0; ///< among these
    double all() const { return products + softmax; }
};

struct AttentionShape {
    std::size_t rung = kAttentionThree;
    std::uint64_t heads = 1; ///< of all sequences together
    std::uint64_t group = 1; ///< so many of them in turn share a head of K and V
    std::uint64_t n = 1;     ///< queries, and keys
    std::uint32_t headDim = 64;
    std::uint32_t elementBytes = 2; ///< of Q, K, V, scores and weights: 2 (fp16) or 4 (fp32); sums are fp32
    std::uint32_t reach = 1;        ///< query i sees the keys before min(n, i + reach)

    std::uint64_t pitch() const { return ceilDiv(n, 8) * 8; } ///< of a row of scores, in elements
    std::uint64_t seen(std::uint64_t query) const { return std::min<std::uint64_t>(n, query + reach); }
    std::uint64_t elements() const { return heads * n * headDim; }   ///< of Q, of the output
    std::uint64_t keyElements() const { return elements() / group; } ///< of K, of V
    std::uint64_t scoreElements() const { return heads * n * pitch(); }
    /// Q, K and V in, the result out.
    UsefulBytes bytes() const;

    // ---- memory ----
    std::uint64_t inputBytes() const { return (elements() + 2 * keyElements()) * elementBytes; }
    std::uint64_t outputBytes() const { return 4 * elements(); }
    std::uint64_t scoreBytes() const { return storesScores() ? scoreElements() * elementBytes : 0; }
    std::uint64_t weightBytes() const { return launches() == 3 ? scoreElements() * elementBytes : 0; }
    std::uint64_t extraBytes() const { return scoreBytes() + weightBytes(); }
    std::uint64_t peakBytes() const { return inputBytes() + outputBytes() + extraBytes(); }

    // ---- traffic ----
    /// Device memory: each launch reads what it is given once and writes what it makes once.
    UsefulBytes deviceTraffic() const;
    /// What the lanes of all launches load and store, from wherever it comes.
    UsefulBytes laneTraffic() const;

    // ---- arithmetic ----
    std::uint64_t pairs() const; ///< of a query and a key that it sees, all heads
    double usefulFlops() const { return 4.0 * static_cast<double>(pairs()) * headDim; }
    AttentionWork work() const;

    // ---- launches ----
    std::uint64_t queriesABlock() const; ///< of the rungs with one launch
    std::uint64_t keysATile() const { return usesTensorMaps() ? 128 : usesMma() ? 64 : 32; }
    std::uint64_t launches() const { return rung == kAttentionFused ? 2 : storesScores() ? 3 : 1; }
    bool usesMma() const { return rung >= kAttentionThreeMma; }
    bool usesTensorMaps() const { return rung > kAttentionAsync; } ///< wgmma, too: Hopper alone
    bool sharesKeys() const { return rung >= kAttentionAsync; }    ///< between the heads of a group
    std::uint64_t sharedBytes() const; ///< that a launch asks for, beside what its kernel declares
    bool storesScores() const { return rung <= kAttentionFused || rung == kAttentionThreeMma; }

private:
    std::uint64_t tilesOf(std::uint64_t block) const; ///< tiles of keys that a block of queries walks over
    std::uint64_t blocks() const { return ceilDiv(n, queriesABlock()); }
};

} // namespace ridge::labs
