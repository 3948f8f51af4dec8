// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/timing/resident_warps.h"

namespace ridge::gpu::simt {

/// A signal for another SM.
struct PhaseSignal {
    std::uint32_t phase = kNoPhase;
    std::uint64_t cycle = 0; ///< when it is there
};

/// The phases of mbarriers and of the cluster's barrier, as warps of one SM signal and wait for them.
class PhaseUnit {
public:
    PhaseUnit(const SmSetup& setup, ResidentWarps& warps) : m_setup(setup), m_warps(warps) {}

    /// Whether every phase that the instruction waits for is complete by now; if not, the warp is put to wait.
    bool pass(WarpSlot& warp, const TimedOp& op);
    /// The instruction's signals: at `cycle`, or when the copies have arrived that it is to follow.
    void signal(WarpSlot& warp, const TimedOp& op, std::uint64_t cycle);
    /// A signal of a block, by its slot.
    void signal(std::uint32_t block, const PhaseNote& note, std::uint64_t cycle);
    /// From another SM, for block `block`, where that is here.
    void receive(std::uint64_t block, const PhaseSignal& signal);
    /// Looks again whether warps that wait may go on: threads that exit complete a phase without a signal.
    void recheck();

    std::vector<PhaseSignal> takeOutgoing() { return std::exchange(m_outgoing, {}); } ///< for other SMs
    const std::vector<PhaseSignal>& outgoing() const { return m_outgoing; }

private:
    bool isOpen(std::uint32_t phase, const PhaseState* state) const; ///< null: no signal yet
    void count(BlockSlot& block, std::uint32_t phase, std::uint64_t cycle);
    void release(WarpSlot& warp, std::uint64_t cycle);

    const SmSetup& m_setup;
    ResidentWarps& m_warps;
    std::vector<PhaseSignal> m_outgoing;
    std::uint32_t m_waiters = 0;
};

} // namespace ridge::gpu::simt
