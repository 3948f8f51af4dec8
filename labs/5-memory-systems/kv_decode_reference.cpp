// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/5-memory-systems/kv_decode_reference.h"

#include "labs/harness/buffers.h"

#include <cmath>
#include <fmt/core.h>
#include <limits>

namespace ridge::labs {

namespace {

constexpr std::uint32_t kSteps =
    4096; // values of a tensor in fp16: 12 bits, which its 11-bit significand holds exactly

double stepValue(std::uint32_t step, double scale)
{
    return (static_cast<double>(step) - kSteps / 2) * scale * 2 / kSteps;
}

double toHalf(double value)
{
    return halfToDouble(halfFromDouble(value));
}

double toFloat(double value)
{
    return static_cast<double>(static_cast<float>(value));
}

} // namespace

double halfToDouble(std::uint16_t bits)
{
    const int exponent = bits >> 10 & 31;
    const int mantissa = bits & 1023;
    double value = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
    if (exponent == 31)
        value = mantissa == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    return (bits & 0x8000) != 0 ? -value : value;
}

std::uint16_t halfFromDouble(double value)
{
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const double size = std::abs(value);
    if (std::isnan(value))
        return sign | 0x7e00;
    if (size >= 65520) // halfway between the largest and what would come next
        return sign | 0x7c00;
    int exponent = 0; // of the power of two above
    if (size > 0)
        (void)std::frexp(size, &exponent);
    exponent = size > 0 ? std::max(exponent - 1, -14)
                        : -14; // of the leading bit; subnormals share that of the smallest normal
    // Steps of 2^(exponent - 10), counted from zero: a carry out of the mantissa becomes the next exponent by itself.
    const auto steps = static_cast<std::uint16_t>(std::nearbyint(std::ldexp(size, 10 - exponent)));
    return static_cast<std::uint16_t>(sign | (static_cast<std::uint16_t>((exponent + 14) << 10) + steps));
}

DecodeData::DecodeData(const DecodeShape& shape, std::uint32_t salt) : m_half(shape.elementBytes == 2), m_salt(salt)
{
    for (const double scale : {1.0, 4.0}) {
        auto& bits = m_bits[scale > 1 ? 1 : 0];
        for (std::uint32_t step = 0; step < kSteps; ++step)
            bits.push_back(halfFromDouble(stepValue(step, scale)));
    }
}

double DecodeData::value(Tensor tensor, std::uint64_t index) const
{
    const std::uint32_t salt = m_salt + static_cast<std::uint32_t>(tensor) * 0x9E3779B1u;
    const double scale = tensor == Tensor::Q ? 4 : 1;
    return m_half ? stepValue(mixed(index, salt) % kSteps, scale) : scale * static_cast<double>(uniform(index, salt));
}

std::uint16_t DecodeData::half(Tensor tensor, std::uint64_t index) const
{
    const std::uint32_t salt = m_salt + static_cast<std::uint32_t>(tensor) * 0x9E3779B1u;
    return m_bits[tensor == Tensor::Q ? 1 : 0][mixed(index, salt) % kSteps];
}

AttentionRule DecodeCheck::ruleOf(const DecodeShape& shape)
{
    return AttentionRule(shape.elementBytes == 2 ? toHalf : toFloat);
}

void DecodeCheck::see(std::uint64_t sequence, std::uint32_t head, std::span<const float> out)
{
    const std::uint64_t dim = m_shape.headDim;
    const std::uint64_t row = (sequence * m_shape.kvHeads + head / m_shape.group()) * m_shape.context;
    std::vector<double> query(dim);
    for (std::uint64_t d = 0; d < dim; ++d)
        query[d] = m_data.value(DecodeData::Tensor::Q, (sequence * m_shape.queryHeads + head) * dim + d);
    const auto of = [&](DecodeData::Tensor tensor) {
        return [this, tensor, row, dim](std::uint64_t token, std::uint64_t d) {
            return m_data.value(tensor, (row + token) * dim + d);
        };
    };
    m_rule.see(query, m_shape.context, of(DecodeData::Tensor::K), of(DecodeData::Tensor::V), out);
}

std::string DecodeCheck::text() const
{
    return fmt::format("{} query heads against double precision: largest error {:.3g}, allowed {:.3g} (twice that of "
                       "plain low precision, {:.3g}, and rounding)",
                       m_rule.rows(), m_rule.worst(), m_rule.tolerance(), m_rule.plainWorst());
}

} // namespace ridge::labs
