// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/evidence.h"

namespace ridge::lessons {

/// What was given to a quiz or an order, in words: "32 sectors", "“It falls to 4”", "the steps 3, 1, 2". Empty when
/// nothing was given that fits the block.
std::string answerText(const Block& block, const AnswerGiven& given);

/// Numbers within the tolerance, the choice that is marked, the steps as they stand in the lesson.
bool isRight(const Block& block, const AnswerGiven& given);

/// What the lesson has to say to it: the explanation of the misconception or choice that was given; for a number that
/// nobody foresaw and for an order, that of the block.
std::string explanationOf(const Block& block, const AnswerGiven& given);

/// The misconception whose value this is (relative 1e-6); null when there is none.
const Misconception* misconceptionOf(const std::vector<Misconception>& list, double value);

} // namespace ridge::lessons
