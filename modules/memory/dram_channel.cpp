// SPDX-License-Identifier: GPL-3.0-or-later
// Which command is given next.
#include "memory/dram_channel.h"

#include <cmath>
#include <utility>

namespace ridge::memory::dram {

Channel::Channel(const DramSpec& spec, const DramRun& run)
    : m_spec(spec), m_run(run), m_t(spec.timings), m_hits{Banks(spec), Banks(spec)}, m_rows{Banks(spec), Banks(spec)},
      m_active(spec)
{
    m_banks.resize(spec.bankCount());
    m_groups.resize(std::size_t{spec.pseudoChannels} * spec.ranks * spec.groups);
    m_ranks.resize(std::size_t{spec.pseudoChannels} * spec.ranks);
    m_oldest[0].resize(m_groups.size());
    m_oldest[1].resize(m_groups.size());
    m_drainFrom = static_cast<std::uint32_t>(std::floor(run.drainFrom * spec.writeQueue));
    m_drainTo = static_cast<std::uint32_t>(std::ceil(run.drainTo * spec.writeQueue));
    m_scopes.resize(spec.stacked ? spec.pseudoChannels : std::size_t{spec.pseudoChannels} * spec.ranks);
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
    if (m_waiting[kind] >= (request.write ? m_spec.writeQueue : m_spec.readQueue))
        return false;
    const std::int32_t slot = m_free.back();
    m_free.pop_back();
    at(slot) = {m_order++,     number, m_now, request.place.row, request.place.column, index, kNone,
                request.write, false,  probe, RowState::Hit};
    (b.tail[kind] == kNone ? b.head[kind] : at(b.tail[kind]).next) = slot;
    b.tail[kind] = slot;
    if (b.hit[kind] == kNone && b.open == static_cast<std::int32_t>(request.place.row))
        b.hit[kind] = slot;
    ++m_waiting[kind];
    review(index);
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
    Bank& b = bank(number);
    const bool kept =
        !m_dueBanks.empty() && std::find(m_dueBanks.begin(), m_dueBanks.end(), number) != m_dueBanks.end();
    for (int kind = 0; kind < 2; ++kind) {
        // where rows do not stay open, one is open for its active request alone, which closes it
        m_hits[kind].set(b, b.hit[kind] != kNone && !kept && m_run.page == PagePolicy::Open);
        bool row = b.head[kind] != kNone && b.active == kNone && !kept;
        if (row && b.open != kClosed) // an older hit, or one as old, keeps its row open
            row = b.hit[kind] == kNone || at(b.hit[kind]).arrived > at(b.head[kind]).arrived;
        m_rows[kind].set(b, row);
        if (row)
            m_rowAgain[kind][0] = m_rowAgain[kind][1] = 0;
        m_oldest[kind][b.group].again = 0;
    }
    m_active.set(b, b.active != kNone);
    if (b.active != kNone)
        m_activeAgain = 0;
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

Choice Channel::pickActive()
{
    Choice choice;
    choice.wake = m_activeAgain;
    if (m_now < m_activeAgain)
        return choice;
    choice.wake = kNever;
    m_active.each([&](std::int32_t number) {
        const Bank& b = bank(number);
        const Queued& request = at(b.active);
        choice.offer(m_now, columnReady(b, request.write), number, b.active, request.order,
                     request.write ? DramCommandKind::Write : DramCommandKind::Read);
    });
    m_activeAgain = choice ? 0 : choice.wake;
    return choice;
}

void Channel::offerColumns(Choice& choice)
{
    const int kind = m_writing ? 1 : 0;
    const Tick bus = columnBus();
    if (edge(bus) > m_now) {
        choice.wake = std::min(choice.wake, edge(bus));
        return;
    }
    const auto open = [&](Tick at) {
        const Tick ready = edge(at);
        if (ready > m_now)
            choice.wake = std::min(choice.wake, ready);
        return ready <= m_now;
    };
    m_hits[kind].eachGroup(
        [&](std::uint32_t r) { return open(std::max(bus, m_writing ? m_ranks[r].write : m_ranks[r].read)); },
        [&](std::uint32_t g) {
            if (!open(m_writing ? m_groups[g].write : m_groups[g].read))
                return;
            Oldest& oldest = m_oldest[kind][g];
            if (m_now >= oldest.again)
                look(oldest, g, kind);
            if (oldest.bank != kNone)
                choice.offer(m_now, m_now, oldest.bank, bank(oldest.bank).hit[kind], oldest.order,
                             m_writing ? DramCommandKind::Write : DramCommandKind::Read);
            choice.wake = std::min(choice.wake, oldest.again);
        });
}

void Channel::look(Oldest& oldest, std::uint32_t group, int kind)
{
    oldest = {~std::uint64_t{0}, kNone, kNever};
    m_hits[kind].eachOf(group, [&](std::int32_t number) {
        const Bank& b = bank(number);
        const Tick ready = edge(kind ? b.write : b.read);
        const std::uint64_t order = at(b.hit[kind]).order;
        if (ready > m_now)
            oldest.again = std::min(oldest.again, ready);
        else if (order < oldest.order)
            oldest = {order, number, oldest.again};
    });
}

void Channel::offerRows(Choice& choice, bool onlyPre)
{
    const int kind = m_writing ? 1 : 0;
    Tick& again = m_rowAgain[kind][onlyPre];
    if (m_now >= again) {
        again = kNever;
        m_rows[kind].each([&](std::int32_t number) {
            const Bank& b = bank(number);
            const std::int32_t request = b.head[kind];
            const bool act = b.open == kClosed;
            if (act && onlyPre)
                return;
            const Tick ready = act ? actReady(b) : preReady(b);
            choice.offer(m_now, ready, number, request, at(request).order,
                         act ? DramCommandKind::Act : DramCommandKind::Pre);
            again = std::min(again, ready);
        });
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
    Choice choice = pickActive();
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
        feed();
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
