// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/collect.h"
#include "classroom/kernel_work.h"
#include "classroom/open_work.h"
#include "classroom/request_executor.h"

namespace ridge::classroom {

struct RegradeOptions {
    std::string assignment = {}; ///< as OpenClass::assignment
    bool gpu = false;            ///< run measured rows again on this machine's GPU
    /// For kernels of tasks: the target to grade all of them on, as where the learners' chips have no clock. Empty: the
    /// simulated chip that each was graded on.
    std::string kernelTarget = {};
    std::function<bool(int done, int all)> progress{}; ///< requests; false: stop, nothing is graded
    ExecuteKernel executeKernel = workerGrader();      ///< for kernel tasks
    /// What this machine was calibrated to reach, for kernels that are timed on it; without it the published roof.
    std::function<std::optional<GradeRoof>(const GradeFacts&)> roof{};
};

/// A run that did not give again what was handed in.
struct DifferentRun {
    Person who;
    std::string lesson, block, run, experiment, target, metric;
    double handedIn = 0, again = 0;
    bool refused = false; ///< it does not count; else the new values do (built otherwise, or another version)
};

struct RegradeReport {
    std::string classTitle, assignment;
    int learners = 0, runs = 0; ///< runs of all learners that were compared
    int executed = 0;           ///< points that were run for it
    int remembered = 0;         ///< points that rememberedRuns had from an earlier time
    int same = 0, rebuilt = 0;  ///< the same bits; made with another compiler or version, new values count
    int measured = 0;           ///< not run again: measured on the learner's own machine
    int notRepeated = 0;        ///< of a simulator or model, or with a contradiction in the row: could not be run again
    int hidden = 0;             ///< hidden cases that were run: one a learner and lesson, and one a check that varies
    int hiddenFailed = 0;       ///< checks that did not hold with them
    int kernels = 0;            ///< of tasks: graded again with sizes and data of the learner's own
    int kernelsRejected = 0;
    std::vector<DifferentRun> different;
    std::vector<OpenLine> open;       ///< also what is decided by now
    std::vector<std::string> trouble; ///< requests that could not be run here
    double seconds = 0;

    /// Something counts nothing that was not run again, and nobody has decided about it.
    bool isUndecided() const;
};

/// Grades an assignment again by running what was handed in: every distinct request for simulated or modelled runs
/// once with the instructor's own worker, whatever the number of learners who made it. Simulated rows must give the
/// same bits when they were built alike; a row that does not is refused. A row that was built otherwise counts with the
/// values it gives here. What cannot be run again counts nothing (open_work.h): neither what a simulator or model is
/// said to have given, nor a row that contradicts itself, nor a kernel; a decision of the instructor's about that
/// submission is kept to. A kernel of a task is graded again from the code that was handed in, by the instructor's own
/// copy of the task with hidden sizes and data that follow from the assignment's secret and the learner. Then, for each
/// learner and lesson, one request that the learner made is chosen by the assignment's secret and run with data from a
/// hidden seed: checks have to hold with these as well. There is no such case of an experiment that draws nothing,
/// since it would be what was handed in. For each check that declares settings at which it holds too, one request is
/// run at one of them, both chosen so. Measured rows keep their values; with `gpu` they run again here, and how near
/// each machine comes to its own limit is compared (within a factor of two they agree). Blocks; call it on a thread of
/// its own with a class opened there. Errors: those of the database; "cancelled"; "worker-missing": nothing was graded.
Result<RegradeReport> regrade(OpenClass& open, const lessons::Curriculum& curriculum, const Execute& execute,
                              const RegradeOptions& options = {});

Json toJson(const RegradeReport& report);

} // namespace ridge::classroom
