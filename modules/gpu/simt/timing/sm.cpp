// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/sm.h"

#include <algorithm>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint32_t kCodeLine = 8;   ///< instructions of 16 bytes in a line of 128
constexpr std::uint32_t kCodeChunk = 64; ///< instructions that the instruction cache asks for at a time

/// Of two warps that could issue, the one of the older block goes first, of one block the later warp. Source: within a
/// block HUE25 (greedy, then youngest); between blocks an H200, whose last blocks to come are the last to go: of
/// kernels that fit into one wave their clocks end within a few percent of the kernel's, where youngest first ends 20
/// to 26 % sooner (docs/validation-timing.md).
bool goesFirst(const WarpSlot& warp, const WarpSlot& other)
{
    return warp.age != other.age ? warp.age < other.age : warp.warp > other.warp;
}

} // namespace

Sm::Sm(const SmSetup& setup, std::uint32_t index)
    : m_setup(setup), m_kernel(*setup.kernel), m_index(index),
      m_branchCycles(static_cast<std::uint64_t>(setup.chip->branchCycles)),
      m_pathCycles(static_cast<std::uint64_t>(setup.chip->pathCycles)),
      m_l1(setup.l1Bytes / 128, static_cast<std::uint32_t>(setup.chip->l1Ways))
{
    const auto cores = static_cast<std::uint32_t>(setup.chip->subCores);
    const std::uint32_t slots = (static_cast<std::uint32_t>(setup.chip->maxWarps) + cores - 1) / cores;
    m_cores.resize(cores);
    m_lastStores.resize(static_cast<std::size_t>(setup.chip->storeQueue));
    m_slots.resize(std::size_t{cores} * slots);
    for (std::uint32_t at = 0; at < cores; ++at) {
        m_cores[at].first = at * slots;
        m_cores[at].end = (at + 1) * slots;
        m_cores[at].queue.assign(static_cast<std::size_t>(setup.chip->memoryQueue), 0);
        m_cores[at].codeLines.assign(
            std::max<std::size_t>(static_cast<std::size_t>(setup.chip->l0Instructions) / kCodeLine, 1), kNoLine);
    }
    m_ops.resize(m_kernel.ops.size());
    m_codeReady.assign(m_kernel.ops.size() / kCodeChunk + 1, kNever);
}

void Sm::note(TimingEvent::Kind kind, std::uint32_t slot, std::uint32_t op, std::uint32_t payload)
{
    if (m_setup.eventCapacity == 0 || m_now < m_setup.firstEvent || m_now >= m_setup.endEvent)
        return;
    if (m_setup.watchSms != 0 && (m_index >= m_setup.watchSms || m_events.size() >= m_setup.eventCapacity))
        return;
    const TimingEvent event{static_cast<std::uint32_t>(m_now),
                            static_cast<std::uint16_t>(m_index),
                            static_cast<std::uint8_t>(slot),
                            kind,
                            op,
                            payload};
    if (m_events.size() < m_setup.eventCapacity) {
        m_events.push_back(event);
        return;
    }
    m_events[m_eventNext] = event;
    m_eventNext = (m_eventNext + 1) % m_events.size();
}

/// The cycles since the last charge go to what the warp was doing; from now on it is doing `next`.
void Sm::charge(WarpSlot& warp, Stall next)
{
    if (m_now > warp.since) {
        const std::uint64_t cycles = m_now - warp.since;
        const auto reason = static_cast<std::size_t>(warp.reason);
        m_tally.stalls[reason] += cycles;
        const std::uint32_t op = std::min<std::uint32_t>(warp.op, static_cast<std::uint32_t>(m_ops.size() - 1));
        m_ops[op].stalls[reason] += cycles;
        // Not being chosen and waiting a fixed time follow from what was issued.
        const bool follows = warp.reason == Stall::NotSelected || warp.reason == Stall::Wait;
        if (m_setup.eventCapacity != 0 && (!follows || m_setup.watchSms != 0))
            note(TimingEvent::Kind::Stall, static_cast<std::uint32_t>(&warp - m_slots.data()), op,
                 static_cast<std::uint32_t>(reason) << 24 |
                     static_cast<std::uint32_t>(std::min<std::uint64_t>(cycles, 0xffffff)));
        warp.since = m_now;
    }
    warp.reason = next;
}

bool Sm::block(WarpSlot& warp, Stall reason, std::uint64_t until)
{
    charge(warp, reason);
    warp.readyAt = until;
    return false;
}

void Sm::settle()
{
    for (WarpSlot& warp : m_slots) {
        if (warp.active)
            charge(warp, warp.reason);
    }
}

bool Sm::readsClock(const WarpSlot& warp) const
{
    return warp.active && warp.wantsClock && !warp.atBarrier && warp.op == warp.opEnd &&
           warp.nextVisit == warp.stream->visits.size() && warp.readyAt <= m_now;
}

std::uint64_t Sm::earliest() const
{
    std::uint64_t next = m_inbox.empty() ? kNever : m_inbox.front().cycle;
    for (const SubCore& core : m_cores)
        next = std::min(next, core.nextReady);
    return next;
}

std::uint64_t Sm::nextEvent() const
{
    return std::max(earliest(), m_now);
}

bool Sm::run(std::uint64_t until)
{
    while (m_now < until) {
        while (!m_inbox.empty() && m_inbox.front().cycle <= m_now) {
            const L2Reply reply = m_inbox.front();
            std::pop_heap(m_inbox.begin(), m_inbox.end(), [](const L2Reply& a, const L2Reply& b) {
                return a.cycle != b.cycle ? a.cycle > b.cycle : a.order > b.order;
            });
            m_inbox.pop_back();
            receive(reply);
        }
        if (m_clockWaiters != 0 && std::ranges::any_of(m_slots, [&](const WarpSlot& warp) { return readsClock(warp); }))
            return false;
        bool issued = false;
        for (std::uint32_t core = 0; core < m_cores.size(); ++core) {
            if (m_cores[core].nextReady <= m_now)
                issued = issueFrom(core) || issued;
        }
        m_now = issued ? m_now + 1 : std::clamp(earliest(), m_now + 1, until);
    }
    return true;
}

/// Looks at every warp of the sub-core that may go on, and issues one: the one that issued last, else the first to go.
bool Sm::issueFrom(std::uint32_t index)
{
    SubCore& core = m_cores[index];
    std::uint32_t chosen = kNoLine;
    std::uint64_t next = kNever;
    std::uint32_t readyCount = 0;
    for (std::uint32_t slot = core.first; slot < core.end; ++slot) {
        WarpSlot& warp = m_slots[slot];
        if (!warp.active)
            continue;
        if (warp.readyAt > m_now || !ready(index, slot)) {
            if (warp.active)
                next = std::min(next, warp.readyAt);
            continue;
        }
        ++readyCount;
        charge(warp, Stall::NotSelected);
        warp.readyAt = m_now + 1;
        const bool better =
            chosen == kNoLine || slot == core.lastSlot || (chosen != core.lastSlot && goesFirst(warp, m_slots[chosen]));
        chosen = better ? slot : chosen;
    }
    if (chosen != kNoLine) {
        issue(index, chosen);
        if (m_slots[chosen].active)
            next = std::min(next, m_slots[chosen].readyAt);
    }
    core.nextReady = readyCount > 1 ? m_now + 1 : next;
    return chosen != kNoLine;
}

/// Leaves out instructions that stand for micro-ops outside a partial visit, and those for full warps alone.
void Sm::skipForeign(WarpSlot& warp)
{
    if (!warp.partial && !warp.isDivided)
        return;
    const KernelImage& image = *m_kernel.image;
    const std::uint32_t first = image.blocks[image.places[warp.visit.from].block].first;
    for (; warp.op < warp.opEnd; ++warp.op) {
        const TimedOp& op = m_kernel.ops[warp.op];
        const std::uint32_t at = op.covers == kNoMicroOp ? first : op.covers;
        const bool isOurs = !warp.partial || (at >= warp.visit.from && at < warp.visit.end);
        const bool isLeftOut = warp.isDivided && op.part == WarpPart::Full;
        if (isOurs && !isLeftOut)
            return;
        if (isOurs)
            warp.owedWaits |= op.waitMask;
    }
}

/// False where the visit has no instruction.
bool Sm::enterVisit(WarpSlot& warp, const Visit& visit)
{
    const KernelImage& image = *m_kernel.image;
    const std::uint32_t index = image.places[visit.from].block;
    const BasicBlock& basic = image.blocks[index];
    const MachineBlock& machine = m_kernel.machine->blocks[index];
    const bool jumped = machine.first != warp.opEnd;
    const bool isOtherPath = warp.visit.mask != 0 && (warp.visit.mask & visit.mask) == 0;
    warp.visit = visit;
    warp.op = machine.first;
    warp.opEnd = machine.end;
    warp.partial = visit.from != basic.first || visit.end < basic.end;
    warp.isDivided = m_kernel.dividesWarps && visit.mask != kAllLanes;
    skipForeign(warp);
    if (warp.op == warp.opEnd)
        return false;
    const std::uint64_t wait = isOtherPath ? m_pathCycles : jumped && warp.branched ? m_branchCycles : 0;
    const std::uint64_t from = warp.lastIssue + wait;
    if (from > m_now) {
        charge(warp, Stall::BranchResolving);
        warp.readyAt = from;
    }
    return true;
}

void Sm::noteTurn(WarpSlot& warp)
{
    const std::size_t span = m_blocks[warp.block].span;
    if (m_turns.size() <= span)
        m_turns.resize(span + 1);
    std::vector<TurnTally>& turns = m_turns[span];
    if (turns.size() <= ++warp.turns)
        turns.resize(warp.turns + 1);
    turns[warp.turns].cycles += m_now;
    ++turns[warp.turns].warps;
}

/// Takes the next visit of the warp's stream. False where there is none now, or it may not start yet.
bool Sm::fetch(WarpSlot& warp)
{
    WarpStream& stream = *warp.stream;
    while (true) {
        if (warp.nextVisit == stream.visits.size()) {
            BlockSlot& block = m_blocks[warp.block];
            if (stream.finished) {
                retire(warp);
                return false;
            }
            warp.dry = true;
            warp.listed = block.wanting = true;
            const bool waits = std::any_of(warp.counters.begin(), warp.counters.end(),
                                           [](const ResultCounter& counter) { return counter.unknown != 0; });
            return this->block(warp, waits ? Stall::LongScoreboard : Stall::NoInstruction, kNever);
        }
        for (std::uint32_t at = 0; at < warp.visit.accesses; ++at)
            warp.firstLine += stream.accesses[warp.firstAccess + at].lineCount;
        warp.firstAccess += warp.visit.accesses;
        const Visit visit = stream.visits[warp.nextVisit];
        if (warp.visit.end == m_setup.turns.end && visit.from == m_setup.turns.head)
            noteTurn(warp);
        warp.visitNumber = stream.firstVisit + static_cast<std::uint32_t>(warp.nextVisit);
        while (warp.firstPhase < stream.phases.size() && stream.phases[warp.firstPhase].visit < warp.visitNumber)
            ++warp.firstPhase;
        ++warp.nextVisit;
        warp.hintAccess = warp.firstAccess;
        warp.hintLine = warp.firstLine;
        const MachineBlock& machine = m_kernel.machine->blocks[m_kernel.image->places[visit.from].block];
        warp.opsAhead -= machine.end - machine.first;
        if (warp.opsAhead < kRefillBelow && !stream.finished)
            warp.listed = m_blocks[warp.block].wanting = true;
        if (enterVisit(warp, visit))
            return warp.readyAt <= m_now;
    }
}

/// When a chunk of code is in the SM's instruction cache. The first to need it asks for it and for the next one.
std::uint64_t Sm::codeArrives(std::uint32_t chunk)
{
    const auto cycles = static_cast<std::uint64_t>(m_setup.chip->l1MissCycles);
    for (std::uint32_t at = chunk; at < std::min<std::size_t>(chunk + 2, m_codeReady.size()); ++at)
        m_codeReady[at] = m_codeReady[at] == kNever ? m_now + cycles : m_codeReady[at];
    return m_codeReady[chunk];
}

/// Whether the warp can issue now; if not, why and when to look again.
bool Sm::ready(std::uint32_t index, std::uint32_t slot)
{
    SubCore& core = m_cores[index];
    WarpSlot& warp = m_slots[slot];
    if (warp.atBarrier)
        return block(warp, Stall::Barrier, kNever);
    if (warp.op == warp.opEnd) {
        if (warp.wantsClock && warp.nextVisit == warp.stream->visits.size()) {
            charge(warp, warp.reason); // run() stops before the next cycle
            return false;
        }
        if (!fetch(warp))
            return false;
    }
    const TimedOp& op = m_kernel.ops[warp.op];
    if (warp.op / kCodeChunk != warp.codeChunk) {
        const std::uint64_t arrives = codeArrives(warp.op / kCodeChunk);
        if (arrives > m_now)
            return block(warp, Stall::NoInstruction, arrives);
        warp.codeChunk = warp.op / kCodeChunk;
    }
    if (const std::uint32_t wanted = warp.op / kCodeLine; warp.codeLine != wanted) {
        warp.codeLine = wanted;
        const std::size_t lines = core.codeLines.size();
        // The next line is fetched ahead, so that only jumps miss.
        const bool known = core.codeLines[wanted % lines] == wanted ||
                           (wanted > 0 && core.codeLines[(wanted - 1) % lines] == wanted - 1);
        core.codeLines[wanted % lines] = wanted;
        if (!known && m_setup.chip->l0MissCycles > 0)
            return block(warp, Stall::NoInstruction, m_now + static_cast<std::uint64_t>(m_setup.chip->l0MissCycles));
    }
    for (unsigned mask = op.waitMask | warp.owedWaits; mask != 0; mask &= mask - 1) {
        const ResultCounter& counter = warp.counters[static_cast<std::size_t>(std::countr_zero(mask))];
        if (counter.unknown != 0)
            return block(warp, counter.reason, kNever);
        if (counter.clearAt > m_now)
            return block(warp, counter.reason, counter.clearAt);
    }
    if (op.readsConstants && m_constantsAt > m_now) {
        if (m_constantsAt == kNever)
            m_constantsAt = m_now + static_cast<std::uint64_t>(m_setup.chip->constantMissCycles);
        if (m_constantsAt > m_now)
            return block(warp, Stall::ImcMiss, m_constantsAt);
    }
    if (op.kind == OpKind::AsyncWait && !copiesDone(warp, op))
        return false;
    if (op.kind == OpKind::Phase && !phasesOpen(warp, op))
        return false;
    if (const std::uint64_t done = op.kind == OpKind::GroupWait ? productsDone(warp, op) : 0; done > m_now)
        return block(warp, Stall::Gmma, done);
    if (op.kind == OpKind::Fence && warp.storesInFlight != 0)
        return block(warp, Stall::Membar, kNever);
    if (const std::uint64_t free = core.pipeFree[static_cast<std::size_t>(pipeFor(core, op))]; free > m_now)
        return block(warp, Stall::MathPipeThrottle, free);
    if (op.kind == OpKind::Compute && core.bankFree > m_now)
        return block(warp, Stall::DispatchStall, core.bankFree);
    const bool viaPipe = op.kind == OpKind::Memory || op.kind == OpKind::Mio || op.kind == OpKind::Bulk;
    if (viaPipe && queueIsFull(core, warp, op))
        return false;
    return true;
}

/// When all groups of products but the last `op.latency` are done: in the order in which they were asked for.
std::uint64_t Sm::productsDone(const WarpSlot& warp, const TimedOp& op)
{
    const auto kept = std::min<std::uint32_t>(warp.productGroupsClosed, warp.productGroups.size());
    return op.latency < kept
               ? warp.productGroups[(warp.productGroupsClosed - 1 - op.latency) % warp.productGroups.size()]
               : 0;
}

/// The pipe that takes the instruction first.
Pipe Sm::pipeFor(const SubCore& core, const TimedOp& op) const
{
    const bool other = op.otherInterval != 0 && core.pipeFree[static_cast<std::size_t>(Pipe::Fma)] <
                                                    core.pipeFree[static_cast<std::size_t>(op.pipe)];
    return other ? Pipe::Fma : op.pipe;
}

void Sm::issue(std::uint32_t index, std::uint32_t slot)
{
    SubCore& core = m_cores[index];
    WarpSlot& warp = m_slots[slot];
    const TimedOp& op = m_kernel.ops[warp.op];
    note(TimingEvent::Kind::Issue, slot, warp.op, warp.visit.mask);
    OpTally& tally = m_ops[warp.op];
    ++tally.issued;
    ++tally.stalls[static_cast<std::size_t>(Stall::Selected)];
    ++m_tally.stalls[static_cast<std::size_t>(Stall::Selected)];
    ++m_tally.counters.instIssued;
    const auto pipe = static_cast<std::size_t>(pipeFor(core, op));
    ++m_tally.counters.pipeInstructions[pipe];
    warp.since = m_now + 1;
    warp.reason = Stall::Wait;
    warp.readyAt = m_now + op.stall;
    warp.lastIssue = m_now;
    warp.branched = op.pipe == Pipe::Branch;
    warp.owedWaits = 0;
    core.lastSlot = slot;
    if (op.kind == OpKind::Memory || op.kind == OpKind::Mio || op.kind == OpKind::Bulk) {
        core.pipeFree[pipe] = m_now + 1;
    } else {
        const bool isOther = pipe != static_cast<std::size_t>(op.pipe);
        const std::uint32_t rest = core.pipeRest[pipe] + (isOther ? 0 : op.intervalRest);
        core.pipeFree[pipe] = m_now + (isOther ? op.otherInterval : op.interval) + rest / 256;
        core.pipeRest[pipe] = rest % 256;
    }
    if (op.bankCycles != 0) {
        core.bankFree = m_now + 1 + op.bankCycles;
        m_tally.counters.registerConflicts += op.bankCycles;
    }
    switch (op.kind) {
    case OpKind::Memory:
        issueMemory(core, warp, slot, op);
        break;
    case OpKind::Mio:
        issueMio(core, warp, op);
        break;
    case OpKind::Barrier:
        arrive(warp, slot);
        break;
    case OpKind::Bulk:
        issueBulk(core, warp, slot, op);
        break;
    case OpKind::Phase:
        signalPhases(warp, op, m_now + op.latency);
        knownResult(warp, op.writeCounter, op.reason, m_now + op.latency);
        break;
    case OpKind::AsyncCommit:
        warp.copyGroups.resize(++warp.copyGroupsClosed + 1);
        break;
    case OpKind::GroupCommit:
        warp.productGroups[warp.productGroupsClosed++ % warp.productGroups.size()] = warp.productsDone;
        break;
    case OpKind::AsyncWait:
    case OpKind::GroupWait:
        break;
    case OpKind::Fence:
        warp.readyAt = std::max(warp.readyAt, m_now + op.latency);
        warp.reason = op.latency > op.stall ? Stall::Membar : warp.reason;
        break;
    default: {
        std::uint64_t done = m_now + op.latency + op.bankCycles;
        if (op.pipe == Pipe::Tensor && op.reason == Stall::Gmma) {
            // Operands in shared memory hold the pipe until they are there.
            const std::uint64_t there = groupOperands(warp, op);
            std::uint64_t& free = core.pipeFree[static_cast<std::size_t>(op.pipe)];
            free = std::max(free, there);
            done = std::max(done, there);
            warp.productsDone = done;
        }
        knownResult(warp, op.readCounter, Stall::ShortScoreboard, m_now + 4);
        knownResult(warp, op.writeCounter, op.reason, done);
        break;
    }
    }
    ++warp.op;
    skipForeign(warp);
    if (warp.op == warp.opEnd && warp.nextVisit == warp.stream->visits.size() && warp.stream->finished)
        retire(warp);
}

/// The warp has run its last instruction. What it stored has to leave the SM before its place is free: Nsight Compute's
/// "drain". That it arrives is not waited for: where one warp a block stores, the next block is there no later than
/// after one that only loads (docs/chip-timing.md).
void Sm::retire(WarpSlot& warp)
{
    charge(warp, Stall::Drain);
    if (warp.storesLeave > m_now) {
        warp.readyAt = warp.storesLeave;
        return;
    }
    const auto slot = static_cast<std::uint32_t>(&warp - m_slots.data());
    note(TimingEvent::Kind::WarpEnd, slot, std::min(warp.op, static_cast<std::uint32_t>(m_ops.size()) - 1), 0);
    m_tally.lastCycle = std::max({m_tally.lastCycle, warp.since, m_now});
    warp.active = false;
    ++warp.generation;
    --m_liveWarps;
    for (SubCore& core : m_cores)
        core.liveWarps -= slot >= core.first && slot < core.end ? 1 : 0;
    BlockSlot& block = m_blocks[warp.block];
    if (--block.liveWarps != 0)
        return;
    note(TimingEvent::Kind::BlockEnd, slot, 0, static_cast<std::uint32_t>(block.run->block()));
    block.stuck = false;
    block.phases.clear();
    ++m_tally.blocks;
    m_tally.counters.activeCycles += --m_liveBlocks == 0 ? std::max(warp.since, m_now) - m_activeSince : 0;
    m_spans[block.span].end = std::max(warp.since, m_now);
    if (const auto cycles = static_cast<std::uint64_t>(m_setup.chip->blockCycles); cycles != 0)
        m_left.push_back(std::max(std::max(warp.since, m_now) + cycles, m_nextBlock));
    m_nextBlock = (m_left.empty() ? m_now : m_left.back()) +
                  static_cast<std::uint64_t>(m_setup.chip->blockInterval +
                                             m_setup.chip->warpInterval * static_cast<double>(block.slots.size()));
    m_finished.push_back({std::move(block.run), std::max(warp.since, m_now)});
    block.wanting = false;
}

void Sm::arrive(WarpSlot& warp, std::uint32_t slot)
{
    const auto& passes = warp.stream->barriers;
    if (warp.nextBarrier == passes.size() || passes[warp.nextBarrier].visit != warp.visitNumber)
        return; // its guard was false
    const BarrierPass& pass = passes[warp.nextBarrier++];
    BlockSlot& block = m_blocks[warp.block];
    auto& arrived = block.arrived[pass.id];
    if (arrived.size() <= pass.generation)
        arrived.resize(pass.generation + 1, 0);
    ++arrived[pass.generation];
    const auto apart = static_cast<std::uint64_t>(m_setup.chip->barrierCycles);
    m_barrierFree = std::max(m_barrierFree, m_now) + apart;
    if (pass.waits) {
        warp.atBarrier = true;
        warp.barrierId = pass.id;
        warp.barrierGeneration = pass.generation;
    }
    const std::uint32_t expected = block.run->arrivalsOf(pass.id, pass.generation);
    if (expected != 0 && arrived[pass.generation] >= expected) {
        note(TimingEvent::Kind::BarrierOpen, slot, warp.op, pass.id);
        openBarriers(block);
    }
}

/// Lets go the warps of every barrier at which all have arrived that will.
void Sm::openBarriers(BlockSlot& block)
{
    const auto cycles =
        static_cast<std::uint64_t>(m_setup.chip->latency[static_cast<std::size_t>(LatencyClass::Barrier)]);
    for (const std::uint32_t slot : block.slots) {
        WarpSlot& warp = m_slots[slot];
        if (!warp.active || !warp.atBarrier)
            continue;
        const std::uint32_t expected = block.run->arrivalsOf(warp.barrierId, warp.barrierGeneration);
        if (expected == 0 || block.arrived[warp.barrierId][warp.barrierGeneration] < expected)
            continue;
        warp.atBarrier = false;
        if (warp.lastIssue != m_now)
            charge(warp, Stall::Barrier);
        else
            warp.reason = Stall::Barrier;
        warp.readyAt = std::max(m_barrierFree, m_now) + cycles;
        for (SubCore& core : m_cores) {
            if (slot >= core.first && slot < core.end)
                core.nextReady = std::min(core.nextReady, warp.readyAt);
        }
    }
}

} // namespace ridge::gpu::simt
