// SPDX-License-Identifier: GPL-3.0-or-later
#include "portfolio/scale.h"

#include "base/units.h"

#include <algorithm>
#include <cmath>

namespace ridge::folio {
namespace {

bool isTime(const std::string& unit)
{
    return unit == "s" || unit == "ms" || unit == "us" || unit == "µs" || unit == "ns";
}

std::string labelOf(double value, const std::string& unit, bool binary)
{
    if (isTime(unit))
        return value == 0 ? "0" : formatQuantity(value, unit);
    const double size = std::abs(value);
    if (binary && size >= 4096 && std::fmod(value, 1024) == 0) {
        const char* names[] = {"Ki", "Mi", "Gi", "Ti"};
        int step = 0;
        double rest = value / 1024;
        while (step < 3 && std::abs(rest) >= 1024 && std::fmod(rest, 1024) == 0) {
            rest /= 1024;
            ++step;
        }
        return formatNumber(rest) + " " + names[step];
    }
    if (size < 10000)
        return formatNumber(value);
    const struct {
        double factor;
        const char* name;
    } steps[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    for (const auto& step : steps)
        if (size >= step.factor)
            return formatNumber(value / step.factor) + " " + step.name;
    return formatNumber(value);
}

} // namespace

double Scale::at(double value) const
{
    const auto place = [this](double v) { return log ? std::log(v) : v; };
    const double span = place(max) - place(min);
    const double part = span == 0 || (log && value <= 0) ? 0 : (place(value) - place(min)) / span;
    return from + part * (to - from);
}

Scale scaleFor(const std::vector<double>& values, bool log, double from, double to)
{
    Scale scale;
    scale.from = from;
    scale.to = to;
    if (values.empty())
        return scale;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    scale.log = log && *least > 0;
    if (scale.log) {
        const double room = std::max(std::pow(*most / *least, 0.04), 1.08);
        scale.min = *least / room;
        scale.max = *most * room;
        // One value alone still needs an axis on which it can be read.
        if (scale.max / scale.min < 1.9) {
            scale.min /= 1.5;
            scale.max *= 1.5;
        }
    } else {
        scale.min = *least >= 0 ? 0 : *least;
        scale.max = *most > scale.min ? *most : scale.min + 1;
        scale.max += (scale.max - scale.min) * 0.06;
        if (scale.min < 0)
            scale.min -= (scale.max - scale.min) * 0.06;
    }
    return scale;
}

std::vector<Mark> marksOf(const Scale& scale, std::size_t most, const std::string& unit, bool binary)
{
    std::vector<Mark> marks;
    if (scale.log) {
        // Doublings read well from 1 to 64; below 1, and of times, nobody knows them.
        const bool decades = !binary && (scale.max / scale.min > 60 || scale.min < 0.5 || isTime(unit));
        const double base = decades ? 10 : 2;
        const int first = static_cast<int>(std::ceil(std::log(scale.min) / std::log(base) - 1e-9));
        const int last = static_cast<int>(std::floor(std::log(scale.max) / std::log(base) + 1e-9));
        const int all = last - first + 1;
        const int step = std::max(1, static_cast<int>(std::ceil(all / static_cast<double>(most))));
        if (decades && scale.max / scale.min < 2000) {
            for (int power = first - 1; power <= last; ++power)
                for (double factor : {1.0, 2.0, 5.0}) {
                    const double value = factor * std::pow(10, power);
                    if (value >= scale.min && value <= scale.max)
                        marks.push_back({value, labelOf(value, unit, binary)});
                }
            return marks;
        }
        for (int power = first; power <= last; power += step) {
            const double value = std::pow(base, power);
            marks.push_back({value, labelOf(value, unit, binary)});
        }
        if (marks.size() >= 2)
            return marks;
        marks.clear();
    }
    const double span = scale.max - scale.min;
    const double rough = span / static_cast<double>(most);
    const double power = std::pow(10, std::floor(std::log10(rough)));
    double step = power * 10;
    for (double factor : {1.0, 2.0, 5.0})
        if (power * factor >= rough) {
            step = power * factor;
            break;
        }
    for (double value = std::ceil(scale.min / step - 1e-9) * step; value <= scale.max * (1 + 1e-12); value += step)
        if (!scale.log || value > 0) {
            const double clean = std::abs(value) < step * 1e-9 ? 0 : value;
            marks.push_back({clean, labelOf(clean, unit, binary)});
        }
    return marks;
}

} // namespace ridge::folio
