// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/merge.h"

#include "record/digests.h"
#include "record/lost_files.h"
#include "record/sqlite.h"

#include <QHash>
#include <QSqlError>

namespace ridge::record {

namespace {

/// In an order in which nothing refers to a later one.
const QStringList kTables{
    QStringLiteral("prediction"),   QStringLiteral("run"),           QStringLiteral("reason"),
    QStringLiteral("answer"),       QStringLiteral("artifact"),      QStringLiteral("artifact_prediction"),
    QStringLiteral("artifact_run"), QStringLiteral("artifact_file"), QStringLiteral("note"),
    QStringLiteral("tag"),          QStringLiteral("journal"),       QStringLiteral("reproduction"),
    QStringLiteral("outcome"),      QStringLiteral("review")};

QStringList columnsOfTable(const QString& table)
{
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

/// A row of the other store's table `file`, with the size that the file has.
struct FileRow {
    QString name;
    qlonglong bytes = 0;
};

struct FilesTaken {
    std::vector<FileRow> rows;
    std::vector<LostFile> lost; ///< neither store has them
    int copied = 0, misnamed = 0;
};

/// Nothing that belongs to a row is written here: a file that no row names is only bytes.
Result<FilesTaken> takeFiles(Connection& connection, const ContentFiles& own, const ContentFiles& others)
{
    auto rows = connection.query(QStringLiteral("SELECT sha256, bytes FROM other.file"));
    if (!rows)
        return rows.error();
    FilesTaken taken;
    std::vector<LostFile> misnamed;
    while (rows->next()) {
        const QString name = rows->value(0).toString();
        const std::string sha256 = name.toStdString();
        const qlonglong size = rows->value(1).toLongLong();
        if (!isSha256(sha256)) {
            misnamed.push_back({sha256, {}, {}});
            continue;
        }
        if (const auto here = own.get(sha256)) {
            taken.rows.push_back({name, static_cast<qlonglong>(here->size())});
            continue;
        }
        auto bytes = others.get(sha256, static_cast<std::uintmax_t>(std::max(size, 0LL)));
        if (!bytes) {
            taken.lost.push_back({sha256, bytes.error(), {}});
            taken.rows.push_back({name, size});
            continue;
        }
        if (auto put = own.put(*bytes); !put)
            return put.error();
        taken.rows.push_back({name, static_cast<qlonglong>(bytes->size())});
        ++taken.copied;
    }
    if (rows->lastError().isValid())
        return sqlError(rows->lastError(), connection.place());
    if (auto named = nameRowsOf(connection, QStringLiteral("other"), taken.lost); !named)
        return named.error();
    if (auto named = nameRowsOf(connection, QStringLiteral("other"), misnamed); !named)
        return named.error();
    for (const LostFile& file : misnamed)
        if (!file.rows.empty())
            return Error{"store-damaged",
                         "The " + file.rows.front() + " names a file that is no SHA-256 ('" + file.name + "')",
                         {},
                         "Such a row was not made by Ridgepoint: nothing was merged"};
    taken.misnamed = static_cast<int>(misnamed.size());
    return taken;
}

Result<void> insertFileRows(Connection& connection, const FilesTaken& taken)
{
    for (const FileRow& row : taken.rows) {
        auto named = connection.execPrepared(
            QStringLiteral("INSERT INTO main.file (sha256, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING"),
            {row.name, row.bytes});
        if (!named)
            return named.error();
    }
    return noteLostFiles(connection, taken.lost);
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
    auto taken = takeFiles(connection, files, ContentFiles(otherFolder / "files"));
    if (!taken) {
        Error error = taken.error();
        if (error.place.empty())
            error.place = otherFolder.string();
        return error;
    }
    report.files = taken->copied;
    report.misnamedFiles = taken->misnamed;
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
    if (auto named = insertFileRows(connection, *taken); !named)
        return named.error();
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
    report.lost = std::move(taken->lost);
    return report;
}

} // namespace ridge::record
