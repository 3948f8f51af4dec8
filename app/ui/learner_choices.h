// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/curriculum.h"

#include <QString>
#include <optional>

namespace ridge::app {

enum class Experience { New, Programmer, Cuda };

/// What a learner said on the first screen. Preferences of this machine (QSettings learner/path, learner/background,
/// learner/hours, learner/asked); progress is never among them.
struct LearnerChoices {
    QString path; ///< id of a LessonPath; empty: the first one
    Experience background = Experience::Programmer;
    int hoursAWeek = 3;
    bool operator==(const LearnerChoices&) const = default;
};
inline constexpr std::array kHoursAWeek = {1, 3, 6};

LearnerChoices learnerChoices();
void saveLearnerChoices(const LearnerChoices& choices);
/// The first screen was answered or skipped: it does not come again.
bool learnerWasAsked();
void noteLearnerAsked();

/// The lessons of a path as this learner meets them: the foundations first for somebody new to GPUs, last for somebody
/// who has written CUDA. Ids, also of lessons not written yet. Empty where the curriculum has no paths.
std::vector<std::string> lessonsOf(const lessons::Curriculum& curriculum, const LearnerChoices& choices);
/// The chosen path, else the first; null where there is none.
const lessons::LessonPath* pathOf(const lessons::Curriculum& curriculum, const LearnerChoices& choices);

/// Weeks that a path of so many lessons takes at most: a lesson takes 30 minutes at most (docs/authoring.md).
int weeksFor(std::size_t lessonCount, int hoursAWeek);

} // namespace ridge::app
