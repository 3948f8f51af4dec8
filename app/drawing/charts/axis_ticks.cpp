// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/axis_ticks.h"

#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

bool isWholePowerOfTwo(double value)
{
    int exponent = 0;
    return value > 0 && std::frexp(value, &exponent) == 0.5;
}

/// List axes carry chosen values: doubling lists read as log2, others as they are.
bool readsAsLog(ParamScale scale, const std::vector<double>& values)
{
    if (scale == ParamScale::Log2)
        return true;
    if (scale != ParamScale::List || values.size() < 3)
        return false;
    return std::all_of(values.begin(), values.end(), isWholePowerOfTwo);
}

QString logLabel(double value)
{
    // Powers of two beyond 2^13 read better with their binary prefix than as five digits.
    static constexpr struct {
        double unit;
        const char* prefix;
    } kPrefixes[] = {{1099511627776.0, "Ti"}, {1073741824.0, "Gi"}, {1048576.0, "Mi"}, {1024.0, "Ki"}};
    if (value >= 16384)
        for (const auto& entry : kPrefixes)
            if (value >= entry.unit)
                return QString::number(value / entry.unit) + QLatin1Char(' ') + QLatin1String(entry.prefix);
    // What was halved is read as a part once it would need four digits: 0.125, 1/16, 1/64.
    if (value < 0.125 && value >= 1.0 / 65536)
        return QStringLiteral("1/%1").arg(1 / value, 0, 'f', 0);
    if (value < 1)
        return QString::number(value, 'g', 3);
    return QString::number(value, 'f', 0);
}

QString linearLabel(double value, double step)
{
    static constexpr struct {
        double unit;
        const char* prefix;
    } kPrefixes[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    const double magnitude = std::abs(value);
    // As many digits as it takes for neighbouring ticks to differ, however far an axis is zoomed.
    const int digits =
        magnitude > 0 ? std::clamp(static_cast<int>(std::ceil(std::log10(magnitude / step))) + 1, 4, 15) : 4;
    if (magnitude >= 1e15)
        return QString::number(value, 'g', digits);
    if (magnitude >= 1e5)
        for (const auto& entry : kPrefixes)
            if (magnitude >= entry.unit)
                return QString::number(value / entry.unit, 'g', digits) + QLatin1Char(' ') +
                       QLatin1String(entry.prefix);
    const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
    if (decimals > 6)
        return magnitude < step * 1e-6 ? QStringLiteral("0") : QString::number(value, 'g', digits);
    return QString::number(magnitude < step * 1e-6 ? 0.0 : value, 'f', std::min(decimals, 6));
}

double niceStep(double span, int most)
{
    const double raw = span / std::max(1, most - 1);
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    for (const double multiple : {1.0, 2.0, 5.0})
        if (raw <= power * multiple * (1 + 1e-9))
            return power * multiple;
    return power * 10;
}

} // namespace

double AxisScale::transform(double value) const
{
    return log ? std::log2(value) : value;
}

double AxisScale::fraction(double value) const
{
    const double low = transform(min);
    return (transform(value) - low) / (transform(max) - low);
}

double AxisScale::valueAt(double at) const
{
    const double low = transform(min);
    const double value = low + at * (transform(max) - low);
    return log ? std::exp2(value) : value;
}

bool AxisScale::accepts(double value) const
{
    return std::isfinite(value) && (!log || value > 0);
}

AxisScale makeScale(ParamScale scale, const std::vector<double>& values, bool fromZero)
{
    AxisScale result;
    result.log = readsAsLog(scale, values);
    double low = 0, high = 0;
    bool any = false;
    for (const double value : values) {
        if (!result.accepts(value))
            continue;
        low = any ? std::min(low, value) : value;
        high = any ? std::max(high, value) : value;
        any = true;
    }
    if (!any) {
        result.min = result.log ? 1 : 0;
        result.max = result.log ? 128 : 1;
        return result;
    }
    if (result.log) {
        // A quarter octave keeps marks at the ends whole.
        const double pad = fromZero ? 0.5 : 0.25;
        result.min = std::exp2(std::log2(low) - pad);
        result.max = std::exp2(std::log2(high) + pad);
        if (high <= low) {
            result.min = low / 2;
            result.max = high * 2;
        }
        return result;
    }
    if (fromZero && low >= 0) {
        result.min = 0;
        result.max = high > 0 ? high : 1;
        // The top tick stands above the highest mark, so that the eye has both neighbours to read it from.
        const double step = niceStep(result.max, 7);
        result.max = std::ceil(result.max / step + 0.15) * step;
        return result;
    }
    const double span = high > low ? high - low : std::max(1.0, std::abs(high));
    result.min = low - span * 0.04;
    result.max = high + span * 0.04;
    return result;
}

AxisScale makeDecades(const std::vector<double>& values)
{
    AxisScale scale;
    scale.log = scale.decades = true;
    scale.min = 1;
    scale.max = 1000;
    bool any = false;
    for (const double value : values) {
        if (!scale.accepts(value))
            continue;
        scale.min = any ? std::min(scale.min, value) : value;
        scale.max = any ? std::max(scale.max, value) : value;
        any = true;
    }
    if (!any)
        return scale;
    const double pad = scale.max > scale.min ? 0.2 : 1.0;
    // The range stays inside what a double can hold, however wild the numbers are.
    scale.min = std::max(1e-300, scale.min * std::pow(10.0, -pad));
    scale.max = std::min(1e300, scale.max * std::pow(10.0, pad));
    return scale;
}

QString decadeLabel(double value)
{
    static constexpr struct {
        double unit;
        const char* prefix;
    } kPrefixes[] = {{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    if (value >= 1e21)
        return QString::number(value, 'g', 3);
    for (const auto& entry : kPrefixes)
        if (value >= entry.unit * (1 - 1e-9))
            return QString::number(value / entry.unit, 'g', 3) + QLatin1Char(' ') + QLatin1String(entry.prefix);
    return QString::number(value, 'g', 3);
}

namespace {

/// Steps of 1, 2 or 5 times a power of ten.
std::vector<Tick> evenTicks(const AxisScale& scale, int limit)
{
    std::vector<Tick> ticks;
    const double step = niceStep(scale.max - scale.min, limit);
    for (double index = std::ceil(scale.min / step - 1e-9); index * step <= scale.max + step * 1e-9; index += 1)
        ticks.push_back({index * step, linearLabel(index * step, step)});
    return ticks;
}

std::vector<Tick> decadeTicks(const AxisScale& scale, int limit)
{
    std::vector<Tick> ticks;
    const double low = std::log10(scale.min), high = std::log10(scale.max);
    const int first = static_cast<int>(std::ceil(low - 1e-9));
    const int last = static_cast<int>(std::floor(high + 1e-9));
    if (high - low < 2 && limit >= 4) {
        for (int exponent = first - 1; exponent <= last; ++exponent)
            for (const double multiple : {1.0, 2.0, 5.0}) {
                const double value = multiple * std::pow(10.0, exponent);
                if (value >= scale.min * (1 - 1e-9) && value <= scale.max * (1 + 1e-9))
                    ticks.push_back({value, decadeLabel(value)});
            }
        if (ticks.size() <= static_cast<std::size_t>(limit) && ticks.size() > 1)
            return ticks;
        ticks.clear();
    }
    const int step = std::max(1, static_cast<int>(std::ceil((last - first + 1) / static_cast<double>(limit))));
    for (int exponent = first; exponent <= last; exponent += step)
        ticks.push_back({std::pow(10.0, exponent), decadeLabel(std::pow(10.0, exponent))});
    if (ticks.size() >= 2)
        return ticks;
    if (std::vector<Tick> even = evenTicks(scale, limit); scale.max < 30 * scale.min && even.size() > ticks.size()) {
        for (Tick& tick : even)
            tick.label = decadeLabel(tick.value);
        return even;
    }
    if (ticks.empty())
        ticks.push_back({scale.valueAt(0.5), decadeLabel(scale.valueAt(0.5))});
    return ticks;
}

} // namespace

std::vector<Tick> makeTicks(const AxisScale& scale, int most)
{
    std::vector<Tick> ticks;
    const int limit = std::max(2, most);
    if (scale.decades)
        return decadeTicks(scale, limit);
    if (scale.log) {
        const int first = static_cast<int>(std::ceil(std::log2(scale.min) - 1e-9));
        const int last = static_cast<int>(std::floor(std::log2(scale.max) + 1e-9));
        const int step = std::max(1, static_cast<int>(std::ceil((last - first + 1) / static_cast<double>(limit))));
        for (int exponent = first; exponent <= last; exponent += step)
            ticks.push_back({std::exp2(exponent), logLabel(std::exp2(exponent))});
        // One mark tells no scale. Where an axis holds hardly an octave, even steps say more than powers of two.
        if (ticks.size() >= 3)
            return ticks;
        std::vector<Tick> even = evenTicks(scale, limit);
        return scale.max < 8 * scale.min && even.size() > ticks.size() ? even : ticks;
    }
    return evenTicks(scale, limit);
}

} // namespace ridge::app
