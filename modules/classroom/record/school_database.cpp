// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/record/school_database.h"

#include "base/json.h"
#include "record/backups.h"
#include "record/clock.h"

#include <QRegularExpression>
#include <QSqlDatabase>
#include <QSqlError>
#include <QUrl>
#include <atomic>

namespace ridge::record {
namespace {

Error badDatabase(const std::string& message, const std::string& place, const std::string& fix)
{
    return {"bad-database", message, place, fix};
}

/// Checked, because it becomes part of statements, where no mark can stand for it.
bool isSchemaName(const QString& name)
{
    static const QRegularExpression legal(QStringLiteral("^[a-z_][a-z0-9_]{0,62}$"));
    return legal.match(name).hasMatch();
}

Result<void> configure(QSqlDatabase& database, const SchoolPlace& place)
{
    const QUrl url(QString::fromStdString(place.database), QUrl::StrictMode);
    const std::string form = "Write it as postgresql://user@host/database";
    if (!url.isValid() || (url.scheme() != QLatin1String("postgresql") && url.scheme() != QLatin1String("postgres")) ||
        url.path().size() < 2 || url.host().isEmpty())
        return badDatabase("This is no address of a PostgreSQL database", place.database, form);
    if (!url.password().isEmpty())
        return badDatabase("The address holds a password", url.toString(QUrl::RemovePassword).toStdString(),
                           "Leave it out and put it into PGPASSWORD or ~/.pgpass");
    if (!isSchemaName(QString::fromStdString(place.schema)))
        return badDatabase("'" + place.schema + "' is no name of a schema", place.database,
                           "Use letters, digits and underscores");
    database.setHostName(url.host());
    database.setPort(url.port(5432));
    database.setUserName(url.userName());
    database.setDatabaseName(url.path().mid(1));
    database.setConnectOptions(QStringLiteral("connect_timeout=10"));
    return {};
}

} // namespace

SchoolDatabase::SchoolDatabase(QString name, SqlDialect dialect, std::string place, QString schema)
    : m_name(std::move(name)), m_dialect(dialect), m_place(std::move(place)), m_schema(std::move(schema))
{
}

SchoolDatabase::~SchoolDatabase()
{
    m_prepared.clear();
    m_broken.clear();
    {
        QSqlDatabase database = QSqlDatabase::database(m_name, false);
        database.close();
    }
    QSqlDatabase::removeDatabase(m_name);
}

Result<std::unique_ptr<SchoolDatabase>> SchoolDatabase::open(const SchoolPlace& place, bool readOnly,
                                                             const std::vector<Migration>& steps)
{
    static std::atomic<unsigned> counter{0};
    const bool sqlite = place.database.empty();
    const std::filesystem::path file = place.folder / kDatabaseName;
    const QString name = QStringLiteral("ridge-school-%1").arg(counter++);
    const QString driver = sqlite ? QStringLiteral("QSQLITE") : QStringLiteral("QPSQL");
    const std::string shown =
        sqlite ? file.string()
               : QUrl(QString::fromStdString(place.database)).toString(QUrl::RemovePassword).toStdString();
    std::error_code ec;
    if (sqlite && readOnly && !std::filesystem::exists(file, ec))
        return Error{"store-missing", "There is no class here", shown, "Make one with ridge class new"};
    if (!QSqlDatabase::isDriverAvailable(driver))
        return Error{"driver-missing", "Qt's driver for this database is not installed", shown,
                     sqlite ? "Install the package libqt6sql6-sqlite" : "Install the package libqt6sql6-psql"};
    QSqlDatabase::addDatabase(driver, name);
    std::unique_ptr<SchoolDatabase> school(new SchoolDatabase(name, sqlite ? SqlDialect::Sqlite : SqlDialect::Postgres,
                                                              shown, QString::fromStdString(place.schema)));
    if (auto connected = school->connect(place); !connected)
        return connected.error();
    const QStringList settings =
        sqlite ? QStringList{QStringLiteral("PRAGMA journal_mode = WAL"),
                             // What a power cut takes, the next collection brings: the files are still there. So
                             // the disk need not be waited for at every import, only at a checkpoint, and these are
                             // 64 MiB apart.
                             QStringLiteral("PRAGMA synchronous = NORMAL"),
                             QStringLiteral("PRAGMA wal_autocheckpoint = 16384"),
                             QStringLiteral("PRAGMA cache_size = -65536"), QStringLiteral("PRAGMA foreign_keys = ON"),
                             QStringLiteral("PRAGMA recursive_triggers = ON")}
               : QStringList{QStringLiteral("SET client_min_messages = warning"),
                             QStringLiteral("SET search_path = %1").arg(school->m_schema)};
    for (const QString& setting : settings)
        if (auto done = school->exec(setting); !done)
            return done.error();
    if (auto migrated = school->migrate(readOnly, steps); !migrated)
        return migrated.error();
    return school;
}

Result<void> SchoolDatabase::connect(const SchoolPlace& place)
{
    QSqlDatabase database = QSqlDatabase::database(m_name, false);
    if (m_dialect == SqlDialect::Sqlite) {
        std::error_code ec;
        std::filesystem::create_directories(place.folder, ec);
        database.setDatabaseName(QString::fromStdString((place.folder / kDatabaseName).string()));
        database.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=5000"));
    } else if (auto configured = configure(database, place); !configured) {
        return configured;
    }
    if (!database.open())
        return schoolSqlError(database.lastError(), m_dialect, m_place);
    return {};
}

Result<int> SchoolDatabase::versionOf(const char* table)
{
    const QString name = QLatin1String(table);
    auto there = m_dialect == SqlDialect::Sqlite
                     ? value(QStringLiteral("SELECT COUNT(*) FROM sqlite_schema WHERE name = ?"), {name})
                     : value(QStringLiteral("SELECT COUNT(*) FROM information_schema.tables"
                                            " WHERE table_schema = ? AND table_name = ?"),
                             {m_schema, name});
    if (!there)
        return there.error();
    if (there->toInt() == 0)
        return 0;
    auto version = value(QStringLiteral("SELECT MAX(version) FROM %1").arg(name));
    if (!version)
        return version.error();
    return version->toInt();
}

Result<void> SchoolDatabase::migrate(bool readOnly, const std::vector<Migration>& own)
{
    struct Part {
        const char* table;
        const std::vector<Migration>& steps;
        int version = 0;
    };
    Part parts[] = {{"schema_version", migrations()}, {"school_version", own}};
    bool behind = false;
    for (Part& part : parts) {
        const auto version = versionOf(part.table);
        if (!version)
            return version.error();
        part.version = *version;
        if (*version > part.steps.back().version)
            return newerStore(m_place, *version, part.steps.back().version);
        behind = behind || *version < part.steps.back().version;
    }
    if (!behind)
        return {};
    if (readOnly && parts[0].version == 0)
        return Error{"store-missing", "There is no class here", m_place, "Make one with ridge class new"};
    if (m_dialect == SqlDialect::Postgres)
        if (auto made = exec(QStringLiteral("CREATE SCHEMA IF NOT EXISTS %1").arg(m_schema)); !made)
            return made;
    return transaction(Durable::AtOnce, [&]() -> Result<void> {
        for (const QString& sql : setUpStatements(m_dialect))
            if (auto done = exec(sql); !done)
                return done;
        for (const Part& part : parts) {
            // Asked again under the lock: another program may have been first.
            const auto version = versionOf(part.table);
            if (!version)
                return version.error();
            for (const Migration& step : part.steps) {
                if (step.version <= *version)
                    continue;
                for (const QString& statement : step.statements) {
                    const QString sql = inDialect(statement, m_dialect);
                    if (sql.isEmpty())
                        continue;
                    if (auto done = exec(sql); !done)
                        return done;
                }
                auto noted = exec(
                    QStringLiteral("INSERT INTO %1 (version, applied_at) VALUES (?, ?)").arg(QLatin1String(part.table)),
                    {step.version, timeStamp()});
                if (!noted)
                    return noted;
            }
        }
        return {};
    });
}

Result<QSqlQuery> SchoolDatabase::query(const QString& sql, const QVariantList& values)
{
    QSqlQuery query(QSqlDatabase::database(m_name, false));
    query.setForwardOnly(true);
    m_statements += values.isEmpty() ? 1 : 3; // prepared, executed, forgotten
    // Without values nothing has to be prepared, and PostgreSQL prepares no schema statements.
    const bool done = values.isEmpty() ? query.exec(sql) : query.prepare(sql);
    if (!done)
        return schoolSqlError(query.lastError(), m_dialect, m_place);
    if (values.isEmpty())
        return query;
    for (const QVariant& value : values)
        query.addBindValue(value);
    if (!query.exec())
        return schoolSqlError(query.lastError(), m_dialect, m_place);
    return query;
}

Result<void> SchoolDatabase::exec(const QString& sql, const QVariantList& values)
{
    auto done = query(sql, values);
    if (!done)
        return done.error();
    return {};
}

Result<QSqlQuery*> SchoolDatabase::execPrepared(const QString& sql, const QVariantList& values)
{
    auto found = m_prepared.find(sql);
    if (found == m_prepared.end()) {
        QSqlQuery fresh(QSqlDatabase::database(m_name, false));
        fresh.setForwardOnly(true);
        ++m_statements;
        if (!fresh.prepare(sql))
            return schoolSqlError(fresh.lastError(), m_dialect, m_place);
        found = m_prepared.emplace(sql, std::move(fresh)).first;
    }
    QSqlQuery& statement = found->second;
    for (int i = 0; i < values.size(); ++i)
        statement.bindValue(i, values[i]);
    ++m_statements;
    if (!statement.exec()) {
        const Error error = schoolSqlError(statement.lastError(), m_dialect, m_place);
        // PostgreSQL frees a statement only outside the transaction that it broke.
        m_broken.push_back(std::move(found->second));
        m_prepared.erase(found);
        return error;
    }
    return &statement;
}

Result<void> SchoolDatabase::each(const QString& sql, const QVariantList& values,
                                  const std::function<Result<void>(const QSqlQuery&)>& row)
{
    auto statement = execPrepared(sql, values);
    if (!statement)
        return statement.error();
    Result<void> done;
    while (done && (*statement)->next())
        done = row(**statement);
    if (done && (*statement)->lastError().isValid())
        done = schoolSqlError((*statement)->lastError(), m_dialect, m_place);
    (*statement)->finish();
    return done;
}

Result<int> SchoolDatabase::insertMissing(const QString& table, const QStringList& columns,
                                          const std::vector<QVariantList>& values)
{
    if (values.empty())
        return 0;
    const QString sql = insertMissingStatement(table, columns, m_dialect);
    int added = 0;
    const auto insert = [&](const QVariantList& bound) -> Result<void> {
        auto statement = execPrepared(sql, bound);
        if (!statement)
            return statement.error();
        added += (*statement)->numRowsAffected();
        (*statement)->finish();
        return {};
    };
    std::span<const QVariantList> left = values;
    while (!left.empty()) {
        Result<void> done;
        if (m_dialect == SqlDialect::Postgres) {
            done = insert({rowsAsJson(columns, left)});
        } else {
            done = insert(left.front());
            left = left.subspan(1);
        }
        if (!done)
            return done.error();
    }
    return added;
}

Result<QVariant> SchoolDatabase::value(const QString& sql, const QVariantList& values)
{
    auto rows = query(sql, values);
    if (!rows)
        return rows.error();
    if (rows->next())
        return rows->value(0);
    if (rows->lastError().isValid())
        return schoolSqlError(rows->lastError(), m_dialect, m_place);
    return QVariant();
}

Result<void> SchoolDatabase::transaction(Durable durable, const std::function<Result<void>()>& work)
{
    for (const QString& sql : beginStatements(m_dialect, m_schema, durable == Durable::AtOnce))
        if (auto begun = exec(sql); !begun) {
            static_cast<void>(exec(QStringLiteral("ROLLBACK")));
            return begun;
        }
    Result<void> done = work();
    if (done)
        done = exec(QStringLiteral("COMMIT"));
    if (!done)
        static_cast<void>(exec(QStringLiteral("ROLLBACK"))); // the first error is the one that tells
    m_broken.clear();
    return done;
}

} // namespace ridge::record
