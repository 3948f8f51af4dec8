// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/plot.h"

namespace ridge::app {

/// A thing that is compared: a bar, or the reason why there is none.
struct RowsRow {
    QString name;
    std::optional<double> value;
    QString label;         ///< stands at the bar's end: "3.17×"
    QString before, after; ///< columns left and right of the bars
    QString reason;        ///< in place of the bar where there is no value
    Role role = Role::Series1;
    bool strong = false; ///< the one that matters: full colour
};

struct RowsData {
    QString kind, title, caption, summary;
    QString emptyText; ///< not empty: nothing can be drawn, and this is why
    QString xTitle;
    bool ratios = false; ///< bars start at 1 on a logarithmic axis; else at 0 on a linear one
    QString beforeTitle, afterTitle;
    std::vector<RowsRow> rows; ///< from the top
    ChartTable table;          ///< title, caption and summary are taken from here above
};

/// Things under one another with a bar each, numbers beside it. A row without a value says why.
class RowsPlot : public Plot {
public:
    explicit RowsPlot(RowsData data) : m_data(std::move(data)) {}
    const RowsData& data() const { return m_data; }

    PlotText text() const override;
    QString summary() const override;
    ChartTable table() const override;
    bool empty() const override { return !m_data.emptyText.isEmpty(); }
    PlotAxes axes() const override;
    Json describe() const override;
    QMarginsF margins(const Theme& theme, QSizeF available) const override;
    void layout(const PlotFrame& frame) override { m_drawn = frame.plot; }
    void paint(QPainter& painter, const PlotFrame& frame, PlotCursor shown) const override;
    double heightFor(const Theme& theme, double width) const override;
    std::vector<int> groups() const override;
    std::optional<QRectF> outline(const PlotFrame& frame, PlotCursor at) const override;
    QString pointText(PlotCursor at) const override;
    PlotCursor hit(const PlotFrame& frame, QPointF at) const override;
    bool roundOutline() const override { return false; }

private:
    struct Columns {
        double names = 0, before = 0, after = 0;
        bool stacked = false;
    };
    double columnWidth(const Theme& theme, QString RowsRow::*column, const QString& title) const;
    Columns columns(const Theme& theme, double width) const;
    void paintRow(QPainter& painter, const PlotFrame& frame, std::size_t i) const;

    RowsData m_data;
    QRectF m_drawn;
};

} // namespace ridge::app
