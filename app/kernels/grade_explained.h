// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/kernels/kernel_grading.h"

namespace ridge::app {

/// What an accepted grading says of the kernel's speed. Sentences of rules over its own figures.
struct GradeExplanation {
    QString limit;  ///< what no kernel can beat here, and how far this one is from it; empty: not known
    QString ours;   ///< the same of our solution; empty: not known
    QString change; ///< what to change first, and the points that are in it; empty: nothing was compared
    bool operator==(const GradeExplanation&) const = default;
};

/// None of a rejected kernel: its reasons say what to do.
std::optional<GradeExplanation> explainGrade(const GradedKernel& graded);

} // namespace ridge::app
