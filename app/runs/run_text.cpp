// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/run_data.h"

#include <algorithm>
#include <set>

namespace ridge::app {
namespace {

QString quoted(const std::string& text)
{
    QString value = QString::fromStdString(text);
    if (value.contains(QLatin1Char(',')) || value.contains(QLatin1Char('"')) || value.contains(QLatin1Char('\n')))
        value = QLatin1Char('"') + value.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
    return value;
}

/// Shortest text that reads back as the same double.
QString exact(double value)
{
    return QString::number(value, 'g', QLocale::FloatingPointShortest);
}

/// A POSIX shell word.
QString word(const std::string& text)
{
    const QString value = QString::fromStdString(text);
    const bool plain = std::all_of(value.begin(), value.end(), [](QChar c) {
        return c.isLetterOrNumber() || QStringLiteral("_-.:=,/+@").contains(c);
    });
    if (plain && !value.isEmpty())
        return value;
    QString escaped = value;
    return QLatin1Char('\'') + escaped.replace(QLatin1Char('\''), QStringLiteral("'\\''")) + QLatin1Char('\'');
}

QString commandFor(const std::vector<const record::RunRow*>& runs)
{
    const record::RunRow& first = *runs.front();
    std::vector<record::RunRow> plain;
    for (const record::RunRow* run : runs)
        plain.push_back(*run);
    const QStringList varied = variedParameters(plain, nullptr);
    QString command = QStringLiteral("ridge run %1 --target %2 --seed %3")
                          .arg(word(first.experiment), word(first.target))
                          .arg(first.seed);
    for (const auto& [name, value] : first.params)
        if (!varied.contains(QString::fromStdString(name)))
            command += QStringLiteral(" --set ") + word(name + '=' + toText(value));
    for (const QString& name : varied) {
        QStringList values;
        for (const record::RunRow* run : runs) {
            const auto value = run->params.find(name.toStdString());
            if (value != run->params.end() && !values.contains(QString::fromStdString(toText(value->second))))
                values << QString::fromStdString(toText(value->second));
        }
        const QString text = name + QLatin1Char('=') + values.join(QLatin1Char(','));
        command += QStringLiteral(" --sweep ") + word(text.toStdString());
    }
    return command;
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

void flatten(const Json& json, const QString& path, std::vector<std::pair<QString, QString>>& rows)
{
    const auto join = [&path](const QString& part) {
        return path.isEmpty() ? part : path + QStringLiteral(" · ") + part;
    };
    if (json.is_object()) {
        for (const auto& [name, value] : json.items()) {
            flatten(value, join(readableName(name)), rows);
        }
    } else if (json.is_array()) {
        QStringList parts;
        for (const Json& item : json)
            parts << QString::fromStdString(item.is_string() ? item.get<std::string>() : item.dump());
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
    json["fingerprint"] = run.fingerprint;
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
    std::map<std::pair<std::string, std::string>, std::vector<const record::RunRow*>> groups;
    std::vector<std::pair<std::string, std::string>> order;
    for (const record::RunRow& run : runs) {
        const auto key = std::make_pair(run.experiment, run.target);
        if (!groups.contains(key))
            order.push_back(key);
        groups[key].push_back(&run);
    }
    QStringList commands;
    for (const auto& key : order) {
        // A command line sweeps a product; runs that are none are listed one by one.
        const auto& group = groups[key];
        std::vector<record::RunRow> plain;
        for (const record::RunRow* run : group)
            plain.push_back(*run);
        if (variedParameters(plain, nullptr).size() <= 1)
            commands << commandFor(group);
        else
            for (const record::RunRow* run : group)
                commands << commandFor({run});
    }
    commands.removeDuplicates();
    return commands;
}

std::vector<std::pair<QString, QString>> readableJson(const Json& json)
{
    std::vector<std::pair<QString, QString>> rows;
    flatten(json, {}, rows);
    return rows;
}

} // namespace ridge::app
