// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/school_sql.h"

#include <QSqlQuery>
#include <filesystem>
#include <map>
#include <memory>

namespace ridge::record {

/// Where a class's rows are: a folder with a SQLite file, or a schema of a PostgreSQL database.
struct SchoolPlace {
    std::filesystem::path folder; ///< of the class; also where its files are
    std::string database = {};    ///< "postgresql://user@host:5432/name"; empty: SQLite in the folder
    std::string schema = {};      ///< on PostgreSQL, "class_spring_2027"; letters, digits and underscores
};

/// One connection to either database, of the thread that opened it. As Connection, without what only SQLite has.
class SchoolDatabase {
public:
    /// Connects and brings the schema up to date in one transaction; with `readOnly` none is made where there is none.
    /// The password of a server comes from PGPASSWORD or ~/.pgpass, never from the address. Errors: "bad-database" (the
    /// address, or a password in it), "driver-missing", "store-missing" (read-only, nothing there), "store-newer", and
    /// those of schoolSqlError.
    static Result<std::unique_ptr<SchoolDatabase>> open(const SchoolPlace& place, bool readOnly = false);
    ~SchoolDatabase();
    SchoolDatabase(const SchoolDatabase&) = delete;
    SchoolDatabase& operator=(const SchoolDatabase&) = delete;

    SqlDialect dialect() const { return m_dialect; }
    const std::string& place() const { return m_place; }

    /// As Connection's; marks are '?'.
    Result<QSqlQuery> query(const QString& sql, const QVariantList& values = {});
    Result<void> exec(const QString& sql, const QVariantList& values = {});
    Result<int> execPrepared(const QString& sql, const QVariantList& values);
    Result<QVariant> value(const QString& sql, const QVariantList& values = {});

    /// Runs `work` between begin and commit; rolls back where it fails.
    Result<void> transaction(const std::function<Result<void>()>& work);

private:
    SchoolDatabase(QString name, SqlDialect dialect, std::string place, QString schema);
    Result<void> connect(const SchoolPlace& place);
    Result<void> migrate(bool readOnly);
    Result<int> versionOf(const char* table);

    QString m_name;
    SqlDialect m_dialect;
    std::string m_place;
    QString m_schema;
    std::map<QString, QSqlQuery> m_prepared;
    std::vector<QSqlQuery> m_broken; ///< until the transaction is over
};

} // namespace ridge::record
