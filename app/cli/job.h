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
    std::vector<std::string> notes;   ///< what the experiment said beside its numbers, each once
    std::vector<record::RunRow> rows; ///< when a store was given: as stored
    std::string validity;
    double seconds = 0; ///< by the clock, from handing the request in to its end
};

/// Runs a request to its end on the calling thread's event loop, with a progress bar; Ctrl+C cancels it. With a store
/// every sample is durable before it counts. Errors: those of the worker and of the store.
Result<JobResult> runJob(const RunRequest& request, record::Store* store, const record::RunContextIds& ids,
                         bool showProgress);

struct KernelJobResult {
    Json document;                  ///< docs/kernels.md
    std::optional<StepTrace> steps; ///< where the request asked for them
};
/// Runs a kernel request the same way; where it is pausable, standard input is asked. Errors: those of the worker, and
/// of decodeStepTrace.
Result<KernelJobResult> runKernelJob(const KernelRequest& request, bool showProgress);

/// The document of `ridge run --json`.
Json jobToJson(const JobResult& result);

/// Samples as a table: parameters that vary or were given first, then the metrics, then checks and validity.
std::string jobTable(const ExperimentInfo& info, const JobResult& result, const std::vector<std::string>& givenParams);

} // namespace ridge::cli
