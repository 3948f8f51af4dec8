// SPDX-License-Identifier: GPL-3.0-or-later
#include "serving/summary.h"

#include <algorithm>
#include <numeric>

namespace ridge::serving {
namespace {

/// The value of rank `place`, between two ranks on the line between them. `from`: what comes before it is smaller.
double ranked(std::vector<double>& values, double place, std::ptrdiff_t& from)
{
    const auto low = static_cast<std::ptrdiff_t>(place);
    std::nth_element(values.begin() + from, values.begin() + low, values.end());
    from = low;
    const double below = values[static_cast<std::size_t>(low)];
    if (static_cast<double>(low) == place)
        return below;
    const double above = *std::min_element(values.begin() + low + 1, values.end());
    return below + (place - static_cast<double>(low)) * (above - below);
}

/// The values of the ranks `low` and low + 1 of a weighted sequence, whose part [first, last) holds them; `before` is
/// the weight in front of it.
double valueAt(std::vector<Interval>& all, double rank)
{
    std::size_t first = 0, last = all.size();
    double before = 0;
    while (last - first > 1) {
        // Of three; the pieces below and above it, and those that are equal.
        const double a = all[first].seconds, b = all[first + (last - first) / 2].seconds, c = all[last - 1].seconds;
        const double pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first),
                   end = all.begin() + static_cast<std::ptrdiff_t>(last);
        const auto equal = std::partition(begin, end, [&](const Interval& i) { return i.seconds < pivot; });
        const auto above = std::partition(equal, end, [&](const Interval& i) { return i.seconds == pivot; });
        const auto weigh = [](auto from, auto to) {
            return std::accumulate(from, to, 0.0, [](double sum, const Interval& i) { return sum + i.weight; });
        };
        const double lighter = weigh(begin, equal), same = weigh(equal, above);
        if (rank < before + lighter) {
            last = static_cast<std::size_t>(equal - all.begin());
        } else if (rank < before + lighter + same) {
            return pivot;
        } else {
            before += lighter + same;
            first = static_cast<std::size_t>(above - all.begin());
            if (first >= last)
                return pivot;
        }
    }
    return all[std::min(first, all.size() - 1)].seconds;
}

} // namespace

Spread spreadOf(std::vector<double>& values)
{
    Spread s;
    s.count = values.size();
    if (values.empty())
        return s;
    const double last = static_cast<double>(values.size() - 1);
    s.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    std::ptrdiff_t from = 0;
    s.p50 = ranked(values, 0.5 * last, from);
    s.p90 = ranked(values, 0.9 * last, from);
    s.p95 = ranked(values, 0.95 * last, from);
    s.p99 = ranked(values, 0.99 * last, from);
    s.most = *std::max_element(values.begin() + from, values.end());
    return s;
}

Spread spreadOf(std::vector<Interval>& intervals)
{
    Spread s;
    double weights = 0, sum = 0;
    for (const Interval& i : intervals) {
        weights += i.weight;
        sum += i.seconds * i.weight;
        s.most = std::max(s.most, i.seconds);
    }
    s.count = static_cast<std::size_t>(weights);
    if (s.count == 0)
        return s;
    s.mean = sum / weights;
    const auto at = [&](double share) {
        const double place = share * (weights - 1), low = std::floor(place);
        const double below = valueAt(intervals, low);
        return place == low ? below : below + (place - low) * (valueAt(intervals, low + 1) - below);
    };
    s.p50 = at(0.5);
    s.p90 = at(0.9);
    s.p95 = at(0.95);
    s.p99 = at(0.99);
    return s;
}

Summary summarize(ClusterResult& result, const Slo& slo, std::uint32_t together)
{
    Summary out;
    std::vector<double> ttft, tpot, e2e;
    ttft.reserve(result.requests.size());
    tpot.reserve(result.requests.size());
    e2e.reserve(result.requests.size());
    for (const RequestState& r : result.requests) {
        if (r.done < 0)
            continue;
        ++out.finished;
        out.promptTokens += r.prompt;
        out.outputTokens += r.output;
        double seen = r.firstToken;
        if (together > 1 && r.output > 1)
            seen += (r.done - r.firstToken) * (std::min<double>(together, r.output) - 1) / (r.output - 1);
        const double first = seen - r.arrival;
        ttft.push_back(first);
        e2e.push_back(r.done - r.arrival);
        double each = 0;
        if (r.output > 1) {
            each = (r.done - seen) / (r.output - 1);
            tpot.push_back(each);
        }
        out.good += first <= slo.ttft && each <= slo.tpot;
    }
    out.ttft = spreadOf(ttft);
    out.tpot = spreadOf(tpot);
    out.e2e = spreadOf(e2e);
    out.itl = spreadOf(result.intervals);
    return out;
}

} // namespace ridge::serving
