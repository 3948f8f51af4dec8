// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/timing/copy_engine.h"
#include "gpu/simt/timing/l1_cache.h"
#include "gpu/simt/timing/memory_credit.h"
#include "gpu/simt/timing/memory_pipe.h"
#include "gpu/simt/timing/phase_unit.h"
#include "gpu/simt/timing/sm_ports.h"
#include "gpu/simt/timing/transactions.h"

namespace ridge::gpu::simt {

/// All that is behind the sub-cores' memory queues: pipe, shared memory, L1, copy engine, and the ports out of the SM.
class MemoryUnit {
public:
    MemoryUnit(const SmSetup& setup, ResidentWarps& warps, PhaseUnit& phases);

    // Before an instruction issues; where the answer is no the warp is put to wait.
    /// The sub-core's memory queue has room, and the L1 may have more in flight.
    bool hasRoom(SubCore& core, WarpSlot& warp, const TimedOp& op);
    /// All closed groups of copies but the last few (op.latency) have arrived, or at least have been read.
    bool copiesDone(WarpSlot& warp, const TimedOp& op);

    void issueMio(SubCore& core, WarpSlot& warp, const TimedOp& op);
    void issueMemory(SubCore& core, WarpSlot& warp, const TimedOp& op);
    void issueBulk(SubCore& core, WarpSlot& warp, const TimedOp& op);
    /// When the operands of a wgmma in shared memory have been read: at the width of the banks.
    std::uint64_t groupOperands(WarpSlot& warp, const TimedOp& op);

    std::vector<L2Request>& requests() { return m_port.requests(); }
    const std::vector<L2Request>& requests() const { return m_port.requests(); }
    void deliver(const L2Reply& reply) { m_port.deliver(reply); }
    std::uint64_t nextReply() const { return m_port.nextReply(); } ///< kNever: none is under way
    void receive();                                                ///< the next reply

private:
    std::uint64_t accept(SubCore& core, const TimedOp& op);
    void sharedAccess(WarpSlot& warp, const TimedOp& op, const Access& access, std::uint64_t accepted);
    void globalAccess(WarpSlot& warp, const TimedOp& op, const Access& access, const LineTouch* lines,
                      std::uint64_t accepted);
    std::uint32_t headerOf(const TimedOp& op, const Access& access, const LineTouch* lines) const;
    void keepLocal(const Access& access, const LineTouch* lines);
    void load(std::uint64_t line, std::uint8_t sectors, std::uint32_t transaction, std::uint64_t cycle, bool pastL1);
    std::uint64_t send(const L2Request& request, std::uint32_t bytes); ///< when it leaves
    void complete(std::uint32_t transaction, std::uint64_t cycle);
    void resultsArrive(const Transaction& transaction, WarpSlot* warp);
    void bulkLines(WarpSlot& warp, const TimedOp& op, const Access& access, const LineTouch* lines, std::uint64_t from,
                   std::uint32_t bulk);
    void bulkDone(std::uint32_t bulk, std::uint64_t cycle);

    const ChipTiming& m_chip;
    ResidentWarps& m_warps;
    PhaseUnit& m_phases;
    MemoryPipe m_pipe;
    L1Cache m_l1;
    CopyEngine m_engine;
    Transactions m_transactions;
    MemoryCredit m_credit;
    L2Port m_port;
    ClusterPort m_cluster;
};

} // namespace ridge::gpu::simt
