// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/lesson_evidence.h"

#include <functional>
#include <span>

namespace ridge::lessons {

/// Points of a curve that have to be new to the record for it to count.
inline constexpr std::size_t kLeastDrawn = 3;

/// "stride" of "stride=1..33"; empty where there is no '='.
std::string axisOf(const std::string& sweep);

/// `set` under the setting of the n-th curve: none for the first one, `again` in turn from then on.
ParamSet settingOf(const DrawBlock& block, int instance);

/// One place of the axis: what was drawn, what was measured.
struct DrawnPoint {
    double x = 0, drawn = 0, measured = 0;
};

/// How far a drawn curve is off on the whole, as a share: on a log scale the mean factor less 1 (0.25: a factor of 1.25
/// on average), on a linear one the mean distance over the mean size of what was measured. A log scale with a value
/// that is not above 0 is averaged as a linear one. No value for no point and where everything measured is 0.
std::optional<double> curveError(std::span<const DrawnPoint> points, bool logScale);

/// The drawn curve beside the newest runs at its setting that came after it; what the record held before is left out.
std::vector<DrawnPoint> comparedCurve(const DrawBlock& block, const EvidenceAnswer& answer, const Evidence& evidence);

/// Which curve a reader is asked for: the first whose points the record does not mostly hold, and none that was drawn
/// already. The last one where there is no other.
int nextInstance(const DrawBlock& block, const std::vector<int>& drawn, const std::function<bool(int)>& held);

} // namespace ridge::lessons
