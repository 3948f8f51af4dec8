// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge run --points`: one experiment at the points of a table.
#include "cli/commands.h"

#include "base/paths.h"
#include "base/target_choice.h"
#include "cli/job.h"
#include "cli/points_table.h"

#include <cstdio>

namespace ridge::cli {
namespace {

/// What the rows gave, in their order, with what all requests said.
struct TableAnswer {
    JobResult merged;                 ///< a sample a row; its index is the row
    std::vector<std::string> targets; ///< of the rows
    std::vector<StartedEvent> starts; ///< of each target that ran, the first
};

SampleEvent failedSample(const PointRow& row, std::size_t index, Error error)
{
    error.place = row.place + (error.place.empty() ? "" : ", " + error.place);
    SampleEvent sample{.index = index, .params = row.given, .validity = "failed"};
    sample.error = std::move(error);
    return sample;
}

/// A worker that died took one point with it; the others are asked of a new one.
bool onePointsFault(const Error& error)
{
    return error.code == "worker-crashed" || error.code == "worker-ended" || error.code == "worker-hung";
}

/// Ends the table and not a row of it.
bool endsAll(const Error& error)
{
    return error.code == "cancelled" || exitCodeOf(error) == StoreTrouble;
}

class TableRun {
public:
    TableRun(const RunOptions& options, const PointsTable& table, record::Store* store)
        : m_options(options), m_table(table), m_store(store)
    {
        m_answer.merged.samples.resize(table.rows.size());
        m_answer.targets.resize(table.rows.size());
        m_answer.merged.validity = "valid";
    }

    /// Errors: those that end all of it.
    Result<void> run(const std::string& otherwise)
    {
        std::vector<std::pair<std::string, std::vector<std::size_t>>> groups; // rows of a target, in order
        for (std::size_t i = 0; i < m_table.rows.size(); ++i) {
            const PointRow& row = m_table.rows[i];
            const std::string& target = row.target.empty() ? otherwise : row.target;
            m_answer.targets[i] = target;
            if (row.refused) {
                fail(i, *row.refused);
                continue;
            }
            auto group = std::ranges::find(groups, target, [](const auto& each) { return each.first; });
            if (group == groups.end())
                group = groups.insert(groups.end(), {target, {}});
            group->second.push_back(i);
        }
        m_several = groups.size() > 1;
        for (auto& [target, rows] : groups)
            if (auto ran = runGroup(target, std::move(rows)); !ran)
                return ran;
        if (std::ranges::all_of(m_answer.merged.samples, [](const SampleEvent& s) { return s.error.has_value(); }))
            m_answer.merged.validity = "failed";
        return {};
    }
    TableAnswer& answer() { return m_answer; }

private:
    void fail(std::size_t row, const Error& error)
    {
        m_answer.merged.samples[row] = failedSample(m_table.rows[row], row, error);
    }

    Result<void> runGroup(const std::string& target, std::vector<std::size_t> open)
    {
        RunRequest request;
        request.experiment = m_options.experiment;
        request.target = target;
        request.seed = m_options.seed;
        request.trace = m_options.save;
        request.limits = {m_options.seconds, m_options.memoryMiB};
        request.regime = m_options.regime;
        request.counters = m_options.counters;
        request.keepGoing = true;
        while (!open.empty()) {
            request.points.clear();
            for (const std::size_t row : open)
                request.points.push_back(m_table.rows[row].given);
            JobResult job;
            const auto ended = collectJob(request, m_store, {}, true, job);
            take(job, open);
            if (ended || open.empty()) {
                for (const std::size_t row : open)
                    fail(row, {"bad-protocol", "the worker finished without this point", "worker output",
                               "use a ridge and a ridge-worker of the same version"});
                return {};
            }
            if (endsAll(ended.error()))
                return ended.error();
            const bool goOn = onePointsFault(ended.error()) && !job.started.target.empty();
            for (const std::size_t row : goOn ? std::vector{open.front()} : open)
                fail(row, ended.error());
            if (!goOn)
                return {};
            open.erase(open.begin());
        }
        return {};
    }

    /// Moves what a request gave to its rows; these are no longer open.
    void take(JobResult& job, std::vector<std::size_t>& open)
    {
        JobResult& all = m_answer.merged;
        const std::string& target = job.started.target;
        if (!target.empty() &&
            std::ranges::find(m_answer.starts, target, &StartedEvent::target) == m_answer.starts.end())
            m_answer.starts.push_back(job.started);
        std::vector<std::size_t> done;
        for (SampleEvent& sample : job.samples) {
            const std::size_t row = open[sample.index];
            done.push_back(row);
            if (const auto read = job.inputs.find(sample.index); read != job.inputs.end())
                all.inputs[row] = read->second;
            if (sample.error) {
                fail(row, *sample.error);
                continue;
            }
            sample.index = row;
            all.samples[row] = std::move(sample);
        }
        std::erase_if(open, [&](std::size_t row) { return std::ranges::find(done, row) != done.end(); });
        for (CheckResult& check : job.checks) {
            if (m_several)
                check.detail = target + ": " + check.detail;
            all.checks.push_back(std::move(check));
        }
        for (std::string& note : job.notes)
            if (std::ranges::find(all.notes, note) == all.notes.end())
                all.notes.push_back(std::move(note));
        std::ranges::move(job.rows, std::back_inserter(all.rows));
        if (!job.validity.empty() && job.validity != "valid" && job.validity != "failed" && all.validity == "valid")
            all.validity = job.validity;
    }

    const RunOptions& m_options;
    const PointsTable& m_table;
    record::Store* m_store;
    TableAnswer m_answer;
    bool m_several = false; ///< targets
};

Json answerToJson(const ExperimentInfo& info, const TableAnswer& answer)
{
    Json json{{"experiment", info.id},
              {"version", info.version},
              {"targets", Json::array()},
              {"samples", Json::array()},
              {"checks", checksToJson(answer.merged.checks)},
              {"notes", answer.merged.notes},
              {"validity", answer.merged.validity}};
    for (const StartedEvent& started : answer.starts) {
        Json fingerprint = *started.fingerprint;
        fingerprint.erase("inputs"); // each sample has its own
        json["targets"].push_back(
            Json{{"target", started.target}, {"provenance", toText(started.provenance)}, {"fingerprint", fingerprint}});
    }
    for (const SampleEvent& sample : answer.merged.samples) {
        json["samples"].push_back(sampleToJson(answer.merged, sample));
        json["samples"].back()["target"] = answer.targets[sample.index];
    }
    return json;
}

void printAnswer(const ExperimentInfo& info, TableAnswer& answer, const std::vector<std::string>& names)
{
    std::string where;
    for (const StartedEvent& started : answer.starts)
        where += (where.empty() ? " on " : "; ") + started.target + ", " + std::string(toText(started.provenance));
    const bool one = std::ranges::all_of(answer.targets, [&](const auto& each) { return each == answer.targets[0]; });
    if (one && !answer.starts.empty())
        answer.merged.started = answer.starts.front();
    std::printf("%s%s\n\n%s", info.title.c_str(), where.c_str(),
                jobTable(info, answer.merged, names, one ? std::vector<std::string>() : answer.targets).c_str());
}

} // namespace

int runPointsCommand(const RunOptions& options)
{
    const auto catalogue = loadCatalogue();
    if (!catalogue)
        return report(catalogue.error());
    const auto info = findExperiment(*catalogue, options.experiment);
    if (!info)
        return report(info.error());
    const auto table = readPoints(options.points, *info);
    if (!table)
        return report(table.error());
    auto target = chooseTarget(options.target);
    if (!target)
        return report(target.error());
    if (options.target.empty())
        *target = unaskedTarget(*info, *target);
    std::unique_ptr<record::Store> store;
    if (options.save) {
        auto opened = record::Store::open(homeFolder());
        if (!opened)
            return report(opened.error());
        store = std::move(*opened);
    }
    TableRun run(options, *table, store.get());
    if (const auto ran = run.run(*target); !ran)
        return report(ran.error());
    TableAnswer& answer = run.answer();
    if (options.json) {
        Json json = answerToJson(*info, answer);
        if (store) {
            json["saved"] = Json::array();
            for (const record::RunRow& row : answer.merged.rows)
                json["saved"].push_back(row.id);
        }
        printJson(json);
    } else {
        printAnswer(*info, answer, table->names);
        if (store)
            std::printf("  saved: %zu runs in %s\n", answer.merged.rows.size(), store->folder().c_str());
    }
    const auto failed =
        std::ranges::count_if(answer.merged.samples, [](const auto& each) { return each.error.has_value(); });
    if (failed > 0)
        tell(std::to_string(failed) + " of " + counted(table->rows.size(), "row has", "rows have") +
             " an error in place of a result");
    const bool passed = std::ranges::all_of(answer.merged.checks, &CheckResult::passed);
    if (!passed)
        std::fprintf(stderr, "ridge: a check of %s did not pass\n", options.experiment.c_str());
    return passed ? Done : Failed;
}

} // namespace ridge::cli
