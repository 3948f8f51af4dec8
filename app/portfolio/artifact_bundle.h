// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/feedback_watch.h"
#include "base/experiment_info.h"
#include "base/json.h"
#include "record/answer.h"
#include "record/store.h"
#include "record/withholding.h"

class QImage;
class QMimeData;

namespace ridge::app {

/// One artifact with the rows it refers to.
struct ArtifactBundle {
    record::ArtifactRow row;
    std::vector<record::PredictionRow> predictions;
    std::vector<record::RunRow> runs;
    std::vector<record::JournalRow> journal;            ///< its failures and decisions that are still there
    std::vector<record::ReproductionRow> reproductions; ///< of all its versions, newest first
    std::vector<record::ArtifactRow> versions; ///< newest first, that of `row` without figures; of a draft: none
    /// Why what its runs gave, how its predictions did, and what is said about it are not shown now; empty: they are.
    QString resultHeld, predictionHeld, artifactHeld;
    bool newest() const { return versions.empty() || versions.front().id == row.id; }
};

/// `id` is the artifact's, for its newest version, or "<artifact>@<row>" for a certain one.
/// Errors: "unknown-artifact" (also one that was taken out of the portfolio), and those of the store.
Result<ArtifactBundle> loadArtifact(const record::Store& store, const std::string& id);

/// What `row` refers to, whether it is stored or a draft. Runs and predictions in its order. Errors: those of the
/// store.
Result<ArtifactBundle> linkedRows(const record::Store& store, const record::ArtifactRow& row);

/// The runs that a chart of the artifact shows: those of the block that it is of, where there are any, else all of its
/// experiment. Oldest first; they live as long as `runs`.
std::vector<const record::RunRow*> runsOfChart(const std::vector<record::RunRow>& runs, const Json& chart);

/// What the feedback policy keeps back now; for exports, and for threads.
record::Withholding withholdingNow(const FeedbackWatch& feedback);

/// Takes out of what will be shown whatever the feedback policy keeps back. Never for what is stored or edited.
void withhold(const FeedbackWatch& feedback, ArtifactBundle& bundle);

/// record::exportArtifact with one PNG a chart (light theme, 2×) into a new folder below `parent`. Needs a
/// QGuiApplication with widgets but no window. A chart whose experiment is not among `experiments` is named in the
/// README and not drawn; what `held` keeps back stays out, and the README says so. Gives the folder. Errors:
/// "cannot-write" (names the path), "unknown-artifact", those of the store.
Result<std::filesystem::path> exportArtifact(const record::Store& store, const std::string& id,
                                             std::span<const ExperimentInfo> experiments,
                                             const std::filesystem::path& parent, const record::Withholding& held = {});

/// What a pulled artifact is to whoever takes it: its folder as exportArtifact() writes it, title and claim as text,
/// and `picture`. Where the folder cannot be written, the rest. The caller owns it.
QMimeData* artifactDragMime(const record::Store& store, const record::ArtifactRow& row,
                            std::span<const ExperimentInfo> experiments, const record::Withholding& held,
                            const QImage& picture);

} // namespace ridge::app
