// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/block_run.h"

#include "gpu/simt/run/loop_watch.h"
#include "gpu/simt/run/ops.h"

namespace ridge::gpu::simt {

namespace {

constexpr std::int64_t kPollEvery = 20'000;       ///< micro-ops; below 10 ms even when each is the slowest one
constexpr std::int64_t kTurn = 50'000;            ///< micro-ops before the next warp gets its turn
constexpr std::uint32_t kSpinPatience = 32;       ///< backward branches while looking at memory others write
constexpr std::uint32_t kRecordedPatience = 2;    ///< the same where each round costs time
constexpr std::uint32_t kLoopPatience = 1u << 16; ///< backward branches of any loop

} // namespace

std::uint32_t BlockRun::guarded(const Warp& warp, const MicroOp& op, std::uint32_t mask) const
{
    return mask & (*reinterpret_cast<const std::uint32_t*>(warp.file + op.guard) ^ op.guardFlip);
}

void BlockRun::count(std::uint64_t instructions, std::uint32_t mask)
{
    m_executed += instructions;
    m_state->counters.instExecuted += instructions;
    m_state->counters.threadInstExecuted += instructions * laneCount(mask);
}

void BlockRun::note(std::uint32_t from, std::uint32_t end, std::uint32_t mask)
{
    WarpStream& stream = *m_state->stream;
    const auto known = static_cast<std::uint32_t>(stream.accesses.size());
    stream.visits.push_back({from, end, mask, known - m_state->accessesNoted});
    m_state->accessesNoted = known;
}

bool BlockRun::finished() const
{
    return std::all_of(m_warps.begin(), m_warps.end(), [](const Warp& warp) { return warp.live == 0; });
}

/// Lends the launch's state to this block.
void BlockRun::bind()
{
    m_state->shared = m_shared->data();
    m_state->cluster = m_cluster.get();
    m_state->rank = m_rank;
    m_state->blockIndex = static_cast<std::uint32_t>(m_block);
}

void BlockRun::bindTo(LaunchState& state, LaunchControl& control)
{
    if (m_state == &state)
        return;
    m_state = &state;
    m_control = &control;
    for (Warp& warp : m_warps)
        warp.launch = &state;
}

BlockRun::Turn BlockRun::advance(std::size_t index, std::int64_t budget)
{
    if (m_fresh)
        begin();
    Warp& warp = m_warps[index];
    if (warp.live == 0)
        return Turn::Blocked;
    bind();
    m_turn = m_held ? m_turn : budget;
    if (!m_streams.empty()) {
        m_state->stream = &m_streams[index];
        m_state->accessesNoted =
            m_held ? m_held->accessesNoted : static_cast<std::uint32_t>(m_state->stream->accesses.size());
    }
    const Turn turn = runWarp(warp);
    m_state->stream = nullptr;
    if (!m_streams.empty())
        m_streams[index].finished = warp.live == 0;
    return turn;
}

BlockRun::Round BlockRun::round()
{
    bind();
    if (m_roundAt == 0 && !m_held) {
        m_progress = false;
        m_roundWaiting = 0;
    }
    for (; m_roundAt < m_warps.size(); ++m_roundAt) {
        const Turn turn = advance(m_shape.choices.backwards ? m_warps.size() - 1 - m_roundAt : m_roundAt, kTurn);
        if (turn == Turn::Failed)
            return Round::Failed;
        if (turn == Turn::InOrder)
            return Round::InOrder;
        m_roundWaiting += turn == Turn::Spun || turn == Turn::Blocked ? 1 : 0;
    }
    m_roundAt = 0;
    if (finished()) {
        if (m_state->check != nullptr)
            m_state->check->blockEnds(m_warps);
        return Round::Finished;
    }
    if (!m_progress)
        return Round::Blocked;
    return m_roundWaiting == m_warps.size() ? Round::Spun : Round::Progress;
}

/// Takes the split that runs next out of the warp: the lowest position first, except those that yielded.
bool BlockRun::pick(Warp& warp, Split& split, bool& turnOver)
{
    std::size_t best = warp.splits.size();
    bool anyReady = false;
    for (std::size_t at = 0; at < warp.splits.size(); ++at) {
        const Split& candidate = warp.splits[at];
        if (candidate.state != Split::State::Ready)
            continue;
        anyReady = true;
        if (!candidate.yielded && (best == warp.splits.size() || candidate.pc < warp.splits[best].pc))
            best = at;
    }
    if (best == warp.splits.size()) {
        for (Split& other : warp.splits)
            other.yielded = false;
        turnOver = anyReady; // every split has had its chance: let the other warps have theirs
        return false;
    }
    split = warp.splits[best];
    warp.splits.erase(warp.splits.begin() + static_cast<std::ptrdiff_t>(best));
    return true;
}

BlockRun::Turn BlockRun::runWarp(Warp& warp)
{
    m_spun = false;
    while (warp.live != 0) {
        Split split;
        std::uint32_t from = 0;
        bool turnOver = false;
        if (m_held) {
            split = m_held->split;
            from = m_held->pc;
            m_state->observed = m_held->observed;
            m_held.reset();
        } else if (!pick(warp, split, turnOver)) {
            m_progress = m_progress || turnOver;
            if (turnOver)
                return m_spun ? Turn::Spun : Turn::Ran;
            return Turn::Blocked;
        } else {
            if (!split.resumed)
                split.spins = 0;
            split.resumed = false;
            from = split.pc;
            m_state->observed = false;
        }
        m_spun = false;
        const Turn turn = runSplit(warp, split, from);
        if (turn == Turn::Failed || turn == Turn::AtClock || turn == Turn::Observed || turn == Turn::InOrder)
            return turn;
        if (m_turn <= 0)
            return m_spun ? Turn::Spun : Turn::Ran;
    }
    return Turn::Ran;
}

/// Runs one split until it ends, waits, meets a split that goes first, or its turn is over; what is left of it is
/// back in warp.splits then, or held. `from`: the micro-op where it goes on in the basic block at whose start it
/// stands.
BlockRun::Turn BlockRun::runSplit(Warp& warp, Split split, std::uint32_t from)
{
    m_progress = true;
    while (true) {
        if (!warp.splits.empty() && meet(warp, split))
            return Turn::Ran;
        const OpPlace& start = m_image.places[split.pc];
        const BasicBlock& block = m_image.blocks[start.block];
        const MicroOp* const first = m_image.ops.data();
        const MicroOp* const end = first + block.end;
        warp.active = split.mask;
        for (const MicroOp* op = first + from; op != end; ++op) {
            const std::uint32_t mask = guarded(warp, *op, split.mask);
            if (mask == 0)
                continue;
            const Step step = op->run(warp, *op, mask);
            if (step == Step::Next)
                continue;
            return interrupt(warp, block, *op, step, split, mask);
        }
        count(block.counted - start.countedBefore, split.mask);
        if (m_state->stream != nullptr) {
            const bool hasTerminator = block.kind != EndKind::Fall;
            note(split.pc, block.end + (hasTerminator ? 1 : 0), split.mask);
        }
        const auto spent = static_cast<std::int64_t>(block.end - split.pc) + 1;
        m_control->untilPoll -= spent;
        m_turn -= spent;
        const After after = finishBlock(warp, block, split);
        if (after == After::Stop)
            return Turn::Failed;
        if (after == After::Reselect) { // blocks that end within one turn count as well
            const bool asks = m_control->untilPoll < 0 && m_state->log == nullptr;
            return asks && !poll(warp, block.end) ? Turn::Failed : Turn::Ran;
        }
        from = split.pc;
        if (m_control->untilPoll < 0) {
            if (m_state->log != nullptr) // on this thread nobody can end the launch
                return hold(split, split.pc);
            if (!poll(warp, split.pc))
                return Turn::Failed;
        }
        if (m_state->stream != nullptr && m_state->observed)
            return pauseObserved(warp, split);
        bool endTurn = m_turn <= 0;
        if (yieldIfSpinning(warp, split, endTurn) || endTurn) {
            warp.splits.push_back(split);
            return Turn::Ran;
        }
    }
}

/// Recording: ends the turn after a look at memory that others write, so that the next look comes when time has
/// passed. Of several splits the next one goes first after a few rounds of a loop.
BlockRun::Turn BlockRun::pauseObserved(Warp& warp, Split split)
{
    split.resumed = true;
    if (split.spins >= kRecordedPatience) {
        split.spins = 0;
        split.yielded = std::any_of(warp.splits.begin(), warp.splits.end(),
                                    [](const Split& other) { return other.state == Split::State::Ready; });
    }
    warp.splits.push_back(split);
    return Turn::Observed;
}

/// The micro-op `op` did not run: it faulted, waits for other lanes, or needs a clock value or its place in the order
/// of all blocks.
BlockRun::Turn BlockRun::interrupt(Warp& warp, const BasicBlock& block, const MicroOp& op, Step step, Split split,
                                   std::uint32_t mask)
{
    const auto pc = static_cast<std::uint32_t>(&op - m_image.ops.data());
    if (m_state->wantsOrder) {
        m_state->wantsOrder = false;
        return hold(split, pc);
    }
    count(m_image.places[pc].countedBefore - m_image.places[split.pc].countedBefore, split.mask);
    if (step == Step::Fault) {
        m_control->error = faultError(warp, pc);
        return Turn::Failed;
    }
    if (m_state->stream != nullptr && pc != split.pc)
        note(split.pc, pc, split.mask);
    split.pc = pc;
    if (m_state->wantsClock) {
        m_state->wantsClock = false;
        warp.splits.push_back(split);
        return Turn::AtClock;
    }
    park(warp, block, op, split, mask);
    return Turn::Ran;
}

/// What has run of the basic block stays as it is, so that going on later gives what going on at once would have given.
BlockRun::Turn BlockRun::hold(const Split& split, std::uint32_t pc)
{
    m_held = Held{split, pc, m_state->accessesNoted, m_state->observed};
    return Turn::InOrder;
}

/// Joins splits that stand where `split` does. True where a split at a lower position goes first.
bool BlockRun::meet(Warp& warp, Split& split)
{
    bool lowerWaits = false;
    for (std::size_t at = 0; at < warp.splits.size();) {
        const Split& other = warp.splits[at];
        if (other.state == Split::State::Ready && other.pc == split.pc) {
            split.mask |= other.mask;
            warp.splits.erase(warp.splits.begin() + static_cast<std::ptrdiff_t>(at));
            continue;
        }
        lowerWaits = lowerWaits || (other.state == Split::State::Ready && !other.yielded && other.pc < split.pc);
        ++at;
    }
    if (lowerWaits)
        warp.splits.push_back(split);
    return lowerWaits;
}

/// Independent thread scheduling: a split that only goes round in a loop lets the others run, so that lanes that wait
/// for a lane of their own warp are heard.
bool BlockRun::yieldIfSpinning(Warp& warp, Split& split, bool& endTurn)
{
    const bool spinning = split.spins >= (m_state->observed ? kSpinPatience : kLoopPatience);
    if (!spinning)
        return false;
    const bool alone = std::none_of(warp.splits.begin(), warp.splits.end(),
                                    [](const Split& other) { return other.state == Split::State::Ready; });
    split.spins = 0;
    split.yielded = !alone;
    m_spun = m_state->observed;
    endTurn = endTurn || (alone && m_state->observed);
    m_state->observed = false;
    if (endTurn)
        m_turn = 0;
    return !alone;
}

/// `mask` of the split must wait at `op` for other lanes of the warp; the rest goes on.
void BlockRun::park(Warp& warp, const BasicBlock& block, const MicroOp& op, Split split, std::uint32_t mask)
{
    const bool lastOp = &op + 1 == m_image.ops.data() + block.end;
    const std::uint32_t after = lastOp && block.kind == EndKind::Fall ? block.next : split.pc + 1;
    if (const std::uint32_t rest = split.mask & ~mask; rest != 0) {
        Split onward;
        onward.pc = after;
        onward.mask = rest;
        warp.splits.push_back(onward);
    }
    Split waiting = split;
    waiting.mask = mask;
    waiting.state = Split::State::AtSync;
    waiting.waitMask = warp.waitMask;
    for (std::size_t at = 0; at < warp.splits.size();) {
        const Split& other = warp.splits[at];
        if (other.state == Split::State::AtSync && other.pc == waiting.pc) {
            waiting.mask |= other.mask;
            waiting.waitMask |= other.waitMask;
            warp.splits.erase(warp.splits.begin() + static_cast<std::ptrdiff_t>(at));
        } else {
            ++at;
        }
    }
    warp.splits.push_back(waiting);
    releaseSync(warp);
}

/// Wakes splits whose partners have all come or exited. A shuffle or vote is executed again, now complete; lanes at
/// different bar.warp.sync instructions release each other and go past them.
void BlockRun::releaseSync(Warp& warp)
{
    const OpFunction barrierOp = m_state->steps != nullptr ? m_state->steps->warpBarrier() : findWarpOp(WarpOp::Sync);
    std::uint32_t atBarrier = 0;
    for (const Split& split : warp.splits) {
        if (split.state == Split::State::AtSync && m_image.ops[split.pc].run == barrierOp)
            atBarrier |= split.mask;
    }
    for (Split& split : warp.splits) {
        if (split.state != Split::State::AtSync)
            continue;
        const bool isBarrier = m_image.ops[split.pc].run == barrierOp;
        if ((split.waitMask & warp.live & ~(isBarrier ? atBarrier : split.mask)) != 0)
            continue;
        split.state = Split::State::Ready;
        if (!isBarrier)
            continue;
        if (m_state->steps != nullptr)
            m_state->steps->warpBarrierOpens(warp, split.pc, split.mask);
        if (m_state->check != nullptr)
            m_state->check->warpSync(warp);
        const OpPlace& place = m_image.places[split.pc];
        const BasicBlock& block = m_image.blocks[place.block];
        const bool lastOp = split.pc + 1 == block.end;
        split.pc = lastOp && block.kind == EndKind::Fall ? block.next : split.pc + 1;
        count(1, split.mask);
    }
}

BlockRun::After BlockRun::finishBlock(Warp& warp, const BasicBlock& block, Split& split)
{
    if (m_state->check != nullptr && block.kind != EndKind::Fall)
        m_state->check->terminator(warp, block.end, split.mask);
    if (m_state->steps != nullptr && block.kind != EndKind::Fall)
        m_state->steps->terminator(warp, block.end, split.mask);
    switch (block.kind) {
    case EndKind::Fall:
        split.pc = block.next;
        return After::GoOn;
    case EndKind::Branch:
        return branch(warp, block, split);
    case EndKind::Table:
        return branchByTable(warp, block, split);
    case EndKind::Exit:
    case EndKind::Trap:
        return leave(warp, block, split);
    case EndKind::Barrier:
        return barrier(warp, block, split);
    case EndKind::Call:
        return call(warp, block, split);
    case EndKind::Return:
        return returnFrom(warp, block, split);
    }
    return After::Stop;
}

BlockRun::After BlockRun::branch(Warp& warp, const BasicBlock& block, Split& split)
{
    const std::uint32_t taken = guarded(warp, m_image.ops[block.end], split.mask);
    if (taken == 0) {
        split.pc = block.next;
        return After::GoOn;
    }
    if (block.target <= block.end) {
        ++split.spins;
        if (m_state->loops != nullptr)
            m_state->loops->turn(warp, block.end, taken == warp.live && warp.splits.empty());
    }
    if (taken == split.mask) {
        split.pc = block.target;
        return After::GoOn;
    }
    ++m_state->counters.divergentBranches;
    Split other = split;
    other.pc = block.next;
    other.mask = split.mask & ~taken;
    split.pc = block.target;
    split.mask = taken;
    if (other.pc < split.pc) // the loop that called goes on with the lower one
        std::swap(other, split);
    warp.splits.push_back(other);
    return After::GoOn;
}

BlockRun::After BlockRun::branchByTable(Warp& warp, const BasicBlock& block, Split& split)
{
    const MicroOp& op = m_image.ops[block.end];
    const auto& table = m_image.tables[block.target];
    const auto* index = reinterpret_cast<const std::uint32_t*>(warp.file + op.a);
    std::uint32_t taken = guarded(warp, op, split.mask);
    std::vector<Split> parts;
    if (const std::uint32_t rest = split.mask & ~taken; rest != 0) {
        parts.push_back(split);
        parts.back().pc = block.next;
        parts.back().mask = rest;
    }
    for (; taken != 0; taken &= taken - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(taken));
        if (index[lane] >= table.size()) {
            m_state->fault = {
                Fault::Kind::BadBranchIndex, Space::Global, MemoryOp::Load, 0, lane, index[lane], table.size()};
            m_control->error = faultError(warp, block.end);
            return After::Stop;
        }
        const std::uint32_t target = table[index[lane]];
        auto part = std::find_if(parts.begin(), parts.end(), [&](const Split& p) { return p.pc == target; });
        if (part == parts.end()) {
            part = parts.insert(parts.end(), split);
            part->pc = target;
            part->mask = 0;
            part->spins += target <= block.end ? 1 : 0;
        }
        part->mask |= 1u << lane;
    }
    m_state->counters.divergentBranches += parts.size() > 1 ? 1 : 0;
    std::sort(parts.begin(), parts.end(), [](const Split& a, const Split& b) { return a.pc < b.pc; });
    split = parts.front();
    warp.splits.insert(warp.splits.end(), parts.begin() + 1, parts.end());
    return After::GoOn;
}

BlockRun::After BlockRun::leave(Warp& warp, const BasicBlock& block, Split& split)
{
    const std::uint32_t gone = guarded(warp, m_image.ops[block.end], split.mask);
    if (block.kind == EndKind::Trap && gone != 0) {
        m_state->fault = {};
        m_state->fault.kind = Fault::Kind::Trap;
        m_state->fault.lane = static_cast<std::uint32_t>(std::countr_zero(gone));
        m_control->error = faultError(warp, block.end);
        return After::Stop;
    }
    warp.live &= ~gone;
    split.mask &= ~gone;
    if (gone != 0) {
        releaseSync(warp);
        if (m_barriers.anyArrived())
            m_barriers.release(m_warps);
        m_cluster->release();
    }
    split.pc = block.next;
    return split.mask != 0 ? After::GoOn : After::Reselect;
}

bool BlockRun::poll(const Warp& warp, std::uint32_t pc)
{
    m_control->untilPoll = kPollEvery;
    if (m_control->stop && m_control->stop()) {
        m_control->error = Error{"cancelled", "the launch of '" + m_image.name + "' was cancelled", {}, {}};
        return false;
    }
    const std::uint64_t most = m_state->options.mostInstructions;
    if (most != 0 && m_state->counters.instExecuted > most)
        m_control->error = budgetError(warp, pc);
    else if (m_control->timeIsUp())
        m_control->error = timeError(warp, pc);
    return !m_control->error || goesOn(*m_state, *m_control);
}

} // namespace ridge::gpu::simt
