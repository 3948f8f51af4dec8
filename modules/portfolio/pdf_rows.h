// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QList>
#include <QStringList>
#include <optional>
#include <vector>

class QPaintDevice;
class QPainter;
class QRectF;

namespace ridge::folio {

/// A long table for paper, drawn row by row. A QTextTable lays each cell out several times, which makes some 8 s of
/// 20,000 rows; drawn here they take a fifth of that (docs/benchmarks.md). Lengths are dots of the device.
struct RowTable {
    QStringList head;
    std::vector<QStringList> rows; ///< each as long as the head
    QFont font, headFont;
    QColor text, line;
    double width = 0, padding = 0, thin = 1; ///< thin: a ruled line

    /// Filled in by laidOut.
    std::vector<double> columns, heights;
    double headHeight = 0, lineHeight = 0;
};

/// Rows [first, last) below a head of their own.
struct RowBand {
    std::size_t first = 0, last = 0;
    double height = 0;
};

/// Measures columns and rows, and parts the table into bands of at most `most` dots. No value where one row alone is
/// higher than that.
std::optional<std::vector<RowBand>> layOut(RowTable& table, const QPaintDevice& device, double most);

void paintBand(QPainter& painter, const QRectF& place, const RowTable& table, const RowBand& band);

} // namespace ridge::folio
