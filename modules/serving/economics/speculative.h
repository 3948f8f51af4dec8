// SPDX-License-Identifier: GPL-3.0-or-later
// Speculative decoding: a small model drafts tokens, the large one checks them all in one step (Leviathan et al., arXiv
// 2211.17192).
#pragma once

#include "base/seed.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ridge::serving {

struct SpeculativeSetting {
    double acceptance = 0.8;  ///< probability that a drafted token is kept, 0 to 1
    double draftLength = 4;   ///< tokens drafted at a time, 0 or more
    double costRatio = 0.1;   ///< a step of the draft model over one of the large model
    double batch = 1;         ///< sequences
    double ridgeTokens = 295; ///< tokens of a step beyond which the large model computes longer than it reads
};

/// Mean tokens of a step, the large model's own one included: (1 - a^(g + 1)) / (1 - a).
double tokensPerStep(double acceptance, double draftLength);
/// A check of g + 1 tokens of every sequence over a step of one: 1 while memory bounds both.
double verificationCost(const SpeculativeSetting& setting);
/// tokens of a step / (g x cost ratio + check). With batch 1 it is the paper's (1 - a^(g+1)) / ((1 - a)(g c + 1)).
double speculativeSpeedup(const SpeculativeSetting& setting);
/// The draft length from 0 to `most` with the greatest speed-up; the smallest of several.
int bestDraftLength(SpeculativeSetting setting, int most = 64);
/// The largest batch with a speed-up of 1 or more, whole; 0: none, kMostBatch: all.
double switchOffBatch(SpeculativeSetting setting);
inline constexpr double kMostBatch = 1 << 20;

struct SpeculativeRun {
    double tokensPerStep = 0;
    double speedup = 0;
    std::vector<std::uint64_t> steps; ///< by the tokens that they gave, from 1 to draft length + 1
};
/// `count` steps, token by token. draftLength is whole.
SpeculativeRun simulateSpeculative(const SpeculativeSetting& setting, std::uint64_t count, Rng& rng);

/// Draws `count` tokens by the paper's rule from a draft distribution that overlaps with the target's in `acceptance`,
/// and holds their counts to the target's: Pearson's chi-square with `freedom` degrees. `accepted`: share of drafts
/// kept.
struct OutputTest {
    double chiSquare = 0;
    int freedom = 0;
    double limit = 0; ///< of chi-square at a probability of 0.001
    double accepted = 0;
};
OutputTest testOutput(double acceptance, std::uint64_t count, Rng& rng);

} // namespace ridge::serving
