// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/table/run_loader.h"

#include "app/runs/table/run_data.h"
#include "base/json.h"
#include "classroom/feedback_policy.h"

namespace ridge::app {
namespace {

/// As many ids as one statement takes; SQLite's limit is 32,766.
constexpr std::size_t kIdsAtOnce = 10000;

} // namespace

std::map<std::string, std::string> headlineMetrics(std::span<const ExperimentInfo> experiments)
{
    std::map<std::string, std::string> metrics;
    for (const ExperimentInfo& info : experiments)
        if (!info.charts.empty())
            metrics[info.id] = info.charts.front().y;
        else if (!info.metrics.empty())
            metrics[info.id] = info.metrics.front().name;
    return metrics;
}

void loadEntries(Background& background, const record::Store& store, record::RunHeadFilter filter,
                 std::shared_ptr<EntryMaker> maker, QObject* receiver,
                 std::function<void(Result<std::vector<RunsModel::Entry>>)> taken)
{
    filter.metricOf = headlineMetrics(maker->experiments);
    readInBackground<std::vector<RunsModel::Entry>>(
        background, store, receiver,
        [filter = std::move(filter),
         maker = std::move(maker)](const record::Store& reader) -> Result<std::vector<RunsModel::Entry>> {
            const auto heads = reader.runHeads(filter);
            if (!heads)
                return heads.error();
            std::vector<RunsModel::Entry> entries;
            entries.reserve(heads->size());
            for (const record::RunHead& head : *heads)
                entries.push_back(maker->make(head));
            return entries;
        },
        std::move(taken));
}

void loadRows(Background& background, const record::Store& store, std::vector<std::string> ids, QObject* receiver,
              std::function<void(Result<std::vector<record::RunRow>>)> taken)
{
    readInBackground<std::vector<record::RunRow>>(
        background, store, receiver,
        [ids = std::move(ids)](const record::Store& reader) { return readRows(reader, ids); }, std::move(taken));
}

void saveRuns(Background& background, const record::Store& store, std::vector<std::string> ids,
              std::set<std::string> withheld, const QString& path, QObject* receiver,
              std::function<void(Result<void>)> saved)
{
    readInBackground<bool>(
        background, store, receiver,
        [ids = std::move(ids), withheld = std::move(withheld), path](const record::Store& reader) -> Result<bool> {
            auto rows = readRows(reader, ids);
            if (!rows)
                return rows.error();
            for (record::RunRow& row : *rows)
                if (withheld.contains(row.lesson))
                    classroom::withholdResult(row);
            if (auto written = writeRuns(*rows, path); !written)
                return written.error();
            return true;
        },
        [saved = std::move(saved)](const Result<bool>& done) {
            saved(done ? Result<void>() : Result<void>(done.error()));
        });
}

Result<std::vector<record::RunRow>> readRows(const record::Store& store, std::span<const std::string> ids)
{
    std::vector<record::RunRow> all;
    for (std::size_t from = 0; from < ids.size(); from += kIdsAtOnce) {
        const auto part = ids.subspan(from, std::min(kIdsAtOnce, ids.size() - from));
        record::RunFilter filter;
        filter.ids.assign(part.begin(), part.end());
        auto rows = store.runs(filter);
        if (!rows)
            return rows.error();
        std::move(rows->begin(), rows->end(), std::back_inserter(all));
    }
    return all;
}

Result<void> writeRuns(std::span<const record::RunRow> runs, const QString& path)
{
    const std::filesystem::path file(path.toStdString());
    if (path.endsWith(QLatin1String(".json"), Qt::CaseInsensitive))
        return writeFile(file, runsToJson(runs).dump(2) + "\n");
    return writeFile(file, runsToCsv(runs).toStdString());
}

} // namespace ridge::app
