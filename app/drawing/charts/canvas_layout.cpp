// SPDX-License-Identifier: GPL-3.0-or-later
// Where everything in the picture stands.
#include "app/drawing/charts/chart_canvas.h"
#include "app/drawing/charts/plot_paint.h"
#include "base/json.h"

#include <QtCharts/QChart>

namespace ridge::app {
namespace {

// Room inside the picture, so that it may stand on any page and be exported as it is.
constexpr QMarginsF kMargins(space::m, space::s, space::m, space::s);
constexpr double kTickGap = space::s; // between axis and tick label
constexpr double kWidest = 120;       // octaves of an axis that may be stretched to equal decades
constexpr double kNameShare = 0.32;   // of the width that the names of bars, rows or lanes may take

/// The part of a scale that a view shows.
AxisScale partOf(const AxisScale& whole, double from, double size)
{
    if (from == 0 && size == 1)
        return whole;
    AxisScale part = whole;
    part.min = whole.valueAt(from);
    part.max = whole.valueAt(from + size);
    return part;
}

/// Ticks of an axis whose numbers are written in another size of its unit.
std::vector<Tick> ticksIn(const AxisScale& scale, double unit, int most)
{
    if (unit == 1)
        return makeTicks(scale, most);
    AxisScale written = scale;
    written.min /= unit;
    written.max /= unit;
    std::vector<Tick> ticks = makeTicks(written, most);
    for (Tick& tick : ticks)
        tick.value *= unit;
    return ticks;
}

std::vector<Tick> visibleTicks(const std::vector<Tick>& all, const AxisScale& scale)
{
    std::vector<Tick> seen;
    for (const Tick& tick : all)
        if (const double at = scale.fraction(tick.value); at > -1e-9 && at < 1 + 1e-9)
            seen.push_back(tick);
    return seen;
}

/// A line of text in the middle of the plot, or as near to it as the picture's edges allow.
QRectF centredUnder(const QRectF& plot, const QRectF& line, double width)
{
    const double used = std::min(line.width(), std::max(plot.width(), std::ceil(width) + 2));
    const double left = std::clamp(plot.center().x() - used / 2, line.left(), line.right() - used);
    return QRectF(left, line.top(), used, line.height());
}

/// Every second, third … of ticks that would otherwise touch.
std::vector<Tick> thinned(std::vector<Tick> ticks, double room, double needed)
{
    const auto most = static_cast<std::size_t>(std::max(1.0, room / std::max(1.0, needed)));
    const std::size_t step = (ticks.size() + most - 1) / most;
    if (step <= 1)
        return ticks;
    std::vector<Tick> kept;
    for (std::size_t i = 0; i < ticks.size(); i += step)
        kept.push_back(std::move(ticks[i]));
    return kept;
}

} // namespace

void ChartCanvas::layoutFrame()
{
    const QRectF whole(QPointF(0, 0), QSizeF(viewport()->size()));
    const QRectF all = whole.marginsRemoved(kMargins);
    if (all.width() < 40 || all.height() < 40)
        return;
    m_frame.all = whole;
    m_titleRect = m_yTitleRect = m_xTitleRect = m_captionRect = QRectF();
    double top = all.top();
    double bottom = all.bottom();
    const double titleWidth = all.width() - m_reservedRight;
    if (!m_text.title.isEmpty()) {
        double height = std::max<double>(textHeight(m_theme, TextStyle::ChartTitle, m_text.title, titleWidth),
                                         m_theme.lineHeight(TextStyle::ChartTitle));
        if (m_reservedRight > 0)
            height = std::max<double>(height, m_theme.scaled(kControlHeight));
        m_titleRect = QRectF(all.left(), top, titleWidth, height);
        top += height + space::xs;
    } else if (m_reservedRight > 0) {
        top += m_theme.scaled(kControlHeight) + space::xs;
    }
    const QMarginsF beside = m_plot ? m_plot->margins(m_theme, QSizeF(all.width(), bottom - top)) : QMarginsF();
    if (!m_axes.y.title.isEmpty()) {
        m_yTitleRect = QRectF(all.left(), top, all.width(), m_theme.lineHeight(TextStyle::ChartLabel));
        top = m_yTitleRect.bottom() + space::s;
    }
    if (!m_text.caption.isEmpty()) {
        const double height = textHeight(m_theme, TextStyle::Caption, m_text.caption, all.width());
        m_captionRect = QRectF(all.left(), bottom - height, all.width(), height);
        bottom -= height + space::s;
    }
    if (!m_axes.x.title.isEmpty()) {
        const double height = m_theme.lineHeight(TextStyle::ChartLabel);
        m_xTitleRect = QRectF(all.left(), bottom - height, all.width(), height);
        bottom = m_xTitleRect.top() - space::xs;
    }
    layoutPlot(QRectF(all.left(), top, all.width(), bottom - top), beside);
    if (m_plot)
        m_plot->layout(m_frame);
}

/// The scales as they are shown: a part of them when zoomed, decades of equal length where the plot wants that.
void ChartCanvas::shapeScales(QSizeF plot)
{
    AxisScale x = m_axes.x.scale, y = m_axes.y.scale;
    const auto octaves = [](const AxisScale& scale) { return scale.transform(scale.max) - scale.transform(scale.min); };
    // Beyond what any machine spans the ends of a double are near, and the shape of a decade matters to nobody.
    if (m_axes.equalDecades && x.log && y.log && octaves(x) < kWidest && octaves(y) < kWidest) {
        const double spanX = x.transform(x.max) - x.transform(x.min), spanY = y.transform(y.max) - y.transform(y.min);
        const double pixelX = plot.width() / spanX, pixelY = plot.height() / spanY;
        const double pixel = std::min(pixelX, pixelY);
        const auto widen = [](AxisScale& scale, double span, double low, double high) {
            const double bottom = scale.transform(scale.min), top = scale.transform(scale.max);
            const double more = span - (top - bottom);
            scale.min = std::exp2(bottom - more * low);
            scale.max = std::exp2(top + more * high);
        };
        if (pixelX > pixel)
            widen(x, plot.width() / pixel, 0.5, 0.5);
        if (pixelY > pixel)
            widen(y, plot.height() / pixel, 0.75, 0.25);
    }
    m_frame.x = partOf(x, m_view.left(), m_view.width());
    m_frame.y = partOf(y, m_view.top(), m_view.height());
    m_frame.zoomed = zoomed();
}

/// Lines that the names below take in turn, so that none has to go in so much width.
int ChartCanvas::rowsOfNames(double width) const
{
    double needed = 0;
    for (const Tick& tick : m_axes.x.ticks)
        needed += textWidth(m_theme, TextStyle::ChartTick, tick.label) + space::m;
    return std::clamp(static_cast<int>(std::ceil(needed / std::max(1.0, width))), 1, std::max(1, m_axes.x.rows));
}

void ChartCanvas::layoutPlot(QRectF area, QMarginsF beside)
{
    const double tickHeight = m_theme.lineHeight(TextStyle::ChartTick);
    // Names that would still touch take one line more, as long as there is one, before some of them go.
    for (m_frame.xRows = rowsOfNames(area.width() * 0.8 - beside.right());; ++m_frame.xRows) {
        const double below = m_axes.x.shown ? m_frame.xRows * tickHeight + kTickGap : 0;
        const double plotHeight = std::max(20.0, area.height() - below - beside.top() - beside.bottom());
        const double guess = std::max(20.0, area.width() * 0.8);
        shapeScales({guess, plotHeight});
        const auto ticksOfY = [&] {
            return m_axes.y.ticks.empty()
                       ? ticksIn(m_frame.y, m_axes.y.unit, static_cast<int>(plotHeight / (tickHeight * 1.6)))
                       : visibleTicks(m_axes.y.ticks, m_frame.y);
        };
        m_frame.yTicks = ticksOfY();
        double left = 0;
        if (m_axes.y.shown) {
            for (const Tick& tick : m_frame.yTicks)
                left = std::max(left, textWidth(m_theme, TextStyle::ChartTick, tick.label));
            left = std::ceil(std::min(left, area.width() * kNameShare)) + kTickGap;
        }
        left += beside.left();
        const double width = std::max(20.0, area.width() - left - beside.right());
        m_frame.plot = QRectF(area.left() + left, area.top() + beside.top(), width, plotHeight).toAlignedRect();
        shapeScales(m_frame.plot.size());
        m_frame.yTicks = ticksOfY();
        if (!m_axes.y.ticks.empty())
            m_frame.yTicks = thinned(std::move(m_frame.yTicks), plotHeight, tickHeight);

        double widest = 1;
        const auto ticks =
            m_axes.x.ticks.empty() ? ticksIn(m_frame.x, m_axes.x.unit, 64) : visibleTicks(m_axes.x.ticks, m_frame.x);
        for (const Tick& tick : ticks)
            widest = std::max(widest, textWidth(m_theme, TextStyle::ChartTick, tick.label));
        m_frame.xTicks = m_axes.x.ticks.empty()
                             ? ticksIn(m_frame.x, m_axes.x.unit, static_cast<int>(width / (widest + space::l)))
                             : thinned(ticks, width * m_frame.xRows, std::min(widest, width / 4) + space::m);
        if (m_axes.x.ticks.empty() || m_frame.xTicks.size() == ticks.size() || m_frame.xRows >= m_axes.x.rows)
            break;
    }
    m_xTitleRect = centredUnder(m_frame.plot, m_xTitleRect, textWidth(m_theme, TextStyle::ChartLabel, m_axes.x.title));
    if (chart()->plotArea() != m_frame.plot)
        chart()->setPlotArea(m_frame.plot);
}

Json ChartCanvas::describeLayout() const
{
    const auto tickJson = [](const std::vector<Tick>& ticks) {
        Json list = Json::array();
        for (const Tick& tick : ticks)
            list.push_back(tick.label.toStdString());
        return list;
    };
    const QRectF& plot = m_frame.plot;
    Json json;
    json["plot"] = {qRound(plot.x()), qRound(plot.y()), qRound(plot.width()), qRound(plot.height())};
    json["xTicks"] = tickJson(m_frame.xTicks);
    json["yTicks"] = tickJson(m_frame.yTicks);
    if (m_plot) {
        const Json own = m_plot->describe();
        for (const auto& [key, value] : own.items())
            json[key] = value;
    }
    return json;
}

} // namespace ridge::app
