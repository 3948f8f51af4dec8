// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/progress_watch.h"
#include "gpu/simt/run/wave.h"

namespace ridge::gpu::simt {

/// Runs the clusters of one launch (mostly blocks) one after another, the blocks of a cluster by turns, and the warps
/// of a block in turns that end at barriers, at exits, and after a fixed number of instructions, so that the order is
/// the same every time. What blocks can do without the others they do ahead, side by side (Wave). Only where a cluster
/// waits for another do more of them live at once, up to as many as the chip holds.
class Executor {
public:
    Executor(LaunchState& state, const LaunchShape& shape, LaunchControl& control, std::uint64_t first = 0);

    /// Errors: "out-of-memory" (of the host), those of a Fault, "barrier-deadlock", "cancelled", "time-limit",
    /// "never-resident" (the blocks that run wait for one that cannot start), "no-progress" (all wait in loops),
    /// "endless-loop" (a loop that provably never ends).
    Result<void> run();

private:
    bool anyLeft() const { return m_next < m_shape.clusters() || (m_wave && !m_wave->empty()); }
    Result<std::unique_ptr<ClusterRun>> takeNext(bool& ranAhead);
    std::uint64_t placed(std::uint64_t next) const;
    Result<void> runToEnd(std::unique_ptr<ClusterRun> run, bool ranAhead);
    Result<void> runTogether(std::unique_ptr<ClusterRun> first);
    bool cameBack(const std::vector<std::unique_ptr<ClusterRun>>& alive, int idle);
    Error stuckError(const std::vector<std::unique_ptr<ClusterRun>>& alive) const;

    LaunchState& m_state;
    const LaunchShape& m_shape;
    LaunchControl& m_control;
    SpareRuns m_spare;
    std::optional<Wave> m_wave;
    ProgressWatch m_watch;
    std::uint64_t m_states = 0; ///< hash of all that lived when m_statesAt idle rounds had passed
    int m_statesAt = 0;
    std::uint64_t m_calm = 0;      ///< the same without what follows from the clock
    std::uint64_t m_idleSince = 0; ///< instructions when memory changed last
    std::uint64_t m_looks = 0;     ///< looksOf() then
    std::uint64_t m_tests = 0;     ///< looks at mbarriers then
    std::optional<std::vector<bool>> m_timed;
    std::uint64_t m_next; ///< the cluster that starts next, behind those of the wave
};

/// The clusters from `first` on, functionally. Errors as Executor::run().
Result<void> runBlocks(LaunchState& state, const LaunchShape& shape, LaunchControl& control, std::uint64_t first);

} // namespace ridge::gpu::simt
