// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/writer.h"

#include "base/hash.h"
#include "record/backups.h"
#include "record/clock.h"

#include <QSqlError>

namespace ridge::record {

namespace {

constexpr std::size_t kBatch = 512;

const QString kMark = QStringLiteral("SAVEPOINT row_mark");
const QString kUndo = QStringLiteral("ROLLBACK TO row_mark");
const QString kKeep = QStringLiteral("RELEASE row_mark");

/// After these nothing more fits or can be trusted: the whole transaction is over.
bool endsTransaction(const Error& error)
{
    return error.code != "bad-row" && error.code != "file-damaged";
}

/// SQLite says only that a foreign key failed; this says which.
Error explain(Error error, const QString& kind, const Columns& columns)
{
    if (error.code != "bad-row" || error.message.find("FOREIGN KEY") == std::string::npos)
        return error;
    std::string references;
    for (const Column& column : columns) {
        const std::string_view name = column.name;
        if ((name.ends_with("_id") || name.ends_with("sha256")) && name != "sweep_id" && !column.value.isNull())
            references +=
                (references.empty() ? "" : ", ") + std::string(name) + " " + column.value.toString().toStdString();
    }
    error.message = "The " + kind.toStdString() + " refers to something this store does not have (" + references + ")";
    error.fix = "Store what it refers to first";
    return error;
}

} // namespace

Result<Tail> readTail(Connection& connection, const QString& origin)
{
    Tail tail;
    for (const QString& kind : rowKinds()) {
        auto rows = connection.query(
            QStringLiteral("SELECT seq, digest FROM %1 WHERE origin = ? ORDER BY seq DESC LIMIT 1").arg(kind),
            {origin});
        if (!rows)
            return rows.error();
        if (rows->next() && rows->value(0).toLongLong() > tail.seq)
            tail = {rows->value(0).toLongLong(), rows->value(1).toString()};
        if (rows->lastError().isValid())
            return sqlError(rows->lastError(), connection.place());
    }
    return tail;
}

Result<void> WriteContext::insertRow(const QString& kind, Stamp& stamp, const Columns& columns)
{
    if (stamp.id.isEmpty())
        stamp.id = QString::fromStdString(newUuid7());
    if (stamp.createdAt.isEmpty())
        stamp.createdAt = timeStamp();
    if (stamp.origin.isEmpty())
        stamp.origin = m_origin;
    const bool own = stamp.origin == m_origin;
    if (own == (stamp.seq != 0))
        return Error{"bad-row",
                     own ? "A row of this store's own already has a seq" : "A row of another store has no seq",
                     kind.toStdString() + ".seq", "Only rows of other stores carry a seq"};
    if (own) {
        stamp.seq = m_tail.seq + 1;
        stamp.previous = m_tail.digest;
    }
    if (stamp.previous.isNull())
        stamp.previous = sqlText({});
    const QString digest = rowDigest(kind, stamp, columns);
    const RowInsert insert = insertOf(kind, stamp, digest, columns);
    if (auto inserted = m_connection.execPrepared(insert.sql, insert.values); !inserted)
        return explain(inserted.error(), kind, columns);
    if (own)
        m_tail = {stamp.seq, digest};
    return {};
}

Result<std::string> WriteContext::putFile(std::string_view bytes)
{
    auto sha256 = m_files.put(bytes);
    if (!sha256)
        return sha256;
    auto named = m_connection.execPrepared(
        QStringLiteral("INSERT INTO file (sha256, bytes) VALUES (?, ?) ON CONFLICT (sha256) DO NOTHING"),
        {QString::fromStdString(*sha256), static_cast<qlonglong>(bytes.size())});
    if (!named)
        return named.error();
    return sha256;
}

Result<void> WriteContext::insertLink(const QString& table, const Columns& columns)
{
    QStringList names;
    QVariantList values;
    for (const Column& column : columns) {
        names << QLatin1String(column.name);
        values << column.value;
    }
    if (auto done = m_connection.execPrepared(insertInto(table, names), values); !done)
        return explain(done.error(), QStringLiteral("artifact"), columns);
    return {};
}

Writer::Writer(Setup setup) : m_setup(std::move(setup)), m_files(m_setup.folder / "files")
{
    m_thread = std::thread([this] { loop(); });
}

Writer::~Writer()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stop = true;
    }
    m_wake.notify_all();
    m_thread.join();
}

void Writer::submit(WriteJob job)
{
    {
        const std::lock_guard lock(m_mutex);
        m_queue.push_back({std::move(job), {}});
        ++m_submitted;
    }
    m_wake.notify_all();
}

void Writer::runAlone(const std::function<void(Connection&)>& task)
{
    std::uint64_t mine = 0;
    {
        const std::lock_guard lock(m_mutex);
        m_queue.push_back({{}, [&task](Connection* connection) {
                               if (connection)
                                   task(*connection);
                           }});
        mine = ++m_submitted;
    }
    m_wake.notify_all();
    std::unique_lock lock(m_mutex);
    m_idle.wait(lock, [&] { return m_done >= mine; });
}

void Writer::flush()
{
    std::unique_lock lock(m_mutex);
    const std::uint64_t target = m_submitted;
    m_idle.wait(lock, [&] { return m_done >= target; });
}

int Writer::pending() const
{
    const std::lock_guard lock(m_mutex);
    return static_cast<int>(m_submitted - m_done);
}

bool Writer::takeItems(std::vector<Item>& items)
{
    std::unique_lock lock(m_mutex);
    m_wake.wait(lock, [this] { return m_stop || !m_queue.empty(); });
    while (!m_queue.empty() && items.size() < kBatch) {
        const bool alone = !m_queue.front().job.has_value();
        if (alone && !items.empty())
            break;
        items.push_back(std::move(m_queue.front()));
        m_queue.pop_front();
        if (alone)
            break;
    }
    return !items.empty();
}

void Writer::loop()
{
    auto connection = Connection::open(m_setup.folder / kDatabaseName, Connection::Mode::ReadWrite);
    std::optional<Error> broken;
    if (!connection)
        broken = connection.error();
    else if (auto sure = (*connection)->exec(QStringLiteral("PRAGMA synchronous = FULL")); !sure)
        broken = sure.error();
    if (!broken && backupIsDue(**connection, m_setup.folder, m_setup.backupEvery, QDateTime::currentDateTimeUtc()))
        backUp(**connection);
    std::vector<Item> items;
    while (takeItems(items)) {
        work(broken ? nullptr : connection->get(), broken, items);
        const std::size_t done = items.size();
        items.clear(); // before anybody is told: flush() means that nothing of the caller's is held any more
        const std::lock_guard lock(m_mutex);
        m_done += done;
        m_idle.notify_all();
    }
}

void Writer::work(Connection* connection, const std::optional<Error>& broken, std::vector<Item>& items)
{
    if (!items.front().job) {
        items.front().task(connection);
        return;
    }
    report(items, broken ? Outcomes(items.size(), broken) : commit(*connection, items));
    if (connection)
        backupWhenDue(*connection);
}

Writer::Outcomes Writer::commit(Connection& connection, std::span<Item> items)
{
    Outcomes outcomes = commitTogether(connection, items);
    const bool allFailed =
        std::all_of(outcomes.begin(), outcomes.end(), [](const auto& outcome) { return outcome.has_value(); });
    if (!allFailed || items.size() == 1)
        return outcomes;
    // One large row may have been what did not fit; the others get their own chance.
    for (std::size_t i = 0; i < items.size(); ++i)
        outcomes[i] = commitTogether(connection, items.subspan(i, 1)).front();
    return outcomes;
}

Writer::Outcomes Writer::commitTogether(Connection& connection, std::span<Item> items)
{
    const auto all = [&](const Error& error) { return Outcomes(items.size(), error); };
    auto tail = readTail(connection, m_setup.origin);
    if (!tail)
        return all(tail.error());
    auto transaction = Transaction::begin(connection);
    if (!transaction)
        return all(transaction.error());
    WriteContext context(connection, m_files, m_setup.origin, *tail);
    Outcomes outcomes;
    for (const Item& item : items) {
        const Tail before = context.tail();
        if (auto marked = connection.execPrepared(kMark, {}); !marked)
            return all(marked.error());
        const Result<void> inserted = item.job->insert(context);
        if (!inserted && endsTransaction(inserted.error()))
            return all(inserted.error());
        if (!inserted) {
            if (auto undone = connection.execPrepared(kUndo, {}); !undone)
                return all(undone.error());
            context.setTail(before);
        }
        if (auto kept = connection.execPrepared(kKeep, {}); !kept)
            return all(kept.error());
        outcomes.push_back(inserted ? std::nullopt : std::optional<Error>(inserted.error()));
    }
    if (auto committed = transaction->commit(); !committed)
        return all(committed.error());
    return outcomes;
}

void Writer::report(std::span<Item> items, const Outcomes& outcomes)
{
    std::vector<std::function<void()>> posts;
    QStringList changed;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const WriteJob& job = *items[i].job;
        const std::optional<Error>& outcome = outcomes[i];
        job.resolve(outcome);
        if (job.deliver)
            posts.push_back([deliver = job.deliver, outcome] { deliver(outcome); });
        if (outcome)
            posts.push_back([this, text = QString::fromStdString(toText(*outcome))] { m_setup.failed(text); });
        else if (!job.kind.isEmpty() && !changed.contains(job.kind))
            changed << job.kind;
    }
    for (const QString& kind : changed)
        posts.push_back([this, kind] { m_setup.changed(kind); });
    if (!posts.empty())
        m_setup.post(std::move(posts));
}

void Writer::backupWhenDue(Connection& connection)
{
    if (std::chrono::steady_clock::now() - m_lastBackup >= m_setup.backupEvery)
        backUp(connection);
}

void Writer::backUp(Connection& connection)
{
    m_lastBackup = std::chrono::steady_clock::now();
    if (auto written = writeBackup(connection, m_setup.folder, "hourly"); !written)
        m_setup.post({[this, text = QString::fromStdString(toText(written.error()))] { m_setup.failed(text); }});
    else
        thinBackups(m_setup.folder, QDateTime::currentDateTimeUtc());
}

} // namespace ridge::record
