// SPDX-License-Identifier: GPL-3.0-or-later
// Bars from zero: a whole in its parts, or the rungs of a ladder under a limit.
#include "base/units.h"
#include "portfolio/figure_parts.h"

#include <algorithm>
#include <cmath>

namespace ridge::folio {
namespace {

constexpr double kRow = 34, kBar = 18;

std::vector<Spot> rectangle(double left, double top, double right, double bottom)
{
    return {{left, top}, {right, top}, {right, bottom}, {left, bottom}};
}

/// Filled where somebody measured, open where it was simulated, dotted where it is modelled, as marks are.
void addBar(std::vector<Shape>& shapes, Ink ink, const std::vector<Spot>& corners, Provenance provenance)
{
    if (provenance == Provenance::Measured || provenance == Provenance::Recorded) {
        shapes.push_back(area(ink, corners));
        return;
    }
    shapes.push_back(area(Ink::Surface, corners));
    std::vector<Spot> around = corners;
    around.push_back(corners.front());
    shapes.push_back(line(ink, std::move(around), 1.75,
                          provenance == Provenance::Modelled ? std::vector<double>{2, 2} : std::vector<double>()));
}

/// A square of each part's colour with its name. Gives the height it takes.
double addKey(std::vector<Shape>& shapes, const SweepFigure& figure, double width, double top)
{
    double x = 8, y = top;
    for (std::size_t i = 0; i < figure.series.size(); ++i) {
        const double wide = 20 + textWidth(figure.series[i].name, kTick) + 18;
        if (x > 8 && x + wide > width - 8) {
            x = 8;
            y += 18;
        }
        shapes.push_back(area(seriesInk(i), rectangle(x, y - 11, x + 12, y + 1)));
        shapes.push_back(words(Ink::Text, x + 18, y, figure.series[i].name, kTick));
        x += wide;
    }
    return y - top + 18;
}

} // namespace

Picture drawBars(const SweepFigure& figure, double width)
{
    const bool parts = figure.kind == "cost";
    Picture picture;
    picture.width = width;
    std::vector<Shape>& shapes = picture.shapes;
    shapes.push_back(words(Ink::Text, 8, 22, figure.title, kTitle, Shape::Start, true));
    shapes.push_back(words(Ink::Muted, 8, 42, withUnit(figure.yTitle, figure.yUnit), kLabel));
    double top = 62 + (parts ? addKey(shapes, figure, width, 64) : 0);
    const std::size_t rows = figure.xNames.size();
    std::vector<double> sums(rows, 0), values{0};
    for (const FigureSeries& series : figure.series)
        for (const FigurePoint& point : series.points) {
            sums[static_cast<std::size_t>(point.x) - 1] += point.y;
            if (point.limit)
                values.push_back(*point.limit);
        }
    values.insert(values.end(), sums.begin(), sums.end());
    if (figure.reference)
        values.push_back(*figure.reference);

    double left = 60, room = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        left = std::max(left, textWidth(figure.xNames[i], kLabel) + 22);
        room = std::max(room, textWidth(formatQuantity(sums[i], figure.yUnit), kLabel) + 16);
    }
    left = std::min(left, width * 0.4);
    const auto limit = figure.series.empty() || figure.series.front().points.empty()
                           ? std::optional<double>()
                           : figure.series.front().points.front().limit;
    std::vector<std::pair<double, std::string>> lines;
    if (!parts && limit)
        lines.emplace_back(*limit, "limit: " + figure.limitTitle);
    if (figure.reference)
        lines.emplace_back(*figure.reference, figure.referenceName);
    top += 18 * static_cast<double>(lines.size());
    const double bottom = top + kRow * static_cast<double>(rows) + 6;
    picture.height = bottom + 34;
    const Scale x = scaleFor(values, false, left, width - 16 - room);
    for (const Mark& tick : marksOf(x, 7, figure.yUnit, false)) {
        const double at = x.at(tick.value);
        shapes.push_back(line(Ink::Grid, {{at, top}, {at, bottom}}, 1));
        shapes.push_back(words(Ink::Muted, at, bottom + 18, tick.label, kTick, Shape::Middle));
    }
    shapes.push_back(line(Ink::Axis, {{left, top}, {left, bottom}}, 1));
    std::vector<double> ends(rows, 0);
    for (std::size_t i = 0; i < figure.series.size(); ++i)
        for (const FigurePoint& point : figure.series[i].points) {
            const auto row = static_cast<std::size_t>(point.x) - 1;
            const double middle = top + kRow * (point.x - 0.5) + 3;
            const auto corners =
                rectangle(x.at(ends[row]), middle - kBar / 2, x.at(ends[row] + point.y), middle + kBar / 2);
            ends[row] += point.y;
            // The parts of a whole are told by their colours, and where they come from is in the caption.
            if (parts)
                shapes.push_back(area(seriesInk(i), corners));
            else
                addBar(shapes, seriesInk(0), corners, point.provenance.value_or(figure.series[i].provenance));
        }
    for (std::size_t i = 0; i < rows; ++i) {
        const double middle = top + kRow * (static_cast<double>(i) + 0.5) + 3;
        shapes.push_back(words(Ink::Text, left - 12, middle + 4, figure.xNames[i], kLabel, Shape::End));
        shapes.push_back(
            words(Ink::Text, x.at(sums[i]) + 8, middle + 4, formatQuantity(sums[i], figure.yUnit), kLabel));
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const double at = x.at(lines[i].first);
        const double y = top - 18 * static_cast<double>(lines.size() - 1 - i) - 6;
        shapes.push_back(line(Ink::Limit, {{at, y + 3}, {at, bottom}}, 1.5,
                              i == 0 && limit ? std::vector<double>{5, 4} : std::vector<double>{1, 2}));
        const double half = textWidth(lines[i].second, kTick) / 2;
        shapes.push_back(words(Ink::Muted, std::clamp(at, 8 + half, std::max(8 + half, width - 8 - half)), y,
                               lines[i].second, kTick, Shape::Middle));
    }
    return picture;
}

} // namespace ridge::folio
