// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/lesson.h"

#include "base/experiment_info.h"

#include <filesystem>
#include <memory>

namespace ridge::lessons {

/// A performance number with where it comes from. Key in text: {{claim:t4.stride1_bandwidth}}.
struct Claim {
    std::string key;
    double value = 0;
    std::string unit;
    std::string text;       ///< how prose shows it, made from value and unit unless given
    std::string source;     ///< title of the source
    std::string url;        ///< may be empty
    std::string date;       ///< when the source says it was true, ISO
    std::string provenance; ///< "published", "modelled", "simulated", "measured", "derived"
    std::string experiment; ///< id of the experiment that reproduces it; may be empty
    ParamSet at;            ///< its parameters
};

/// A glossary card of at most 60 words.
struct Term {
    std::string name;
    std::vector<std::string> also; ///< other forms that link here
    std::string text;
    std::string lesson; ///< the one lesson that owns the concept
    SourceSpan at = {}; ///< of its name
};

struct ModuleInfo {
    int number = 0;
    std::string title;
    std::string folder;
    std::string promise; ///< what you will be able to do
};

/// A lesson of the curriculum, written or not.
struct PlannedLesson {
    std::string id, title;
};

/// A way through the modules for one role: an order of lessons, nothing more.
struct LessonPath {
    std::string id, title, about;
    std::vector<std::string> lessons; ///< ids, modules already spelt out
};

class NumberTables;

/// curriculum/ as read from disk. Lessons are parsed on demand by the app (loadLesson), all at once by the linter.
struct Curriculum {
    std::filesystem::path root;
    std::vector<ModuleInfo> modules;
    std::map<std::string, Claim> claims;
    std::vector<Term> terms;
    /// Heads only (id, title, module, minutes …; sections empty), in curriculum order: cheap to read at start.
    std::vector<Lesson> heads;
    std::vector<Lesson> capstones; ///< heads only, at most one a module; they stand in no list of lessons
    /// paths.yaml; a curriculum without that file has no paths and plans what it has.
    std::vector<PlannedLesson> planned;
    std::vector<LessonPath> paths;
    std::vector<std::string> foundations; ///< lessons that a newcomer reads first

    std::shared_ptr<const NumberTables> tables; ///< lessons/numbers.h; null: a curriculum without them

    /// Of the claims, or a number of the tables by its key ("chip:h100-sxm.bf16"); null: there is none.
    const Claim* claim(std::string_view key) const;
    /// By name or by one of its other forms, case-insensitive.
    const Term* term(std::string_view name) const;
    const LessonPath* path(std::string_view id) const;
    const Lesson* head(std::string_view id) const;        ///< of a lesson or capstone; null: not written
    const Lesson* capstone(int module) const;             ///< null: not written
    std::string titleOf(std::string_view lessonId) const; ///< as written, else as planned, else the id
};

/// Reads modules, claims, glossary and lesson heads. Problems in one file do not hide the others.
struct LoadedCurriculum {
    Curriculum curriculum;
    std::vector<Problem> problems;
};
LoadedCurriculum loadCurriculum(const std::filesystem::path& root);

/// The whole lesson or capstone. Errors: "unknown-lesson" (with the known ids), "bad-lesson" (first problem, place
/// file:line).
Result<Lesson> loadLesson(const Curriculum& curriculum, std::string_view id);

/// Everything that is wrong with lessons, claims and glossary. `experiments` is the worker's catalogue, against which
/// ids, parameters, ranges, metrics and charts are checked; `dataRoot` has kernels/ and assets/formulas/.
std::vector<Problem> lint(const Curriculum& curriculum, std::span<const ExperimentInfo> experiments,
                          const std::filesystem::path& dataRoot);

/// What a lesson written today must meet besides: 1,300 to 1,600 words, at most 30 minutes and 12 live blocks,
/// instances for what a check looks at, estimates that the page allows, two or three explain blocks, no numbers in code
/// spans.
std::vector<Problem> lintGrain(const Lesson& lesson, const Curriculum& curriculum);
/// Claims that say what another one, the chip table or a measurement of this program says.
std::vector<Problem> lintTwins(const Curriculum& curriculum);

/// One lesson's text against claims, glossary and catalogue, wherever its file lies: for a lesson being written. Rules
/// about the place of a file and about owners of terms need the whole curriculum and are left to lint().
std::vector<Problem> lintFile(const std::string& text, const std::string& file, const Curriculum& curriculum,
                              std::span<const ExperimentInfo> experiments, const std::filesystem::path& dataRoot);

} // namespace ridge::lessons
