// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/plot.h"
#include "base/provenance.h"

namespace ridge::app {

/// A whole in parts: the same parts for every bar.
struct CostBar {
    QString name;
    Provenance provenance = Provenance::Measured;
    std::vector<double> values; ///< one a part, not negative
};

struct CostData {
    QString title, caption;
    ChartOrigin origin;
    QString valueTitle, unit; ///< "warp cycles", "%"
    std::vector<QString> parts;
    std::vector<CostBar> bars; ///< from the top
    QString emptyText;
};

/// Compute, memory, communication, synchronisation, scheduling: where time goes, in the order of product and lessons.
std::vector<QString> costParts();

/// Stacked bars from zero. The seven parts that are largest over all bars have a colour each, the others are drawn as
/// one; the table has them all.
class CostPlot : public Plot {
public:
    explicit CostPlot(CostData data);
    const CostData& data() const { return m_data; }

    PlotText text() const override;
    QString summary() const override;
    ChartTable table() const override;
    bool empty() const override;
    PlotAxes axes() const override;
    QString zoomRefusal() const override;
    Json describe() const override;
    QMarginsF margins(const Theme& theme, QSizeF available) const override;
    void paint(QPainter& painter, const PlotFrame& frame, PlotCursor shown) const override;
    std::vector<int> groups() const override;
    std::optional<QRectF> outline(const PlotFrame& frame, PlotCursor at) const override;
    QString pointText(PlotCursor at) const override;
    PlotCursor hit(const PlotFrame& frame, QPointF at) const override;
    bool roundOutline() const override { return false; }

private:
    struct Drawn {
        QString name;
        std::vector<std::size_t> parts; ///< those that it sums
    };
    double amount(std::size_t bar, std::size_t drawn) const;
    double total(std::size_t bar) const;
    QString barName(std::size_t bar) const;
    void paintSegment(QPainter& painter, const PlotFrame& frame, PlotCursor at) const;

    CostData m_data;
    std::vector<Drawn> m_drawn;
};

} // namespace ridge::app
