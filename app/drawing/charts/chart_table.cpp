// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/chart_table.h"

#include "app/drawing/charts/chart_text.h"
#include "base/json.h"

#include <QCoreApplication>
#include <cmath>

namespace ridge::app {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::ChartTable", text);
}

/// The shortest text that reads back as the same number.
QString exactNumber(double value)
{
    const QString twelve = QString::number(value, 'g', 12);
    return twelve.toDouble() == value ? twelve : QString::number(value, 'g', 17);
}

QString exactCell(const ChartCell& cell)
{
    if (const double* number = std::get_if<double>(&cell))
        return exactNumber(*number);
    const QString* text = std::get_if<QString>(&cell);
    return text ? *text : QString();
}

QString readableCell(const ChartCell& cell)
{
    if (const double* number = std::get_if<double>(&cell))
        return quantity(*number, {});
    const QString* text = std::get_if<QString>(&cell);
    return text ? *text : QString();
}

QString csvLine(QStringList fields)
{
    for (QString& field : fields)
        field = csvField(field);
    return fields.join(QLatin1Char(',')) + QLatin1Char('\n');
}

std::vector<std::size_t> usedColumns(const ChartTable& table)
{
    std::vector<std::size_t> used;
    for (std::size_t column = 0; column < table.columns.size(); ++column)
        if (table.used(column))
            used.push_back(column);
    return used;
}

} // namespace

QString csvQuoted(QString text)
{
    return QLatin1Char('"') + text.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

QString csvField(const QString& text)
{
    const bool special =
        text.contains(QLatin1Char(',')) || text.contains(QLatin1Char('"')) || text.contains(QLatin1Char('\n'));
    return special ? csvQuoted(text) : text;
}

QString markdownCell(QString text)
{
    return text.replace(QLatin1Char('|'), QStringLiteral("\\|")).replace(QLatin1Char('\n'), QLatin1Char(' '));
}

QString originText(const ChartOrigin& origin)
{
    QStringList parts;
    if (!origin.where.isEmpty())
        parts << origin.where;
    if (origin.n > 0)
        parts << QStringLiteral("n = %1").arg(origin.n);
    if (!origin.verdict.isEmpty())
        parts << origin.verdict;
    return parts.join(QStringLiteral(" · "));
}

QString fingerprintText(const JsonValue& fingerprint)
{
    if (!fingerprint->is_object())
        return {};
    QStringList parts;
    const auto add = [&](const Json& from, const char* key, const QString& prefix = {}) {
        if (!from.is_object() || !from.contains(key))
            return;
        const Json& value = from.at(key);
        parts << prefix + QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
    };
    const Json& all = *fingerprint;
    if (all.contains("target")) {
        const Json& target = all.at("target");
        add(target, "name");
        add(target, "chip", QStringLiteral("simulated "));
        add(target, "title", QStringLiteral("simulated "));
        add(target, "driver", QStringLiteral("driver "));
        add(target, "cuda", QStringLiteral("CUDA "));
    }
    if (all.contains("kernels") && all.at("kernels").is_array() && !all.at("kernels").empty()) {
        const Json& kernel = all.at("kernels").front();
        if (kernel.is_object())
            parts << QString::fromStdString(kernel.value("compiler", std::string()) + ' ' +
                                            kernel.value("version", std::string()) + ' ' +
                                            kernel.value("arch", std::string()))
                         .simplified();
    }
    add(all, "cpu");
    add(all, "os");
    add(all, "app", QStringLiteral("Ridgepoint "));
    // What was laid over the chart from other machines goes with it wherever it goes.
    if (all.contains("recorded") && all.at("recorded").is_object())
        for (const auto& [id, card] : all.at("recorded").items())
            if (card.is_object())
                parts << QStringLiteral("recorded on ") +
                             QString::fromStdString(card.value("machine", id) + " (" +
                                                    card.value("source", std::string()) + ")");
    return parts.join(QStringLiteral(" · "));
}

bool ChartTable::used(std::size_t column) const
{
    return std::any_of(rows.begin(), rows.end(),
                       [&](const auto& row) { return !std::holds_alternative<std::monostate>(row[column]); });
}

QString tableCsv(const ChartTable& table)
{
    QStringList head, tail, tailHead;
    for (const ChartColumn& column : table.columns)
        head << titled(column.key, column.unit);
    const auto origin = [&](const char* key, const QString& value) {
        if (value.isEmpty())
            return;
        tailHead << QLatin1String(key);
        tail << value;
    };
    origin("target", table.origin.where);
    origin("n", table.origin.n > 0 ? QString::number(table.origin.n) : QString());
    origin("verdict", table.origin.verdict);
    origin("fingerprint", fingerprintText(table.origin.fingerprint));
    QString text = csvLine(head + tailHead);
    for (const auto& row : table.rows) {
        QStringList fields;
        for (const ChartCell& cell : row)
            fields << exactCell(cell);
        text += csvLine(fields + tail);
    }
    return text;
}

QString tableMarkdown(const ChartTable& table)
{
    QString text;
    if (!table.title.isEmpty())
        text += QStringLiteral("**%1**\n\n").arg(table.title);
    text += table.summary + QStringLiteral("\n\n");
    const auto used = usedColumns(table);
    if (!used.empty()) {
        QString heads = QStringLiteral("|"), rule = QStringLiteral("|");
        for (const std::size_t column : used) {
            const ChartColumn& c = table.columns[column];
            heads += QStringLiteral(" %1 |").arg(markdownCell(titled(c.title, c.unit)));
            rule += QLatin1String(c.numeric ? " ---: |" : " --- |");
        }
        text += heads + QLatin1Char('\n') + rule + QLatin1Char('\n');
        for (const auto& row : table.rows) {
            text += QLatin1Char('|');
            for (const std::size_t column : used)
                text += QStringLiteral(" %1 |").arg(markdownCell(readableCell(row[column])));
            text += QLatin1Char('\n');
        }
        text += QLatin1Char('\n');
    }
    if (!table.caption.isEmpty())
        text += QStringLiteral("*%1*\n").arg(table.caption);
    if (const QString machine = fingerprintText(table.origin.fingerprint); !machine.isEmpty())
        text += QStringLiteral("\n%1 %2\n").arg(tr("Fingerprint:"), machine);
    return text;
}

QString tableHtml(const ChartTable& table)
{
    QString text = QStringLiteral("<table><tr>");
    const auto used = usedColumns(table);
    for (const std::size_t column : used)
        text += QStringLiteral("<th>%1</th>")
                    .arg(titled(table.columns[column].title, table.columns[column].unit).toHtmlEscaped());
    text += QStringLiteral("</tr>");
    for (const auto& row : table.rows) {
        text += QStringLiteral("<tr>");
        for (const std::size_t column : used)
            text += QStringLiteral("<td>%1</td>").arg(readableCell(row[column]).toHtmlEscaped());
        text += QStringLiteral("</tr>");
    }
    return text + QStringLiteral("</table>");
}

Json tableJson(const ChartTable& table)
{
    Json json;
    json["kind"] = table.kind.toStdString();
    json["title"] = table.title.toStdString();
    json["summary"] = table.summary.toStdString();
    json["caption"] = table.caption.toStdString();
    json["columns"] = Json::array();
    for (const ChartColumn& column : table.columns)
        json["columns"].push_back({{"name", column.key.toStdString()}, {"unit", column.unit.toStdString()}});
    json["rows"] = Json::array();
    for (const auto& row : table.rows) {
        Json cells = Json::array();
        for (const ChartCell& cell : row) {
            if (const double* number = std::get_if<double>(&cell))
                cells.push_back(std::isfinite(*number) ? Json(*number) : Json());
            else if (const QString* words = std::get_if<QString>(&cell))
                cells.push_back(words->toStdString());
            else
                cells.push_back(Json());
        }
        json["rows"].push_back(std::move(cells));
    }
    json["origin"] = {{"target", table.origin.where.toStdString()},
                      {"n", table.origin.n},
                      {"verdict", table.origin.verdict.toStdString()},
                      {"fingerprint", *table.origin.fingerprint}};
    return json;
}

} // namespace ridge::app
