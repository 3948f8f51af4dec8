// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/lesson_state.h"

namespace ridge::app {

/// Why the target of an experiment does not give a metric, and which does: it has no clock, or its newest run at
/// `point` gave none. Nothing: it does, or nobody knows yet. To be asked before a prediction is committed.
std::optional<Obstacle> cannotGive(const LessonState& state, AppContext& context, const std::string& experiment,
                                   const std::string& metric, const ParamSet& point);

} // namespace ridge::app
