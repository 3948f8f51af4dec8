// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/merge.h"

#include "record/digests.h"
#include "record/sqlite.h"

#include <QHash>
#include <QSqlError>

namespace ridge::record {

namespace {

/// In an order in which nothing refers to a later one.
const QStringList kTables{QStringLiteral("file"),
                          QStringLiteral("prediction"),
                          QStringLiteral("run"),
                          QStringLiteral("reason"),
                          QStringLiteral("answer"),
                          QStringLiteral("artifact"),
                          QStringLiteral("artifact_prediction"),
                          QStringLiteral("artifact_run"),
                          QStringLiteral("artifact_file"),
                          QStringLiteral("note"),
                          QStringLiteral("tag"),
                          QStringLiteral("journal"),
                          QStringLiteral("reproduction"),
                          QStringLiteral("outcome"),
                          QStringLiteral("review")};

QStringList columnsOfTable(const QString& table)
{
    if (table == QLatin1String("file"))
        return {QStringLiteral("sha256"), QStringLiteral("bytes")};
    if (table.startsWith(QLatin1String("artifact_"))) {
        QStringList columns{QStringLiteral("artifact_id"), QStringLiteral("position")};
        if (table == QLatin1String("artifact_file"))
            columns << QStringLiteral("name") << QStringLiteral("sha256");
        else
            columns << table.mid(9) + QStringLiteral("_id");
        return columns;
    }
    return stampedColumns(table);
}

/// Closes the attached database also when the merge fails half-way.
class Attached {
public:
    static Result<std::unique_ptr<Attached>> open(Connection& connection, const std::filesystem::path& file)
    {
        auto done =
            connection.exec(QStringLiteral("ATTACH DATABASE ? AS other"), {QString::fromStdString(file.string())});
        if (!done)
            return done.error();
        return std::make_unique<Attached>(connection);
    }
    explicit Attached(Connection& connection) : m_connection(connection) {}
    ~Attached() { static_cast<void>(m_connection.exec(QStringLiteral("DETACH DATABASE other"))); }
    Attached(const Attached&) = delete;
    Attached& operator=(const Attached&) = delete;

private:
    Connection& m_connection;
};

Result<int> copyFiles(Connection& connection, const ContentFiles& own, const ContentFiles& others)
{
    auto rows = connection.query(QStringLiteral("SELECT sha256 FROM other.file"));
    if (!rows)
        return rows.error();
    int copied = 0;
    while (rows->next()) {
        const std::string sha256 = rows->value(0).toString().toStdString();
        if (own.get(sha256))
            continue;
        // A file that the other store has lost does not keep its rows from being merged; verify() names it.
        auto bytes = others.get(sha256);
        if (!bytes)
            continue;
        if (auto put = own.put(*bytes); !put)
            return put.error();
        ++copied;
    }
    return copied;
}

Result<std::pair<int, int>> copyRows(Connection& connection, const QString& table)
{
    auto total = connection.value(QStringLiteral("SELECT COUNT(*) FROM other.%1").arg(table));
    if (!total)
        return total.error();
    const QString columns = columnsOfTable(table).join(QLatin1String(", "));
    // "WHERE true" because SQLite would otherwise read ON as part of a join.
    auto done = connection.query(
        QStringLiteral("INSERT INTO main.%1 (%2) SELECT %2 FROM other.%1 WHERE true ON CONFLICT DO NOTHING")
            .arg(table, columns));
    if (!done)
        return done.error();
    const int added = done->numRowsAffected();
    return std::pair(added, total->toInt() - added);
}

} // namespace

Result<MergeReport> mergeSnapshot(Connection& connection, const ContentFiles& files,
                                  const std::filesystem::path& snapshot, const std::filesystem::path& otherFolder)
{
    auto attached = Attached::open(connection, snapshot);
    if (!attached)
        return attached.error();
    if (auto sound = checkDigests(connection, QStringLiteral("other"), otherFolder.string()); !sound)
        return sound.error();
    MergeReport report;
    auto copied = copyFiles(connection, files, ContentFiles(otherFolder / "files"));
    if (!copied)
        return copied.error();
    report.files = *copied;
    auto transaction = Transaction::begin(connection);
    if (!transaction)
        return transaction.error();
    const QHash<QString, int*> counters{{QStringLiteral("prediction"), &report.predictions},
                                        {QStringLiteral("run"), &report.runs},
                                        {QStringLiteral("reason"), &report.reasons},
                                        {QStringLiteral("answer"), &report.answers},
                                        {QStringLiteral("artifact"), &report.artifacts},
                                        {QStringLiteral("note"), &report.notes},
                                        {QStringLiteral("tag"), &report.tags},
                                        {QStringLiteral("journal"), &report.journal},
                                        {QStringLiteral("reproduction"), &report.reproductions},
                                        {QStringLiteral("outcome"), &report.outcomes},
                                        {QStringLiteral("review"), &report.reviews}};
    for (const QString& table : kTables) {
        auto counts = copyRows(connection, table);
        if (!counts)
            return counts.error();
        if (int* counter = counters.value(table)) {
            *counter = counts->first;
            report.already += counts->second;
        }
    }
    if (auto committed = transaction->commit(); !committed)
        return committed.error();
    return report;
}

} // namespace ridge::record
