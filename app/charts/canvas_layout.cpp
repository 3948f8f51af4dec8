// SPDX-License-Identifier: GPL-3.0-or-later
// Where everything in the picture stands.
#include "app/charts/chart_canvas.h"
#include "app/charts/chart_text.h"

#include <QtCharts/QChart>

namespace ridge::app {
namespace {

// Room inside the picture, so that it may stand on any page and be exported as it is.
constexpr QMarginsF kMargins(space::m, space::s, space::m, space::s);
constexpr double kTickGap = space::s; // between axis and tick label
constexpr double kEndGap = space::m;  // between the last mark and its direct label

double textWidth(const Theme& theme, TextStyle style, const QString& text)
{
    return QFontMetricsF(theme.font(style)).horizontalAdvance(text);
}

double textHeight(const Theme& theme, TextStyle style, const QString& text, double width)
{
    if (text.isEmpty() || width <= 0)
        return 0;
    return std::ceil(
        QFontMetricsF(theme.font(style)).boundingRect(QRectF(0, 0, width, 1e4), Qt::TextWordWrap, text).height());
}

} // namespace

void ChartCanvas::layoutFrame()
{
    const QRectF all = QRectF(QPointF(0, 0), QSizeF(viewport()->size())).marginsRemoved(kMargins);
    if (all.width() < 40 || all.height() < 40)
        return;
    Frame frame;
    double top = all.top();
    double bottom = all.bottom();
    const double titleWidth = all.width() - m_reservedRight;
    if (!m_data.title.isEmpty()) {
        double height = std::max<double>(textHeight(m_theme, TextStyle::ChartTitle, m_data.title, titleWidth),
                                         m_theme.lineHeight(TextStyle::ChartTitle));
        if (m_reservedRight > 0)
            height = std::max<double>(height, m_theme.scaled(kControlHeight));
        frame.title = QRectF(all.left(), top, titleWidth, height);
        top += height + space::xs;
    } else if (m_reservedRight > 0) {
        top += m_theme.scaled(kControlHeight) + space::xs;
    }
    frame.yTitle = QRectF(all.left(), top, all.width(), m_theme.lineHeight(TextStyle::ChartLabel));
    top = frame.yTitle.bottom() + space::s;
    if (!m_data.caption.isEmpty()) {
        const double height = textHeight(m_theme, TextStyle::Caption, m_data.caption, all.width());
        frame.caption = QRectF(all.left(), bottom - height, all.width(), height);
        bottom -= height + space::s;
    }
    const double xTitleHeight = m_theme.lineHeight(TextStyle::ChartLabel);
    frame.xTitle = QRectF(all.left(), bottom - xTitleHeight, all.width(), xTitleHeight);
    bottom = frame.xTitle.top() - space::xs;
    m_frame = std::move(frame);
    layoutPlot(QRectF(all.left(), top, all.width(), bottom - top));
}

void ChartCanvas::layoutPlot(QRectF area)
{
    const double tickHeight = m_theme.lineHeight(TextStyle::ChartTick);
    const double plotHeight = std::max(20.0, area.height() - tickHeight - kTickGap);
    m_frame.yTicks = makeTicks(m_y, static_cast<int>(plotHeight / (tickHeight * 1.6)));
    double left = 0;
    for (const Tick& tick : m_frame.yTicks)
        left = std::max(left, textWidth(m_theme, TextStyle::ChartTick, tick.label));
    left = std::ceil(left) + kTickGap;
    const double right = endLabelWidth(area.width() - left);
    const double width = std::max(20.0, area.width() - left - right);
    m_frame.plot = QRectF(area.left() + left, area.top(), width, plotHeight).toAlignedRect();

    double widest = 1;
    for (const Tick& tick : makeTicks(m_x, 64))
        widest = std::max(widest, textWidth(m_theme, TextStyle::ChartTick, tick.label));
    m_frame.xTicks = makeTicks(m_x, static_cast<int>(width / (widest + space::l)));
    m_frame.xTitle.setLeft(m_frame.plot.left());
    m_frame.xTitle.setRight(m_frame.plot.right());
    layoutEnds(m_frame.plot.right() + kEndGap, right - kEndGap);
    if (chart()->plotArea() != m_frame.plot)
        chart()->setPlotArea(m_frame.plot);
}

double ChartCanvas::endLabelWidth(double available) const
{
    double widest = 0;
    for (const ChartSeries& series : m_data.series) {
        if (series.points.empty())
            continue;
        const std::string_view origin = toText(series.provenance);
        widest = std::max({widest, textWidth(m_theme, TextStyle::ChartLabel, series.name),
                           textWidth(m_theme, TextStyle::Caption,
                                     QString::fromLatin1(origin.data(), static_cast<qsizetype>(origin.size())))});
    }
    return widest == 0 ? space::m : std::min(std::ceil(widest) + kEndGap + 2, available * 0.32);
}

/// Labels stand at the height of their curve's end and make room for each other without changing order.
void ChartCanvas::layoutEnds(double left, double width)
{
    m_frame.ends.clear();
    const double height = m_theme.lineHeight(TextStyle::ChartLabel) + m_theme.lineHeight(TextStyle::Caption);
    for (std::size_t i = 0; i < m_data.series.size(); ++i) {
        const auto& points = m_data.series[i].points;
        if (points.empty() || !m_x.accepts(points.back().x) || !m_y.accepts(points.back().y))
            continue;
        const QPointF anchor = place(points.back().x, points.back().y);
        m_frame.ends.push_back({static_cast<int>(i), anchor, QRectF(left, anchor.y() - height / 2, width, height)});
    }
    auto& ends = m_frame.ends;
    std::stable_sort(ends.begin(), ends.end(),
                     [](const EndLabel& a, const EndLabel& b) { return a.anchor.y() < b.anchor.y(); });
    double floor = m_frame.plot.top() - height / 2;
    for (EndLabel& end : ends) {
        end.rect.moveTop(std::max(end.rect.top(), floor));
        floor = end.rect.bottom();
    }
    double ceiling = m_frame.plot.bottom() + height / 2;
    for (auto end = ends.rbegin(); end != ends.rend(); ++end) {
        end->rect.moveBottom(std::min(end->rect.bottom(), ceiling));
        ceiling = end->rect.top();
    }
}

Json ChartCanvas::describeLayout() const
{
    const auto rectJson = [](const QRectF& r) {
        return Json{qRound(r.x()), qRound(r.y()), qRound(r.width()), qRound(r.height())};
    };
    const auto tickJson = [](const std::vector<Tick>& ticks) {
        Json list = Json::array();
        for (const Tick& tick : ticks)
            list.push_back(tick.label.toStdString());
        return list;
    };
    Json json;
    json["plot"] = rectJson(m_frame.plot);
    json["xTicks"] = tickJson(m_frame.xTicks);
    json["yTicks"] = tickJson(m_frame.yTicks);
    json["labels"] = Json::array();
    for (const EndLabel& end : m_frame.ends)
        json["labels"].push_back(m_data.series[static_cast<std::size_t>(end.series)].name.toStdString());
    if (m_selectedX)
        json["selectedX"] = *m_selectedX;
    return json;
}

} // namespace ridge::app
