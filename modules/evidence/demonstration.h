// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/rows.h"

namespace ridge::app {

/// A run that an instructor made in front of a class without a prediction. It stands in the record under a block of its
/// own, so that everybody can see what it was and nothing counts it: no check, no artifact, no step of the lesson.
std::string demonstrationBlock(const std::string& block);
bool isDemonstration(const record::RunRow& run);
bool isDemonstrationBlock(std::string_view block);
/// The lesson's block whose run it is, of a demonstration and of any other run.
std::string lessonBlockOf(const record::RunRow& run);

} // namespace ridge::app
