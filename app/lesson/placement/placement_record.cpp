// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/placement/placement_record.h"

#include "base/json.h"
#include "lessons/answers.h"

#include <algorithm>

namespace ridge::app {
namespace {

std::string attemptOf(const record::AnswerRow& row)
{
    const Json& answer = *row.answer;
    const auto found = answer.is_object() ? answer.find("attempt") : answer.end();
    return found != answer.end() && found->is_string() ? found->get<std::string>() : std::string();
}

} // namespace

PlacementAttempt newestAttempt(const lessons::Placement& placement, std::vector<record::AnswerRow> rows)
{
    std::ranges::sort(rows, [](const record::AnswerRow& a, const record::AnswerRow& b) {
        return std::tie(a.createdAt, a.seq) < std::tie(b.createdAt, b.seq);
    });
    PlacementAttempt attempt;
    if (rows.empty())
        return attempt;
    const std::string newest = attemptOf(rows.back());
    attempt.id = QString::fromStdString(newest);
    for (const record::AnswerRow& row : rows)
        if (attemptOf(row) == newest && placement.question(row.block) &&
            std::ranges::find(attempt.answers, row.block, &lessons::PlacementAnswer::question) == attempt.answers.end())
            attempt.answers.push_back({row.block, row.correct});
    return attempt;
}

record::AnswerRow placementRow(const lessons::PlacementQuestion& question, const QString& attempt,
                               std::optional<double> value)
{
    Json answer{{"attempt", attempt.toStdString()}};
    if (value)
        answer["number"] = *value;
    record::AnswerRow row;
    row.lesson = lessons::kPlacementLesson;
    row.block = question.block.id;
    lessons::AnswerGiven given;
    given.number = value;
    row.correct = lessons::isRight(question.block, given);
    row.answer = std::move(answer);
    return row;
}

} // namespace ridge::app
