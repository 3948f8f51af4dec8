// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/lane_trace.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ridge {
namespace {

constexpr std::size_t kBlock = 64; ///< samples of a counter whose least and largest are kept

} // namespace

LaneIndex::LaneIndex(std::shared_ptr<const LaneTrace> trace) : m_trace(std::move(trace))
{
    const LaneTrace& t = *m_trace;
    m_end = t.end > 0 ? t.end : 1;
    for (const LaneSpan& span : t.spans)
        m_usual += (span.end - span.begin) / static_cast<double>(t.spans.size());
    m_rowOf.resize(t.spans.size());
    for (std::uint32_t lane = 0, span = 0; lane < t.lanes.size(); ++lane) {
        const std::size_t first = m_rows.size();
        m_firstRow.push_back(first);
        m_rows.push_back({lane, {}, {}});
        for (; span < t.spans.size() && t.spans[span].lane == lane; ++span) {
            std::size_t row = first;
            while (row < m_rows.size() && !m_rows[row].reach.empty() && m_rows[row].reach.back() > t.spans[span].begin)
                ++row;
            if (row == m_rows.size() && row - first < kMostRows)
                m_rows.push_back({lane, {}, {}});
            Row& own = m_rows[std::min(row, m_rows.size() - 1)];
            own.spans.push_back(span);
            own.reach.push_back(std::max(t.spans[span].end, own.reach.empty() ? 0.0 : own.reach.back()));
            m_rowOf[span] = std::min(row, m_rows.size() - 1);
        }
    }
    m_firstRow.push_back(m_rows.size());

    const auto all = [](std::size_t count) {
        std::vector<std::uint32_t> order(count);
        std::iota(order.begin(), order.end(), 0U);
        return order;
    };
    m_byBegin = m_byId = all(t.spans.size());
    std::stable_sort(m_byBegin.begin(), m_byBegin.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return t.spans[a].begin < t.spans[b].begin; });
    std::stable_sort(m_byId.begin(), m_byId.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return t.spans[a].id < t.spans[b].id; });
    m_place.resize(t.spans.size());
    for (std::size_t at = 0; at < m_byBegin.size(); ++at)
        m_place[m_byBegin[at]] = at;

    m_byFrom = all(t.arrows.size());
    const auto early = [&](const LaneArrow& a) { return std::min(t.spans[a.from].end, t.spans[a.to].begin); };
    std::stable_sort(m_byFrom.begin(), m_byFrom.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return early(t.arrows[a]) < early(t.arrows[b]); });
    double reach = 0;
    for (const std::uint32_t at : m_byFrom) {
        reach = std::max({reach, t.spans[t.arrows[at].from].end, t.spans[t.arrows[at].to].begin});
        m_arrowReach.push_back(reach);
    }

    for (const LaneCounter& counter : t.counters) {
        Extent whole;
        auto& blocks = m_blocks.emplace_back();
        for (std::size_t at = 0; at < counter.values.size(); ++at) {
            const double value = counter.values[at];
            if (at % kBlock == 0)
                blocks.emplace_back(value, value);
            blocks.back() = {std::min(blocks.back().first, value), std::max(blocks.back().second, value)};
            whole.least = std::min(whole.least, value);
            whole.largest = std::max(whole.largest, value);
            whole.any = true;
        }
        m_whole.push_back(whole);
    }
}

std::size_t LaneIndex::firstAfter(const Row& row, double time) const
{
    return static_cast<std::size_t>(std::upper_bound(row.reach.begin(), row.reach.end(), time) - row.reach.begin());
}

std::uint32_t LaneIndex::at(const Row& row, double time) const
{
    for (std::size_t place = firstAfter(row, time); place < row.spans.size(); ++place) {
        const LaneSpan& span = m_trace->spans[row.spans[place]];
        if (span.begin > time)
            break;
        if (span.end > time)
            return row.spans[place];
    }
    return LaneTraceBuilder::kNone;
}

std::pair<std::size_t, std::size_t> LaneIndex::instantsOf(std::uint32_t lane) const
{
    const auto& all = m_trace->instants;
    const auto first =
        std::partition_point(all.begin(), all.end(), [&](const LaneInstant& each) { return each.lane < lane; });
    const auto last =
        std::partition_point(first, all.end(), [&](const LaneInstant& each) { return each.lane == lane; });
    return {static_cast<std::size_t>(first - all.begin()), static_cast<std::size_t>(last - all.begin())};
}

std::vector<std::uint32_t> LaneIndex::sameId(std::uint64_t id, std::size_t most) const
{
    std::vector<std::uint32_t> found;
    if (id == 0)
        return found;
    auto at = std::partition_point(m_byId.begin(), m_byId.end(),
                                   [&](std::uint32_t span) { return m_trace->spans[span].id < id; });
    for (; at != m_byId.end() && m_trace->spans[*at].id == id && found.size() < most; ++at)
        found.push_back(*at);
    return found;
}

std::vector<std::uint32_t> LaneIndex::arrowsOf(std::uint32_t span) const
{
    std::vector<std::uint32_t> found;
    for (std::uint32_t at = 0; at < m_trace->arrows.size(); ++at)
        if (m_trace->arrows[at].from == span || m_trace->arrows[at].to == span)
            found.push_back(at);
    return found;
}

std::vector<std::uint32_t> LaneIndex::arrowsIn(double begin, double end, std::size_t most, bool& crowded) const
{
    const LaneTrace& t = *m_trace;
    std::vector<std::uint32_t> found;
    crowded = false;
    const auto first = std::lower_bound(m_arrowReach.begin(), m_arrowReach.end(), begin) - m_arrowReach.begin();
    // Among those that begin before the window few reach into it; more than a bound of looks is a crowd as well.
    std::size_t looks = 0;
    for (auto at = static_cast<std::size_t>(first); at < m_byFrom.size(); ++at) {
        const LaneArrow& arrow = t.arrows[m_byFrom[at]];
        const double a = t.spans[arrow.from].end, b = t.spans[arrow.to].begin;
        if (std::min(a, b) >= end)
            break;
        if (std::max(a, b) >= begin)
            found.push_back(m_byFrom[at]);
        if (found.size() > most || ++looks > 64 * (most + 1)) {
            crowded = true;
            found.clear();
            break;
        }
    }
    return found;
}

LaneIndex::Extent LaneIndex::extent(std::size_t counter, double begin, double end) const
{
    const LaneCounter& own = m_trace->counters[counter];
    const auto after = static_cast<std::size_t>(std::upper_bound(own.at.begin(), own.at.end(), begin) - own.at.begin());
    const auto last = static_cast<std::size_t>(std::lower_bound(own.at.begin(), own.at.end(), end) - own.at.begin());
    Extent extent;
    const auto take = [&](double least, double largest) {
        extent.least = extent.any ? std::min(extent.least, least) : least;
        extent.largest = extent.any ? std::max(extent.largest, largest) : largest;
        extent.any = true;
    };
    if (after > 0) {
        extent.first = own.values[after - 1];
        take(extent.first, extent.first);
    }
    for (std::size_t at = after; at < last;) {
        if (at % kBlock == 0 && at + kBlock <= last) {
            take(m_blocks[counter][at / kBlock].first, m_blocks[counter][at / kBlock].second);
            at += kBlock;
        } else {
            take(own.values[at], own.values[at]);
            ++at;
        }
    }
    if (after == 0 && extent.any)
        extent.first = own.values[0];
    return extent;
}

} // namespace ridge
