// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/lesson.h"

#include <algorithm>
#include <string_view>

namespace ridge::lessons {

/// A control of a challenge as its lesson writes it: "chip", or "fma_per_16=1,4,16", which takes several values at once
/// and begins with those. One press then runs each of them.
inline std::string controlName(std::string_view control)
{
    return std::string(control.substr(0, control.find('=')));
}
inline bool takesSeveral(std::string_view control)
{
    return control.find('=') != std::string_view::npos;
}

/// The parameters that controls change, in their order.
inline std::vector<std::string> controlNames(const std::vector<std::string>& controls)
{
    std::vector<std::string> names;
    std::ranges::transform(controls, std::back_inserter(names), controlName);
    return names;
}

/// One press of a challenge's button.
struct ChallengeTry {
    ParamSet set;                                           ///< controls with one value
    std::map<std::string, std::vector<ParamValue>> several; ///< controls with several: it runs every combination
};
/// The presses that run the solution. Points that differ only in controls which take several values are one press where
/// all their combinations are points of the solution.
std::vector<ChallengeTry> triesOf(const ChallengeBlock& block);

/// What a reader who makes no detour clicks, beside typing and answers: predictions and curves to commit, runs, sweeps
/// (each as often as a check demands), tries, the artifact. At most kMostClicks in a lesson (journey J2).
inline constexpr int kMostClicks = 12;
int clicksOf(const Lesson& lesson);

} // namespace ridge::lessons
