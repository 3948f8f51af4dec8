// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/collect.h"
#include "classroom/grade.h"

namespace ridge::classroom {

/// Something of a learner's that could not be run again here. Both texts may be shown to the learner: they quote
/// nothing of this machine.
struct NotRepeated {
    std::string what; ///< "the kernel saxpy.cu on sim:t4", "3 runs of coalescing on sim:t4"
    std::string why;  ///< "it took longer than it may (time-limit)"
    auto operator<=>(const NotRepeated&) const = default;
};

/// What of a lesson counts nothing because it could not be run again, until somebody decides.
struct OpenWork {
    double points = 0; ///< of the lesson's 100: what was handed in is worth so much more than what counts
    std::vector<NotRepeated> items;
    enum class Decision { None, Accepted, Left } decision = Decision::None;
    std::string decidedBy, decidedAt; ///< empty: nobody yet; decidedAt is ISO 8601 UTC

    /// Somebody has to look: points depend on it, and nobody said what becomes of them.
    bool isUndecided() const { return points > 0 && decision == Decision::None; }
};

/// Work of a learner and lesson that could not be run again here, and so counts nothing until somebody decides.
struct OpenLine {
    Person who;
    std::string lesson;
    OpenWork work;
};

/// "3 runs of coalescing on sim:t4: it took longer than it may (time-limit); …"
std::string reasonsText(const OpenWork& work);

/// Why something was not run again, in words for everybody, out of the error of whoever was to run it.
std::string whyNotRepeated(const Error& error);

/// The row of a lesson of which `items` could not be run again. `counted` is its grade without them, `claimed` the one
/// with them as they were handed in; both stay in the row, so that a decision needs nothing else. Without items it is
/// toRow(counted).
record::GradeRow openGradeRow(const LessonGrade& counted, const LessonGrade& claimed,
                              const std::vector<NotRepeated>& items);

/// What such a row says; none where all was run again.
std::optional<OpenWork> openWorkOf(const record::GradeRow& row);

/// Lets a decision about the row's submission count: the grade is what was handed in, or what could be run again.
void applyDecision(record::GradeRow& row, const record::DecisionRow& decision);

Json toJson(const OpenWork& work);
Json toJson(const OpenLine& line);

} // namespace ridge::classroom
