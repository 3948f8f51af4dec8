// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/plot.h"
#include "classroom/class_report.h"

namespace ridge::app {

/// What the class found, over the bins: median and range.
struct BinsResult {
    double median = 0, low = 0, high = 0;
    QString provenance; ///< "SIMULATED", or several with commas
};

/// How learners are distributed over bins that somebody else counted.
struct BinsData {
    QString kind, title, caption, summary;
    QString emptyText;
    QString xTitle, unit; ///< the quantity and its unit
    bool log = false;
    bool predictions = false; ///< each learner is a hollow diamond, as long as there is room for all
    std::vector<classroom::HistogramBin> bins;
    std::optional<BinsResult> result{};
};

class BinsPlot : public Plot {
public:
    explicit BinsPlot(BinsData data);
    const BinsData& data() const { return m_data; }
    int learners() const { return m_learners; }
    /// Whether every learner stands as a mark of their own.
    bool marksShown() const { return m_markSize > 0; }

    PlotText text() const override;
    QString summary() const override;
    ChartTable table() const override;
    bool empty() const override { return m_learners == 0; }
    PlotAxes axes() const override;
    Json describe() const override;
    QMarginsF margins(const Theme& theme, QSizeF available) const override;
    void layout(const PlotFrame& frame) override;
    void paint(QPainter& painter, const PlotFrame& frame, PlotCursor shown) const override;
    std::vector<int> groups() const override;
    std::optional<QRectF> outline(const PlotFrame& frame, PlotCursor at) const override;
    QString pointText(PlotCursor at) const override;
    PlotCursor hit(const PlotFrame& frame, QPointF at) const override;
    bool roundOutline() const override { return false; }

private:
    QRectF binRect(const PlotFrame& frame, std::size_t bin) const;
    void paintResult(QPainter& painter, const PlotFrame& frame) const;
    QString resultText() const;

    BinsData m_data;
    int m_learners = 0, m_most = 0;
    double m_markSize = 0; ///< px of a diamond; 0: bars
    QRectF m_resultLabel;
};

} // namespace ridge::app
