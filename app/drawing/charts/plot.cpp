// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/plot.h"

#include "base/json.h"

#include <QCoreApplication>

namespace ridge::app {
namespace {

constexpr double kReach = 24; ///< px: how near a pointer must come to a point

} // namespace

QPointF PlotFrame::place(double valueX, double valueY) const
{
    return {placeX(valueX), placeY(valueY)};
}

QString Plot::zoomRefusal() const
{
    const PlotAxes shown = axes();
    if (shown.x.zoom || shown.y.zoom)
        return {};
    return QCoreApplication::translate("ridge::app::Plot", "This chart is always shown whole.");
}

Json Plot::describe() const
{
    return Json::object();
}

QMarginsF Plot::margins(const Theme&, QSizeF) const
{
    return {0, 0, space::m, 0};
}

double Plot::heightFor(const Theme&, double) const
{
    return 0;
}

void Plot::layout(const PlotFrame&) {}

std::vector<PlotCurve> Plot::curves(const PlotFrame&) const
{
    return {};
}

QRectF Plot::emptyRect(const PlotFrame& frame) const
{
    return frame.plot.adjusted(space::l, space::l, -space::l, -space::l);
}

void Plot::paintUnder(QPainter&, const PlotFrame&) const {}

PlotCursor Plot::hit(const PlotFrame& frame, QPointF at) const
{
    PlotCursor best;
    double bestDistance = kReach * kReach;
    const std::vector<int> sizes = groups();
    for (int group = 0; group < static_cast<int>(sizes.size()); ++group)
        for (int point = 0; point < sizes[static_cast<std::size_t>(group)]; ++point) {
            const auto rect = outline(frame, {group, point});
            if (!rect)
                continue;
            const QPointF delta = rect->center() - at;
            const double distance = QPointF::dotProduct(delta, delta);
            if (distance < bestDistance) {
                bestDistance = distance;
                best = {group, point};
            }
        }
    return best;
}

} // namespace ridge::app
