// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/runs/table/runs_model.h"
#include "app/session/background.h"
#include "record/store.h"

#include <QObject>
#include <functional>
#include <set>

namespace ridge::app {

/// Reads of many rows go through a second, read-only connection in the background, where texts are made too, so that a
/// hundred thousand rows do not stop the window. `taken` is called on the GUI thread, not at all once `receiver` is
/// gone. Where the program ends meanwhile, they stop at the row they are at.

/// Makes the entries of one table, whichever part of its rows they come with: runs at one point share it. Of one
/// loadEntries at a time.
struct EntryMaker {
    /// Of runs of the lessons in `hidden` no result is told.
    EntryMaker(std::vector<ExperimentInfo> known, std::set<std::string> hidden)
        : experiments(std::move(known)), withheld(std::move(hidden))
    {
    }
    EntryMaker(const EntryMaker&) = delete;
    EntryMaker& operator=(const EntryMaker&) = delete;
    RunsModel::Entry make(const record::RunHead& head) { return m_make(head, withheld.contains(head.lesson)); }
    const std::vector<ExperimentInfo> experiments;
    const std::set<std::string> withheld;

private:
    RunsModel::Maker m_make{experiments};
};

/// `work` in the background with a connection of its own.
template<class Value>
void readInBackground(Background& background, const record::Store& store, QObject* receiver,
                      std::function<Result<Value>(const record::Store&)> work, std::function<void(Result<Value>)> taken)
{
    background.run(
        receiver,
        [folder = store.folder(), work = std::move(work)]() -> Result<Value> {
            auto opened = record::Store::openReadOnly(folder);
            return opened ? work(**opened) : Result<Value>(opened.error());
        },
        std::move(taken));
}

/// By experiment, the metric that its runs are summed up by: the y of the first chart, else the first one it has.
std::map<std::string, std::string> headlineMetrics(std::span<const ExperimentInfo> experiments);

void loadEntries(Background& background, const record::Store& store, record::RunHeadFilter filter,
                 std::shared_ptr<EntryMaker> maker, QObject* receiver,
                 std::function<void(Result<std::vector<RunsModel::Entry>>)> taken);

/// Whole rows, newest first.
void loadRows(Background& background, const record::Store& store, std::vector<std::string> ids, QObject* receiver,
              std::function<void(Result<std::vector<record::RunRow>>)> taken);

/// Writes these runs as .csv or .json.
void saveRuns(Background& background, const record::Store& store, std::vector<std::string> ids,
              std::set<std::string> withheld, const QString& path, QObject* receiver,
              std::function<void(Result<void>)> saved);

/// Whole rows through the store's own connection, a bounded number of ids at a time. Newest first.
Result<std::vector<record::RunRow>> readRows(const record::Store& store, std::span<const std::string> ids);
/// runsToJson for a path that ends in .json, else runsToCsv. Errors: "cannot-write".
Result<void> writeRuns(std::span<const record::RunRow> runs, const QString& path);

} // namespace ridge::app
