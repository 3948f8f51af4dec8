// SPDX-License-Identifier: GPL-3.0-or-later
// Which command is given next.
#include "memory/dram_channel.h"

#include <cmath>
#include <utility>

namespace ridge::memory::dram {

Channel::Channel(const DramSpec& spec, const DramRun& run)
    : m_spec(spec), m_run(run), m_t(spec.timings),
      m_half(spec.halfTicks - 1), m_gaps{gapsOf(false), gapsOf(true)}, m_hits{Wanted(spec), Wanted(spec)},
      m_acts{Wanted(spec), Wanted(spec)}, m_pres{Wanted(spec), Wanted(spec)}, m_active{Wanted(spec), Wanted(spec)}
{
    m_banks.resize(spec.bankCount());
    m_room[0] = spec.readQueue;
    m_room[1] = spec.writeQueue;
    m_groups.resize(std::size_t{spec.pseudoChannels} * spec.ranks * spec.groups);
    m_ranks.resize(std::size_t{spec.pseudoChannels} * spec.ranks);
    m_drainFrom = static_cast<std::uint32_t>(std::floor(run.drainFrom * spec.writeQueue));
    m_drainTo = static_cast<std::uint32_t>(std::ceil(run.drainTo * spec.writeQueue));
    m_scopes.resize(spec.stacked ? spec.pseudoChannels : std::size_t{spec.pseudoChannels} * spec.ranks);
    for (std::uint32_t i = 0; i < m_ranks.size(); ++i)
        m_ranks[i].scope = spec.stacked ? i / spec.ranks : i;
    for (std::uint32_t i = 0; i < spec.bankCount(); ++i) {
        Bank& b = m_banks[i];
        b.group = i / spec.banks;
        b.rank = b.group / spec.groups;
        b.pc = b.rank / spec.ranks;
        b.scope = spec.stacked ? b.pc : b.rank;
        b.place = {b.pc, b.rank % spec.ranks, b.group % spec.groups, i % spec.banks, 0, 0};
    }
    // active requests have left their queue, one a bank at most
    m_pool.resize(std::size_t{spec.readQueue} + spec.writeQueue + spec.bankCount());
    for (std::size_t i = m_pool.size(); i-- > 0;)
        m_free.push_back(static_cast<std::int32_t>(i));
    if (run.refresh == RefreshMode::AllBank)
        m_nextRefresh = after(m_t.refi);
    if (run.refresh == RefreshMode::PerBank)
        m_nextRefresh = after(m_t.refiBank);
    if (run.probe)
        m_probeAt = 0;
    m_result.readLatency.reserve(run.requests);
    m_result.readFound.reserve(run.requests);
}

bool Channel::mergesOrForwards(const Bank& b, const DramRequest& request)
{
    const auto same = [&](std::int32_t r) {
        return at(r).write && at(r).row == request.place.row && at(r).column == request.place.column;
    };
    bool found = !request.write && b.active != kNone && same(b.active);
    for (std::int32_t r = b.head[1]; r != kNone && !found; r = at(r).next)
        found = same(r);
    return found;
}

/// Takes a request into its queue, or answers it from the write queue. False: the queue is full.
bool Channel::accept(const DramRequest& request, std::uint64_t number, bool probe)
{
    const auto index = static_cast<std::int32_t>(flat(request.place));
    Bank& b = bank(index);
    if (mergesOrForwards(b, request)) {
        ++(request.write ? m_result.counts.merged : m_result.counts.forwarded);
        if (!probe)
            ++m_done;
        else
            m_probeAt = m_now + 1;
        return true;
    }
    const int kind = request.write ? 1 : 0;
    if (m_waiting[kind] >= m_room[kind])
        return false;
    const std::int32_t slot = m_free.back();
    m_free.pop_back();
    at(slot) = {m_order++,     number, m_now, request.place.row, request.place.column, index, kNone,
                request.write, false,  probe, RowState::Hit};
    const bool first = b.tail[kind] == kNone;
    const bool hits = b.hit[kind] == kNone && b.open == static_cast<std::int32_t>(request.place.row);
    (first ? b.head[kind] : at(b.tail[kind]).next) = slot;
    b.tail[kind] = slot;
    if (hits)
        b.hit[kind] = slot;
    ++m_waiting[kind];
    if (first || hits) // behind others it changes nothing that its bank wants
        review(index, kind);
    return true;
}

/// What arrives at this tick: the probe first, then the stream.
void Channel::feed()
{
    if (m_probeAt <= m_now && m_sent < m_run.requests) {
        if (!m_probeDrawn)
            m_probePlace = m_run.probe();
        m_probeDrawn = true;
        const Tick before = m_probeAt;
        m_probeAt = kNever; // until its data have come
        if (accept({m_probePlace, false}, 0, true))
            m_probeDrawn = false;
        else
            m_probeAt = before;
    }
    while (m_sent < m_run.requests && m_turn <= static_cast<double>(m_now)) {
        if (!m_pending)
            m_pending = m_run.next(m_sent);
        const int kind = m_pending->write ? 1 : 0;
        const bool full = m_blocked && m_waiting[kind] == (kind ? m_spec.writeQueue : m_spec.readQueue);
        const bool taken = !full && accept(*m_pending, m_sent + 1, false);
        m_blocked = !taken; // until there is room there is nothing new to find
        if (taken) {
            ++m_sent;
            m_pending.reset();
        }
        if (m_run.interval > 0)
            m_turn += m_run.interval;
        else if (!taken)
            break; // a queue has room again after the next command at the earliest
    }
}

void Channel::refreshDue()
{
    while (m_nextRefresh <= m_now) {
        if (m_run.refresh == RefreshMode::AllBank) {
            for (std::uint32_t scope = 0; scope < m_scopes.size(); ++scope)
                m_due.push_back(scope);
            m_nextRefresh += after(m_t.refi);
        } else { // the same bank of every scope
            const auto perScope = static_cast<std::uint32_t>(m_banks.size() / m_scopes.size());
            for (std::uint32_t scope = 0; scope < m_scopes.size(); ++scope) {
                const auto number = static_cast<std::int32_t>(scope * perScope + m_nextBank);
                m_dueBanks.push_back(number);
                review(number);
            }
            m_nextBank = (m_nextBank + 1) % perScope;
            m_nextRefresh += after(m_t.refiBank);
        }
    }
}

void Channel::setWriteMode()
{
    if (!m_writing)
        m_writing = m_waiting[1] > m_drainFrom || m_waiting[0] == 0;
    else if (m_waiting[1] < m_drainTo && m_waiting[0] != 0)
        m_writing = false;
}

/// A bank has changed: which commands it may want. A bank that waits for its refresh takes no new ones.
void Channel::review(std::int32_t number)
{
    review(number, 0);
    review(number, 1);
    const Bank& b = bank(number);
    const auto index = static_cast<std::uint32_t>(number);
    m_active[0].take(index, m_now);
    m_active[1].take(index, m_now);
    if (b.active != kNone) {
        const Queued& request = at(b.active);
        m_active[request.write].put(index, request.order, edge(b.column[request.write]), m_now);
        m_activeAgain = std::min(m_activeAgain, b.column[request.write]);
    }
}

/// The same, of its reads or its writes alone.
void Channel::review(std::int32_t number, int kind)
{
    Bank& b = bank(number);
    const bool kept =
        !m_dueBanks.empty() && std::find(m_dueBanks.begin(), m_dueBanks.end(), number) != m_dueBanks.end();
    // where rows do not stay open, one is open for its active request alone, which closes it
    const bool hit = b.hit[kind] != kNone && !kept && m_run.page == PagePolicy::Open;
    bool row = b.head[kind] != kNone && b.active == kNone && !kept;
    if (row && b.open != kClosed) // an older hit, or one as old, keeps its row open
        row =
            b.hit[kind] == kNone || (b.hit[kind] != b.head[kind] && at(b.hit[kind]).arrived > at(b.head[kind]).arrived);
    const auto wants = static_cast<std::uint8_t>((hit ? 1 : 0) | (row && b.open == kClosed ? 2 : 0) |
                                                 (row && b.open != kClosed ? 4 : 0));
    const std::uint8_t either = wants | b.wants[kind];
    b.wants[kind] = wants;
    const auto index = static_cast<std::uint32_t>(number);
    const auto want = [&](Wanted& wanted, int bit, std::int32_t request, Tick ready) {
        if (wants & bit)
            wanted.put(index, at(request).order, ready, m_now);
        else if (either & bit)
            wanted.take(index, m_now);
    };
    want(m_hits[kind], 1, b.hit[kind], edge(b.column[kind]));
    want(m_acts[kind], 2, b.head[kind], edge(b.act));
    want(m_pres[kind], 4, b.head[kind], b.pre);
    if (row) {
        const bool act = b.open == kClosed;
        m_rowAgain[kind][0] = std::min(m_rowAgain[kind][0], act ? b.act : b.pre);
        if (!act)
            m_rowAgain[kind][1] = std::min(m_rowAgain[kind][1], b.pre);
    }
}

void Channel::findHits(Bank& b)
{
    for (int kind = 0; kind < 2; ++kind) {
        std::int32_t r = b.open == kClosed ? kNone : b.head[kind];
        while (r != kNone && at(r).row != static_cast<std::uint32_t>(b.open))
            r = at(r).next;
        b.hit[kind] = r;
    }
}

void Channel::offerActive(Choice& choice)
{
    for (const int kind : {0, 1})
        offer(
            choice, m_active[kind], kind ? DramCommandKind::Write : DramCommandKind::Read,
            [&](std::uint32_t r) { return edge(std::max(m_ranks[r].column[kind], columnBus())); },
            [&](std::uint32_t g) { return edge(m_groups[g].column[kind]); });
    if (choice.bank != kNone)
        choice.request = bank(choice.bank).active;
    m_activeAgain = choice ? 0 : choice.wake;
}

/// Offers the oldest request of `wanted` whose command can be given now. `ofRank`, `ofGroup`: when the rules of it
/// allow one.
template<class OfRank, class OfGroup>
void Channel::offer(Choice& choice, Wanted& wanted, DramCommandKind command, OfRank ofRank, OfGroup ofGroup)
{
    if (!wanted.any())
        return;
    const std::uint64_t key = wanted.best(m_now, choice.wake, ofRank, ofGroup);
    if (key == Wanted::kNoKey || (key >> Wanted::kBankBits) >= choice.order)
        return;
    choice.bank = static_cast<std::int32_t>(Wanted::bankOf(key));
    choice.order = key >> Wanted::kBankBits;
    choice.kind = command;
}

void Channel::offerColumns(Choice& choice)
{
    const int kind = m_writing ? 1 : 0;
    const Tick bus = edge(columnBus());
    if (bus > m_now) {
        choice.wake = std::min(choice.wake, bus);
        return;
    }
    offer(
        choice, m_hits[kind], m_writing ? DramCommandKind::Write : DramCommandKind::Read,
        [&](std::uint32_t r) { return edge(m_ranks[r].column[kind]); },
        [&](std::uint32_t g) { return edge(m_groups[g].column[kind]); });
    if (choice.bank != kNone)
        choice.request = bank(choice.bank).hit[kind];
}

void Channel::offerRows(Choice& choice, bool onlyPre)
{
    const int kind = m_writing ? 1 : 0;
    Tick& again = m_rowAgain[kind][onlyPre];
    if (m_now >= again) {
        Choice row;
        if (m_rowBus > m_now) {
            row.wake = m_rowBus;
        } else {
            offer(
                row, m_pres[kind], DramCommandKind::Pre,
                [&](std::uint32_t r) { return m_scopes[m_ranks[r].scope].pre; }, [](std::uint32_t) { return Tick{0}; });
            if (!onlyPre)
                offer(
                    row, m_acts[kind], DramCommandKind::Act,
                    [&](std::uint32_t r) { return edge(m_scopes[m_ranks[r].scope].act); },
                    [&](std::uint32_t g) { return edge(m_groups[g].act); });
        }
        if (row.bank != kNone)
            row.request = bank(row.bank).head[kind];
        again = row ? 0 : row.wake;
        if (row && row.order < choice.order) {
            row.wake = choice.wake;
            choice = row;
        }
    }
    choice.wake = std::min(choice.wake, std::max(again, m_now + 1));
}

/// Gives what commands it can at this tick. Returns whether there was one; else `wake` is when there may be.
bool Channel::turn(Tick& wake)
{
    const bool rising = edge(m_now) == m_now;
    bool given = false;
    if (!m_dueBanks.empty())
        given = refreshOneBank(wake);
    if (!rising) { // of row commands only precharges
        wake = m_now + 1;
        if (m_due.empty()) {
            setWriteMode();
            if (m_now < m_rowAgain[m_writing][1])
                return given;
        }
        Choice row;
        if (!m_due.empty()) {
            given = refreshHead(wake) || given;
        } else {
            setWriteMode();
            offerRows(row, true);
        }
        if (row)
            issue(row);
        wake = m_now + 1;
        return given || row;
    }
    Choice choice;
    if (m_now < m_activeAgain)
        choice.wake = m_activeAgain;
    else
        offerActive(choice);
    if (m_spec.twoBuses) {
        if (!choice && m_due.empty()) {
            setWriteMode();
            offerColumns(choice);
        }
        if (choice) {
            issue(choice);
            given = true;
        }
        wake = std::min(wake, choice.wake);
        Choice row;
        if (!m_due.empty()) {
            given = refreshHead(wake) || given;
        } else {
            setWriteMode();
            offerRows(row, false);
            if (row) {
                issue(row);
                given = true;
            }
        }
        wake = std::min(wake, row.wake);
        return given;
    }
    if (given)
        return true; // one command a tick
    if (!choice && !m_due.empty() && refreshHead(wake))
        return true;
    if (!choice && m_due.empty()) {
        setWriteMode();
        offerColumns(choice);
        offerRows(choice, false);
    }
    wake = std::min(wake, choice.wake);
    if (choice)
        issue(choice);
    return static_cast<bool>(choice);
}

DramResult Channel::go()
{
    constexpr std::uint64_t kAskEvery = 1 << 14; // turns
    std::uint64_t turns = 0;
    while (m_done < m_run.requests) {
        if (!stuck())
            feed();
        if (m_nextRefresh <= m_now)
            refreshDue();
        Tick wake = kNever;
        if (turn(wake)) {
            ++m_now;
        } else {
            wake = std::min(wake, m_nextRefresh);
            if (m_probeAt > m_now)
                wake = std::min(wake, m_probeAt);
            if (m_sent < m_run.requests && m_turn > static_cast<double>(m_now))
                wake = std::min(wake, static_cast<Tick>(std::ceil(m_turn)));
            m_now = std::max(m_now + 1, wake);
        }
        if (++turns % kAskEvery == 0 && m_run.goOn && !m_run.goOn(m_done)) {
            m_result.stopped = true;
            break;
        }
    }
    if (m_result.counts.probes)
        m_result.probeLatency = m_probeSum / static_cast<double>(m_result.counts.probes);
    return std::move(m_result);
}

} // namespace ridge::memory::dram
