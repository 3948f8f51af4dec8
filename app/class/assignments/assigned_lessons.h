// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "classroom/grade.h"

#include <QWidget>

namespace ridge::app {

/// How far a learner is in an assigned lesson, as the teacher's matrix will have it.
struct AssignedStanding {
    std::string id;
    QString title;
    int minutes = 0;
    bool kernel = false;  ///< a kernel to write; it has no page, the bench is where one works on it
    bool here = true;     ///< the lesson is in this version of the program
    bool sameText = true; ///< and it is the text that was assigned
    classroom::LessonSteps steps;
    QString passedHeld; ///< why it is not told whether the checks pass; empty: it is
    bool operator==(const AssignedStanding&) const = default;
};
std::vector<AssignedStanding> standingsOf(AppContext& context, const classroom::Assignment& assignment);
/// Steps that are done, and those there are, over all lessons; what is held back counts as open.
std::pair<int, int> stepsDone(const std::vector<AssignedStanding>& lessons);

/// The lessons of an assignment: title, a mark for each of the five steps, and the way in.
class AssignedLessons : public QWidget {
    Q_OBJECT
public:
    /// `open`: with a button that leads to each lesson; without one (a preview) the steps are left out as well.
    AssignedLessons(AppContext& context, const std::vector<AssignedStanding>& lessons, bool open,
                    QWidget* parent = nullptr);
};

} // namespace ridge::app
