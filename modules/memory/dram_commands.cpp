// SPDX-License-Identifier: GPL-3.0-or-later
// What a command does to the state of a channel.
#include "memory/dram_channel.h"

namespace ridge::memory::dram {

/// The next scope to refresh: all of its banks are closed first. While it waits, no new request begins (Ramulator's
/// controller does so).
bool Channel::refreshHead(Tick& wake)
{
    const std::uint32_t number = m_due.front();
    Scope& scope = m_scopes[number];
    DramPlace place;
    place.pseudoChannel = m_spec.stacked ? number : number / m_spec.ranks;
    place.rank = m_spec.stacked ? 0 : number % m_spec.ranks;
    if (scope.open > 0) {
        if (scope.active > 0)
            return false; // these finish first
        const Tick ready = std::max({scope.preAll, scope.pre, m_rowBus});
        if (ready > m_now) {
            wake = std::min(wake, ready);
            return false;
        }
        tell(DramCommandKind::PreAll, place, 0);
        ++m_result.counts.prechargesAll;
        m_rowBus = m_now + m_spec.preTicks;
        raise(scope.act, m_now + after(m_t.rpAll) + preOff() - actOff());
        raise(scope.refresh, m_now + after(m_t.rpAll));
        raise(scope.refreshBank, m_now + after(m_t.rpAll));
        raise(scope.pre, m_now + after(m_t.ppd));
        for (std::size_t i = 0; i < m_banks.size(); ++i)
            if (m_banks[i].scope == number && m_banks[i].open != kClosed) {
                closed(m_banks[i]);
                review(static_cast<std::int32_t>(i));
            }
        return true;
    }
    const Tick ready = edge(std::max(scope.refresh, m_rowBus));
    if (ready > m_now) {
        wake = std::min(wake, ready);
        return false;
    }
    tell(DramCommandKind::Refresh, place, 0);
    ++m_result.counts.refreshes;
    m_rowBus = m_now + m_spec.preTicks;
    raise(scope.act, m_now + after(m_t.rfc) + preOff() - actOff());
    raise(scope.refresh, m_now + after(m_t.rfc));
    raise(scope.preAll, m_now + after(m_t.rfc));
    m_due.pop_front();
    return true;
}

/// The next bank to refresh; the others go on meanwhile.
bool Channel::refreshOneBank(Tick& wake)
{
    const std::int32_t number = m_dueBanks.front();
    Bank& b = bank(number);
    Scope& scope = m_scopes[b.scope];
    if (b.open != kClosed) {
        if (b.active != kNone)
            return false;
        const Tick ready = preReady(b);
        if (ready > m_now) {
            wake = std::min(wake, ready);
            return false;
        }
        givePre(number, 0);
        return true;
    }
    const Tick ready = edge(std::max({b.refresh, scope.refreshBank, m_rowBus}));
    if (ready > m_now) {
        wake = std::min(wake, ready);
        return false;
    }
    tell(DramCommandKind::RefreshBank, b.place, 0);
    ++m_result.counts.bankRefreshes;
    m_rowBus = m_now + m_spec.preTicks;
    raise(b.act, m_now + after(m_t.rfcBank) + preOff() - actOff());
    raise(b.refresh, m_now + after(m_t.rfcBank));
    raise(scope.act, m_now + after(m_t.rrefd) + preOff() - actOff());
    raise(scope.refreshBank, m_now + after(m_t.rrefd));
    m_dueBanks.pop_front();
    review(number);
    return true;
}

void Channel::closed(Bank& b)
{
    b.open = kClosed;
    b.hit[0] = b.hit[1] = kNone;
    --m_scopes[b.scope].open;
}

void Channel::giveAct(std::int32_t number, Queued& request)
{
    Bank& b = bank(number);
    Scope& scope = m_scopes[b.scope];
    DramPlace place = b.place;
    place.row = request.row;
    tell(DramCommandKind::Act, place, request.number);
    ++m_result.counts.activates;
    m_rowBus = m_now + m_spec.actTicks;
    raise(b.act, m_now + after(m_t.rc));
    raise(b.column[0], m_now + after(m_t.rcdRead) + actOff() - colOff());
    raise(b.column[1], m_now + after(m_t.rcdWrite) + actOff() - colOff());
    raise(b.pre, m_now + after(m_t.ras) + actOff() - preOff());
    raise(b.refresh, m_now + after(m_t.rc) + actOff() - preOff());
    raise(m_groups[b.group].act, m_now + after(m_t.rrdLong));
    scope.acts[scope.next] = m_now;
    scope.next = (scope.next + 1) % 4;
    raise(scope.act, std::max(m_now + after(m_t.rrdShort), scope.acts[scope.next] + after(m_t.faw)));
    raise(scope.preAll, m_now + after(m_t.ras) + actOff() - preOff());
    raise(scope.refresh, m_now + after(m_t.rc) + actOff() - preOff());
    raise(scope.refreshBank, m_now + after(m_t.rrdShort) + actOff() - preOff());
    b.open = static_cast<std::int32_t>(request.row);
    ++scope.open;
    findHits(b);
}

void Channel::givePre(std::int32_t number, std::uint64_t request)
{
    Bank& b = bank(number);
    Scope& scope = m_scopes[b.scope];
    tell(DramCommandKind::Pre, b.place, request);
    ++m_result.counts.precharges;
    m_rowBus = m_now + m_spec.preTicks;
    raise(b.act, m_now + after(m_t.rp) + preOff() - actOff());
    raise(b.refresh, m_now + after(m_t.rp));
    raise(scope.pre, m_now + after(m_t.ppd));
    raise(scope.refresh, m_now + after(m_t.rp));
    closed(b);
    review(number);
}

/// Takes a request out of its queue.
void Channel::unlink(std::int32_t request)
{
    Queued& gone = at(request);
    const int kind = gone.write ? 1 : 0;
    Bank& b = bank(gone.bank);
    std::int32_t before = kNone;
    for (std::int32_t r = b.head[kind]; r != request; r = at(r).next)
        before = r;
    (before == kNone ? b.head[kind] : at(before).next) = gone.next;
    if (b.tail[kind] == request)
        b.tail[kind] = before;
    if (b.hit[kind] == request) { // those before it are no hits
        std::int32_t r = gone.next;
        while (r != kNone && at(r).row != gone.row)
            r = at(r).next;
        b.hit[kind] = r;
    }
    gone.next = kNone;
    --m_waiting[kind];
}

Channel::Gaps Channel::gapsOf(bool write) const
{
    const Tick written = after(m_t.cwl + m_t.burst); // end of the data of a write
    if (write)
        return {{written + after(m_t.wtrShort), after(std::max(m_t.burst, m_t.ccdShortWrite))},
                // of ranks that are no stack the pins have to be free again
                {m_spec.stacked ? written + after(m_t.wtrShort) : written + after(m_t.rankSwitch) - after(m_t.cl),
                 after(m_t.burst)},
                {written + after(m_t.wtrLong), after(m_t.ccdLongWrite)},
                written + after(m_t.writeRecovery)};
    const std::uint32_t other = m_spec.stacked ? std::max(m_t.burst, m_t.ccdRank) : m_t.burst + m_t.rankSwitch;
    // Ramulator lets another rank write burst + tCS after a read, where the data would overlap on the pins
    return {{after(std::max(m_t.burst, m_t.ccdShort)), after(m_t.readToWrite)},
            {after(other), m_spec.stacked ? after(m_t.readToWrite) : after(m_t.cl + other) - after(m_t.cwl)},
            {after(m_t.ccdLong), kLongAgo},
            after(m_t.rtp)};
}

void Channel::giveColumn(std::int32_t number, std::int32_t index)
{
    Queued& request = at(index);
    Bank& b = bank(number);
    Scope& scope = m_scopes[b.scope];
    Group& group = m_groups[b.group];
    const bool closes = m_run.page == PagePolicy::Closed;
    if (m_run.command) {
        DramPlace place = b.place;
        place.row = request.row;
        place.column = request.column;
        tell(request.write ? (closes ? DramCommandKind::WritePre : DramCommandKind::Write)
                           : (closes ? DramCommandKind::ReadPre : DramCommandKind::Read),
             place, request.number);
    }
    (m_spec.twoBuses ? m_columnBus : m_rowBus) = m_now + m_spec.columnTicks;

    const Gaps& gaps = m_gaps[request.write];
    const std::uint32_t firstRank = b.pc * m_spec.ranks;
    for (std::uint32_t i = firstRank; i < firstRank + m_spec.ranks; ++i) {
        const Tick* gap = i == b.rank ? gaps.own : gaps.other;
        raise(m_ranks[i].column[0], m_now + gap[0]);
        raise(m_ranks[i].column[1], m_now + gap[1]);
    }
    raise(group.column[0], m_now + gaps.group[0]);
    raise(group.column[1], m_now + gaps.group[1]);
    const Tick mayClose = m_now + gaps.close;
    if (closes) {
        raise(b.act, mayClose + after(m_t.rp) + colOff() - actOff());
        raise(b.refresh, mayClose + after(m_t.rp) + colOff() - preOff());
        raise(scope.refresh, mayClose + after(m_t.rp) + colOff() - preOff());
    } else {
        raise(b.pre, mayClose + colOff() - preOff());
        raise(scope.preAll, mayClose + colOff() - preOff());
    }

    if (b.active == index) {
        b.active = kNone;
        --scope.active;
        if (closes)
            closed(b);
        review(number);
    } else { // of an open row, which stays open
        unlink(index);
        review(number, request.write ? 1 : 0);
        if (const int other = request.write ? 0 : 1; b.wants[other] & 4)
            review(number, other); // it may close later now
    }
    finish(index);
}

/// The data of a request are under way.
void Channel::finish(std::int32_t index)
{
    const Queued& request = at(index);
    const Tick over = m_now + after((request.write ? m_t.cwl : m_t.cl) + m_t.burst);
    m_result.end = std::max(m_result.end, over);
    if (request.probe) {
        ++m_result.counts.probes;
        m_probeSum += static_cast<double>(over - request.arrived);
        m_probeAt = over;
    } else {
        ++(request.write ? m_result.counts.writes : m_result.counts.reads);
        ++m_done;
        if (!request.write) {
            m_result.readLatency.push_back(static_cast<std::uint32_t>(over - request.arrived));
            m_result.readFound.push_back(request.found);
        }
    }
    m_free.push_back(index);
}

void Channel::issue(const Choice& choice)
{
    Queued& request = at(choice.request);
    if (!request.counted) {
        request.found = choice.kind == DramCommandKind::Act   ? RowState::Miss
                        : choice.kind == DramCommandKind::Pre ? RowState::Conflict
                                                              : RowState::Hit;
        if (!request.probe)
            ++(request.found == RowState::Miss       ? m_result.counts.misses
               : request.found == RowState::Conflict ? m_result.counts.conflicts
                                                     : m_result.counts.hits);
        request.counted = true;
    }
    switch (choice.kind) {
    case DramCommandKind::Act: {
        unlink(choice.request);
        giveAct(choice.bank, request);
        Bank& b = bank(choice.bank);
        b.active = choice.request; // its data come before anything else of this bank
        ++m_scopes[b.scope].active;
        review(choice.bank);
        break;
    }
    case DramCommandKind::Pre:
        givePre(choice.bank, request.number);
        break;
    default:
        giveColumn(choice.bank, choice.request);
    }
}

} // namespace ridge::memory::dram
