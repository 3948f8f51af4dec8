// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/4-kernel-optimization/fusion_reference.h"

#include "base/bfloat16.h"
#include "labs/harness/buffers.h"

#include <cmath>
#include <limits>

namespace ridge::labs {

namespace {

constexpr double kUnit = 0x1p-24;  ///< half a step of fp32
constexpr double kStored = 0x1p-8; ///< half a step of bf16
constexpr double kTiny = 1e-36;    ///< where the division of GELU may give zero, and below fp32's normal numbers
constexpr double kEpsilon = 1e-5;  ///< of the norm
constexpr std::uint32_t kDropped = 429496730; ///< a tenth of 2^32

} // namespace

float FusionData::stored(float value) const
{
    return shape.bf16 ? fromBf16(toBf16(value)) : value;
}

float FusionData::x(std::uint64_t i) const
{
    if (input == "equal")
        return stored(0.1f);
    if (input == "specials" && i % shape.columns == i / shape.columns % shape.columns) {
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        switch (i / shape.columns % 4) {
        case 1:
            return std::numeric_limits<float>::quiet_NaN();
        case 2:
            return kInfinity;
        case 3:
            return -kInfinity;
        default:
            break;
        }
    }
    return stored(2 * uniform(i, salt) + (input == "offset" ? 100.0f : 0.0f));
}

float FusionData::residual(std::uint64_t i) const
{
    return stored(input == "equal" ? 0.1f : uniform(i, salt + 1));
}

float FusionData::bias(std::uint64_t column) const
{
    return stored(input == "equal" ? 0.1f : uniform(column, salt + 2));
}

float FusionData::gain(std::uint64_t column) const
{
    return stored(1 + uniform(column, salt + 3) / 2);
}

float FusionData::shift(std::uint64_t column) const
{
    return stored(uniform(column, salt + 4));
}

bool FusionData::dropped(std::uint64_t i) const
{
    return mixed(i, salt) < kDropped;
}

FusionReference::FusionReference(const FusionData& data)
    : m_data(data), m_groups(data.shape.groups()), m_row(data.shape.columns)
{
    for (std::uint64_t i = 0; i < data.shape.columns; ++i) {
        m_bias.push_back(static_cast<double>(data.bias(i)));
        m_gain.push_back(static_cast<double>(data.gain(i)));
        m_shift.push_back(static_cast<double>(data.shift(i)));
    }
}

double FusionReference::value(std::uint64_t i)
{
    const std::uint64_t columns = m_data.shape.columns;
    if (i % columns == 0)
        begin(i / columns);
    return m_row[i % columns].value;
}

bool FusionReference::right(std::uint64_t i, double got) const
{
    const std::uint64_t column = i % m_data.shape.columns;
    const Tracked& wanted = m_row[column];
    if (std::isnan(wanted.value) || std::isinf(wanted.value))
        return std::isnan(wanted.value) ? std::isnan(got) : got == wanted.value;
    if (m_data.shape.has(kFusionRound))
        return m_ends[column].first <= got && got <= m_ends[column].second;
    return std::fabs(got - wanted.value) <= wanted.bound;
}

void FusionReference::begin(std::uint64_t row)
{
    const std::uint64_t first = row * m_data.shape.columns;
    for (std::size_t i = 0; i < m_row.size(); ++i)
        m_row[i] = {static_cast<double>(m_data.x(first + i)), 0};
    for (const FusionGroup& group : m_groups) {
        for (std::uint32_t op = group.first; op <= group.last; ++op)
            apply(op, first);
        if (m_data.shape.bf16 && group.last != kFusionRound) // what is round is exact in bf16
            for (Tracked& each : m_row)
                each.bound += kStored * (std::fabs(each.value) + each.bound) + kTiny;
    }
}

void FusionReference::apply(std::uint32_t op, std::uint64_t first)
{
    const auto each = [&](auto&& change) {
        for (std::size_t i = 0; i < m_row.size(); ++i)
            change(m_row[i], i);
    };
    const auto roundOnce = [](Tracked& at) { at.bound += kUnit * (std::fabs(at.value) + at.bound); };
    switch (op) {
    case kFusionBias:
        each([&](Tracked& at, std::size_t i) {
            at.value += m_bias[i];
            roundOnce(at);
        });
        break;
    case kFusionGelu:
        each([](Tracked& at, std::size_t) {
            const double x = at.value;
            const double twice = 2 * std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
            at.value = x / (1 + std::exp(-twice));
            // e^x: 2^-22 by PTX, and what 8 roundings of its argument make of it; as far as it weighs beside 1. The
            // division: 2 steps. The slope of GELU is below 1.13.
            const double share = 1 / (1 + std::exp(twice));
            const double off = share > 0 ? share * (0x1p-22 + 8 * kUnit * std::fabs(twice)) : 0;
            at.bound = 1.13 * at.bound + kTiny;
            if (at.value != 0)
                at.bound += std::fabs(at.value) * (off + 0x1p-22 + kUnit);
        });
        break;
    case kFusionDropout:
        each([&](Tracked& at, std::size_t i) {
            const double factor = m_data.dropped(first + i) ? 0 : static_cast<double>(1.0f / 0.9f);
            at.value *= factor;
            at.bound *= factor;
            roundOnce(at);
        });
        break;
    case kFusionResidual:
        each([&](Tracked& at, std::size_t i) {
            at.value += static_cast<double>(m_data.residual(first + i));
            roundOnce(at);
        });
        break;
    case kFusionNorm:
        takeNorm();
        break;
    case kFusionScale:
        each([](Tracked& at, std::size_t) {
            at.value *= 16;
            at.bound *= 16;
        });
        break;
    case kFusionClamp:
        each([](Tracked& at, std::size_t) {
            if (std::fabs(at.value) > 127)
                at.value = std::copysign(127, at.value);
        });
        break;
    default:
        m_ends.resize(m_row.size());
        each([&](Tracked& at, std::size_t i) {
            m_ends[i] = {std::nearbyint(std::max(-127.0, at.value - at.bound)),
                         std::nearbyint(std::min(127.0, at.value + at.bound))};
            at.value = std::nearbyint(at.value);
        });
    }
}

void FusionReference::takeNorm()
{
    const auto columns = static_cast<double>(m_row.size());
    double sum = 0, size = 0, bounds = 0, boundSquares = 0, squares = 0;
    for (const Tracked& at : m_row) {
        sum += at.value;
        size += std::fabs(at.value);
        bounds += at.bound;
        boundSquares += at.bound * at.bound;
    }
    const double mean = sum / columns;
    for (const Tracked& at : m_row)
        squares += (at.value - mean) * (at.value - mean);
    const double scale = 1 / std::sqrt(squares / columns + kEpsilon);
    const double sums = 4 * static_cast<double>(m_data.shape.chain()) * kUnit; // of a sum of magnitudes
    const double meanBound = bounds / columns + sums * size / columns;
    // A change of all distances by at most `off`, in the root of the mean square, moves the spread by as much.
    const double off = (std::sqrt(boundSquares / columns) + meanBound) * scale;
    norm(scale, mean, meanBound, off + off * off / 2 + sums + 8 * kUnit);
}

void FusionReference::norm(double scale, double mean, double meanBound, double spreadBound)
{
    for (std::size_t i = 0; i < m_row.size(); ++i) {
        Tracked& at = m_row[i];
        const double distance = at.value - mean, factor = scale * std::fabs(m_gain[i]);
        const double product = distance * scale * m_gain[i];
        const double off = at.bound + meanBound + kUnit * std::fabs(distance);
        at.value = product + m_shift[i];
        at.bound = factor * (off + (std::fabs(distance) + off) * (spreadBound + 4 * kUnit));
        at.bound += kUnit * (std::fabs(at.value) + std::fabs(product) + at.bound);
    }
}

} // namespace ridge::labs
