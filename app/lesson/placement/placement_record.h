// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/placement.h"
#include "record/rows.h"

#include <QString>

namespace ridge::app {

/// What the store knows of the questions that say where to begin. They are answers of a lesson called "placement";
/// {"attempt": …} tells which answers were given in one go, a number where one was given.
struct PlacementAttempt {
    QString id; ///< empty: it was never begun
    std::vector<lessons::PlacementAnswer> answers;
};

/// The newest attempt. Rows of questions that are not asked any more are passed over; of several answers to one
/// question in an attempt the first counts.
PlacementAttempt newestAttempt(const lessons::Placement& placement, std::vector<record::AnswerRow> rows);

/// `value`: absent where "I do not know" was chosen.
record::AnswerRow placementRow(const lessons::PlacementQuestion& question, const QString& attempt,
                               std::optional<double> value);

} // namespace ridge::app
