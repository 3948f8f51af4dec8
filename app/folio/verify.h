// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_value.h"
#include "base/result.h"

#include <filesystem>
#include <vector>

namespace ridge::folio {

/// What a portfolio was found to be. Findings are in the order of the checks and each names file and line.
struct VerifyReport {
    std::filesystem::path folder;
    std::vector<Error> findings;
    std::size_t files = 0, artifacts = 0, rows = 0, redactedRows = 0;
    bool ok() const { return findings.empty(); }
    /// What a portfolio without findings still does not prove, in sentences.
    std::vector<std::string> limits() const;
    bool pdf = false; ///< there is a portfolio.pdf, which only SHA256SUMS speaks of
};

/// Checks a portfolio that may come from a stranger; reads only, runs nothing, follows no link out of the folder.
/// Finding codes: "sums-format", "sums-missing", "sums-wrong", "unlisted-file", "link" (a symbolic link or something
/// that is no file), "file-large", "manifest-format", "manifest-schema", "manifest-file", "rows-…" (record/row_lines.h;
/// and "rows-redacted"), "unsafe-markup", "broken-link".
/// Errors: "not-a-portfolio" where the folder has neither SHA256SUMS nor manifest.json.
Result<VerifyReport> verifyPortfolio(const std::filesystem::path& folder, const std::filesystem::path& data);

/// rows.jsonl by itself; `redacted` as the manifest says. Gives the number of rows.
std::size_t verifyRows(const std::string& text, bool redacted, std::vector<Error>& findings);

Json toJson(const VerifyReport& report);

} // namespace ridge::folio
