// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <filesystem>

namespace ridge::labs {

/// The folder of one detached run, below the cache folder: request, events (what the run writes on standard output),
/// errors (its standard error), beat (touched by readers), cancel (made to stop it), lock (held by its supervisor),
/// host (where it runs), exit (how it ended: "exit 0", "signal 11", "orphan 0"; made last).
class RunFolder {
public:
    /// `id` is 8 to 64 of [0-9a-f-]. Errors: "bad-protocol".
    static Result<RunFolder> of(const std::string& id);

    bool exists() const;
    std::filesystem::path file(const char* name) const { return m_path / name; }
    void touch() const;
    /// "" while it runs.
    std::string end() const;
    std::string host() const;
    /// Neither running nor ended: its supervisor was killed or the machine restarted.
    bool lost() const;
    void remove() const;

    /// Makes the folder and starts the run detached from this process and its session. Errors: "no-room",
    /// "cannot-write", "internal".
    Result<void> start(const std::string& request, double orphanSeconds) const;

private:
    explicit RunFolder(std::filesystem::path path) : m_path(std::move(path)) {}
    std::filesystem::path m_path;
};

/// Takes away folders of runs that ended or were lost more than a day ago.
void sweepRunFolders();

std::string hostName();

} // namespace ridge::labs
