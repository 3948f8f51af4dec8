// SPDX-License-Identifier: GPL-3.0-or-later
// What the picture looks like, as far as all charts look alike.
#include "app/drawing/charts/chart_canvas.h"
#include "app/drawing/charts/plot_paint.h"

namespace ridge::app {
namespace {

constexpr double kNameShare = 0.32; // as in the layout

} // namespace

void ChartCanvas::drawBackground(QPainter* painter, const QRectF&)
{
    painter->save();
    painter->fillRect(viewport()->rect(), m_theme.color(Role::Surface));
    painter->setBackground(m_theme.color(Role::Surface));
    painter->setRenderHint(QPainter::Antialiasing, false);
    const QRectF& plot = m_frame.plot;
    painter->setPen(QPen(m_theme.color(Role::Grid), 1));
    if (m_axes.y.grid)
        for (const Tick& tick : m_frame.yTicks) {
            const double y = snapped(m_frame.placeY(tick.value));
            painter->drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
        }
    if (m_axes.x.grid)
        for (const Tick& tick : m_frame.xTicks) {
            const double x = snapped(m_frame.placeX(tick.value));
            painter->drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
        }
    if (m_axes.x.shown && m_axes.x.grid) {
        painter->setPen(QPen(m_theme.color(Role::BorderStrong), 1));
        painter->drawLine(QPointF(plot.left(), snapped(plot.bottom())), QPointF(plot.right(), snapped(plot.bottom())));
    }
    painter->restore();
    painter->save();
    painter->setBackground(m_theme.color(Role::Surface));
    if (m_plot)
        m_plot->paintUnder(*painter, m_frame);
    painter->restore();
}

void ChartCanvas::drawForeground(QPainter* painter, const QRectF&)
{
    painter->save();
    painter->setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter->setBackground(m_theme.color(Role::Surface));
    paintTexts(*painter);
    paintAxes(*painter);
    if (m_plot) {
        painter->save();
        m_plot->paint(*painter, m_frame, shown());
        painter->restore();
        paintCursor(*painter);
    }
    painter->restore();
}

void ChartCanvas::paintTexts(QPainter& painter) const
{
    painter.setPen(m_theme.color(Role::Text));
    painter.setFont(m_theme.font(TextStyle::ChartTitle));
    painter.drawText(m_titleRect, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap, m_text.title);
    paintText(painter, m_theme, TextStyle::ChartLabel, Role::Text2, m_yTitleRect, Qt::AlignLeft | Qt::AlignVCenter,
              m_axes.y.title);
    paintText(painter, m_theme, TextStyle::ChartLabel, Role::Text2, m_xTitleRect, Qt::AlignHCenter | Qt::AlignVCenter,
              m_axes.x.title);
    painter.setFont(m_theme.font(TextStyle::Caption));
    painter.setPen(m_theme.color(Role::Text3));
    painter.drawText(m_captionRect, Qt::AlignLeft | Qt::TextWordWrap, m_text.caption);
    if (!m_plot || !m_plot->empty())
        return;
    painter.setFont(m_theme.font(TextStyle::Body));
    painter.setPen(m_theme.color(Role::Text2));
    paintOnGround(painter, m_plot->emptyRect(m_frame), Qt::AlignCenter | Qt::TextWordWrap, m_text.emptyText);
}

void ChartCanvas::paintAxes(QPainter& painter) const
{
    const QRectF& plot = m_frame.plot;
    const double height = m_theme.lineHeight(TextStyle::ChartTick);
    const double room = m_axes.y.ticks.empty() ? 120 : std::ceil(m_frame.all.width() * kNameShare);
    const double left = std::max(0.0, plot.left() - space::s - room);
    if (m_axes.y.shown)
        for (const Tick& tick : m_frame.yTicks)
            paintText(painter, m_theme, TextStyle::ChartTick, Role::Text2,
                      QRectF(left, m_frame.placeY(tick.value) - height / 2, plot.left() - space::s - left, height),
                      Qt::AlignRight | Qt::AlignVCenter, tick.label);
    if (m_axes.x.shown)
        for (std::size_t i = 0; i < m_frame.xTicks.size(); ++i) {
            const Tick& tick = m_frame.xTicks[i];
            const double row = static_cast<double>(i % static_cast<std::size_t>(m_frame.xRows));
            const double half =
                m_frame.xRows == 1 ? 60 : std::max(60.0, textWidth(m_theme, TextStyle::ChartTick, tick.label) / 2);
            const double middle = m_frame.xRows == 1
                                      ? m_frame.placeX(tick.value)
                                      : std::clamp(m_frame.placeX(tick.value), m_frame.all.left() + half,
                                                   std::max(m_frame.all.left() + half, m_frame.all.right() - half));
            paintText(painter, m_theme, TextStyle::ChartTick, Role::Text2,
                      QRectF(middle - half, plot.bottom() + space::xs + row * height, 2 * half, height),
                      Qt::AlignHCenter | Qt::AlignVCenter, tick.label);
        }
}

void ChartCanvas::paintCursor(QPainter& painter) const
{
    const PlotCursor at = shown();
    if (!at.valid() || !inside(at))
        return;
    const auto outline = m_plot->outline(m_frame, at);
    const QRectF view = m_frame.plot.adjusted(-space::m, -space::m, space::m, space::m);
    if (!outline || !outline->intersects(view))
        return;
    painter.setPen(QPen(m_theme.color(Role::Link), 2));
    painter.setBrush(Qt::NoBrush);
    if (m_plot->roundOutline())
        painter.drawEllipse(*outline);
    else
        painter.drawRect(outline->intersected(view));
    paintTag(painter, m_theme, m_frame.all.adjusted(space::xs, m_frame.plot.top() - space::l, -space::xs, 0),
             outline->intersected(view), m_plot->pointText(at));
}

} // namespace ridge::app
