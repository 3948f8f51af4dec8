// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/gallery/card_picture.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

constexpr double kLeastLetters = 5; ///< px: below it, letters of a drawing are a grey area

/// A curve of the learner's own, from its least to its greatest value.
void paintCurve(QPainter& painter, const QRectF& place, const std::vector<double>& values, const Theme& theme)
{
    const auto [least, most] = std::ranges::minmax(values);
    const auto at = [&](std::size_t i) {
        const double x = values.size() > 1 ? double(i) / double(values.size() - 1) : 0.5;
        const double y = most > least ? (values[i] - least) / (most - least) : 0.5;
        return QPointF(place.left() + x * place.width(), place.bottom() - y * place.height());
    };
    QPolygonF line;
    for (std::size_t i = 0; i < values.size(); ++i)
        line << at(i);
    painter.setPen(QPen(theme.series(0), 2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(line);
    if (values.size() > 16)
        return;
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.series(0));
    for (const QPointF& point : line)
        painter.drawEllipse(point, 2.5, 2.5);
}

/// What kind of picture a run will give: no data, so no colour of data.
void paintKind(QPainter& painter, const QRectF& place, const QString& kind, const Theme& theme)
{
    const auto at = [&](double x, double y) {
        return QPointF(place.left() + x * place.width(), place.bottom() - y * place.height());
    };
    painter.setPen(QPen(theme.color(Role::Text3), 1.5, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    const auto bars = [&](std::initializer_list<double> tops) {
        const double wide = 1.0 / double(tops.size());
        int i = 0;
        for (const double top : tops) {
            painter.drawRect(QRectF(at(wide * (i + 0.15), top), at(wide * (i + 0.85), 0)));
            ++i;
        }
    };
    const auto curve = [&](std::initializer_list<QPointF> points) {
        QPolygonF line;
        for (const QPointF& point : points)
            line << at(point.x(), point.y());
        painter.drawPolyline(line);
    };
    if (kind == QLatin1String("cost") || kind == QLatin1String("ladder"))
        return bars({0.25, 0.5, 0.7, 0.95});
    if (kind == QLatin1String("roofline"))
        return curve({{0, 0.1}, {0.5, 0.85}, {1, 0.85}});
    if (kind == QLatin1String("cdf"))
        return curve({{0, 0}, {0.25, 0.1}, {0.45, 0.6}, {0.65, 0.9}, {1, 1}});
    if (kind == QLatin1String("pareto"))
        return curve({{0.05, 0.95}, {0.15, 0.55}, {0.4, 0.25}, {1, 0.1}});
    if (kind == QLatin1String("band")) {
        curve({{0, 0.35}, {0.5, 0.7}, {1, 0.95}});
        return curve({{0, 0.1}, {0.5, 0.35}, {1, 0.6}});
    }
    if (kind == QLatin1String("series")) {
        curve({{0, 0.2}, {0.5, 0.55}, {1, 0.9}});
        return curve({{0, 0.7}, {0.5, 0.5}, {1, 0.3}});
    }
    curve({{0, 0.1}, {0.35, 0.3}, {0.65, 0.75}, {1, 0.9}});
}

/// Letters as far as they can be read, bars of the same lengths where they are too small.
void paintLines(QPainter& painter, const QRectF& place, const QStringList& lines, bool letters, const Theme& theme)
{
    qsizetype longest = 1;
    for (const QString& line : lines)
        longest = std::max(longest, line.size());
    QFont font = theme.font(TextStyle::Code);
    const double wide = QFontMetricsF(font).horizontalAdvance(u'0') / font.pixelSize();
    const double size = std::min({place.width() / (wide * double(longest)),
                                  place.height() / (1.3 * double(std::max<qsizetype>(lines.size(), 1))), 11.0});
    if (letters && size >= kLeastLetters) {
        font.setPixelSize(int(size));
        painter.setFont(font);
        painter.setPen(theme.color(Role::Text2));
        double y = place.top() + (place.height() - 1.3 * size * double(lines.size())) / 2;
        for (const QString& line : lines) {
            painter.drawText(QRectF(place.left(), y, place.width(), 1.3 * size), Qt::AlignLeft | Qt::AlignVCenter,
                             line);
            y += 1.3 * size;
        }
        return;
    }
    const double step = 3;
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.color(Role::BorderStrong));
    double y = place.top();
    for (const QString& line : lines) {
        if (y + 2 > place.bottom())
            return;
        const QString ink = line.trimmed();
        const double from = double(line.indexOf(ink.left(1)));
        constexpr double kColumns = 90;
        if (!ink.isEmpty())
            painter.drawRect(QRectF(place.left() + place.width() * std::min(from / kColumns, 1.0), y,
                                    place.width() * std::min(double(ink.size()) / kColumns, 1 - from / kColumns), 1.6));
        y += step;
    }
}

} // namespace

void paintCardPicture(QPainter& painter, const QRectF& place, const GalleryCard& card, const CardRuns* runs,
                      const Theme& theme)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.color(Role::Border), 1));
    painter.setBrush(theme.color(Role::PlotBackground));
    painter.drawRoundedRect(place, kControlRadius, kControlRadius);
    const QRectF inner = place.adjusted(space::s, space::s, -space::s, -space::s);
    painter.setClipRect(place);
    if (card.kind != GalleryCard::Kind::Experiment)
        paintLines(painter, inner, card.lines, card.kind == GalleryCard::Kind::Task, theme);
    else if (runs && runs->curve.size() > 1)
        paintCurve(painter, inner, runs->curve, theme);
    else
        paintKind(painter, inner, card.chartKind, theme);
    painter.restore();
}

} // namespace ridge::app
