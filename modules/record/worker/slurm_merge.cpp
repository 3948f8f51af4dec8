// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/worker/slurm_merge.h"

#include "base/json.h"

namespace ridge::record {
namespace {

Error badTask(const std::string& what)
{
    return {"bad-protocol", what, {}, "Use the ridge-worker of the same version"};
}

} // namespace

SlurmMerge::SlurmMerge(RunRequest request, std::vector<std::vector<std::size_t>> tasks) : m_request(std::move(request))
{
    for (auto& points : tasks) {
        m_open.insert(m_tasks.size());
        m_tasks.emplace_back().points = std::move(points);
    }
}

void SlurmMerge::feed(std::size_t index, std::string_view bytes)
{
    Task& task = m_tasks.at(index);
    if (task.error || !m_open.contains(index))
        return;
    task.reader.feed(bytes);
    for (;;) {
        auto event = task.reader.next();
        if (!event) {
            task.error = event.error();
            return;
        }
        if (!event->has_value())
            return;
        take(task, std::move(**event));
    }
}

void SlurmMerge::take(Task& task, Event&& event)
{
    if (auto* trace = std::get_if<TraceEvent>(&event)) {
        if (!task.held || trace->index >= task.points.size() || task.points[trace->index] != task.held->index) {
            task.error = badTask("A trace came without its sample");
            return;
        }
        trace->index = task.held->index;
        const bool more = trace->more;
        task.traces.push_back(std::move(*trace));
        if (!more)
            release(task);
        return;
    }
    release(task);
    if (auto* started = std::get_if<StartedEvent>(&event)) {
        task.started = std::move(*started);
    } else if (auto* sample = std::get_if<SampleEvent>(&event)) {
        if (!task.started || sample->index >= task.points.size()) {
            task.error = badTask("A task reports a point that it was not given");
            return;
        }
        sample->index = task.points[sample->index];
        task.held = std::move(*sample);
        if (!m_request.trace)
            release(task);
    } else if (auto* log = std::get_if<LogEvent>(&event)) {
        if (m_greeted)
            emitEvent(*log);
    } else if (auto* finished = std::get_if<FinishedEvent>(&event)) {
        task.finished = true;
        if (m_validity == "valid")
            m_validity = finished->validity;
        m_seconds += finished->seconds;
    } else if (auto* failed = std::get_if<FailedEvent>(&event)) {
        task.error = failed->error;
        // Nobody here asks single tasks to stop.
        if (task.error->code == "cancelled")
            task.error = Error{"worker-ended",
                               "Slurm ended the task: somebody cancelled it, or its time was up",
                               {},
                               "look it up with sacct; the launcher's --time asks for more of it"};
    }
    // Progress is counted over all tasks, and checks are made of the points': what one task says is of its part alone.
}

void SlurmMerge::release(Task& task)
{
    if (!task.held)
        return;
    if (!m_greeted || !(m_fingerprint == task.started->fingerprint)) {
        StartedEvent started = *task.started;
        started.points = m_request.points.size();
        m_fingerprint = started.fingerprint;
        m_greeted = true;
        emitEvent(started);
    }
    const SampleEvent& sample = *task.held;
    for (const CheckResult& check : sample.checks) {
        if (!m_checks.contains(check.name))
            m_checkOrder.push_back(check.name);
        Tally& tally = m_checks[check.name];
        ++tally.seen;
        tally.passed += check.passed ? 1 : 0;
        if (!check.passed && tally.firstFailure.empty())
            tally.firstFailure = "; first failure at " + ridge::toJson(sample.params).dump() + ": " + check.detail;
    }
    task.done.insert(sample.index);
    ++m_done;
    emitEvent(sample);
    for (const TraceEvent& trace : task.traces)
        emitEvent(trace);
    task.held.reset();
    task.traces.clear();
    emitEvent(ProgressEvent{static_cast<double>(m_done) / static_cast<double>(m_request.points.size()),
                            std::to_string(m_done) + " of " + std::to_string(m_request.points.size()) + " points"});
}

void SlurmMerge::ended(std::size_t index, const Error& error)
{
    if (!m_open.contains(index))
        return;
    Task& task = m_tasks[index];
    release(task);
    if (!task.finished && !task.error)
        task.error = error;
    m_open.erase(index);
    for (const std::size_t point : task.points)
        if (!task.done.contains(point))
            failPoint(point, task.error ? *task.error : badTask("The task finished without this point"));
    if (m_open.empty())
        conclude();
}

void SlurmMerge::failPoint(std::size_t index, const Error& error)
{
    Error told = error;
    told.place = "point " + std::to_string(index) + " " + ridge::toJson(m_request.points[index]).dump() +
                 (error.place.empty() ? "" : ", " + error.place);
    m_failures.emplace(index, told);
    m_newFailures.emplace_back(index, std::move(told));
}

void SlurmMerge::conclude()
{
    if (!m_failures.empty()) {
        const auto& [index, first] = *m_failures.begin();
        std::string which;
        for (const auto& [each, error] : m_failures)
            which += (which.empty() ? "" : ", ") + std::to_string(each);
        emitEvent(FailedEvent{{"points-failed",
                               std::to_string(m_failures.size()) + " of " + std::to_string(m_request.points.size()) +
                                   " points failed (" + which + "). The first: " + first.message,
                               first.place, first.fix}});
        return;
    }
    for (const std::string& name : m_checkOrder) {
        const Tally& tally = m_checks[name];
        emitEvent(CheckEvent{{name, tally.passed == tally.seen,
                              std::to_string(tally.passed) + " of " + std::to_string(tally.seen) + " points passed" +
                                  tally.firstFailure}});
    }
    emitEvent(FinishedEvent{m_validity, m_seconds});
}

} // namespace ridge::record
