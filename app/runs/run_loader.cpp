// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/run_loader.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

namespace ridge::app {
namespace {

Result<std::vector<RunsModel::Entry>> readEntries(const std::filesystem::path& folder, const record::RunFilter& filter,
                                                  std::span<const ExperimentInfo> experiments)
{
    auto store = record::Store::openReadOnly(folder);
    if (!store)
        return store.error();
    auto rows = (*store)->runs(filter);
    if (!rows)
        return rows.error();
    std::vector<RunsModel::Entry> entries;
    entries.reserve(rows->size());
    for (record::RunRow& row : *rows)
        entries.push_back(RunsModel::makeEntry(std::move(row), experiments));
    return entries;
}

} // namespace

void loadRuns(const record::Store& store, record::RunFilter filter, std::vector<ExperimentInfo> experiments,
              QObject* receiver, std::function<void(Result<std::vector<RunsModel::Entry>>)> taken)
{
    QThreadPool::globalInstance()->start([folder = store.folder(), filter = std::move(filter),
                                          experiments = std::move(experiments), alive = QPointer<QObject>(receiver),
                                          taken = std::move(taken)]() mutable {
        auto entries = readEntries(folder, filter, experiments);
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [alive = std::move(alive), taken = std::move(taken), entries = std::move(entries)]() mutable {
                if (alive)
                    taken(std::move(entries));
            },
            Qt::QueuedConnection);
    });
}

} // namespace ridge::app
