// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/learner_choices.h"

#include <QSettings>
#include <algorithm>
#include <set>

namespace ridge::app {
namespace {

const QString kPath = QStringLiteral("learner/path"), kBackground = QStringLiteral("learner/background"),
              kHours = QStringLiteral("learner/hours"), kAsked = QStringLiteral("learner/asked");
constexpr int kMostMinutes = 25; ///< of a lesson, as the linter demands

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

namespace {

/// A lesson of the path, after what it builds on: a path that names neither would begin where nobody can follow. The
/// foundations are a matter of the background and stand where that puts them.
void addWithPrerequisites(const lessons::Curriculum& curriculum, const std::string& id, std::set<std::string>& known,
                          std::vector<std::string>& ids)
{
    if (!known.insert(id).second)
        return;
    if (const lessons::Lesson* head = curriculum.head(id))
        for (const std::string& needed : head->prerequisites)
            if (std::ranges::find(curriculum.foundations, needed) == curriculum.foundations.end())
                addWithPrerequisites(curriculum, needed, known, ids);
    ids.push_back(id);
}

} // namespace

std::vector<std::string> lessonsOf(const lessons::Curriculum& curriculum, const LearnerChoices& choices)
{
    const lessons::LessonPath* path = pathOf(curriculum, choices);
    if (!path)
        return {};
    std::vector<std::string> ids;
    std::set<std::string> known;
    for (const std::string& id : path->lessons)
        addWithPrerequisites(curriculum, id, known, ids);
    const auto& first = curriculum.foundations;
    const auto isFoundation = [&](const std::string& id) { return std::ranges::find(first, id) != first.end(); };
    if (choices.background == Experience::New) {
        std::erase_if(ids, isFoundation);
        ids.insert(ids.begin(), first.begin(), first.end());
    } else if (choices.background == Experience::Cuda) {
        std::stable_partition(ids.begin(), ids.end(), [&](const std::string& id) { return !isFoundation(id); });
    }
    return ids;
}

int weeksFor(std::size_t lessonCount, int hoursAWeek)
{
    const int minutes = int(lessonCount) * kMostMinutes, aWeek = std::max(1, hoursAWeek) * 60;
    return std::max(1, (minutes + aWeek - 1) / aWeek);
}

} // namespace ridge::app
