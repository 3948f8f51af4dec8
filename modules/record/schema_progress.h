// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

namespace ridge::record {

/// The statements of step 7: the view `mastery` with the first answers to a lesson's questions.
QStringList firstAnswersCount();

} // namespace ridge::record
