// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/artifact_bundle.h"

#include "app/runs/table/run_loader.h"
#include "classroom/withholding_policy.h"
#include "record/clock.h"

#include <algorithm>

namespace ridge::app {

Result<ArtifactBundle> loadArtifact(const record::Store& store, const std::string& id)
{
    const auto cut = id.find('@');
    const Error unknown{"unknown-artifact", "There is no artifact " + id + ".", store.folder().string(),
                        "Choose one from the portfolio."};
    auto versions = store.artifactVersions(id.substr(0, cut));
    if (versions && versions->empty()) { // or a version's own id
        const auto named = store.artifact(id.substr(0, cut));
        if (!named)
            return named.error().code == unknown.code ? unknown : named.error();
        versions = store.artifactVersions(named->artifactId);
    }
    if (!versions)
        return versions.error();
    const std::string row = cut == std::string::npos ? versions->front().id : id.substr(cut + 1);
    const auto found = std::ranges::find(*versions, row, &record::ArtifactRow::id);
    if (found == versions->end() || (cut == std::string::npos && found->removed))
        return unknown;
    // Thousands of figures are moved and not copied: what differs between versions is not told from them.
    JsonValue figures = std::move(found->figures);
    auto bundle = linkedRows(store, *found);
    if (bundle) {
        bundle->row.figures = std::move(figures);
        bundle->versions = std::move(*versions);
    }
    return bundle;
}

Result<ArtifactBundle> linkedRows(const record::Store& store, const record::ArtifactRow& row)
{
    ArtifactBundle bundle;
    bundle.row = row;
    if (!row.runIds.empty()) {
        auto runs = readRows(store, row.runIds);
        if (!runs)
            return runs.error();
        bundle.runs = std::move(runs.value());
        // Oldest first: the order in which the learner saw them.
        std::reverse(bundle.runs.begin(), bundle.runs.end());
    }
    if (!row.predictionIds.empty()) {
        const auto predictions = store.predictions({});
        if (!predictions)
            return predictions.error();
        for (const std::string& wanted : row.predictionIds)
            for (const record::PredictionRow& prediction : *predictions)
                if (prediction.id == wanted)
                    bundle.predictions.push_back(prediction);
    }
    if (!row.journalIds.empty()) {
        const auto journal = store.journal();
        if (!journal)
            return journal.error();
        for (const std::string& wanted : row.journalIds)
            for (const record::JournalRow& entry : *journal)
                if (entry.entryId == wanted)
                    bundle.journal.push_back(entry);
    }
    if (!row.artifactId.empty()) {
        auto reproductions = store.reproductions(row.artifactId);
        if (!reproductions)
            return reproductions.error();
        bundle.reproductions = std::move(*reproductions);
    }
    return bundle;
}

std::vector<const record::RunRow*> runsOfChart(const std::vector<record::RunRow>& runs, const Json& chart)
{
    const auto textAt = [&chart](const char* key) {
        const auto found = chart.is_object() ? chart.find(key) : chart.end();
        return found != chart.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    const std::string experiment = textAt("experiment"), block = textAt("block");
    std::vector<const record::RunRow*> all, own;
    for (const record::RunRow& run : runs)
        if (run.experiment == experiment) {
            all.push_back(&run);
            if (!block.empty() && run.block == block)
                own.push_back(&run);
        }
    return own.empty() ? all : own;
}

record::Withholding withholdingNow(const FeedbackWatch& feedback)
{
    return classroom::withholdingOf(feedback.policy(), record::timeStamp().toStdString());
}

void withhold(const FeedbackWatch& feedback, ArtifactBundle& bundle)
{
    if (feedback.policy().assignments().empty())
        return;
    const record::HeldParts held =
        record::withhold(withholdingNow(feedback), bundle.row, bundle.runs, bundle.reproductions);
    bundle.resultHeld = QString::fromStdString(held.result);
    bundle.predictionHeld = QString::fromStdString(held.prediction);
    bundle.artifactHeld = QString::fromStdString(held.artifact);
}

} // namespace ridge::app
