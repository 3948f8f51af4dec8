// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/row_codec.h"

namespace ridge::record {

class Connection;
class Store;

/// Rows of the store as text, one JSON object a line:
///   {"kind":"run","id":…,"created_at":…,"origin":…,"seq":…,"previous":…,"digest":…,"columns":{…}}
/// with the columns as the database has them (a JSON column is a string that holds JSON). Submissions and portfolios
/// carry rows this way: what is in them can be read with any tool, and no file of SQLite's is opened that a stranger
/// made.

/// Which rows to write. What a chosen row refers to (the prediction of a run, the runs of an artifact) comes along,
/// whatever its kind, lesson and origin.
struct RowSelection {
    std::vector<std::string> kinds = {}; ///< empty: all
    std::vector<std::string> lessons =
        {}; ///< empty: all. A row without a lesson of its own (a reason) goes with what it is about
    std::vector<std::string> origins = {}; ///< empty: all
    std::vector<std::string> ids = {};     ///< empty: all
    bool newest =
        false; ///< of what has versions (artifact, note, tag, journal) only the newest, and nothing taken away
};

/// In an order in which no row refers to a later one. Errors: those of the store.
Result<std::string> rowLines(const Store& store, const RowSelection& selection);

struct RowLimits {
    std::size_t totalBytes = 128u << 20;
    std::size_t lineBytes = 4u << 20;
    std::size_t rows = 200'000;
    int depth = 32; ///< of JSON, in a line and in a column that holds JSON
};

/// A row as it can be put into a database of today's schema: every check of the schema was passed.
struct RowLine {
    QString kind;
    Stamp stamp;
    QString digest;
    Columns columns; ///< as contentColumns(kind), in that order; names live as long as the program
    int line = 0;    ///< 1-based
};

/// One line as rowLines writes it, with its line feed. The digest is taken as it stands.
std::string toLine(const RowLine& row);

/// Reads what rowLines wrote, from a stranger. Checked are the limits, the form of every line, kinds, columns and their
/// types, everything the tables' own rules demand, that every stored value can be read back, digests, that ids and
/// places in an origin's sequence are not used twice, that neighbours of one origin are chained, and that nothing
/// refers to a row that is not there. Texts come through unchanged: who shows them escapes them. Rows come in an order
/// in which none refers to a later one.
/// Errors (place = "file:line" or "file:line, column NAME"): "rows-large", "rows-format", "rows-kind", "rows-column",
/// "rows-value", "rows-digest", "rows-double", "rows-chain", "rows-reference".
Result<std::vector<RowLine>> parseRowLines(std::string_view text, const RowLimits& limits = {},
                                           const std::string& file = "rows.jsonl");

/// parseRowLines for many files: the tables that rows are tried in are made once and emptied after each file. Of the
/// thread that made it.
class RowLineReader {
public:
    RowLineReader();
    ~RowLineReader();
    /// As parseRowLines.
    Result<std::vector<RowLine>> parse(std::string_view text, const RowLimits& limits = {},
                                       const std::string& file = "rows.jsonl");

private:
    std::unique_ptr<Connection> m_tables; ///< null before the first file, and after a failure
};

/// The names of content-addressed files that rows name: traces, code and other files of artifacts. Sorted, each once.
std::vector<std::string> filesOf(const std::vector<RowLine>& rows);

} // namespace ridge::record
