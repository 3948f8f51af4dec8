// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/class_report.h"
#include "lessons/curriculum.h"

#include <QString>

namespace ridge::app {

/// What the dashboard says about a class. Pure functions of a report.

/// A name or pseudonym on one line, as it stands in a table. Whatever is in it is text and nothing else.
QString personName(const classroom::Person& person);
/// Words from outside between two marks that keep their writing direction to themselves (Unicode UAX #9, FSI and PDI).
QString isolated(const QString& words);
/// Where a tool tip is meant to show these very words: Qt takes what looks like HTML for HTML.
QString asToolTip(const QString& words);

/// "predicted" as "Predicted", in the order of classroom::steps().
QString stepTitle(std::size_t step);
/// One letter each: P R C S E. Never the only mark: the box is empty or has a tick.
QString stepLetter(std::size_t step);
/// "P predicted · R ran · …"
QString stepKey();
/// What has not been done, of the policy's name of a step: "no artifact yet".
QString openStepText(const std::string& step);
bool stepDone(const classroom::LessonSteps& steps, std::size_t step);

/// "2.4 Coalescing", or the number alone where the curriculum has no such lesson.
QString lessonName(const lessons::Curriculum& curriculum, const std::string& lesson);
/// "4 to 8 sectors/request", "1 µs to 2 µs".
QString rangeText(double low, double high, const QString& unit);
/// A metric's name as words: "sectors_per_request" as "sectors per request".
QString metricWords(const std::string& metric);

/// "12 of 14 have handed in, 2 of them late. 5 are done with every step."
QString overviewText(const classroom::ClassReport& report);

/// A result far off what the class has, as a matter to talk about. `named` puts the person in.
QString outlierText(const classroom::Outlier& outlier);
QString outlierQuestion(const classroom::Outlier& outlier, bool named);
/// Kernels that are alike, and what that says and does not say. Without `named` how many people it is about.
QString alikeText(const classroom::AlikeKernels& alike, bool named);
QString alikeQuestion(const classroom::AlikeKernels& alike);

/// Learners who stand before the same step and check of the same lesson.
struct StuckGroup {
    std::string lesson, step, check;
    std::vector<classroom::StuckLearner> learners;
};
/// Largest first.
std::vector<StuckGroup> stuckGroups(const classroom::ClassReport& report);
/// "2.4 Coalescing: a run is missing; first open check “…”"
QString stuckText(const StuckGroup& group, const QString& lesson);

/// The report with questions and misconceptions as words, without the marks of Markdown.
classroom::ClassReport withPlainTexts(classroom::ClassReport report, const lessons::Curriculum& curriculum);

/// So many learners stand behind a distribution before it is shown: fewer could be told by their figures.
inline constexpr int kLeastAnonymous = 5;

} // namespace ridge::app
