// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/evidence.h"

namespace ridge::lessons {

/// Two learners by whom a lesson is tried out (`ridge lesson check`). The ideal one knows every result beforehand and
/// must pass; the wrong one believes what the lesson's authors say people wrongly believe, and must not.
enum class Learner { Ideal, Wrong };

/// A number on the slider with its 80 % interval, a tenth to either side.
struct Commitment {
    double point = 0, low = 0, high = 0;
};

/// What the learner commits: the ideal one what the run will give, as far as the slider goes; the wrong one the value
/// of the first authored misconception (without any, the end of the slider that is farther off).
Commitment commitmentOf(const PredictBlock& block, Learner learner, double result);

/// What the learner answers to a quiz or an order: right, or the first authored misconception, else a wrong choice, a
/// number that nobody foresaw, or the steps from the last to the first.
AnswerGiven answerOf(const Block& block, Learner learner);

/// The settings that the learner runs for a challenge, one after the other: `set` under each solution, or `set` alone.
std::vector<ParamSet> attemptsAt(const ChallengeBlock& block, Learner learner);

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
