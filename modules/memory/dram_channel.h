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
    std::uint8_t wants[2] = {0, 0};                                  ///< reads, writes: what the sets of banks say
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

/// The banks that want a command of one kind, passed over quickly where a rank or a group has none. Each group has its
/// oldest request of the banks that can serve it by their own rules, so that they are looked through only with a
/// change and when such a rule has passed. A request's key is its order and its bank, so that the smallest says both.
class Wanted {
public:
    static constexpr std::uint64_t kNoKey = ~std::uint64_t{0};
    static constexpr int kBankBits = 22; ///< checkSpec allows 64 x 16 x 64 x 64 banks

    explicit Wanted(const DramSpec& spec)
        : m_inRank(spec.groups), m_inGroup(spec.banks), m_rankBits(std::countr_zero(spec.groups)),
          m_groupBits(std::countr_zero(spec.banks)), m_banks(spec.bankCount()), m_groups(m_banks.size() / m_inGroup),
          m_ofRank(m_groups.size() / m_inRank, 0)
    {
    }
    bool any() const { return m_count > 0; }
    /// The bank wants the command for the request of that order, from `ready` on by its own rules.
    void put(std::uint32_t bank, std::uint64_t order, Tick ready, Tick now)
    {
        Of& of = m_banks[bank];
        const std::uint32_t group = bank >> m_groupBits;
        if (of.key == kNoKey) {
            ++m_count;
            ++m_ofRank[group >> m_rankBits];
        }
        of = {order << kBankBits | bank, ready};
        look(group, now);
    }
    void take(std::uint32_t bank, Tick now)
    {
        Of& of = m_banks[bank];
        if (of.key == kNoKey)
            return;
        of = {};
        const std::uint32_t group = bank >> m_groupBits;
        look(group, now);
        --m_count;
        --m_ofRank[group >> m_rankBits];
    }
    /// The smallest key that can be served now; `wake` becomes when there may be another, where that is sooner.
    /// `ofRank(r)`, `ofGroup(g)`: when the rules of it allow one.
    template<class OfRank, class OfGroup>
    std::uint64_t best(Tick now, Tick& wake, OfRank ofRank, OfGroup ofGroup)
    {
        std::uint64_t best = kNoKey;
        Tick next = wake;
        const auto ranks = static_cast<std::uint32_t>(m_ofRank.size());
        for (std::uint32_t r = 0; r < ranks; ++r) {
            if (!m_ofRank[r])
                continue;
            if (const Tick ready = ofRank(r); ready > now) {
                next = std::min(next, ready);
                continue;
            }
            for (std::uint32_t g = r << m_rankBits; g < (r + 1) << m_rankBits; ++g) {
                if (now >= m_groups[g].again)
                    look(g, now);
                const Group& group = m_groups[g];
                const Tick ready = ofGroup(g);
                best = std::min(best, ready <= now ? group.key : kNoKey);
                const Tick later = group.key == kNoKey ? std::max(group.again, ready) : ready;
                next = std::min(next, ready <= now ? group.again : later);
            }
        }
        wake = next;
        return best;
    }
    static std::uint32_t bankOf(std::uint64_t key)
    {
        return static_cast<std::uint32_t>(key & ((std::uint64_t{1} << kBankBits) - 1));
    }

private:
    struct Of {
        std::uint64_t key = kNoKey;
        Tick ready = kNever;
    };
    struct Group {
        std::uint64_t key = kNoKey; ///< of the oldest that can be served
        Tick again = kNever;        ///< when a bank that could not serve its own can
    };
    void look(std::uint32_t g, Tick now)
    {
        std::uint64_t key = kNoKey;
        Tick again = kNever;
        for (std::uint32_t b = g * m_inGroup; b < (g + 1) * m_inGroup; ++b) {
            const Of& of = m_banks[b];
            key = std::min(key, of.ready <= now ? of.key : kNoKey);
            again = std::min(again, of.ready <= now ? kNever : of.ready);
        }
        m_groups[g] = {key, again};
    }
    std::uint32_t m_inRank, m_inGroup; ///< groups, banks: powers of two
    int m_rankBits, m_groupBits;       ///< of them
    std::vector<Of> m_banks;
    std::vector<Group> m_groups;
    std::vector<std::uint32_t> m_ofRank; ///< how many banks of it
    std::uint32_t m_count = 0;
};

/// The best command found so far, and when the next one could be given.
struct Choice {
    std::int32_t bank = kNone, request = kNone;
    std::uint64_t order = ~std::uint64_t{0};
    DramCommandKind kind = DramCommandKind::Act;
    Tick wake = kNever;

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

    /// A column command moves others: what has to lie between, in ticks; kLongAgo: nothing.
    struct Gaps {
        Tick own[2], other[2], group[2]; ///< to reads and writes of its rank, of others on its pins, of its group
        Tick close = 0;                  ///< until its row may be closed
    };
    Gaps gapsOf(bool write) const;
    Tick preReady(const Bank& b) const { return std::max({b.pre, m_scopes[b.scope].pre, m_rowBus}); }
    Tick columnBus() const { return m_spec.twoBuses ? m_columnBus : m_rowBus; }
    std::uint32_t flat(const DramPlace& p) const
    {
        return ((p.pseudoChannel * m_spec.ranks + p.rank) * m_spec.groups + p.group) * m_spec.banks + p.bank;
    }
    Queued& at(std::int32_t request) { return m_pool[static_cast<std::size_t>(request)]; }
    Bank& bank(std::int32_t number) { return m_banks[static_cast<std::size_t>(number)]; }

    bool accept(const DramRequest& request, std::uint64_t number, bool probe);
    bool mergesOrForwards(const Bank& b, const DramRequest& request);
    /// Nothing can arrive: the source waits for room, and no probe is due.
    bool stuck() const
    {
        return m_blocked && m_run.interval <= 0 && m_probeAt > m_now &&
               m_waiting[m_pending->write] == m_room[m_pending->write];
    }
    void feed();
    void refreshDue();
    void setWriteMode();
    void offerActive(Choice& choice);
    void offerColumns(Choice& choice);
    void offerRows(Choice& choice, bool onlyPre);
    template<class OfRank, class OfGroup>
    void offer(Choice& choice, Wanted& wanted, DramCommandKind command, OfRank ofRank, OfGroup ofGroup);
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
    const Tick m_half;    ///< 1 where commands may begin at half cycles, else 0
    const Gaps m_gaps[2]; ///< after a read, after a write
    DramResult m_result;
    Tick m_now = 0, m_rowBus = 0, m_columnBus = 0;
    std::vector<Bank> m_banks;
    std::vector<Group> m_groups;
    std::vector<Rank> m_ranks;
    std::vector<Scope> m_scopes;
    std::vector<Queued> m_pool;
    std::vector<std::int32_t> m_free;
    Wanted m_hits[2], m_acts[2], m_pres[2]; ///< reads, writes: banks with a hit, with a row to open, to close
    Wanted m_active[2];                     ///< reads, writes: banks with an active request
    // No row command can be given before, of reads and of writes, of all and of precharges alone; no column of an
    // active request: rules only make it later, and a change of a bank says 0.
    Tick m_rowAgain[2][2] = {{0, 0}, {0, 0}}, m_activeAgain = 0;
    std::uint32_t m_drainFrom = 0, m_drainTo = 0;            ///< writes begin above, end below
    std::uint32_t m_room[2] = {0, 0}, m_waiting[2] = {0, 0}; ///< of reads, of writes: places, taken
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
