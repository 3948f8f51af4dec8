// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/plot.h"
#include "base/provenance.h"

namespace ridge::app {

/// One rung of a ladder of versions: what it reached, and how far it scatters.
struct LadderRung {
    QString name;
    double value = 0;
    std::optional<double> low, high; ///< min and p95, or the quartiles: whiskers
    Provenance provenance = Provenance::Measured;
};

/// Bars of a quantity of which more is better.
struct LadderData {
    QString title, caption;
    ChartOrigin origin;
    QString valueTitle, unit;
    std::vector<LadderRung> rungs;   ///< from the top
    std::optional<double> limit;     ///< what physics allows, in `unit`
    QString limitName;               ///< "HBM pins"
    std::optional<double> reference; ///< what the vendor's library reaches, in `unit`
    QString referenceName;           ///< "cuBLAS"
    QString emptyText;
};

/// One bar a rung from zero, with two scales: percent of the limit below, percent of the reference above.
class LadderPlot : public Plot {
public:
    explicit LadderPlot(LadderData data) : m_data(std::move(data)) {}
    const LadderData& data() const { return m_data; }

    PlotText text() const override;
    QString summary() const override;
    ChartTable table() const override;
    bool empty() const override;
    PlotAxes axes() const override;
    QString zoomRefusal() const override;
    QMarginsF margins(const Theme& theme, QSizeF available) const override;
    void paint(QPainter& painter, const PlotFrame& frame, PlotCursor shown) const override;
    std::vector<int> groups() const override;
    std::optional<QRectF> outline(const PlotFrame& frame, PlotCursor at) const override;
    QString pointText(PlotCursor at) const override;
    PlotCursor hit(const PlotFrame& frame, QPointF at) const override;
    bool roundOutline() const override { return false; }

private:
    double highest() const;
    QStringList columnsOf(const LadderRung& rung) const;
    std::vector<double> columnWidths(const Theme& theme) const;
    void paintBars(QPainter& painter, const PlotFrame& frame) const;
    void paintNumbers(QPainter& painter, const PlotFrame& frame) const;
    void paintReference(QPainter& painter, const PlotFrame& frame) const;

    LadderData m_data;
};

} // namespace ridge::app
