// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/files/content_files.h"
#include "record/row_codec.h"
#include "record/sqlite.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace ridge::record {

/// The place in the store's own sequence: what the next row gets.
struct Tail {
    std::int64_t seq = 0; ///< of the newest own row
    QString digest;       ///< of the newest own row
};

/// What a job may do inside the writer's transaction.
class WriteContext {
public:
    WriteContext(Connection& connection, const ContentFiles& files, QString origin, Tail tail)
        : m_connection(connection), m_files(files), m_origin(std::move(origin)), m_tail(std::move(tail))
    {
    }

    /// Fills in what the stamp leaves open and inserts. Error "bad-row".
    Result<void> insertRow(const QString& kind, Stamp& stamp, const Columns& columns);
    /// Makes the bytes durable and their name known to the database.
    Result<std::string> putFile(std::string_view bytes);
    /// A row of a table that carries no stamp: what an artifact is made of.
    Result<void> insertLink(const QString& table, const Columns& columns);
    const Tail& tail() const { return m_tail; }
    void setTail(Tail tail) { m_tail = std::move(tail); }

private:
    Connection& m_connection;
    const ContentFiles& m_files;
    QString m_origin;
    Tail m_tail;
};

/// One row or file on its way to the disk.
struct WriteJob {
    QString kind;                                             ///< for Store::changed; empty for a file
    std::function<Result<void>(WriteContext&)> insert;        ///< writer thread; may run twice if a shared commit fails
    std::function<void(const std::optional<Error>&)> resolve; ///< writer thread, after the commit
    std::function<void(const std::optional<Error>&)> deliver; ///< owner's thread, after resolve; may be empty
};

/// Reads the newest own row. Cheap: one index look-up a table.
Result<Tail> readTail(Connection& connection, const QString& origin);

/// The one thread that writes. What has queued up is committed together, so that a burst costs one fsync; a row that
/// breaks a rule fails alone.
class Writer {
public:
    struct Setup {
        std::filesystem::path folder;
        QString origin;
        std::chrono::milliseconds backupEvery{std::chrono::hours(1)};
        std::function<void(std::vector<std::function<void()>>)> post; ///< runs these on the owner's thread, in order
        std::function<void(const QString&)> changed, failed;          ///< called through post
    };
    explicit Writer(Setup setup);
    ~Writer(); ///< commits what is queued

    void submit(WriteJob job);
    /// Runs alone between two commits, after everything submitted before; the caller waits.
    void runAlone(const std::function<void(Connection&)>& task);
    void flush();
    int pending() const;

private:
    struct Item {
        std::optional<WriteJob> job;
        std::function<void(Connection*)> task;
    };
    using Outcomes = std::vector<std::optional<Error>>;

    void loop();
    bool takeItems(std::vector<Item>& items);
    void work(Connection* connection, const std::optional<Error>& broken, std::vector<Item>& items);
    Outcomes commit(Connection& connection, std::span<Item> items);
    Outcomes commitTogether(Connection& connection, std::span<Item> items);
    void report(std::span<Item> items, const Outcomes& outcomes);
    void backupWhenDue(Connection& connection);
    void backUp(Connection& connection);

    Setup m_setup;
    ContentFiles m_files;
    std::chrono::steady_clock::time_point m_lastBackup = std::chrono::steady_clock::now();
    mutable std::mutex m_mutex;
    std::condition_variable m_wake, m_idle;
    std::deque<Item> m_queue;
    std::uint64_t m_submitted = 0, m_done = 0;
    bool m_stop = false;
    std::thread m_thread; // last: it uses everything above
};

} // namespace ridge::record
