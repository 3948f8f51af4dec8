// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/plot.h"
#include "base/provenance.h"

namespace ridge::app {

struct HistogramData {
    QString title, caption;
    ChartOrigin origin;
    QString valueTitle, unit;
    std::vector<double> samples; ///< those that are not finite are counted and left out
    std::vector<Provenance> provenance;
    std::optional<double> limit; ///< the bound of the quantity
    QString limitName;
    QString emptyText;
};

/// What is read off a distribution. Quantiles interpolate between the two nearest samples (type 7 of Hyndman and Fan
/// 1996, the default of R and NumPy).
struct HistogramStats {
    std::size_t n = 0, leftOut = 0;
    double min = 0, max = 0, median = 0, q1 = 0, q3 = 0, p95 = 0;
    std::vector<double> edges; ///< one more than counts
    std::vector<std::size_t> counts;
};

/// Bins of equal width by Freedman and Diaconis 1981 (2 IQR n^(-1/3)), between 1 and 60 of them.
HistogramStats histogramOf(const std::vector<double>& samples);
/// Of sorted samples, 0 ≤ q ≤ 1; no value without samples.
std::optional<double> quantile(const std::vector<double>& sorted, double q);

class HistogramPlot : public Plot {
public:
    explicit HistogramPlot(HistogramData data);
    const HistogramData& data() const { return m_data; }
    const HistogramStats& stats() const { return m_stats; }

    PlotText text() const override;
    QString summary() const override;
    ChartTable table() const override;
    bool empty() const override { return m_stats.n == 0; }
    PlotAxes axes() const override;
    Json describe() const override;
    QMarginsF margins(const Theme& theme, QSizeF available) const override;
    void layout(const PlotFrame& frame) override;
    void paintUnder(QPainter& painter, const PlotFrame& frame) const override;
    void paint(QPainter& painter, const PlotFrame& frame, PlotCursor shown) const override;
    std::vector<int> groups() const override;
    std::optional<QRectF> outline(const PlotFrame& frame, PlotCursor at) const override;
    QString pointText(PlotCursor at) const override;
    PlotCursor hit(const PlotFrame& frame, QPointF at) const override;
    bool roundOutline() const override { return false; }

private:
    struct Mark {
        QString text;
        double value = 0;
        QRectF label;
    };
    HistogramData m_data;
    HistogramStats m_stats;
    std::vector<Mark> m_marks; ///< median, p95, limit
};

} // namespace ridge::app
