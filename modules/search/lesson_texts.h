// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/curriculum.h"
#include "lessons/formula_index.h"

namespace ridge::app {

/// A place of a lesson with what stands there.
struct LessonText {
    std::string anchor; ///< block id, or that of a piece of prose (lessons/prose.h); empty: the head of the lesson
    std::string section;
    std::string text;
};

/// Everything a reader may see of a lesson before answering anything: explanations and mechanisms, which are shown
/// after an attempt, are left out, so that a search does not give them away.
std::vector<LessonText> lessonTexts(const lessons::Lesson& lesson, const lessons::Curriculum& curriculum,
                                    const std::map<std::string, lessons::FormulaAsset>& formulas);

} // namespace ridge::app
