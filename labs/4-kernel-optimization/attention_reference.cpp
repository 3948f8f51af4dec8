// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/4-kernel-optimization/attention_reference.h"

#include "labs/harness/buffers.h"
#include "labs/harness/half_bits.h"

#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr std::uint32_t kSteps = 2048;        // 11 bits and a sign, which the significand of fp16 holds exactly
constexpr double kCheckedProducts = 1u << 25; // of a query and a key in one dimension, about
constexpr std::uint16_t kHalfNan = 0x7e00;

double toHalfValue(double value)
{
    return fromHalf(toHalf(value));
}

double toFloatValue(double value)
{
    return static_cast<double>(static_cast<float>(value));
}

} // namespace

AttentionData::AttentionData(const AttentionShape& shape, std::string input, std::uint32_t salt)
    : m_shape(shape), m_input(std::move(input)), m_salt(salt)
{
    if (m_input == "nan")
        m_nanIndex = shape.n / 2 * shape.headDim;
}

double AttentionData::value(Tensor tensor, std::uint64_t index) const
{
    if (tensor == Tensor::K && index == m_nanIndex)
        return std::numeric_limits<double>::quiet_NaN();
    if (m_input == "equal" && tensor != Tensor::V)
        return 0.5;
    // Scores of "uniform" have a spread of about 1.3, so that some keys weigh far more than others; of "large", of
    // about 85, and e to the power of that is past the largest fp32.
    const bool large = m_input == "large";
    const double scale = tensor == Tensor::Q ? (large ? 32 : 4) : tensor == Tensor::K && large ? 8 : 1;
    const std::uint32_t salt = m_salt + static_cast<std::uint32_t>(tensor) * 0x9E3779B1u;
    if (m_shape.elementBytes == 4)
        return scale * static_cast<double>(uniform(index, salt));
    return (static_cast<double>(mixed(index, salt) % (2 * kSteps)) - kSteps) * scale / kSteps;
}

std::uint16_t AttentionData::half(Tensor tensor, std::uint64_t index) const
{
    const double exact = value(tensor, index);
    return std::isnan(exact) ? kHalfNan : toHalf(exact);
}

bool AttentionData::isNan(std::uint64_t head, std::uint64_t query) const
{
    return m_input == "nan" && head < m_shape.group && m_shape.seen(query) > m_shape.n / 2;
}

AttentionCheck::AttentionCheck(const AttentionShape& shape, const AttentionData& data)
    : m_shape(shape), m_data(data), m_rule(shape.elementBytes == 2 ? toHalfValue : toFloatValue), m_row(shape.headDim),
      m_query(shape.headDim)
{
    const double products = static_cast<double>(shape.pairs()) * shape.headDim;
    m_every = static_cast<std::uint64_t>(products / kCheckedProducts) | 1; // odd, or it would keep to one row of a tile
    m_keys.resize(shape.n * shape.headDim);
    m_values.resize(shape.n * shape.headDim);
}

void AttentionCheck::see(std::uint64_t index, float value)
{
    const std::uint64_t row = index / m_shape.headDim;
    ++m_seen;
    m_row[index % m_shape.headDim] = value;
    if (std::isnan(value) != m_data.isNan(row / m_shape.n, row % m_shape.n))
        ++m_wrongNans;
    if (index % m_shape.headDim + 1 == m_shape.headDim)
        checkRow(row);
}

void AttentionCheck::checkRow(std::uint64_t row)
{
    const std::uint64_t head = row / m_shape.n, query = row % m_shape.n, dim = m_shape.headDim;
    // Every m_every-th row; of the first and the last head the first and the last row in any case.
    const bool edge = (head == 0 || head + 1 == m_shape.heads) && (query == 0 || query + 1 == m_shape.n);
    if ((row % m_every != 0 && !edge) || m_data.isNan(head, query))
        return;
    using Tensor = AttentionData::Tensor;
    if (head != m_head) {
        m_head = head;
        const std::uint64_t first = head / m_shape.group * m_keys.size();
        for (std::uint64_t i = 0; i < m_keys.size(); ++i) {
            m_keys[i] = m_data.value(Tensor::K, first + i);
            m_values[i] = m_data.value(Tensor::V, first + i);
        }
    }
    for (std::uint64_t d = 0; d < dim; ++d)
        m_query[d] = m_data.value(Tensor::Q, row * dim + d);
    m_rule.see(
        m_query, m_shape.seen(query), [&](std::uint64_t key, std::uint64_t d) { return m_keys[key * dim + d]; },
        [&](std::uint64_t key, std::uint64_t d) { return m_values[key * dim + d]; }, m_row);
}

std::string AttentionCheck::text() const
{
    return fmt::format(
        "{}{} of {} rows against double precision: largest error {:.3g}, allowed {:.3g} (twice that of "
        "plain low precision, {:.3g}, and rounding)",
        m_wrongNans > 0 ? fmt::format("{} results are numbers or none where they should not be; ", m_wrongNans) : "",
        m_rule.rows(), m_shape.heads * m_shape.n, m_rule.worst(), m_rule.tolerance(), m_rule.plainWorst());
}

} // namespace ridge::labs
