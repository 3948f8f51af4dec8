// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/lost_files.h"

#include "record/clock.h"
#include "record/sqlite.h"

#include <QSqlError>
#include <map>

namespace ridge::record {

namespace {

const QString kKey = QStringLiteral("lost-file:");

} // namespace

Result<std::set<std::string>> notedLostFiles(Connection& connection)
{
    auto rows = connection.query(QStringLiteral("SELECT key FROM meta WHERE key LIKE 'lost-file:%'"));
    if (!rows)
        return rows.error();
    std::set<std::string> names;
    while (rows->next())
        names.insert(rows->value(0).toString().mid(kKey.size()).toStdString());
    if (rows->lastError().isValid())
        return sqlError(rows->lastError(), connection.place());
    return names;
}

Result<void> noteLostFiles(Connection& connection, const std::vector<LostFile>& lost)
{
    for (const LostFile& file : lost) {
        auto noted =
            connection.exec(QStringLiteral("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING"),
                            {kKey + QString::fromStdString(file.name), timeStamp()});
        if (!noted)
            return noted;
    }
    return {};
}

Result<void> nameRowsOf(Connection& connection, const QString& schema, std::vector<LostFile>& lost)
{
    if (lost.empty())
        return {};
    std::map<std::string, LostFile*> byName;
    for (LostFile& file : lost)
        byName[file.name] = &file;
    for (const char* sql : {"SELECT trace_sha256, 'run ' || id FROM %1.run WHERE trace_sha256 IS NOT NULL",
                            "SELECT DISTINCT sha256, 'artifact ' || artifact_id FROM %1.artifact_file"}) {
        auto rows = connection.query(QString::fromLatin1(sql).arg(schema));
        if (!rows)
            return rows.error();
        while (rows->next())
            if (const auto file = byName.find(rows->value(0).toString().toStdString()); file != byName.end())
                file->second->rows.push_back(rows->value(1).toString().toStdString());
        if (rows->lastError().isValid())
            return sqlError(rows->lastError(), connection.place());
    }
    return {};
}

std::string textOf(const LostFile& lost)
{
    constexpr std::size_t kMost = 10;
    std::string rows;
    for (std::size_t i = 0; i < std::min(lost.rows.size(), kMost); ++i)
        rows += (i == 0 ? "" : ", ") + lost.rows[i];
    if (lost.rows.size() > kMost)
        rows += " and " + std::to_string(lost.rows.size() - kMost) + " more";
    return lost.fault.message + (rows.empty() ? " (no row names it)" : " (" + rows + ")") + ": " + lost.fault.place;
}

} // namespace ridge::record
