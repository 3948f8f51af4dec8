// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/pareto_front.h"

#include <algorithm>
#include <numeric>

namespace ridge::app {

std::vector<std::size_t> paretoFront(const std::vector<QPointF>& points, bool moreX, bool moreY)
{
    // As if less were better on both.
    const auto x = [&](std::size_t i) { return moreX ? -points[i].x() : points[i].x(); };
    const auto y = [&](std::size_t i) { return moreY ? -points[i].y() : points[i].y(); };
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order,
                      [&](std::size_t a, std::size_t b) { return std::pair(x(a), y(a)) < std::pair(x(b), y(b)); });
    std::vector<std::size_t> front;
    for (const std::size_t i : order)
        if (front.empty() || y(i) < y(front.back()) || (y(i) == y(front.back()) && x(i) == x(front.back())))
            front.push_back(i);
    std::ranges::sort(front, {}, [&](std::size_t i) { return points[i].x(); });
    return front;
}

} // namespace ridge::app
