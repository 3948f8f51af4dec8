// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/label_place.h"

#include <algorithm>
#include <numeric>

namespace ridge::app {
namespace {

/// Sides in the order in which a reader looks for a label: right, above right, below right, left …
std::vector<QRectF> candidates(const LabelWish& wish, double distance)
{
    const double w = wish.size.width(), h = wish.size.height();
    const double d = wish.gap + distance;
    const QPointF a = wish.anchor;
    return {QRectF(a.x() + d, a.y() - h / 2, w, h),
            QRectF(a.x() + d * 0.7, a.y() - d * 0.7 - h, w, h),
            QRectF(a.x() + d * 0.7, a.y() + d * 0.7, w, h),
            QRectF(a.x() - w / 2, a.y() - d - h, w, h),
            QRectF(a.x() - w / 2, a.y() + d, w, h),
            QRectF(a.x() - d - w, a.y() - h / 2, w, h),
            QRectF(a.x() - d * 0.7 - w, a.y() - d * 0.7 - h, w, h),
            QRectF(a.x() - d * 0.7 - w, a.y() + d * 0.7, w, h)};
}

} // namespace

bool crosses(const QRectF& rect, QPointF from, QPointF to)
{
    // Liang and Barsky: the part of the segment that lies inside all four half planes.
    double enter = 0, leave = 1;
    const QPointF d = to - from;
    const auto clip = [&](double p, double q) {
        if (p == 0)
            return q >= 0;
        const double t = q / p;
        if (p < 0)
            enter = std::max(enter, t);
        else
            leave = std::min(leave, t);
        return enter <= leave;
    };
    return clip(-d.x(), from.x() - rect.left()) && clip(d.x(), rect.right() - from.x()) &&
           clip(-d.y(), from.y() - rect.top()) && clip(d.y(), rect.bottom() - from.y());
}

std::vector<PlacedLabel> placeLabels(const std::vector<LabelWish>& wishes, const QRectF& bounds,
                                     const std::vector<QRectF>& obstacles,
                                     const std::vector<std::pair<QPointF, QPointF>>& lines)
{
    std::vector<PlacedLabel> placed;
    std::vector<QRectF> taken;
    for (const LabelWish& wish : wishes) {
        PlacedLabel best;
        double bestCost = 1e9;
        for (const double away : {0.0, 0.9, 1.9, 3.1, 4.8}) {
            const double distance = away * wish.size.height();
            for (const QRectF& rect : candidates(wish, distance)) {
                if (!bounds.contains(rect))
                    continue;
                const QRectF room = rect.adjusted(-3, -1, 3, 1);
                const auto hits = [&](const QRectF& other) { return room.intersects(other); };
                if (std::any_of(taken.begin(), taken.end(), hits) ||
                    std::any_of(obstacles.begin(), obstacles.end(), hits))
                    continue;
                double cost = distance;
                for (const auto& [from, to] : lines)
                    cost += crosses(room, from, to) ? 60 : 0;
                if (cost < bestCost) {
                    bestCost = cost;
                    best = {rect, away > 0.5};
                }
            }
            if (bestCost <= distance)
                break;
        }
        if (!best.rect.isNull())
            taken.push_back(best.rect);
        placed.push_back(best);
    }
    return placed;
}

std::vector<double> spreadApart(const std::vector<double>& wanted, const std::vector<double>& sizes, double low,
                                double high)
{
    std::vector<std::size_t> order(wanted.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return wanted[a] < wanted[b]; });
    std::vector<double> places = wanted;
    double floor = low;
    for (const std::size_t i : order) {
        places[i] = std::max(places[i], floor);
        floor = places[i] + sizes[i];
    }
    double ceiling = high;
    for (auto i = order.rbegin(); i != order.rend(); ++i) {
        places[*i] = std::min(places[*i], ceiling - sizes[*i]);
        ceiling = places[*i];
    }
    return places;
}

} // namespace ridge::app
