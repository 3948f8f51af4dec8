// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/block_run.h"

namespace ridge::gpu::simt {

/// What starts and ends together: the blocks of one cluster, most often one block. They take turns.
class ClusterRun {
public:
    ClusterRun(LaunchState& state, const LaunchShape& shape, LaunchControl& control);

    /// Errors: "out-of-memory" (of the host).
    Result<void> prepare();
    /// Makes its blocks those of the cluster with linear index `cluster`.
    void start(std::uint64_t cluster);
    /// Every block that has not ended gets a round. Blocks that all wait answer Failed, "barrier-deadlock". Never
    /// Blocked.
    BlockRun::Round round();

    /// The first block that has not ended.
    const BlockRun& living() const;
    const std::vector<std::unique_ptr<BlockRun>>& blocks() const { return m_blocks; }
    /// The only block; null where there are several.
    const BlockRun* alone() const { return m_blocks.size() == 1 ? m_blocks.front().get() : nullptr; }

private:
    LaunchState& m_state;
    const LaunchShape& m_shape;
    LaunchControl& m_control;
    std::shared_ptr<Cluster> m_cluster;
    std::vector<std::unique_ptr<BlockRun>> m_blocks;
};

/// Why no block of a cluster can go on: one error for all of them. The blocks of `waiting` have not ended.
Error clusterDeadlock(const std::vector<const BlockRun*>& waiting);

} // namespace ridge::gpu::simt
