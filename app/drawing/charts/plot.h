// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/axis_ticks.h"
#include "app/drawing/charts/chart_table.h"
#include "app/theme/theme.h"

#include <QMarginsF>
#include <QPen>
#include <QRectF>
#include <memory>
#include <optional>

class QPainter;

namespace ridge::app {

/// A point of a plot: which group it belongs to (series, kernel, bar, row, lane) and which one of that group it is.
struct PlotCursor {
    int group = -1, point = -1;
    bool valid() const { return group >= 0; }
    bool operator==(const PlotCursor&) const = default;
};

struct PlotAxis {
    QString title; ///< with its unit
    AxisScale scale;
    /// Ticks of its own (names of bars, swept values); empty: made from the scale. The label may be long, it is elided.
    std::vector<Tick> ticks;
    bool shown = true; ///< labels are written
    bool grid = true;
    bool zoom = false; ///< may show a part of its scale
    int rows = 1;      ///< below each other that names of its own may take, so that each stands under its point
    double unit = 1;   ///< size of the unit that the title names: 1e-6 where the scale is in s and the title says µs
};

struct PlotAxes {
    PlotAxis x, y;
    bool equalDecades = false; ///< both logarithmic and a decade as long on either
};

/// Where a plot is painted: the theme, the whole picture, the rectangle of the axes, the scales as they are shown.
struct PlotFrame {
    const Theme& theme;
    QRectF all, plot;
    AxisScale x, y;
    std::vector<Tick> xTicks, yTicks;
    int xRows = 1; ///< lines that the names below take in turn
    bool zoomed = false;

    QPointF place(double valueX, double valueY) const; ///< data to pixels
    double placeX(double value) const { return plot.left() + x.fraction(value) * plot.width(); }
    double placeY(double value) const { return plot.bottom() - y.fraction(value) * plot.height(); }
};

/// A line that Qt Charts draws. Points are data values ascending in x; the canvas cuts and thins them to the view.
struct PlotCurve {
    QPen pen;
    QList<QPointF> points;
};

struct PlotText {
    QString title, caption;
    QString emptyText; ///< stands in the plot when there is nothing to draw
};

/// One kind of chart as data in, picture and words out: no widget, no state beyond its data and its last layout. What
/// all charts share (frame, axes, cursor, zoom, export) is the canvas' and the widget's around it.
class Plot {
public:
    virtual ~Plot() = default;

    virtual PlotText text() const = 0;
    virtual QString summary() const = 0;  ///< one sentence
    virtual ChartTable table() const = 0; ///< every number of the picture
    virtual bool empty() const = 0;       ///< nothing can be drawn
    virtual PlotAxes axes() const = 0;    ///< before any zoom
    virtual QString zoomRefusal() const;  ///< why it does not zoom; empty where an axis does
    virtual Json describe() const;        ///< for structural goldens: labels placed, rounded places

    /// Room beside the axes, in pixels: end labels, key, a second scale.
    virtual QMarginsF margins(const Theme& theme, QSizeF available) const;
    /// The least height that shows all of it well in so wide a picture; 0: any will do.
    virtual double heightFor(const Theme& theme, double width) const;
    /// Called whenever the frame changed, before anything is painted in it.
    virtual void layout(const PlotFrame& frame);
    virtual std::vector<PlotCurve> curves(const PlotFrame& frame) const;
    virtual QRectF emptyRect(const PlotFrame& frame) const; ///< where the empty text stands
    virtual void paintUnder(QPainter& painter, const PlotFrame& frame) const;
    virtual void paint(QPainter& painter, const PlotFrame& frame, PlotCursor shown) const = 0;

    virtual std::vector<int> groups() const = 0; ///< points of each group, in the order of the down key
    /// What the cursor rings; no value where the point cannot be drawn (NaN, outside a logarithmic axis).
    virtual std::optional<QRectF> outline(const PlotFrame& frame, PlotCursor at) const = 0;
    virtual QString pointText(PlotCursor at) const = 0;
    /// The point under the pointer: here the nearest within 24 px of its outline's middle.
    virtual PlotCursor hit(const PlotFrame& frame, QPointF at) const;
    virtual bool roundOutline() const { return true; } ///< ring or rectangle
};

} // namespace ridge::app
