// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/sqlite.h"

#include <QSqlDatabase>
#include <QSqlError>
#include <QUrl>
#include <atomic>

namespace ridge::record {

namespace {

// Result codes of https://www.sqlite.org/rescode.html; Qt hands them over as numbers in text.
enum SqliteCode {
    Perm = 3,
    Busy = 5,
    Locked = 6,
    ReadOnly = 8,
    IoError = 10,
    Corrupt = 11,
    Full = 13,
    CantOpen = 14,
    Constraint = 19,
    Auth = 23,
    NotADatabase = 26,
};
enum SqliteIoCode {
    IoWrite = 10 | (3 << 8),
    IoFsync = 10 | (4 << 8),
    IoTruncate = 10 | (6 << 8),
    IoShmSize = 10 | (19 << 8),
    IoShortRead = 10 | (2 << 8),
    IoCorruptFs = 10 | (33 << 8),
};

bool writeRefused(int code)
{
    return code == IoWrite || code == IoFsync || code == IoTruncate || code == IoShmSize;
}

Error diskFull(const std::string& place, const std::string& text)
{
    return {"disk-full", "The record could not be written, the disk refused it (" + text + ")", place,
            "Free space on this disk, or raise your quota, and try again; everything stored before is safe"};
}

Error damaged(const std::string& place, const std::string& text)
{
    return {"store-damaged", "The record's database is damaged (" + text + ")", place,
            "Run `ridge store restore`; the damaged file is kept in damaged/"};
}

} // namespace

Error sqlError(const QSqlError& error, const std::string& place)
{
    const int code = error.nativeErrorCode().toInt();
    const std::string text = (error.databaseText().isEmpty() ? error.driverText() : error.databaseText()).toStdString();
    switch (code & 0xff) {
    case Full:
        return diskFull(place, text);
    case Perm:
    case Auth:
    case ReadOnly:
        return {"store-readonly", "The record cannot be written (" + text + ")", place,
                "Make the folder and the files in it writable for you, or choose another folder with RIDGE_HOME"};
    case CantOpen:
        return {"store-readonly", "The record's database cannot be opened (" + text + ")", place,
                "Check that the folder exists and that you may read and write it, or choose another with RIDGE_HOME"};
    case Busy:
    case Locked:
        return {"store-locked", "Another program is writing this record (" + text + ")", place,
                "Close the other program and try again"};
    case Constraint:
        return {"bad-row", "The row breaks a rule of the store (" + text + ")", place, "This row was not stored"};
    case Corrupt:
    case NotADatabase:
        return damaged(place, text);
    case IoError:
        if (writeRefused(code))
            return diskFull(place, text);
        if (code == IoShortRead || code == IoCorruptFs)
            return damaged(place, text);
        break;
    default:
        // A schema format in the header that there is not. SQLite has no code for it, and says it in each statement.
        if (text.find("unsupported file format") != std::string::npos)
            return damaged(place, text);
        break;
    }
    return {"store-error", "The record's database reports: " + text + " (SQLite code " + std::to_string(code) + ")",
            place, "Try again; if it stays, run `ridge doctor`"};
}

QString sqlText(std::string_view text)
{
    return text.empty() ? QStringLiteral("") : QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

Connection::Connection(QString name, std::string place) : m_name(std::move(name)), m_place(std::move(place)) {}

Connection::~Connection()
{
    m_prepared.clear();
    // The handle has to be gone before removeDatabase, hence the inner scope.
    {
        QSqlDatabase database = QSqlDatabase::database(m_name, false);
        database.close();
    }
    QSqlDatabase::removeDatabase(m_name);
}

Result<std::unique_ptr<Connection>> Connection::open(const std::filesystem::path& file, Mode mode, std::string place)
{
    static std::atomic<unsigned> counter{0};
    if (place.empty())
        place = file.string();
    const QString name = QStringLiteral("ridge-record-%1").arg(counter++);
    std::unique_ptr<Connection> connection(new Connection(name, std::move(place)));
    QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), name);
    if (!database.isValid())
        return Error{"store-error", "Qt's SQLite driver is not installed", connection->place(),
                     "Install the package libqt6sql6-sqlite"};
    QString target = QString::fromStdString(file.string());
    QString options = QStringLiteral("QSQLITE_BUSY_TIMEOUT=5000");
    if (mode != Mode::ReadWrite)
        options += QStringLiteral(";QSQLITE_OPEN_READONLY");
    if (mode == Mode::Immutable) {
        options += QStringLiteral(";QSQLITE_OPEN_URI");
        target = QUrl::fromLocalFile(target).toString(QUrl::FullyEncoded) + QStringLiteral("?immutable=1");
    }
    database.setDatabaseName(target);
    database.setConnectOptions(options);
    if (!database.open())
        return sqlError(database.lastError(), connection->place());
    // Append-only triggers must also see the deletion inside INSERT OR REPLACE, which SQLite hides otherwise.
    for (const char* pragma : {"PRAGMA foreign_keys = ON", "PRAGMA recursive_triggers = ON"}) {
        if (auto done = connection->exec(QLatin1String(pragma)); !done)
            return done.error();
    }
    return connection;
}

Result<QSqlQuery> Connection::query(const QString& sql, const QVariantList& values)
{
    QSqlQuery query(QSqlDatabase::database(m_name, false));
    query.setForwardOnly(true);
    if (!query.prepare(sql))
        return sqlError(query.lastError(), m_place);
    for (const QVariant& value : values)
        query.addBindValue(value);
    if (!query.exec())
        return sqlError(query.lastError(), m_place);
    return query;
}

Result<void> Connection::exec(const QString& sql, const QVariantList& values)
{
    auto done = query(sql, values);
    if (!done)
        return done.error();
    return {};
}

Result<int> Connection::execPrepared(const QString& sql, const QVariantList& values)
{
    auto found = m_prepared.find(sql);
    if (found == m_prepared.end()) {
        QSqlQuery fresh(QSqlDatabase::database(m_name, false));
        if (!fresh.prepare(sql))
            return sqlError(fresh.lastError(), m_place);
        found = m_prepared.emplace(sql, std::move(fresh)).first;
    }
    QSqlQuery& statement = found->second;
    for (int i = 0; i < values.size(); ++i)
        statement.bindValue(i, values[i]);
    if (!statement.exec()) {
        const Error error = sqlError(statement.lastError(), m_place);
        m_prepared.erase(found);
        return error;
    }
    const int changed = statement.numRowsAffected();
    statement.finish();
    return changed;
}

Result<QVariant> Connection::value(const QString& sql, const QVariantList& values)
{
    auto rows = query(sql, values);
    if (!rows)
        return rows.error();
    if (rows->next())
        return rows->value(0);
    if (rows->lastError().isValid())
        return sqlError(rows->lastError(), m_place);
    return QVariant();
}

Result<Transaction> Transaction::begin(Connection& connection)
{
    if (auto begun = connection.exec(QStringLiteral("BEGIN IMMEDIATE")); !begun)
        return begun.error();
    return Transaction(connection);
}

Transaction::~Transaction()
{
    // SQLite ends the transaction itself after some errors; then there is nothing left to roll back.
    if (m_connection)
        static_cast<void>(m_connection->exec(QStringLiteral("ROLLBACK")));
}

Result<void> Transaction::commit()
{
    if (auto committed = m_connection->exec(QStringLiteral("COMMIT")); !committed)
        return committed.error();
    m_connection = nullptr;
    return {};
}

} // namespace ridge::record
