// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/home/lesson_progress.h"

#include <QStringList>

namespace ridge::app {

/// One station of a module: a lesson or its capstone, with what the store proves about it.
struct ModuleStep {
    QString id, title, question; ///< the question is empty for a lesson that is not written
    int minutes = 0;
    bool written = false, capstone = false;
    LessonProgress progress;
    QString held;               ///< why it is not told whether they pass; empty: it is
    int checks = 0, passed = 0; ///< all but the one that asks for the artifact
    QString artifact;           ///< what is shipped: "Interconnect card, benchmark report, level 4"
    QString artifactId;         ///< of the newest one in the store; empty: not shipped

    bool operator==(const ModuleStep&) const = default;
    bool allPassed() const { return checks > 0 && passed == checks; }
};

/// "Read, predicted, ran, 5 of 7 checks pass", in the order in which a lesson goes; "Not started", "Not written yet".
QString stepText(const ModuleStep& step);

/// What the lessons of a module teach to do, drawn together by the verb each objective begins with; verbs and items in
/// the order of the lessons, the same thing once.
struct AbilityGroup {
    struct Item {
        QString text; ///< without the verb
        QStringList lessons;
    };
    QString verb;
    std::vector<Item> items;
};
std::vector<AbilityGroup> abilitiesOf(const std::vector<const lessons::Lesson*>& lessons);

/// A kernel to write and have graded, which goes with a lesson of the module: assets/tasks/<id>/task.json names it.
struct ModuleTask {
    QString id, title, lesson, state; ///< title with its number; state as the list of tasks says it
    bool operator==(const ModuleTask&) const = default;
};

/// Everything a module's page says that is no layout.
struct ModuleStory {
    int number = 0;
    QString title, promise;
    std::vector<AbilityGroup> abilities;
    std::vector<ModuleStep> steps;           ///< the lessons in their order, the capstone last
    std::vector<ModuleTask> tasks;           ///< in the order of their lessons, easy first
    std::vector<const lessons::Term*> terms; ///< by name; owned by the curriculum
    int written() const;                     ///< lessons, without the capstone
    int lessons() const;
    int shipped() const;
    int minutes() const; ///< of what is written
    /// Where Continue leads: the station opened last that is not shipped, else the first such; null when all are, or
    /// none is written.
    const ModuleStep* next(const QStringList& recent) const;
};

/// No value where the curriculum has no such module.
std::optional<ModuleStory> moduleStory(AppContext& context, int number);

QString durationText(int minutes); ///< "24 min", "2 h 48 min"

} // namespace ridge::app
