// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/chart_canvas.h"

#include "app/charts/decimate.h"
#include "app/charts/series_marker.h"
#include "app/theme/accessible_role.h"

#include <QtCharts/QChart>
#include <QtCharts/QLineSeries>
#include <QtCharts/QValueAxis>

namespace ridge::app {

ChartCanvas::ChartCanvas(const Theme& theme, QWidget* parent) : QChartView(new QChart, parent), m_theme(theme)
{
    setAccessibleRole(this, QAccessible::Chart);
    setFrameShape(QFrame::NoFrame);
    setStyleSheet(QStringLiteral("background: transparent; border: none;"));
    setRenderHint(QPainter::Antialiasing);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setContextMenuPolicy(Qt::NoContextMenu);
    setViewportUpdateMode(QGraphicsView::FullViewportUpdate);
    chart()->setBackgroundVisible(false);
    chart()->setPlotAreaBackgroundVisible(false);
    chart()->legend()->hide();
    chart()->setMargins({});
    chart()->layout()->setContentsMargins(0, 0, 0, 0);
    m_xAxis = new QValueAxis(this);
    m_yAxis = new QValueAxis(this);
    for (auto [axis, side] : {std::pair{m_xAxis, Qt::AlignBottom}, std::pair{m_yAxis, Qt::AlignLeft}}) {
        axis->setVisible(false);
        chart()->addAxis(axis, side);
    }
    restyle();
}

void ChartCanvas::setData(const SweepChartData& shown)
{
    m_data = shown;
    const auto inside = [&](Cursor c) {
        return c.valid() && c.series < static_cast<int>(m_data.series.size()) &&
               c.point < static_cast<int>(m_data.series[static_cast<std::size_t>(c.series)].points.size());
    };
    if (!inside(m_cursor))
        m_cursor = {};
    if (!inside(m_hover))
        m_hover = {};
    updateScales();
    layoutFrame();
    updateSeries();
    viewport()->update();
}

void ChartCanvas::setSelectedX(std::optional<double> x)
{
    m_selectedX = x;
    viewport()->update();
}

void ChartCanvas::setReservedRight(int pixels)
{
    m_reservedRight = pixels;
    layoutFrame();
}

void ChartCanvas::restyle()
{
    layoutFrame();
    updateSeries();
    viewport()->update();
}

bool ChartCanvas::hasPoints() const
{
    return std::any_of(m_data.series.begin(), m_data.series.end(),
                       [](const ChartSeries& s) { return !s.points.empty(); });
}

void ChartCanvas::updateScales()
{
    std::vector<double> xs, ys;
    for (const ChartSeries& series : m_data.series)
        for (const ChartSeries::Point& point : series.points) {
            xs.push_back(point.x);
            ys.push_back(point.y);
            if (point.limit)
                ys.push_back(*point.limit);
        }
    for (const ChartPrediction& prediction : m_data.predictions) {
        xs.push_back(prediction.x);
        ys.insert(ys.end(), {prediction.point, prediction.low, prediction.high});
        if (prediction.result)
            ys.push_back(*prediction.result);
    }
    for (const auto& end : {m_data.xMin, m_data.xMax})
        if (end)
            xs.push_back(*end);
    for (const auto& end : {m_data.yMin, m_data.yMax})
        if (end)
            ys.push_back(*end);
    m_x = makeScale(m_data.xScale, xs, false);
    m_y = makeScale(m_data.yScale, ys, true);
}

void ChartCanvas::updateSeries()
{
    while (m_lines.size() > static_cast<qsizetype>(m_data.series.size())) {
        chart()->removeSeries(m_lines.last());
        delete m_lines.takeLast();
    }
    while (m_lines.size() < static_cast<qsizetype>(m_data.series.size())) {
        auto* line = new QLineSeries(this);
        chart()->addSeries(line);
        line->attachAxis(m_xAxis);
        line->attachAxis(m_yAxis);
        m_lines.append(line);
    }
    m_xAxis->setRange(m_x.transform(m_x.min), m_x.transform(m_x.max));
    m_yAxis->setRange(m_y.transform(m_y.min), m_y.transform(m_y.max));
    const int columns = std::max(16, static_cast<int>(m_frame.plot.width()));
    for (qsizetype i = 0; i < m_lines.size(); ++i) {
        const ChartSeries& series = m_data.series[static_cast<std::size_t>(i)];
        QList<QPointF> points;
        points.reserve(static_cast<qsizetype>(series.points.size()));
        for (const ChartSeries::Point& p : series.points)
            if (m_x.accepts(p.x) && m_y.accepts(p.y))
                points.append({m_x.transform(p.x), m_y.transform(p.y)});
        m_lines[i]->setPen(seriesPen(m_theme, static_cast<int>(i), series.provenance));
        // One replace of at most two points a pixel: appending repaints for every point.
        m_lines[i]->replace(decimate(points, columns));
    }
}

void ChartCanvas::resizeEvent(QResizeEvent* event)
{
    QChartView::resizeEvent(event);
    layoutFrame();
    updateSeries();
}

QPointF ChartCanvas::place(double x, double y) const
{
    const QRectF& plot = m_frame.plot;
    return {plot.left() + m_x.fraction(x) * plot.width(), plot.bottom() - m_y.fraction(y) * plot.height()};
}

QImage ChartCanvas::image(QSize size, double scale)
{
    resize(size);
    QResizeEvent resized(size, size);
    resizeEvent(&resized);
    QImage picture(size * scale, QImage::Format_ARGB32_Premultiplied);
    picture.setDevicePixelRatio(scale);
    picture.fill(m_theme.color(Role::Surface));
    QWidget::render(&picture, QPoint(), QRegion(), QWidget::DrawChildren);
    return picture;
}

} // namespace ridge::app
