// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace ridge {

/// Why a kernel was rejected, for whoever wrote it.
struct ReasonWords {
    std::string title;  ///< what is the matter, a sentence without a full stop
    std::string advice; ///< what to do, as sentences; empty for "launch-failed" alone, whose text says all there is
};

/// Of a GradeReason's id; a title made of the id itself where it is none of gradeReasonIds().
ReasonWords reasonWords(const std::string& id);

/// Every id that a verdict can name, those of docs/kernels.md.
std::vector<std::string> gradeReasonIds();

} // namespace ridge
