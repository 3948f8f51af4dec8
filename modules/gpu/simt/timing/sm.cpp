// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/sm.h"

#include <bit>

namespace ridge::gpu::simt {

namespace {

/// Of two warps that could issue, the one of the older block goes first, of one block the later warp. Source: within a
/// block HUE25 (greedy, then youngest); between blocks an H200, whose last blocks to come are the last to go: of
/// kernels that fit into one wave their clocks end within a few percent of the kernel's, where youngest first ends 20
/// to 26 % sooner (docs/validation-timing.md).
bool goesFirst(const WarpSlot& warp, const WarpSlot& other)
{
    return warp.age != other.age ? warp.age < other.age : warp.warp > other.warp;
}

bool isViaMemoryPipe(const TimedOp& op)
{
    return op.kind == OpKind::Memory || op.kind == OpKind::Mio || op.kind == OpKind::Bulk;
}

} // namespace

Sm::Sm(const SmSetup& setup, std::uint32_t index)
    : m_setup(setup), m_kernel(*setup.kernel), m_index(index),
      m_branchCycles(static_cast<std::uint64_t>(setup.chip->branchCycles)),
      m_pathCycles(static_cast<std::uint64_t>(setup.chip->pathCycles)), m_warps(setup, index), m_phases(setup, m_warps),
      m_memory(setup, m_warps, m_phases), m_barriers(setup, m_warps), m_feeder(setup, m_warps, m_barriers),
      m_caches(setup), m_places(*setup.chip)
{
}

std::uint64_t Sm::earliest() const
{
    std::uint64_t next = m_memory.nextReply();
    for (const SubCore& core : m_warps.cores())
        next = std::min(next, core.nextReady);
    return next;
}

bool Sm::run(std::uint64_t until)
{
    while (now() < until) {
        while (m_memory.nextReply() <= now())
            m_memory.receive();
        if (m_feeder.anyReadsClock())
            return false;
        bool issued = false;
        for (SubCore& core : m_warps.cores()) {
            if (core.nextReady <= now())
                issued = issueFrom(core) || issued;
        }
        m_warps.standAt(issued ? now() + 1 : std::clamp(earliest(), now() + 1, until));
    }
    return true;
}

/// Looks at every warp of the sub-core that may go on, and issues one: the one that issued last, else the first to go.
bool Sm::issueFrom(SubCore& core)
{
    std::uint32_t chosen = kNoLine;
    std::uint64_t next = kNever;
    std::uint32_t readyCount = 0;
    for (std::uint32_t slot = core.first; slot < core.end; ++slot) {
        WarpSlot& warp = m_warps.slots()[slot];
        if (!warp.active)
            continue;
        if (warp.readyAt > now() || !ready(core, warp)) {
            if (warp.active)
                next = std::min(next, warp.readyAt);
            continue;
        }
        ++readyCount;
        m_warps.keepReady(warp);
        const bool better = chosen == kNoLine || slot == core.lastSlot ||
                            (chosen != core.lastSlot && goesFirst(warp, m_warps.slots()[chosen]));
        chosen = better ? slot : chosen;
    }
    if (chosen != kNoLine) {
        m_warps.charge(m_warps.slots()[chosen], Stall::NotSelected);
        issue(core, m_warps.slots()[chosen]);
        if (m_warps.slots()[chosen].active)
            next = std::min(next, m_warps.slots()[chosen].readyAt);
    }
    core.nextReady = readyCount > 1 ? now() + 1 : next;
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
    if (from > now()) {
        m_warps.charge(warp, Stall::BranchResolving);
        warp.readyAt = from;
    }
    return true;
}

void Sm::noteTurn(WarpSlot& warp)
{
    const std::size_t span = m_warps.blockOf(warp).span;
    std::vector<std::vector<TurnTally>>& all = m_warps.sums().turns;
    if (all.size() <= span)
        all.resize(span + 1);
    std::vector<TurnTally>& turns = all[span];
    if (turns.size() <= ++warp.turns)
        turns.resize(warp.turns + 1);
    turns[warp.turns].cycles += now();
    ++turns[warp.turns].warps;
}

/// Takes the next visit of the warp's stream. False where there is none now, or it may not start yet.
bool Sm::fetch(WarpSlot& warp)
{
    WarpStream& stream = *warp.stream;
    while (true) {
        if (warp.nextVisit == stream.visits.size()) {
            BlockSlot& block = m_warps.blockOf(warp);
            if (stream.finished) {
                retire(warp);
                return false;
            }
            warp.dry = true;
            warp.listed = block.wanting = true;
            const bool waits = std::any_of(warp.counters.begin(), warp.counters.end(),
                                           [](const ResultCounter& counter) { return counter.unknown != 0; });
            return m_warps.hold(warp, waits ? Stall::LongScoreboard : Stall::NoInstruction, kNever);
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
            warp.listed = m_warps.blockOf(warp).wanting = true;
        if (enterVisit(warp, visit))
            return warp.readyAt <= now();
    }
}

/// Whether the warp can issue now; if not, why and when to look again.
bool Sm::ready(SubCore& core, WarpSlot& warp)
{
    // One that could issue in the cycle before has all it waits for but what others of the SM take from it.
    if (warp.reason == Stall::NotSelected && m_kernel.ops[warp.op].kind != OpKind::Phase)
        return hasPlace(core, warp, m_kernel.ops[warp.op]);
    if (warp.atBarrier)
        return m_warps.hold(warp, Stall::Barrier, kNever);
    if (warp.op == warp.opEnd) {
        if (warp.wantsClock && warp.nextVisit == warp.stream->visits.size()) {
            m_warps.charge(warp, warp.reason); // run() stops before the next cycle
            return false;
        }
        if (!fetch(warp))
            return false;
    }
    const TimedOp& op = m_kernel.ops[warp.op];
    if (warp.op / kCodeChunk != warp.codeChunk) {
        const std::uint64_t arrives = m_caches.codeAt(warp.op / kCodeChunk, now());
        if (arrives > now())
            return m_warps.hold(warp, Stall::NoInstruction, arrives);
        warp.codeChunk = warp.op / kCodeChunk;
    }
    if (const std::uint32_t wanted = warp.op / kCodeLine; warp.codeLine != wanted) {
        warp.codeLine = wanted;
        if (!core.fetchLine(wanted) && m_setup.chip->l0MissCycles > 0)
            return m_warps.hold(warp, Stall::NoInstruction,
                                now() + static_cast<std::uint64_t>(m_setup.chip->l0MissCycles));
    }
    for (unsigned mask = op.waitMask | warp.owedWaits; mask != 0; mask &= mask - 1) {
        const ResultCounter& counter = warp.counters[static_cast<std::size_t>(std::countr_zero(mask))];
        if (counter.unknown != 0)
            return m_warps.hold(warp, counter.reason, kNever);
        if (counter.clearAt > now())
            return m_warps.hold(warp, counter.reason, counter.clearAt);
    }
    if (op.readsConstants) {
        if (const std::uint64_t there = m_caches.constantsAt(now()); there > now())
            return m_warps.hold(warp, Stall::ImcMiss, there);
    }
    if (op.kind == OpKind::AsyncWait && !m_memory.copiesDone(warp, op))
        return false;
    if (op.kind == OpKind::Phase && !m_phases.pass(warp, op))
        return false;
    if (const std::uint64_t done = op.kind == OpKind::GroupWait ? warp.productsDoneBut(op.latency) : 0; done > now())
        return m_warps.hold(warp, Stall::Gmma, done);
    if (op.kind == OpKind::Fence && warp.storesInFlight != 0)
        return m_warps.hold(warp, Stall::Membar, kNever);
    return hasPlace(core, warp, op);
}

/// Whether pipes and queues take the warp's instruction now.
bool Sm::hasPlace(SubCore& core, WarpSlot& warp, const TimedOp& op)
{
    if (const std::uint64_t free = core.pipeFree[static_cast<std::size_t>(core.pipeFor(op))]; free > now())
        return m_warps.hold(warp, Stall::MathPipeThrottle, free);
    if (op.kind == OpKind::Compute && core.bankFree > now())
        return m_warps.hold(warp, Stall::DispatchStall, core.bankFree);
    return !isViaMemoryPipe(op) || m_memory.hasRoom(core, warp, op);
}

void Sm::issue(SubCore& core, WarpSlot& warp)
{
    const TimedOp& op = m_kernel.ops[warp.op];
    const std::uint32_t slot = m_warps.slotOf(warp);
    SmTally& sums = m_warps.sums().tally;
    m_warps.note(TimingEvent::Kind::Issue, slot, warp.op, warp.visit.mask);
    OpTally& tally = m_warps.tallyOf(warp.op);
    ++tally.issued;
    ++tally.stalls[static_cast<std::size_t>(Stall::Selected)];
    ++sums.stalls[static_cast<std::size_t>(Stall::Selected)];
    ++sums.counters.instIssued;
    const Pipe pipe = core.pipeFor(op);
    ++sums.counters.pipeInstructions[static_cast<std::size_t>(pipe)];
    warp.since = now() + 1;
    warp.reason = Stall::Wait;
    warp.readyAt = now() + op.stall;
    warp.lastIssue = now();
    warp.branched = op.pipe == Pipe::Branch;
    warp.owedWaits = 0;
    core.lastSlot = slot;
    if (isViaMemoryPipe(op))
        core.pipeFree[static_cast<std::size_t>(pipe)] = now() + 1;
    else
        core.occupy(pipe, op, now());
    if (op.bankCycles != 0) {
        core.bankFree = now() + 1 + op.bankCycles;
        sums.counters.registerConflicts += op.bankCycles;
    }
    switch (op.kind) {
    case OpKind::Memory:
        m_memory.issueMemory(core, warp, op);
        break;
    case OpKind::Mio:
        m_memory.issueMio(core, warp, op);
        break;
    case OpKind::Barrier:
        m_barriers.arrive(warp);
        break;
    case OpKind::Bulk:
        m_memory.issueBulk(core, warp, op);
        break;
    case OpKind::Phase:
        m_phases.signal(warp, op, now() + op.latency);
        warp.resultAt(op.writeCounter, op.reason, now() + op.latency);
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
        warp.readyAt = std::max(warp.readyAt, now() + op.latency);
        warp.reason = op.latency > op.stall ? Stall::Membar : warp.reason;
        break;
    default: {
        std::uint64_t done = now() + op.latency + op.bankCycles;
        if (op.pipe == Pipe::Tensor && op.reason == Stall::Gmma) {
            // Operands in shared memory hold the pipe until they are there.
            const std::uint64_t there = m_memory.groupOperands(warp, op);
            std::uint64_t& free = core.pipeFree[static_cast<std::size_t>(op.pipe)];
            free = std::max(free, there);
            done = std::max(done, there);
            warp.productsDone = done;
        }
        warp.resultAt(op.readCounter, Stall::ShortScoreboard, now() + 4);
        warp.resultAt(op.writeCounter, op.reason, done);
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
    m_warps.charge(warp, Stall::Drain);
    if (warp.storesLeave > now()) {
        warp.readyAt = warp.storesLeave;
        return;
    }
    const std::uint32_t slot = m_warps.slotOf(warp);
    SmTally& sums = m_warps.sums().tally;
    m_warps.note(TimingEvent::Kind::WarpEnd, slot, m_warps.opOf(warp), 0);
    const std::uint64_t ended = std::max(warp.since, now());
    sums.lastCycle = std::max(sums.lastCycle, ended);
    warp.active = false;
    ++warp.generation;
    --m_liveWarps;
    for (SubCore& core : m_warps.cores())
        core.liveWarps -= core.has(slot) ? 1 : 0;
    BlockSlot& block = m_warps.blockOf(warp);
    if (--block.liveWarps != 0)
        return;
    m_warps.note(TimingEvent::Kind::BlockEnd, slot, 0, static_cast<std::uint32_t>(block.run->block()));
    block.stuck = false;
    block.phases.clear();
    ++sums.blocks;
    sums.counters.activeCycles += --m_liveBlocks == 0 ? ended - m_activeSince : 0;
    m_warps.sums().spans[block.span].end = ended;
    m_places.leave(now(), ended, block.slots.size());
    m_finished.push_back({std::move(block.run), ended});
    block.wanting = false;
}

std::uint32_t Sm::room(std::uint32_t warps, std::uint32_t mostBlocks) const
{
    const std::uint32_t closed = m_places.closed();
    const auto left = static_cast<std::uint32_t>(m_warps.slots().size()) - m_liveWarps - closed * warps;
    return std::min(mostBlocks - std::min(mostBlocks, m_liveBlocks + closed), left / warps);
}

void Sm::standAt(std::uint64_t cycle)
{
    m_warps.standAt(std::max(now(), cycle));
    m_places.standAt(now());
}

void Sm::startBlock(std::unique_ptr<BlockRun> run, std::uint64_t cycle)
{
    if (m_liveBlocks == 0)
        m_warps.standAt(m_activeSince = std::max(now(), cycle));
    auto place = std::find_if(m_warps.blocks().begin(), m_warps.blocks().end(),
                              [](const BlockSlot& block) { return !block.run; });
    if (place == m_warps.blocks().end())
        place = m_warps.blocks().emplace(m_warps.blocks().end());
    BlockSlot& block = *place;
    block.run = std::move(run);
    block.slots.clear();
    for (auto& arrived : block.arrived)
        arrived.clear();
    block.liveWarps = static_cast<std::uint32_t>(block.run->warpCount());
    block.wanting = true;
    block.stuck = false;
    block.phases.clear();
    block.span = m_warps.sums().spans.size();
    m_warps.sums().spans.push_back({block.run->block(), m_index, now(), now()});
    ++m_liveBlocks;
    for (std::uint32_t at = 0; at < block.liveWarps; ++at) {
        SubCore& core = *std::min_element(m_warps.cores().begin(), m_warps.cores().end(),
                                          [](const SubCore& a, const SubCore& b) { return a.liveWarps < b.liveWarps; });
        std::uint32_t slot = core.first;
        while (m_warps.slots()[slot].active)
            ++slot;
        WarpSlot& warp = m_warps.slots()[slot];
        const std::uint32_t generation = warp.generation;
        warp = {};
        warp.generation = generation;
        warp.active = true;
        warp.listed = true;
        warp.dry = true;
        warp.block = static_cast<std::uint32_t>(place - m_warps.blocks().begin());
        warp.warp = at;
        warp.age = m_started;
        warp.readyAt = kNever;
        warp.since = now();
        warp.stream = &block.run->stream(at);
        block.slots.push_back(slot);
        ++core.liveWarps;
        ++m_liveWarps;
        m_warps.note(TimingEvent::Kind::BlockStart, slot, 0, static_cast<std::uint32_t>(block.run->block()));
    }
    ++m_started;
}

std::optional<StopSite> Sm::waitingSite() const
{
    const WarpSlot* warp = m_warps.firstActive();
    if (warp == nullptr)
        return std::nullopt;
    const TimedOp& op = m_kernel.ops[std::min<std::size_t>(warp->op, m_kernel.ops.size() - 1)];
    StopSite site;
    site.pc = op.covers != kNoMicroOp ? op.covers : op.microOp;
    site.pc = site.pc < m_kernel.image->places.size() ? site.pc : kNone;
    site.block = m_warps.blocks()[warp->block].run->blockId();
    site.warp = warp->warp;
    site.lane = warp->visit.mask != 0 ? static_cast<std::uint32_t>(std::countr_zero(warp->visit.mask)) : kNone;
    return site;
}

std::string Sm::describeWaiting() const
{
    const WarpSlot* warp = m_warps.firstActive();
    if (warp == nullptr)
        return {};
    std::string text = m_warps.blocks()[warp->block].run->name() + ", warp " + std::to_string(warp->warp) + " (" +
                       std::string(toText(warp->reason)) + ", cycle " + std::to_string(now()) + ", SM " +
                       std::to_string(m_index) + ")";
    if (const std::uint32_t at = waitingSite()->pc; at != kNone) {
        const OpPlace& place = m_kernel.image->places[at];
        text += place.sourceLine != 0 ? ", source line " + std::to_string(place.sourceLine) : "";
        text += ", PTX line " + std::to_string(place.ptxLine);
    }
    return text;
}

} // namespace ridge::gpu::simt
