// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/block_run.h"

#include <array>
#include <cstring>

namespace ridge::gpu::simt {

namespace {

std::uint32_t axisOf(const Dim3& dim, unsigned axis)
{
    return axis == 0 ? dim.x : axis == 1 ? dim.y : dim.z;
}

std::uint32_t threadAxis(const Dim3& block, std::uint32_t thread, unsigned axis)
{
    if (axis == 0)
        return thread % block.x;
    return axis == 1 ? thread / block.x % block.y : thread / block.x / block.y;
}

/// The low bytes of `value` in every lane of a plane. Little-endian hosts only, as CUDA's own.
void spread(std::byte* plane, std::uint64_t value, unsigned bytes)
{
    std::array<std::uint64_t, 4> pattern{};
    for (std::size_t at = 0; at < sizeof pattern; at += bytes)
        std::memcpy(reinterpret_cast<std::byte*>(pattern.data()) + at, &value, bytes);
    for (std::size_t at = 0; at < kWarpSize * bytes; at += sizeof pattern)
        std::memcpy(plane + at, pattern.data(), sizeof pattern);
}

bool changesWithBlock(PlaneFill::Kind kind, bool clustered)
{
    switch (kind) {
    case PlaneFill::Kind::CtaId:
    case PlaneFill::Kind::SmId:
    case PlaneFill::Kind::ClusterId:
        return true;
    case PlaneFill::Kind::DynamicBase:
    case PlaneFill::Kind::SharedAddress:
    case PlaneFill::Kind::ClusterCtaId:
    case PlaneFill::Kind::ClusterRank:
        return clustered;
    default:
        return false;
    }
}

} // namespace

BlockRun::BlockRun(LaunchState& state, const LaunchShape& shape, LaunchControl& control)
    : m_state(&state), m_image(*state.image), m_shape(shape), m_control(&control),
      m_barriers((shape.block.count() + kWarpSize - 1) / kWarpSize)
{
    // Those after the first find it done: blocks of one launch are made side by side.
    if (m_state->sharedBytes != shape.sharedBytes)
        m_state->sharedBytes = shape.sharedBytes;
    if (m_state->views.size() != m_image.memory.size())
        m_state->views.resize(m_image.memory.size());
}

Result<void> BlockRun::prepare()
{
    const auto threads = static_cast<std::uint32_t>(m_shape.block.count());
    const std::size_t warps = (threads + kWarpSize - 1) / kWarpSize;
    const std::size_t localBytes = std::size_t{m_image.localBytes} * kWarpSize;
    m_registers = std::make_unique<AlignedBytes>(warps * m_image.registerBytes);
    m_shared = std::make_unique<AlignedBytes>(m_shape.sharedBytes);
    m_local = std::make_unique<AlignedBytes>(warps * localBytes);
    if (!m_registers->ok() || !m_shared->ok() || !m_local->ok())
        return Error{"out-of-memory",
                     "this computer has not enough memory for the registers of '" + m_image.name + "'",
                     {},
                     "Launch smaller blocks."};
    std::memset(m_registers->data(), 0, m_registers->size());
    fillUnwritten(m_local->data(), m_local->size());
    m_warps.resize(warps);
    for (std::size_t at = 0; at < warps; ++at) {
        Warp& warp = m_warps[at];
        warp.file = m_registers->data() + at * m_image.registerBytes;
        warp.launch = m_state;
        warp.index = static_cast<std::uint32_t>(at);
        const std::uint32_t left = threads - warp.index * kWarpSize;
        warp.threads = left >= kWarpSize ? ~std::uint32_t{0} : (1u << left) - 1;
        warp.local = m_local->data() + at * localBytes;
        for (const PlaneFill& fill : m_image.fills)
            fillPlane(warp, fill);
    }
    for (const PlaneFill& fill : m_image.fills) {
        if (changesWithBlock(fill.kind, m_shape.cluster.count() > 1))
            m_blockFills.push_back(fill);
    }
    return {};
}

std::uint64_t BlockRun::paramValue(const PlaneFill& fill) const
{
    std::uint64_t value = 0;
    if (fill.value + fill.paramBytes > m_state->paramBytes)
        return 0;
    std::memcpy(&value, m_state->params + fill.value, fill.paramBytes);
    const unsigned bits = fill.paramBytes * 8u;
    const bool negative = fill.paramSigned && bits < 64 && (value >> (bits - 1) & 1) != 0;
    return negative ? value | ~std::uint64_t{0} << bits : value;
}

std::uint64_t BlockRun::fillValue(const Warp& warp, const PlaneFill& fill, std::uint32_t lane) const
{
    const std::uint32_t thread = warp.index * kWarpSize + lane;
    const std::uint64_t own = std::uint64_t{1} << lane;
    const Dim3& cluster = m_shape.cluster;
    const std::uint64_t rankTag = cluster.count() > 1 ? (m_rank + kFirstTag) << kRankShift : 0;
    switch (fill.kind) {
    case PlaneFill::Kind::Constant:
    case PlaneFill::Kind::Word:
        return fill.value;
    case PlaneFill::Kind::Param:
        return paramValue(fill);
    case PlaneFill::Kind::Tid:
        return threadAxis(m_shape.block, thread, fill.axis);
    case PlaneFill::Kind::CtaId:
        return axisOf(m_blockId, fill.axis);
    case PlaneFill::Kind::Ntid:
        return axisOf(m_shape.block, fill.axis);
    case PlaneFill::Kind::NctaId:
        return axisOf(m_shape.grid, fill.axis);
    case PlaneFill::Kind::LaneId:
        return lane;
    case PlaneFill::Kind::WarpId:
        return warp.index;
    case PlaneFill::Kind::NwarpId:
        return m_warps.size();
    case PlaneFill::Kind::SmId: // as if blocks were dealt out in turn
        return m_state->blockIndex % std::max(m_shape.smCount, 1u);
    case PlaneFill::Kind::NsmId:
        return std::max(m_shape.smCount, 1u);
    case PlaneFill::Kind::GridId:
        return 1;
    case PlaneFill::Kind::LaneMaskEq:
        return own;
    case PlaneFill::Kind::LaneMaskLe:
        return own | (own - 1);
    case PlaneFill::Kind::LaneMaskLt:
        return own - 1;
    case PlaneFill::Kind::LaneMaskGe:
        return 0xffffffffu & ~(own - 1);
    case PlaneFill::Kind::LaneMaskGt:
        return 0xffffffffu & ~(own | (own - 1));
    case PlaneFill::Kind::TotalShared:
        return m_shape.sharedBytes;
    case PlaneFill::Kind::DynamicShared:
        return m_shape.dynamicSharedBytes;
    case PlaneFill::Kind::DynamicBase:
        return rankTag + m_image.dynamicSharedBase + fill.value;
    case PlaneFill::Kind::SharedAddress:
        return rankTag + fill.value;
    case PlaneFill::Kind::ClusterId:
        return axisOf(m_blockId, fill.axis) / axisOf(cluster, fill.axis);
    case PlaneFill::Kind::NclusterId:
        return axisOf(m_shape.grid, fill.axis) / axisOf(cluster, fill.axis);
    case PlaneFill::Kind::ClusterCtaId:
        return axisOf(m_blockId, fill.axis) % axisOf(cluster, fill.axis);
    case PlaneFill::Kind::ClusterNctaId:
        return axisOf(cluster, fill.axis);
    case PlaneFill::Kind::ClusterRank:
        return m_rank;
    case PlaneFill::Kind::ClusterNrank:
        return cluster.count();
    case PlaneFill::Kind::ExplicitCluster:
        return m_shape.explicitCluster ? ~std::uint32_t{0} : 0;
    }
    return 0;
}

void BlockRun::fillPlane(Warp& warp, const PlaneFill& fill)
{
    std::byte* plane = warp.file + fill.offset;
    if (fill.kind == PlaneFill::Kind::Word || fill.kind == PlaneFill::Kind::ExplicitCluster) {
        const auto word = static_cast<std::uint32_t>(fillValue(warp, fill, 0));
        std::memcpy(plane, &word, sizeof word);
        return;
    }
    if (!changesWithLane(fill.kind)) {
        spread(plane, fillValue(warp, fill, 0), fill.bytes);
        return;
    }
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
        const std::uint64_t value = fillValue(warp, fill, lane);
        std::memcpy(plane + lane * fill.bytes, &value, fill.bytes);
    }
}

void BlockRun::record(std::uint32_t slot)
{
    m_streams.resize(m_warps.size());
    for (std::size_t at = 0; at < m_warps.size(); ++at)
        m_warps[at].number = slot * m_warps.size() + at;
}

void BlockRun::start(std::uint64_t block)
{
    if (!m_cluster || m_cluster->size() != 1)
        m_cluster = std::make_shared<Cluster>(*m_state, Dim3{});
    join(block, m_cluster, 0);
    m_fresh = true;
}

void BlockRun::start(std::uint64_t block, std::shared_ptr<Cluster> cluster, std::uint32_t rank)
{
    join(block, std::move(cluster), rank);
    begin();
}

void BlockRun::join(std::uint64_t block, std::shared_ptr<Cluster> cluster, std::uint32_t rank)
{
    m_block = block;
    m_executed = 0;
    m_cluster = std::move(cluster);
    m_rank = rank;
    m_cluster->join(rank, block, m_shared->data(), m_warps);
    m_blockId.x = static_cast<std::uint32_t>(block % m_shape.grid.x);
    m_blockId.y = static_cast<std::uint32_t>(block / m_shape.grid.x % m_shape.grid.y);
    m_blockId.z = static_cast<std::uint32_t>(block / m_shape.grid.x / m_shape.grid.y);
    for (WarpStream& stream : m_streams) // those who read them look before the first turn
        stream.restart();
}

void BlockRun::begin()
{
    m_fresh = false;
    bind();
    fillUnwritten(m_shared->data(), m_shape.sharedBytes);
    m_barriers.reset();
    if (m_state->check != nullptr)
        m_state->check->startBlock(m_blockId, m_block, m_warps);
    for (Warp& warp : m_warps) {
        warp.live = warp.threads;
        warp.splits.clear();
        warp.stacks.clear();
        warp.loop.turns = 0;
        Split all;
        all.mask = warp.threads;
        warp.splits.push_back(all);
        for (const PlaneFill& fill : m_blockFills)
            fillPlane(warp, fill);
        if (m_cleared == nullptr)
            continue;
        for (const PlaneRange& plane : *m_cleared)
            std::memset(warp.file + plane.offset, 0, plane.bytes);
        fillUnwritten(warp.local, std::size_t{m_image.localBytes} * kWarpSize);
    }
}

void BlockRun::fillUnwritten(std::byte* begin, std::size_t bytes) const
{
    const std::uint32_t word = m_shape.choices.unwritten;
    if (word == 0) {
        std::memset(begin, 0, bytes);
        return;
    }
    for (std::size_t at = 0; at < bytes; at += sizeof word)
        std::memcpy(begin + at, &word, std::min(sizeof word, bytes - at));
}

} // namespace ridge::gpu::simt
