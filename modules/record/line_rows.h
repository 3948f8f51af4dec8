// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/rows.h"

namespace ridge::record {

/// What lines of rows say, read as the store reads its rows: also of lines whose details were taken out, which no
/// database would take (ids like "run-1", months for times). Kinds that are not here are passed over.
struct LineRows {
    std::vector<ArtifactRow> artifacts;
    std::vector<PredictionRow> predictions;
    std::vector<RunRow> runs;
    std::vector<ReasonRow> reasons;
    std::vector<JournalRow> journal;
    std::vector<ReproductionRow> reproductions;
    std::map<std::string, std::size_t> lineOf; ///< by id, from 1
};

/// For lines whose form, digests and references were checked before; what a value cannot mean is an error here:
/// "rows-format", "rows-value" with "file:line".
Result<LineRows> rowsOfLines(std::string_view text, const std::string& file = "rows.jsonl");

} // namespace ridge::record
