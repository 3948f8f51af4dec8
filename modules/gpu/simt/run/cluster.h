// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/state.h"

namespace ridge::gpu::simt {

/// A byte of shared memory somewhere in the cluster.
struct SharedPlace {
    std::uint32_t rank = 0;
    std::uint64_t offset = 0;
};

struct TensorMemory; // tensor_memory.h

/// The blocks of one cluster while they run: whose shared memory is whose, and the barrier they share. A block that was
/// launched without a cluster is alone in one.
class Cluster {
public:
    /// The barrier's number in streams and in Split::barrier: one past those of a block.
    static constexpr std::uint32_t kBarrier = 16;

    Cluster(LaunchState& state, const Dim3& shape) : m_state(state), m_members(shape.count()) {}

    /// A block that is about to start; all of them join before one runs.
    void join(std::uint32_t rank, std::uint64_t block, std::byte* shared, std::vector<Warp>& warps);

    std::uint32_t size() const { return static_cast<std::uint32_t>(m_members.size()); }
    std::uint64_t block(std::uint32_t rank) const { return m_members[rank].block; }
    std::byte* shared(std::uint32_t rank) const { return m_members[rank].shared; }
    std::vector<Warp>& warps(std::uint32_t rank) const { return *m_members[rank].warps; }
    /// Of a block; null until it asks for some, and for each block that starts.
    std::shared_ptr<TensorMemory>& tensorMemory(std::uint32_t rank) { return m_members[rank].tensorMemory; }
    bool hasExited(std::uint32_t rank) const;

    /// Lanes arrive. False where one of them has arrived before and not waited since.
    bool arrive(std::uint32_t rank, const Warp& warp, std::uint32_t mask);
    /// Those of `mask` that must wait for others.
    std::uint32_t waiting(std::uint32_t rank, const Warp& warp, std::uint32_t mask) const
    {
        return m_members[rank].arrived[warp.index] & mask;
    }
    /// Opens the barrier where all threads have arrived or exited.
    void release()
    {
        if (m_anyArrived)
            openIfComplete();
    }
    /// How often the barrier has opened.
    std::uint32_t generation() const { return m_generation; }
    /// The barrier's phase that lanes arrive at now, and the one that opened last (LaunchState::phases).
    std::uint32_t phase() const { return m_phase; }
    std::uint32_t lastPhase() const { return m_lastPhase; }

private:
    void openIfComplete();

    struct Member {
        std::uint64_t block = 0;
        std::byte* shared = nullptr;
        std::vector<Warp>* warps = nullptr;
        std::vector<std::uint32_t> arrived; ///< lanes, per warp
        std::shared_ptr<TensorMemory> tensorMemory;
    };
    LaunchState& m_state;
    std::vector<Member> m_members;
    bool m_anyArrived = false;
    std::uint32_t m_generation = 0;
    std::uint32_t m_phase = kNoPhase;
    std::uint32_t m_lastPhase = kNoPhase;
};

/// The tag of block 0 above kRankShift. Without its lowest bit the tag of a block is that of the even one of its pair,
/// which is how kernels find that one's barriers: CUTLASS masks addresses with 0xfeffffff
/// (include/cute/arch/copy_sm100_tma.hpp).
inline constexpr std::uint64_t kFirstTag = 2;

/// Which block an address of shared memory names: its own where it carries no rank. A rank that the cluster does not
/// have is kept: nothing is there.
inline SharedPlace placeOfShared(const LaunchState& launch, std::uint64_t address)
{
    const std::uint64_t tag = address >> kRankShift;
    if (tag == 0)
        return {launch.rank, address};
    if (tag < kFirstTag)
        return {kNone, address & kRankOffset};
    return {static_cast<std::uint32_t>(std::min<std::uint64_t>(tag - kFirstTag, kNone)), address & kRankOffset};
}

} // namespace ridge::gpu::simt
