// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/collect.h"

namespace ridge::classroom {

/// What the instructor says to work of one learner and lesson that could not be run again.
struct Decision {
    std::string assignment = {}; ///< as OpenClass::assignment
    std::string whom;            ///< as Remark::whom
    std::string lesson;          ///< may be empty where only one lesson of the learner's is open
    bool accept = false;         ///< it counts as it was handed in; else it counts nothing
    std::string by = {};         ///< who decides; empty: the teacher of the assignment
};

struct Decided {
    Person who;
    std::string lesson, by;
    double points = 0; ///< of the lesson, from now on
};

/// Keeps the decision and the grade that follows, and lets later regrading keep to it for as long as the learner does
/// not hand in anew. Deciding again replaces it. On the disk when this returns. Errors: "nothing-open" (all that was
/// handed in could be run again, or was not run again yet), "several-lessons", "bad-argument" (nobody decides), those
/// of say() about people and lessons, those of the database.
Result<Decided> decide(OpenClass& open, const Decision& decision);

} // namespace ridge::classroom
