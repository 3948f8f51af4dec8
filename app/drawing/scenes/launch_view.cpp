// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/scenes/launch_view.h"

#include <QCoreApplication>
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace ridge::app {
namespace {

constexpr std::size_t kStride = 16; ///< intervals between two checkpoints of a track

std::uint64_t slotKey(std::uint32_t sm, std::uint32_t slot)
{
    return std::uint64_t{sm} << 32 | slot;
}

} // namespace

LaunchView::LaunchView(std::shared_ptr<const LaunchTrace> trace) : m_trace(std::move(trace))
{
    const LaunchTrace& t = *m_trace;
    std::uint64_t last = std::max<std::uint64_t>(1, t.extrapolation.simulatedCycles);
    for (const TracedBlock& block : t.blocks)
        last = std::max(last, block.end);
    m_cycles = static_cast<double>(last);
    for (const std::string& state : t.states)
        m_groups.push_back(groupOf(state));
    std::map<std::uint64_t, std::uint64_t> ends;
    for (const TracedBlock& block : t.blocks)
        ends[block.block] = block.end;
    m_checkpoints.resize(t.warps.size());
    m_blockEnd.assign(t.warps.size(), 0);
    for (std::size_t track = 0; track < t.warps.size(); ++track) {
        const WarpTrack& warp = t.warps[track];
        m_slots[slotKey(warp.sm, warp.slot)].push_back(track);
        if (const auto found = ends.find(warp.block); found != ends.end())
            m_blockEnd[track] = found->second;
        Living sum{};
        m_checkpoints[track].reserve(warp.intervals.size() / kStride + 1);
        for (std::size_t at = 0; at < warp.intervals.size(); ++at) {
            if (at % kStride == 0)
                m_checkpoints[track].push_back(sum);
            sum[static_cast<std::size_t>(m_groups[warp.intervals[at].state])] += warp.intervals[at].cycles;
        }
    }
    for (auto& [key, tracks] : m_slots)
        std::stable_sort(tracks.begin(), tracks.end(), [&](std::size_t a, std::size_t b) {
            return t.warps[a].intervals.front().begin < t.warps[b].intervals.front().begin;
        });

    gatherLines();

    // The timeline's counters that are states; what they leave of the warp-cycles is "other".
    const std::size_t buckets = t.buckets(), row = t.sms.counters.size();
    std::vector<int> groups;
    std::size_t whole = row;
    for (std::size_t at = 0; at < row; ++at) {
        const StateGroup group = groupOf(t.sms.counters[at]);
        groups.push_back(group == StateGroup::Other ? -1 : static_cast<int>(group));
        whole = t.sms.counters[at] == "warp_cycles" ? at : whole;
    }
    m_buckets.assign((buckets + 1) * t.chip.sms, {});
    for (std::uint32_t sm = 0; sm < t.chip.sms && whole < row; ++sm) {
        Living sum{};
        for (std::size_t bucket = 0; bucket <= buckets; ++bucket) {
            m_buckets[sm * (buckets + 1) + bucket] = sum;
            if (bucket == buckets)
                break;
            const std::uint32_t* values = t.sms.values.data() + (bucket * t.chip.sms + sm) * row;
            double rest = values[whole];
            for (std::size_t at = 0; at < row; ++at) {
                if (groups[at] < 0)
                    continue;
                sum[static_cast<std::size_t>(groups[at])] += values[at];
                rest -= values[at];
            }
            sum[static_cast<std::size_t>(StateGroup::Other)] += std::max(0.0, rest);
        }
    }
}

std::uint64_t LaunchView::LineUse::lanesInAll() const
{
    return std::accumulate(lanes.begin(), lanes.end(), std::uint64_t{0});
}

double LaunchView::LineUse::idleShare() const
{
    return issues == 0 ? 0 : 1 - static_cast<double>(lanesInAll()) / (static_cast<double>(issues) * kWarpSize);
}

void LaunchView::gatherLines()
{
    const LaunchTrace& t = *m_trace;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> byLine;
    for (const TracedLine& line : t.lines) {
        byLine[{line.sourceLine, line.sourceLine != 0 ? 0 : line.ptxLine}] = m_lines.size();
        LineUse use;
        use.sourceLine = line.sourceLine;
        use.ptxLine = line.ptxLine;
        use.text = QString::fromStdString(line.text);
        use.binIssues.assign(kBins, 0);
        use.binLanes.assign(kBins, 0);
        m_lines.push_back(std::move(use));
    }
    std::vector<std::size_t> lineOfOp; // instructions without a place belong to the one before
    std::size_t last = m_lines.size();
    for (const TracedInstruction& machine : t.machine) {
        const auto found = byLine.find({machine.sourceLine, machine.sourceLine != 0 ? 0 : machine.ptxLine});
        last = found != byLine.end() && (machine.sourceLine != 0 || machine.ptxLine != 0) ? found->second : last;
        lineOfOp.push_back(last);
    }
    for (const WarpTrack& warp : t.warps)
        for (const WarpInterval& interval : warp.intervals) {
            if (interval.state != 0 || lineOfOp[interval.op] >= m_lines.size())
                continue;
            LineUse& use = m_lines[lineOfOp[interval.op]];
            ++use.issues;
            for (std::uint32_t mask = interval.lanes; mask != 0; mask &= mask - 1)
                ++use.lanes[static_cast<std::size_t>(std::countr_zero(mask))];
            const auto bin =
                std::min(static_cast<std::size_t>(interval.begin / m_cycles * static_cast<double>(kBins)), kBins - 1);
            ++use.binIssues[bin];
            use.binLanes[bin] += static_cast<std::uint32_t>(std::popcount(interval.lanes));
        }
    std::erase_if(m_lines, [](const LineUse& use) { return use.issues == 0; });
}

std::ptrdiff_t LaunchView::intervalAt(std::size_t track, double cycle) const
{
    const std::vector<WarpInterval>& all = m_trace->warps[track].intervals;
    if (all.empty() || cycle < all.front().begin || cycle >= all.back().end())
        return -1;
    const auto after = std::upper_bound(all.begin(), all.end(), cycle,
                                        [](double c, const WarpInterval& interval) { return c < interval.begin; });
    return after - all.begin() - 1;
}

LaunchView::Living LaunchView::sumTo(std::size_t track, double cycle) const
{
    const std::vector<WarpInterval>& all = m_trace->warps[track].intervals;
    if (all.empty() || cycle <= all.front().begin)
        return {};
    const auto after = std::upper_bound(all.begin(), all.end(), cycle,
                                        [](double c, const WarpInterval& interval) { return c < interval.begin; });
    const auto index = static_cast<std::size_t>(after - all.begin() - 1);
    Living sum = m_checkpoints[track][index / kStride];
    for (std::size_t at = index / kStride * kStride; at < index; ++at)
        sum[static_cast<std::size_t>(m_groups[all[at].state])] += all[at].cycles;
    sum[static_cast<std::size_t>(m_groups[all[index].state])] +=
        std::min<double>(cycle - all[index].begin, all[index].cycles);
    return sum;
}

GroupCycles LaunchView::ofWarp(std::size_t track, double begin, double end) const
{
    const Living before = sumTo(track, begin), after = sumTo(track, end);
    GroupCycles cycles{};
    for (std::size_t group = 0; group < kLivingGroups; ++group)
        cycles[group] = after[group] - before[group];
    return cycles;
}

void LaunchView::addWarp(std::size_t track, double begin, double perColumn, std::span<GroupCycles> columns) const
{
    const std::vector<WarpInterval>& all = m_trace->warps[track].intervals;
    const double first = all.front().begin, last = all.back().end();
    if (perColumn <= 0 || last <= begin || first >= begin + perColumn * static_cast<double>(columns.size()))
        return;
    auto column = static_cast<std::size_t>(std::max(0.0, std::floor((first - begin) / perColumn)));
    double from = std::max(first, begin + static_cast<double>(column) * perColumn);
    auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, intervalAt(track, from)));
    for (; column < columns.size() && from < last; ++column) {
        const double to = std::min(last, begin + static_cast<double>(column + 1) * perColumn);
        GroupCycles& sum = columns[column];
        if (at + 4 * kStride < all.size() && all[at + 4 * kStride].begin < to) {
            const GroupCycles own = ofWarp(track, from, to);
            for (std::size_t group = 0; group < kLivingGroups; ++group)
                sum[group] += own[group];
            const std::ptrdiff_t next = intervalAt(track, to);
            at = next < 0 ? all.size() - 1 : static_cast<std::size_t>(next);
        } else {
            for (double reached = from; reached < to;) {
                const double end = std::min<double>(all[at].end(), to);
                sum[static_cast<std::size_t>(m_groups[all[at].state])] += end - reached;
                reached = end;
                if (all[at].end() <= to && at + 1 < all.size())
                    ++at;
                else if (reached < to)
                    break;
            }
        }
        from = to;
    }
}

std::size_t LaunchView::bucketOf(double cycle) const
{
    return m_trace->sms.bucketCycles == 0
               ? 0
               : static_cast<std::size_t>(std::max(0.0, cycle) / static_cast<double>(m_trace->sms.bucketCycles));
}

LaunchView::Living LaunchView::smSumTo(std::uint32_t sm, double cycle) const
{
    const std::size_t buckets = m_trace->buckets();
    if (buckets == 0)
        return {};
    const double at =
        std::clamp(cycle / static_cast<double>(m_trace->sms.bucketCycles), 0.0, static_cast<double>(buckets));
    const auto bucket = std::min(static_cast<std::size_t>(at), buckets - 1);
    const Living& low = m_buckets[sm * (buckets + 1) + bucket];
    const Living& high = m_buckets[sm * (buckets + 1) + bucket + 1];
    const double part = at - static_cast<double>(bucket);
    Living sum{};
    for (std::size_t group = 0; group < kLivingGroups; ++group)
        sum[group] = low[group] + part * (high[group] - low[group]);
    return sum;
}

GroupCycles LaunchView::ofSm(std::uint32_t sm, double begin, double end) const
{
    const Living before = smSumTo(sm, begin), after = smSumTo(sm, end);
    GroupCycles cycles{};
    double filled = 0;
    for (std::size_t group = 0; group < kLivingGroups; ++group) {
        cycles[group] = after[group] - before[group];
        filled += cycles[group];
    }
    cycles[static_cast<std::size_t>(StateGroup::Idle)] =
        std::max(0.0, m_trace->chip.warpSlots * (end - begin) - filled);
    return cycles;
}

GroupCycles LaunchView::ofLaunch() const
{
    GroupCycles cycles{};
    for (std::size_t state = 0; state < m_groups.size(); ++state)
        cycles[static_cast<std::size_t>(m_groups[state])] += static_cast<double>(m_trace->stateCycles[state]);
    return cycles;
}

const std::vector<std::size_t>& LaunchView::tracksOf(std::uint32_t sm, std::uint32_t slot) const
{
    static const std::vector<std::size_t> none;
    const auto found = m_slots.find(slotKey(sm, slot));
    return found == m_slots.end() ? none : found->second;
}

std::uint32_t LaunchView::slotsOf(std::uint32_t sm) const
{
    const auto after = m_slots.lower_bound(slotKey(sm + 1, 0));
    if (after == m_slots.begin())
        return 0;
    const std::uint64_t last = std::prev(after)->first;
    return last >> 32 == sm ? static_cast<std::uint32_t>(last) + 1 : 0;
}

const LaunchView* shownLaunch(const std::vector<SceneFrame>& frames, const SceneState& state)
{
    const SceneFrame* frame = shownFrame(frames, state);
    return frame ? frame->payloads.get<LaunchView>() : nullptr;
}

QString noLaunchText(const std::vector<SceneFrame>& frames, const SceneState& state)
{
    if (!shownFrame(frames, state))
        return QCoreApplication::translate(
            "ridge::app::Scene", "What the chip did, cycle by cycle, appears here once the experiment has run "
                                 "on a simulated chip.");
    return QCoreApplication::translate(
        "ridge::app::Scene", "This run kept no trace of its launch. A GPU does not tell what its warps did in "
                             "each cycle, and a simulated chip tells it only with a timing file. Run the "
                             "experiment on sim:h100-sxm to see it.");
}

} // namespace ridge::app
