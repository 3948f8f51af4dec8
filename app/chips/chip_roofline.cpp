// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/chips/chip_roofline.h"

#include "app/chips/chip_figures.h"
#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/plot_paint.h"
#include "app/drawing/charts/series_marker.h"
#include "base/json.h"
#include "silicon/roofline.h"

#include <QPainter>

namespace ridge::app {
namespace {

constexpr double kEndGap = 14; ///< px between the end of a curve and its name
constexpr double kMark = 10;

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::Chips", text);
}

const QString kRate = QStringLiteral("FLOP/s");
const QString kIntensity = QStringLiteral("FLOP/B");

QString ridgeText(const ChipRoof& roof)
{
    return tr("ridge %1").arg(quantity(roof.ridge(), kIntensity));
}

} // namespace

QString roofFormatName(silicon::Precision precision)
{
    switch (precision) {
    case silicon::Precision::Fp32:
        return tr("FP32");
    case silicon::Precision::Tf32:
        return tr("TF32 tensor, dense");
    case silicon::Precision::Fp16:
        return tr("FP16 tensor, dense");
    case silicon::Precision::Bf16:
        return tr("BF16 tensor, dense");
    case silicon::Precision::Fp8:
        return tr("FP8 tensor, dense");
    default: {
        const auto name = silicon::toText(precision);
        return QString::fromLatin1(name.data(), qsizetype(name.size())).toUpper();
    }
    }
}

ChipRooflineData chipRooflines(const silicon::Catalogue& catalogue, const QStringList& ids,
                               const silicon::KernelProfile& kernel)
{
    ChipRooflineData data;
    const silicon::Precision precision = kernel.precision;
    data.intensity = kernel.intensity;
    data.kernel = QString::fromStdString(kernel.title);
    data.format = roofFormatName(precision);
    data.title = tr("Rooflines, %1").arg(data.format);
    bool derived = false;
    for (const QString& id : ids) {
        const silicon::Chip* chip = findChip(catalogue, id);
        if (!chip)
            continue;
        const auto peak = chip->peakFlopsPerSecond.find(precision);
        const auto lines = silicon::roofline(catalogue, *chip, precision);
        if (peak == chip->peakFlopsPerSecond.end() || !lines) {
            data.missing << (peak == chip->peakFlopsPerSecond.end()
                                 ? tr("%1 does not support the format").arg(chipName(*chip))
                                 : tr("%1: a figure for it is not known").arg(chipName(*chip)));
            continue;
        }
        derived = derived || lines->derived;
        data.roofs.push_back(
            {chipName(*chip), lines->flopsPerSecond, lines->bytesPerSecond,
             lines->derived ? tr("units × clock × FLOP a clock; bandwidth of the data sheet") : tr("data sheet")});
    }
    data.caption =
        tr("MODELLED from data sheets: no kernel reaches them quite. Memory is device memory; caches have roofs "
           "of their own.");
    if (derived)
        data.caption += QLatin1Char(' ') + tr("A peak that no sheet states is units × clock × FLOP a clock.");
    if (!data.missing.isEmpty())
        data.caption += QLatin1Char(' ') + tr("Not drawn: %1.").arg(data.missing.join(QStringLiteral("; ")));
    return data;
}

double ChipRooflinePlot::bound(const ChipRoof& roof, double intensity) const
{
    return silicon::rooflineBound(intensity, roof.flopsPerSecond, roof.bytesPerSecond);
}

PlotText ChipRooflinePlot::text() const
{
    return {m_data.title, m_data.caption,
            m_data.missing.isEmpty()
                ? tr("Choose chips in the list: their roofs are drawn here.")
                : tr("There is no roof to draw. %1.").arg(m_data.missing.join(QStringLiteral("; ")))};
}

QString ChipRooflinePlot::summary() const
{
    if (empty())
        return text().emptyText;
    QStringList parts;
    for (const ChipRoof& roof : m_data.roofs)
        parts << tr("%1 peaks at %2 and bends at %3")
                     .arg(roof.name, quantity(roof.flopsPerSecond, kRate), quantity(roof.ridge(), kIntensity));
    const QString count = parts.size() == 1 ? tr("1 chip") : tr("%1 chips").arg(parts.size());
    return tr("Rooflines of %1, %2: %3.").arg(count, m_data.format, parts.join(QStringLiteral("; ")));
}

ChartTable ChipRooflinePlot::table() const
{
    ChartTable table;
    table.kind = QStringLiteral("chip-rooflines");
    table.title = m_data.title;
    table.caption = m_data.caption;
    table.summary = summary();
    table.columns = {{QStringLiteral("chip"), tr("Chip"), {}, false},
                     {QStringLiteral("peak"), tr("Peak, %1").arg(m_data.format), kRate},
                     {QStringLiteral("bandwidth"), tr("Bandwidth"), QStringLiteral("B/s")},
                     {QStringLiteral("ridge"), tr("Ridge point"), kIntensity},
                     {QStringLiteral("bound"), tr("Bound of the kernel"), kRate},
                     {QStringLiteral("source"), tr("Source"), {}, false}};
    for (const ChipRoof& roof : m_data.roofs)
        table.rows.push_back({roof.name, roof.flopsPerSecond, roof.bytesPerSecond, roof.ridge(),
                              m_data.intensity ? ChartCell(bound(roof, *m_data.intensity)) : ChartCell(), roof.source});
    return table;
}

PlotAxes ChipRooflinePlot::axes() const
{
    PlotAxes axes;
    std::vector<double> xs, ys;
    for (const ChipRoof& roof : m_data.roofs) {
        xs.push_back(roof.ridge());
        ys.push_back(roof.flopsPerSecond);
    }
    if (m_data.intensity && !xs.empty())
        xs.push_back(*m_data.intensity);
    const double highest = xs.empty() ? 100 : *std::max_element(xs.begin(), xs.end());
    const double lowest = xs.empty() ? 1 : *std::min_element(xs.begin(), xs.end());
    // A decade of slope before the first bend and half of a plateau after the last, so that both are lines.
    axes.x.scale = makeDecades({lowest / 10, highest * 3});
    for (const ChipRoof& roof : m_data.roofs)
        ys.push_back(bound(roof, axes.x.scale.min));
    axes.y.scale = makeDecades(ys);
    axes.y.scale.max *= 1.3;
    axes.x.title = tr("arithmetic intensity (FLOP/B)");
    axes.y.title = tr("what the roof allows (FLOP/s)");
    axes.x.zoom = axes.y.zoom = axes.x.shown = axes.y.shown = axes.x.grid = axes.y.grid = !empty();
    return axes;
}

QMarginsF ChipRooflinePlot::margins(const Theme& theme, QSizeF available) const
{
    double widest = 0;
    for (const ChipRoof& roof : m_data.roofs)
        widest = std::max(widest, textWidth(theme, TextStyle::ChartLabel, roof.name));
    const double right = widest == 0 ? space::m : std::min(std::ceil(widest) + kEndGap + 4, available.width() * 0.34);
    return {0, m_data.intensity ? double(theme.lineHeight(TextStyle::Caption)) : 0.0, right, 0};
}

void ChipRooflinePlot::layout(const PlotFrame& frame)
{
    m_names.clear();
    m_ridges.clear();
    if (empty())
        return;
    const double height = frame.theme.lineHeight(TextStyle::ChartLabel);
    std::vector<double> wanted, sizes;
    for (const ChipRoof& roof : m_data.roofs) {
        const double y = frame.placeY(bound(roof, frame.x.max));
        wanted.push_back(std::clamp(y, frame.plot.top(), frame.plot.bottom()) - height / 2);
        sizes.push_back(height);
    }
    const auto places = spreadApart(wanted, sizes, frame.plot.top() - height / 2, frame.plot.bottom());
    const double left = frame.plot.right() + kEndGap;
    for (const double place : places)
        m_names.emplace_back(left, place, frame.all.right() - left, height);

    std::vector<LabelWish> wishes;
    std::vector<QRectF> marks;
    std::vector<std::pair<QPointF, QPointF>> lines;
    const double small = frame.theme.lineHeight(TextStyle::Caption);
    for (const ChipRoof& roof : m_data.roofs) {
        const QPointF at = frame.place(roof.ridge(), roof.flopsPerSecond);
        wishes.push_back(
            {at, QSizeF(std::ceil(textWidth(frame.theme, TextStyle::Caption, ridgeText(roof))) + 4, small), 9});
        marks.emplace_back(at - QPointF(kMark, kMark) / 2, QSizeF(kMark, kMark));
        lines.emplace_back(frame.place(frame.x.min, bound(roof, frame.x.min)), at);
        lines.emplace_back(at, frame.place(frame.x.max, roof.flopsPerSecond));
    }
    if (m_data.intensity)
        lines.emplace_back(frame.place(*m_data.intensity, frame.y.min), frame.place(*m_data.intensity, frame.y.max));
    m_ridges = placeLabels(wishes, frame.plot, marks, lines);
}

std::vector<PlotCurve> ChipRooflinePlot::curves(const PlotFrame& frame) const
{
    std::vector<PlotCurve> curves;
    for (std::size_t i = 0; i < m_data.roofs.size(); ++i) {
        const ChipRoof& roof = m_data.roofs[i];
        QList<QPointF> points;
        for (const double x : {frame.x.min, roof.ridge(), frame.x.max})
            if (x >= frame.x.min && x <= frame.x.max)
                points << QPointF(x, bound(roof, x));
        curves.push_back({seriesPen(frame.theme, static_cast<int>(i), Provenance::Modelled), points});
    }
    return curves;
}

void ChipRooflinePlot::paintUnder(QPainter& painter, const PlotFrame& frame) const
{
    if (empty() || !m_data.intensity || !frame.x.accepts(*m_data.intensity))
        return;
    const double x = snapped(frame.placeX(*m_data.intensity));
    if (x < frame.plot.left() || x > frame.plot.right())
        return;
    painter.setPen(QPen(frame.theme.color(Role::BorderStrong), 1, Qt::DashLine));
    painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom()));
    const QString name = QStringLiteral("%1, %2").arg(m_data.kernel, quantity(*m_data.intensity, kIntensity));
    const double height = frame.theme.lineHeight(TextStyle::Caption);
    const double width = textWidth(frame.theme, TextStyle::Caption, name) + 2;
    const double left =
        std::clamp(x - width / 2, frame.plot.left(), std::max(frame.plot.left(), frame.plot.right() - width));
    paintText(painter, frame.theme, TextStyle::Caption, Role::Text2,
              QRectF(left, frame.plot.top() - height, width, height), Qt::AlignCenter, name);
}

void ChipRooflinePlot::paint(QPainter& painter, const PlotFrame& frame, PlotCursor) const
{
    if (empty())
        return;
    const Theme& theme = frame.theme;
    for (std::size_t i = 0; i < m_data.roofs.size(); ++i) {
        const ChipRoof& roof = m_data.roofs[i];
        const int index = static_cast<int>(i);
        const QPointF end(frame.plot.right(),
                          std::clamp(frame.placeY(bound(roof, frame.x.max)), frame.plot.top(), frame.plot.bottom()));
        painter.setPen(QPen(theme.series(index), 1));
        painter.drawLine(end, QPointF(m_names[i].left() - 4, m_names[i].center().y()));
        paintText(painter, theme, TextStyle::ChartLabel, Role::Text, m_names[i], Qt::AlignLeft | Qt::AlignVCenter,
                  roof.name);
        const QPointF at = frame.place(roof.ridge(), roof.flopsPerSecond);
        if (!frame.plot.adjusted(-1, -1, 1, 1).contains(at))
            continue;
        paintSeriesMarker(painter, at, kMark, theme.series(index), index, Provenance::Modelled);
        const PlacedLabel& label = m_ridges[i];
        if (label.rect.isNull())
            continue;
        if (label.far) {
            painter.setPen(QPen(theme.color(Role::BorderStrong), 1));
            painter.drawLine(at, QPointF(std::clamp(at.x(), label.rect.left(), label.rect.right()),
                                         std::clamp(at.y(), label.rect.top(), label.rect.bottom())));
        }
        painter.setFont(theme.font(TextStyle::Caption));
        painter.setPen(theme.color(Role::Text));
        paintOnGround(painter, label.rect, Qt::AlignCenter, ridgeText(roof));
    }
}

std::vector<int> ChipRooflinePlot::groups() const
{
    return std::vector<int>(m_data.roofs.size(), 1);
}

std::optional<QRectF> ChipRooflinePlot::outline(const PlotFrame& frame, PlotCursor at) const
{
    const ChipRoof& roof = m_data.roofs[static_cast<std::size_t>(at.group)];
    const QPointF centre = frame.place(roof.ridge(), roof.flopsPerSecond);
    if (!frame.plot.adjusted(-1, -1, 1, 1).contains(centre))
        return std::nullopt;
    return QRectF(centre - QPointF(kMark, kMark) / 2, QSizeF(kMark, kMark));
}

QString ChipRooflinePlot::pointText(PlotCursor at) const
{
    const ChipRoof& roof = m_data.roofs[static_cast<std::size_t>(at.group)];
    QString words = tr("%1: %2 peak over %3, ridge point at %4")
                        .arg(roof.name, quantity(roof.flopsPerSecond, kRate),
                             quantity(roof.bytesPerSecond, QStringLiteral("B/s")), quantity(roof.ridge(), kIntensity));
    if (m_data.intensity)
        words += tr("; at %1 it allows %2")
                     .arg(quantity(*m_data.intensity, kIntensity), quantity(bound(roof, *m_data.intensity), kRate));
    return words;
}

Json ChipRooflinePlot::describe() const
{
    Json json;
    json["roofs"] = Json::array();
    for (std::size_t i = 0; i < m_data.roofs.size(); ++i)
        json["roofs"].push_back({{"name", m_data.roofs[i].name.toStdString()},
                                 {"ridge", m_data.roofs[i].ridge()},
                                 {"labelled", i < m_ridges.size() && !m_ridges[i].rect.isNull()}});
    return json;
}

} // namespace ridge::app
