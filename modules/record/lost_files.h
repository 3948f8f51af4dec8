// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/files/content_files.h"

#include <set>
#include <vector>

namespace ridge::record {

class Connection;

/// A content file that rows name and that is not there, or not as it was.
struct LostFile {
    std::string name; ///< its SHA-256, or what a file row has in its place
    Error fault;
    std::vector<std::string> rows; ///< "run 0190…": those that name it
};

/// Names of the files that were noted as lost. Rows are never changed or taken away, so a row whose file is gone stays;
/// what is known of it is a note of its own (a row of `meta`). A file that turns up again is simply there.
Result<std::set<std::string>> notedLostFiles(Connection& connection);
/// Notes them. The caller has the transaction.
Result<void> noteLostFiles(Connection& connection, const std::vector<LostFile>& lost);

/// Fills in which rows of the database `schema` ("main", or one that is attached) name them.
Result<void> nameRowsOf(Connection& connection, const QString& schema, std::vector<LostFile>& lost);

/// "A file of the record is missing (run 1, artifact 2): …/ab/cdef"; names the first rows only.
std::string textOf(const LostFile& lost);

} // namespace ridge::record
