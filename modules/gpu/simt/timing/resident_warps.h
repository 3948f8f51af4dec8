// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/timing/event_log.h"
#include "gpu/simt/timing/sm_state.h"

namespace ridge::gpu::simt {

/// The warps and blocks on an SM at one cycle: where each warp waits, for what, and until when nobody need look at it.
/// What they did so far is in sums() and events().
class ResidentWarps {
public:
    ResidentWarps(const SmSetup& setup, std::uint32_t sm);

    std::uint64_t now() const { return m_now; }
    void standAt(std::uint64_t cycle) { m_now = cycle; }

    std::vector<SubCore>& cores() { return m_cores; }
    std::vector<WarpSlot>& slots() { return m_slots; } ///< [sub-core][slot]
    std::vector<BlockSlot>& blocks() { return m_blocks; }
    const std::vector<SubCore>& cores() const { return m_cores; }
    const std::vector<WarpSlot>& slots() const { return m_slots; }
    const std::vector<BlockSlot>& blocks() const { return m_blocks; }
    BlockSlot& blockOf(const WarpSlot& warp) { return m_blocks[warp.block]; }
    std::uint32_t slotOf(const WarpSlot& warp) const { return static_cast<std::uint32_t>(&warp - m_slots.data()); }
    const WarpSlot* firstActive() const;

    /// The cycles since the last charge go to what the warp was doing; from now on it is doing `next`.
    void charge(WarpSlot& warp, Stall next)
    {
        if (m_now > warp.since)
            chargeCycles(warp);
        warp.reason = next;
    }
    /// The warp could issue, and another one may go first. What it waits for stays the same until it issues or has to
    /// wait for something else, which charges all its cycles at once; a log of all stalls has each.
    void keepReady(WarpSlot& warp)
    {
        if (warp.reason != Stall::NotSelected || m_notesAll)
            charge(warp, Stall::NotSelected);
        warp.readyAt = m_now + 1;
    }
    /// Puts the warp to wait. False, for a caller that says whether it may go on.
    bool hold(WarpSlot& warp, Stall reason, std::uint64_t until)
    {
        charge(warp, reason);
        warp.readyAt = until;
        return false;
    }
    /// It is looked at again now, where it was to wait for ever, or when it was to wait until.
    void wake(WarpSlot& warp);
    void wakeAt(WarpSlot& warp, std::uint64_t cycle);
    void settle(); ///< charges all up to now

    /// Where the calls that follow add what each machine instruction does, whichever SM it runs on: a thread's own, so
    /// that it stays in its cache. Sums over threads do not depend on who ran which SM.
    void countInto(std::vector<OpTally>& ops) { m_ops = ops.data(); }
    OpTally& tallyOf(std::uint32_t op) { return m_ops[op]; }

    void note(TimingEvent::Kind kind, std::uint32_t slot, std::uint32_t op, std::uint32_t payload)
    {
        m_log.note(kind, m_now, slot, op, payload);
    }
    /// The warp's instruction, or the kernel's last where it is past that.
    std::uint32_t opOf(const WarpSlot& warp) const { return std::min(warp.op, m_lastOp); }
    const EventLog& events() const { return m_log; }
    SmSums& sums() { return m_sums; }
    const SmSums& sums() const { return m_sums; }

private:
    void chargeCycles(WarpSlot& warp);

    std::uint64_t m_now = 0;
    std::vector<SubCore> m_cores;
    std::vector<WarpSlot> m_slots;
    std::vector<BlockSlot> m_blocks;
    SmSums m_sums;
    OpTally* m_ops = nullptr;
    std::uint32_t m_lastOp;
    EventLog m_log;
    bool m_notesAll; ///< also stalls that follow from what was issued
};

} // namespace ridge::gpu::simt
