// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/store.h"

namespace ridge::record {

/// How far an artifact's numbers can be relied on.
enum class TrustLevel {
    T0, ///< no run or grading stands behind the numbers, or the rows are not as they were stored
    T1, ///< runs measured, simulated or computed, or a kernel graded, by this program, the rows unchanged
    T2, ///< run again by somebody else, or on a second machine: reproduced, or within noise
    T3, ///< run again by somebody else on another GPU, with the same conclusion from the ratios
};

struct Trust {
    TrustLevel level = TrustLevel::T0;
    std::string why; ///< one sentence for the reader
};

std::string_view toText(TrustLevel level); ///< "T0" …

/// Why an artifact has T1 and no more, from its finished runs, of which there is one at least.
std::string whyFirstHand(const std::vector<RunRow>& runs);

/// From the rows alone: digests and chain of the artifact and its runs are checked, and what a reproduction says is
/// compared anew from the runs it names, or from the gradings it keeps. Somebody else is whose store has another origin
/// than the artifact and its runs. A local learner reaches T1 alone. Errors: those of reading the store.
Result<Trust> trustOf(const Store& store, const ArtifactRow& artifact);

} // namespace ridge::record
