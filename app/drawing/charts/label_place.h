// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <vector>

namespace ridge::app {

/// A label that wants to stand beside a point.
struct LabelWish {
    QPointF anchor;
    QSizeF size;
    double gap = 8; ///< px between anchor and label: the radius of the mark
};

struct PlacedLabel {
    QRectF rect;      ///< null: there was no place that hides nothing
    bool far = false; ///< so far from its anchor that it needs a line to it
};

/// Places labels one after another around their anchors, nearest first, so that none leaves `bounds` or covers another
/// label or one of `obstacles` (marks). `lines` are avoided where that is possible. Deterministic; the first wishes
/// get the best places.
std::vector<PlacedLabel> placeLabels(const std::vector<LabelWish>& wishes, const QRectF& bounds,
                                     const std::vector<QRectF>& obstacles,
                                     const std::vector<std::pair<QPointF, QPointF>>& lines);

/// Whether the segment enters the rectangle.
bool crosses(const QRectF& rect, QPointF from, QPointF to);

/// Moves intervals [position, position + size) apart so that none overlaps, keeping their order and staying inside
/// [low, high] as long as they fit. Positions come back in the order given.
std::vector<double> spreadApart(const std::vector<double>& wanted, const std::vector<double>& sizes, double low,
                                double high);

} // namespace ridge::app
