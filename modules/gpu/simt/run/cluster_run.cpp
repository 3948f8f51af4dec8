// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/cluster_run.h"

namespace ridge::gpu::simt {

ClusterRun::ClusterRun(LaunchState& state, const LaunchShape& shape, LaunchControl& control)
    : m_state(state), m_shape(shape), m_control(control), m_cluster(std::make_shared<Cluster>(state, shape.cluster))
{
}

Result<void> ClusterRun::prepare()
{
    for (std::uint32_t rank = 0; rank < m_cluster->size(); ++rank) {
        m_blocks.push_back(std::make_unique<BlockRun>(m_state, m_shape, m_control));
        if (auto prepared = m_blocks.back()->prepare(); !prepared)
            return prepared;
    }
    return {};
}

void ClusterRun::start(std::uint64_t cluster)
{
    for (std::uint32_t rank = 0; rank < m_cluster->size(); ++rank)
        m_blocks[rank]->start(blockOfCluster(m_shape, cluster, rank), m_cluster, rank);
}

BlockRun::Round ClusterRun::round()
{
    bool anyLives = false;
    bool anyMoves = false;
    bool anyProgresses = false;
    std::vector<const BlockRun*> waiting;
    for (std::size_t at = 0; at < m_blocks.size(); ++at) {
        const auto& block = m_blocks[m_shape.choices.backwards ? m_blocks.size() - 1 - at : at];
        if (m_blocks.size() > 1 && block->finished())
            continue;
        const BlockRun::Round round = block->round();
        if (round == BlockRun::Round::Failed)
            return round;
        anyLives = anyLives || round != BlockRun::Round::Finished;
        anyMoves = anyMoves || round != BlockRun::Round::Blocked;
        anyProgresses = anyProgresses || round == BlockRun::Round::Progress || round == BlockRun::Round::Finished;
        if (round == BlockRun::Round::Blocked)
            waiting.push_back(block.get());
    }
    if (!anyLives)
        return BlockRun::Round::Finished;
    if (!anyMoves) {
        m_control.error = clusterDeadlock(waiting);
        return BlockRun::Round::Failed;
    }
    return anyProgresses ? BlockRun::Round::Progress : BlockRun::Round::Spun;
}

const BlockRun& ClusterRun::living() const
{
    for (const std::unique_ptr<BlockRun>& block : m_blocks) {
        if (!block->finished())
            return *block;
    }
    return *m_blocks.front();
}

} // namespace ridge::gpu::simt
