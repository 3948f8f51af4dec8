// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/lesson_evidence.h"

namespace ridge::lessons {

/// `{{run:block.metric@stride=8,offset=0}}` in an artifact's claim: a metric of the runs that `block` started, at the
/// point whose parameters have these values.
struct RunReference {
    std::string block;
    std::string metric;
    ParamSet at;
    std::string text; ///< as written, braces included
};

/// Errors: "bad-reference" with the form that is expected.
Result<RunReference> parseRunReference(std::string_view inside);

/// The references of a template in order. Malformed ones are left out; the linter reports them.
std::vector<RunReference> runReferences(std::string_view text);

/// The newest run that `reference.block` started at that point with that metric; null when there is none.
const EvidenceRun* newestRun(const RunReference& reference, const Evidence& evidence);

/// A claim with its numbers in place.
struct FilledTemplate {
    std::string text;                  ///< what has no run yet reads "[block metric at stride = 8: not run]"
    std::vector<RunReference> missing; ///< no run of that block at that point has the metric
};

/// The newest matching run counts. Runs that no block started (from the Lab) do not.
FilledTemplate fillTemplate(std::string_view text, const Evidence& evidence);

/// The references of a formula replaced by what the newest matching runs gave; those without a run are left as they
/// are.
std::string filledFromRuns(std::string_view formula, const Evidence& evidence);

/// True when every parameter in `wanted` has that value in `params` (numbers by value, not by type).
bool matches(const ParamSet& params, const ParamSet& wanted);

} // namespace ridge::lessons
