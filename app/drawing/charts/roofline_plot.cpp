// SPDX-License-Identifier: GPL-3.0-or-later
// What a roofline says: bounds, words, numbers, scales.
#include "app/drawing/charts/roofline_plot.h"

#include "app/drawing/charts/chart_text.h"
#include "base/json.h"

#include <QCoreApplication>
#include <cmath>

namespace ridge::app {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::Roofline", text);
}

const QString kRate = QStringLiteral("FLOP/s");
const QString kBandwidth = QStringLiteral("B/s");
const QString kIntensity = QStringLiteral("FLOP/B");

bool usable(double value)
{
    return std::isfinite(value) && value > 0;
}

/// Measured lines first, then the highest.
template<class Line, class Value>
const Line* strongest(const std::vector<Line>& lines, const Value& value)
{
    const Line* best = nullptr;
    for (const Line& line : lines)
        if (usable(value(line)) && (!best || (best->datasheet && !line.datasheet) ||
                                    (best->datasheet == line.datasheet && value(line) > value(*best))))
            best = &line;
    return best;
}

QString originOf(bool datasheet, Provenance provenance)
{
    return datasheet ? tr("datasheet") : provenanceText(provenance);
}

} // namespace

QString levelName(MemoryLevel level)
{
    return level == MemoryLevel::L1   ? QStringLiteral("L1")
           : level == MemoryLevel::L2 ? QStringLiteral("L2")
                                      : QStringLiteral("HBM");
}

double ridgeOf(const RooflineRoof& roof, const RooflineCeiling& ceiling)
{
    return ceiling.flopsPerSecond / roof.bytesPerSecond;
}

std::optional<double> roofAbove(const RooflineData& data, MemoryLevel level, double intensity)
{
    std::vector<RooflineRoof> same;
    for (const RooflineRoof& roof : data.roofs)
        if (roof.level == level)
            same.push_back(roof);
    const auto* roof = strongest(same, [](const RooflineRoof& r) { return r.bytesPerSecond; });
    const auto* ceiling = strongest(data.ceilings, [](const RooflineCeiling& c) { return c.flopsPerSecond; });
    std::optional<double> bound;
    if (roof)
        bound = intensity * roof->bytesPerSecond;
    if (ceiling)
        bound = bound ? std::min(*bound, ceiling->flopsPerSecond) : ceiling->flopsPerSecond;
    return bound;
}

PlotText RooflinePlot::text() const
{
    const QString none = m_data.emptyText.isEmpty()
                             ? tr("Roofs and kernels appear here once a run has reported bytes, time and operations.")
                             : m_data.emptyText;
    return {m_data.title, m_data.caption, none};
}

bool RooflinePlot::empty() const
{
    const auto drawn = [](const RooflineKernel& kernel) {
        return usable(kernel.flopsPerSecond) && std::any_of(kernel.intensity.begin(), kernel.intensity.end(),
                                                            [](const auto& level) { return usable(level.second); });
    };
    return std::none_of(m_data.roofs.begin(), m_data.roofs.end(),
                        [](const auto& roof) { return usable(roof.bytesPerSecond); }) &&
           std::none_of(m_data.ceilings.begin(), m_data.ceilings.end(),
                        [](const auto& ceiling) { return usable(ceiling.flopsPerSecond); }) &&
           std::none_of(m_data.kernels.begin(), m_data.kernels.end(), drawn);
}

QString RooflinePlot::summary() const
{
    if (empty())
        return text().emptyText;
    QStringList parts;
    const RooflineKernel* best = nullptr;
    for (const RooflineKernel& kernel : m_data.kernels)
        if (usable(kernel.flopsPerSecond) && (!best || kernel.flopsPerSecond > best->flopsPerSecond))
            best = &kernel;
    if (best) {
        QString words = tr("fastest is %1 with %2 (%3)")
                            .arg(best->name, quantity(best->flopsPerSecond, kRate), provenanceText(best->provenance));
        if (!best->intensity.empty()) {
            const auto& [level, intensity] = best->intensity.back();
            if (const auto roof = roofAbove(m_data, level, intensity))
                words += tr(", %1 % of what the roof over %2 at %3 allows")
                             .arg(quantity(std::round(100 * best->flopsPerSecond / *roof), {}),
                                  quantity(intensity, kIntensity), levelName(level));
        }
        parts << words;
    }
    for (const RooflineRoof& roof : m_data.roofs)
        parts << tr("%1 roof %2 (%3)")
                     .arg(levelName(roof.level), quantity(roof.bytesPerSecond, kBandwidth),
                          originOf(roof.datasheet, roof.provenance));
    for (const RooflineCeiling& ceiling : m_data.ceilings) {
        QString words = tr("%1 ceiling %2 (%3)")
                            .arg(ceiling.name, quantity(ceiling.flopsPerSecond, kRate),
                                 originOf(ceiling.datasheet, ceiling.provenance));
        for (const RooflineRoof& roof : m_data.roofs)
            if (roof.level == MemoryLevel::Hbm && roof.datasheet == ceiling.datasheet)
                words += tr(" with its ridge point at %1").arg(quantity(ridgeOf(roof, ceiling), kIntensity));
        parts << words;
    }
    const auto kernels = m_data.kernels.size();
    const QString head = kernels == 0   ? tr("Roofline without kernels")
                         : kernels == 1 ? tr("Roofline of 1 kernel")
                                        : tr("Roofline of %1 kernels").arg(kernels);
    return QStringLiteral("%1: %2.").arg(head, parts.join(QStringLiteral("; ")));
}

ChartTable RooflinePlot::table() const
{
    ChartTable table;
    table.kind = QStringLiteral("roofline");
    table.title = m_data.title;
    table.caption = m_data.caption;
    table.summary = summary();
    table.origin = m_data.origin;
    table.columns = {{QStringLiteral("item"), tr("Item"), {}, false},
                     {QStringLiteral("level"), tr("Level"), {}, false},
                     {QStringLiteral("intensity"), tr("Intensity"), kIntensity},
                     {QStringLiteral("performance"), tr("Performance"), kRate},
                     {QStringLiteral("bandwidth"), tr("Bandwidth"), kBandwidth},
                     {QStringLiteral("roof"), tr("Roof above"), kRate},
                     {QStringLiteral("headroom"), tr("Headroom"), QStringLiteral("×")},
                     {QStringLiteral("provenance"), tr("Provenance"), {}, false},
                     {QStringLiteral("source"), tr("Source"), {}, false}};
    const ChartCell none;
    const auto words = [&](const QString& text) { return text.isEmpty() ? none : ChartCell(text); };
    for (const RooflineKernel& kernel : m_data.kernels)
        for (const auto& [level, intensity] : kernel.intensity) {
            const auto roof = roofAbove(m_data, level, intensity);
            table.rows.push_back({kernel.name, levelName(level), intensity, kernel.flopsPerSecond, none,
                                  roof ? ChartCell(*roof) : none,
                                  roof ? ChartCell(*roof / kernel.flopsPerSecond) : none,
                                  provenanceText(kernel.provenance), words(kernel.ladder)});
        }
    for (const RooflineRoof& roof : m_data.roofs)
        table.rows.push_back({tr("roof"), levelName(roof.level), none, none, roof.bytesPerSecond, none, none,
                              originOf(roof.datasheet, roof.provenance), words(roof.source)});
    for (const RooflineCeiling& ceiling : m_data.ceilings) {
        table.rows.push_back({tr("ceiling %1").arg(ceiling.name), none, none, ceiling.flopsPerSecond, none, none, none,
                              originOf(ceiling.datasheet, ceiling.provenance), words(ceiling.source)});
        for (const RooflineRoof& roof : m_data.roofs)
            if (roof.datasheet == ceiling.datasheet && roof.level == MemoryLevel::Hbm)
                table.rows.push_back({tr("ridge point %1").arg(ceiling.name), levelName(roof.level),
                                      ridgeOf(roof, ceiling), ceiling.flopsPerSecond, roof.bytesPerSecond, none, none,
                                      originOf(ceiling.datasheet, ceiling.provenance), none});
    }
    return table;
}

PlotAxes RooflinePlot::axes() const
{
    std::vector<double> xs, ys;
    for (const RooflineKernel& kernel : m_data.kernels) {
        ys.push_back(kernel.flopsPerSecond);
        for (const auto& [level, intensity] : kernel.intensity)
            xs.push_back(intensity);
    }
    for (const RooflineCeiling& ceiling : m_data.ceilings) {
        ys.push_back(ceiling.flopsPerSecond);
        for (const RooflineRoof& roof : m_data.roofs)
            xs.push_back(ridgeOf(roof, ceiling));
    }
    if (xs.empty())
        xs = {0.1, 100};
    PlotAxes axes;
    axes.x.scale = makeDecades(xs);
    // Half a decade beyond the last ridge, so that its ceiling is a line and not a corner.
    axes.x.scale.max *= 3;
    axes.x.scale.min /= 1.5;
    for (const RooflineRoof& roof : m_data.roofs)
        if (ys.empty() || m_data.ceilings.empty())
            ys.insert(ys.end(), {roof.bytesPerSecond * axes.x.scale.min, roof.bytesPerSecond * axes.x.scale.max});
    axes.y.scale = makeDecades(ys);
    axes.y.scale.max *= 1.6; // names of ceilings stand above them
    axes.x.title = tr("arithmetic intensity (FLOP/B)");
    axes.y.title = tr("performance (FLOP/s)");
    axes.x.zoom = axes.y.zoom = !empty();
    axes.x.shown = axes.y.shown = axes.x.grid = axes.y.grid = !empty();
    axes.equalDecades = true;
    return axes;
}

std::vector<int> RooflinePlot::groups() const
{
    std::vector<int> sizes;
    for (const RooflineKernel& kernel : m_data.kernels)
        sizes.push_back(static_cast<int>(kernel.intensity.size()));
    return sizes;
}

QString RooflinePlot::pointText(PlotCursor at) const
{
    const RooflineKernel& kernel = m_data.kernels[static_cast<std::size_t>(at.group)];
    const auto& [level, intensity] = kernel.intensity[static_cast<std::size_t>(at.point)];
    QString words = tr("%1: %2 at %3 of %4, %5")
                        .arg(kernel.name, quantity(kernel.flopsPerSecond, kRate), quantity(intensity, kIntensity),
                             levelName(level), provenanceText(kernel.provenance));
    if (const auto roof = roofAbove(m_data, level, intensity); roof && usable(kernel.flopsPerSecond))
        words += tr(", %1× below the roof of %2")
                     .arg(QString::number(*roof / kernel.flopsPerSecond, 'g', 3), quantity(*roof, kRate));
    return words;
}

Json RooflinePlot::describe() const
{
    Json json;
    json["roofs"] = Json::array();
    for (const LineLabel& label : m_lineLabels)
        json["roofs"].push_back(label.text.toStdString());
    json["ridges"] = Json::array();
    for (const Ridge& ridge : m_ridges)
        json["ridges"].push_back({{"name", ridge.name.toStdString()}, {"value", ridge.value}});
    json["names"] = Json::array();
    for (std::size_t i = 0; i < m_names.size(); ++i)
        if (!m_names[i].rect.isNull())
            json["names"].push_back(m_data.kernels[i].name.toStdString());
    return json;
}

} // namespace ridge::app
