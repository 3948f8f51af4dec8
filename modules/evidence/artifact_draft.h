// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"
#include "record/store.h"

#include <span>

namespace ridge::app {

/// An artifact that is being written: a file in drafts/portfolio/ below the store's folder, until it is saved as a
/// version. Learning data, so not in the settings; not final, so not in the store.

/// What an artifact can be (curriculum section 10).
std::span<const char* const> artifactKinds();
/// The names of its sections, in the order in which a report has them.
std::span<const char* const> artifactSections();

std::filesystem::path draftPath(const std::filesystem::path& store, const std::string& id);

Json draftToJson(const record::ArtifactRow& row);
/// What a draft file holds; what is missing or of another type is left empty, so that a damaged file loses only that.
record::ArtifactRow draftFromJson(const Json& json);

/// Writes a draft so that it can be opened by its id. Errors: "cannot-write".
Result<void> writeDraft(const std::filesystem::path& store, const std::string& id, const record::ArtifactRow& row);
/// Empty when there is none; a file that is no JSON reads as an empty draft.
std::optional<record::ArtifactRow> readDraft(const std::filesystem::path& store, const std::string& id);
void removeDraft(const std::filesystem::path& store, const std::string& id);

struct DraftHead {
    std::string id, title; ///< title may be empty
};
/// Newest first.
std::vector<DraftHead> drafts(const std::filesystem::path& store);

/// An artifact of chosen runs, with or without a lesson: their predictions, a chart for each experiment, the kernels
/// (put into the store's files), machine and provenance of the newest finished run. Texts are left for the learner.
/// Errors: "nothing-to-ship" (no run), and those of the store.
Result<record::ArtifactRow> artifactOfRuns(record::Store& store, std::vector<record::RunRow> runs,
                                           const std::vector<ExperimentInfo>& experiments);

/// What is filled in from the runs again after runs were added or taken out: charts of experiments that have none and
/// of none that has no run, fingerprint and provenance.
void refreshFromRuns(record::ArtifactRow& row, std::span<const record::RunRow> runs,
                     const std::vector<ExperimentInfo>& experiments);

/// What differs between two versions, in words: "the claim", "2 runs added", "level 2 instead of 3". Empty: nothing.
std::vector<std::string> versionChanges(const record::ArtifactRow& older, const record::ArtifactRow& newer);

} // namespace ridge::app
