// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/step_runs.h"

#include "base/hash.h"
#include "base/sweep_points.h"
#include "base/target_kind.h"
#include "lessons/placeholders.h"

namespace ridge::cli {
namespace {

std::string keyOf(const LessonStep& step, const std::string& target)
{
    return Json{target, step.experiment, ridge::toJson(step.set), step.sweep}.dump();
}

/// Whether nothing of it was measured: some experiments time this processor beside a simulated chip.
bool nothingMeasured(const JobResult& job)
{
    return std::ranges::all_of(job.samples, [](const SampleEvent& sample) {
        return std::ranges::none_of(sample.metrics,
                                    [](const auto& one) { return one.second.provenance == Provenance::Measured; });
    });
}

} // namespace

bool StepRuns::isComputed(const std::string& target)
{
    return isRepeatableHere(target);
}

bool StepRuns::shares(const std::string& experiment, const std::string& target) const
{
    return isComputed(target) && !m_measuring.contains({experiment, target});
}

Result<std::unique_ptr<StepRuns>> StepRuns::open(const std::vector<ExperimentInfo>& catalogue)
{
    auto runs = std::unique_ptr<StepRuns>(new StepRuns(catalogue));
    if (!runs->m_home.isValid())
        return Error{"cannot-write", runs->m_home.errorString().toStdString(), "folder for temporary files",
                     "make room there, or set TMPDIR"};
    auto store = record::Store::open(runs->m_home.path().toStdString());
    if (!store)
        return store.error();
    runs->m_store = std::move(*store);
    return runs;
}

Result<const JobResult*> StepRuns::shared(const LessonStep& step, const std::string& target)
{
    const std::string key = keyOf(step, target);
    if (const auto done = m_done.find(key); done != m_done.end() && nothingMeasured(done->second))
        return &done->second;
    auto result = runStep(step, target, {}, m_catalogue, m_store.get());
    if (!result)
        return result.error();
    if (!nothingMeasured(result->job))
        m_measuring.emplace(step.experiment, target);
    return &m_done.insert_or_assign(key, std::move(result->job)).first->second;
}

Result<JobResult> StepRuns::run(const LessonStep& step, const std::string& target, const record::RunContextIds& ids,
                                record::Store& store)
{
    if (!isComputed(target)) {
        auto measured = runStep(step, target, ids, m_catalogue, &store);
        if (!measured)
            return measured.error();
        return std::move(measured->job);
    }
    const auto done = shared(step, target);
    if (!done)
        return done.error();
    JobResult own = **done;
    const std::string sweepId = newUuid7();
    for (record::RunRow& row : own.rows) {
        std::string trace;
        if (!row.traceSha256.empty()) {
            auto bytes = m_store->file(row.traceSha256);
            if (!bytes)
                return bytes.error();
            trace = std::move(*bytes);
        }
        row.id.clear(); // a row of that store's own, stamped there
        row.createdAt.clear();
        row.origin.clear();
        row.seq = 0;
        row.sweepId = sweepId;
        row.lesson = ids.lesson;
        row.block = ids.block;
        row.predictionId = ids.predictionId;
        const auto id = store.append(row, std::move(trace)).result();
        if (!id)
            return id.error();
        row.id = *id;
    }
    return own;
}

Result<std::map<std::string, MetricValue>> StepRuns::rehearse(const LessonStep& step, const std::string& target,
                                                              const ParamSet& at)
{
    const JobResult* job = nullptr;
    const std::string key = keyOf(step, target);
    if (isComputed(target)) {
        const auto done = shared(step, target);
        if (!done)
            return done.error();
        job = *done;
    } else if (const auto known = m_rehearsed.find(key); known != m_rehearsed.end()) {
        job = &known->second;
    } else {
        auto measured = runStep(step, target, {}, m_catalogue, nullptr);
        if (!measured)
            return measured.error();
        job = &m_rehearsed.emplace(key, std::move(measured->job)).first->second;
    }
    for (const SampleEvent& sample : job->samples)
        if (lessons::matches(sample.params, at))
            return sample.metrics;
    return Error{"no-sample", step.experiment + " gave nothing at " + ridge::toJson(at).dump(), target,
                 "give the prediction a point that the experiment can run"};
}

bool StepRuns::reaches(const LessonStep& step, const std::string& target, const ParamSet& at) const
{
    const auto info = findExperiment(m_catalogue, step.experiment);
    if (!info)
        return false;
    const auto points = blockPoints(info->parameters, step.set, step.sweep);
    return points && std::ranges::any_of(*points, [&](const ParamSet& point) {
               const auto whole = completeParams(info->parameters, point, kindOfTarget(target));
               return whole && lessons::matches(*whole, at);
           });
}

} // namespace ridge::cli
