// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/lesson_evidence.h"

namespace ridge::lessons {

/// The block as it was asked when this was given: a question with the numbers of that instance, another block as it is.
Block asked(const Block& block, const AnswerGiven& given);

/// What was given to a block, in words: "32 sectors", "“It falls to 4”", "the steps 3, 1, 2", "bank 3". Empty when
/// nothing was given that fits the block.
std::string answerText(const Block& block, const AnswerGiven& given);

/// Words that an explanation has at the least before it is kept.
inline constexpr int kLeastWords = 6;

/// Numbers within the tolerance, the choice that is marked, the steps as they stand in the lesson, one of the things to
/// point at, an explanation that its writer rates "yes". A worksheet's row says so itself; a curve is never right.
bool isRight(const Block& block, const AnswerGiven& given);

/// What the lesson has to say to it: the explanation of the misconception or choice that was given; to what is right,
/// the solution. Empty for a wrong number that nobody foresaw and for a wrong order: the solution would give it away.
std::string explanationOf(const Block& block, const AnswerGiven& given);

/// The misconception whose value this is (relative 1e-6); null when there is none.
const Misconception* misconceptionOf(const std::vector<Misconception>& list, double value);

} // namespace ridge::lessons
