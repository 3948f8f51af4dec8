// SPDX-License-Identifier: GPL-3.0-or-later
// A long job on machines that fail, failure by failure.
#pragma once

#include "base/result.h"
#include "base/seed.h"
#include "cluster/failure/checkpoint.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ridge::cluster {

/// Sync: the job waits for the whole checkpoint. Async: it waits for a copy in memory, which is written while it works.
/// Memory: it waits for a copy in other nodes' memory, from which it comes back. Sharded: every replica writes its
/// share. Hsdp: replicas of the model go on without one that failed, and hand it their weights when it is back
/// (arXiv 2602.00277); nothing that was done is thrown away.
enum class SaveMode { Sync, Async, Memory, Sharded, Hsdp };
std::span<const std::string> saveModeNames(); ///< sync async memory sharded hsdp

/// All times in s.
struct FailureSetting {
    SaveMode mode = SaveMode::Sync;
    double mtbf = 0;     ///< of the whole job
    double shape = 1;    ///< of the Weibull distribution of times between failures; 1: exponential
    double duration = 0; ///< of the job, wall clock
    double save = 0;     ///< one writer saves everything
    double interval = 0; ///< of work between checkpoints
    double stall = 0;    ///< from a failure until the job works again
    double copy = 0;     ///< async and memory: the job waits for it
    double replicas = 1; ///< sharded: writers; hsdp: replicas
    double rejoin = 0;   ///< hsdp: from the end of the stall until the failed replica works again
    double spares = -1;  ///< nodes that wait to step in; below 0: always enough
    double repair = 0;   ///< of a node, which is a spare after that
};

/// What a mode costs: its pause, lag and stall.
CheckpointCost costOf(const FailureSetting& setting);

/// A stretch of the job, for its picture.
enum class JobState : std::uint8_t { Work, Save, Lost, Stall, WaitForNode };
struct JobSpan {
    double begin = 0, end = 0;
    JobState state = JobState::Work;
};

struct FailureRun {
    double useful = 0;  ///< s of work that counts; of hsdp weighted with the replicas that did it
    double saving = 0;  ///< s of pauses
    double lost = 0;    ///< s of work that was thrown away
    double stalled = 0; ///< s
    double waiting = 0; ///< s of waits for a repaired node
    double missing = 0; ///< hsdp: s of work that absent replicas did not do
    std::uint64_t failures = 0;
    double goodput = 0;               ///< useful over duration
    std::vector<JobSpan> spans;       ///< of the first `keep`
    std::vector<double> failureTimes; ///< of the first `keep`
};

/// Of one run.
inline constexpr double kMostFailures = 5e7;

/// Errors: "bad-value" with the parameter and the fix, "too-large".
Result<void> checkFailures(const FailureSetting& setting);
/// One job. Costs some ten nanoseconds a failure, however many checkpoints lie between. The setting has been checked.
FailureRun runFailures(const FailureSetting& setting, Rng& rng, std::size_t keep = 0);

/// The interval with the greatest goodput of simulated jobs: 40 of them from half to double the closed form's, each
/// with `failures` failures, a curve c0 + c1 / x + c2 x + c3 x^2 through their losses, and its lowest point.
double simulatedOptimum(FailureSetting setting, double failures, Rng& rng);

} // namespace ridge::cluster
