// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/turn_times.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ridge::gpu::simt {

namespace {

constexpr double kWholeWave = 0.75; ///< of a wave's blocks, that stand for all of them

/// Cycles a turn of one SM in one wave, in both halves of the window.
struct Pace {
    double early = 0, late = 0;
    double middle() const { return (early + late) / 2; }
};

Pace meanOf(const std::vector<Pace>& paces)
{
    Pace mean;
    for (const Pace& one : paces) {
        mean.early += one.early / static_cast<double>(paces.size());
        mean.late += one.late / static_cast<double>(paces.size());
    }
    return mean;
}

double changeOf(const Pace& pace)
{
    return std::max((pace.late - pace.early) / 2, -pace.late / 2);
}

/// By the warps that an SM has in the wave, the paces of those SMs.
using Classes = std::map<std::uint64_t, std::vector<std::pair<std::size_t, Pace>>>;

class Drawing {
public:
    Drawing(const TimedTurns& part, const TurnWindow& window, const LeftOut& left)
        : m_part(part), m_window(window), m_left(left)
    {
    }

    DrawnTurns draw()
    {
        DrawnTurns drawn;
        const std::uint64_t blocks = m_part.blocks.size(), resident = m_part.resident;
        const std::size_t waves = (blocks + resident - 1) / resident;
        std::vector<Pace> paces;
        for (std::size_t wave = 0; wave < waves; ++wave) {
            Classes classes;
            if (!sortWave(wave, classes))
                return drawn;
            std::vector<Pace> fullest;
            for (const auto& [sm, pace] : classes.rbegin()->second)
                fullest.push_back(pace);
            paces.push_back(meanOf(fullest));
            m_classes = std::move(classes);
        }
        double change = 0;
        for (const Pace& pace : paces) {
            drawn.slope += pace.late + changeOf(pace);
            change += std::abs(changeOf(pace)) * m_left.turns;
        }
        drawn.isKnown = true;
        drawn.cycles = static_cast<double>(m_part.cycles) + m_left.turns * drawn.slope;
        if (waves == 1)
            drawn.cycles = lastToEnd();
        double uneven = 0;
        if (m_left.waves > 0 && waves > 1) {
            const auto second = static_cast<double>(std::min(blocks - resident, resident));
            drawn.hasSteadyWave = second >= kWholeWave * static_cast<double>(resident);
            const Pace& steady = paces[drawn.hasSteadyWave ? 1 : 0];
            const double start = startOf(0) - startOf(1);
            const double turn = steady.late + changeOf(steady);
            drawn.cycles += m_left.waves * (firstWave() - start + m_left.turns * turn);
            change += std::abs(changeOf(steady)) * m_left.turns * m_left.waves;
            uneven = m_left.waves * (std::abs(start) / 2 + m_left.turns * std::abs(paces[1].late - paces[0].late) *
                                                               (drawn.hasSteadyWave ? 0.25 : 0));
        }
        drawn.doubt = std::hypot(2 * change, uneven);
        return drawn;
    }

private:
    static double meanAt(const std::vector<TurnTally>& turns, std::size_t turn)
    {
        return static_cast<double>(turns[turn].cycles) / static_cast<double>(turns[turn].warps);
    }

    bool sortWave(std::size_t wave, Classes& classes) const
    {
        for (std::size_t sm = 0; sm < m_part.sms.size(); ++sm) {
            const auto& waves = m_part.sms[sm].turns;
            if (waves.size() <= wave || waves[wave].empty())
                continue;
            const auto& turns = waves[wave];
            if (turns.size() <= m_window.last || turns[m_window.first].warps == 0 ||
                turns[m_window.first].warps != turns[m_window.last].warps)
                return false;
            const auto half = static_cast<double>(m_window.last - m_window.middle);
            const double middle = meanAt(turns, m_window.middle);
            classes[turns[m_window.last].warps].push_back(
                {sm,
                 {(middle - meanAt(turns, m_window.first)) / half, (meanAt(turns, m_window.last) - middle) / half}});
        }
        return !classes.empty();
    }

    /// Of a launch of one wave: when the last SM is done.
    double lastToEnd() const
    {
        double both = 0, early = 0, late = 0;
        std::uint64_t lastCycle = 0;
        for (const auto& [warps, paces] : m_classes) {
            const Pace mean = meanOfClass(paces);
            for (const auto& [sm, pace] : paces) {
                const double a = pace.early - mean.early, b = pace.late - mean.late;
                both += a * b;
                early += a * a;
                late += b * b;
            }
        }
        const double alike = early > 0 && late > 0 ? std::max(both / std::sqrt(early * late), 0.0) : 0;
        const double keeps = 2 * alike / (1 + alike); // of the mean of both halves
        double end = 0;
        for (const auto& [warps, paces] : m_classes) {
            const Pace mean = meanOfClass(paces);
            for (const auto& [sm, pace] : paces) {
                const double own = mean.late + changeOf(mean) + keeps * (pace.middle() - mean.middle());
                end = std::max(end, static_cast<double>(m_part.sms[sm].lastCycle) + m_left.turns * own);
                lastCycle = std::max(lastCycle, m_part.sms[sm].lastCycle);
            }
        }
        return end + static_cast<double>(m_part.cycles - std::min(lastCycle, m_part.cycles));
    }

    static Pace meanOfClass(const std::vector<std::pair<std::size_t, Pace>>& paces)
    {
        std::vector<Pace> all;
        for (const auto& [sm, pace] : paces)
            all.push_back(pace);
        return meanOf(all);
    }

    std::pair<std::uint64_t, std::uint64_t> blocksOf(std::size_t wave) const
    {
        return {wave * m_part.resident, std::min<std::uint64_t>((wave + 1) * m_part.resident, m_part.blocks.size())};
    }

    template<typename F>
    double meanOfBlocks(std::size_t wave, const F& f) const
    {
        const auto [first, end] = blocksOf(wave);
        double sum = 0;
        for (const BlockSpan& span : m_part.blocks)
            sum += span.block >= first && span.block < end ? static_cast<double>(f(span)) : 0;
        return sum / static_cast<double>(end - first);
    }

    /// Cycles from the start of a wave's blocks to the window.
    double startOf(std::size_t wave) const
    {
        TurnTally all;
        for (const SmTurns& sm : m_part.sms) {
            if (sm.turns.size() > wave && sm.turns[wave].size() > m_window.first) {
                all.cycles += sm.turns[wave][m_window.first].cycles;
                all.warps += sm.turns[wave][m_window.first].warps;
            }
        }
        return meanAt({all}, 0) - meanOfBlocks(wave, [](const BlockSpan& span) { return span.begin; });
    }

    /// Cycles from the start of a block of the first wave to that of the one that takes its place.
    double firstWave() const
    {
        std::vector<std::uint64_t> ends, begins;
        const auto [second, secondEnd] = blocksOf(1);
        for (const BlockSpan& span : m_part.blocks) {
            if (span.block < m_part.resident)
                ends.push_back(span.end);
            else if (span.block < secondEnd)
                begins.push_back(span.begin);
        }
        std::sort(ends.begin(), ends.end());
        std::sort(begins.begin(), begins.end());
        double gap = 0;
        for (std::size_t at = 0; at < begins.size(); ++at)
            gap +=
                (static_cast<double>(begins[at]) - static_cast<double>(ends[at])) / static_cast<double>(begins.size());
        return meanOfBlocks(0, [](const BlockSpan& span) { return span.end - span.begin; }) + gap;
    }

    const TimedTurns& m_part;
    const TurnWindow& m_window;
    const LeftOut& m_left;
    Classes m_classes; ///< of the last wave
};

} // namespace

DrawnTurns drawTurns(const TimedTurns& part, const TurnWindow& window, const LeftOut& left)
{
    return Drawing(part, window, left).draw();
}

} // namespace ridge::gpu::simt
