// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/store.h"
#include "record/withholding.h"

namespace ridge::record {

/// A file that goes into an exported artifact beside what the store knows, a rendered chart for example.
struct ExtraFile {
    std::string name; ///< relative, "charts/sectors.png"
    std::string bytes;
};

/// What a caller adds to the folder: pictures are shown by the README, notes are said in it.
struct ExportExtras {
    std::vector<ExtraFile> files;
    std::vector<std::string> notes; ///< whole sentences
    Withholding held;               ///< what does not leave the record now
};

/// Writes one artifact as a folder that a stranger can check and re-run: README.md (claim, prediction against result,
/// machine, the notes its author made in the lesson's margin, the `ridge run` lines that repeat it), artifact.json,
/// runs.csv, code/, traces/, the extras and SHA256SUMS over all of it. What a feedback policy holds back stays out, and
/// the README says in its place from when on it is shown. The folder must not exist yet or be empty. Gives the folder.
/// Errors: "cannot-write", "unknown-artifact", those of the store.
Result<std::filesystem::path> exportArtifact(const Store& store, const std::string& artifactId,
                                             const std::filesystem::path& folder, const ExportExtras& extras = {});

/// "2.4-coalescing-and-bank-conflicts-0190": a folder name from lesson, title and id.
std::string exportFolderName(const ArtifactRow& artifact);

} // namespace ridge::record
