// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/units.h"
#include "portfolio/figure_parts.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace ridge::folio {
namespace {

/// Dashes of the eight series (product design, section 5.2).
const std::vector<double>& dashOf(std::size_t series)
{
    static const std::vector<std::vector<double>> all = {{},      {6, 3},       {2, 2}, {8, 3, 2, 3},
                                                         {12, 3}, {4, 2, 1, 2}, {1, 2}, {10, 2, 2, 2, 2, 2}};
    return all[series % all.size()];
}

Shape mark(Shape::Kind kind, Ink ink, Spot at, double size, bool filled)
{
    Shape shape{kind, ink, {at}};
    shape.size = size;
    shape.width = 1.75;
    shape.filled = filled;
    return shape;
}

/// A number that somebody got: filled where it was measured, here or elsewhere, open where it was simulated, dotted
/// where it is modelled, as the program's own charts have it.
Shape result(Shape::Kind kind, Ink ink, Spot at, double size, Provenance provenance)
{
    Shape shape = mark(kind, ink, at, size, provenance == Provenance::Measured || provenance == Provenance::Recorded);
    if (provenance == Provenance::Modelled)
        shape.dash = {1.75, 1.75};
    return shape;
}

/// Predictions wear the hollow diamond and nothing else does: whisker, line to the result, diamond on top.
void addPrediction(std::vector<Shape>& shapes, Spot point, Spot low, Spot high, std::optional<Spot> result)
{
    const bool lying = std::abs(high.x - low.x) > std::abs(high.y - low.y);
    const double cap = 5;
    shapes.push_back(line(Ink::Axis, {low, high}, 1.5));
    for (const Spot end : {low, high})
        shapes.push_back(line(Ink::Axis,
                              lying ? std::vector<Spot>{{end.x, end.y - cap}, {end.x, end.y + cap}}
                                    : std::vector<Spot>{{end.x - cap, end.y}, {end.x + cap, end.y}},
                              1.5));
    if (result)
        shapes.push_back(line(Ink::Prediction, {point, *result}, 1.75));
    shapes.push_back(mark(Shape::Diamond, Ink::Prediction, point, kDiamond, false));
}

std::vector<double> allValues(const SweepFigure& figure)
{
    std::vector<double> values;
    for (const FigureSeries& series : figure.series)
        for (const FigurePoint& point : series.points) {
            values.push_back(point.y);
            for (const std::optional<double>& other : {point.limit, point.low, point.high})
                if (other)
                    values.push_back(*other);
        }
    for (const FigurePoint& point : figure.guide)
        values.push_back(point.y);
    if (figure.kind == "cdf")
        values.insert(values.end(), {0, 100});
    for (const FigurePrediction& prediction : figure.predictions)
        for (double value : {prediction.point, prediction.low, prediction.high})
            values.push_back(value);
    return values;
}

/// Names at the ends of curves, pushed apart so that none covers another.
void addEndNames(std::vector<Shape>& shapes, const SweepFigure& figure, const Scale& x, const Scale& y)
{
    struct End {
        std::size_t series;
        double wanted, place;
    };
    std::vector<End> ends;
    for (std::size_t i = 0; i < figure.series.size(); ++i) {
        const double at = y.at(figure.series[i].points.back().y);
        ends.push_back({i, at, at});
    }
    std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.wanted < b.wanted; });
    constexpr double room = 17;
    for (std::size_t i = 1; i < ends.size(); ++i)
        ends[i].place = std::max(ends[i].place, ends[i - 1].place + room);
    for (std::size_t i = ends.size(); i-- > 0;) {
        const double below = i + 1 < ends.size() ? ends[i + 1].place - room : y.from;
        ends[i].place = std::min(ends[i].place, below);
    }
    for (const End& end : ends) {
        const double left = x.to + 12;
        shapes.push_back(
            line(seriesInk(end.series), {{left, end.place}, {left + 18, end.place}}, 2, dashOf(end.series)));
        shapes.push_back(words(Ink::Text, left + 24, end.place + 4, figure.series[end.series].name, kTick));
    }
}

double nameRoom(const SweepFigure& figure)
{
    double widest = 0;
    if (figure.series.size() > 1 && figure.series.size() <= 4)
        for (const FigureSeries& series : figure.series)
            widest = std::max(widest, textWidth(series.name, kTick) + 44);
    return widest;
}

/// Above four curves a legend reads better than names at the ends. Gives the height it takes.
double addLegend(std::vector<Shape>& shapes, const SweepFigure& figure, double left, double right, double top,
                 bool always)
{
    if (figure.series.size() < 2 || (figure.series.size() <= 4 && !always))
        return 0;
    double x = left, y = top;
    for (std::size_t i = 0; i < figure.series.size(); ++i) {
        const double width = 30 + textWidth(figure.series[i].name, kTick) + 20;
        if (x > left && x + width > right) {
            x = left;
            y += 18;
        }
        if (always)
            shapes.push_back(result(i % 2 ? Shape::Square : Shape::Dot, seriesInk(i), {x + 9, y - 4}, kDot,
                                    figure.series[i].provenance));
        else
            shapes.push_back(line(seriesInk(i), {{x, y - 4}, {x + 22, y - 4}}, 2, dashOf(i)));
        shapes.push_back(words(Ink::Text, x + 28, y, figure.series[i].name, kTick));
        x += width;
    }
    return y - top + 18;
}

/// Height of a line at a place; of its nearer end beyond them.
double heightAt(const std::vector<Spot>& spots, double x)
{
    for (std::size_t i = 1; i < spots.size(); ++i)
        if (x <= spots[i].x && spots[i].x > spots[i - 1].x)
            return spots[i - 1].y + (spots[i].y - spots[i - 1].y) *
                                        std::clamp((x - spots[i - 1].x) / (spots[i].x - spots[i - 1].x), 0.0, 1.0);
    return spots.back().y;
}

/// At the end where the curves are farther away, clear of the line over the name's whole width.
void addLimitName(std::vector<Shape>& shapes, const SweepFigure& figure, const std::vector<Spot>& limit,
                  const std::string& name, const Scale& x, const Scale& y)
{
    double nearStart = 1e9, nearEnd = 1e9;
    for (const FigureSeries& series : figure.series) {
        nearStart = std::min(nearStart, std::abs(y.at(series.points.front().y) - limit.front().y));
        nearEnd = std::min(nearEnd, std::abs(y.at(series.points.back().y) - limit.back().y));
    }
    const bool atEnd = nearEnd >= nearStart;
    const double width = textWidth(name, kTick), left = atEnd ? x.to - 6 - width : x.from + 6;
    double top = 1e9, bottom = -1e9;
    for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0}) {
        top = std::min(top, heightAt(limit, left + width * part));
        bottom = std::max(bottom, heightAt(limit, left + width * part));
    }
    const bool below = top - 8 < y.to + 10;
    shapes.push_back(words(Ink::Muted, atEnd ? x.to - 6 : x.from + 6, below ? bottom + 16 : top - 7, name, kTick,
                           atEnd ? Shape::End : Shape::Start));
}

void addLimits(std::vector<Shape>& shapes, const SweepFigure& figure, const Scale& x, const Scale& y)
{
    struct Limit {
        std::vector<Spot> spots;
        std::string name;
        int count = 1; ///< series that it holds for
    };
    std::vector<Limit> drawn;
    for (const FigureSeries& series : figure.series) {
        std::vector<Spot> spots;
        for (const FigurePoint& point : series.points)
            if (point.limit && (!y.log || *point.limit > 0))
                spots.push_back({x.at(point.x), y.at(*point.limit)});
        if (spots.empty())
            continue;
        // A limit that does not depend on the parameter is one line from edge to edge.
        const bool flat = std::all_of(spots.begin(), spots.end(),
                                      [&](const Spot& spot) { return std::abs(spot.y - spots.front().y) < 0.5; });
        if (flat)
            spots = {{x.from, spots.front().y}, {x.to, spots.front().y}};
        const auto known = std::find_if(drawn.begin(), drawn.end(), [&](const Limit& other) {
            return other.spots.size() == spots.size() &&
                   std::equal(other.spots.begin(), other.spots.end(), spots.begin(),
                              [](const Spot& a, const Spot& b) { return std::abs(a.y - b.y) < 0.5; });
        });
        if (known == drawn.end())
            drawn.push_back({std::move(spots), series.name, 1});
        else
            ++known->count;
    }
    for (const Limit& limit : drawn)
        shapes.push_back(line(Ink::Limit, limit.spots, 1.5, {5, 4}));
    if (figure.limitTitle.empty())
        return;
    for (const Limit& limit : drawn) {
        const bool named = drawn.size() > 1 && limit.count == 1 && !limit.name.empty();
        addLimitName(shapes, figure, limit.spots, "limit: " + figure.limitTitle + (named ? ", " + limit.name : ""), x,
                     y);
    }
}

bool scattered(const SweepFigure& figure)
{
    return std::ranges::any_of(figure.series, [](const FigureSeries& series) { return !series.joined; });
}

/// Whether values stand along the bottom and not settings.
bool overMetric(const SweepFigure& figure)
{
    return figure.kind == "cdf" || figure.kind == "pareto" || figure.kind == "roofline";
}

void addGuide(std::vector<Shape>& shapes, const SweepFigure& figure, const Scale& x, const Scale& y)
{
    if (figure.guide.empty())
        return;
    std::vector<Spot> spots;
    for (const FigurePoint& point : figure.guide)
        spots.push_back({x.at(point.x), y.at(point.y)});
    shapes.push_back(line(Ink::Limit, spots, 2));
    shapes.push_back(words(Ink::Muted, x.to - 6, spots.back().y - 7, figure.guideName, kTick, Shape::End));
}

/// What lies between least and most, in a quiet colour, with both edges in that of the series.
void addBand(std::vector<Shape>& shapes, const FigureSeries& series, std::size_t index, const Scale& x, const Scale& y)
{
    std::vector<Spot> low, high;
    for (const FigurePoint& point : series.points)
        if (point.low && point.high && (!y.log || *point.low > 0)) {
            low.push_back({x.at(point.x), y.at(*point.low)});
            high.push_back({x.at(point.x), y.at(*point.high)});
        }
    if (low.empty())
        return;
    std::vector<Spot> around = low;
    around.insert(around.end(), high.rbegin(), high.rend());
    if (low.size() > 1)
        shapes.push_back(area(Ink::Grid, std::move(around)));
    for (std::size_t i = 0; i < low.size(); ++i) // places between which nothing was run show their own spread
        shapes.push_back(line(seriesInk(index), {low[i], high[i]}, 1));
    for (const auto& edge : {low, high})
        if (edge.size() > 1)
            shapes.push_back(line(seriesInk(index), edge, 1));
}

/// Percentiles: a mark on the curve, a thin line down to the axis, and the value beside it.
void addMarks(std::vector<Shape>& shapes, const SweepFigure& figure, const Scale& x, const Scale& y)
{
    double under = -1; // names of places close to each other go below each other
    for (auto mark = figure.marks.rbegin(); mark != figure.marks.rend(); ++mark) {
        const Spot at{x.at(mark->x), y.at(mark->y)};
        shapes.push_back(line(Ink::Limit, {at, {at.x, y.from}}, 1, {2, 3}));
        shapes.push_back(line(Ink::Text, {{at.x - 4, at.y - 4}, {at.x + 4, at.y + 4}}, 1.75));
        shapes.push_back(line(Ink::Text, {{at.x - 4, at.y + 4}, {at.x + 4, at.y - 4}}, 1.75));
        const bool left = at.x + 10 + textWidth(mark->name, kTick) > x.to;
        // The curve goes up to the right, so that the room below it is free there.
        const double height = std::max(at.y + (left ? 4 : 16), under + 15);
        under = height;
        shapes.push_back(words(Ink::Text, left ? at.x - 10 : at.x + 10, height, mark->name, kTick,
                               left ? Shape::End : Shape::Start));
    }
}

/// Names of dots, as far as they find room; the table has them all.
void addPointNames(std::vector<Shape>& shapes, const SweepFigure& figure, const Scale& x, const Scale& y)
{
    struct Box {
        double left, top, right, bottom;
    };
    std::vector<Box> taken;
    const auto free = [&](const Box& box) {
        return box.left >= x.from && box.right <= x.to && box.top >= y.to && box.bottom <= y.from &&
               std::ranges::none_of(taken, [&](const Box& other) {
                   return box.left < other.right && other.left < box.right && box.top < other.bottom &&
                          other.top < box.bottom;
               });
    };
    if (!figure.guideName.empty()) {
        const double at = y.at(figure.guide.back().y);
        taken.push_back({x.to - 6 - textWidth(figure.guideName, kTick), at - 20, x.to, at + 3});
    }
    for (std::size_t i = 0; i + 1 < figure.guide.size(); ++i) {
        constexpr int kPieces = 64; // the roof is no box
        const Spot from{x.at(figure.guide[i].x), y.at(figure.guide[i].y)};
        const Spot to{x.at(figure.guide[i + 1].x), y.at(figure.guide[i + 1].y)};
        for (int piece = 0; piece <= kPieces; ++piece) {
            const double part = double(piece) / kPieces;
            const Spot at{from.x + part * (to.x - from.x), from.y + part * (to.y - from.y)};
            taken.push_back({at.x - 4, at.y - 2, at.x + 4, at.y + 2});
        }
    }
    for (const FigureSeries& series : figure.series)
        for (const FigurePoint& point : series.points)
            taken.push_back({x.at(point.x) - 5, y.at(point.y) - 5, x.at(point.x) + 5, y.at(point.y) + 5});
    for (const FigureSeries& series : figure.series)
        for (const FigurePoint& point : series.points) {
            if (point.name.empty())
                continue;
            const Spot at{x.at(point.x), y.at(point.y)};
            const double wide = textWidth(point.name, kTick);
            for (const auto& [dx, dy, anchor] : {std::tuple(9.0, 4.0, Shape::Start),
                                                 {-9.0, 4.0, Shape::End},
                                                 {0.0, -9.0, Shape::Middle},
                                                 {0.0, 18.0, Shape::Middle}}) {
                const double left = at.x + dx - (anchor == Shape::End ? wide : anchor == Shape::Middle ? wide / 2 : 0);
                const Box box{left, at.y + dy - 11, left + wide, at.y + dy + 3};
                if (!free(box))
                    continue;
                taken.push_back(box);
                shapes.push_back(words(Ink::Muted, at.x + dx, at.y + dy, point.name, kTick, anchor));
                break;
            }
        }
}

Picture drawCurves(const SweepFigure& figure, double width)
{
    Picture picture;
    picture.width = width;
    const bool dotsAlone = scattered(figure);
    const double right = picture.width - std::max(24.0, dotsAlone ? 0 : std::min(nameRoom(figure), width * 0.36));
    std::vector<Shape>& shapes = picture.shapes;
    shapes.push_back(words(Ink::Text, 8, 22, figure.title, kTitle, Shape::Start, true));
    shapes.push_back(words(Ink::Muted, 8, 42, withUnit(figure.yTitle, figure.yUnit), kLabel));
    const double top = 62 + addLegend(shapes, figure, 8, picture.width - 8, 64, dotsAlone);
    picture.height = top + 300;
    const double bottom = picture.height - 46;

    std::vector<double> xs;
    for (const FigureSeries& series : figure.series)
        for (const FigurePoint& point : series.points)
            xs.push_back(point.x);
    for (const FigurePoint& point : figure.guide)
        xs.push_back(point.x);
    for (const FigurePrediction& prediction : figure.predictions)
        xs.push_back(prediction.x);
    Scale y = scaleFor(allValues(figure), figure.yLog, bottom, top);
    const auto yMarks = marksOf(y, 7, figure.yUnit, false);
    double left = 30;
    for (const Mark& tick : yMarks)
        left = std::max(left, textWidth(tick.label, kTick) + 20);
    Scale x = scaleFor(xs, figure.xLog, left, right);
    if (!x.log && !xs.empty() && x.min == 0 && *std::min_element(xs.begin(), xs.end()) > 0 && xs.size() > 1) {
        // A swept parameter does not begin at zero unless it was run there.
        const auto [least, most] = std::minmax_element(xs.begin(), xs.end());
        const double room = std::max((*most - *least) * 0.03, 0.5);
        x.min = *least - room;
        x.max = *most + room;
    }
    for (const Mark& tick : yMarks) {
        const double at = y.at(tick.value);
        shapes.push_back(line(Ink::Grid, {{left, at}, {right, at}}, 1));
        shapes.push_back(words(Ink::Muted, left - 8, at + 4, tick.label, kTick, Shape::End));
    }
    shapes.push_back(line(Ink::Axis, {{left, bottom}, {right, bottom}}, 1));
    for (const Mark& tick : marksOf(x, width < 640 ? 8 : 10, figure.xUnit, !overMetric(figure))) {
        const double at = x.at(tick.value);
        shapes.push_back(line(Ink::Axis, {{at, bottom}, {at, bottom + 4}}, 1));
        shapes.push_back(words(Ink::Muted, at, bottom + 18, tick.label, kTick, Shape::Middle));
    }
    shapes.push_back(words(Ink::Muted, (left + right) / 2, bottom + 38, withUnit(figure.xTitle, figure.xUnit), kLabel,
                           Shape::Middle));
    addLimits(shapes, figure, x, y);
    addGuide(shapes, figure, x, y);
    for (std::size_t i = 0; i < figure.series.size(); ++i) {
        const FigureSeries& series = figure.series[i];
        addBand(shapes, series, i, x, y);
        std::vector<Spot> spots;
        for (const FigurePoint& point : series.points)
            if (!y.log || point.y > 0)
                spots.push_back({x.at(point.x), y.at(point.y)});
        const bool modelled = series.provenance == Provenance::Modelled;
        if (spots.size() > 1 && series.joined)
            shapes.push_back(line(seriesInk(i), spots, 2, modelled ? std::vector<double>{2, 3} : dashOf(i)));
        if (!series.dots)
            continue;
        const double size = series.points.size() > 40 ? 5 : kDot;
        for (const FigurePoint& point : series.points)
            if (!y.log || point.y > 0)
                shapes.push_back(result(dotsAlone && i % 2 ? Shape::Square : Shape::Dot, seriesInk(i),
                                        {x.at(point.x), y.at(point.y)}, size,
                                        point.provenance.value_or(series.provenance)));
    }
    addMarks(shapes, figure, x, y);
    addPointNames(shapes, figure, x, y);
    for (const FigurePrediction& prediction : figure.predictions) {
        if (y.log && prediction.low <= 0)
            continue;
        const double at = x.at(prediction.x);
        addPrediction(shapes, {at, y.at(prediction.point)}, {at, y.at(prediction.low)}, {at, y.at(prediction.high)},
                      prediction.result && (!y.log || *prediction.result > 0)
                          ? std::optional<Spot>({at, y.at(*prediction.result)})
                          : std::nullopt);
    }
    if (figure.series.size() > 1 && figure.series.size() <= 4 && !dotsAlone)
        addEndNames(shapes, figure, x, y);
    return picture;
}

/// Named choices: a line of dots each, names at the left where they can be read.
Picture drawNames(const SweepFigure& figure, double width)
{
    Picture picture;
    picture.width = width;
    std::vector<Shape>& shapes = picture.shapes;
    shapes.push_back(words(Ink::Text, 8, 22, figure.title, kTitle, Shape::Start, true));
    shapes.push_back(words(Ink::Muted, 8, 42, withUnit(figure.yTitle, figure.yUnit), kLabel));
    const double top = 62 + addLegend(shapes, figure, 8, picture.width - 8, 64, true);
    constexpr double row = 34;
    const double bottom = top + row * static_cast<double>(figure.xNames.size()) + 6;
    picture.height = bottom + 34;
    double left = 60;
    for (const std::string& name : figure.xNames)
        left = std::max(left, textWidth(name, kLabel) + 22);
    const Scale x = scaleFor(allValues(figure), figure.yLog, left, picture.width - 30);
    for (const Mark& tick : marksOf(x, 8, figure.yUnit, false)) {
        const double at = x.at(tick.value);
        shapes.push_back(line(Ink::Grid, {{at, top}, {at, bottom}}, 1));
        shapes.push_back(words(Ink::Muted, at, bottom + 18, tick.label, kTick, Shape::Middle));
    }
    const auto height = [&](double place) { return top + row * (place - 0.5) + 3; };
    for (std::size_t i = 0; i < figure.xNames.size(); ++i) {
        const double at = height(static_cast<double>(i) + 1);
        shapes.push_back(words(Ink::Text, left - 12, at + 4, figure.xNames[i], kLabel, Shape::End));
        shapes.push_back(line(Ink::Grid, {{left, at}, {x.to, at}}, 1));
    }
    for (const FigurePrediction& prediction : figure.predictions) {
        if (x.log && prediction.low <= 0)
            continue;
        const double at = height(prediction.x);
        addPrediction(shapes, {x.at(prediction.point), at}, {x.at(prediction.low), at}, {x.at(prediction.high), at},
                      prediction.result ? std::optional<Spot>({x.at(*prediction.result), at}) : std::nullopt);
    }
    for (std::size_t i = 0; i < figure.series.size(); ++i)
        for (const FigurePoint& point : figure.series[i].points) {
            const Spot at{x.at(point.y), height(point.x)};
            if (point.low && point.high && (!x.log || *point.low > 0))
                for (const Shape& shape :
                     {line(seriesInk(i), {{x.at(*point.low), at.y}, {x.at(*point.high), at.y}}, 3),
                      line(seriesInk(i), {{x.at(*point.low), at.y - 6}, {x.at(*point.low), at.y + 6}}, 1.5),
                      line(seriesInk(i), {{x.at(*point.high), at.y - 6}, {x.at(*point.high), at.y + 6}}, 1.5)})
                    shapes.push_back(shape);
            if (point.limit)
                shapes.push_back(
                    line(Ink::Limit, {{x.at(*point.limit), at.y - 9}, {x.at(*point.limit), at.y + 9}}, 1.5));
            shapes.push_back(result(i % 2 ? Shape::Square : Shape::Dot, seriesInk(i), at, kDot + 2,
                                    point.provenance.value_or(figure.series[i].provenance)));
        }
    return picture;
}

} // namespace

Shape words(Ink ink, double x, double y, std::string text, double size, Shape::Anchor anchor, bool strong)
{
    Shape shape{Shape::Words, ink, {{x, y}}};
    shape.size = size;
    shape.text = std::move(text);
    shape.anchor = anchor;
    shape.strong = strong;
    return shape;
}

Shape line(Ink ink, std::vector<Spot> spots, double width, std::vector<double> dash)
{
    Shape shape{Shape::Line, ink, std::move(spots)};
    shape.width = width;
    shape.dash = std::move(dash);
    return shape;
}

Shape area(Ink ink, std::vector<Spot> spots)
{
    return {Shape::Area, ink, std::move(spots)};
}

Picture draw(const SweepFigure& figure, double width)
{
    const bool bars = figure.kind == "cost" || figure.kind == "ladder";
    Picture picture = bars                    ? drawBars(figure, width)
                      : figure.xNames.empty() ? drawCurves(figure, width)
                                              : drawNames(figure, width);
    picture.title = figure.title;
    picture.description = sentenceOf(figure);
    return picture;
}

Picture draw(const RevealFigure& figure, double width)
{
    Picture picture;
    picture.width = width;
    picture.height = 118;
    picture.title = figure.title;
    picture.description = sentenceOf(figure);
    std::vector<Shape>& shapes = picture.shapes;
    std::vector<double> values = {figure.point, figure.low, figure.high};
    if (figure.result)
        values.push_back(*figure.result);
    const double least = *std::min_element(values.begin(), values.end());
    const Scale x = scaleFor(values, least > 0, 40, picture.width - 40);
    constexpr double axis = 84, level = 44;
    shapes.push_back(line(Ink::Axis, {{x.from, axis}, {x.to, axis}}, 1));
    for (const Mark& tick : marksOf(x, 8, figure.unit, false)) {
        shapes.push_back(line(Ink::Axis, {{x.at(tick.value), axis}, {x.at(tick.value), axis + 4}}, 1));
        shapes.push_back(words(Ink::Muted, x.at(tick.value), axis + 18, tick.label, kTick, Shape::Middle));
    }
    if (!figure.unit.empty() && figure.unit != "1")
        shapes.push_back(words(Ink::Hint, x.to, axis + 32, figure.unit, kTick, Shape::End));
    const Spot point{x.at(figure.point), level};
    const auto came = figure.result ? std::optional<Spot>({x.at(*figure.result), level}) : std::nullopt;
    addPrediction(shapes, point, {x.at(figure.low), level}, {x.at(figure.high), level}, came);
    if (came)
        shapes.push_back(result(Shape::Dot, Ink::Result, *came, 12, figure.provenance));
    // Both labels stand above the marks, on the sides on which the marks lie, and never on each other.
    const std::string predicted = "predicted " + formatQuantity(figure.point, figure.unit);
    const std::string got = came ? "result " + formatQuantity(*figure.result, figure.unit) : std::string("not run");
    const auto place = [&](const std::string& text, double wanted) {
        const double half = textWidth(text, kLabel) / 2;
        return std::clamp(wanted, 8 + half, picture.width - 8 - half);
    };
    double a = place(predicted, point.x);
    double b = place(got, came ? came->x : picture.width);
    const double need = (textWidth(predicted, kLabel) + textWidth(got, kLabel)) / 2 + 18;
    if (std::abs(a - b) < need) {
        const bool first = a <= b;
        const double middle = (a + b) / 2;
        a = place(predicted, middle + (first ? -need : need) / 2);
        b = place(got, a + (first ? need : -need));
        a = place(predicted, b + (first ? -need : need));
    }
    shapes.push_back(words(Ink::Muted, a, 22, predicted, kLabel, Shape::Middle));
    shapes.push_back(words(Ink::Text, b, 22, got, kLabel, Shape::Middle, true));
    return picture;
}

} // namespace ridge::folio
