// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/artifact_export.h"

namespace ridge::record {

/// Internal: an artifact with every row it stands on.
struct ArtifactContents {
    ArtifactRow artifact;
    std::vector<PredictionRow> predictions; ///< in the order of the artifact
    std::vector<RunRow> runs;               ///< oldest first
    std::vector<NoteRow> notes;             ///< of its lesson
    std::vector<JournalRow> journal;        ///< its failures and decisions
    HeldParts held;                         ///< what was taken out of all this
};

/// Errors: "unknown-artifact", those of the store.
Result<ArtifactContents> artifactContents(const Store& store, const std::string& artifactId);

std::string runsCsv(const std::vector<RunRow>& runs);
/// Figures that were read from a file made elsewhere.
std::string figuresCsv(const Json& figures);
Json artifactJson(const ArtifactContents& contents);
std::string readmeText(const ArtifactContents& contents, const ExportExtras& extras);

} // namespace ridge::record
