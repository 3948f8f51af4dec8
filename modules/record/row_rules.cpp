// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/row_rules.h"

#include "base/json.h"
#include "record/schema.h"

#include <QHash>
#include <set>

namespace ridge::record {

namespace {

/// Lists of ids that become rows of artifact_prediction and artifact_run, which have foreign keys.
QString listedKind(const QString& kind, const QByteArray& column)
{
    if (kind != QLatin1String("artifact"))
        return {};
    if (column == "prediction_ids")
        return QStringLiteral("prediction");
    return column == "run_ids" ? QStringLiteral("run") : QString();
}

} // namespace

Result<std::vector<ColumnRule>> columnRules(Connection& connection, const QString& kind)
{
    auto sql =
        connection.value(QStringLiteral("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?"), {kind});
    if (!sql)
        return sql.error();
    auto info = connection.query(QStringLiteral("SELECT name, type, \"notnull\" FROM pragma_table_info(?)"), {kind});
    if (!info)
        return info.error();
    QHash<QString, ColumnRule> found;
    while (info->next()) {
        ColumnRule rule;
        const QString name = info->value(0).toString(), type = info->value(1).toString();
        rule.name = name.toLatin1();
        rule.type = type == QLatin1String("INTEGER") ? ColumnRule::Type::Integer
                    : type == QLatin1String("REAL")  ? ColumnRule::Type::Real
                                                     : ColumnRule::Type::Text;
        rule.nullable = info->value(2).toInt() == 0;
        rule.json = sql->toString().contains(QStringLiteral("json_valid(%1)").arg(name));
        found.insert(name, rule);
    }
    auto keys = connection.query(QStringLiteral("SELECT \"from\", \"table\" FROM pragma_foreign_key_list(?)"), {kind});
    if (!keys)
        return keys.error();
    while (keys->next())
        if (const QString to = keys->value(1).toString(); rowKinds().contains(to))
            found[keys->value(0).toString()].references = to;
    std::vector<ColumnRule> rules;
    for (const QString& column : contentColumns(kind)) {
        if (!found.contains(column))
            return Error{"store-damaged", "The table " + kind.toStdString() + " has no " + column.toStdString(),
                         connection.place(), "Restore a backup"};
        rules.push_back(found.value(column));
    }
    return rules;
}

const char* columnName(const QString& kind, const QByteArray& name)
{
    static const QHash<QString, std::set<QByteArray>> names = [] {
        QHash<QString, std::set<QByteArray>> all;
        for (const QString& each : rowKinds())
            for (const QString& column : contentColumns(each))
                all[each].insert(column.toLatin1());
        return all;
    }();
    return names.constFind(kind)->find(name)->constData();
}

QString referencedKind(const QString& kind, const ColumnRule& rule)
{
    return rule.references.isEmpty() ? listedKind(kind, rule.name) : rule.references;
}

QStringList referencedIds(const QString& kind, const ColumnRule& rule, const QVariant& value)
{
    if (value.isNull())
        return {};
    if (!rule.references.isEmpty())
        return {value.toString()};
    if (listedKind(kind, rule.name).isEmpty())
        return {};
    QStringList ids;
    if (const auto list = parseJson(value.toString().toStdString(), rule.name.toStdString()))
        for (const Json& id : *list)
            if (id.is_string())
                ids << QString::fromStdString(id.get<std::string>());
    return ids;
}

Result<std::unique_ptr<Connection>> emptyTables()
{
    auto connection = Connection::open(":memory:", Connection::Mode::ReadWrite);
    if (!connection)
        return connection.error();
    QStringList statements{QStringLiteral("PRAGMA foreign_keys = OFF")};
    for (const Migration& step : migrations())
        for (const QString& sql : step.statements)
            if (sql.startsWith(QLatin1String("CREATE TABLE ")) || sql.startsWith(QLatin1String("ALTER TABLE ")))
                statements << sql;
    for (const QString& sql : statements)
        if (auto done = (*connection)->exec(sql); !done)
            return done.error();
    return connection;
}

} // namespace ridge::record
