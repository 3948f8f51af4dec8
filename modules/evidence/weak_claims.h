// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/rows.h"

#include <span>

namespace ridge::app {

/// An artifact with what stands behind it. The spans must outlive the call.
struct ClaimBasis {
    const record::ArtifactRow& artifact;
    std::span<const record::RunRow> runs;                   ///< of the artifact
    std::span<const record::ReproductionRow> reproductions; ///< of the artifact
    std::span<const record::PredictionRow> predictions = {};
};

enum class ClaimWeakness { NoBaseline, NoUnits, NoSpread, NoEnvironment, OnlySpeedUp };

/// What a reader could hold against a report, and what would answer it. A hint, never a refusal.
struct ClaimHint {
    ClaimWeakness weakness;
    std::string says; ///< one sentence
    std::string fix;  ///< one sentence in the imperative
    /// Where the fix goes in an editor: "claim", "runs", or the name of a section ("method").
    std::string field;
};

/// The weak-claim linter of curriculum section 10: no baseline, no units, no percentile, no environment, only a
/// speed-up. Looks at the numbers of title, claim and result, and at the runs. An artifact that states no number and
/// has no run gives no hint.
std::vector<ClaimHint> weakClaims(const ClaimBasis& basis);

/// One rung of the artifact ladder (curriculum sections 1 and 10).
struct TrustRung {
    int level;           ///< 1 to 5
    std::string asks;    ///< what this level is
    std::string missing; ///< what it lacks, in the imperative; empty: it is met
    std::string field;   ///< as in ClaimHint; "reproduce": it takes a second run elsewhere
};

/// All five rungs. A level is supported when it and all below it are met.
std::vector<TrustRung> ladder(const ClaimBasis& basis);
/// The highest level that the evidence supports; 0: not even notes.
int supportedLevel(std::span<const TrustRung> rungs);

} // namespace ridge::app
