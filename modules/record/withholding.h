// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/rows.h"

#include <functional>

namespace ridge::record {

/// Asked before something about a lesson leaves the record: each gives the sentence that stands in its place, empty
/// when it may go. None set: everything may. Made by classroom::FeedbackPolicy, the one place that knows the rules.
struct Withholding {
    using Ask = std::function<std::string(const std::string& lesson)>;
    Ask result;     ///< what runs gave
    Ask prediction; ///< how far predictions were off
    Ask artifact;   ///< what is held for and against an artifact

    /// Also of no lesson: nobody holds that back.
    static std::string reason(const Ask& ask, const std::string& lesson)
    {
        return ask && !lesson.empty() ? ask(lesson) : std::string();
    }
};

/// Takes out what a run gave: metrics, limits, checks and timeline. What was run, where and when stays.
void withholdResult(RunRow& run);
/// The same of those whose own lesson is held back.
void withholdResults(const Withholding& held, std::vector<RunRow>& runs);

/// "The claim is stored. Week 1 shows this from 8 March 2027, 18:00 on."
std::string heldClaim(const std::string& reason);

/// Why parts of an artifact are not shown, a sentence each; empty: they are.
struct HeldParts {
    std::string result, prediction, artifact;
    bool any() const { return !result.empty() || !prediction.empty() || !artifact.empty(); }
};
HeldParts heldParts(const Withholding& held, const std::string& lesson);

/// Takes out of an artifact and of what it stands on whatever is held back: the claim, which was filled in from the
/// runs; what the runs gave, each by its own lesson; then and now of reproductions. A learner's other words stay. For
/// copies that are shown or written elsewhere, never for what is stored.
HeldParts withhold(const Withholding& held, ArtifactRow& artifact, std::vector<RunRow>& runs,
                   std::vector<ReproductionRow>& reproductions);

} // namespace ridge::record
