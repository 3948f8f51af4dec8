// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/learner_choices.h"

#include "lessons/way.h"

#include <QSettings>
#include <algorithm>
#include <set>

namespace ridge::app {
namespace {

const QString kPath = QStringLiteral("learner/path"), kBackground = QStringLiteral("learner/background"),
              kHours = QStringLiteral("learner/hours"), kAsked = QStringLiteral("learner/asked");
constexpr int kMostMinutes = 30; ///< of a lesson, as the linter demands

} // namespace

LearnerChoices learnerChoices()
{
    const QSettings settings;
    LearnerChoices choices;
    choices.path = settings.value(kPath).toString();
    choices.background = Experience(std::clamp(settings.value(kBackground, int(choices.background)).toInt(),
                                               int(Experience::New), int(Experience::Cuda)));
    choices.hoursAWeek = std::clamp(settings.value(kHours, choices.hoursAWeek).toInt(), 1, 40);
    return choices;
}

void saveLearnerChoices(const LearnerChoices& choices)
{
    QSettings settings;
    settings.setValue(kPath, choices.path);
    settings.setValue(kBackground, int(choices.background));
    settings.setValue(kHours, choices.hoursAWeek);
    settings.setValue(kAsked, true);
}

bool learnerWasAsked()
{
    return QSettings().value(kAsked, false).toBool();
}

void noteLearnerAsked()
{
    QSettings().setValue(kAsked, true);
}

const lessons::LessonPath* pathOf(const lessons::Curriculum& curriculum, const LearnerChoices& choices)
{
    if (const lessons::LessonPath* chosen = curriculum.path(choices.path.toStdString()))
        return chosen;
    return curriculum.paths.empty() ? nullptr : &curriculum.paths.front();
}

std::vector<std::string> lessonsOf(const lessons::Curriculum& curriculum, const LearnerChoices& choices)
{
    using lessons::Foundations;
    const lessons::LessonPath* path = pathOf(curriculum, choices);
    if (!path)
        return {};
    return lessons::wayOf(curriculum, *path,
                          choices.background == Experience::New    ? Foundations::First
                          : choices.background == Experience::Cuda ? Foundations::Last
                                                                   : Foundations::AsNeeded);
}

int weeksFor(std::size_t lessonCount, int hoursAWeek)
{
    const int minutes = int(lessonCount) * kMostMinutes, aWeek = std::max(1, hoursAWeek) * 60;
    return std::max(1, (minutes + aWeek - 1) / aWeek);
}

} // namespace ridge::app
