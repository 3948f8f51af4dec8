// SPDX-License-Identifier: GPL-3.0-or-later
// The inside of simulate() of memory/dram.h; nobody else needs it.
#pragma once

#include "memory/dram.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <limits>
#include <optional>

namespace ridge::memory::dram {

using Tick = std::int64_t;
constexpr Tick kNever = std::numeric_limits<Tick>::max() / 4;
constexpr Tick kLongAgo = -(Tick{1} << 40);
constexpr std::int32_t kNone = -1;
constexpr std::int32_t kClosed = -1;

inline void raise(Tick& at, Tick to)
{
    at = std::max(at, to);
}

struct Bank {
    Tick act = 0, pre = 0, refresh = 0; ///< earliest, by rules of this bank alone
    Tick column[2] = {0, 0};            ///< the same: reads, writes
    std::int32_t open = kClosed;
    std::int32_t active = kNone; ///< request whose ACT was given and whose data are still to be moved
    std::int32_t head[2] = {kNone, kNone}, tail[2] = {kNone, kNone}; ///< reads, writes, oldest first
    std::int32_t hit[2] = {kNone, kNone};                            ///< the oldest for the open row
    std::uint32_t pc = 0, rank = 0, group = 0, scope = 0;            ///< numbers within the channel
    DramPlace place;
};

struct Group {
    Tick act = 0;
    Tick column[2] = {0, 0}; ///< reads, writes
};

struct Rank {
    Tick column[2] = {0, 0}; ///< reads, writes
    std::uint32_t scope = 0;
};

/// What shares tRRD, tFAW and refresh: a pseudo-channel, or a rank where ranks are no stack.
struct Scope {
    Tick act = 0, pre = 0, preAll = 0, refresh = 0, refreshBank = 0;
    Tick acts[4] = {kLongAgo, kLongAgo, kLongAgo, kLongAgo}; ///< the last four, a ring
    std::uint32_t next = 0;
    std::uint32_t open = 0, active = 0; ///< banks
};

struct Queued {
    std::uint64_t order = 0;  ///< of arrival, over both queues
    std::uint64_t number = 0; ///< of the request, from 1
    Tick arrived = 0;
    std::uint32_t row = 0, column = 0;
    std::int32_t bank = 0, next = kNone;
    bool write = false, counted = false, probe = false;
    RowState found = RowState::Hit; ///< once it is counted
};

/// A set of banks that is passed over quickly where a rank or a group has none.
class Banks {
public:
    explicit Banks(const DramSpec& spec)
        : m_groups(spec.groups), m_banks(spec.banks), m_ofGroup(spec.bankCount() / spec.banks, 0),
          m_ofRank(m_ofGroup.size() / spec.groups, 0)
    {
    }
    void set(const Bank& bank, bool on)
    {
        std::uint64_t& ofGroup = m_ofGroup[bank.group];
        put(ofGroup, bank.place.bank, on);
        put(m_ofRank[bank.rank], bank.place.group, ofGroup != 0);
    }
    /// `rank(r)` says whether to look into it; `visit(g)` gets a group that has some.
    template<class Rank, class Visit>
    void eachGroup(Rank rank, Visit visit) const
    {
        const auto ranks = static_cast<std::uint32_t>(m_ofRank.size());
        for (std::uint32_t r = 0; r < ranks; ++r) {
            if (!m_ofRank[r] || !rank(r))
                continue;
            for (std::uint64_t groups = m_ofRank[r]; groups; groups &= groups - 1)
                visit(r * m_groups + static_cast<std::uint32_t>(std::countr_zero(groups)));
        }
    }
    template<class Visit>
    void eachOf(std::uint32_t group, Visit visit) const
    {
        for (std::uint64_t banks = m_ofGroup[group]; banks; banks &= banks - 1)
            visit(static_cast<std::int32_t>(group * m_banks + static_cast<std::uint32_t>(std::countr_zero(banks))));
    }
    template<class Visit>
    void each(Visit visit) const
    {
        eachGroup([](std::uint32_t) { return true; }, [&](std::uint32_t g) { eachOf(g, visit); });
    }

private:
    static void put(std::uint64_t& word, std::uint32_t bit, bool on)
    {
        const std::uint64_t mask = std::uint64_t{1} << bit;
        word = on ? word | mask : word & ~mask;
    }
    std::uint32_t m_groups, m_banks;
    std::vector<std::uint64_t> m_ofGroup, m_ofRank; ///< bits: banks, groups
};

/// Of a group: the oldest request of the banks that can serve it by their own rules, so that they are looked through
/// only after a change.
struct Oldest {
    std::uint64_t order = 0;
    std::int32_t bank = kNone, request = kNone;
    Tick again = 0; ///< when a bank that could not serve its own can; 0: look now
};

/// The banks that want a command of one kind, for reads or for writes.
struct Wanted {
    explicit Wanted(const DramSpec& spec) : banks(spec), oldest(spec.bankCount() / spec.banks) {}
    Banks banks;
    std::vector<Oldest> oldest; ///< by group
};

/// The best command found so far, and when the next one could be given.
struct Choice {
    std::int32_t bank = kNone, request = kNone;
    std::uint64_t order = ~std::uint64_t{0};
    DramCommandKind kind = DramCommandKind::Act;
    Tick wake = kNever;

    void offer(Tick now, Tick ready, std::int32_t toBank, std::int32_t toRequest, std::uint64_t toOrder,
               DramCommandKind toKind)
    {
        if (ready > now) {
            wake = std::min(wake, ready);
        } else if (toOrder < order) {
            bank = toBank;
            request = toRequest;
            order = toOrder;
            kind = toKind;
        }
    }
    explicit operator bool() const { return request != kNone; }
};

class Channel {
public:
    Channel(const DramSpec& spec, const DramRun& run);
    DramResult go();

private:
    // what the standard says, in ticks, with the lengths of commands on the wires taken into account
    Tick after(std::uint32_t cycles) const { return static_cast<Tick>(cycles) * m_spec.halfTicks; }
    Tick actOff() const { return m_spec.actTicks - 1; }
    Tick preOff() const { return m_spec.preTicks - 1; }
    Tick colOff() const { return m_spec.columnTicks - 1; }
    Tick edge(Tick at) const { return (at + m_half) & ~m_half; }

    Tick preReady(const Bank& b) const { return std::max({b.pre, m_scopes[b.scope].pre, m_rowBus}); }
    Tick columnReady(const Bank& b, bool write) const
    {
        return edge(
            std::max({b.column[write], m_groups[b.group].column[write], m_ranks[b.rank].column[write], columnBus()}));
    }
    Tick columnBus() const { return m_spec.twoBuses ? m_columnBus : m_rowBus; }
    std::uint32_t flat(const DramPlace& p) const
    {
        return ((p.pseudoChannel * m_spec.ranks + p.rank) * m_spec.groups + p.group) * m_spec.banks + p.bank;
    }
    Queued& at(std::int32_t request) { return m_pool[static_cast<std::size_t>(request)]; }
    Bank& bank(std::int32_t number) { return m_banks[static_cast<std::size_t>(number)]; }

    bool accept(const DramRequest& request, std::uint64_t number, bool probe);
    bool mergesOrForwards(const Bank& b, const DramRequest& request);
    void feed();
    void refreshDue();
    void setWriteMode();
    void offerActive(Choice& choice);
    void offerColumns(Choice& choice);
    void offerRows(Choice& choice, bool onlyPre);
    template<class OfRank, class OfGroup, class OfBank>
    void offer(Choice& choice, Wanted& wanted, DramCommandKind command, OfRank ofRank, OfGroup ofGroup, OfBank ofBank);
    bool refreshHead(Tick& wake);
    bool refreshOneBank(Tick& wake);
    bool turn(Tick& wake);
    void issue(const Choice& choice);
    void giveAct(std::int32_t number, Queued& request);
    void givePre(std::int32_t number, std::uint64_t request);
    void giveColumn(std::int32_t number, std::int32_t request);
    void finish(std::int32_t request);
    void unlink(std::int32_t request);
    void closed(Bank& b);
    void review(std::int32_t number);
    void review(std::int32_t number, int kind);
    void findHits(Bank& b);
    void tell(DramCommandKind kind, const DramPlace& place, std::uint64_t request)
    {
        if (m_run.command)
            m_run.command({m_now, kind, place, request});
    }

    const DramSpec& m_spec;
    const DramRun& m_run;
    const DramTimings& m_t;
    const Tick m_half; ///< 1 where commands may begin at half cycles, else 0
    DramResult m_result;
    Tick m_now = 0, m_rowBus = 0, m_columnBus = 0;
    std::vector<Bank> m_banks;
    std::vector<Group> m_groups;
    std::vector<Rank> m_ranks;
    std::vector<Scope> m_scopes;
    std::vector<Queued> m_pool;
    std::vector<std::int32_t> m_free;
    Wanted m_hits[2], m_acts[2], m_pres[2]; ///< reads, writes: banks with a hit, with a row to open, to close
    Banks m_active;                         ///< banks with an active request
    // No row command can be given before, of reads and of writes, of all and of precharges alone; no column of an
    // active request: rules only make it later, and a change of a bank says 0.
    Tick m_rowAgain[2][2] = {{0, 0}, {0, 0}}, m_activeAgain = 0;
    std::uint32_t m_drainFrom = 0, m_drainTo = 0; ///< writes begin above, end below
    std::uint32_t m_waiting[2] = {0, 0};          ///< of reads, of writes
    std::uint64_t m_order = 0, m_sent = 0, m_done = 0;
    bool m_writing = false;
    std::deque<std::uint32_t> m_due;     ///< scopes to refresh
    std::deque<std::int32_t> m_dueBanks; ///< banks to refresh
    std::uint32_t m_nextBank = 0;
    Tick m_nextRefresh = kNever;
    std::optional<DramRequest> m_pending; ///< of the source, drawn and not yet accepted
    bool m_blocked = false;               ///< it found its queue full
    double m_turn = 0;                    ///< of the source: when it may send next
    Tick m_probeAt = kNever;
    DramPlace m_probePlace;
    bool m_probeDrawn = false;
    double m_probeSum = 0;
};

} // namespace ridge::memory::dram
