// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <QSqlQuery>
#include <QVariant>
#include <filesystem>
#include <map>
#include <memory>

namespace ridge::record {

/// One SQLite connection. It belongs to the thread that opened it, as Qt Sql demands, and is closed with the object.
/// Every error names `place`: the path a person knows, which for a snapshot is not the file that is open.
class Connection {
public:
    /// Immutable: as ReadOnly, and without the files beside it that SQLite otherwise makes to read a WAL database. Only
    /// for one that nobody has open and that has no log.
    enum class Mode { ReadWrite, ReadOnly, Immutable };

    static Result<std::unique_ptr<Connection>> open(const std::filesystem::path& file, Mode mode,
                                                    std::string place = {});
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// Executes and hands the result set over; it must be gone before the connection is.
    Result<QSqlQuery> query(const QString& sql, const QVariantList& values = {});
    Result<void> exec(const QString& sql, const QVariantList& values = {});
    /// exec for a statement that is repeated: prepared once. Gives the number of rows it changed.
    Result<int> execPrepared(const QString& sql, const QVariantList& values);
    /// First column of the first row; a null variant where there is no row.
    Result<QVariant> value(const QString& sql, const QVariantList& values = {});

    const std::string& place() const { return m_place; }

private:
    Connection(QString name, std::string place);
    QString m_name;
    std::string m_place;
    std::map<QString, QSqlQuery> m_prepared;
};

/// What SQLite reports in the words of the store: "disk-full", "store-readonly", "store-damaged", "store-locked",
/// "bad-row", "store-error".
Error sqlError(const QSqlError& error, const std::string& place);

/// Text that is never a null string, which Qt Sql would store as NULL. Bytes are taken as UTF-8.
QString sqlText(std::string_view text);

/// Rolls back when it goes out of scope uncommitted.
class Transaction {
public:
    /// Takes the write lock at once, so that two writers cannot both read and then fail to upgrade.
    static Result<Transaction> begin(Connection& connection);
    ~Transaction();
    Transaction(Transaction&& other) noexcept : m_connection(std::exchange(other.m_connection, nullptr)) {}
    Transaction& operator=(Transaction&&) = delete;
    Result<void> commit();

private:
    explicit Transaction(Connection& connection) : m_connection(&connection) {}
    Connection* m_connection;
};

} // namespace ridge::record
