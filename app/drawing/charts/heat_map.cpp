// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/heat_map.h"

#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/plot_paint.h"
#include "base/json.h"

#include <QCoreApplication>

namespace ridge::app {
namespace {

constexpr double kLegendBar = 14;
constexpr int kMostRects = 4096; ///< cells that a file has as shapes; beyond it they are too small to run together

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::HeatMap", text);
}

std::vector<Tick> valueTicks(const std::vector<double>& values)
{
    std::vector<Tick> ticks;
    for (std::size_t i = 0; i < values.size(); ++i)
        ticks.push_back({static_cast<double>(i), quantity(values[i], {})});
    return ticks;
}

} // namespace

QColor cividis(const Theme& theme, double fraction)
{
    static constexpr Role kAnchors[] = {Role::Map1, Role::Map2, Role::Map3, Role::Map4, Role::Map5, Role::Map6};
    const double at = std::clamp(fraction, 0.0, 1.0) * 5;
    const int low = std::min(4, static_cast<int>(at));
    const QColor a = theme.color(kAnchors[low]), b = theme.color(kAnchors[low + 1]);
    const double t = at - low;
    return QColor::fromRgbF(static_cast<float>(a.redF() + (b.redF() - a.redF()) * t),
                            static_cast<float>(a.greenF() + (b.greenF() - a.greenF()) * t),
                            static_cast<float>(a.blueF() + (b.blueF() - a.blueF()) * t));
}

HeatMapPlot::HeatMapPlot(HeatMapData data) : m_data(std::move(data))
{
    m_data.cells.resize(m_data.xs.size() * m_data.ys.size());
    bool any = false, positive = true;
    for (const auto& cell : m_data.cells) {
        if (!cell || !std::isfinite(*cell))
            continue;
        m_scale.min = any ? std::min(m_scale.min, *cell) : *cell;
        m_scale.max = any ? std::max(m_scale.max, *cell) : *cell;
        positive = positive && *cell > 0;
        any = true;
    }
    m_scale.log = m_scale.decades = positive && m_scale.max > 100 * m_scale.min;
}

std::optional<double> HeatMapPlot::value(int row, int column) const
{
    const auto& cell = m_data.cells[static_cast<std::size_t>(row * columns() + column)];
    return cell && std::isfinite(*cell) ? cell : std::nullopt;
}

bool HeatMapPlot::empty() const
{
    return std::none_of(m_data.cells.begin(), m_data.cells.end(),
                        [](const auto& cell) { return cell && std::isfinite(*cell); });
}

PlotText HeatMapPlot::text() const
{
    return {m_data.title, captioned(m_data.caption, provenancesText(m_data.provenance)),
            m_data.emptyText.isEmpty() ? tr("The map fills in as the runs of a sweep over two parameters come in.")
                                       : m_data.emptyText};
}

QString HeatMapPlot::summary() const
{
    std::optional<double> low, high;
    int lowAt = 0, highAt = 0, known = 0;
    for (int i = 0; i < rows() * columns(); ++i) {
        const auto one = value(i / columns(), i % columns());
        if (!one)
            continue;
        ++known;
        if (!low || *one < *low) {
            low = one;
            lowAt = i;
        }
        if (!high || *one > *high) {
            high = one;
            highAt = i;
        }
    }
    if (!low)
        return text().emptyText;
    const auto place = [&](int at) {
        return tr("%1 = %2, %3 = %4")
            .arg(m_data.xTitle, quantity(m_data.xs[static_cast<std::size_t>(at % columns())], m_data.xUnit),
                 m_data.yTitle, quantity(m_data.ys[static_cast<std::size_t>(at / columns())], m_data.yUnit));
    };
    QString words =
        tr("%1 over %2 and %3 (%4), %5 of %6 cells: lowest %7 at %8; highest %9")
            .arg(asStart(m_data.valueTitle), m_data.xTitle, m_data.yTitle, provenancesText(m_data.provenance))
            .arg(known)
            .arg(rows() * columns())
            .arg(quantity(*low, m_data.unit), place(lowAt), quantity(*high, m_data.unit));
    words += tr(" at %1").arg(place(highAt));
    if (m_data.limit)
        words += tr("; limit %1, %2").arg(quantity(*m_data.limit, m_data.unit), m_data.limitName);
    return words + QLatin1Char('.');
}

ChartTable HeatMapPlot::table() const
{
    ChartTable table;
    table.kind = QStringLiteral("heat-map");
    table.title = m_data.title;
    table.caption = m_data.caption;
    table.summary = summary();
    table.origin = m_data.origin;
    table.columns = {{m_data.xTitle, asStart(m_data.xTitle), m_data.xUnit},
                     {m_data.yTitle, asStart(m_data.yTitle), m_data.yUnit},
                     {m_data.valueTitle, asStart(m_data.valueTitle), m_data.unit},
                     {QStringLiteral("provenance"), tr("Provenance"), {}, false}};
    const QString provenance = provenancesText(m_data.provenance);
    for (int row = 0; row < rows(); ++row)
        for (int column = 0; column < columns(); ++column)
            if (const auto& cell = m_data.cells[static_cast<std::size_t>(row * columns() + column)])
                table.rows.push_back({m_data.xs[static_cast<std::size_t>(column)],
                                      m_data.ys[static_cast<std::size_t>(row)], *cell, provenance});
    return table;
}

PlotAxes HeatMapPlot::axes() const
{
    PlotAxes axes;
    if (empty()) {
        axes.x.shown = axes.y.shown = axes.x.grid = axes.y.grid = false;
        return axes;
    }
    axes.x.scale.min = axes.y.scale.min = -0.5;
    axes.x.scale.max = columns() - 0.5;
    axes.y.scale.max = rows() - 0.5;
    axes.x.ticks = valueTicks(m_data.xs);
    axes.y.ticks = valueTicks(m_data.ys);
    axes.x.title = titled(m_data.xTitle, m_data.xUnit);
    axes.y.title = titled(m_data.yTitle, m_data.yUnit);
    axes.x.grid = axes.y.grid = false;
    axes.x.zoom = axes.y.zoom = rows() * columns() > 64;
    return axes;
}

std::vector<Tick> HeatMapPlot::legendTicks(int most) const
{
    if (m_scale.max <= m_scale.min)
        return {{m_scale.min, quantity(m_scale.min, {})}};
    // Both ends in their own words, round numbers between them.
    std::vector<Tick> ticks;
    const double keep = 0.6 / std::max(2, most);
    for (const Tick& tick : makeTicks(m_scale, most))
        if (const double at = m_scale.fraction(tick.value); at > keep && at < 1 - keep)
            ticks.push_back({tick.value, m_scale.log ? decadeLabel(tick.value) : quantity(tick.value, {})});
    ticks.insert(ticks.begin(), {m_scale.min, quantity(m_scale.min, {})});
    ticks.push_back({m_scale.max, quantity(m_scale.max, {})});
    return ticks;
}

QMarginsF HeatMapPlot::margins(const Theme& theme, QSizeF available) const
{
    if (empty())
        return {};
    double widest = 0;
    for (const Tick& tick : legendTicks(6))
        widest = std::max(widest, textWidth(theme, TextStyle::ChartTick, tick.label));
    return {0, 0, std::min(available.width() / 3, space::l + kLegendBar + space::s + std::ceil(widest) + 1), 0};
}

QColor HeatMapPlot::colorOf(const Theme& theme, double number) const
{
    return cividis(theme, m_scale.max > m_scale.min ? m_scale.fraction(number) : 0.5);
}

void HeatMapPlot::layout(const PlotFrame& frame)
{
    m_picture = QImage(std::max(1, columns()), std::max(1, rows()), QImage::Format_ARGB32);
    m_picture.fill(0);
    m_valuesShown = !empty();
    const double room = frame.plot.width() / (frame.x.max - frame.x.min) - 6;
    const double tall = frame.plot.height() / (frame.y.max - frame.y.min);
    m_valuesShown = m_valuesShown && tall >= frame.theme.lineHeight(TextStyle::Caption) && room > 12;
    for (int row = 0; row < rows(); ++row)
        for (int column = 0; column < columns(); ++column)
            if (const auto one = value(row, column)) {
                m_picture.setPixelColor(column, rows() - 1 - row, colorOf(frame.theme, *one));
                m_valuesShown = m_valuesShown && textWidth(frame.theme, TextStyle::Caption, quantity(*one, {})) <= room;
            }
}

Json HeatMapPlot::describe() const
{
    return {{"values", m_valuesShown}, {"logarithmic", m_scale.log}};
}

void HeatMapPlot::paint(QPainter& painter, const PlotFrame& frame, PlotCursor) const
{
    if (empty())
        return;
    const Theme& theme = frame.theme;
    painter.save();
    painter.setClipRect(frame.plot);
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter.setRenderHint(QPainter::Antialiasing, false);
    const QRectF whole(QPointF(frame.placeX(-0.5), frame.placeY(rows() - 0.5)),
                       QPointF(frame.placeX(columns() - 0.5), frame.placeY(-0.5)));
    painter.fillRect(whole, QBrush(theme.color(Role::Border), Qt::BDiagPattern)); // shows where nothing has run
    // Viewers of SVG smooth a stretched image, so that the colour of one cell would run into the next.
    if (painter.paintEngine()->type() == QPaintEngine::SVG && rows() * columns() <= kMostRects)
        paintCells(painter, frame);
    else
        painter.drawImage(whole, m_picture);
    const double cell = std::min(whole.width() / columns(), whole.height() / rows());
    if (cell >= 10) {
        painter.setPen(QPen(theme.color(Role::Surface), 2));
        for (int column = 1; column < columns(); ++column)
            painter.drawLine(QPointF(std::round(frame.placeX(column - 0.5)), whole.top()),
                             QPointF(std::round(frame.placeX(column - 0.5)), whole.bottom()));
        for (int row = 1; row < rows(); ++row)
            painter.drawLine(QPointF(whole.left(), std::round(frame.placeY(row - 0.5))),
                             QPointF(whole.right(), std::round(frame.placeY(row - 0.5))));
    }
    if (m_valuesShown)
        paintValues(painter, frame);
    painter.restore();
    paintLegend(painter, frame);
}

void HeatMapPlot::paintCells(QPainter& painter, const PlotFrame& frame) const
{
    for (int row = 0; row < rows(); ++row)
        for (int column = 0; column < columns(); ++column)
            if (const auto one = value(row, column))
                painter.fillRect(QRectF(QPointF(frame.placeX(column - 0.5), frame.placeY(row + 0.5)),
                                        QPointF(frame.placeX(column + 0.5), frame.placeY(row - 0.5))),
                                 colorOf(frame.theme, *one));
}

void HeatMapPlot::paintValues(QPainter& painter, const PlotFrame& frame) const
{
    painter.setFont(frame.theme.font(TextStyle::Caption));
    for (int row = 0; row < rows(); ++row)
        for (int column = 0; column < columns(); ++column) {
            const auto one = value(row, column);
            if (!one)
                continue;
            const QRectF cell(QPointF(frame.placeX(column - 0.5), frame.placeY(row + 0.5)),
                              QPointF(frame.placeX(column + 0.5), frame.placeY(row - 0.5)));
            if (!cell.intersects(frame.plot))
                continue;
            painter.setPen(inkOn(frame.theme, colorOf(frame.theme, *one)));
            painter.drawText(cell, Qt::AlignCenter, quantity(*one, {}));
        }
}

void HeatMapPlot::paintLegend(QPainter& painter, const PlotFrame& frame) const
{
    const Theme& theme = frame.theme;
    const QRectF bar(frame.plot.right() + space::l, frame.plot.top(), kLegendBar, frame.plot.height());
    QImage ramp(1, 256, QImage::Format_RGB32);
    for (int y = 0; y < 256; ++y)
        ramp.setPixelColor(0, y, cividis(theme, 1 - y / 255.0));
    painter.drawImage(bar, ramp);
    const double line = theme.lineHeight(TextStyle::ChartTick);
    const bool flat = m_scale.max <= m_scale.min;
    for (const Tick& tick : legendTicks(std::clamp(static_cast<int>(bar.height() / (line * 2)), 2, 6))) {
        const double y = flat ? bar.center().y() : bar.bottom() - m_scale.fraction(tick.value) * bar.height();
        const double top = std::clamp(y - line / 2, bar.top() - line / 4, bar.bottom() - line * 0.75);
        paintText(painter, theme, TextStyle::ChartTick, Role::Text2,
                  QRectF(bar.right() + space::s, top, frame.all.right() - space::s - bar.right() - space::s, line),
                  Qt::AlignLeft | Qt::AlignVCenter, tick.label);
    }
    const double small = theme.lineHeight(TextStyle::ChartLabel);
    const QString name = titled(m_data.valueTitle, m_data.unit);
    const double width = std::min(frame.all.width() * 0.5, textWidth(theme, TextStyle::ChartLabel, name) + 2);
    paintText(painter, theme, TextStyle::ChartLabel, Role::Text2,
              QRectF(frame.all.right() - space::m - width, frame.plot.top() - space::s - small, width, small),
              Qt::AlignRight | Qt::AlignVCenter, name);
}

std::vector<int> HeatMapPlot::groups() const
{
    return std::vector<int>(empty() ? 0 : m_data.ys.size(), columns());
}

std::optional<QRectF> HeatMapPlot::outline(const PlotFrame& frame, PlotCursor at) const
{
    const int row = rows() - 1 - at.group;
    return QRectF(QPointF(frame.placeX(at.point - 0.5), frame.placeY(row + 0.5)),
                  QPointF(frame.placeX(at.point + 0.5), frame.placeY(row - 0.5)));
}

QString HeatMapPlot::pointText(PlotCursor at) const
{
    const int row = rows() - 1 - at.group;
    const auto one = value(row, at.point);
    return tr("%1 = %2, %3 = %4: %5")
        .arg(m_data.xTitle, quantity(m_data.xs[static_cast<std::size_t>(at.point)], m_data.xUnit), m_data.yTitle,
             quantity(m_data.ys[static_cast<std::size_t>(row)], m_data.yUnit),
             one ? QStringLiteral("%1, %2").arg(quantity(*one, m_data.unit), provenancesText(m_data.provenance))
                 : tr("not run"));
}

PlotCursor HeatMapPlot::hit(const PlotFrame& frame, QPointF at) const
{
    if (empty() || !frame.plot.contains(at))
        return {};
    const double x = frame.x.valueAt((at.x() - frame.plot.left()) / frame.plot.width());
    const double y = frame.y.valueAt((frame.plot.bottom() - at.y()) / frame.plot.height());
    return {rows() - 1 - std::clamp(static_cast<int>(std::round(y)), 0, rows() - 1),
            std::clamp(static_cast<int>(std::round(x)), 0, columns() - 1)};
}

} // namespace ridge::app
