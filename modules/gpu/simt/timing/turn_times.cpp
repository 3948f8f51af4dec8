// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/turn_times.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ridge::gpu::simt {

namespace {

/// Cycles a turn of one SM, in both halves of the window.
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

/// By the warps that an SM has, the paces of those SMs.
using Classes = std::map<std::uint64_t, std::vector<std::pair<std::size_t, Pace>>>;

class Drawing {
public:
    Drawing(const TimedTurns& part, const TurnWindow& window, double left)
        : m_part(part), m_window(window), m_left(left)
    {
    }

    DrawnTurns draw()
    {
        DrawnTurns drawn;
        if (!sortSms())
            return drawn;
        const Pace pace = meanOfClass(m_classes.rbegin()->second); // the fullest SMs
        drawn.isKnown = true;
        drawn.slope = pace.late + changeOf(pace);
        drawn.cycles = lastToEnd();
        drawn.doubt = 2 * std::abs(changeOf(pace)) * m_left;
        return drawn;
    }

private:
    static double meanAt(const std::vector<TurnTally>& turns, std::size_t turn)
    {
        return static_cast<double>(turns[turn].cycles) / static_cast<double>(turns[turn].warps);
    }

    bool sortSms()
    {
        for (std::size_t sm = 0; sm < m_part.sms.size(); ++sm) {
            const auto& turns = m_part.sms[sm].turns;
            if (turns.empty())
                continue;
            if (turns.size() <= m_window.last || turns[m_window.first].warps == 0 ||
                turns[m_window.first].warps != turns[m_window.last].warps)
                return false;
            const auto half = static_cast<double>(m_window.last - m_window.middle);
            const double middle = meanAt(turns, m_window.middle);
            m_classes[turns[m_window.last].warps].push_back(
                {sm,
                 {(middle - meanAt(turns, m_window.first)) / half, (meanAt(turns, m_window.last) - middle) / half}});
        }
        return !m_classes.empty();
    }

    /// When the last SM is done.
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
                end = std::max(end, static_cast<double>(m_part.sms[sm].lastCycle) + m_left * own);
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

    const TimedTurns& m_part;
    const TurnWindow& m_window;
    double m_left;
    Classes m_classes;
};

} // namespace

DrawnTurns drawTurns(const TimedTurns& part, const TurnWindow& window, double left)
{
    return Drawing(part, window, left).draw();
}

} // namespace ridge::gpu::simt
