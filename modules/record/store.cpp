// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/store.h"

#include "record/backups.h"
#include "record/digests.h"
#include "record/merge.h"
#include "record/store_private.h"

#include <QPointer>
#include <QPromise>
#include <QSqlError>
#include <QThread>

namespace ridge::record {

namespace fs = std::filesystem;

Store::Store(std::unique_ptr<Private> opened) : d(std::move(opened)) {}

Store::~Store()
{
    // The writer's connection goes last and folds the log into the database.
    d->reader.reset();
    d->writer.reset();
}

Result<std::unique_ptr<Store>> Store::open(const fs::path& folder)
{
    return open(folder, OpenOptions{});
}

Result<std::unique_ptr<Store>> Store::open(const fs::path& folder, const OpenOptions& options)
{
    auto opened = openForWriting(folder, options);
    if (!opened)
        return opened.error();
    auto state = std::make_unique<Private>(folder);
    state->origin = opened->origin;
    state->notice = opened->notice;
    state->steps = options.migrations;
    state->lock = std::move(opened->lock);
    state->reader = std::move(opened->connection);
    std::unique_ptr<Store> store(new Store(std::move(state)));

    Writer::Setup setup;
    setup.folder = folder;
    setup.origin = opened->origin;
    setup.backupEvery = options.backupEvery;
    Store* const self = store.get();
    setup.changed = [self](const QString& kind) { Q_EMIT self->changed(kind); };
    setup.failed = [self](const QString& message) { Q_EMIT self->writeFailed(message); };
    setup.post = [self](std::vector<std::function<void()>> posts) {
        bool first = false;
        {
            const std::lock_guard lock(self->d->mutex);
            first = self->d->posts.empty();
            std::move(posts.begin(), posts.end(), std::back_inserter(self->d->posts));
        }
        if (!first)
            return;
        const auto run = [self] {
            std::vector<std::function<void()>> due;
            {
                const std::lock_guard lock(self->d->mutex);
                due.swap(self->d->posts);
            }
            const QPointer<Store> alive(self);
            for (const auto& post : due) {
                post();
                if (!alive)
                    return;
            }
        };
        QMetaObject::invokeMethod(self, run, Qt::QueuedConnection);
    };
    store->d->writer = std::make_unique<Writer>(std::move(setup));
    return store;
}

Result<std::unique_ptr<Store>> Store::openReadOnly(const fs::path& folder)
{
    auto opened = openForReading(folder, OpenOptions{});
    if (!opened)
        return opened.error();
    auto state = std::make_unique<Private>(folder);
    state->origin = opened->origin;
    state->snapshot = std::move(opened->snapshot);
    state->reader = std::move(opened->connection);
    return std::unique_ptr<Store>(new Store(std::move(state)));
}

Result<fs::path> Store::restoreBackup(const fs::path& folder, const fs::path& backup)
{
    auto lock = lockStore(folder, false);
    if (!lock)
        return lock.error();
    return replaceByBackup(folder, backup);
}

fs::path Store::folder() const
{
    return d->folder;
}

bool interrupted()
{
    return QThread::currentThread()->isInterruptionRequested();
}

Error stoppedReading(const std::string& place)
{
    return {"stopped", "The record was not read to its end, because its reader was asked to stop", place,
            "Read it again"};
}

std::string Store::origin() const
{
    return d->origin.toStdString();
}

bool Store::readOnly() const
{
    return !d->writer;
}

std::optional<Error> Store::notice() const
{
    return d->notice;
}

Result<MergeReport> Store::mergeFrom(const fs::path& otherFolder)
{
    if (!d->writer)
        return readOnlyStore(d->folder);
    auto snapshot = Snapshot::take(otherFolder, d->steps);
    if (!snapshot)
        return snapshot.error();
    Result<MergeReport> report =
        Error{"store-error", "The record has no connection for writing", d->folder.string(), {}};
    d->writer->runAlone([&](Connection& connection) {
        report = mergeSnapshot(connection, d->files, (*snapshot)->file(), otherFolder);
    });
    if (!report)
        return report;
    const std::pair<int, const char*> kinds[] = {{report->predictions, "prediction"},
                                                 {report->runs, "run"},
                                                 {report->reasons, "reason"},
                                                 {report->notes, "note"},
                                                 {report->answers, "answer"},
                                                 {report->artifacts, "artifact"},
                                                 {report->tags, "tag"},
                                                 {report->journal, "journal"},
                                                 {report->reproductions, "reproduction"},
                                                 {report->outcomes, "outcome"},
                                                 {report->reviews, "review"}};
    for (const auto& [added, kind] : kinds)
        if (added > 0)
            Q_EMIT changed(QLatin1String(kind));
    return report;
}

Result<fs::path> Store::backup(const std::string& why)
{
    if (!d->writer)
        return readOnlyStore(d->folder);
    Result<fs::path> written = Error{"store-error", "The record has no connection for writing", d->folder.string(), {}};
    d->writer->runAlone([&](Connection& connection) { written = writeBackup(connection, d->folder, why); });
    return written;
}

Result<void> Store::verifyRows(const QString& kind, const std::vector<std::string>& ids) const
{
    return checkRows(*d->reader, kind, ids, d->origin);
}

} // namespace ridge::record

#include "moc_store.cpp"
