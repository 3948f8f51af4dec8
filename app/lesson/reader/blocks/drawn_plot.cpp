// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/blocks/drawn_plot.h"

#include "app/drawing/charts/chart_text.h"
#include "base/units.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("DrawBlock", text);
}

AxisScale xScaleOf(const DrawnCurve& curve)
{
    std::vector<double> values;
    for (const auto& [x, y] : curve.drawn)
        values.push_back(x);
    return makeScale(curve.xLog ? ParamScale::Log2 : ParamScale::Linear, values, false);
}

AxisScale yScaleOf(const DrawnCurve& curve)
{
    AxisScale scale;
    scale.log = curve.yLog && curve.yMin > 0;
    scale.min = curve.yMin;
    scale.max = curve.yMax;
    for (const auto& [x, y] : curve.measured)
        if (scale.accepts(y)) {
            scale.min = std::min(scale.min, y);
            scale.max = std::max(scale.max, y);
        }
    return scale;
}

QString summaryOf(const DrawnCurve& curve)
{
    if (curve.drawn.empty())
        return tr("No point to draw.");
    const QString drawn =
        tr("You drew %1 at %2 = %3 and %4 at %5.")
            .arg(quantity(curve.drawn.front().second, curve.unit), curve.xName, axisNumber(curve.drawn.front().first),
                 quantity(curve.drawn.back().second, curve.unit), axisNumber(curve.drawn.back().first));
    if (curve.measured.empty())
        return drawn;
    const QString result = tr("The run gave %1 and %2.")
                               .arg(quantity(curve.measured.front().second, curve.unit),
                                    quantity(curve.measured.back().second, curve.unit));
    return curve.error ? tr("%1 %2 Mean error %3 %.")
                             .arg(drawn, result, QString::fromStdString(formatNumber(std::round(*curve.error * 100))))
                       : drawn + QLatin1Char(' ') + result;
}

} // namespace

QString axisNumber(double value)
{
    return QString::fromStdString(formatNumber(value));
}

FigureData drawnFigure(const DrawnCurve& curve)
{
    FigureData data;
    data.title = curve.title;
    data.axes.x.title = curve.xTitle;
    data.axes.x.scale = xScaleOf(curve);
    data.axes.y.scale = yScaleOf(curve);
    data.axes.y.scale.decades = data.axes.y.scale.log && isReadInDecades(curve.unit);
    // Of times over decades the middle names the unit, as in the chart of the sweep.
    const auto [size, unit] = data.axes.y.scale.decades && curve.unit == QLatin1String("s")
                                  ? axisUnit(std::sqrt(data.axes.y.scale.min * data.axes.y.scale.max), curve.unit)
                                  : std::pair(1.0, curve.unit);
    data.axes.y.unit = size;
    data.yTitle = titled(curve.yTitle, unit);
    data.table.kind = QStringLiteral("drawn-curve");
    data.table.columns = {{QStringLiteral("x"), curve.xName, {}, true},
                          {QStringLiteral("drawn"), tr("Drawn"), curve.unit, true},
                          {QStringLiteral("result"), tr("Result"), curve.unit, true},
                          {QStringLiteral("provenance"), tr("Provenance"), {}, false}};
    FigureLine drawn{tr("drawn"), Role::Accent, 2, true, {}};
    FigureLine measured{provenanceText(curve.provenance).toLower(), Role::Series1, 2, false, {}};
    for (const auto& [x, y] : curve.drawn) {
        drawn.points.append({x, y});
        data.marks.push_back({tr("%1 = %2, drawn %3").arg(curve.xName, axisNumber(x), quantity(y, curve.unit)),
                              {},
                              {x, y},
                              Role::Accent,
                              true,
                              false});
        const auto result = std::ranges::find(curve.measured, x, &std::pair<double, double>::first);
        data.table.rows.push_back(
            {x, y, result == curve.measured.end() ? ChartCell() : ChartCell(result->second),
             result == curve.measured.end() ? ChartCell() : ChartCell(provenanceText(curve.provenance))});
    }
    for (const auto& [x, y] : curve.measured) {
        measured.points.append({x, y});
        data.marks.push_back({tr("%1 = %2, result %3").arg(curve.xName, axisNumber(x), quantity(y, curve.unit)),
                              {},
                              {x, y},
                              Role::Series1,
                              false,
                              false});
    }
    data.lines.push_back(std::move(drawn));
    if (!measured.points.isEmpty())
        data.lines.push_back(std::move(measured));
    data.summary = summaryOf(curve);
    return data;
}

} // namespace ridge::app
