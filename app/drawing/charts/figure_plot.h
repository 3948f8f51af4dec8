// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/label_place.h"
#include "app/drawing/charts/plot.h"

#include <QPolygonF>

namespace ridge::app {

/// A line that says what it is where it runs.
struct FigureLine {
    QString name; ///< written along the line; empty: nothing
    Role role = Role::Text;
    double width = 2;
    bool dashed = false;
    QList<QPointF> points;          ///< data, ascending in x
    std::optional<double> nameAt{}; ///< x of the middle of the name; default: the middle of the line
    bool nameBelow = false;
};

/// What lies between two lines, filled.
struct FigureBand {
    Role role = Role::Series1;
    QList<QPointF> low, high; ///< data, ascending in x, the same x
};

/// A place along x where one regime ends and another begins.
struct FigureGuide {
    double x = 0;
    QString name;        ///< beside its upper end
    QString left, right; ///< the regimes, at the bottom
};

/// A point worth a label. The first one of a figure is what the reader moves.
struct FigureMark {
    QString name; ///< "SAXPY on the GPU"
    QString text; ///< stands beside it
    QPointF at;
    Role role = Role::Accent;
    bool hollow = false;
    bool drop = false; ///< a thin line down to the x axis
};

struct FigurePart {
    QString name; ///< "copies"
    Role role = Role::Text;
    double value = 0; ///< in the unit of all bars, not negative
    QString text;     ///< "18.2 µs"
};

/// A whole in parts, above the axes.
struct FigureBar {
    QString name, total;
    std::vector<FigurePart> parts;
};

struct FigureData {
    QString title, caption, summary;
    QString emptyText; ///< not empty: nothing can be drawn, and this is why
    QString yTitle;    ///< stands on the axes, below the bars
    PlotAxes axes;
    std::vector<FigureLine> lines;
    std::vector<FigureGuide> guides;
    std::vector<FigureMark> marks;
    std::vector<FigureBar> bars; ///< on one scale
    ChartTable table;            ///< title, caption and summary are taken from here above
    std::vector<FigureBand> bands = {};
};

/// A figure of a small model: lines, regimes, points and bars that carry their own labels. What the bars say stands
/// below each of them, so that a part too thin to be seen is still told.
class FigurePlot : public Plot {
public:
    explicit FigurePlot(FigureData data) : m_data(std::move(data)) {}
    const FigureData& data() const { return m_data; }

    PlotText text() const override;
    QString summary() const override;
    ChartTable table() const override;
    bool empty() const override { return !m_data.emptyText.isEmpty(); }
    PlotAxes axes() const override;
    Json describe() const override;
    QMarginsF margins(const Theme& theme, QSizeF available) const override;
    double heightFor(const Theme& theme, double width) const override;
    void layout(const PlotFrame& frame) override;
    std::vector<PlotCurve> curves(const PlotFrame& frame) const override;
    void paintUnder(QPainter& painter, const PlotFrame& frame) const override;
    void paint(QPainter& painter, const PlotFrame& frame, PlotCursor shown) const override;
    std::vector<int> groups() const override;
    std::optional<QRectF> outline(const PlotFrame& frame, PlotCursor at) const override;
    QString pointText(PlotCursor at) const override;
    bool roundOutline() const override { return m_data.bars.empty(); }

private:
    struct Name {
        QString text;
        QPointF middle;   ///< of the line where the name stands
        double angle = 0; ///< degrees, clockwise
        QPolygonF box;    ///< the turned text
        bool below = false;
    };
    struct BarPlace {
        QRectF bar, key;
    };

    double stripHeight(const Theme& theme, double width, std::vector<BarPlace>* places, QPointF origin) const;
    std::vector<QRectF> fixedWords(const PlotFrame& frame) const;
    std::optional<Name> nameOn(const PlotFrame& frame, const FigureLine& line, double at, bool below) const;
    void layoutNames(const PlotFrame& frame, const std::vector<QRectF>& taken);
    void layoutMarks(const PlotFrame& frame, std::vector<QRectF> taken);
    QRectF partRect(std::size_t bar, std::size_t part) const;
    void paintBands(QPainter& painter, const PlotFrame& frame) const;
    void paintGuides(QPainter& painter, const PlotFrame& frame) const;
    void paintNames(QPainter& painter, const PlotFrame& frame) const;
    void paintMarks(QPainter& painter, const PlotFrame& frame) const;
    void paintBars(QPainter& painter, const PlotFrame& frame) const;

    FigureData m_data;
    std::vector<Name> m_names;
    std::vector<PlacedLabel> m_markLabels; ///< one a mark
    std::vector<BarPlace> m_bars;
};

} // namespace ridge::app
