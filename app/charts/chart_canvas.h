// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/charts/axis_ticks.h"
#include "app/charts/sweep_chart.h"

#include <QtCharts/QChartView>

class QLineSeries;
class QValueAxis;

namespace ridge::app {

/// The picture of a sweep chart. Qt Charts owns plot area and curves; ticks, marks, direct labels and words are
/// painted over it, because its own labels elide and its legend separates names from lines.
class ChartCanvas : public QChartView {
    Q_OBJECT
public:
    explicit ChartCanvas(const Theme& theme, QWidget* parent = nullptr);

    void setData(const SweepChartData& shown);
    void setSelectedX(std::optional<double> x);
    void setReservedRight(int pixels); ///< room in the title row for the controls that lie over it
    void restyle();

    struct Cursor {
        int series = -1, point = -1;
        bool valid() const { return series >= 0; }
    };
    Cursor cursor() const { return m_cursor; }
    Json describeLayout() const; ///< ticks, labels and rounded places, for goldens
    QImage image(QSize size, double scale);

Q_SIGNALS:
    void pointSelected(double x);
    void announced(const QString& text);

protected:
    void drawBackground(QPainter* painter, const QRectF& rect) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    struct EndLabel {
        int series = 0;
        QPointF anchor; ///< last point of the curve
        QRectF rect;
    };
    struct Frame {
        QRectF title, yTitle, plot, xTitle, caption;
        std::vector<Tick> xTicks, yTicks;
        std::vector<EndLabel> ends;
    };

    void layoutFrame();
    void layoutPlot(QRectF area);
    void layoutEnds(double left, double width);
    double endLabelWidth(double available) const;
    void updateScales();
    void updateSeries();
    QPointF place(double x, double y) const; ///< data to pixels
    bool hasPoints() const;

    void paintTexts(QPainter& painter) const;
    void paintAxes(QPainter& painter) const;
    void paintLimit(QPainter& painter) const;
    void paintMarkers(QPainter& painter) const;
    void paintPredictions(QPainter& painter) const;
    void paintEnds(QPainter& painter) const;
    void paintCursor(QPainter& painter) const;
    void paintTag(QPainter& painter, QPointF anchor, const QString& text) const;
    void paintOnGround(QPainter& painter, QRectF rect, int flags, const QString& text) const;
    QPolygonF limitLine() const;
    QRectF limitLabelRect(const QPolygonF& line, QSizeF text) const;

    void moveCursor(int points, int series);
    void setCursor(Cursor cursor, bool emitSelection);
    Cursor nearest(QPointF at, double reach) const;

    const Theme& m_theme;
    SweepChartData m_data;
    AxisScale m_x, m_y;
    Frame m_frame;
    QList<QLineSeries*> m_lines;
    QValueAxis* m_xAxis = nullptr;
    QValueAxis* m_yAxis = nullptr;
    std::optional<double> m_selectedX;
    Cursor m_cursor;
    Cursor m_hover;
    int m_reservedRight = 0;
};

} // namespace ridge::app
