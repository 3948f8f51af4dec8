// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/block_replay.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <tuple>

namespace ridge::gpu::simt {

namespace {

constexpr std::size_t kUnsteady = 2;     ///< turns of a block that may be left out, to see whether they matter
constexpr double kFewestSeen = 0.25;     ///< of all turns
constexpr double kUnseen = 0.05;         ///< of all cycles, that turns which are not seen may be off
constexpr double kMostMismatch = 0.1;    ///< of the part's cycles
constexpr double kOtherBesideWeight = 4; ///< a pace with another number of blocks is worse than one with another mix
constexpr double kOtherAge = 100;        ///< and one of an older or a younger block is the worst

/// The blocks of one SM, oldest first.
using SmBlocks = std::vector<const TimedBlock*>;

/// What surrounds a block: blocks that have not left their loops (with itself), those that have, and how many of the
/// first are older than it.
struct Place {
    std::size_t active = 0, leaving = 0, rank = 0;
    auto operator<=>(const Place&) const = default;
};

struct Progress {
    double turns = 0, cycles = 0;
    void add(double more, double during) { turns += more, cycles += during; }
};

/// Which turns of which blocks paces are read from.
using Chosen = std::function<bool(const TimedBlock&, std::size_t turn)>;

bool isLive(const TimedBlock& block, double at)
{
    return block.begin <= at && at < block.end;
}

class Paces {
public:
    Paces(const std::vector<SmBlocks>& sms, const ReplayGrid& timed, const Chosen& chosen)
    {
        for (const SmBlocks& blocks : sms)
            read(blocks, chosen);
        if (!isKnown())
            return;
        m_seen.insert(m_all.begin(), m_all.end()); // places of which no chosen turn is known
        for (const SmBlocks& blocks : sms)
            measure(blocks, timed.resident);
    }

    bool isKnown() const { return !m_seen.empty(); }

    /// Turns that blocks went through while no other block of the SM was still before its loop.
    double turnsSeen() const
    {
        double turns = 0;
        for (const auto& [place, progress] : m_all)
            turns += progress.turns;
        return turns;
    }

    /// Turns a cycle.
    double operator()(const Place& place) const
    {
        const auto found = m_known.find(place);
        return found != m_known.end() ? found->second : (m_known[place] = nearest(place));
    }

    double firstEntry() const { return m_first.mean(); } ///< in turns, from a block's start to its first one
    double laterEntry() const { return m_later.count > 0 ? m_later.mean() : m_first.mean(); }
    double leaving() const { return m_leaving.mean(); } ///< cycles behind the loop
    double gap() const { return m_gap.mean(); }         ///< cycles from a block's end to the next one's start

private:
    struct Mean {
        double sum = 0, count = 0;
        void add(double value) { sum += value, ++count; }
        double mean() const { return count > 0 ? sum / count : 0; }
    };

    template<typename F>
    static void forEachStretch(std::vector<double> moments, const F& f)
    {
        std::sort(moments.begin(), moments.end());
        for (std::size_t at = 1; at < moments.size(); ++at) {
            if (moments[at] > moments[at - 1])
                f(moments[at - 1], moments[at]);
        }
    }

    /// Turns that blocks go through while all beside them are in their loops or have left them.
    void read(const SmBlocks& blocks, const Chosen& chosen)
    {
        std::vector<double> moments;
        for (const TimedBlock* one : blocks) {
            moments.insert(moments.end(), {one->begin, one->end});
            moments.insert(moments.end(), one->turns.begin(), one->turns.end());
        }
        SmBlocks active;
        forEachStretch(std::move(moments), [&](double from, double to) {
            const double at = (from + to) / 2;
            std::size_t leaving = 0;
            active.clear();
            for (const TimedBlock* one : blocks) {
                if (!isLive(*one, at))
                    continue;
                if (at < one->turns.front())
                    return;
                if (at < one->turns.back())
                    active.push_back(one);
                else
                    ++leaving;
            }
            for (std::size_t rank = 0; rank < active.size(); ++rank) {
                const std::vector<double>& turns = active[rank]->turns;
                const auto next = std::upper_bound(turns.begin(), turns.end(), at);
                const double cycles = to - from, gone = cycles / (*next - *(next - 1));
                const Place place{active.size(), leaving, rank};
                m_all[place].add(gone, cycles);
                if (chosen(*active[rank], static_cast<std::size_t>(next - turns.begin()) - 1))
                    m_seen[place].add(gone, cycles);
            }
        });
    }

    /// How long blocks take before and behind their loops.
    void measure(const SmBlocks& blocks, std::uint64_t resident)
    {
        std::vector<double> ends, begins;
        for (const TimedBlock* one : blocks) {
            (one->block < resident ? m_first : m_later).add(entryOf(*one, blocks));
            m_leaving.add(one->end - one->turns.back());
            ends.push_back(one->end);
            if (one->block >= resident)
                begins.push_back(one->begin);
        }
        std::sort(ends.begin(), ends.end());
        std::sort(begins.begin(), begins.end());
        for (std::size_t at = 0; at < begins.size(); ++at)
            m_gap.add(std::max(begins[at] - ends[at], 0.0));
    }

    double entryOf(const TimedBlock& block, const SmBlocks& blocks) const
    {
        std::vector<double> moments{block.begin, block.turns.front()};
        for (const TimedBlock* one : blocks) {
            for (const double moment : {one->begin, one->turns.back(), one->end}) {
                if (moment > block.begin && moment < block.turns.front())
                    moments.push_back(moment);
            }
        }
        double turns = 0;
        forEachStretch(std::move(moments), [&](double from, double to) {
            Place place;
            for (const TimedBlock* one : blocks) {
                if (!isLive(*one, (from + to) / 2))
                    continue;
                const bool hasLeft = (from + to) / 2 >= one->turns.back();
                place.rank = one == &block ? place.active : place.rank;
                ++(hasLeft ? place.leaving : place.active);
            }
            turns += (to - from) * (*this)(place);
        });
        return turns;
    }

    /// The pace of the place most like it. Who is the last of fewer blocks is like the last of more.
    double nearest(const Place& place) const
    {
        const auto apart = [](std::size_t a, std::size_t b) {
            return std::abs(static_cast<double>(a) - static_cast<double>(b));
        };
        auto best = std::tuple(std::numeric_limits<double>::max(), 0.0, 0.0);
        for (const auto& [seen, progress] : m_seen) {
            const bool isAlike = seen.rank == place.rank || (seen.active <= place.rank && seen.rank + 1 == seen.active);
            const double far = kOtherBesideWeight * apart(seen.active, place.active) +
                               apart(seen.leaving, place.leaving) +
                               (isAlike ? 0 : kOtherAge * (1 + apart(seen.rank, place.rank)));
            best = std::min(best, {far, -progress.cycles, progress.turns / progress.cycles});
        }
        return std::get<2>(best);
    }

    std::map<Place, Progress> m_seen, m_all; ///< from the chosen turns, and from all of them
    mutable std::map<Place, double> m_known;
    Mean m_first, m_later, m_leaving, m_gap;
};

/// Plays a launch: cycles until its last block has ended.
class Play {
public:
    Play(const Paces& paces, const ReplayGrid& grid) : m_paces(paces), m_grid(grid), m_sms(grid.sms) {}

    double run()
    {
        const double loop = static_cast<double>(m_grid.turns) - 1;
        while (m_started < std::min(m_grid.blocks, m_grid.resident))
            m_sms[m_started++ % m_sms.size()].left.push_back(m_paces.firstEntry() + loop);
        for (std::uint32_t sm = 0; sm < m_sms.size(); ++sm)
            plan(sm);
        double end = 0;
        while (!m_moments.empty()) {
            const Moment now = m_moments.top();
            m_moments.pop();
            Sm& sm = m_sms[now.sm];
            if (now.kind == Kind::Leaves && now.plan != sm.plan)
                continue;
            goOn(sm, now.at);
            switch (now.kind) {
            case Kind::Leaves:
                sm.left.erase(std::min_element(sm.left.begin(), sm.left.end()));
                ++sm.leaving;
                m_moments.push({now.at + m_paces.leaving(), now.sm, Kind::Ends, 0});
                break;
            case Kind::Ends:
                --sm.leaving;
                end = std::max(end, now.at);
                if (m_started < m_grid.blocks) {
                    ++m_started;
                    m_moments.push({now.at + m_paces.gap(), now.sm, Kind::Begins, 0});
                }
                break;
            case Kind::Begins:
                sm.left.push_back(m_paces.laterEntry() + loop);
                break;
            }
            plan(now.sm);
        }
        return end;
    }

private:
    enum class Kind : std::uint8_t { Leaves, Ends, Begins };
    struct Moment {
        double at = 0;
        std::uint32_t sm = 0;
        Kind kind = Kind::Leaves;
        std::uint64_t plan = 0; ///< of Sm::plan, else it is out of date
        bool operator<(const Moment& other) const
        {
            return std::tie(at, sm, kind) > std::tie(other.at, other.sm, other.kind);
        }
    };
    struct Sm {
        std::vector<double> left; ///< turns, of blocks that have not left their loops, oldest first
        std::size_t leaving = 0;
        double at = 0;
        std::uint64_t plan = 0;
    };

    double pace(const Sm& sm, std::size_t rank) const { return m_paces({sm.left.size(), sm.leaving, rank}); }

    void goOn(Sm& sm, double to) const
    {
        for (std::size_t rank = 0; rank < sm.left.size(); ++rank)
            sm.left[rank] -= (to - sm.at) * pace(sm, rank);
        sm.at = to;
    }

    void plan(std::uint32_t index)
    {
        Sm& sm = m_sms[index];
        ++sm.plan;
        double soonest = std::numeric_limits<double>::max();
        for (std::size_t rank = 0; rank < sm.left.size(); ++rank)
            soonest = std::min(soonest, sm.left[rank] / pace(sm, rank));
        if (!sm.left.empty())
            m_moments.push({sm.at + std::max(soonest, 0.0), index, Kind::Leaves, sm.plan});
    }

    const Paces& m_paces;
    const ReplayGrid& m_grid;
    std::vector<Sm> m_sms;
    std::uint64_t m_started = 0;
    std::priority_queue<Moment> m_moments;
};

} // namespace

ReplayedLaunch replayLaunch(const std::vector<TimedBlock>& part, const ReplayGrid& timed, const ReplayGrid& whole)
{
    std::vector<SmBlocks> sms(timed.sms);
    double cycles = 0;
    for (const TimedBlock& block : part) {
        if (block.turns.size() != timed.turns || block.turns.size() < 2 || block.sm >= sms.size())
            return {};
        sms[block.sm].push_back(&block);
        cycles = std::max(cycles, block.end);
    }
    for (SmBlocks& blocks : sms)
        std::sort(blocks.begin(), blocks.end(),
                  [](const TimedBlock* a, const TimedBlock* b) { return a->block < b->block; });
    struct Both {
        double part = 0, whole = 0, grown = 0; ///< cycles; of the timed blocks with all turns
    };
    // Blocks that wait in front of their loops until others are through are not seen by any turn.
    const auto turns = static_cast<double>(timed.blocks * (timed.turns - 1));
    const Paces every(sms, timed, [](const TimedBlock&, std::size_t) { return true; });
    const double seen = every.turnsSeen() / turns;
    if (seen < kFewestSeen)
        return {};
    const auto play = [&](const Chosen& chosen) -> Both {
        const Paces paces(sms, timed, chosen);
        if (!paces.isKnown())
            return {};
        ReplayGrid grown = timed;
        grown.turns = whole.turns;
        return {Play(paces, timed).run(), Play(paces, whole).run(), Play(paces, grown).run()};
    };
    const Both all = play([](const TimedBlock&, std::size_t) { return true; });
    const Both later = play([](const TimedBlock&, std::size_t turn) { return turn >= kUnsteady; });
    ReplayedLaunch replayed;
    if (all.part <= 0 || later.part <= 0)
        return replayed;
    const auto corrected = [cycles](const Both& both) { return both.whole + cycles - both.part; };
    replayed.cycles = corrected(later);
    replayed.slope = (later.grown - later.part) / static_cast<double>(whole.turns - timed.turns);
    const double unsteady = corrected(all) - corrected(later);
    double apart = 0, mismatch = later.part - cycles;
    if (timed.blocks > timed.resident) {
        // Blocks of the first wave begin together and find L2 empty; none of the others does.
        const auto inWave = [wave = timed.resident](bool isFirst) {
            return [wave, isFirst](const TimedBlock& one, std::size_t turn) {
                return turn >= kUnsteady && (one.block < wave) == isFirst;
            };
        };
        const Both first = play(inWave(true)), next = play(inWave(false));
        if (first.part > 0 && next.part > 0) {
            const auto mean = [&](const ReplayGrid& grid, double cold, double warm) {
                const double share = static_cast<double>(grid.resident) / static_cast<double>(grid.blocks);
                return share * cold + (1 - share) * warm;
            };
            replayed.cycles = mean(whole, corrected(first), corrected(next));
            mismatch = mean(timed, first.part, next.part) - cycles;
            apart = corrected(next) - corrected(first);
        }
    }
    replayed.isKnown = std::abs(mismatch) <= kMostMismatch * cycles;
    replayed.doubt = std::hypot(std::hypot(unsteady, apart / 3, mismatch), kUnseen * (1 - seen) * replayed.cycles);
    return replayed;
}

} // namespace ridge::gpu::simt
