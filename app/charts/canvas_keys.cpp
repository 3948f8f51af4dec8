// SPDX-License-Identifier: GPL-3.0-or-later
// The cursor over points: arrows, mouse and what is said about it.
#include "app/charts/chart_canvas.h"
#include "app/charts/chart_text.h"

namespace ridge::app {
namespace {

constexpr double kReach = 24; ///< px: how near a pointer must come to a point

} // namespace

void ChartCanvas::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Left:
        return moveCursor(-1, 0);
    case Qt::Key_Right:
        return moveCursor(1, 0);
    case Qt::Key_Up:
        return moveCursor(0, -1);
    case Qt::Key_Down:
        return moveCursor(0, 1);
    case Qt::Key_Home:
        return moveCursor(-1'000'000'000, 0);
    case Qt::Key_End:
        return moveCursor(1'000'000'000, 0);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        Q_EMIT announced(m_cursor.valid() ? pointText(m_data, m_cursor.series, m_cursor.point) : chartSummary(m_data));
        return;
    default:
        // Not the graphics view's handler: it would scroll and swallow keys that belong to the page.
        event->ignore();
    }
}

void ChartCanvas::moveCursor(int points, int series)
{
    std::vector<int> filled;
    for (std::size_t i = 0; i < m_data.series.size(); ++i)
        if (!m_data.series[i].points.empty())
            filled.push_back(static_cast<int>(i));
    if (filled.empty())
        return;
    const auto current = std::find(filled.begin(), filled.end(), m_cursor.series);
    if (current == filled.end()) {
        const int last = static_cast<int>(m_data.series[static_cast<std::size_t>(filled.front())].points.size()) - 1;
        return setCursor({filled.front(), points < 0 ? last : 0}, true);
    }
    const auto position = std::clamp<std::ptrdiff_t>(current - filled.begin() + series, 0,
                                                     static_cast<std::ptrdiff_t>(filled.size()) - 1);
    const int target = filled[static_cast<std::size_t>(position)];
    const int count = static_cast<int>(m_data.series[static_cast<std::size_t>(target)].points.size());
    setCursor({target, std::clamp(m_cursor.point + points, 0, count - 1)}, true);
}

void ChartCanvas::setCursor(Cursor cursor, bool emitSelection)
{
    m_cursor = cursor;
    viewport()->update();
    if (!emitSelection || !cursor.valid())
        return;
    const double x =
        m_data.series[static_cast<std::size_t>(cursor.series)].points[static_cast<std::size_t>(cursor.point)].x;
    setAccessibleDescription(pointText(m_data, cursor.series, cursor.point));
    Q_EMIT pointSelected(x);
}

ChartCanvas::Cursor ChartCanvas::nearest(QPointF at, double reach) const
{
    Cursor best;
    double bestDistance = reach * reach;
    for (std::size_t s = 0; s < m_data.series.size(); ++s)
        for (std::size_t i = 0; i < m_data.series[s].points.size(); ++i) {
            const ChartSeries::Point& p = m_data.series[s].points[i];
            if (!m_x.accepts(p.x) || !m_y.accepts(p.y))
                continue;
            const QPointF delta = place(p.x, p.y) - at;
            const double distance = QPointF::dotProduct(delta, delta);
            if (distance < bestDistance) {
                bestDistance = distance;
                best = {static_cast<int>(s), static_cast<int>(i)};
            }
        }
    return best;
}

void ChartCanvas::mousePressEvent(QMouseEvent* event)
{
    const Cursor hit = nearest(event->position(), kReach);
    if (hit.valid() && event->button() == Qt::LeftButton)
        setCursor(hit, true);
    else
        event->ignore();
}

void ChartCanvas::mouseMoveEvent(QMouseEvent* event)
{
    const Cursor hit = nearest(event->position(), kReach);
    if (hit.series == m_hover.series && hit.point == m_hover.point)
        return;
    m_hover = hit;
    viewport()->update();
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
