// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "imports/importer.h"
#include "record/store.h"

#include <functional>

namespace ridge::app {

struct ImportOptions {
    std::string format; ///< of imports::formats(); empty: found out
    std::string title;  ///< empty: what the file is about
    std::string question, lesson;
};

/// A file made elsewhere as it was understood, before anything of it is stored.
struct ReadImport {
    record::ArtifactRow row; ///< names the file by its SHA-256
    std::string bytes;       ///< of the file
};

/// Asked between pieces of a long file, on the thread that reads it; true ends the reading.
using Stopped = std::function<bool()>;

/// What a file made elsewhere becomes: an artifact of ladder level 1 (a log; what it means is for its owner to write)
/// whose figures are RECORDED. The row has the file's name without its path, since paths tell who somebody is. Touches
/// no store, so that any thread may do it: a file of hundreds of MB takes seconds. Errors: "cannot-read", "too-large"
/// before more than imports::kLongestImport is read, "stopped", and those of imports::importFile.
Result<ReadImport> readImport(const std::filesystem::path& file, const ImportOptions& options,
                              const Stopped& stopped = {});

/// Reads the file and stores its artifact; gives the row as it was handed in, with its id.
Result<record::ArtifactRow> importArtifact(record::Store& store, const std::filesystem::path& file,
                                           const ImportOptions& options);

} // namespace ridge::app
