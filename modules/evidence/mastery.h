// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/curriculum.h"
#include "lessons/lesson_evidence.h"
#include "record/store.h"

namespace ridge::app {

std::string masteryText(record::MasteryLevel level); ///< "Not yet", "Met", "Solid", "Mastered"

/// The worst factor by which the first prediction of each predict block was off; later ones are made knowing the result
/// and do not count. A result or prediction of zero has no factor: the block counts as 1 where the interval held it.
/// None: no block has a prediction with a result, or one without a factor missed.
std::optional<double> worstFirstFactor(const lessons::Lesson& lesson, const lessons::Evidence& evidence);

/// The outcome that the store is owed: the lesson's checks all pass and no row says so yet. None otherwise.
/// Errors: those of the store.
Result<std::optional<record::OutcomeRow>> outcomeOwed(const record::Store& store, const lessons::Lesson& lesson);

/// How far somebody is in a lesson, from stored rows alone.
struct LessonStanding {
    std::string id, title;
    int module = 0;
    std::vector<std::string> layers;
    bool predicted = false, ran = false, passed = false, shipped = false;
    bool explained = false; ///< every question of the exit criteria was explained and rated, or answered
    record::MasteryLevel level = record::MasteryLevel::None;
    std::string passedAt; ///< empty: not passed
    /// Why passed and passedAt, explained, level are not told now (modules/evidence/discretion.h); empty: they are.
    std::string passedHeld = {}, explainedHeld = {}, levelHeld = {};
};

/// Of every lesson that is written, in curriculum order. Errors: those of the store and of a lesson's file.
Result<std::vector<LessonStanding>> standings(const record::Store& store, const lessons::Curriculum& curriculum);

/// Skill by layer of the chip stack (L1 … L8): how many of the layer's lessons reached each level at least, of those
/// whose level is told.
struct LayerSkill {
    std::string layer;
    int lessons = 0, met = 0, solid = 0, mastered = 0;
};
std::vector<LayerSkill> skillByLayer(const std::vector<LessonStanding>& standings);

} // namespace ridge::app
