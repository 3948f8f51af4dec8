// SPDX-License-Identifier: GPL-3.0-or-later
// The order of the run table.
#include "app/runs/table/runs_model.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace ridge::app {
namespace {

/// Numbers by size: stride 2 before stride 16.
bool valueBefore(const ParamValue& low, const ParamValue& high)
{
    const auto a = asNumber(low), b = asNumber(high);
    return a && b && *a != *b ? *a < *b : low < high;
}

/// Name after name; points of experiments with other names stand apart, so that this orders any two.
bool pointsBefore(const RunsModel::Point& low, const RunsModel::Point& high)
{
    return std::lexicographical_compare(
        low.params.begin(), low.params.end(), high.params.begin(), high.params.end(), [](const auto& a, const auto& b) {
            return a.first == b.first ? valueBefore(a.second, b.second) : a.first < b.first;
        });
}

/// The place of each text among the distinct ones, as people sort them.
QHash<QString, int> placesOf(const QSet<QString>& distinct,
                             const std::function<int(const QString&, const QString&)>& compare)
{
    QStringList sorted(distinct.begin(), distinct.end());
    std::sort(sorted.begin(), sorted.end(), [&](const QString& a, const QString& b) {
        const int order = compare(a, b);
        return order == 0 ? a < b : order < 0;
    });
    QHash<QString, int> places;
    int place = 0;
    for (qsizetype i = 0; i < sorted.size(); ++i) {
        place += i > 0 && compare(sorted[i - 1], sorted[i]) != 0 ? 1 : 0;
        places.insert(sorted[i], place);
    }
    return places;
}

} // namespace

/// The place of every entry's cell among all distinct ones, so that sorting compares numbers. Texts are compared once
/// for each two distinct ones that meet, not for each two runs.
std::vector<int> RunsModel::ranks() const
{
    std::vector<int> ranks(m_entries.size(), 0);
    if (m_sortColumn == Tags) {
        QStringList cells;
        for (const Entry& entry : m_entries)
            cells << cell(entry, Tags);
        const QHash<QString, int> places =
            placesOf(QSet<QString>(cells.begin(), cells.end()),
                     [](const QString& a, const QString& b) { return a.compare(b, Qt::CaseInsensitive); });
        std::transform(cells.begin(), cells.end(), ranks.begin(), [&](const QString& text) { return places[text]; });
        return ranks;
    }
    QHash<const Point*, int> places;
    if (m_sortColumn == Parameters) {
        std::vector<const Point*> points(m_points.begin(), m_points.end());
        std::sort(points.begin(), points.end(), [](const Point* a, const Point* b) { return pointsBefore(*a, *b); });
        int rank = 0;
        for (std::size_t i = 0; i < points.size(); ++i) {
            rank += i > 0 && pointsBefore(*points[i - 1], *points[i]) ? 1 : 0;
            places.insert(points[i], rank);
        }
    } else {
        const auto column = static_cast<std::size_t>(m_sortColumn);
        QSet<QString> distinct;
        for (const Point* point : m_points)
            distinct.insert(point->cells[column]);
        const QHash<QString, int> ranked =
            placesOf(distinct, [](const QString& a, const QString& b) { return a.localeAwareCompare(b); });
        for (const Point* point : m_points)
            places.insert(point, ranked[point->cells[column]]);
    }
    for (std::size_t i = 0; i < ranks.size(); ++i)
        ranks[i] = places.value(m_entries[i].point.get());
    return ranks;
}

bool RunsModel::newer(const Entry& a, const Entry& b) const
{
    return std::tie(a.at, a.position, a.id) > std::tie(b.at, b.position, b.id);
}

/// Takes up what was added behind the end; mostly it is in order there already.
void RunsModel::sortByTime()
{
    const std::size_t before = m_byTime.size();
    m_byTime.resize(m_entries.size());
    std::iota(m_byTime.begin() + static_cast<std::ptrdiff_t>(before), m_byTime.end(), static_cast<int>(before));
    const auto newerAt = [this](int a, int b) { return newer(at(a), at(b)); };
    const auto added = m_byTime.begin() + static_cast<std::ptrdiff_t>(before);
    if (!std::is_sorted(added, m_byTime.end(), newerAt))
        std::sort(added, m_byTime.end(), newerAt);
    if (before > 0 && added != m_byTime.end() && newerAt(*added, *std::prev(added)))
        std::inplace_merge(m_byTime.begin(), added, m_byTime.end(), newerAt);
}

/// Of equals the newest comes first, whichever way a column goes: a stable sort of what is ordered by time, over keys
/// that lie beside each other, so that no comparison has to look an entry up.
void RunsModel::reorder()
{
    sortByTime();
    const bool up = m_sortOrder == Qt::AscendingOrder;
    m_order = m_byTime;
    if (m_sortColumn == When) {
        if (up)
            std::reverse(m_order.begin(), m_order.end());
        return;
    }
    if (m_sortColumn == Result) {
        std::vector<std::pair<double, int>> keys;
        keys.reserve(m_order.size());
        for (const int i : m_byTime)
            keys.emplace_back(at(i).value, i);
        std::stable_sort(keys.begin(), keys.end(),
                         [up](const auto& a, const auto& b) { return up ? a.first < b.first : b.first < a.first; });
        std::transform(keys.begin(), keys.end(), m_order.begin(), [](const auto& key) { return key.second; });
        return;
    }
    // Ranks are few: every entry goes to its place by counting.
    const std::vector<int> rank = ranks();
    const int most = rank.empty() ? 0 : *std::max_element(rank.begin(), rank.end());
    std::vector<std::size_t> place(static_cast<std::size_t>(most) + 2, 0);
    const auto slot = [&](int i) {
        const int own = rank[static_cast<std::size_t>(i)];
        return static_cast<std::size_t>(up ? own : most - own);
    };
    for (const int i : m_byTime)
        ++place[slot(i) + 1];
    std::partial_sum(place.begin(), place.end(), place.begin());
    for (const int i : m_byTime)
        m_order[place[slot(i)]++] = i;
}

} // namespace ridge::app
