// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/curriculum.h"

namespace ridge::lessons {

/// A prediction that helps to say where somebody begins: a quiz with a number, and where the answer comes from.
struct PlacementQuestion {
    Block block; ///< a QuizBlock
    std::string source;
    std::string url; ///< may be empty

    const QuizBlock& quiz() const { return std::get<QuizBlock>(block.body); }
};

/// Two questions about what some modules teach; the second is the harder one.
struct PlacementArea {
    std::string id, title;
    std::vector<int> modules;
    std::vector<PlacementQuestion> questions;
    SourceSpan at;
};

struct Placement {
    std::vector<PlacementArea> areas;

    const PlacementQuestion* question(std::string_view id) const;
    const PlacementArea* areaOf(std::string_view questionId) const;
    /// The area that asks about a module; null: none does.
    const PlacementArea* areaOf(int module) const;
    std::size_t questions() const;
};

/// `placement` is absent where the curriculum has no placement.yaml, which is no problem.
struct LoadedPlacement {
    std::optional<Placement> placement;
    std::vector<Problem> problems;
};
bool hasPlacement(const Curriculum& curriculum);
LoadedPlacement loadPlacement(const Curriculum& curriculum);

/// Stored answers and blocks of these questions carry this in place of a lesson's id.
inline constexpr std::string_view kPlacementLesson = "placement";
/// The questions as the blocks of one lesson, so that everything that reads lessons reads them.
Lesson placementLesson(const Placement& placement);

struct PlacementAnswer {
    std::string question;
    bool right = false;
};

/// The second question of an area is asked after the first was right. Null: nothing is left to ask.
const PlacementQuestion* nextQuestion(const Placement& placement, std::span<const PlacementAnswer> answers);
/// How many questions can still come, the next one counted.
std::size_t mostLeft(const Placement& placement, std::span<const PlacementAnswer> answers);

enum class Standing {
    NotAsked,
    FromTheStart, ///< the first question was not answered right
    Partly,       ///< the first one was, the second not, or it was not asked yet
    Known         ///< both
};
Standing standingOf(const PlacementArea& area, std::span<const PlacementAnswer> answers);

/// What follows from the answers, over lessons that are written and nothing else.
struct PlacementAdvice {
    std::string begin;                  ///< first lesson of `order` in an area that is not known; empty: there is none
    std::vector<std::string> fastTrack; ///< capstones of modules whose area is known, in order of the modules
};
/// `order`: lesson ids as this learner meets them; lessons of the curriculum that are not in it follow.
PlacementAdvice advise(const Curriculum& curriculum, const Placement& placement,
                       std::span<const PlacementAnswer> answers, std::span<const std::string> order);

/// The wrong number that somebody had in mind who gave `value`: the nearest within the question's tolerance or 3 % of
/// it. Null: one that nobody foresaw.
const Misconception* likelyMisconception(const QuizBlock& quiz, double value);

} // namespace ridge::lessons
