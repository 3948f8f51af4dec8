// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/instances.h"
#include "lessons/worksheet.h"

namespace ridge::lessons {

/// Learners by whom a lesson is tried out (`ridge lesson check`). The ideal one works out from the page what the page
/// allows, and must pass. The wrong one believes what the lesson's authors say people wrongly believe, twice; the cheat
/// understands nothing and looks for ways round: two clicks, the run before the prediction, the same answer again.
/// Neither may pass.
enum class Learner { Ideal, Wrong, Cheat };

/// A number on the slider with its 80 % interval, a tenth to either side.
struct Commitment {
    double point = 0, low = 0, high = 0;
};

/// What the learner commits: the ideal one what the run will give, as far as the slider goes; the wrong one the value
/// of the first authored misconception (without any, the end of the slider that is farther off).
Commitment commitmentOf(const PredictBlock& block, Learner learner, double result);

/// What the learner answers to a block: right, or the first authored misconception, else a wrong choice, a number that
/// nobody foresaw, the steps from the last to the first, a reason that says nothing, a thing beside the right one.
AnswerGiven answerOf(const Block& block, Learner learner);
/// The same to one instance of a quiz, which the answer names.
AnswerGiven answerOf(const Block& block, Learner learner, const QuizInstance& instance);

/// Every attempt at a worksheet, cell by cell. The ideal learner computes each cell from what stands above it; the
/// wrong one gives twice the number and one more, and gets no further than the first cell; the cheat does so, has the
/// sheet filled, gives what was shown, and gives it to the next instance, too. Errors: those of solveSheet.
Result<std::vector<AnswerGiven>> fillingsOf(const WorksheetBlock& block, Learner learner, const GivenLookup& lookup);

/// The curve that the learner draws: through `results` (x and what the run gives there), or a flat line in the middle
/// of the axis.
AnswerGiven curveOf(const DrawBlock& block, Learner learner, std::vector<std::pair<double, double>> results);

/// The settings that the learner runs for a challenge, one after the other: `set` under each solution, or `set` alone.
std::vector<ParamSet> attemptsAt(const ChallengeBlock& block, Learner learner);

/// The target of a compare block's simulator: its own, else that of the lesson where it is one, else the default one.
std::string simulatorOf(const Lesson& lesson, const CompareBlock& block);

/// How often a sweep block is run: once, or so often that the sweep blocks together give each `crossing` check over
/// their experiment and axis the repeats it asks for.
int timesToRun(const Lesson& lesson, const SweepBlock& block);

/// Whether a `crossing` check that the block serves has its repeats and still they do not agree. What is measured on a
/// machine that others use may need another sweep, as the check then says.
bool wantsAnotherSweep(const Lesson& lesson, const SweepBlock& block, const Evidence& evidence);
/// Sweeps beyond `timesToRun` after which a learner gives up.
inline constexpr int kMoreSweeps = 3;

/// How an authored wrong prediction compares with the result.
struct WrongPrediction {
    const Misconception* misconception = nullptr;
    double factor = 1;    ///< NaN where value or result is not positive
    bool tooNear = false; ///< within 1.15, so that a wrong assumption leads to the right number
};
std::vector<WrongPrediction> compareWrong(const PredictBlock& block, double result);

/// What makes a predict block unfit for its result: a misconception that leads to the right number, a result off the
/// slider. In sentences for the author. What was measured on one machine may meet a misconception's number by accident:
/// that says nothing of the lesson.
std::vector<std::string> flawsOf(const Block& predict, double result, Provenance provenance);

} // namespace ridge::lessons
