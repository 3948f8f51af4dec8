// SPDX-License-Identifier: GPL-3.0-or-later
#include "portfolio/pdf_rows.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <numeric>

namespace ridge::folio {
namespace {

constexpr int kWrap = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap | Qt::TextWrapAnywhere;

/// As wide as the longest text of each column wants; shared out where that is more, or less, than there is.
std::vector<double> columnWidths(const RowTable& table, const QFontMetricsF& metrics, const QFontMetricsF& headMetrics)
{
    std::vector<double> wanted;
    for (qsizetype column = 0; column < table.head.size(); ++column) {
        const QString* longest = &table.head[column];
        for (const QStringList& row : table.rows)
            if (row[column].size() > longest->size())
                longest = &row[column];
        const double own =
            std::max(metrics.horizontalAdvance(*longest), headMetrics.horizontalAdvance(table.head[column]));
        // One text of a page's length must not leave the others a sliver.
        wanted.push_back(std::min(own + 2 * table.padding, table.width));
    }
    const double sum = std::accumulate(wanted.begin(), wanted.end(), 0.0);
    for (double& width : wanted)
        width *= table.width / sum;
    return wanted;
}

double heightOf(const RowTable& table, const QStringList& cells, const QFontMetricsF& metrics)
{
    double height = table.lineHeight;
    for (qsizetype column = 0; column < cells.size(); ++column) {
        const double room = table.columns[static_cast<std::size_t>(column)] - 2 * table.padding;
        if (metrics.horizontalAdvance(cells[column]) > room)
            height = std::max(height, metrics.boundingRect(QRectF(0, 0, room, 1e9), kWrap, cells[column]).height() +
                                          2 * table.padding);
    }
    return height;
}

void paintRow(QPainter& painter, const RowTable& table, const QStringList& cells, double left, double top,
              double height, const QFontMetricsF& metrics)
{
    double x = left;
    for (qsizetype column = 0; column < cells.size(); ++column) {
        const double width = table.columns[static_cast<std::size_t>(column)];
        if (height <= table.lineHeight)
            painter.drawText(QPointF(x + table.padding, top + table.padding + metrics.ascent()), cells[column]);
        else
            painter.drawText(
                QRectF(x + table.padding, top + table.padding, width - 2 * table.padding, height - 2 * table.padding),
                kWrap, cells[column]);
        x += width;
    }
}

} // namespace

std::optional<std::vector<RowBand>> layOut(RowTable& table, const QPaintDevice& device, double most)
{
    // Metrics of a device only read from it.
    const QFontMetricsF metrics(table.font, const_cast<QPaintDevice*>(&device));
    const QFontMetricsF headMetrics(table.headFont, const_cast<QPaintDevice*>(&device));
    table.columns = columnWidths(table, metrics, headMetrics);
    table.lineHeight = metrics.height() + 2 * table.padding;
    table.headHeight = heightOf(table, table.head, headMetrics);
    table.heights.clear();
    std::vector<RowBand> bands;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        const double height = heightOf(table, table.rows[row], metrics);
        if (table.headHeight + height > most)
            return std::nullopt;
        if (bands.empty() || bands.back().height + height > most)
            bands.push_back({row, row, table.headHeight});
        bands.back().last = row + 1;
        bands.back().height += height;
        table.heights.push_back(height);
    }
    return bands;
}

void paintBand(QPainter& painter, const QRectF& place, const RowTable& table, const RowBand& band)
{
    painter.save();
    double y = place.top();
    painter.setFont(table.headFont);
    painter.setPen(QPen(table.line, table.thin));
    painter.drawLine(QPointF(place.left(), y), QPointF(place.left() + table.width, y));
    const auto row = [&](const QStringList& cells, double height, const QFontMetricsF& metrics) {
        painter.setPen(table.text);
        paintRow(painter, table, cells, place.left(), y, height, metrics);
        y += height;
        painter.setPen(QPen(table.line, table.thin));
        painter.drawLine(QPointF(place.left(), y), QPointF(place.left() + table.width, y));
    };
    row(table.head, table.headHeight, QFontMetricsF(table.headFont, painter.device()));
    painter.setFont(table.font);
    const QFontMetricsF metrics(table.font, painter.device());
    for (std::size_t i = band.first; i < band.last; ++i)
        row(table.rows[i], table.heights[i], metrics);
    painter.restore();
}

} // namespace ridge::folio
