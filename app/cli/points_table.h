// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"
#include "base/result.h"

#include <filesystem>

namespace ridge::cli {

/// One row of a table of points.
struct PointRow {
    std::string place;            ///< "points.csv:3"
    ParamSet given;               ///< cells that are not empty; the text of one that is no value
    std::string target;           ///< of the column "target"; may be empty
    std::optional<Error> refused; ///< a cell that is no legal value
};

struct PointsTable {
    std::vector<std::string> names; ///< parameters, as the first line has them
    std::vector<PointRow> rows;
};

/// A table of comma-separated values as RFC 4180 has them (';' and tab separate as well): the first line names
/// parameters of `info` and perhaps "target", each further one is a point, an empty cell is the default. Values are
/// written as on the command line. What is wrong with a row is told in the row; what is wrong with the file is an error
/// "bad-points" or "bad-csv" with file:line and fix.
Result<PointsTable> parsePoints(std::string_view text, const std::string& file, const ExperimentInfo& info);

/// The same from a plain file of at most 64 MiB. Errors: those of parsePoints and readFile.
Result<PointsTable> readPoints(const std::filesystem::path& file, const ExperimentInfo& info);

/// Of parameters that name files, the path from the root on: a worker has no folder of its own.
void resolveFiles(const ExperimentInfo& info, ParamSet& params);

} // namespace ridge::cli
