// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/plot.h"

#include <QtCharts/QChartView>

class QLineSeries;
class QValueAxis;

namespace ridge::app {

/// The picture of any plot: frame, axes, cursor, zoom. Qt Charts owns plot area and curves; ticks, marks, direct labels
/// and words are painted over it, because its own labels elide and its legend separates names from lines.
class ChartCanvas : public QChartView {
    Q_OBJECT
public:
    explicit ChartCanvas(const Theme& theme, QWidget* parent = nullptr);
    ~ChartCanvas() override;

    /// The cursor stays where its point is still there; the zoom stays where kind and axis are the same.
    void setPlot(std::shared_ptr<Plot> plot);
    Plot* plot() const { return m_plot.get(); }
    void refresh();                    ///< the numbers behind the plot have changed
    void setReservedRight(int pixels); ///< room in the title row for the controls that lie over it

    PlotCursor cursor() const { return m_cursor; }
    void setCursor(PlotCursor cursor);
    const PlotFrame& frame() const { return m_frame; }
    Json describeLayout() const; ///< ticks, labels and rounded places, for goldens
    QImage image(QSize size, double scale);
    void paintTo(QPainter& painter, QSize size); ///< the same as vectors; text stays text

    /// Shows `factor` times less of the zoomable axes, keeping the pixel at `about` in place.
    void zoomBy(double factor, QPointF about);
    void pan(QPointF fractions); ///< by parts of what is shown
    void resetZoom();
    /// Whether a pull that begins in the plot pulls the picture; not where its owner moves something in there.
    void setPulledFromPlot(bool on) { m_plotPulls = on; }
    bool zoomed() const { return m_view != QRectF(0, 0, 1, 1); }

Q_SIGNALS:
    void cursorMoved(PlotCursor cursor);
    void viewChanged();
    /// The picture is pulled with the mouse: from anywhere, zoomed from outside of the plot.
    void dragWanted();
    void announced(const QString& text);

protected:
    void drawBackground(QPainter* painter, const QRectF& rect) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void update();
    void fit(QSize size);
    void layoutFrame();
    int rowsOfNames(double width) const;
    void layoutPlot(QRectF area, QMarginsF beside);
    void shapeScales(QSizeF plot);
    void updateCurves();
    void setView(QRectF view);
    QString viewText() const;

    void paintTexts(QPainter& painter) const;
    void paintAxes(QPainter& painter) const;
    void paintCursor(QPainter& painter) const;
    PlotCursor shown() const { return m_hover.valid() ? m_hover : (hasFocus() ? m_cursor : PlotCursor{}); }

    void moveCursor(int points, int groups);
    void choose(PlotCursor cursor);
    void bringIntoView(PlotCursor cursor);
    bool inside(PlotCursor cursor) const;

    const Theme& m_theme;
    std::shared_ptr<Plot> m_plot;
    PlotText m_text;
    PlotAxes m_axes;
    PlotFrame m_frame;
    QRectF m_titleRect, m_yTitleRect, m_xTitleRect, m_captionRect;
    QRectF m_view{0, 0, 1, 1}; ///< part of the whole scales that is shown; y from the bottom
    QList<QLineSeries*> m_lines;
    QValueAxis* m_xAxis = nullptr;
    QValueAxis* m_yAxis = nullptr;
    PlotCursor m_cursor, m_hover;
    std::optional<QPointF> m_dragFrom;   ///< of a zoomed plot that is moved
    std::optional<QPointF> m_pulledFrom; ///< of the whole picture
    bool m_plotPulls = true;
    int m_reservedRight = 0;
};

} // namespace ridge::app
