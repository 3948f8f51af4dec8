// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/answers.h"

#include "base/units.h"

#include <cmath>

namespace ridge::lessons {
namespace {

const QuizChoice* choiceOf(const QuizBlock& quiz, const AnswerGiven& given)
{
    const bool there = given.choice && *given.choice >= 0 && *given.choice < static_cast<int>(quiz.choices.size());
    return there ? &quiz.choices[static_cast<std::size_t>(*given.choice)] : nullptr;
}

} // namespace

const Misconception* misconceptionOf(const std::vector<Misconception>& list, double value)
{
    const auto found = std::find_if(list.begin(), list.end(), [&](const Misconception& wrong) {
        return std::abs(wrong.value - value) <= 1e-6 * std::abs(wrong.value);
    });
    return found == list.end() ? nullptr : &*found;
}

std::string answerText(const Block& block, const AnswerGiven& given)
{
    if (const auto* quiz = std::get_if<QuizBlock>(&block.body)) {
        if (const QuizChoice* choice = choiceOf(*quiz, given))
            return "“" + choice->text + "”";
        return given.number ? formatQuantity(*given.number, quiz->unit) : std::string();
    }
    std::string steps;
    for (const int step : given.order)
        steps += (steps.empty() ? "the steps " : ", ") + std::to_string(step + 1);
    return steps;
}

bool isRight(const Block& block, const AnswerGiven& given)
{
    if (const auto* quiz = std::get_if<QuizBlock>(&block.body)) {
        if (const QuizChoice* choice = choiceOf(*quiz, given))
            return choice->correct;
        // Rounding of a typed decimal must not fail an exact answer.
        return given.number && quiz->number &&
               std::abs(*given.number - *quiz->number) <= quiz->tolerance + 1e-9 * std::abs(*quiz->number);
    }
    const auto* order = std::get_if<OrderBlock>(&block.body);
    return order && given.order.size() == order->steps.size() && std::is_sorted(given.order.begin(), given.order.end());
}

std::string explanationOf(const Block& block, const AnswerGiven& given)
{
    if (const auto* quiz = std::get_if<QuizBlock>(&block.body)) {
        if (const QuizChoice* choice = choiceOf(*quiz, given))
            return choice->explains;
        const Misconception* wrong = given.number ? misconceptionOf(quiz->misconceptions, *given.number) : nullptr;
        return wrong ? wrong->explains : quiz->explains;
    }
    const auto* order = std::get_if<OrderBlock>(&block.body);
    return order ? order->explains : std::string();
}

} // namespace ridge::lessons
