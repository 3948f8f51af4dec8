// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <vector>

namespace ridge::app {

/// Points on two axes that are not beaten on both: nobody is at least as good on either and better on one. By index,
/// from the left; equal points together. `moreX`, `moreY`: more is better there. O(n log n).
std::vector<std::size_t> paretoFront(const std::vector<QPointF>& points, bool moreX, bool moreY);

} // namespace ridge::app
