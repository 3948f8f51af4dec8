// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/job.h"

#include "base/units.h"
#include "base/warp_states.h"
#include "cli/fitted_table.h"
#include "cli/interrupt_watch.h"
#include "cli/pause_question.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <set>

namespace ridge::cli {
namespace {

/// Shows the progress of `run` until something quits the loop; Ctrl-C cancels it.
void follow(record::WorkerRun& run, QEventLoop& loop, ProgressBar& bar, bool tellPoints = true)
{
    QObject::connect(&run, &record::WorkerRun::progress,
                     [&](const ProgressEvent& e) { bar.show(e.fraction, e.message); });
    const auto say = [&bar](const std::string& line) {
        bar.clear();
        tell(line);
    };
    QObject::connect(&run, &record::WorkerRun::link, [say](const QString& line) { say(line.toStdString()); });
    if (tellPoints)
        QObject::connect(&run, &record::WorkerRun::pointFailed,
                         [say](std::size_t, const Error& error) { say(toText(error)); });
    InterruptWatch watch([&] { run.cancel(); });
    // Started from inside the loop, so that a failure to start finds the loop running.
    QMetaObject::invokeMethod(
        &run, [&] { run.start(); }, Qt::QueuedConnection);
    loop.exec();
    bar.clear();
}

} // namespace

Result<JobResult> runJob(const RunRequest& request, record::Store* store, const record::RunContextIds& ids,
                         bool showProgress)
{
    JobResult result;
    const auto ended = collectJob(request, store, ids, showProgress, result);
    return ended ? Result<JobResult>(std::move(result)) : ended.error();
}

Result<void> collectJob(const RunRequest& request, record::Store* store, const record::RunContextIds& ids,
                        bool showProgress, JobResult& result)
{
    std::optional<Error> error;
    QEventLoop loop;
    ProgressBar bar(showProgress);
    record::WorkerRun run({record::defaultWorkerProgram(), {}}, request);
    std::unique_ptr<record::Recorder> recorder;
    if (store) {
        recorder = std::make_unique<record::Recorder>(*store, run, ids);
        QObject::connect(recorder.get(), &record::Recorder::stored,
                         [&](const record::RunRow& row) { result.rows.push_back(row); });
        QObject::connect(recorder.get(), &record::Recorder::storeFailed, [&](const Error& e) {
            if (!error)
                error = e;
        });
        QObject::connect(recorder.get(), &record::Recorder::done, &loop, &QEventLoop::quit);
    }
    QObject::connect(&run, &record::WorkerRun::started, [&](const StartedEvent& e) { result.started = e; });
    QObject::connect(&run, &record::WorkerRun::sample, [&](const SampleEvent& e) {
        result.samples.push_back(e);
        if (const auto read = result.started.fingerprint->find("inputs");
            !e.error && read != result.started.fingerprint->end())
            result.inputs[e.index] = *read;
    });
    if (request.keepGoing)
        QObject::connect(&run, &record::WorkerRun::pointFailed, [&](std::size_t index, const Error& e) {
            SampleEvent failed{.index = index, .params = request.points[index], .validity = "failed"};
            failed.error = e;
            result.samples.push_back(std::move(failed));
        });
    QObject::connect(&run, &record::WorkerRun::check, [&](const CheckResult& e) { result.checks.push_back(e); });
    QObject::connect(&run, &record::WorkerRun::log, [&](const QString& line) {
        if (std::string note = line.toStdString(); std::ranges::find(result.notes, note) == result.notes.end())
            result.notes.push_back(std::move(note));
    });
    QObject::connect(&run, &record::WorkerRun::finished, [&](const FinishedEvent& e) {
        result.validity = e.validity;
        if (!store)
            loop.quit();
    });
    QObject::connect(&run, &record::WorkerRun::failed, [&](const Error& e) {
        error = e;
        if (!store)
            loop.quit();
    });
    QElapsedTimer timer;
    timer.start();
    follow(run, loop, bar, !request.keepGoing);
    result.seconds = static_cast<double>(timer.elapsed()) / 1e3;
    // Points of an array job come in the order in which they were done.
    std::ranges::stable_sort(result.samples, {}, &SampleEvent::index);
    return error ? Result<void>(*error) : Result<void>();
}

Result<KernelJobResult> runKernelJob(const KernelRequest& request, bool showProgress)
{
    Json document;
    std::string steps;
    std::optional<Error> error;
    QEventLoop loop;
    ProgressBar bar(showProgress);
    record::WorkerRun run({record::defaultWorkerProgram(), {}}, request);
    PauseQuestion question([&](bool goOn) { run.answerPause(goOn); });
    QObject::connect(&run, &record::WorkerRun::launchPaused, [&](const Error& why) {
        bar.clear();
        question.ask(why);
    });
    QObject::connect(&run, &record::WorkerRun::kernel, [&](const KernelEvent& e) { document = *e.document; });
    QObject::connect(&run, &record::WorkerRun::trace, [&](const TraceEvent& e) { steps = e.bytes; });
    QObject::connect(&run, &record::WorkerRun::finished, [&](const FinishedEvent&) { loop.quit(); });
    QObject::connect(&run, &record::WorkerRun::failed, [&](const Error& e) {
        error = e;
        loop.quit();
    });
    follow(run, loop, bar);
    if (error)
        return *error;
    if (document.is_null())
        return Error{"bad-protocol", "the worker finished without an answer", "worker output",
                     "use a ridge and a ridge-worker of the same version"};
    KernelJobResult result{std::move(document), {}};
    if (!steps.empty()) {
        auto trace = decodeStepTrace(steps);
        if (!trace)
            return trace.error();
        result.steps = std::move(*trace);
    }
    return result;
}

Json sampleToJson(const JobResult& result, const SampleEvent& sample)
{
    Json json{{"params", ridge::toJson(sample.params)},
              {"metrics", metricsToJson(sample.metrics)},
              {"limits", limitsToJson(sample.limits)},
              {"checks", checksToJson(sample.checks)},
              {"validity", sample.validity}};
    json.update(countersToJson(sample));
    if (const auto read = result.inputs.find(sample.index); read != result.inputs.end())
        json["inputs"] = read->second;
    if (sample.error)
        json["error"] = toJson(*sample.error);
    return json;
}

Json jobToJson(const JobResult& result)
{
    Json json{{"experiment", result.started.experiment},
              {"version", result.started.version},
              {"target", result.started.target},
              {"provenance", toText(result.started.provenance)},
              {"fingerprint", *result.started.fingerprint},
              {"samples", Json::array()},
              {"checks", checksToJson(result.checks)},
              {"notes", result.notes},
              {"validity", result.validity}};
    // The last start tells of the last point alone.
    for (const auto& [index, read] : result.inputs)
        if (json["fingerprint"].value("inputs", Json()) != read)
            json["fingerprint"].erase("inputs");
    for (const SampleEvent& sample : result.samples)
        json["samples"].push_back(sampleToJson(result, sample));
    return json;
}

namespace {

/// What a GPU counted under the simulator's names, or why it did not; empty where nobody asked.
std::string countersText(const ExperimentInfo& info, const std::vector<SampleEvent>& samples,
                         const std::vector<std::string>& givenParams)
{
    std::vector<std::string> header{"COUNTER"};
    std::map<std::string, std::vector<std::string>> rows; // a column for each point that was counted
    std::map<std::string, std::string> units;
    std::string by, missing;
    for (const SampleEvent& sample : samples) {
        if (const auto& why = sample.countersMissing)
            missing = "  no counters: " + why->message + "\n    " + why->fix + "\n";
        if (sample.countersBy.empty())
            continue;
        by = "  counted by " + sample.countersBy + ", MEASURED\n";
        std::string point;
        for (const std::string& name : givenParams)
            point += (point.empty() ? "" : ",") + name + "=" + toText(sample.params.at(name));
        header.push_back(point.empty() ? "VALUE" : point);
        for (const auto& [name, metric] : sample.metrics)
            if (!info.metric(name)) {
                rows[name].resize(header.size() - 2, "–");
                rows[name].push_back(formatNumber(metric.value));
                units[name] = metric.unit;
            }
    }
    std::vector<std::vector<std::string>> lines;
    for (auto& [name, cells] : rows) {
        cells.resize(header.size() - 1, "–");
        cells.insert(cells.begin(), name);
        cells.push_back(units[name]);
        lines.push_back(std::move(cells));
    }
    header.emplace_back("UNIT");
    return (lines.empty() ? std::string() : "\n" + table(header, lines) + "\n") + by + missing;
}

} // namespace

std::string jobTable(const ExperimentInfo& info, const JobResult& result, const std::vector<std::string>& givenParams,
                     const std::vector<std::string>& targets)
{
    std::set<std::string> shown(givenParams.begin(), givenParams.end());
    std::vector<const MetricSpec*> metrics;
    for (const MetricSpec& metric : info.metrics) {
        const bool reported = std::any_of(result.samples.begin(), result.samples.end(),
                                          [&](const SampleEvent& s) { return s.metrics.contains(metric.name); });
        if (reported && !isWarpState(metric.name))
            metrics.push_back(&metric);
    }
    const bool hasStates = std::any_of(result.samples.begin(), result.samples.end(),
                                       [](const SampleEvent& s) { return !waits(s.metrics).empty(); });
    std::vector<std::string> header;
    for (const ParamSpec& spec : info.parameters)
        if (shown.contains(spec.name))
            header.push_back(spec.name);
    const std::size_t keys = header.size() + (targets.empty() ? 0 : 1);
    for (const MetricSpec* metric : metrics)
        header.push_back(metric->name);
    if (hasStates)
        header.push_back("waits_most_for");
    const bool hasErrors = std::any_of(result.samples.begin(), result.samples.end(),
                                       [](const SampleEvent& s) { return s.error.has_value(); });
    if (hasErrors)
        header.push_back("error");
    if (!targets.empty())
        header.insert(header.begin(), "target");
    std::vector<std::vector<std::string>> rows;
    for (const SampleEvent& sample : result.samples) {
        std::vector<std::string> row;
        if (!targets.empty())
            row.push_back(targets[rows.size()]);
        for (const ParamSpec& spec : info.parameters)
            if (shown.contains(spec.name)) {
                // What was refused is as it was given.
                const auto value = sample.params.find(spec.name);
                row.push_back(value == sample.params.end() ? "–" : toText(value->second));
            }
        for (const MetricSpec* metric : metrics) {
            const auto it = sample.metrics.find(metric->name);
            row.push_back(it == sample.metrics.end() ? "–"
                          : takesPrefix(metric->unit)
                              ? formatQuantity(it->second.value, metric->unit) // 801 ns, not 8.01e-07
                              : formatNumber(it->second.value));
        }
        if (hasStates)
            row.push_back(waitText(sample.metrics, 1));
        if (hasErrors)
            row.push_back(sample.error ? sample.error->code + ": " + toText(*sample.error) : std::string());
        rows.push_back(std::move(row));
    }
    std::string text = fittedTable(header, rows, keys) + "\n";
    for (const MetricSpec* metric : metrics) {
        const auto reported = std::find_if(result.samples.begin(), result.samples.end(),
                                           [&](const SampleEvent& s) { return s.metrics.contains(metric->name); });
        const auto provenance = reported->metrics.at(metric->name).provenance;
        text += "  " + metric->name + ": " + (metric->unit == "1" ? "" : metric->unit + ", ") +
                std::string(toText(provenance)) + "\n";
    }
    if (hasStates)
        text += "  waits_most_for: the warp state with the largest share of warp-cycles; --json has all of them\n";
    const Json& fingerprint = *result.started.fingerprint;
    if (const auto device = fingerprint.find("target"); device != fingerprint.end() && device->is_object())
        if (const auto confidence = device->find("timing_confidence"); confidence != device->end())
            text +=
                "  chip file " + device->value("timing", std::string()) + ": " + confidence->get<std::string>() + "\n";
    for (const CheckResult& check : result.checks)
        text += (check.passed ? "  ✓ " : "  ✗ ") + check.name + ": " + check.detail + "\n";
    text += countersText(info, result.samples, givenParams);
    text += "  validity: " + result.validity + "\n";
    for (const std::string& note : result.notes)
        text += "  note: " + note + "\n";
    return text;
}

} // namespace ridge::cli
