// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/rows.h"

#include <optional>

namespace ridge::record {

/// A kernel that was graded for a task stands in the record as an artifact of the lesson "kernel-<task>": no run is
/// behind it, the grading is what can be done again.
inline constexpr const char* kGradedKernelPrefix = "kernel-";
inline constexpr const char* kGradingSource = "ridge kernel grade"; ///< of its figures
inline constexpr const char* kGradedOn = "graded_on";               ///< of its fingerprint: the target

bool isGradedKernel(const ArtifactRow& artifact);

/// The line that grades it again, for a POSIX shell; `file` is where its code lies, by default the name that it was
/// kept under. None where the artifact is no graded kernel.
std::optional<std::string> gradeCommand(const ArtifactRow& artifact, std::string file = {});

} // namespace ridge::record
