// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/plot_paint.h"

#include "app/drawing/charts/series_marker.h"
#include "app/theme/color_science.h"

#include <QHash>
#include <QPainter>

namespace ridge::app {
namespace {

constexpr qsizetype kMostWidths = 4096;

} // namespace

double snapped(double v)
{
    return std::floor(v) + 0.5;
}

double textWidth(const Theme& theme, TextStyle style, const QString& text)
{
    // Names stay while their dots move under a slider, and shaping them is most of a picture's time.
    static thread_local QHash<std::pair<int, QString>, double> widths;
    static thread_local double scale = 0;
    if (scale != theme.textScale() || widths.size() > kMostWidths) {
        widths.clear();
        scale = theme.textScale();
    }
    const std::pair key(static_cast<int>(style), text);
    const auto found = widths.constFind(key);
    return found != widths.constEnd() ? *found
                                      : *widths.insert(key, QFontMetricsF(theme.font(style)).horizontalAdvance(text));
}

double textHeight(const Theme& theme, TextStyle style, const QString& text, double width)
{
    if (text.isEmpty() || width <= 0)
        return 0;
    return std::ceil(
        QFontMetricsF(theme.font(style)).boundingRect(QRectF(0, 0, width, 1e4), Qt::TextWordWrap, text).height());
}

void paintOnGround(QPainter& painter, QRectF rect, int flags, const QString& text)
{
    const QRectF used = QFontMetricsF(painter.font()).boundingRect(rect, flags, text);
    painter.fillRect(used.adjusted(-3, -1, 3, 1), painter.background().color());
    painter.drawText(rect, flags, text);
}

void paintText(QPainter& painter, const Theme& theme, TextStyle style, Role role, QRectF rect, int flags,
               const QString& text)
{
    painter.setFont(theme.font(style));
    painter.setPen(theme.color(role));
    const double room = rect.width() + 0.5;
    const bool fits = textWidth(theme, style, text) <= room;
    painter.drawText(rect, flags, fits ? text : QFontMetricsF(painter.font()).elidedText(text, Qt::ElideRight, room));
}

void paintTag(QPainter& painter, const Theme& theme, QRectF view, QRectF anchor, const QString& text)
{
    painter.save();
    painter.setFont(theme.font(TextStyle::Caption));
    const QFontMetricsF metrics(painter.font());
    const double widest = std::max(60.0, view.width() - 4 * space::s);
    const QRectF words = metrics.boundingRect(QRectF(0, 0, widest, 1e4), Qt::TextWordWrap | Qt::AlignLeft, text);
    const QSizeF size(std::ceil(words.width()) + 2 * space::s,
                      std::max<double>(std::ceil(words.height()), theme.lineHeight(TextStyle::Caption)) + space::s);
    QRectF rect(QPointF(anchor.center().x() + space::m, anchor.top() - size.height() - space::xs), size);
    if (rect.right() > view.right())
        rect.moveRight(std::max(view.left() + size.width(), anchor.center().x() - space::m));
    if (rect.right() > view.right())
        rect.moveRight(view.right());
    if (rect.top() < view.top())
        rect.moveTop(anchor.bottom() + space::xs);
    if (rect.bottom() > view.bottom())
        rect.moveBottom(view.bottom());
    painter.setPen(QPen(theme.color(Role::BorderStrong), 1));
    painter.setBrush(theme.color(Role::Surface));
    painter.drawRoundedRect(rect, kControlRadius, kControlRadius);
    painter.setPen(theme.color(Role::Text));
    painter.drawText(rect, Qt::AlignCenter | Qt::TextWordWrap, text);
    painter.restore();
}

double paintKey(QPainter* painter, const Theme& theme, QRectF area, const std::vector<KeyEntry>& entries)
{
    const double line = theme.lineHeight(TextStyle::Caption);
    const double mark = std::round(line * 0.62);
    double x = area.left(), y = area.top();
    for (const KeyEntry& entry : entries) {
        const double text = std::min(textWidth(theme, TextStyle::Caption, entry.text) + 1, area.width() - mark - 6);
        if (x > area.left() && x + mark + 6 + text > area.right()) {
            x = area.left();
            y += line;
        }
        if (painter) {
            const QPointF centre(x + mark / 2, y + line / 2);
            if (entry.shape < 0)
                painter->fillRect(QRectF(centre - QPointF(mark / 2, mark / 2), QSizeF(mark, mark)), entry.color);
            else
                paintSeriesMarker(*painter, centre, mark, entry.color, entry.shape, entry.provenance);
            paintText(*painter, theme, TextStyle::Caption, Role::Text2, QRectF(x + mark + 6, y, text, line),
                      Qt::AlignLeft | Qt::AlignVCenter, entry.text);
        }
        x += mark + 6 + text + space::l;
    }
    return entries.empty() ? 0 : y + line - area.top();
}

QColor inkOn(const Theme& theme, const QColor& ground)
{
    const QColor dark = theme.color(Role::InkDark), light = theme.color(Role::InkLight);
    return contrastRatio(dark, ground) >= contrastRatio(light, ground) ? dark : light;
}

} // namespace ridge::app
