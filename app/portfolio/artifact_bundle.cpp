// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/artifact_bundle.h"

#include <algorithm>

namespace ridge::app {

Result<ArtifactBundle> loadArtifact(const record::Store& store, const std::string& id)
{
    auto artifacts = store.artifacts();
    if (!artifacts)
        return artifacts.error();
    const auto found = std::find_if(artifacts->begin(), artifacts->end(),
                                    [&id](const record::ArtifactRow& row) { return row.id == id; });
    if (found == artifacts->end())
        return Error{"unknown-artifact", "There is no artifact " + id + ".", store.folder().string(),
                     "Choose one from the portfolio."};
    ArtifactBundle bundle;
    bundle.row = *found;
    if (!bundle.row.runIds.empty()) {
        record::RunFilter filter;
        filter.ids = bundle.row.runIds;
        auto runs = store.runs(filter);
        if (!runs)
            return runs.error();
        bundle.runs = std::move(runs.value());
        // Oldest first: the order in which the learner saw them.
        std::reverse(bundle.runs.begin(), bundle.runs.end());
    }
    auto predictions = store.predictions({});
    if (!predictions)
        return predictions.error();
    for (const std::string& wanted : bundle.row.predictionIds)
        for (const record::PredictionRow& prediction : *predictions)
            if (prediction.id == wanted)
                bundle.predictions.push_back(prediction);
    return bundle;
}

const record::RunRow* answerTo(const record::PredictionRow& prediction, std::span<const record::RunRow> runs)
{
    const record::RunRow* best = nullptr;
    for (const record::RunRow& run : runs) {
        if (run.experiment != prediction.experiment || run.status != "finished" ||
            !run.metrics.contains(prediction.metric))
            continue;
        const bool same = std::all_of(prediction.params.begin(), prediction.params.end(), [&run](const auto& asked) {
            const auto value = run.params.find(asked.first);
            return value != run.params.end() && toText(value->second) == toText(asked.second);
        });
        if (!same)
            continue;
        if (run.predictionId == prediction.id)
            return &run;
        if (!best)
            best = &run;
    }
    return best;
}

std::string trustMeaning(const std::string& trust)
{
    if (trust == "T0")
        return "Typed by hand: nothing here was run.";
    if (trust == "T1")
        return "Run on this machine; every number comes from a stored run. Nobody else has repeated it yet.";
    if (trust == "T2")
        return "Repeated by an instructor or on a second machine, within tolerance.";
    if (trust == "T3")
        return "Repeated on a different GPU with the same conclusion.";
    return "A trust level this version does not know.";
}

} // namespace ridge::app
