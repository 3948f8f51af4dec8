// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "imports/importer.h"
#include "record/store.h"

namespace ridge::app {

struct ImportOptions {
    std::string format; ///< of imports::formats(); empty: found out
    std::string title;  ///< empty: what the file is about
    std::string question, lesson;
};

/// What a file made elsewhere becomes: an artifact of ladder level 1 (a log; what it means is for its owner to write)
/// whose figures are RECORDED, with the file itself in the store. `name` is the file's name without a path, since paths
/// tell who somebody is. The row is not stored yet. Errors: those of imports::importFile and of the store.
Result<record::ArtifactRow> importedArtifact(record::Store& store, const imports::Imported& imported, std::string bytes,
                                             const std::string& name, const ImportOptions& options);

/// Reads the file and stores its artifact; gives the row as it was handed in, with its id.
Result<record::ArtifactRow> importArtifact(record::Store& store, const std::filesystem::path& file,
                                           const ImportOptions& options);

} // namespace ridge::app
