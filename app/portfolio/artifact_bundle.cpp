// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/artifact_bundle.h"

#include "app/runs/run_loader.h"

#include <QCoreApplication>
#include <algorithm>

namespace ridge::app {

Result<ArtifactBundle> loadArtifact(const record::Store& store, const std::string& id)
{
    const auto cut = id.find('@');
    const Error unknown{"unknown-artifact", "There is no artifact " + id + ".", store.folder().string(),
                        "Choose one from the portfolio."};
    const auto named = store.artifact(id.substr(0, cut));
    if (!named)
        return named.error().code == unknown.code ? unknown : named.error();
    auto versions = store.artifactVersions(named->artifactId);
    if (!versions)
        return versions.error();
    const std::string row = cut == std::string::npos ? versions->front().id : id.substr(cut + 1);
    const auto found = std::ranges::find(*versions, row, &record::ArtifactRow::id);
    if (found == versions->end() || (cut == std::string::npos && found->removed))
        return unknown;
    auto bundle = linkedRows(store, *found);
    if (bundle)
        bundle->versions = std::move(*versions);
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

void withhold(const FeedbackWatch& feedback, ArtifactBundle& bundle)
{
    const std::string& lesson = bundle.row.lesson;
    feedback.withhold(bundle.runs); // each by its own lesson
    if (lesson.empty())
        return;
    bundle.resultHeld = feedback.why(lesson, Outcome::Result);
    bundle.predictionHeld = feedback.why(lesson, Outcome::Prediction);
    bundle.artifactHeld = feedback.why(lesson, Outcome::Artifact);
    if (bundle.resultHeld.isEmpty())
        return;
    // Its words were filled in from the runs.
    bundle.row.claim = QCoreApplication::translate("ridge::app::Artifact", "The claim is stored. %1")
                           .arg(bundle.resultHeld)
                           .toStdString();
    for (record::ReproductionRow& reproduction : bundle.reproductions)
        reproduction.pairs.clear();
}

} // namespace ridge::app
