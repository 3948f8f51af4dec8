// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/answer.h"

namespace ridge::record {

const RunRow* answerTo(const PredictionRow& prediction, std::span<const RunRow> runs)
{
    const RunRow* best = nullptr;
    for (const RunRow& run : runs) {
        if (run.experiment != prediction.experiment || run.status != "finished" ||
            !run.metrics.contains(prediction.metric) || !hasAll(run.params, prediction.params))
            continue;
        if (run.predictionId == prediction.id)
            return &run;
        if (!best)
            best = &run;
    }
    return best;
}

} // namespace ridge::record
