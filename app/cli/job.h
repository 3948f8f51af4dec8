// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/step_trace.h"
#include "cli/console.h"

#include "record/recorder.h"

namespace ridge::cli {

/// Everything one finished request gave, in memory.
struct JobResult {
    StartedEvent started;
    std::vector<SampleEvent> samples;
    std::vector<CheckResult> checks;
    std::vector<std::string> notes;     ///< what the experiment said beside its numbers, each once
    std::vector<record::RunRow> rows;   ///< when a store was given: as stored
    std::map<std::size_t, Json> inputs; ///< index of a sample -> parameter -> SHA-256 of the file that it read
    std::string validity;
    double seconds = 0; ///< by the clock, from handing the request in to its end
};

/// Runs a request to its end on the calling thread's event loop, with a progress bar; Ctrl+C cancels it. With a store
/// every sample is durable before it counts. Errors: those of the worker and of the store.
Result<JobResult> runJob(const RunRequest& request, record::Store* store, const record::RunContextIds& ids,
                         bool showProgress);

/// The same where what there is counts even if the request failed: `result` has the samples until then. Of a request
/// that keeps going a point that failed somewhere else (of an array job) is a sample with its error, too.
Result<void> collectJob(const RunRequest& request, record::Store* store, const record::RunContextIds& ids,
                        bool showProgress, JobResult& result);

struct KernelJobResult {
    Json document;                  ///< docs/kernels.md
    std::optional<StepTrace> steps; ///< where the request asked for them
};
/// Runs a kernel request the same way; where it is pausable, standard input is asked. Errors: those of the worker, and
/// of decodeStepTrace.
Result<KernelJobResult> runKernelJob(const KernelRequest& request, bool showProgress);

/// The document of `ridge run --json`.
Json jobToJson(const JobResult& result);

/// One sample of it.
Json sampleToJson(const JobResult& result, const SampleEvent& sample);

/// Samples as a table: parameters that vary or were given first, then the metrics, why there are none where points
/// failed, then checks and validity. `targets` are those of the samples, where they have several.
std::string jobTable(const ExperimentInfo& info, const JobResult& result, const std::vector<std::string>& givenParams,
                     const std::vector<std::string>& targets = {});

} // namespace ridge::cli
