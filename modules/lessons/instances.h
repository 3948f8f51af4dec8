// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/lesson_evidence.h"

namespace ridge::lessons {

/// One instance of a question: its numbers, and which of its wordings.
struct QuizInstance {
    int variant = 0; ///< 0: the quiz itself, n: the n-th of `again`
    ParamSet vars;   ///< values of its variables; empty: it has none
    bool operator==(const QuizInstance&) const = default;
};

/// All instances as authored: of the quiz, then of each of `again`; at least one.
std::vector<QuizInstance> instancesOf(const QuizBlock& quiz);

/// The question with its numbers in place: texts without variables, `number`, the values of misconceptions and the
/// right choice worked out, without `vars`, `formula` and `again`. What cannot be worked out is left as it was (the
/// linter says so). An instance that the quiz does not have gives the quiz itself with the variables that are known.
QuizBlock filled(const QuizBlock& quiz, const QuizInstance& instance);
/// The same of a prediction at `point`: `at` is the point, texts and misconceptions speak of it. A misconception with a
/// fixed value keeps it only at the authored point; elsewhere it leads nowhere and is left out. Where the question
/// names no parameter that differs, "Now at stride = 5." is added to it.
PredictBlock filled(const PredictBlock& predict, const ParamSet& point);

/// `{{name}}` and `{{= formula}}` replaced, in code spans too; other braces are left alone. Numbers have three digits,
/// whole ones all of theirs.
std::string filledText(std::string_view text, const ParamSet& values);
/// What in the braces of a text is neither a known name nor a formula over known names, as written: "{{strid}}".
/// `{{claim:…}}` and others with a colon are not looked at.
std::vector<std::string> unfilledIn(std::string_view text, const ParamSet& values);

/// In which order a learner meets `count` instances: shuffled by the seed; 0 leaves them as authored.
std::vector<std::size_t> drawOrder(std::size_t count, std::uint64_t seed);
/// The seed of a block for a record: the same in every session, another for each learner. 0 for a record without an id.
std::uint64_t drawSeed(std::string_view recordId, std::string_view lesson, std::string_view block);

/// An instance that was used comes back to count again after so long, in seconds.
inline constexpr std::int64_t kCountsAgainAfter = 20 * 3600;

/// Where a learner is with a quiz.
enum class QuizState {
    Open,   ///< asked, not answered
    Wrong,  ///< the instance got a wrong answer: new numbers or the solution may be asked for
    Shown,  ///< its solution was shown
    Solved, ///< it was answered rightly
};
struct QuizStanding {
    QuizState state = QuizState::Open;
    QuizInstance instance;                ///< the one that is on the page
    const EvidenceAnswer* last = nullptr; ///< the newest answer to it; null: none
    int attempts = 0;                     ///< answers so far, of all instances
    bool first = false;                   ///< the very first answer was right
};
/// `answers`: of this block, in any order.
QuizStanding quizStanding(const QuizBlock& quiz, const std::vector<const EvidenceAnswer*>& answers, std::uint64_t seed);
/// The instance that is asked next: one that was not used and whose answer differs from that of the last one, in the
/// learner's order; where none is left, the one whose last use is longest ago.
QuizInstance nextInstance(const QuizBlock& quiz, const std::vector<const EvidenceAnswer*>& answers, std::uint64_t seed);
/// Whether an answer to this instance at `time` would count: it was never used, or long enough ago.
bool wouldCount(const QuizInstance& instance, const std::vector<const EvidenceAnswer*>& answers, std::int64_t time);

/// Whether the answers show that the question was understood. A right answer counts where it was the first one to its
/// instance, or came long enough after the last. Of choices it takes the very first answer, or two in a row that count.
/// Rows of a store from before instances existed count as they did then: right once is right.
bool answeredRight(const QuizBlock& quiz, const std::vector<const EvidenceAnswer*>& answers);

} // namespace ridge::lessons
