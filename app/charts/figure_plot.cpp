// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/figure_plot.h"

#include "app/charts/plot_paint.h"
#include "base/json.h"

#include <QLineF>
#include <QTransform>
#include <cmath>

namespace ridge::app {
namespace {

constexpr double kDot = 6;  ///< px, radius of a mark
constexpr double kBar = 20; ///< px at 100 % text size

Json rounded(const QRectF& rect)
{
    return {qRound(rect.x()), qRound(rect.y()), qRound(rect.width()), qRound(rect.height())};
}

/// The segment of a line that holds x, in pixels; the nearest one where none does.
std::optional<QLineF> segmentAt(const PlotFrame& frame, const QList<QPointF>& points, double x)
{
    for (qsizetype i = 0; i + 1 < points.size(); ++i) {
        const bool last = i + 2 == points.size();
        if (points[i + 1].x() <= points[i].x() || (x > points[i + 1].x() && !last))
            continue;
        const QLineF line(frame.place(points[i].x(), points[i].y()), frame.place(points[i + 1].x(), points[i + 1].y()));
        return line;
    }
    return std::nullopt;
}

double middleOf(const PlotFrame& frame, const QList<QPointF>& points)
{
    const double from = std::max(points.first().x(), frame.x.min), to = std::min(points.last().x(), frame.x.max);
    return frame.x.valueAt((frame.x.fraction(from) + frame.x.fraction(to)) / 2);
}

} // namespace

PlotText FigurePlot::text() const
{
    return {m_data.title, m_data.caption, m_data.emptyText};
}

QString FigurePlot::summary() const
{
    return empty() ? m_data.emptyText : m_data.summary;
}

ChartTable FigurePlot::table() const
{
    ChartTable table = m_data.table;
    table.title = m_data.title;
    table.caption = m_data.caption;
    table.summary = summary();
    return table;
}

PlotAxes FigurePlot::axes() const
{
    PlotAxes axes = m_data.axes;
    if (empty())
        axes.x.shown = axes.y.shown = axes.x.grid = axes.y.grid = false;
    return axes;
}

double FigurePlot::stripHeight(const Theme& theme, double width, std::vector<BarPlace>* places, QPointF origin) const
{
    if (m_data.bars.empty())
        return 0;
    double names = 0, totals = 0;
    for (const FigureBar& bar : m_data.bars) {
        names = std::max(names, textWidth(theme, TextStyle::ChartLabel, bar.name));
        totals = std::max(totals, textWidth(theme, TextStyle::ChartLabel, bar.total));
    }
    const double left = origin.x() + std::ceil(names) + space::m;
    const double room = std::max(40.0, width - std::ceil(names) - std::ceil(totals) - 2 * space::m);
    const double tall = theme.scaled(kBar);
    double y = origin.y();
    for (const FigureBar& bar : m_data.bars) {
        std::vector<KeyEntry> keys;
        for (const FigurePart& part : bar.parts)
            keys.push_back({part.name + QLatin1Char(' ') + part.text, theme.color(part.role)});
        const QRectF key(left, y + tall + space::xs, width - (left - origin.x()), 1);
        const double keyTall = paintKey(nullptr, theme, key, keys);
        if (places)
            places->push_back({QRectF(left, y, room, tall), QRectF(key.topLeft(), QSizeF(key.width(), keyTall))});
        y += tall + space::xs + keyTall + space::m;
    }
    return y - origin.y() + space::xs;
}

QMarginsF FigurePlot::margins(const Theme& theme, QSizeF available) const
{
    if (empty())
        return {};
    const double title = m_data.yTitle.isEmpty() ? 0 : theme.lineHeight(TextStyle::ChartLabel) + space::s;
    return {0, stripHeight(theme, available.width(), nullptr, {}) + title, space::m, 0};
}

void FigurePlot::layout(const PlotFrame& frame)
{
    m_names.clear();
    m_markLabels.clear();
    m_bars.clear();
    if (empty())
        return;
    const double left = frame.all.left() + space::m, width = frame.all.width() - 2 * space::m;
    const double title = m_data.yTitle.isEmpty() ? 0 : frame.theme.lineHeight(TextStyle::ChartLabel) + space::s;
    const double tall = stripHeight(frame.theme, width, nullptr, {});
    stripHeight(frame.theme, width, &m_bars, {left, frame.plot.top() - title - tall});
    layoutNames(frame);
    layoutMarks(frame);
}

void FigurePlot::layoutNames(const PlotFrame& frame)
{
    const double tall = frame.theme.lineHeight(TextStyle::Caption);
    for (const FigureLine& line : m_data.lines) {
        if (line.name.isEmpty() || line.points.size() < 2)
            continue;
        const double at = line.nameAt.value_or(middleOf(frame, line.points));
        const auto segment = segmentAt(frame, line.points, at);
        if (!segment)
            continue;
        Name name{line.name, {}, 0, {}, line.nameBelow};
        const double wide = textWidth(frame.theme, TextStyle::Caption, line.name) + 2;
        name.angle = std::atan2(segment->dy(), segment->dx()) * 180 / M_PI;
        const double half = wide / 2 * std::cos(name.angle * M_PI / 180);
        const double x =
            std::clamp(frame.placeX(at), frame.plot.left() + half + space::xs,
                       std::max(frame.plot.left() + half + space::xs, frame.plot.right() - half - space::xs));
        const double along = std::abs(segment->dx()) < 1e-9 ? 0 : (x - segment->x1()) / segment->dx();
        name.middle = QPointF(x, segment->y1() + along * segment->dy());
        QTransform turn;
        turn.translate(name.middle.x(), name.middle.y());
        turn.rotate(name.angle);
        name.box = turn.mapRect(QRectF(-wide / 2, line.nameBelow ? 3 : -tall - 3, wide, tall));
        if (frame.plot.adjusted(-1, -1, 1, 1).contains(name.middle))
            m_names.push_back(name);
    }
}

void FigurePlot::layoutMarks(const PlotFrame& frame)
{
    std::vector<QRectF> taken;
    for (const FigureMark& mark : m_data.marks)
        taken.emplace_back(frame.place(mark.at.x(), mark.at.y()) - QPointF(kDot, kDot), QSizeF(2 * kDot, 2 * kDot));
    for (const Name& name : m_names)
        taken.push_back(name.box);
    std::vector<std::pair<QPointF, QPointF>> lines;
    for (const FigureLine& line : m_data.lines) {
        const qsizetype step = std::max<qsizetype>(1, line.points.size() / 24);
        for (qsizetype i = 0; i + step < line.points.size(); i += step)
            lines.emplace_back(frame.place(line.points[i].x(), line.points[i].y()),
                               frame.place(line.points[i + step].x(), line.points[i + step].y()));
    }
    const double tall = frame.theme.lineHeight(TextStyle::Caption);
    for (const FigureGuide& guide : m_data.guides) {
        const double x = frame.placeX(guide.x);
        lines.emplace_back(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom()));
        if (!guide.left.isEmpty() || !guide.right.isEmpty())
            taken.emplace_back(frame.plot.left(), frame.plot.bottom() - tall - space::s, frame.plot.width(), tall);
        if (!guide.name.isEmpty())
            taken.emplace_back(x, frame.plot.top(), textWidth(frame.theme, TextStyle::Caption, guide.name) + 8,
                               tall + 4);
    }
    std::vector<LabelWish> wishes;
    for (const FigureMark& mark : m_data.marks)
        wishes.push_back({frame.place(mark.at.x(), mark.at.y()),
                          QSizeF(std::ceil(textWidth(frame.theme, TextStyle::ChartLabel, mark.text)) + 4,
                                 frame.theme.lineHeight(TextStyle::ChartLabel)),
                          kDot + 5});
    m_markLabels = placeLabels(wishes, frame.plot.adjusted(2, 2, -2, -2), taken, lines);
}

std::vector<PlotCurve> FigurePlot::curves(const PlotFrame& frame) const
{
    std::vector<PlotCurve> curves;
    if (empty())
        return curves;
    for (const FigureLine& line : m_data.lines) {
        QPen pen(frame.theme.color(line.role), line.width);
        pen.setCapStyle(Qt::FlatCap);
        pen.setJoinStyle(Qt::RoundJoin);
        if (line.dashed)
            pen.setDashPattern({5, 4});
        curves.push_back({pen, line.points});
    }
    return curves;
}

void FigurePlot::paintUnder(QPainter& painter, const PlotFrame& frame) const
{
    if (!empty())
        paintGuides(painter, frame);
}

void FigurePlot::paintGuides(QPainter& painter, const PlotFrame& frame) const
{
    const Theme& theme = frame.theme;
    const double tall = theme.lineHeight(TextStyle::Caption);
    for (const FigureGuide& guide : m_data.guides) {
        if (!frame.x.accepts(guide.x) || guide.x < frame.x.min || guide.x > frame.x.max)
            continue;
        const double x = snapped(frame.placeX(guide.x));
        painter.setPen(QPen(theme.color(Role::BorderStrong), 1, Qt::DashLine));
        painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom()));
        const double y = frame.plot.bottom() - tall - space::xs;
        const auto words = [&](const QString& text, bool left) {
            const double wide = textWidth(theme, TextStyle::Caption, text) + 2;
            const double room = left ? x - frame.plot.left() - space::s : frame.plot.right() - x - space::s;
            if (text.isEmpty() || wide > room)
                return;
            painter.setFont(theme.font(TextStyle::Caption));
            painter.setPen(theme.color(Role::Text2));
            paintOnGround(painter, QRectF(left ? x - space::s - wide : x + space::s, y, wide, tall),
                          (left ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter, text);
        };
        words(guide.left, true);
        words(guide.right, false);
        if (!guide.name.isEmpty()) {
            const double wide = textWidth(theme, TextStyle::Caption, guide.name) + 2;
            const bool left = x + space::s + wide > frame.plot.right();
            painter.setFont(theme.font(TextStyle::Caption));
            painter.setPen(theme.color(Role::Text));
            paintOnGround(painter, QRectF(left ? x - space::s - wide : x + space::s, frame.plot.top() + 2, wide, tall),
                          (left ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter, guide.name);
        }
    }
}

void FigurePlot::paint(QPainter& painter, const PlotFrame& frame, PlotCursor) const
{
    if (empty())
        return;
    paintBars(painter, frame);
    if (!m_data.yTitle.isEmpty()) {
        const double tall = frame.theme.lineHeight(TextStyle::ChartLabel);
        paintText(painter, frame.theme, TextStyle::ChartLabel, Role::Text2,
                  QRectF(frame.all.left() + space::m, frame.plot.top() - tall - space::s,
                         frame.all.width() - 2 * space::m, tall),
                  Qt::AlignLeft | Qt::AlignVCenter, m_data.yTitle);
    }
    paintNames(painter, frame);
    paintMarks(painter, frame);
}

void FigurePlot::paintNames(QPainter& painter, const PlotFrame& frame) const
{
    const double tall = frame.theme.lineHeight(TextStyle::Caption);
    painter.setFont(frame.theme.font(TextStyle::Caption));
    for (const Name& name : m_names) {
        painter.save();
        painter.translate(name.middle);
        painter.rotate(name.angle);
        const double wide = textWidth(frame.theme, TextStyle::Caption, name.text) + 2;
        painter.setPen(frame.theme.color(Role::Text));
        painter.drawText(QRectF(-wide / 2, name.below ? 3 : -tall - 3, wide, tall), Qt::AlignCenter, name.text);
        painter.restore();
    }
}

void FigurePlot::paintMarks(QPainter& painter, const PlotFrame& frame) const
{
    const Theme& theme = frame.theme;
    for (std::size_t i = 0; i < m_data.marks.size(); ++i) {
        const FigureMark& mark = m_data.marks[i];
        const auto ring = outline(frame, {0, static_cast<int>(i)});
        if (!ring)
            continue;
        const QPointF at = ring->center();
        if (mark.drop) {
            painter.setPen(QPen(theme.color(mark.role), 1, Qt::DotLine));
            painter.drawLine(at, QPointF(at.x(), frame.plot.bottom()));
        }
        painter.setPen(QPen(theme.color(mark.hollow ? mark.role : Role::Surface), 2));
        painter.setBrush(theme.color(mark.hollow ? Role::Surface : mark.role));
        painter.drawEllipse(at, kDot, kDot);
        painter.setBrush(Qt::NoBrush);
        if (i >= m_markLabels.size() || m_markLabels[i].rect.isNull())
            continue;
        const QRectF& rect = m_markLabels[i].rect;
        if (m_markLabels[i].far) {
            painter.setPen(QPen(theme.color(Role::Text3), 1));
            painter.drawLine(at, QPointF(std::clamp(at.x(), rect.left(), rect.right()),
                                         std::clamp(at.y(), rect.top(), rect.bottom())));
        }
        painter.setFont(theme.font(TextStyle::ChartLabel));
        painter.setPen(theme.color(Role::Text));
        paintOnGround(painter, rect, Qt::AlignCenter, mark.text);
    }
}

QRectF FigurePlot::partRect(std::size_t bar, std::size_t part) const
{
    double most = 0;
    for (const FigureBar& one : m_data.bars) {
        double sum = 0;
        for (const FigurePart& p : one.parts)
            sum += p.value;
        most = std::max(most, sum);
    }
    const QRectF& whole = m_bars[bar].bar;
    double before = 0;
    for (std::size_t i = 0; i < part; ++i)
        before += m_data.bars[bar].parts[i].value;
    const double pixel = most > 0 ? whole.width() / most : 0;
    return QRectF(whole.left() + before * pixel, whole.top(), m_data.bars[bar].parts[part].value * pixel,
                  whole.height());
}

void FigurePlot::paintBars(QPainter& painter, const PlotFrame& frame) const
{
    const Theme& theme = frame.theme;
    for (std::size_t i = 0; i < m_bars.size(); ++i) {
        const FigureBar& bar = m_data.bars[i];
        const QRectF& place = m_bars[i].bar;
        paintText(painter, theme, TextStyle::ChartLabel, Role::Text,
                  QRectF(frame.all.left() + space::m, place.top(), place.left() - frame.all.left() - 2 * space::m,
                         place.height()),
                  Qt::AlignLeft | Qt::AlignVCenter, bar.name);
        double end = place.left();
        std::vector<KeyEntry> keys;
        for (std::size_t p = 0; p < bar.parts.size(); ++p) {
            const QRectF rect = partRect(i, p);
            keys.push_back({bar.parts[p].name + QLatin1Char(' ') + bar.parts[p].text, theme.color(bar.parts[p].role)});
            if (rect.width() <= 0)
                continue;
            // A gap of one pixel between parts, as long as a part is wider than that.
            painter.fillRect(rect.adjusted(0, 0, rect.width() > 2 ? -1 : 0, 0), theme.color(bar.parts[p].role));
            end = rect.right();
        }
        paintText(painter, theme, TextStyle::ChartLabel, Role::Text,
                  QRectF(end + space::s, place.top(), frame.all.right() - space::xs - end - space::s, place.height()),
                  Qt::AlignLeft | Qt::AlignVCenter, bar.total);
        paintKey(&painter, theme, m_bars[i].key, keys);
    }
}

std::vector<int> FigurePlot::groups() const
{
    if (empty())
        return {};
    std::vector<int> sizes = {static_cast<int>(m_data.marks.size())};
    for (const FigureBar& bar : m_data.bars)
        sizes.push_back(static_cast<int>(bar.parts.size()));
    return sizes;
}

std::optional<QRectF> FigurePlot::outline(const PlotFrame& frame, PlotCursor at) const
{
    if (at.group > 0) {
        const auto bar = static_cast<std::size_t>(at.group - 1);
        if (bar >= m_bars.size())
            return std::nullopt;
        return partRect(bar, static_cast<std::size_t>(at.point)).adjusted(-1, -1, 1, 1);
    }
    const QPointF value = m_data.marks[static_cast<std::size_t>(at.point)].at;
    if (!frame.x.accepts(value.x()) || !frame.y.accepts(value.y()))
        return std::nullopt;
    const QPointF middle = frame.place(value.x(), value.y());
    return QRectF(middle - QPointF(kDot + 3, kDot + 3), QSizeF(2 * kDot + 6, 2 * kDot + 6));
}

QString FigurePlot::pointText(PlotCursor at) const
{
    if (at.group > 0) {
        const FigureBar& bar = m_data.bars[static_cast<std::size_t>(at.group - 1)];
        const FigurePart& part = bar.parts[static_cast<std::size_t>(at.point)];
        return QStringLiteral("%1, %2: %3").arg(bar.name, part.name, part.text);
    }
    const FigureMark& mark = m_data.marks[static_cast<std::size_t>(at.point)];
    return QStringLiteral("%1: %2").arg(mark.name, mark.text);
}

Json FigurePlot::describe() const
{
    Json names = Json::array(), marks = Json::array(), bars = Json::array();
    for (const Name& name : m_names)
        names.push_back({{"text", name.text.toStdString()}, {"box", rounded(name.box)}});
    for (std::size_t i = 0; i < m_markLabels.size(); ++i)
        marks.push_back({{"text", m_data.marks[i].text.toStdString()},
                         {"label", m_markLabels[i].rect.isNull() ? Json() : rounded(m_markLabels[i].rect)}});
    for (std::size_t i = 0; i < m_bars.size(); ++i)
        for (std::size_t p = 0; p < m_data.bars[i].parts.size(); ++p)
            bars.push_back({{"text", pointText({static_cast<int>(i) + 1, static_cast<int>(p)}).toStdString()},
                            {"rect", rounded(partRect(i, p))}});
    return {{"names", names}, {"marks", marks}, {"bars", bars}};
}

} // namespace ridge::app
