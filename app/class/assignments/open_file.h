// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "evidence/import_artifact.h"
#include "workload/explorer.h"

#include <QString>
#include <QStringList>

namespace ridge::app {

/// What a file is taken for.
enum class OpenAs {
    Any,    ///< whatever it turns out to be
    Import, ///< only what a tool wrote, as an artifact: "File > Import a file…"
    Runs,   ///< only exported runs
};

/// A file as the thread that read it hands it over; one of the four is there.
struct ReadFile {
    QString place;                      ///< "assignment/file:…": its preview; "assignment/<id>": accepted already
    std::vector<record::RunRow> runs;   ///< exported by another machine
    std::optional<ReadImport> imported; ///< of a tool, not stored yet
    std::shared_ptr<workload::Subject> model; ///< for the explorer
};

/// Reads a file that somebody dropped, double-clicked or chose. Stores nothing and needs no window, so that any thread
/// may do it. `home`: where accepted assignments lie. Errors: "cannot-read", "unknown-file" (names what is taken),
/// "stopped", and those of readAssignment, of readRunDocument, of subjectFromFile and of the importers.
Result<ReadFile> readOpened(const QString& path, OpenAs as, const std::filesystem::path& home,
                            const Stopped& stopped = {});

/// One line that names what readOpened takes.
QString openableFiles();
/// Filters for a file dialog.
QString openFilters();

} // namespace ridge::app
