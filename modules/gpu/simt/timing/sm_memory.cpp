// SPDX-License-Identifier: GPL-3.0-or-later
// The memory pipe of an SM: queue, coalescer, tag and data stage, L1, what goes out and what comes back.
#include "gpu/simt/timing/sm.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint64_t kToPipe = 2; ///< cycles from issue to the shared pipe
constexpr std::uint64_t kHeldPasses =
    8; ///< of the banks, whose instructions the shared pipe holds: no published figure
/// Cycles of packets to L2 that it holds: no published figure. Without a bound warps that store are done long before
/// their data is out, and an H200's clocks say that they are not.
constexpr std::uint64_t kHeldSends = 8;
constexpr std::uint64_t kFrontShared = 4; ///< cycles until a lone shared access leaves the data stage
constexpr std::uint64_t kFrontGlobal = 5; ///< the same with the tag stage
constexpr std::uint32_t kSectorBytes = 32;

bool later(const L2Reply& a, const L2Reply& b)
{
    return a.cycle != b.cycle ? a.cycle > b.cycle : a.order > b.order;
}

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

} // namespace

/// Whether all closed groups of copies but the last few (op.latency) have arrived, or at least have been read; if not,
/// the warp is put to wait.
bool Sm::copiesDone(WarpSlot& warp, const TimedOp& op)
{
    const std::uint32_t left = op.latency;
    const std::uint32_t needed = warp.copyGroupsClosed > left ? warp.copyGroupsClosed - left : 0;
    std::uint64_t last = 0;
    for (std::uint32_t group = 0; group < needed; ++group) {
        const CopyGroup& copies = warp.copyGroups[group];
        if (copies.pending != 0 && !op.readsOnly)
            return block(warp, Stall::LongScoreboard, kNever);
        last = std::max(last, op.readsOnly ? copies.readAt : copies.doneAt);
    }
    return last <= m_now || block(warp, Stall::LongScoreboard, last);
}

/// When the shared pipe takes the instruction that issues now. One of shared memory waits for those before it to leave
/// the pipe for the banks, one of global memory for what they send to L2.
std::uint64_t Sm::accept(SubCore& core, const TimedOp& op)
{
    const bool banks = op.kind == OpKind::Memory && !isGlobalOp(op);
    std::uint64_t at = std::max(m_now + kToPipe, m_mioFree);
    if (banks)
        at = std::max(at, m_bankFree - std::min(m_bankFree, kHeldPasses));
    if (isGlobalOp(op)) {
        const std::uint64_t sent = m_sendFree / static_cast<std::uint64_t>(m_setup.chip->sendBytesPerCycle);
        at = std::max(at, sent - std::min(sent, kHeldSends));
    }
    m_mioFree = at + static_cast<std::uint64_t>(m_setup.chip->mioAcceptCycles);
    core.queue[core.queueNext] = at;
    core.queueNext = (core.queueNext + 1) % core.queue.size();
    return at;
}

void Sm::wake(WarpSlot& warp)
{
    if (warp.readyAt <= m_now)
        return;
    if (warp.readyAt == kNever)
        warp.readyAt = m_now;
    const auto slot = static_cast<std::uint32_t>(&warp - m_slots.data());
    for (SubCore& core : m_cores) {
        if (slot >= core.first && slot < core.end)
            core.nextReady = std::min(core.nextReady, warp.readyAt);
    }
}

void Sm::knownResult(WarpSlot& warp, std::uint8_t counter, Stall reason, std::uint64_t cycle)
{
    if (counter == kNoCounter)
        return;
    ResultCounter& result = warp.counters[counter];
    result.clearAt = std::max(result.clearAt, cycle);
    result.reason = reason;
}

void Sm::pendingResult(WarpSlot& warp, const TimedOp& op)
{
    if (op.writeCounter == kNoCounter)
        return;
    ++warp.counters[op.writeCounter].unknown;
    warp.counters[op.writeCounter].reason = op.reason;
}

/// Shuffles, and match.any: a unit of the SM goes through the values that differ, one after another.
void Sm::issueMio(SubCore& core, WarpSlot& warp, const TimedOp& op)
{
    const std::uint64_t accepted = accept(core, op);
    std::uint64_t result = accepted + op.latency - 2;
    if (op.countsValues) {
        const Found found = findAccesses(warp, op);
        const std::uint64_t values =
            found.count == 0 ? 1 : std::max<std::uint64_t>(warp.stream->accesses[found.first].wavefronts, 1);
        const std::uint64_t start = std::max(accepted, m_matchFree);
        m_matchFree = start + values * std::max<std::uint64_t>(op.interval / m_cores.size(), 1);
        result += start - accepted + (values - 1) * static_cast<std::uint64_t>(m_setup.chip->matchCycles);
    }
    knownResult(warp, op.readCounter, Stall::ShortScoreboard, accepted + 1);
    knownResult(warp, op.writeCounter, op.reason, result);
}

void Sm::issueMemory(SubCore& core, WarpSlot& warp, std::uint32_t slot, const TimedOp& op)
{
    if (op.part == WarpPart::Partial && warp.visit.mask == kAllLanes)
        return; // its predicate is false
    const std::uint64_t accepted = accept(core, op);
    knownResult(warp, op.readCounter, Stall::ShortScoreboard, accepted + 5);
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
            globalAccess(warp, slot, op, access, &stream.lines[line], accepted);
        else if (index >= first)
            sharedAccess(warp, op, access, accepted);
        line += access.lineCount;
    }
    warp.hintAccess = at;
    warp.hintLine = line;
    if (!stream.phases.empty()) // st.async, red.async
        signalPhases(warp, op, accepted + 1);
}

/// Shared memory, and constants: passes through the banks.
void Sm::sharedAccess(WarpSlot& warp, const TimedOp& op, const Access& access, std::uint64_t accepted)
{
    if (access.isRemote) {
        const std::uint64_t bytes =
            access.bulkBytes != 0 ? access.bulkBytes : std::uint64_t{access.lanes} * access.bytes;
        const std::uint64_t there = remoteAccess(bytes, accepted);
        if (access.op != MemoryOp::Store)
            knownResult(warp, op.writeCounter, op.reason, there);
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
    const std::uint64_t start = std::max(accepted + 1, m_dataFree);
    m_dataFree = m_bankFree = start + cyclesFor(wavefronts, m_setup.chip->sharedBytesPerCycle);
    if (access.op != MemoryOp::Load)
        warp.storesLeave = std::max(warp.storesLeave, m_bankFree);
    if (access.space == Space::Shared) {
        m_tally.counters.sharedWavefronts += wavefronts;
        m_ops[warp.op].sharedWavefronts += wavefronts;
        m_ops[warp.op].sharedLeast += access.least;
    }
    const std::uint64_t rest = op.latency > kFrontShared ? op.latency - kFrontShared : 0;
    if (access.op != MemoryOp::Store)
        knownResult(warp, op.writeCounter, op.reason, m_dataFree + rest + late);
}

/// Bytes besides the sectors' own with which each line of a store or atomic goes out: of an atomic always, of a store
/// if it does not fill its sectors, since L2 must be told which bytes are meant.
std::uint32_t Sm::headerOf(const TimedOp& op, const Access& access, const LineTouch* lines) const
{
    const auto header = static_cast<std::uint32_t>(m_setup.chip->headerBytes);
    if (header == 0 || access.op == MemoryOp::Load)
        return 0;
    if (access.op == MemoryOp::Atomic) {
        const std::uint32_t serial = isCombined(op, access) ? 1 : std::max<std::uint32_t>(access.sameAddress, 1);
        return header + (serial - 1) * kSectorBytes / std::max<std::uint32_t>(access.lineCount, 1);
    }
    return std::uint32_t{access.lanes} * access.bytes < sectorsOf(access, lines) * kSectorBytes ? header : 0;
}

void Sm::globalAccess(WarpSlot& warp, std::uint32_t slot, const TimedOp& op, const Access& access,
                      const LineTouch* lines, std::uint64_t accepted)
{
    TimingCounters& counters = m_tally.counters;
    const std::uint64_t tagCycles = (access.lineCount + static_cast<std::uint64_t>(m_setup.chip->tagsPerCycle) - 1) /
                                    static_cast<std::uint64_t>(m_setup.chip->tagsPerCycle);
    const std::uint64_t tagStart = std::max(accepted + 1, m_tagFree);
    const std::uint64_t tagEnd = tagStart + tagCycles;
    m_tagFree = tagEnd;
    ++counters.l1Requests;
    counters.l1TagWavefronts += tagCycles;
    const std::uint64_t dataCycles = dataStageCycles(access, lines, m_setup.chip->l1BytesPerCycle);
    Transaction transaction;
    transaction.slot = slot;
    transaction.generation = warp.generation;
    transaction.dataCycles = static_cast<std::uint32_t>(dataCycles);
    transaction.isStore =
        access.op == MemoryOp::Store || (access.op == MemoryOp::Atomic && op.writeCounter == kNoCounter);
    transaction.counter = transaction.isStore ? kNoCounter : op.writeCounter;
    if (op.isCopy) {
        warp.copyGroups.resize(warp.copyGroupsClosed + 1);
        transaction.copyGroup = warp.copyGroupsClosed;
    }
    const std::uint32_t id = newTransaction(transaction);
    if (access.space == Space::Local && access.op == MemoryOp::Store)
        keepLocal(access, lines);
    std::uint32_t sectors = 0;
    const std::uint32_t header = headerOf(op, access, lines);
    for (std::uint32_t at = 0; at < access.lineCount; ++at) {
        const auto touched = static_cast<std::uint8_t>(lines[at] & 15);
        sectors += static_cast<std::uint32_t>(std::popcount(touched));
        if (access.op == MemoryOp::Load) {
            lookUp(lines[at] >> 4, touched, id, tagEnd, op.pastL1);
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
            request(out, header + static_cast<std::uint32_t>(std::popcount(touched)) * kSectorBytes);
        warp.storesLeave = std::max(warp.storesLeave, leaves);
    }
    if (access.space == Space::Global) {
        m_ops[warp.op].sectors += sectors;
        m_ops[warp.op].requestSectors += sectors;
        ++m_ops[warp.op].requests;
    }
    note(TimingEvent::Kind::Request, slot, warp.op, sectors);
    if (access.op != MemoryOp::Load)
        queueStore(access.lineCount);
    if (transaction.isStore) {
        ++warp.storesInFlight;
        return;
    }
    if (m_transactions[id].remaining != 0) {
        pendingResult(warp, op);
        if (op.isCopy)
            ++warp.copyGroups.back().pending;
        return;
    }
    // Everything hit.
    m_transactions[id].next = m_freeTransaction;
    m_freeTransaction = id;
    const std::uint64_t start = std::max(tagEnd, m_dataFree);
    m_dataFree = start + dataCycles;
    counters.l1DataWavefronts += dataCycles;
    const std::uint64_t rest = op.latency > kFrontGlobal ? op.latency - kFrontGlobal : 0;
    knownResult(warp, op.writeCounter, op.reason, m_dataFree + rest);
    if (op.isCopy)
        warp.copyGroups.back().doneAt = std::max(warp.copyGroups.back().doneAt, m_dataFree + rest);
}

/// L1 keeps what a warp stores whole sectors of in local memory, so that spilled values come back from there.
void Sm::keepLocal(const Access& access, const LineTouch* lines)
{
    if (std::uint64_t{access.lanes} * access.bytes != std::uint64_t{sectorsOf(access, lines)} * kSectorBytes)
        return;
    for (std::uint32_t at = 0; at < access.lineCount; ++at) {
        std::uint32_t line = m_l1.find(lines[at] >> 4);
        line = line == kNoLine ? m_l1.allocate(lines[at] >> 4) : line;
        if (line == kNoLine)
            continue;
        m_l1.line(line).valid = static_cast<std::uint8_t>(m_l1.line(line).valid | (lines[at] & 15));
        m_l1.touch(line);
    }
}

std::uint32_t Sm::newTransaction(const Transaction& transaction)
{
    if (m_freeTransaction == kNoLine) {
        m_transactions.push_back(transaction);
        return static_cast<std::uint32_t>(m_transactions.size() - 1);
    }
    const std::uint32_t id = m_freeTransaction;
    m_freeTransaction = m_transactions[id].next;
    m_transactions[id] = transaction;
    return id;
}

/// One line of a load: what is there, what is on its way, what must be asked for.
void Sm::lookUp(std::uint64_t tag, std::uint8_t sectors, std::uint32_t transaction, std::uint64_t cycle, bool pastL1)
{
    std::uint32_t at = pastL1 ? kNoLine : m_l1.find(tag);
    const std::uint8_t there = at == kNoLine ? std::uint8_t{0} : m_l1.line(at).valid;
    const auto missing = static_cast<std::uint8_t>(sectors & ~there);
    // What is on its way is a hit, as Nsight Compute counts.
    const auto known = static_cast<std::uint8_t>(at == kNoLine ? 0 : sectors & (there | m_l1.line(at).pending));
    const auto hits = static_cast<std::uint64_t>(std::popcount(known));
    m_tally.counters.l1SectorHits += hits;
    m_tally.counters.l1SectorMisses += static_cast<std::uint64_t>(std::popcount(sectors)) - hits;
    if (missing == 0) {
        m_l1.touch(at);
        return;
    }
    if (at == kNoLine && !pastL1)
        at = m_l1.allocate(tag);
    ++m_transactions[transaction].remaining;
    L2Request out;
    out.cycle = cycle;
    out.line = tag;
    out.transaction = transaction;
    out.l1Line = at;
    out.sectors = missing;
    if (at == kNoLine) { // no room, or not wanted there: it passes by
        request(out, static_cast<std::uint32_t>(m_setup.chip->headerBytes));
        return;
    }
    SectorCache::Line& line = m_l1.line(at);
    m_l1.touch(at);
    std::uint32_t waiter = m_freeWaiter;
    if (waiter == kNoLine) {
        waiter = static_cast<std::uint32_t>(m_waiters.size());
        m_waiters.emplace_back();
    } else {
        m_freeWaiter = m_waiters[waiter].next;
    }
    m_waiters[waiter] = {line.waiters, transaction, missing};
    line.waiters = waiter;
    out.sectors = static_cast<std::uint8_t>(missing & ~line.pending);
    line.pending |= missing;
    if (out.sectors != 0)
        request(out, static_cast<std::uint32_t>(m_setup.chip->headerBytes));
}

void Sm::insertRequest(const L2Request& request)
{
    // The copy engine asks ahead of time: what others ask sooner goes in front.
    auto at = m_requests.end();
    while (at != m_requests.begin() && std::prev(at)->cycle > request.cycle)
        --at;
    m_requests.insert(at, request);
}

std::uint64_t Sm::request(const L2Request& wanted, std::uint32_t bytes)
{
    L2Request out = wanted;
    const auto width = static_cast<std::uint64_t>(m_setup.chip->sendBytesPerCycle);
    const std::uint64_t start = std::max(out.cycle * width, m_sendFree);
    m_sendFree = start + bytes;
    out.bytes = static_cast<std::uint16_t>(bytes);
    out.cycle = (start + width - 1) / width;
    out.order = m_order++;
    ++m_pendingLines;
    m_storeLines += out.kind == L2Request::Kind::Read ? 0 : 1;
    insertRequest(out);
    return out.cycle;
}

void Sm::deliver(const L2Reply& reply)
{
    m_inbox.push_back(reply);
    std::push_heap(m_inbox.begin(), m_inbox.end(), later);
}

/// Data arrives, through a port of limited width.
void Sm::receive(const L2Reply& reply)
{
    if (m_transactions[reply.transaction].bulk == kNoLine) {
        --m_pendingLines;
        m_storeLines -= reply.kind == L2Request::Kind::Read ? 0 : 1;
    }
    const auto width = static_cast<std::uint64_t>(m_setup.chip->fillBytesPerCycle);
    std::uint64_t done = reply.cycle + 1;
    if (reply.kind == L2Request::Kind::Read) {
        m_fillFree = std::max(reply.cycle * width, m_fillFree) +
                     static_cast<std::uint64_t>(std::popcount(reply.sectors)) * kSectorBytes;
        done = std::max(done, (m_fillFree + width - 1) / width);
    }
    if (reply.l1Line == kNoLine) {
        complete(reply.transaction, done);
    } else {
        SectorCache::Line& line = m_l1.line(reply.l1Line);
        line.valid |= reply.sectors;
        line.pending = static_cast<std::uint8_t>(line.pending & ~reply.sectors);
        std::uint32_t* link = &line.waiters;
        while (*link != kNoLine) {
            Waiter& waiter = m_waiters[*link];
            waiter.sectors = static_cast<std::uint8_t>(waiter.sectors & ~reply.sectors);
            if (waiter.sectors != 0) {
                link = &waiter.next;
                continue;
            }
            const std::uint32_t freed = *link;
            const std::uint32_t transaction = waiter.transaction;
            *link = waiter.next;
            m_waiters[freed].next = m_freeWaiter;
            m_freeWaiter = freed;
            complete(transaction, done);
        }
    }
    wakeStarved();
}

/// One line of a transaction is there.
void Sm::complete(std::uint32_t id, std::uint64_t cycle)
{
    Transaction& transaction = m_transactions[id];
    transaction.doneAt = std::max(transaction.doneAt, cycle);
    if (--transaction.remaining != 0)
        return;
    WarpSlot& warp = m_slots[transaction.slot];
    const bool alive = warp.active && warp.generation == transaction.generation;
    if (transaction.bulk != kNoLine) {
        bulkDone(transaction.bulk, transaction.doneAt);
        if (alive && transaction.copyGroup != kNoLine) {
            CopyGroup& group = warp.copyGroups[transaction.copyGroup];
            --group.pending;
            group.doneAt = std::max(group.doneAt, transaction.doneAt);
            wake(warp);
        }
        m_transactions[id].next = m_freeTransaction;
        m_freeTransaction = id;
        return;
    }
    if (alive && transaction.isStore) {
        if (--warp.storesInFlight == 0)
            wake(warp);
    } else if (!transaction.isStore) {
        m_dataFree = std::max(m_dataFree, transaction.doneAt) + transaction.dataCycles;
        m_tally.counters.l1DataWavefronts += transaction.dataCycles;
        if (alive && transaction.copyGroup != kNoLine) {
            CopyGroup& group = warp.copyGroups[transaction.copyGroup];
            --group.pending;
            group.doneAt = std::max(group.doneAt, m_dataFree);
            for (const PhaseNote& note : group.pending == 0 ? std::exchange(group.notes, {}) : std::vector<PhaseNote>())
                signalPhase(warp.block, note, group.doneAt);
            wake(warp);
        }
        if (alive && transaction.counter != kNoCounter) {
            ResultCounter& counter = warp.counters[transaction.counter];
            --counter.unknown;
            counter.clearAt = std::max(counter.clearAt, m_dataFree);
            note(TimingEvent::Kind::Reply, transaction.slot,
                 std::min(warp.op, static_cast<std::uint32_t>(m_ops.size()) - 1), 0);
            wake(warp);
        }
    }
    transaction.next = m_freeTransaction;
    m_freeTransaction = id;
}

} // namespace ridge::gpu::simt
