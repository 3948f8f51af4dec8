// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/cluster_run.h"

#include <mutex>

namespace ridge::gpu::simt {

/// Registers and memory of clusters that have ended, for the next ones. Several threads may take and give.
class SpareRuns {
public:
    SpareRuns(LaunchState& state, const LaunchShape& shape, LaunchControl& control)
        : m_state(state), m_shape(shape), m_control(control)
    {
    }

    /// Which one a block gets shall make no difference to it: BlockRun::clearAtStart().
    void clearAtStart(std::vector<PlaneRange> planes) { m_cleared = std::move(planes); }

    /// One that has not been started. Errors: "out-of-memory" (of the host). The first of a launch is taken by one
    /// thread alone.
    Result<std::unique_ptr<ClusterRun>> take()
    {
        {
            const std::lock_guard lock(m_mutex);
            if (!m_runs.empty()) {
                std::unique_ptr<ClusterRun> run = std::move(m_runs.back());
                m_runs.pop_back();
                return run;
            }
        }
        auto run = std::make_unique<ClusterRun>(m_state, m_shape, m_control);
        if (auto prepared = run->prepare(); !prepared)
            return prepared.error();
        if (m_cleared) {
            for (const std::unique_ptr<BlockRun>& block : run->blocks())
                block->clearAtStart(*m_cleared);
        }
        return run;
    }
    void give(std::unique_ptr<ClusterRun> run)
    {
        const std::lock_guard lock(m_mutex);
        m_runs.push_back(std::move(run));
    }

private:
    LaunchState& m_state;
    const LaunchShape& m_shape;
    LaunchControl& m_control;
    std::optional<std::vector<PlaneRange>> m_cleared;
    std::mutex m_mutex;
    std::vector<std::unique_ptr<ClusterRun>> m_runs;
};

} // namespace ridge::gpu::simt
