// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/table/run_data.h"

#include "app/drawing/charts/chart_table.h"
#include "base/json.h"
#include "base/units.h"
#include "record/rerun.h"

#include <algorithm>
#include <set>

namespace ridge::app {
namespace {

QString quoted(const std::string& text)
{
    return csvField(QString::fromStdString(text));
}

/// Shortest text that reads back as the same double.
QString exact(double value)
{
    return QString::number(value, 'g', QLocale::FloatingPointShortest);
}

} // namespace

QString readableName(const std::string& name)
{
    QStringList words = QString::fromStdString(name).split(QLatin1Char('_'), Qt::SkipEmptyParts);
    const QStringList letters =
        QStringLiteral("cpu gpu os ram ptx sm smem l1 l2 cuda id ecc mig hbm nvrtc nvcc").split(QLatin1Char(' '));
    for (QString& word : words) {
        if (letters.contains(word))
            word = word.toUpper();
        else if (word == QLatin1String("gib"))
            word = QStringLiteral("(GiB)");
    }
    QString text = words.join(QLatin1Char(' '));
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

namespace {

/// "clock_hz" is the clock, in Hz: a number of ten digits is no clock that anybody reads.
std::pair<std::string, std::string> unitInName(const std::string& name)
{
    for (const auto& [end, unit] : {std::pair("_hz", "Hz"), std::pair("_bytes", "B")})
        if (name.ends_with(end))
            return {name.substr(0, name.size() - std::string_view(end).size()), unit};
    return {name, {}};
}

void flatten(const Json& json, const QString& path, std::vector<std::pair<QString, QString>>& rows)
{
    const auto join = [&path](const QString& part) {
        return path.isEmpty() ? part : path + QStringLiteral(" · ") + part;
    };
    if (json.is_object()) {
        for (const auto& [name, value] : json.items()) {
            const auto [bare, unit] = value.is_number() ? unitInName(name) : std::pair(name, std::string());
            if (!unit.empty())
                rows.emplace_back(join(readableName(bare)),
                                  QString::fromStdString(formatQuantity(value.get<double>(), unit)));
            else
                flatten(value, join(readableName(name)), rows);
        }
    } else if (json.is_array()) {
        QStringList parts;
        for (const Json& item : json)
            parts << QString::fromStdString(item.is_string() ? item.get<std::string>() : item.dump());
        if (!parts.isEmpty()) // a run without kernels has nothing to say about them
            rows.emplace_back(path, parts.join(QStringLiteral(", ")));
    } else if (!json.is_null()) {
        rows.emplace_back(path, QString::fromStdString(json.is_string() ? json.get<std::string>() : json.dump()));
    }
}

} // namespace

QString runsToCsv(std::span<const record::RunRow> runs)
{
    std::set<std::string> params;
    std::map<std::string, std::string> metrics;
    for (const record::RunRow& run : runs) {
        for (const auto& [name, value] : run.params)
            params.insert(name);
        for (const auto& [name, value] : run.metrics)
            metrics.emplace(name, value.unit);
    }
    QStringList header = {QStringLiteral("run"),     QStringLiteral("created_at"), QStringLiteral("experiment"),
                          QStringLiteral("version"), QStringLiteral("target"),     QStringLiteral("provenance"),
                          QStringLiteral("seed")};
    for (const std::string& name : params)
        header << quoted(name);
    for (const auto& [name, unit] : metrics)
        header << quoted(unit.empty() ? name : name + " [" + unit + "]");
    header << QStringLiteral("validity") << QStringLiteral("status");

    QStringList lines{header.join(QLatin1Char(','))};
    for (const record::RunRow& run : runs) {
        QStringList cells = {quoted(run.id),           quoted(run.createdAt),
                             quoted(run.experiment),   QString::number(run.version),
                             quoted(run.target),       quoted(std::string(toText(run.provenance))),
                             QString::number(run.seed)};
        for (const std::string& name : params) {
            const auto value = run.params.find(name);
            cells << (value == run.params.end() ? QString() : quoted(toText(value->second)));
        }
        for (const auto& [name, unit] : metrics) {
            const auto value = run.metrics.find(name);
            cells << (value == run.metrics.end() ? QString() : exact(value->second.value));
        }
        cells << quoted(run.validity) << quoted(run.status);
        lines << cells.join(QLatin1Char(','));
    }
    return lines.join(QStringLiteral("\r\n")) + QStringLiteral("\r\n");
}

Json runToJson(const record::RunRow& run)
{
    Json json;
    json["id"] = run.id;
    json["created_at"] = run.createdAt;
    json["experiment"] = run.experiment;
    json["version"] = run.version;
    json["target"] = run.target;
    json["provenance"] = std::string(toText(run.provenance));
    json["seed"] = run.seed;
    json["params"] = toJson(run.params);
    json["metrics"] = metricsToJson(run.metrics);
    json["limits"] = limitsToJson(run.limits);
    json["checks"] = checksToJson(run.checks);
    json["validity"] = run.validity;
    json["status"] = run.status;
    if (run.error)
        json["error"] = toJson(*run.error);
    if (!run.lesson.empty())
        json["lesson"] = run.lesson;
    if (!run.sweepId.empty())
        json["sweep"] = run.sweepId;
    json["fingerprint"] = *run.fingerprint;
    return json;
}

Json runsToJson(std::span<const record::RunRow> runs)
{
    Json list = Json::array();
    for (const record::RunRow& run : runs)
        list.push_back(runToJson(run));
    return Json{{"runs", std::move(list)}};
}

QStringList rerunCommands(std::span<const record::RunRow> runs)
{
    QStringList commands;
    for (const std::string& command : record::rerunCommands(runs))
        commands << QString::fromStdString(command);
    return commands;
}

std::vector<std::pair<QString, QString>> readableJson(const Json& json)
{
    std::vector<std::pair<QString, QString>> rows;
    flatten(json, {}, rows);
    return rows;
}

} // namespace ridge::app
