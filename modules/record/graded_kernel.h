// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_request.h"
#include "base/kernel_verdict.h"
#include "record/rows.h"

#include <map>
#include <optional>
#include <vector>

namespace ridge::record {

class Store;

/// A kernel that was graded for a task stands in the record as an artifact of the lesson "kernel-<task>": no run is
/// behind it, the grading is what can be done again (record/grading_again.h).
inline constexpr const char* kGradedKernelPrefix = "kernel-";
inline constexpr const char* kGradingSource = "ridge kernel grade"; ///< of its figures
inline constexpr const char* kGradedOn = "graded_on";               ///< of its fingerprint: the target
inline constexpr const char* kPointsOf =
    "points_of"; ///< of its figures, where time was not graded: what `points` is of

/// The value of that figure. None where all of the 100 points could be earned, and of a rejected kernel.
std::optional<double> pointsOf(const GradeVerdict& verdict);

bool isGradedKernel(const ArtifactRow& artifact);

/// What a grading that was kept came to.
struct KernelStanding {
    bool right = false; ///< in every case
    double percent = 0; ///< of the points that could be earned
    bool operator==(const KernelStanding&) const = default;
};
/// None where the artifact is no graded kernel or was taken away.
std::optional<KernelStanding> standingOf(const ArtifactRow& artifact);
/// The best of each task, by its id; tasks without a grading are left out.
std::map<std::string, KernelStanding> bestStandings(const std::vector<ArtifactRow>& artifacts);
/// The same of what a store holds, or of one task of it alone; none where it cannot be read.
std::map<std::string, KernelStanding> bestStandings(const Store& store, const std::string& task = {});
/// "accepted, 97 %", "rejected so far" or "not begun", for lists.
std::string standingText(const std::map<std::string, KernelStanding>& standings, const std::string& task);

/// The line that grades it again, for a POSIX shell; `file` is where its code lies, by default the name that it was
/// kept under. None where the artifact is no graded kernel.
std::optional<std::string> gradeCommand(const ArtifactRow& artifact, std::string file = {});

/// What the machine that measured was seen to reach, where it was calibrated (`ridge calibrate`): the roof to judge
/// measured facts by. None for a simulated chip, which is what its file says, and where there is no calibration.
std::optional<GradeRoof> calibratedRoof(const Store& store, const GradeFacts& facts);

/// What is kept of a grading (ArtifactRow::grading) so that it can be done again and the two set side by side.
struct KeptGrading {
    std::string sourceSha256; ///< of the text that was graded
    std::string secret;       ///< what hidden cases and data were drawn from; the next grading has another
    /// With the roof that it was judged by, so that judge() gives the verdict again; without the machine, which the
    /// row's fingerprint has, and of a detector's report with its code alone.
    GradeFacts facts;
};
KeptGrading keptGrading(const KernelGradeRequest& request, GradeFacts facts, const GradeVerdict& verdict);
Json toJson(const KeptGrading& grading);
/// Errors: "bad-row", "bad-protocol".
Result<KeptGrading> keptGradingFromJson(const Json& json);

} // namespace ridge::record
