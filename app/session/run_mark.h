// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <QString>
#include <filesystem>
#include <memory>
#include <optional>

namespace ridge::app {

/// How the program's run before this one ended, where nobody had ended it.
struct LastEnd {
    QString started; ///< when that run began, ISO 8601 UTC
    QString place;   ///< page that was open, "lesson/1.6"; empty: unknown
    QString cause;   ///< "SIGSEGV"; empty: killed, or the machine went down
    QString report;  ///< file with all that is known; stays on this machine
};

/// A file in the home folder that is there while the program runs: when the next run finds it, the one before did not
/// end by itself. A signal that ends the program (segmentation fault, abort, …) writes down its name, the page that was
/// open and the calls that led to it; SIGTERM, SIGHUP and SIGINT are an end like any other. Handlers belong to the
/// whole process: there is one such object.
class RunMark {
public:
    /// Errors: "cannot-write" with the folder. Where another process of the same home still runs, its mark stays and
    /// this object does nothing.
    static Result<std::unique_ptr<RunMark>> begin(const std::filesystem::path& home, const QString& version);
    ~RunMark(); ///< the run ended well
    RunMark(const RunMark&) = delete;
    RunMark& operator=(const RunMark&) = delete;

    const std::optional<LastEnd>& lastEnd() const;
    void setPlace(const QString& page);

    static constexpr int kKeptReports = 10;

private:
    RunMark();
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace ridge::app
