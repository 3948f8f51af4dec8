// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/memory_unit.h"

#include <bit>
#include <cmath>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint64_t kHeldPasses =
    8; ///< of the banks, whose instructions the shared pipe holds: no published figure
/// Cycles of packets to L2 that it holds: no published figure. Without a bound warps that store are done long before
/// their data is out, and an H200's clocks say that they are not.
constexpr std::uint64_t kHeldSends = 8;
constexpr std::uint64_t kFrontShared = 4; ///< cycles until a lone shared access leaves the data stage
constexpr std::uint64_t kFrontGlobal = 5; ///< the same with the tag stage

constexpr std::uint64_t kToEngine = 2; ///< cycles from the shared pipe to the copy engine

/// One lane acts for all that are there.
bool isCombined(const TimedOp& op, const Access& access)
{
    return op.part == WarpPart::One || (op.part == WarpPart::Full && access.lanes == std::popcount(kAllLanes));
}

std::uint64_t cyclesFor(std::uint64_t wavefronts, double bytesPerCycle)
{
    return std::max<std::uint64_t>(1,
                                   static_cast<std::uint64_t>(static_cast<double>(wavefronts) * 128 / bytesPerCycle));
}

std::uint32_t sectorsOf(const Access& access, const LineTouch* lines)
{
    std::uint32_t sectors = 0;
    for (std::uint32_t at = 0; at < access.lineCount; ++at)
        sectors += static_cast<std::uint32_t>(std::popcount(lines[at] & 15));
    return sectors;
}

/// A pass through the banks takes a cycle, and a narrow stage moves no more than its bytes in one: 128 bytes in one
/// pass take two cycles at 64 bytes a cycle, 32 passes of one word take 32.
std::uint64_t dataStageCycles(const Access& access, const LineTouch* lines, double bytesPerCycle)
{
    const std::uint64_t bytes =
        std::min(std::uint64_t{sectorsOf(access, lines)} * kSectorBytes, std::uint64_t{access.lanes} * access.bytes);
    const auto moving = static_cast<std::uint64_t>(std::ceil(static_cast<double>(bytes) / bytesPerCycle));
    return std::max<std::uint64_t>({1, access.wavefronts, moving});
}

/// Accesses of the visit that belong to the instruction: the first, how many, and the first of their lines.
struct Found {
    std::size_t first = 0, count = 0, line = 0;
};

Found findAccesses(const WarpSlot& warp, const TimedOp& op)
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

} // namespace

MemoryUnit::MemoryUnit(const SmSetup& setup, ResidentWarps& warps, PhaseUnit& phases)
    : m_chip(*setup.chip), m_warps(warps), m_phases(phases), m_pipe(m_chip),
      m_l1(setup.l1Bytes / 128, static_cast<std::uint32_t>(setup.chip->l1Ways)), m_credit(m_chip), m_port(m_chip),
      m_cluster(m_chip)
{
}

bool MemoryUnit::hasRoom(SubCore& core, WarpSlot& warp, const TimedOp& op)
{
    const bool isGlobal = isGlobalOp(op);
    if (const std::uint64_t oldest = core.queue[core.queueNext]; oldest > m_warps.now())
        return m_warps.hold(warp, isGlobal ? Stall::LgThrottle : Stall::MioThrottle, oldest);
    return !isGlobal || m_credit.grants(op) || m_warps.hold(warp, Stall::LgThrottle, kNever);
}

bool MemoryUnit::copiesDone(WarpSlot& warp, const TimedOp& op)
{
    const std::uint32_t left = op.latency;
    const std::uint32_t needed = warp.copyGroupsClosed > left ? warp.copyGroupsClosed - left : 0;
    std::uint64_t last = 0;
    if (op.readsOnly) {
        for (std::uint32_t group = 0; group < needed; ++group)
            last = std::max(last, warp.copyGroups[group].readAt);
    } else {
        for (; warp.copyGroupsDone < needed; ++warp.copyGroupsDone) {
            const CopyGroup& copies = warp.copyGroups[warp.copyGroupsDone];
            if (copies.pending != 0)
                return m_warps.hold(warp, Stall::LongScoreboard, kNever);
            warp.copiesDoneAt = std::max(warp.copiesDoneAt, copies.doneAt);
        }
        last = warp.copiesDoneAt;
    }
    return last <= m_warps.now() || m_warps.hold(warp, Stall::LongScoreboard, last);
}

/// When the shared pipe takes the instruction that issues now. One of shared memory waits for those before it to leave
/// the pipe for the banks, one of global memory for what they send to L2.
std::uint64_t MemoryUnit::accept(SubCore& core, const TimedOp& op)
{
    const auto before = [](std::uint64_t cycle, std::uint64_t held) { return cycle - std::min(cycle, held); };
    std::uint64_t notBefore = 0;
    if (isGlobalOp(op))
        notBefore = before(m_port.sentAt(), kHeldSends);
    else if (op.kind == OpKind::Memory)
        notBefore = before(m_pipe.banksFree(), kHeldPasses);
    const std::uint64_t at = m_pipe.accept(m_warps.now(), notBefore);
    core.queued(at);
    return at;
}

/// Shuffles, and match.any: a unit of the SM goes through the values that differ, one after another.
void MemoryUnit::issueMio(SubCore& core, WarpSlot& warp, const TimedOp& op)
{
    const std::uint64_t accepted = accept(core, op);
    std::uint64_t result = accepted + op.latency - 2;
    if (op.countsValues) {
        const Found found = findAccesses(warp, op);
        const std::uint64_t values =
            found.count == 0 ? 1 : std::max<std::uint64_t>(warp.stream->accesses[found.first].wavefronts, 1);
        const std::uint64_t each = std::max<std::uint64_t>(op.interval / m_warps.cores().size(), 1);
        const std::uint64_t start = m_pipe.match(accepted, values * each);
        result += start - accepted + (values - 1) * static_cast<std::uint64_t>(m_chip.matchCycles);
    }
    warp.resultAt(op.readCounter, Stall::ShortScoreboard, accepted + 1);
    warp.resultAt(op.writeCounter, op.reason, result);
}

void MemoryUnit::issueMemory(SubCore& core, WarpSlot& warp, const TimedOp& op)
{
    if (op.part == WarpPart::Partial && warp.visit.mask == kAllLanes)
        return; // its predicate is false
    const std::uint64_t accepted = accept(core, op);
    warp.resultAt(op.readCounter, Stall::ShortScoreboard, accepted + 5);
    const WarpStream& stream = *warp.stream;
    const Found found = findAccesses(warp, op);
    std::size_t at = found.first;
    std::size_t line = found.line;
    const std::size_t count = found.count;
    const std::size_t first = count * op.share / op.shares;
    const std::size_t last = count * (op.share + 1u) / op.shares;
    for (std::size_t index = 0; index < last; ++index, ++at) {
        const Access& access = stream.accesses[at];
        const bool cached = access.space == Space::Global || access.space == Space::Local;
        if (index >= first && cached && access.lineCount > 0)
            globalAccess(warp, op, access, &stream.lines[line], accepted);
        else if (index >= first)
            sharedAccess(warp, op, access, accepted);
        line += access.lineCount;
    }
    warp.hintAccess = at;
    warp.hintLine = line;
    if (!stream.phases.empty()) // st.async, red.async
        m_phases.signal(warp, op, accepted + 1);
}

/// Shared memory, and constants: passes through the banks.
void MemoryUnit::sharedAccess(WarpSlot& warp, const TimedOp& op, const Access& access, std::uint64_t accepted)
{
    if (access.isRemote) {
        const std::uint64_t bytes =
            access.bulkBytes != 0 ? access.bulkBytes : std::uint64_t{access.lanes} * access.bytes;
        const std::uint64_t there = m_cluster.access(bytes, accepted);
        if (access.op != MemoryOp::Store)
            warp.resultAt(op.writeCounter, op.reason, there);
        return;
    }
    std::uint64_t wavefronts = std::max<std::uint64_t>(access.wavefronts, 1);
    // Lanes that meet in a word pass one after another, and each pass of an atomic takes one cycle more to come back.
    std::uint64_t late = 0;
    if (access.op == MemoryOp::Atomic) {
        const std::uint64_t meeting = isCombined(op, access) ? 1 : std::max<std::uint64_t>(access.sameAddress, 1);
        wavefronts = (wavefronts + meeting - 1) * op.passes;
        late = wavefronts - op.passes;
    }
    const std::uint64_t passed = m_pipe.banks(accepted + 1, cyclesFor(wavefronts, m_chip.sharedBytesPerCycle));
    if (access.op != MemoryOp::Load)
        warp.storesLeave = std::max(warp.storesLeave, passed);
    if (access.space == Space::Shared) {
        m_warps.sums().tally.counters.sharedWavefronts += wavefronts;
        OpTally& tally = m_warps.tallyOf(warp.op);
        tally.sharedWavefronts += wavefronts;
        tally.sharedLeast += access.least;
    }
    const std::uint64_t rest = op.latency > kFrontShared ? op.latency - kFrontShared : 0;
    if (access.op != MemoryOp::Store)
        warp.resultAt(op.writeCounter, op.reason, passed + rest + late);
}

/// Bytes besides the sectors' own with which each line of a store or atomic goes out: of an atomic always, of a store
/// if it does not fill its sectors, since L2 must be told which bytes are meant.
std::uint32_t MemoryUnit::headerOf(const TimedOp& op, const Access& access, const LineTouch* lines) const
{
    const auto header = static_cast<std::uint32_t>(m_chip.headerBytes);
    if (header == 0 || access.op == MemoryOp::Load)
        return 0;
    if (access.op == MemoryOp::Atomic) {
        const std::uint32_t serial = isCombined(op, access) ? 1 : std::max<std::uint32_t>(access.sameAddress, 1);
        return header + (serial - 1) * kSectorBytes / std::max<std::uint32_t>(access.lineCount, 1);
    }
    return std::uint32_t{access.lanes} * access.bytes < sectorsOf(access, lines) * kSectorBytes ? header : 0;
}

void MemoryUnit::globalAccess(WarpSlot& warp, const TimedOp& op, const Access& access, const LineTouch* lines,
                              std::uint64_t accepted)
{
    TimingCounters& counters = m_warps.sums().tally.counters;
    const std::uint64_t tagCycles = (access.lineCount + static_cast<std::uint64_t>(m_chip.tagsPerCycle) - 1) /
                                    static_cast<std::uint64_t>(m_chip.tagsPerCycle);
    const std::uint64_t tagEnd = m_pipe.tags(accepted + 1, tagCycles);
    ++counters.l1Requests;
    counters.l1TagWavefronts += tagCycles;
    const std::uint64_t dataCycles = dataStageCycles(access, lines, m_chip.l1BytesPerCycle);
    Transaction transaction;
    transaction.slot = m_warps.slotOf(warp);
    transaction.generation = warp.generation;
    transaction.dataCycles = static_cast<std::uint32_t>(dataCycles);
    transaction.isStore =
        access.op == MemoryOp::Store || (access.op == MemoryOp::Atomic && op.writeCounter == kNoCounter);
    transaction.counter = transaction.isStore ? kNoCounter : op.writeCounter;
    if (op.isCopy) {
        warp.openCopyGroup();
        transaction.copyGroup = warp.copyGroupsClosed;
    }
    const std::uint32_t id = m_transactions.add(transaction);
    if (access.space == Space::Local && access.op == MemoryOp::Store)
        keepLocal(access, lines);
    std::uint32_t sectors = 0;
    const std::uint32_t header = headerOf(op, access, lines);
    for (std::uint32_t at = 0; at < access.lineCount; ++at) {
        const auto touched = static_cast<std::uint8_t>(lines[at] & 15);
        sectors += static_cast<std::uint32_t>(std::popcount(touched));
        if (access.op == MemoryOp::Load) {
            load(lines[at] >> 4, touched, id, tagEnd, op.pastL1);
            continue;
        }
        L2Request out;
        out.cycle = tagEnd;
        out.line = lines[at] >> 4;
        out.transaction = id;
        out.sectors = touched;
        out.kind = access.op == MemoryOp::Store ? L2Request::Kind::Write : L2Request::Kind::Atomic;
        out.wantsResult = !transaction.isStore;
        out.serial = isCombined(op, access) ? std::uint16_t{1} : std::max<std::uint16_t>(access.sameAddress, 1);
        ++m_transactions[id].remaining;
        const std::uint64_t leaves =
            send(out, header + static_cast<std::uint32_t>(std::popcount(touched)) * kSectorBytes);
        warp.storesLeave = std::max(warp.storesLeave, leaves);
    }
    if (access.space == Space::Global) {
        OpTally& tally = m_warps.tallyOf(warp.op);
        tally.sectors += sectors;
        tally.requestSectors += sectors;
        ++tally.requests;
    }
    m_warps.note(TimingEvent::Kind::Request, transaction.slot, warp.op, sectors);
    if (access.op != MemoryOp::Load)
        m_credit.queueStore(access.lineCount);
    if (transaction.isStore) {
        ++warp.storesInFlight;
        return;
    }
    if (m_transactions[id].remaining != 0) {
        warp.resultPending(op);
        if (op.isCopy)
            ++warp.copyGroups.back().pending;
        return;
    }
    // Everything hit.
    m_transactions.remove(id);
    counters.l1DataWavefronts += dataCycles;
    const std::uint64_t rest = op.latency > kFrontGlobal ? op.latency - kFrontGlobal : 0;
    const std::uint64_t done = m_pipe.data(tagEnd, dataCycles) + rest;
    warp.resultAt(op.writeCounter, op.reason, done);
    if (op.isCopy)
        warp.copyGroups.back().doneAt = std::max(warp.copyGroups.back().doneAt, done);
}

/// L1 keeps what a warp stores whole sectors of in local memory, so that spilled values come back from there.
void MemoryUnit::keepLocal(const Access& access, const LineTouch* lines)
{
    if (std::uint64_t{access.lanes} * access.bytes != std::uint64_t{sectorsOf(access, lines)} * kSectorBytes)
        return;
    for (std::uint32_t at = 0; at < access.lineCount; ++at)
        m_l1.keep(lines[at] >> 4, static_cast<std::uint8_t>(lines[at] & 15));
}

/// One line of a load.
void MemoryUnit::load(std::uint64_t tag, std::uint8_t sectors, std::uint32_t transaction, std::uint64_t cycle,
                      bool pastL1)
{
    const L1Cache::Lookup found = m_l1.lookUp(tag, sectors, transaction, pastL1);
    TimingCounters& counters = m_warps.sums().tally.counters;
    counters.l1SectorHits += found.hits;
    counters.l1SectorMisses += static_cast<std::uint64_t>(std::popcount(sectors)) - found.hits;
    if (found.missing == 0)
        return;
    ++m_transactions[transaction].remaining;
    if (found.toAsk == 0)
        return;
    L2Request out;
    out.cycle = cycle;
    out.line = tag;
    out.transaction = transaction;
    out.l1Line = found.line;
    out.sectors = found.toAsk;
    send(out, static_cast<std::uint32_t>(m_chip.headerBytes));
}

std::uint64_t MemoryUnit::send(const L2Request& request, std::uint32_t bytes)
{
    m_credit.lineLeaves(request.kind != L2Request::Kind::Read);
    return m_port.send(request, bytes);
}

/// Data arrives, through a port of limited width.
void MemoryUnit::receive()
{
    const L2Reply reply = m_port.takeReply();
    if (m_transactions[reply.transaction].bulk == kNoLine)
        m_credit.lineArrives(reply.kind != L2Request::Kind::Read);
    const std::uint64_t done = m_port.receive(reply);
    if (reply.l1Line == kNoLine)
        complete(reply.transaction, done);
    else
        m_l1.fill(reply.l1Line, reply.sectors, [&](std::uint32_t transaction) { complete(transaction, done); });
    if (!m_credit.hasMore())
        return;
    for (WarpSlot& warp : m_warps.slots()) {
        if (warp.active && warp.reason == Stall::LgThrottle)
            m_warps.wake(warp);
    }
}

/// One line of a transaction is there.
void MemoryUnit::complete(std::uint32_t id, std::uint64_t cycle)
{
    Transaction& transaction = m_transactions[id];
    transaction.doneAt = std::max(transaction.doneAt, cycle);
    if (--transaction.remaining != 0)
        return;
    WarpSlot& slot = m_warps.slots()[transaction.slot];
    WarpSlot* warp = slot.active && slot.generation == transaction.generation ? &slot : nullptr; // null: it has ended
    if (transaction.bulk != kNoLine) {
        bulkDone(transaction.bulk, transaction.doneAt);
        if (warp != nullptr && transaction.copyGroup != kNoLine) {
            CopyGroup& group = warp->copyGroups[transaction.copyGroup];
            --group.pending;
            group.doneAt = std::max(group.doneAt, transaction.doneAt);
            m_warps.wake(*warp);
        }
    } else if (transaction.isStore) {
        if (warp != nullptr && --warp->storesInFlight == 0)
            m_warps.wake(*warp);
    } else {
        resultsArrive(transaction, warp);
    }
    m_transactions.remove(id);
}

/// Of a load, an asynchronous copy or an atomic: all its lines are there. `warp` null: it has ended.
void MemoryUnit::resultsArrive(const Transaction& transaction, WarpSlot* warp)
{
    const std::uint64_t done = m_pipe.data(transaction.doneAt, transaction.dataCycles);
    m_warps.sums().tally.counters.l1DataWavefronts += transaction.dataCycles;
    if (warp == nullptr)
        return;
    if (transaction.copyGroup != kNoLine) {
        CopyGroup& group = warp->copyGroups[transaction.copyGroup];
        --group.pending;
        group.doneAt = std::max(group.doneAt, done);
        for (const PhaseNote& note : group.pending == 0 ? std::exchange(group.notes, {}) : std::vector<PhaseNote>())
            m_phases.signal(warp->block, note, group.doneAt);
        m_warps.wake(*warp);
    }
    if (transaction.counter != kNoCounter) {
        ResultCounter& counter = warp->counters[transaction.counter];
        --counter.unknown;
        counter.clearAt = std::max(counter.clearAt, done);
        m_warps.note(TimingEvent::Kind::Reply, transaction.slot, m_warps.opOf(*warp), 0);
        m_warps.wake(*warp);
    }
}

std::uint64_t MemoryUnit::groupOperands(WarpSlot& warp, const TimedOp& op)
{
    const Found found = findAccesses(warp, op);
    const WarpStream& stream = *warp.stream;
    std::uint64_t wavefronts = 0;
    for (std::size_t at = found.first; at < found.first + found.count; ++at)
        wavefronts += stream.accesses[at].wavefronts;
    if (wavefronts == 0)
        return 0;
    m_warps.sums().tally.counters.sharedWavefronts += wavefronts;
    return m_pipe.data(m_warps.now(),
                       static_cast<std::uint64_t>(static_cast<double>(wavefronts) * 128 / m_chip.sharedBytesPerCycle));
}

void MemoryUnit::issueBulk(SubCore& core, WarpSlot& warp, const TimedOp& op)
{
    const std::uint64_t accepted = accept(core, op);
    warp.resultAt(op.readCounter, Stall::ShortScoreboard, accepted + 5);
    // The one transaction stands for the instruction itself.
    const std::uint32_t bulk = m_engine.begin({true, 1, warp.block, m_warps.blockOf(warp).run->block(), accepted, {}});
    BulkCopies& copies = m_engine[bulk];
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
            bulkLines(warp, op, access, &stream.lines[line], accepted + kToEngine, bulk);
            isLoad = isLoad || access.op == MemoryOp::Load;
        } else if (access.isRemote && !isLoad) { // a multicast's data come from L2 by themselves
            copies.doneAt = std::max(copies.doneAt, m_cluster.access(access.bulkBytes, accepted));
        }
        line += access.lineCount;
    }
    bulkDone(bulk, copies.doneAt);
}

/// Lines go out one after another, as fast as the SM's port takes their data. They pass by the L1.
void MemoryUnit::bulkLines(WarpSlot& warp, const TimedOp& op, const Access& access, const LineTouch* lines,
                           std::uint64_t from, std::uint32_t bulk)
{
    const bool isLoad = access.op == MemoryOp::Load;
    const double width = isLoad ? m_chip.fillBytesPerCycle : m_chip.sendBytesPerCycle;
    const auto step = static_cast<std::uint64_t>(std::max(1.0, 128 / width));
    // The latency of a copy that hits L2 is known: what it has over a load is spent before the lines go out.
    const double ahead = isLoad ? op.latency - m_chip.l2HitCycles : 0;
    from += static_cast<std::uint64_t>(std::max(0.0, ahead));
    Transaction transaction;
    transaction.slot = m_warps.slotOf(warp);
    transaction.generation = warp.generation;
    transaction.isStore = !isLoad;
    transaction.bulk = bulk;
    if (op.isCopy) {
        ++warp.openCopyGroup().pending;
        transaction.copyGroup = warp.copyGroupsClosed;
    }
    transaction.remaining = access.lineCount;
    const std::uint32_t id = m_transactions.add(transaction);
    ++m_engine[bulk].remaining;
    std::uint64_t at = std::max(from, m_engine.freeAt);
    std::uint32_t sectors = 0;
    for (std::uint32_t line = 0; line < access.lineCount; ++line, at += step) {
        L2Request out;
        out.cycle = at;
        out.line = lines[line] >> 4;
        out.transaction = id;
        out.sectors = static_cast<std::uint8_t>(lines[line] & 15);
        out.kind = isLoad ? L2Request::Kind::Read : L2Request::Kind::Write;
        sectors += static_cast<std::uint32_t>(std::popcount(out.sectors));
        m_port.ask(out);
    }
    m_engine.freeAt = at;
    if (op.isCopy)
        warp.copyGroups.back().readAt = std::max(warp.copyGroups.back().readAt, at);
    m_warps.tallyOf(warp.op).sectors += sectors;
    m_warps.note(TimingEvent::Kind::Request, transaction.slot, warp.op, sectors);
    if (access.lineCount == 0) { // a box outside the tensor
        m_transactions[id].remaining = 1;
        complete(id, at);
    }
}

/// One transaction of an instruction of the copy engine is done.
void MemoryUnit::bulkDone(std::uint32_t bulk, std::uint64_t cycle)
{
    if (!m_engine.finish(bulk, cycle))
        return;
    const BulkCopies& copies = m_engine[bulk];
    const BlockSlot& block = m_warps.blocks()[copies.block];
    const bool isThere = block.run && block.run->block() == copies.blockIndex;
    for (const PhaseNote& note : copies.notes) {
        if (note.isRemote || isThere)
            m_phases.signal(copies.block, note, copies.doneAt);
    }
}

} // namespace ridge::gpu::simt
