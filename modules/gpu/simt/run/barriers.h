// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/state.h"

namespace ridge::gpu::simt {

/// The sixteen barriers of a block. Since compute capability 7.0 threads arrive one by one and those that have exited
/// are not waited for; a barrier with an explicit count takes whole warps.
class BlockBarriers {
public:
    static constexpr std::uint32_t kCount = 16;

    explicit BlockBarriers(std::size_t warps) : m_barriers(kCount)
    {
        for (Barrier& barrier : m_barriers)
            barrier.arrived.assign(warps, 0);
    }
    void reset();

    /// Lanes of `mask` arrive with instruction `op`. The caller has already parked those that wait.
    void arrive(const Warp& warp, const MicroOp& op, std::uint32_t id, std::uint32_t mask);
    /// Releases every barrier that is complete now: after an arrival or an exit.
    void release(std::vector<Warp>& warps);
    bool anyArrived() const { return m_pending != 0; }
    std::uint32_t arrived(std::uint32_t id, std::size_t warp) const { return m_barriers[id].arrived[warp]; }
    /// How often barrier `id` has opened.
    std::uint32_t generation(std::uint32_t id) const
    {
        return static_cast<std::uint32_t>(m_barriers[id].arrivals.size());
    }
    /// Instructions that arrived at barrier `id` before it opened for the `generation`th time, counted from 0; 0
    /// where it has not yet.
    std::uint32_t arrivalsOf(std::uint32_t id, std::uint32_t generation) const
    {
        const auto& all = m_barriers[id].arrivals;
        return generation < all.size() ? all[generation] : 0;
    }

private:
    struct Barrier {
        std::vector<std::uint32_t> arrived; ///< lanes, per warp
        std::uint32_t expected = 0;         ///< threads; 0: all of the block
        std::uint32_t votes = 0;            ///< threads whose predicate held
        std::uint32_t voters = 0;
        std::uint16_t arriving = 0;          ///< instructions since it opened last
        std::vector<std::uint16_t> arrivals; ///< of each generation
    };
    bool isComplete(const Barrier& barrier, const std::vector<Warp>& warps) const;
    static void open(Barrier& barrier, std::uint32_t id, std::vector<Warp>& warps);

    std::vector<Barrier> m_barriers;
    std::uint32_t m_pending = 0; ///< bit per barrier with an arrival
};

} // namespace ridge::gpu::simt
