// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/home/prediction_outcomes.h"

#include "base/json.h"

#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

constexpr int kRunsOfOne = 256; ///< of a prediction's runs, newest first, that are looked through for its point
constexpr std::array kDays = {1, 3, 10};

bool atPoint(const record::PredictionRow& prediction, const record::RunRow& run)
{
    return run.experiment == prediction.experiment && run.metrics.contains(prediction.metric) &&
           std::ranges::all_of(prediction.params, [&](const auto& wanted) {
               const auto found = run.params.find(wanted.first);
               return found != run.params.end() && toText(found->second) == toText(wanted.second);
           });
}

} // namespace

Result<std::vector<PredictionOutcome>> predictionOutcomes(const record::Store& store, int limit)
{
    auto predictions = store.predictions({});
    if (!predictions)
        return predictions.error();
    std::vector<PredictionOutcome> outcomes;
    for (const record::PredictionRow& prediction : *predictions) {
        if (limit-- <= 0)
            break;
        record::RunFilter filter;
        filter.predictionId = prediction.id;
        filter.eligible = true;
        filter.limit = kRunsOfOne;
        const auto runs = store.runs(filter);
        if (!runs)
            return runs.error();
        const record::RunRow* first = nullptr; // runs are newest first
        for (const record::RunRow& run : *runs)
            if (atPoint(prediction, run))
                first = &run;
        if (!first)
            continue;
        const double result = first->metrics.at(prediction.metric).value;
        outcomes.push_back({prediction.id, prediction.lesson, prediction.block,
                            QDateTime::fromString(QString::fromStdString(prediction.createdAt), Qt::ISODateWithMs),
                            lessons::scorePrediction(prediction.point, prediction.low, prediction.high, result)});
    }
    std::ranges::reverse(outcomes);
    return outcomes;
}

Calibration calibrationOf(std::span<const PredictionOutcome> outcomes)
{
    Calibration calibration;
    std::vector<double> factors;
    for (const PredictionOutcome& outcome : outcomes) {
        ++calibration.predictions;
        calibration.held += outcome.score.insideInterval;
        if (std::isfinite(outcome.score.factor))
            factors.push_back(outcome.score.factor);
    }
    if (!factors.empty()) {
        std::ranges::sort(factors);
        const std::size_t middle = factors.size() / 2;
        calibration.medianFactor =
            factors.size() % 2 == 1 ? factors[middle] : std::sqrt(factors[middle - 1] * factors[middle]);
    }
    return calibration;
}

std::vector<PredictionOutcome> dueReviews(std::span<const PredictionOutcome> outcomes,
                                          std::span<const std::string> looks, const QDateTime& now)
{
    std::vector<PredictionOutcome> due;
    for (const PredictionOutcome& outcome : outcomes) {
        const auto looked = std::ranges::count(looks, outcome.predictionId);
        if (outcome.score.insideInterval || !outcome.at.isValid() || looked >= std::ssize(kDays))
            continue;
        if (outcome.at.addDays(kDays[std::size_t(looked)]) <= now)
            due.push_back(outcome);
    }
    return due;
}

Result<std::vector<std::string>> reviewLooks(const record::Store& store)
{
    const auto answers = store.answers({});
    if (!answers)
        return answers.error();
    std::vector<std::string> looks;
    for (const record::AnswerRow& row : *answers)
        if (row.block == kReviewBlock && row.answer->is_object())
            looks.push_back(row.answer->value("prediction", std::string()));
    return looks;
}

record::AnswerRow reviewLook(const PredictionOutcome& outcome)
{
    record::AnswerRow row;
    row.lesson = outcome.lesson;
    row.block = kReviewBlock;
    row.answer = Json{{"prediction", outcome.predictionId}};
    row.correct = true; // that it was looked at; nothing was asked
    return row;
}

} // namespace ridge::app
