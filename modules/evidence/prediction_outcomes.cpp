// SPDX-License-Identifier: GPL-3.0-or-later
#include "evidence/prediction_outcomes.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ridge::app {

Result<std::vector<PredictionOutcome>> predictionOutcomes(const record::Store& store, int limit)
{
    const auto results = store.predictionResults(limit);
    if (!results)
        return results.error();
    std::vector<std::string> ids;
    for (const record::PredictionResult& result : *results)
        ids.push_back(result.predictionId);
    const auto predictions = limit > 0 ? store.predictionsById(ids) : store.predictions({});
    if (!predictions)
        return predictions.error();
    std::map<std::string, const record::PredictionRow*> byId;
    for (const record::PredictionRow& row : *predictions)
        byId.emplace(row.id, &row);
    std::vector<PredictionOutcome> outcomes;
    for (const record::PredictionResult& result : *results) {
        const record::PredictionRow& row = *byId.at(result.predictionId);
        outcomes.push_back({row.id, row.lesson, row.block,
                            QDateTime::fromString(QString::fromStdString(row.createdAt), Qt::ISODateWithMs),
                            result.value, lessons::scorePrediction(row.point, row.low, row.high, result.value)});
    }
    std::ranges::stable_sort(outcomes, {}, &PredictionOutcome::at);
    return outcomes;
}

Calibration calibrationOf(std::span<const PredictionOutcome> outcomes)
{
    Calibration calibration;
    std::vector<double> factors;
    double scores = 0;
    for (const PredictionOutcome& outcome : outcomes) {
        ++calibration.predictions;
        calibration.held += outcome.score.insideInterval;
        if (!std::isfinite(outcome.score.factor))
            continue;
        factors.push_back(outcome.score.factor);
        scores += outcome.score.intervalScore;
    }
    if (!factors.empty()) {
        std::ranges::sort(factors);
        const std::size_t middle = factors.size() / 2;
        calibration.medianFactor =
            factors.size() % 2 == 1 ? factors[middle] : std::sqrt(factors[middle - 1] * factors[middle]);
        calibration.meanScore = scores / static_cast<double>(factors.size());
    }
    return calibration;
}

} // namespace ridge::app
