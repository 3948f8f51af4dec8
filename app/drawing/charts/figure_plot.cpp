// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/figure_plot.h"

#include "app/drawing/charts/plot_paint.h"
#include "base/json.h"

#include <QLineF>
#include <QTransform>
#include <cmath>

namespace ridge::app {
namespace {

constexpr double kDot = 6;        ///< px, radius of a mark
constexpr double kBar = 20;       ///< px at 100 % text size
constexpr double kPlotTall = 170; ///< px that the axes need beside what grows with the text

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

/// The words of a guide that have room: its name at the top, the regimes at the bottom.
std::vector<std::pair<QRectF, QString>> guideWords(const PlotFrame& frame, const FigureGuide& guide)
{
    std::vector<std::pair<QRectF, QString>> words;
    if (!frame.x.accepts(guide.x) || guide.x < frame.x.min || guide.x > frame.x.max)
        return words;
    const double x = frame.placeX(guide.x), tall = frame.theme.lineHeight(TextStyle::Caption);
    const auto add = [&](const QString& text, bool left, double y) {
        const double wide = textWidth(frame.theme, TextStyle::Caption, text) + 2;
        const double room = (left ? x - frame.plot.left() : frame.plot.right() - x) - space::s;
        if (text.isEmpty() || wide > room)
            return false;
        words.emplace_back(QRectF(left ? x - space::s - wide : x + space::s, y, wide, tall), text);
        return true;
    };
    if (!add(guide.name, false, frame.plot.top() + 2))
        add(guide.name, true, frame.plot.top() + 2);
    add(guide.left, true, frame.plot.bottom() - tall - space::xs);
    add(guide.right, false, frame.plot.bottom() - tall - space::xs);
    return words;
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
    double y = origin.y() + space::s;
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
    const double last =
        m_data.axes.x.ticks.empty() ? 0 : textWidth(theme, TextStyle::ChartTick, m_data.axes.x.ticks.back().label) / 2;
    return {0, stripHeight(theme, available.width(), nullptr, {}) + title, std::max<double>(space::m, last), 0};
}

double FigurePlot::heightFor(const Theme& theme, double width) const
{
    if (empty())
        return 0;
    const double inner = width - 2 * space::m, line = theme.lineHeight(TextStyle::ChartLabel);
    return std::max<double>(theme.scaled(kControlHeight),
                            textHeight(theme, TextStyle::ChartTitle, m_data.title, inner - theme.scaled(140))) +
           stripHeight(theme, inner, nullptr, {}) + 3 * line + theme.lineHeight(TextStyle::ChartTick) +
           textHeight(theme, TextStyle::Caption, m_data.caption, inner) + kPlotTall + theme.scaled(60);
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
    std::vector<QRectF> taken = fixedWords(frame);
    layoutNames(frame, taken);
    layoutMarks(frame, std::move(taken));
}

/// What stands where it stands: marks and the words of the guides.
std::vector<QRectF> FigurePlot::fixedWords(const PlotFrame& frame) const
{
    std::vector<QRectF> taken;
    for (const FigureMark& mark : m_data.marks)
        taken.emplace_back(frame.place(mark.at.x(), mark.at.y()) - QPointF(kDot, kDot), QSizeF(2 * kDot, 2 * kDot));
    for (const FigureGuide& guide : m_data.guides)
        for (const auto& [rect, text] : guideWords(frame, guide))
            taken.push_back(rect);
    return taken;
}

std::optional<FigurePlot::Name> FigurePlot::nameOn(const PlotFrame& frame, const FigureLine& line, double at,
                                                   bool below) const
{
    const auto segment = segmentAt(frame, line.points, at);
    if (!segment)
        return std::nullopt;
    const double tall = frame.theme.lineHeight(TextStyle::Caption);
    const double wide = textWidth(frame.theme, TextStyle::Caption, line.name) + 2;
    Name name{line.name, {}, std::atan2(segment->dy(), segment->dx()) * 180 / M_PI, {}, below};
    const double half = wide / 2 * std::cos(name.angle * M_PI / 180) + space::xs;
    const double x = std::clamp(frame.placeX(at), frame.plot.left() + half,
                                std::max(frame.plot.left() + half, frame.plot.right() - half));
    const double along = std::abs(segment->dx()) < 1e-9 ? 0 : (x - segment->x1()) / segment->dx();
    name.middle = QPointF(x, segment->y1() + along * segment->dy());
    QTransform turn;
    turn.translate(name.middle.x(), name.middle.y());
    turn.rotate(name.angle);
    name.box = turn.map(QPolygonF(QRectF(-wide / 2, below ? 3 : -tall - 3, wide, tall)));
    return name;
}

/// Each name where its line asks for it, else at the nearest place where it hides nothing; a name without such a place
/// is left out, the table has it.
void FigurePlot::layoutNames(const PlotFrame& frame, const std::vector<QRectF>& taken)
{
    const auto free = [&](const Name& name) {
        return frame.plot.adjusted(-2, -2, 2, 2).contains(name.box.boundingRect()) &&
               std::none_of(taken.begin(), taken.end(),
                            [&](const QRectF& rect) { return name.box.intersects(QPolygonF(rect)); }) &&
               std::none_of(m_names.begin(), m_names.end(),
                            [&](const Name& other) { return name.box.intersects(other.box); });
    };
    for (const FigureLine& line : m_data.lines) {
        if (line.name.isEmpty() || line.points.size() < 2)
            continue;
        const double wanted = line.nameAt.value_or(middleOf(frame, line.points));
        std::vector<double> places = {frame.x.fraction(wanted)};
        const double from = std::max(0.0, frame.x.fraction(line.points.first().x())),
                     to = std::min(1.0, frame.x.fraction(line.points.last().x()));
        for (int i = 1; i < 12; ++i)
            places.push_back(from + (to - from) * i / 12);
        std::stable_sort(places.begin() + 1, places.end(), [&](double p, double q) {
            return std::abs(p - places.front()) < std::abs(q - places.front());
        });
        bool placed = false;
        for (const bool other : {false, true})
            for (const double place : places)
                if (!placed)
                    if (const auto name = nameOn(frame, line, frame.x.valueAt(place), line.nameBelow != other);
                        name && free(*name)) {
                        m_names.push_back(*name);
                        placed = true;
                    }
    }
}

void FigurePlot::layoutMarks(const PlotFrame& frame, std::vector<QRectF> taken)
{
    // A turned name as a row of small upright rectangles.
    for (const Name& name : m_names)
        for (int part = 0; part <= 10; ++part) {
            const QPointF top = name.box[0] + (name.box[1] - name.box[0]) * (part / 10.0);
            const QPointF bottom = name.box[3] + (name.box[2] - name.box[3]) * (part / 10.0);
            const double tall = QLineF(top, bottom).length();
            taken.emplace_back((top + bottom) / 2 - QPointF(tall, tall) / 2, QSizeF(tall, tall));
        }
    std::vector<std::pair<QPointF, QPointF>> lines;
    for (const FigureLine& line : m_data.lines) {
        const qsizetype step = std::max<qsizetype>(1, line.points.size() / 24);
        for (qsizetype i = 0; i + step < line.points.size(); i += step)
            lines.emplace_back(frame.place(line.points[i].x(), line.points[i].y()),
                               frame.place(line.points[i + step].x(), line.points[i + step].y()));
    }
    for (const FigureGuide& guide : m_data.guides)
        lines.emplace_back(QPointF(frame.placeX(guide.x), frame.plot.top()),
                           QPointF(frame.placeX(guide.x), frame.plot.bottom()));
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
    if (empty())
        return;
    paintBands(painter, frame);
    paintGuides(painter, frame);
}

void FigurePlot::paintBands(QPainter& painter, const PlotFrame& frame) const
{
    for (const FigureBand& band : m_data.bands) {
        QPolygonF area;
        for (const QPointF& point : band.high)
            area << frame.place(point.x(), point.y());
        for (auto point = band.low.rbegin(); point != band.low.rend(); ++point)
            area << frame.place(point->x(), point->y());
        QColor fill = frame.theme.color(band.role);
        fill.setAlphaF(0.22F);
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        painter.drawPolygon(area);
        painter.setBrush(Qt::NoBrush);
    }
}

void FigurePlot::paintGuides(QPainter& painter, const PlotFrame& frame) const
{
    const Theme& theme = frame.theme;
    for (const FigureGuide& guide : m_data.guides) {
        if (!frame.x.accepts(guide.x) || guide.x < frame.x.min || guide.x > frame.x.max)
            continue;
        const double x = snapped(frame.placeX(guide.x));
        painter.setPen(QPen(theme.color(Role::BorderStrong), 1, Qt::DashLine));
        painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom()));
        painter.setFont(theme.font(TextStyle::Caption));
        painter.setPen(theme.color(Role::Text2));
        for (const auto& [rect, text] : guideWords(frame, guide))
            paintOnGround(painter, rect, Qt::AlignCenter, text);
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
        const QRectF box(-wide / 2, name.below ? 3 : -tall - 3, wide, tall);
        QColor ground = painter.background().color();
        ground.setAlphaF(0.86F); // what crosses a name stays visible, and the name readable
        painter.fillRect(box.adjusted(-2, 0, 2, 0), ground);
        painter.setPen(frame.theme.color(Role::Text));
        painter.drawText(box, Qt::AlignCenter, name.text);
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
    return mark.text.isEmpty() ? mark.name : QStringLiteral("%1: %2").arg(mark.name, mark.text);
}

Json FigurePlot::describe() const
{
    Json names = Json::array(), marks = Json::array(), bars = Json::array();
    for (const Name& name : m_names)
        names.push_back({{"text", name.text.toStdString()}, {"box", rounded(name.box.boundingRect())}});
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
