// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/answers.h"

#include "lessons/instances.h"
#include "lessons/pointing.h"
#include "lessons/text.h"

#include "base/units.h"

#include <cmath>

namespace ridge::lessons {
namespace {

const QuizChoice* choiceOf(const QuizBlock& quiz, const AnswerGiven& given)
{
    const bool there = given.choice && *given.choice >= 0 && *given.choice < static_cast<int>(quiz.choices.size());
    return there ? &quiz.choices[static_cast<std::size_t>(*given.choice)] : nullptr;
}

std::string sheetText(const WorksheetBlock& sheet, const AnswerGiven& given)
{
    const std::string of = std::to_string(given.cells.size()) + " of " + std::to_string(sheet.cells.size()) + " cells";
    for (const WorksheetCell& cell : sheet.cells)
        if (cell.name == given.cell && given.number)
            return of + ", the last " + cell.name + " = " + formatQuantity(*given.number, cell.unit);
    return given.cells.empty() ? std::string() : of;
}

} // namespace

const Misconception* misconceptionOf(const std::vector<Misconception>& list, double value)
{
    const auto found = std::find_if(list.begin(), list.end(), [&](const Misconception& wrong) {
        return std::abs(wrong.value - value) <= 1e-6 * std::abs(wrong.value);
    });
    return found == list.end() ? nullptr : &*found;
}

Block asked(const Block& block, const AnswerGiven& given)
{
    Block one = block;
    if (auto* quiz = std::get_if<QuizBlock>(&one.body)) {
        // A row from before the question had instances was given to the first of them.
        const bool known = given.hasInstance || (quiz->vars.empty() && quiz->again.empty());
        *quiz = filled(*quiz, known ? QuizInstance{given.variant, given.vars} : instancesOf(*quiz).front());
    }
    return one;
}

std::string answerText(const Block& block, const AnswerGiven& given)
{
    if (given.shown)
        return "“Show me”";
    const Block one = asked(block, given);
    if (const auto* quiz = std::get_if<QuizBlock>(&one.body)) {
        if (const QuizChoice* choice = choiceOf(*quiz, given))
            return "“" + choice->text + "”";
        return given.number ? formatQuantity(*given.number, quiz->unit) : std::string();
    }
    if (std::holds_alternative<ExplainBlock>(block.body))
        return given.text.empty()
                   ? std::string()
                   : "“" + given.text + "”" + (given.rating.empty() ? ", not rated yet" : ", rated " + given.rating);
    if (std::holds_alternative<DrawBlock>(block.body))
        return given.curve.empty() ? std::string() : "a curve of " + std::to_string(given.curve.size()) + " points";
    if (std::holds_alternative<SceneBlock>(block.body))
        return pointedText(given.item);
    if (const auto* sheet = std::get_if<WorksheetBlock>(&block.body))
        return sheetText(*sheet, given);
    std::string steps;
    for (const int step : given.order)
        steps += (steps.empty() ? "the steps " : ", ") + std::to_string(step + 1);
    return steps;
}

bool isRight(const Block& block, const AnswerGiven& given)
{
    if (given.shown)
        return false;
    const Block one = asked(block, given);
    if (const auto* quiz = std::get_if<QuizBlock>(&one.body)) {
        if (const QuizChoice* choice = choiceOf(*quiz, given))
            return choice->correct;
        // Rounding of a typed decimal must not fail an exact answer.
        return given.number && quiz->number &&
               std::abs(*given.number - *quiz->number) <= quiz->tolerance + 1e-9 * std::abs(*quiz->number);
    }
    if (std::holds_alternative<ExplainBlock>(block.body))
        return countWords(given.text) >= kLeastWords && (given.rating == "partly" || given.rating == "yes");
    if (const auto* scene = std::get_if<SceneBlock>(&block.body))
        return std::ranges::find(scene->answer, given.item) != scene->answer.end();
    const auto* order = std::get_if<OrderBlock>(&one.body);
    return order && given.order.size() == order->steps.size() && std::is_sorted(given.order.begin(), given.order.end());
}

std::string explanationOf(const Block& block, const AnswerGiven& given)
{
    const Block one = asked(block, given);
    const bool solution = given.shown || isRight(block, given);
    if (const auto* quiz = std::get_if<QuizBlock>(&one.body)) {
        if (const QuizChoice* choice = choiceOf(*quiz, given))
            return choice->explains;
        if (solution)
            return quiz->explains;
        const Misconception* wrong = given.number ? misconceptionOf(quiz->misconceptions, *given.number) : nullptr;
        return wrong ? wrong->explains : std::string();
    }
    if (const auto* explain = std::get_if<ExplainBlock>(&block.body))
        return explain->model;
    if (const auto* draw = std::get_if<DrawBlock>(&block.body))
        return draw->mechanism;
    if (const auto* scene = std::get_if<SceneBlock>(&block.body))
        return solution ? scene->explains : std::string();
    if (const auto* sheet = std::get_if<WorksheetBlock>(&block.body))
        for (const WorksheetCell& cell : sheet->cells)
            if (cell.name == given.cell && !given.cells.contains(cell.name))
                return cell.hint;
    const auto* order = std::get_if<OrderBlock>(&one.body);
    return order && solution ? order->explains : std::string();
}

} // namespace ridge::lessons
