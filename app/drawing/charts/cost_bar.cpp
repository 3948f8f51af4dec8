// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/cost_bar.h"

#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/plot_paint.h"
#include "base/json.h"

#include <QCoreApplication>
#include <numeric>

namespace ridge::app {
namespace {

constexpr std::size_t kColours = 8;
constexpr double kThickest = 48;

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::Cost", text);
}

double clean(double value)
{
    return std::isfinite(value) && value > 0 ? value : 0;
}

} // namespace

std::vector<QString> costParts()
{
    return {tr("compute"), tr("memory"), tr("communication"), tr("synchronisation"), tr("scheduling")};
}

CostPlot::CostPlot(CostData data) : m_data(std::move(data))
{
    for (CostBar& bar : m_data.bars)
        bar.values.resize(m_data.parts.size(), 0);
    std::vector<double> sums(m_data.parts.size(), 0);
    for (const CostBar& bar : m_data.bars)
        for (std::size_t i = 0; i < sums.size(); ++i)
            sums[i] += clean(bar.values[i]);
    std::vector<std::size_t> present;
    for (std::size_t i = 0; i < sums.size(); ++i)
        if (sums[i] > 0)
            present.push_back(i);
    std::vector<std::size_t> kept = present;
    if (kept.size() > kColours) {
        std::stable_sort(kept.begin(), kept.end(), [&](auto a, auto b) { return sums[a] > sums[b]; });
        kept.resize(kColours - 1);
        std::sort(kept.begin(), kept.end());
    }
    for (const std::size_t part : kept)
        m_drawn.push_back({m_data.parts[part], {part}});
    if (kept.size() == present.size())
        return;
    Drawn rest{tr("%1 others").arg(present.size() - kept.size()), {}};
    for (const std::size_t part : present)
        if (std::find(kept.begin(), kept.end(), part) == kept.end())
            rest.parts.push_back(part);
    m_drawn.push_back(std::move(rest));
}

double CostPlot::amount(std::size_t bar, std::size_t drawn) const
{
    double sum = 0;
    for (const std::size_t part : m_drawn[drawn].parts)
        sum += clean(m_data.bars[bar].values[part]);
    return sum;
}

/// Where bars differ in provenance, each says its own.
QString CostPlot::barName(std::size_t bar) const
{
    const bool mixed = std::any_of(m_data.bars.begin(), m_data.bars.end(), [&](const CostBar& other) {
        return other.provenance != m_data.bars.front().provenance;
    });
    const CostBar& own = m_data.bars[bar];
    return mixed ? QStringLiteral("%1 · %2").arg(own.name, provenanceText(own.provenance)) : own.name;
}

double CostPlot::total(std::size_t bar) const
{
    double sum = 0;
    for (const double value : m_data.bars[bar].values)
        sum += clean(value);
    return sum;
}

PlotText CostPlot::text() const
{
    std::vector<Provenance> origins;
    for (const CostBar& bar : m_data.bars)
        origins.push_back(bar.provenance);
    return {m_data.title, captioned(m_data.caption, provenancesText(origins)),
            m_data.emptyText.isEmpty() ? tr("The parts appear here as runs come in.") : m_data.emptyText};
}

bool CostPlot::empty() const
{
    return m_drawn.empty();
}

QString CostPlot::summary() const
{
    if (empty())
        return text().emptyText;
    QStringList bars;
    for (std::size_t bar = 0; bar < m_data.bars.size() && bar < 8; ++bar) {
        if (total(bar) <= 0)
            continue;
        std::vector<std::size_t> order(m_drawn.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return amount(bar, a) > amount(bar, b); });
        QStringList parts;
        for (std::size_t i = 0; i < order.size() && i < 3 && amount(bar, order[i]) > 0; ++i)
            parts << tr("%1 %2").arg(m_drawn[order[i]].name, quantity(amount(bar, order[i]), m_data.unit));
        bars << tr("%1 (%2): %3")
                    .arg(m_data.bars[bar].name, provenanceText(m_data.bars[bar].provenance),
                         parts.join(QStringLiteral(", ")));
    }
    QString words =
        tr("%1 in parts, largest first: %2").arg(asStart(m_data.valueTitle), bars.join(QStringLiteral("; ")));
    if (m_data.bars.size() > 8)
        words += tr("; and %1 bars more").arg(m_data.bars.size() - 8);
    return words + QLatin1Char('.');
}

ChartTable CostPlot::table() const
{
    ChartTable table;
    table.kind = QStringLiteral("cost");
    table.title = m_data.title;
    table.caption = m_data.caption;
    table.summary = summary();
    table.origin = m_data.origin;
    table.columns = {{QStringLiteral("bar"), tr("Bar"), {}, false},
                     {QStringLiteral("part"), tr("Part"), {}, false},
                     {m_data.valueTitle, asStart(m_data.valueTitle), m_data.unit},
                     {QStringLiteral("share"), tr("Share"), QStringLiteral("%")},
                     {QStringLiteral("provenance"), tr("Provenance"), {}, false}};
    for (std::size_t bar = 0; bar < m_data.bars.size(); ++bar)
        for (std::size_t part = 0; part < m_data.parts.size(); ++part) {
            const double value = m_data.bars[bar].values[part], whole = total(bar);
            table.rows.push_back({m_data.bars[bar].name, m_data.parts[part], value,
                                  whole > 0 ? ChartCell(100 * clean(value) / whole) : ChartCell(),
                                  provenanceText(m_data.bars[bar].provenance)});
        }
    return table;
}

PlotAxes CostPlot::axes() const
{
    PlotAxes axes;
    axes.y.grid = false;
    if (empty()) {
        axes.x.shown = axes.y.shown = axes.x.grid = false;
        return axes;
    }
    double most = 0;
    for (std::size_t bar = 0; bar < m_data.bars.size(); ++bar)
        most = std::max(most, total(bar));
    axes.x.scale.max = most;
    const auto [size, unit] = axisUnit(most, m_data.unit);
    axes.x.unit = size;
    axes.x.title = titled(m_data.valueTitle, unit);
    const auto count = static_cast<double>(m_data.bars.size());
    axes.y.scale.min = -0.5;
    axes.y.scale.max = count - 0.5;
    for (std::size_t i = 0; i < m_data.bars.size(); ++i)
        axes.y.ticks.push_back({count - 1 - static_cast<double>(i), barName(i)});
    return axes;
}

QString CostPlot::zoomRefusal() const
{
    return tr("Bars start at zero and are always shown whole.");
}

Json CostPlot::describe() const
{
    Json json;
    json["key"] = Json::array();
    for (const Drawn& drawn : m_drawn)
        json["key"].push_back(drawn.name.toStdString());
    return json;
}

namespace {

std::vector<KeyEntry> keyOf(const Theme& theme, const std::vector<QString>& names)
{
    std::vector<KeyEntry> key;
    for (std::size_t i = 0; i < names.size(); ++i)
        key.push_back({names[i], theme.series(static_cast<int>(i)), -1, Provenance::Measured});
    return key;
}

} // namespace

QMarginsF CostPlot::margins(const Theme& theme, QSizeF available) const
{
    if (empty())
        return {};
    std::vector<QString> names;
    for (const Drawn& drawn : m_drawn)
        names.push_back(drawn.name);
    // The key starts where the bars do, which depends on their names: measured with what is surely left.
    double name = 0;
    for (std::size_t i = 0; i < m_data.bars.size(); ++i)
        name = std::max(name, textWidth(theme, TextStyle::ChartTick, barName(i)));
    const double width = available.width() - std::min(name, available.width() * 0.32) - 2 * space::l;
    const double key = paintKey(nullptr, theme, QRectF(0, 0, width, 1), keyOf(theme, names));
    return {0, key + space::s, space::l, 0};
}

std::optional<QRectF> CostPlot::outline(const PlotFrame& frame, PlotCursor at) const
{
    const auto bar = static_cast<std::size_t>(at.group), part = static_cast<std::size_t>(at.point);
    const double value = amount(bar, part);
    if (value <= 0)
        return std::nullopt;
    double before = 0;
    for (std::size_t i = 0; i < part; ++i)
        before += amount(bar, i);
    const auto count = static_cast<double>(m_data.bars.size());
    const double middle = frame.placeY(count - 1 - at.group);
    const double thick =
        std::min<double>(frame.theme.scaled(kThickest), std::max(3.0, 0.68 * frame.plot.height() / count));
    return QRectF(QPointF(frame.placeX(before), std::round(middle - thick / 2)),
                  QPointF(frame.placeX(before + value), std::round(middle + thick / 2)));
}

void CostPlot::paint(QPainter& painter, const PlotFrame& frame, PlotCursor) const
{
    if (empty())
        return;
    std::vector<QString> names;
    for (const Drawn& drawn : m_drawn)
        names.push_back(drawn.name);
    const double key = margins(frame.theme, frame.all.size()).top();
    paintKey(&painter, frame.theme,
             QRectF(frame.plot.left(), frame.plot.top() - key, frame.plot.width(), key - space::s),
             keyOf(frame.theme, names));
    for (std::size_t bar = 0; bar < m_data.bars.size(); ++bar)
        for (std::size_t part = 0; part < m_drawn.size(); ++part)
            paintSegment(painter, frame, {static_cast<int>(bar), static_cast<int>(part)});
    painter.setPen(QPen(frame.theme.color(Role::BorderStrong), 1));
    const double x = snapped(frame.plot.left());
    painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom()));
}

/// A filled part with a hairline to the next; name and number stand in it where they fit.
void CostPlot::paintSegment(QPainter& painter, const PlotFrame& frame, PlotCursor at) const
{
    const auto rect = outline(frame, at);
    if (!rect)
        return;
    const Theme& theme = frame.theme;
    const QColor color = theme.series(at.point);
    QRectF box = *rect;
    if (box.width() > 3)
        box.setRight(box.right() - 1);
    painter.fillRect(box, color);
    const double line = theme.lineHeight(TextStyle::Caption);
    if (box.height() < line)
        return;
    const QString number =
        quantity(amount(static_cast<std::size_t>(at.group), static_cast<std::size_t>(at.point)), m_data.unit);
    const QString& name = m_drawn[static_cast<std::size_t>(at.point)].name;
    const double room = box.width() - space::s;
    painter.setFont(theme.font(TextStyle::Caption));
    painter.setPen(inkOn(theme, color));
    const auto fits = [&](const QString& text) { return textWidth(theme, TextStyle::Caption, text) <= room; };
    if (box.height() >= 2 * line + 4 && fits(name) && fits(number)) {
        painter.drawText(QRectF(box.left(), box.center().y() - line, box.width(), line), Qt::AlignCenter, name);
        painter.drawText(QRectF(box.left(), box.center().y(), box.width(), line), Qt::AlignCenter, number);
    } else if (fits(number)) {
        painter.drawText(box, Qt::AlignCenter, number);
    }
}

std::vector<int> CostPlot::groups() const
{
    return std::vector<int>(empty() ? 0 : m_data.bars.size(), static_cast<int>(m_drawn.size()));
}

QString CostPlot::pointText(PlotCursor at) const
{
    const auto bar = static_cast<std::size_t>(at.group), part = static_cast<std::size_t>(at.point);
    const double value = amount(bar, part), whole = total(bar);
    QString words = tr("%1, %2: %3").arg(m_data.bars[bar].name, m_drawn[part].name, quantity(value, m_data.unit));
    if (m_data.unit != QLatin1String("%") && whole > 0)
        words += tr(", %1 % of the bar").arg(QString::number(100 * value / whole, 'f', 1));
    return words + QStringLiteral(", ") + provenanceText(m_data.bars[bar].provenance);
}

PlotCursor CostPlot::hit(const PlotFrame& frame, QPointF at) const
{
    for (int bar = 0; bar < static_cast<int>(m_data.bars.size()); ++bar)
        for (int part = 0; part < static_cast<int>(m_drawn.size()); ++part)
            if (const auto rect = outline(frame, {bar, part}); rect && rect->contains(at))
                return {bar, part};
    return {};
}

} // namespace ridge::app
