// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/chart_canvas.h"

#include "app/drawing/charts/decimate.h"
#include "app/theme/accessible_role.h"

#include <QtCharts/QChart>
#include <QtCharts/QLineSeries>
#include <QtCharts/QValueAxis>

namespace ridge::app {
namespace {

constexpr double kDeepest = 1e-7; ///< smallest part of a scale that a zoom shows: beyond it doubles run out of digits

/// The points of a curve that lie in the view, and one beyond each end, in the units of the plot's axes.
QList<QPointF> visiblePoints(const PlotCurve& curve, const PlotFrame& frame)
{
    QList<QPointF> points;
    points.reserve(curve.points.size());
    std::optional<QPointF> before;
    for (const QPointF& p : curve.points) {
        if (!frame.x.accepts(p.x()) || !frame.y.accepts(p.y()))
            continue;
        const QPointF here(frame.x.transform(p.x()), frame.y.transform(p.y()));
        if (p.x() < frame.x.min) {
            before = here;
            continue;
        }
        if (points.isEmpty() && before)
            points.append(*before);
        points.append(here);
        if (p.x() > frame.x.max)
            break;
    }
    return points;
}

} // namespace

ChartCanvas::ChartCanvas(const Theme& theme, QWidget* parent)
    : QChartView(new QChart, parent), m_theme(theme), m_frame{theme, {}, {}, {}, {}, {}, {}, false}
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
}

ChartCanvas::~ChartCanvas() = default;

void ChartCanvas::setPlot(std::shared_ptr<Plot> plot)
{
    const auto sameAxes = [&](const Plot& now) {
        const Plot& old = *m_plot;
        return typeid(now) == typeid(old) && now.axes().x.title == m_axes.x.title;
    };
    if (!plot || !m_plot || !sameAxes(*plot))
        m_view = QRectF(0, 0, 1, 1);
    m_plot = std::move(plot);
    refresh();
}

void ChartCanvas::refresh()
{
    m_text = m_plot ? m_plot->text() : PlotText{};
    m_axes = m_plot ? m_plot->axes() : PlotAxes{};
    if (m_view.width() < 1 && m_axes.x.zoom && !m_axes.equalDecades) {
        // What is looked at stays, though the scale has grown at its end.
        const double from = m_axes.x.scale.fraction(m_frame.x.min), to = m_axes.x.scale.fraction(m_frame.x.max);
        if (from >= 0 && to > from && to <= 1 + 1e-9)
            m_view = QRectF(from, m_view.top(), to - from, m_view.height());
    }
    if (!inside(m_cursor))
        m_cursor = {};
    if (!inside(m_hover))
        m_hover = {};
    update();
}

/// Where everything stands, what Qt Charts draws, and a new picture.
void ChartCanvas::update()
{
    layoutFrame();
    updateCurves();
    viewport()->update();
}

void ChartCanvas::setReservedRight(int pixels)
{
    m_reservedRight = pixels;
    update();
}

void ChartCanvas::updateCurves()
{
    const std::vector<PlotCurve> curves = m_plot ? m_plot->curves(m_frame) : std::vector<PlotCurve>{};
    while (m_lines.size() > static_cast<qsizetype>(curves.size())) {
        chart()->removeSeries(m_lines.last());
        delete m_lines.takeLast();
    }
    while (m_lines.size() < static_cast<qsizetype>(curves.size())) {
        auto* line = new QLineSeries(this);
        chart()->addSeries(line);
        line->attachAxis(m_xAxis);
        line->attachAxis(m_yAxis);
        m_lines.append(line);
    }
    m_xAxis->setRange(m_frame.x.transform(m_frame.x.min), m_frame.x.transform(m_frame.x.max));
    m_yAxis->setRange(m_frame.y.transform(m_frame.y.min), m_frame.y.transform(m_frame.y.max));
    const int columns = std::max(16, static_cast<int>(m_frame.plot.width()));
    for (qsizetype i = 0; i < m_lines.size(); ++i) {
        const PlotCurve& curve = curves[static_cast<std::size_t>(i)];
        m_lines[i]->setPen(curve.pen);
        // One replace of at most two points a pixel: appending repaints for every point.
        m_lines[i]->replace(decimate(visiblePoints(curve, m_frame), columns));
    }
}

void ChartCanvas::setView(QRectF view)
{
    for (const bool x : {true, false}) {
        const bool free = x ? m_axes.x.zoom : m_axes.y.zoom;
        double low = x ? view.left() : view.top();
        double size = x ? view.width() : view.height();
        size = free ? std::clamp(size, kDeepest, 1.0) : 1;
        low = free ? std::clamp(low, 0.0, 1 - size) : 0;
        view = x ? QRectF(low, view.top(), size, view.height()) : QRectF(view.left(), low, view.width(), size);
    }
    if (view == m_view)
        return;
    m_view = view;
    update();
    Q_EMIT viewChanged();
}

void ChartCanvas::zoomBy(double factor, QPointF about)
{
    const QRectF& plot = m_frame.plot;
    const QPointF at(std::clamp((about.x() - plot.left()) / std::max(1.0, plot.width()), 0.0, 1.0),
                     std::clamp((plot.bottom() - about.y()) / std::max(1.0, plot.height()), 0.0, 1.0));
    // Keeping the point in place, but never losing the zoom of one axis because the other has reached its end.
    const QSizeF size(std::min(1.0, m_view.width() / factor), std::min(1.0, m_view.height() / factor));
    setView(QRectF(m_view.left() + at.x() * (m_view.width() - size.width()),
                   m_view.top() + at.y() * (m_view.height() - size.height()), size.width(), size.height()));
}

void ChartCanvas::pan(QPointF fractions)
{
    setView(m_view.translated(fractions.x() * m_view.width(), fractions.y() * m_view.height()));
}

void ChartCanvas::resetZoom()
{
    setView(QRectF(0, 0, 1, 1));
}

void ChartCanvas::resizeEvent(QResizeEvent* event)
{
    QChartView::resizeEvent(event);
    update();
}

/// A hidden widget passes its size on to its viewport only when it is shown.
void ChartCanvas::fit(QSize size)
{
    resize(size);
    QResizeEvent resized(size, size);
    viewport()->setGeometry(QRect(QPoint(), size));
    resizeEvent(&resized);
}

QImage ChartCanvas::image(QSize size, double scale)
{
    fit(size);
    QImage picture(size * scale, QImage::Format_ARGB32_Premultiplied);
    picture.setDevicePixelRatio(scale);
    picture.fill(m_theme.color(Role::Surface));
    QWidget::render(&picture, QPoint(), QRegion(), QWidget::DrawChildren);
    return picture;
}

void ChartCanvas::paintTo(QPainter& painter, QSize size)
{
    fit(size);
    QGraphicsView::render(&painter, QRectF(QPointF(), QSizeF(size)), QRect(QPoint(), size), Qt::IgnoreAspectRatio);
}

} // namespace ridge::app

#include "moc_chart_canvas.cpp"
