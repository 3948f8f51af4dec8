// SPDX-License-Identifier: GPL-3.0-or-later
// What an SM does beside its warps: copies between memory and shared memory, messages to other SMs, and the barriers
// that tell of both.
#include "gpu/simt/timing/sm.h"

#include <algorithm>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint64_t kToEngine = 2; ///< cycles from the shared pipe to the copy engine

} // namespace

Sm::Found Sm::findAccesses(const WarpSlot& warp, const TimedOp& op) const
{
    const WarpStream& stream = *warp.stream;
    const std::size_t end = warp.firstAccess + warp.visit.accesses;
    const auto isOurs = [&](std::size_t at) {
        return stream.accesses[at].microOp >= op.microOp && stream.accesses[at].microOp < op.microOpEnd;
    };
    Found found{warp.hintAccess, 0, warp.hintLine};
    if (op.shares > 1 || found.first >= end || !isOurs(found.first)) {
        // The compiler moved it: look from the start of the visit.
        found.line = warp.firstLine;
        for (found.first = warp.firstAccess; found.first < end && !isOurs(found.first); ++found.first)
            found.line += stream.accesses[found.first].lineCount;
    }
    while (found.first + found.count < end && isOurs(found.first + found.count))
        ++found.count;
    return found;
}

bool Sm::isOpen(const BlockSlot& block, std::uint32_t phase) const
{
    const PhaseBook::Phase& known = m_setup.phases->phases[phase];
    const auto state = block.phases.find(phase);
    const std::uint32_t seen = state == block.phases.end() ? 0 : state->second.signals;
    return known.complete && seen >= known.signals;
}

/// Whether every phase that the instruction waits for is complete by now; if not, the warp is put to wait.
bool Sm::phasesOpen(WarpSlot& warp, const TimedOp& op)
{
    const auto& notes = warp.stream->phases;
    BlockSlot& owner = m_blocks[warp.block];
    std::uint64_t last = 0;
    for (std::size_t at = warp.firstPhase; at < notes.size() && notes[at].visit == warp.visitNumber; ++at) {
        const PhaseNote& note = notes[at];
        if (!note.waits || note.microOp < op.microOp || note.microOp >= op.microOpEnd)
            continue;
        const Stall reason = op.isCluster ? Stall::Barrier : Stall::LongScoreboard;
        if (!isOpen(owner, note.phase)) {
            m_phaseWaiters += warp.waitsPhase == kNoPhase ? 1 : 0;
            warp.waitsPhase = note.phase;
            return block(warp, reason, kNever);
        }
        if (const auto state = owner.phases.find(note.phase); state != owner.phases.end())
            last = std::max(last, state->second.last);
    }
    return last <= m_now || block(warp, op.isCluster ? Stall::Barrier : Stall::LongScoreboard, last);
}

void Sm::signalPhases(WarpSlot& warp, const TimedOp& op, std::uint64_t cycle)
{
    const auto& notes = warp.stream->phases;
    CopyGroup* copies = op.afterCopies && !warp.copyGroups.empty() ? &warp.copyGroups.back() : nullptr;
    for (std::size_t at = warp.firstPhase; at < notes.size() && notes[at].visit == warp.visitNumber; ++at) {
        if (notes[at].waits || notes[at].microOp < op.microOp || notes[at].microOp >= op.microOpEnd)
            continue;
        if (copies != nullptr && copies->pending != 0)
            copies->notes.push_back(notes[at]);
        else
            signalPhase(warp.block, notes[at], copies == nullptr ? cycle : std::max(cycle, copies->doneAt));
    }
}

void Sm::signalPhase(std::uint32_t block, const PhaseNote& note, std::uint64_t cycle)
{
    if (note.isRemote)
        m_outSignals.push_back({note.phase, cycle + static_cast<std::uint64_t>(m_setup.chip->clusterCycles)});
    else
        countSignal(m_blocks[block], note.phase, cycle);
}

void Sm::countSignal(BlockSlot& block, std::uint32_t phase, std::uint64_t cycle)
{
    PhaseState& state = block.phases[phase];
    ++state.signals;
    state.last = std::max(state.last, cycle);
    if (!isOpen(block, phase))
        return;
    for (const std::uint32_t slot : block.slots) {
        if (m_slots[slot].active && m_slots[slot].waitsPhase == phase)
            wakeAt(slot, state.last);
    }
}

void Sm::wakeAt(std::uint32_t slot, std::uint64_t cycle)
{
    WarpSlot& warp = m_slots[slot];
    warp.waitsPhase = kNoPhase;
    --m_phaseWaiters;
    warp.readyAt = std::max(cycle, m_now);
    for (SubCore& core : m_cores) {
        if (slot >= core.first && slot < core.end)
            core.nextReady = std::min(core.nextReady, warp.readyAt);
    }
}

void Sm::receiveSignal(std::uint64_t block, const PhaseSignal& signal)
{
    for (BlockSlot& slot : m_blocks) {
        if (slot.run && slot.run->block() == block)
            countSignal(slot, signal.phase, signal.cycle);
    }
}

/// Threads that exit complete a phase without a signal.
void Sm::recheckPhases()
{
    if (m_phaseWaiters == 0)
        return;
    for (std::uint32_t slot = 0; slot < m_slots.size(); ++slot) {
        const WarpSlot& warp = m_slots[slot];
        if (warp.active && warp.waitsPhase != kNoPhase && isOpen(m_blocks[warp.block], warp.waitsPhase))
            wakeAt(slot, m_now);
    }
}

std::vector<const BlockRun*> Sm::stuckBlocks() const
{
    std::vector<const BlockRun*> stuck;
    for (const BlockSlot& block : m_blocks) {
        if (block.run && block.stuck)
            stuck.push_back(block.run.get());
    }
    return stuck;
}

/// Shared memory of another SM: through a port of limited width, there and back. Returns when data are back.
std::uint64_t Sm::remoteAccess(std::uint64_t bytes, std::uint64_t accepted)
{
    const auto width = static_cast<std::uint64_t>(m_setup.chip->clusterBytesPerCycle);
    m_remoteFree = std::max((accepted + 1) * width, m_remoteFree) + bytes;
    return m_remoteFree / width + static_cast<std::uint64_t>(m_setup.chip->clusterCycles);
}

/// When the operands of a wgmma in shared memory have been read: at the width of the banks.
std::uint64_t Sm::groupOperands(WarpSlot& warp, const TimedOp& op)
{
    const Found found = findAccesses(warp, op);
    const WarpStream& stream = *warp.stream;
    std::uint64_t wavefronts = 0;
    for (std::size_t at = found.first; at < found.first + found.count; ++at)
        wavefronts += stream.accesses[at].wavefronts;
    if (wavefronts == 0)
        return 0;
    m_dataFree = std::max(m_now, m_dataFree) +
                 static_cast<std::uint64_t>(static_cast<double>(wavefronts) * 128 / m_setup.chip->sharedBytesPerCycle);
    m_tally.counters.sharedWavefronts += wavefronts;
    return m_dataFree;
}

void Sm::issueBulk(SubCore& core, WarpSlot& warp, std::uint32_t slot, const TimedOp& op)
{
    const std::uint64_t accepted = accept(core, op);
    knownResult(warp, op.readCounter, Stall::ShortScoreboard, accepted + 5);
    const auto free =
        std::find_if(m_bulk.begin(), m_bulk.end(), [](const BulkCopies& copies) { return !copies.active; });
    const auto bulk = static_cast<std::uint32_t>(free - m_bulk.begin());
    if (free == m_bulk.end())
        m_bulk.emplace_back();
    BulkCopies& copies = m_bulk[bulk];
    copies = {true, 1, warp.block, m_blocks[warp.block].run->block(), accepted, {}};
    const WarpStream& stream = *warp.stream;
    for (std::size_t at = warp.firstPhase; at < stream.phases.size() && stream.phases[at].visit == warp.visitNumber;
         ++at) {
        const PhaseNote& note = stream.phases[at];
        if (!note.waits && note.microOp >= op.microOp && note.microOp < op.microOpEnd)
            copies.notes.push_back(note);
    }
    const Found found = findAccesses(warp, op);
    std::size_t line = found.line;
    bool isLoad = false;
    for (std::size_t at = found.first; at < found.first + found.count; ++at) {
        const Access& access = stream.accesses[at];
        if (access.space == Space::Global) {
            bulkLines(warp, slot, op, access, &stream.lines[line], accepted + kToEngine, bulk);
            isLoad = isLoad || access.op == MemoryOp::Load;
        } else if (access.isRemote && !isLoad) { // a multicast's data come from L2 by themselves
            copies.doneAt = std::max(copies.doneAt, remoteAccess(access.bulkBytes, accepted));
        }
        line += access.lineCount;
    }
    bulkDone(bulk, m_bulk[bulk].doneAt); // the one that stood for the instruction itself
}

/// Lines go out one after another, as fast as the SM's port takes their data. They pass by the L1.
void Sm::bulkLines(WarpSlot& warp, std::uint32_t slot, const TimedOp& op, const Access& access, const LineTouch* lines,
                   std::uint64_t from, std::uint32_t bulk)
{
    const bool isLoad = access.op == MemoryOp::Load;
    const double width = isLoad ? m_setup.chip->fillBytesPerCycle : m_setup.chip->sendBytesPerCycle;
    const auto step = static_cast<std::uint64_t>(std::max(1.0, 128 / width));
    // The latency of a copy that hits L2 is known: what it has over a load is spent before the lines go out.
    const double ahead = isLoad ? op.latency - m_setup.chip->l2HitCycles : 0;
    from += static_cast<std::uint64_t>(std::max(0.0, ahead));
    Transaction transaction;
    transaction.slot = slot;
    transaction.generation = warp.generation;
    transaction.isStore = !isLoad;
    transaction.bulk = bulk;
    if (op.isCopy) {
        warp.copyGroups.resize(warp.copyGroupsClosed + 1);
        transaction.copyGroup = warp.copyGroupsClosed;
        ++warp.copyGroups.back().pending;
    }
    transaction.remaining = access.lineCount;
    const std::uint32_t id = newTransaction(transaction);
    ++m_bulk[bulk].remaining;
    std::uint64_t at = std::max(from, m_bulkFree);
    std::uint32_t sectors = 0;
    for (std::uint32_t line = 0; line < access.lineCount; ++line, at += step) {
        L2Request out;
        out.cycle = at;
        out.line = lines[line] >> 4;
        out.transaction = id;
        out.sectors = static_cast<std::uint8_t>(lines[line] & 15);
        out.kind = isLoad ? L2Request::Kind::Read : L2Request::Kind::Write;
        out.order = m_order++;
        sectors += static_cast<std::uint32_t>(std::popcount(out.sectors));
        insertRequest(out);
    }
    m_bulkFree = at;
    if (op.isCopy)
        warp.copyGroups.back().readAt = std::max(warp.copyGroups.back().readAt, at);
    m_ops[warp.op].sectors += sectors;
    note(TimingEvent::Kind::Request, slot, warp.op, sectors);
    if (access.lineCount == 0) { // a box outside the tensor
        m_transactions[id].remaining = 1;
        complete(id, at);
    }
}

/// One transaction of an instruction of the copy engine is done.
void Sm::bulkDone(std::uint32_t bulk, std::uint64_t cycle)
{
    BulkCopies& copies = m_bulk[bulk];
    copies.doneAt = std::max(copies.doneAt, cycle);
    if (--copies.remaining != 0)
        return;
    copies.active = false;
    const BlockSlot& block = m_blocks[copies.block];
    const bool isThere = block.run && block.run->block() == copies.blockIndex;
    for (const PhaseNote& note : copies.notes) {
        if (note.isRemote || isThere)
            signalPhase(copies.block, note, copies.doneAt);
    }
}

} // namespace ridge::gpu::simt
