// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_value.h"

#include <QString>
#include <variant>
#include <vector>

namespace ridge::app {

/// Where the numbers of a chart come from. Its caption, its files and its screen reader all say it.
struct ChartOrigin {
    QString where;         ///< "sim:h100-sxm"; several joined by commas
    std::size_t n = 0;     ///< runs or samples behind the picture; 0: not told
    QString verdict;       ///< "valid", or what spoils a number
    JsonValue fingerprint; ///< of the machine, as a run stores it; null: unknown
};

/// "sim:h100-sxm · n = 8 · valid"
QString originText(const ChartOrigin& origin);
/// One line that names chip, driver or simulator, compiler, processor and program; empty without a fingerprint.
QString fingerprintText(const JsonValue& fingerprint);

using ChartCell = std::variant<std::monostate, double, QString>;

struct ChartColumn {
    QString key;   ///< heads the column in CSV and JSON, the same in every language
    QString title; ///< heads it on the screen
    QString unit;  ///< of its numbers; "1" or empty: none
    bool numeric = true;
};

/// The numbers of a chart as rows: the one source of its table twin and of every file it is written to.
struct ChartTable {
    QString kind; ///< "roofline", "heat-map" …
    QString title, summary, caption;
    std::vector<ChartColumn> columns;
    std::vector<std::vector<ChartCell>> rows; ///< each as long as columns
    ChartOrigin origin;

    bool used(std::size_t column) const; ///< some row has a cell there
};

/// A field of a CSV file (RFC 4180): in quotes, and in quotes where it must be.
QString csvQuoted(QString text);
QString csvField(const QString& text);
/// A cell of a Markdown table (GitHub dialect).
QString markdownCell(QString text);

/// RFC 4180; headers carry the units. Columns target, n, verdict and fingerprint follow where they are known.
QString tableCsv(const ChartTable& table);
/// GitHub dialect, with title, summary, caption and fingerprint around it. Columns without a cell are left out.
QString tableMarkdown(const ChartTable& table);
/// The table alone, for pasting into a document.
QString tableHtml(const ChartTable& table);
/// {kind, title, summary, caption, columns: [{name, unit}], rows: [[…]], origin: {target, n, verdict, fingerprint}}
Json tableJson(const ChartTable& table);

} // namespace ridge::app
