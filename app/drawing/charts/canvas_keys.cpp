// SPDX-License-Identifier: GPL-3.0-or-later
// The cursor over points and the view over the scales: keys, mouse, and what is said about either.
#include "app/drawing/charts/chart_canvas.h"
#include "app/drawing/charts/plot_paint.h"

namespace ridge::app {
namespace {

constexpr double kZoomStep = 2;
constexpr double kPanStep = 0.5; ///< of the view, for page keys

} // namespace

void ChartCanvas::keyPressEvent(QKeyEvent* event)
{
    if (!m_plot)
        return event->ignore();
    const auto zoom = [&](double factor) {
        if (const QString refusal = m_plot->zoomRefusal(); !refusal.isEmpty())
            return Q_EMIT announced(refusal);
        const auto at = inside(m_cursor) ? m_plot->outline(m_frame, m_cursor) : std::nullopt;
        zoomBy(factor, at && m_frame.plot.contains(at->center()) ? at->center() : m_frame.plot.center());
        Q_EMIT announced(viewText());
    };
    switch (event->key()) {
    case Qt::Key_Left:
        return moveCursor(-1, 0);
    case Qt::Key_Right:
        return moveCursor(1, 0);
    case Qt::Key_Up:
        return moveCursor(0, -1);
    case Qt::Key_Down:
        return moveCursor(0, 1);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return zoom(kZoomStep);
    case Qt::Key_Minus:
        return zoom(1 / kZoomStep);
    case Qt::Key_Home:
        if (!zoomed())
            return moveCursor(-1'000'000'000, 0);
        resetZoom();
        Q_EMIT announced(viewText());
        return;
    case Qt::Key_End:
        return moveCursor(1'000'000'000, 0);
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
        if (!zoomed())
            return event->ignore(); // the page around scrolls
        pan({event->key() == Qt::Key_PageUp ? -kPanStep : kPanStep, 0});
        Q_EMIT announced(viewText());
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        Q_EMIT announced(inside(m_cursor) ? m_plot->pointText(m_cursor) : m_plot->summary());
        return;
    default:
        // Not the graphics view's handler: it would scroll and swallow keys that belong to the page.
        event->ignore();
    }
}

QString ChartCanvas::viewText() const
{
    if (!zoomed())
        return tr("The whole chart is shown.");
    const double part = std::min(m_view.width(), m_view.height());
    const auto number = [&](const AxisScale& scale, double value) {
        return scale.decades ? decadeLabel(value) : QString::number(value / m_axes.x.unit, 'g', 4);
    };
    const QString text = tr("Zoomed %1×").arg(QString::number(1 / part, 'g', 3));
    if (m_axes.x.title.isEmpty() || !m_axes.x.ticks.empty())
        return text + QLatin1Char('.');
    return tr("%1: %2 from %3 to %4.")
        .arg(text, m_axes.x.title, number(m_frame.x, m_frame.x.min), number(m_frame.x, m_frame.x.max));
}

bool ChartCanvas::inside(PlotCursor cursor) const
{
    if (!m_plot || !cursor.valid())
        return false;
    const std::vector<int> sizes = m_plot->groups();
    return cursor.group < static_cast<int>(sizes.size()) &&
           cursor.point < sizes[static_cast<std::size_t>(cursor.group)];
}

void ChartCanvas::moveCursor(int points, int groups)
{
    const std::vector<int> sizes = m_plot->groups();
    std::vector<int> filled;
    bool single = true;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        if (sizes[i] > 0) {
            filled.push_back(static_cast<int>(i));
            single = single && sizes[i] == 1;
        }
    if (filled.empty())
        return;
    const auto count = [&](int group) { return sizes[static_cast<std::size_t>(group)]; };
    const auto current = std::find(filled.begin(), filled.end(), m_cursor.group);
    if (current == filled.end())
        return choose({filled.front(), points < 0 ? count(filled.front()) - 1 : 0});
    // Where each group has one point, left and right go through the groups as well.
    const std::ptrdiff_t step = single && filled.size() > 1 ? groups + points : groups;
    const auto position =
        std::clamp<std::ptrdiff_t>(current - filled.begin() + step, 0, static_cast<std::ptrdiff_t>(filled.size()) - 1);
    const int target = filled[static_cast<std::size_t>(position)];
    choose({target, std::clamp(m_cursor.point + (single ? 0 : points), 0, count(target) - 1)});
}

void ChartCanvas::setCursor(PlotCursor cursor)
{
    m_cursor = cursor;
    viewport()->update();
}

void ChartCanvas::choose(PlotCursor cursor)
{
    setCursor(cursor);
    bringIntoView(cursor);
    setAccessibleDescription(m_plot->pointText(cursor));
    Q_EMIT cursorMoved(cursor);
}

void ChartCanvas::bringIntoView(PlotCursor cursor)
{
    const auto outline = zoomed() ? m_plot->outline(m_frame, cursor) : std::nullopt;
    if (!outline)
        return;
    const QRectF& plot = m_frame.plot;
    const QPointF at = outline->center();
    QPointF shift;
    if (at.x() < plot.left() || at.x() > plot.right())
        shift.setX((at.x() - plot.center().x()) / plot.width());
    if (at.y() < plot.top() || at.y() > plot.bottom())
        shift.setY((plot.center().y() - at.y()) / plot.height());
    if (!shift.isNull())
        pan(shift);
}

void ChartCanvas::mousePressEvent(QMouseEvent* event)
{
    if (!m_plot || event->button() != Qt::LeftButton)
        return event->ignore();
    const PlotCursor hit = m_plot->hit(m_frame, event->position());
    if (hit.valid())
        choose(hit);
    if (zoomed() && m_frame.plot.contains(event->position()))
        m_dragFrom = event->position();
    else if (m_plotPulls || !m_frame.plot.contains(event->position()))
        m_pulledFrom = event->position();
}

void ChartCanvas::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_plot)
        return;
    if (m_dragFrom && event->buttons().testFlag(Qt::LeftButton)) {
        const QPointF delta = event->position() - *m_dragFrom;
        m_dragFrom = event->position();
        return pan({-delta.x() / m_frame.plot.width(), delta.y() / m_frame.plot.height()});
    }
    if (m_pulledFrom && event->buttons().testFlag(Qt::LeftButton)) {
        if ((event->position() - *m_pulledFrom).manhattanLength() >= QApplication::startDragDistance()) {
            m_pulledFrom.reset();
            Q_EMIT dragWanted();
        }
        return;
    }
    const PlotCursor hit = m_plot->hit(m_frame, event->position());
    if (hit == m_hover)
        return;
    m_hover = hit;
    viewport()->update();
}

void ChartCanvas::mouseReleaseEvent(QMouseEvent*)
{
    m_dragFrom.reset();
    m_pulledFrom.reset();
}

void ChartCanvas::wheelEvent(QWheelEvent* event)
{
    // Without Ctrl the wheel belongs to the page that the chart stands on.
    if (!m_plot || !event->modifiers().testFlag(Qt::ControlModifier) || !m_plot->zoomRefusal().isEmpty())
        return event->ignore();
    zoomBy(std::pow(kZoomStep, event->angleDelta().y() / 240.0), event->position());
}

void ChartCanvas::leaveEvent(QEvent* event)
{
    m_hover = {};
    viewport()->update();
    QChartView::leaveEvent(event);
}

void ChartCanvas::focusInEvent(QFocusEvent* event)
{
    QChartView::focusInEvent(event);
    viewport()->update();
}

void ChartCanvas::focusOutEvent(QFocusEvent* event)
{
    QChartView::focusOutEvent(event);
    viewport()->update();
}

} // namespace ridge::app
