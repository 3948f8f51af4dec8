// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/pin_board.h"
#include "base/experiment_info.h"

#include <QStringList>

namespace ridge::app {

/// Whether two values of a parameter are the same, however the number is stored.
bool sameValue(const ParamValue& a, const ParamValue& b);

/// Where the values of a parameter stand along the bottom of charts that share it.
struct ComparedAxis {
    std::vector<ParamValue> values; ///< of a choice those that a pin has, in its own order; empty: numbers
    QStringList names;              ///< what they are called

    std::optional<double> placeOf(const ParamValue& value) const; ///< 1, 2 … of a choice
};

/// The axis of `parameter` for those runs of all pins that have the metric.
ComparedAxis comparedAxis(std::span<const Pin> pins, std::span<const ExperimentInfo> experiments,
                          const std::string& parameter, const std::string& metric);

/// What the pins were swept over: `preferred` where it was, else the parameter with the most values in one pin, or,
/// where each is a single run, among all of them. Nothing varies: `preferred`.
std::string sweptParameter(std::span<const Pin> pins, std::span<const ParamSpec> parameters,
                           const std::string& preferred);

/// Values of a parameter at which every pin has a finished run: numbers ascending, choices as the first pin has them.
std::vector<ParamValue> commonPoints(std::span<const Pin> pins, const std::string& parameter);

} // namespace ridge::app
