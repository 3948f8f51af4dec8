// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/curriculum.h"
#include "lessons/formula_index.h"
#include "lessons/lesson_evidence.h"

namespace ridge::lessons {

/// Internal: what the rules of the linter share. docs/authoring.md describes each rule for authors.
struct LintContext {
    const Curriculum& curriculum;
    std::span<const ExperimentInfo> experiments;
    std::filesystem::path dataRoot;
    std::map<std::string, FormulaAsset> formulas;
    std::vector<Problem>& problems;

    void problem(const SourceSpan& at, std::string message) const { problems.push_back({at, std::move(message)}); }
};

/// A lesson together with its file, so that rules about wording can name the line.
struct LintLesson {
    Lesson lesson;
    std::string text; ///< normalised, whole file
};

/// A text the reader sees, with where it stands.
struct ReaderText {
    std::string text;
    SourceSpan at;
    bool everyone = true; ///< false for what only some readers meet: explanations of wrong answers
    bool filled = false;  ///< `{{name}}` and `{{= formula}}` in it are replaced before it is shown
};
std::vector<ReaderText> readerTexts(const Lesson& lesson);
/// Those of one block.
std::vector<ReaderText> textsOf(const Block& block);

/// First line at or after `from` that holds `needle`, else `from`.
int lineOf(const std::string& text, int from, std::string_view needle);

void lintProse(const LintContext& context, const LintLesson& file);
void lintWords(const LintContext& context,
               const LintLesson& file); ///< lintProse without what a lesson's length must be
void lintNumbers(const LintContext& context, const std::string& text, const std::string& name, bool lessonFile);
void lintCatalogue(const LintContext& context, const Lesson& lesson);
void lintAssets(const LintContext& context, const LintLesson& file);
void lintFigures(const LintContext& context, const Lesson& lesson);
void lintRecall(const LintContext& context, const Lesson& lesson);
void lintEvidence(const LintContext& context, const Lesson& lesson);
void lintGlossary(const LintContext& context, std::span<const LintLesson> lessons);
void lintClaims(const LintContext& context);
void lintPlacement(const LintContext& context);
void lintPaths(const LintContext& context);

/// Minutes a lesson takes: words at 230 a minute and a fixed time for each kind of block.
double readingMinutes(const Lesson& lesson);
/// The same as somebody with a clock would count: 40 % of the explanations of wrong answers, 1.5 minutes for a number
/// that has to be worked out, a sweep as often as a check demands it.
double honestMinutes(const Lesson& lesson);
/// Words every reader meets: prose without code, questions, captions, choices, steps and explanations.
int lessonWords(const Lesson& lesson);

} // namespace ridge::lessons
