// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/record/school_sql.h"

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
    /// `steps`: what a test opens an older class with.
    static Result<std::unique_ptr<SchoolDatabase>> open(const SchoolPlace& place, bool readOnly = false,
                                                        const std::vector<Migration>& steps = schoolMigrations());
    ~SchoolDatabase();
    SchoolDatabase(const SchoolDatabase&) = delete;
    SchoolDatabase& operator=(const SchoolDatabase&) = delete;

    SqlDialect dialect() const { return m_dialect; }
    const std::string& place() const { return m_place; }

    /// As Connection's; marks are '?'. On PostgreSQL a query with values is three round trips.
    Result<QSqlQuery> query(const QString& sql, const QVariantList& values = {});
    Result<void> exec(const QString& sql, const QVariantList& values = {});
    Result<QVariant> value(const QString& sql, const QVariantList& values = {});

    /// A query that is asked again and again: prepared once, one round trip each time. `row` sees every row; an error
    /// of its own ends the reading.
    Result<void> each(const QString& sql, const QVariantList& values,
                      const std::function<Result<void>(const QSqlQuery&)>& row);
    /// Inserts rows of one table, `values` in the order of `columns`, and gives how many were added; those that a key
    /// says are there already are passed over. On PostgreSQL one round trip for all of them: the server takes a JSON
    /// array apart by the table's own types. SQLite, where nothing travels, gets one prepared statement a row.
    Result<int> insertMissing(const QString& table, const QStringList& columns,
                              const std::vector<QVariantList>& values);

    /// When a transaction's rows are on the disk: before it is reported as done, or with the next one that says so.
    enum class Durable { AtOnce, WithNext };
    /// Runs `work` between begin and commit; rolls back where it fails.
    Result<void> transaction(Durable durable, const std::function<Result<void>()>& work);
    /// Statements sent so far; on PostgreSQL each is a round trip.
    int statements() const { return m_statements; }

private:
    SchoolDatabase(QString name, SqlDialect dialect, std::string place, QString schema);
    Result<void> connect(const SchoolPlace& place);
    Result<void> migrate(bool readOnly, const std::vector<Migration>& steps);
    Result<int> versionOf(const char* table);
    /// The prepared statement for `sql` with these values, executed; `finish` it.
    Result<QSqlQuery*> execPrepared(const QString& sql, const QVariantList& values);

    QString m_name;
    SqlDialect m_dialect;
    std::string m_place;
    QString m_schema;
    std::map<QString, QSqlQuery> m_prepared;
    std::vector<QSqlQuery> m_broken; ///< until the transaction is over
    int m_statements = 0;
};

} // namespace ridge::record
