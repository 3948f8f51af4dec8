// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/chart_text.h"

#include "base/json.h"
#include "base/units.h"

#include <QCoreApplication>

namespace ridge::app {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::SweepChart", text);
}

/// What stands at an x: a name, or a number with its unit.
QString xText(const SweepChartData& data, double x)
{
    const auto at = static_cast<qsizetype>(x) - 1;
    return at >= 0 && at < data.xNames.size() ? data.xNames[at] : quantity(x, data.xUnit);
}

QString seriesSentence(const SweepChartData& data, const ChartSeries& series)
{
    const auto [low, high] = std::minmax_element(series.points.begin(), series.points.end(),
                                                 [](const auto& a, const auto& b) { return a.y < b.y; });
    const auto at = [&](const ChartSeries::Point& point) {
        return tr("%1 at %2 = %3").arg(quantity(point.y, data.yUnit), data.xTitle, xText(data, point.x));
    };
    if (series.points.size() == 1)
        return tr("%1 (%2): %3").arg(series.name, provenanceText(series.provenance), at(series.points.front()));
    return tr("%1 (%2, %3 points): lowest %4, highest %5")
        .arg(series.name, provenanceText(series.provenance))
        .arg(series.points.size())
        .arg(at(*low), at(*high));
}

/// Of a prediction, where there are several it could be of.
QString seriesOf(const SweepChartData& data, const ChartPrediction& prediction)
{
    return prediction.series >= 0 && data.series.size() > 1
               ? data.series[static_cast<std::size_t>(prediction.series)].name
               : QString();
}

QString predictionSentence(const SweepChartData& data, const ChartPrediction& prediction)
{
    QString text = tr("%6predicted %1 (80 % interval %2 to %3) at %4 = %5");
    text =
        text.arg(quantity(prediction.point, data.yUnit), quantity(prediction.low, data.yUnit),
                 quantity(prediction.high, data.yUnit), data.xTitle, xText(data, prediction.x),
                 seriesOf(data, prediction).isEmpty() ? QString() : seriesOf(data, prediction) + QStringLiteral(": "));
    if (prediction.result)
        text += tr(", result %1").arg(quantity(*prediction.result, data.yUnit));
    return text;
}

const char* scaleName(ParamScale scale)
{
    return scale == ParamScale::Log2 ? "log2" : scale == ParamScale::List ? "list" : "linear";
}

} // namespace

QStringList axisNames(const ExperimentInfo& info, const std::string& parameter)
{
    QStringList names;
    const ParamSpec* spec = info.parameter(parameter);
    if (spec && spec->type == ParamType::Choice)
        for (const ParamValue& choice : spec->choices)
            names << QString::fromStdString(valueText(*spec, choice));
    return names;
}

QString parameterWords(const ExperimentInfo& info, const std::string& parameter, const ParamValue& value)
{
    const ParamSpec* spec = info.parameter(parameter);
    if (!spec)
        return QStringLiteral("%1 = %2").arg(QString::fromStdString(parameter), QString::fromStdString(toText(value)));
    std::string said = valueText(*spec, value);
    if (!countsThings(spec->unit) && !takesPrefix(spec->unit))
        said += ' ' + spec->unit;
    return QStringLiteral("%1 = %2").arg(inSentence(QString::fromStdString(spec->title)), QString::fromStdString(said));
}

QString provenanceText(Provenance provenance)
{
    const std::string_view text = toText(provenance);
    return QString::fromLatin1(text.data(), static_cast<qsizetype>(text.size()));
}

QString provenancesText(const std::vector<Provenance>& all)
{
    QStringList names;
    for (const Provenance one : all)
        if (const QString name = provenanceText(one); !names.contains(name))
            names << name;
    return names.join(QStringLiteral(", "));
}

QString markedProvenances(const std::vector<Provenance>& all)
{
    QStringList marks;
    for (const Provenance one : all) {
        const QString mark = one == Provenance::Simulated  ? tr("open %1")
                             : one == Provenance::Modelled ? tr("dotted %1")
                                                           : tr("filled %1");
        if (const QString name = mark.arg(provenanceText(one)); !marks.contains(name))
            marks << name;
    }
    return marks.size() < 2 ? provenancesText(all) : marks.join(QStringLiteral(", "));
}

QString asStart(const QString& text)
{
    return text.left(1).toUpper() + text.mid(1);
}

QString inSentence(const QString& title)
{
    const bool name = title.size() > 1 && (title[1].isUpper() || title[1].isDigit());
    return name ? title : title.left(1).toLower() + title.mid(1);
}

QString quantity(double value, const QString& unit)
{
    return unit.isEmpty() || unit == QLatin1String("1")
               ? QString::fromStdString(formatNumber(value))
               : QString::fromStdString(formatQuantity(value, unit.toStdString()));
}

QString titled(const QString& title, const QString& unit)
{
    const bool says = !unit.isEmpty() && unit != QLatin1String("1") && unit != QLatin1String("version");
    return says ? QStringLiteral("%1 (%2)").arg(title, unit) : title;
}

bool isReadInDecades(const QString& unit)
{
    static const QStringList others = {QStringLiteral("s"),  QStringLiteral("ms"), QStringLiteral("µs"),
                                       QStringLiteral("ns"), QStringLiteral("x"),  QStringLiteral("×")};
    return unit.endsWith(QLatin1String("/s")) || others.contains(unit);
}

std::pair<double, QString> axisUnit(double most, const QString& unit)
{
    static const QStringList kPrefixed = {QStringLiteral("s"),    QStringLiteral("B"),      QStringLiteral("B/s"),
                                          QStringLiteral("FLOP"), QStringLiteral("FLOP/s"), QStringLiteral("Hz")};
    static constexpr struct {
        double size;
        const char* prefix;
    } kSizes[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"},  {1e6, "M"}, {1e3, "k"},
                  {1, ""},     {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}};
    if (!kPrefixed.contains(unit) || !(most > 0) || !std::isfinite(most))
        return {1, unit};
    for (const auto& [size, prefix] : kSizes)
        if (most >= size * (1 - 1e-9) && (size <= 1 || unit != QLatin1String("s")))
            return {size, QString::fromUtf8(prefix) + unit};
    return {1e-9, QStringLiteral("n") + unit};
}

QString captioned(const QString& caption, const QString& provenance)
{
    if (caption.isEmpty() || provenance.isEmpty())
        return caption.isEmpty() ? provenance : caption;
    return caption + QStringLiteral(" · ") + provenance;
}

QString limitText(const SweepChartData& data)
{
    if (data.limitTitle.isEmpty())
        return {};
    if (data.limitKind == QLatin1String("upper"))
        return tr("upper limit: %1").arg(data.limitTitle);
    if (data.limitKind == QLatin1String("lower"))
        return tr("lower limit: %1").arg(data.limitTitle);
    return data.limitTitle;
}

QString chartEmptyText(const SweepChartData& data)
{
    if (!data.emptyText.isEmpty())
        return data.emptyText;
    if (data.yTitle.isEmpty() || data.xTitle.isEmpty())
        return tr("The curve appears here as the run fills in.");
    return asStart(tr("%1 over %2 appears here as the run fills in.").arg(data.yTitle, data.xTitle));
}

QString chartSummary(const SweepChartData& data)
{
    QStringList parts;
    for (const ChartSeries& series : data.series)
        if (!series.points.empty())
            parts << seriesSentence(data, series);
    for (const ChartPrediction& prediction : data.predictions)
        parts << predictionSentence(data, prediction);
    if (parts.isEmpty())
        return chartEmptyText(data);
    if (!data.limitTitle.isEmpty() && !data.limitKind.isEmpty())
        parts << limitText(data);
    const QString head = asStart(tr("%1 over %2").arg(data.yTitle, data.xTitle));
    return QStringLiteral("%1: %2.").arg(head, parts.join(QStringLiteral("; ")));
}

QString pointText(const SweepChartData& data, int series, int point)
{
    const ChartSeries& s = data.series.at(static_cast<std::size_t>(series));
    const ChartSeries::Point& p = s.points.at(static_cast<std::size_t>(point));
    return tr("%1 = %2: %3, %4")
        .arg(data.xTitle, xText(data, p.x), quantity(p.y, data.yUnit), provenanceText(s.provenance));
}

ChartTable sweepTable(const SweepChartData& data)
{
    ChartTable table;
    table.kind = QStringLiteral("sweep");
    table.title = data.title;
    table.summary = chartSummary(data);
    table.caption = data.caption;
    table.origin = data.origin;
    table.columns = {{QStringLiteral("series"), tr("Series"), {}, false},
                     {data.xTitle, data.xTitle, data.xUnit, data.xNames.isEmpty()},
                     {data.yTitle, data.yTitle, data.yUnit},
                     {QStringLiteral("provenance"), tr("Provenance"), {}, false},
                     {QStringLiteral("limit"), tr("Limit"), {}},
                     {QStringLiteral("low"), tr("80 % from"), {}},
                     {QStringLiteral("high"), tr("80 % to"), {}}};
    const ChartCell none;
    const auto x = [&](double at) { return data.xNames.isEmpty() ? ChartCell(at) : ChartCell(xText(data, at)); };
    for (const ChartSeries& series : data.series)
        for (const ChartSeries::Point& point : series.points)
            table.rows.push_back({series.name, x(point.x), point.y, provenanceText(series.provenance),
                                  point.limit ? ChartCell(*point.limit) : none, none, none});
    for (const ChartPrediction& p : data.predictions)
        table.rows.push_back(
            {seriesOf(data, p).isEmpty() ? tr("prediction") : tr("prediction, %1").arg(seriesOf(data, p)), x(p.x),
             p.point, tr("PREDICTED"), none, p.low, p.high});
    return table;
}

Json chartJson(const SweepChartData& data)
{
    Json json;
    json["kind"] = "sweep-chart";
    json["title"] = data.title.toStdString();
    const auto axis = [](const QString& title, const QString& unit, ParamScale scale) {
        return Json{{"title", title.toStdString()}, {"unit", unit.toStdString()}, {"scale", scaleName(scale)}};
    };
    json["x"] = axis(data.xTitle, data.xUnit, data.xScale);
    json["y"] = axis(data.yTitle, data.yUnit, data.yScale);
    for (const QString& name : data.xNames)
        json["x"]["names"].push_back(name.toStdString());
    json["series"] = Json::array();
    for (const ChartSeries& series : data.series) {
        Json points = Json::array();
        for (const ChartSeries::Point& p : series.points)
            points.push_back(p.limit ? Json{p.x, p.y, *p.limit} : Json{p.x, p.y});
        json["series"].push_back(
            {{"name", series.name.toStdString()}, {"provenance", toText(series.provenance)}, {"points", points}});
    }
    json["limit"] = limitText(data).toStdString();
    json["predictions"] = Json::array();
    for (const ChartPrediction& p : data.predictions)
        json["predictions"].push_back({{"x", p.x},
                                       {"point", p.point},
                                       {"low", p.low},
                                       {"high", p.high},
                                       {"result", p.result ? Json(*p.result) : Json()}});
    json["caption"] = data.caption.toStdString();
    json["summary"] = chartSummary(data).toStdString();
    return json;
}

} // namespace ridge::app
