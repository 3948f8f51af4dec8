// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"
#include "base/json_value.h"
#include "base/result.h"

#include <filesystem>
#include <map>
#include <span>
#include <vector>

namespace ridge::folio {

/// What a portfolio was found to be. Findings are in the order of the checks and each names file and line.
struct VerifyReport {
    std::filesystem::path folder;
    std::vector<Error> findings;
    std::size_t files = 0, artifacts = 0, rows = 0, redactedRows = 0;
    bool ok() const { return findings.empty(); }
    /// What a portfolio without findings proves, and what it still does not, in sentences.
    std::vector<std::string> proofs() const;
    std::vector<std::string> limits() const;
    bool pdf = false;           ///< there is a portfolio.pdf, which only SHA256SUMS speaks of
    bool compared = false;      ///< manifest, tables, code and files were held against the rows
    std::string pagesOpen;      ///< why pages and charts were not; empty: they were
    std::size_t held = 0;       ///< artifacts of which a feedback policy keeps results back
    std::size_t reproduced = 0; ///< artifacts whose trust is above T1
};

/// Checks a portfolio that may come from a stranger; reads only, runs nothing, follows no link out of the folder.
/// Finding codes: "sums-format", "sums-missing", "sums-wrong", "unlisted-file", "link" (a symbolic link or something
/// that is no file), "file-large", "manifest-format", "manifest-schema", "manifest-file", "rows-…" (record/row_lines.h;
/// and "rows-redacted"), "rows-differ" (manifest, table or file is not what the rows say), "page-differs" (page or
/// chart is not what the rows make), "unsafe-markup", "chart-torn", "broken-link". Errors: "not-a-portfolio" where the
/// folder has neither SHA256SUMS nor manifest.json. `experiments`: as the program that checks knows them; without them
/// pages and charts are not made again.
Result<VerifyReport> verifyPortfolio(const std::filesystem::path& folder, const std::filesystem::path& data,
                                     std::span<const ExperimentInfo> experiments = {});

/// rows.jsonl by itself; `redacted` as the manifest says. Gives the number of rows.
std::size_t verifyRows(const std::string& text, bool redacted, std::vector<Error>& findings);

/// Holds everything that a portfolio says against its rows.jsonl, which is sound by itself: each artifact of the
/// manifest, tables of runs, code and files; pages and charts are made again where the same maker made them.
void checkContent(const std::map<std::string, std::string>& files, const Json& manifest,
                  std::span<const ExperimentInfo> experiments, const std::filesystem::path& data, VerifyReport& report);

Json toJson(const VerifyReport& report);

} // namespace ridge::folio
