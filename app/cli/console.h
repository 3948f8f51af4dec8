// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"
#include "base/json_value.h"
#include "base/result.h"

#include <string>
#include <vector>

namespace ridge::cli {

/// Exit status of every `ridge` command (documented in `ridge --help` and README).
enum ExitCode {
    Done = 0,
    Failed = 1,      ///< it ran and failed: experiment, check, lint
    Usage = 2,       ///< the command line is wrong: name, value, file
    Unavailable = 3, ///< worker, target or compiler is not there
    StoreTrouble = 4,
    Cancelled = 130,
};

ExitCode exitCodeOf(const Error& error);

/// Prints the error on standard error and gives its exit code.
int report(const Error& error);

/// Prints one line on standard error, as an error is printed.
void tell(const std::string& line);

/// One JSON document on standard output. Names of files may be no UTF-8: what JSON cannot hold becomes U+FFFD.
void printJson(const Json& document);

/// What others wrote (names, titles, files of theirs) as it may go to a terminal: on one line, without control
/// characters and turned direction, so that nothing can move the cursor or pass for another line; no UTF-8 is U+FFFD.
std::string plain(std::string_view text);

/// The same of text that keeps its lines and tabs: what a kernel printed, a file's own lines.
std::string plainLines(std::string_view text);

/// "1 file", "3 files".
std::string counted(std::size_t count, const std::string& one, const std::string& many);

/// A table with columns padded to their widest cell (UTF-8 aware); numbers to the right.
std::string table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows);

/// One line on standard error that is redrawn; silent unless standard error is a terminal.
class ProgressBar {
public:
    explicit ProgressBar(bool enabled);
    ~ProgressBar();
    void show(double fraction, const std::string& message);
    void clear();

private:
    bool m_enabled;
    bool m_drawn = false;
};

bool isTerminal(int descriptor);

} // namespace ridge::cli
