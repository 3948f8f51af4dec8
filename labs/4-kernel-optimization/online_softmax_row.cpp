// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/4-kernel-optimization/online_softmax_row.h"

#include "labs/harness/small_formats.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ridge::labs {
namespace {

template<const SmallFormat& Format>
double roundedTo(double value)
{
    return std::isnan(value) ? value : valueOf(Format, roundTo(Format, value));
}

double toFloat(double value)
{
    return static_cast<double>(static_cast<float>(value));
}

double same(double value)
{
    return value;
}

/// The two sums of a row: of the weights, and of weight times value.
class Sums {
public:
    Sums(const SoftmaxRow& row, const RowFormat& format, const RowFormat& sums)
        : m_row(row), m_format(format), m_sums(sums), m_values(row.columns)
    {
    }
    void add(std::uint64_t at, double top)
    {
        const double weight = m_format.rounded(std::exp(m_format.rounded(m_row.scores[at] - top)));
        m_weights = m_sums.rounded(m_weights + weight);
        for (std::uint64_t c = 0; c < m_row.columns; ++c)
            m_values[c] = m_sums.rounded(m_values[c] + m_sums.rounded(weight * m_row.values[at * m_row.columns + c]));
    }
    void shrink(double by)
    {
        m_weights = m_sums.rounded(m_weights * by);
        for (double& value : m_values)
            value = m_sums.rounded(value * by);
    }
    std::vector<double> average() const
    {
        std::vector<double> all;
        for (const double value : m_values)
            all.push_back(m_format.rounded(m_sums.rounded(value / m_weights)));
        return all;
    }

private:
    const SoftmaxRow& m_row;
    const RowFormat &m_format, &m_sums;
    double m_weights = 0;
    std::vector<double> m_values;
};

} // namespace

RowFormat rowFormatOf(const std::string& name)
{
    if (name == "fp16")
        return {roundedTo<kFp16>, 0x1p-11, 0x1p-25};
    if (name == "bf16")
        return {roundedTo<kBf16>, 0x1p-8, 0x1p-134};
    if (name == "fp32")
        return {toFloat, kUnitOfFp32, 0x1p-150};
    return {same, 0x1p-53, 0};
}

double largestScore(const SoftmaxRow& row)
{
    return *std::ranges::max_element(row.scores);
}

std::vector<double> exactAverage(const SoftmaxRow& row)
{
    const long double top = largestScore(row);
    long double below = 0;
    std::vector<long double> sums(row.columns);
    for (std::size_t at = 0; at < row.scores.size(); ++at) {
        const long double weight = std::exp(static_cast<long double>(row.scores[at]) - top);
        below += weight;
        for (std::uint64_t c = 0; c < row.columns; ++c)
            sums[c] += weight * static_cast<long double>(row.values[at * row.columns + c]);
    }
    std::vector<double> all;
    for (const long double sum : sums)
        all.push_back(static_cast<double>(sum / below));
    return all;
}

std::vector<double> averageWith(const SoftmaxRow& row, double top, const RowFormat& format, const RowFormat& sums)
{
    Sums all(row, format, sums);
    for (std::uint64_t at = 0; at < row.scores.size(); ++at)
        all.add(at, top);
    return all.average();
}

RowResult onlineAverage(const SoftmaxRow& row, std::uint64_t block, const RowFormat& format, const RowFormat& sums)
{
    Sums all(row, format, sums);
    RowResult result;
    double most = -std::numeric_limits<double>::infinity();
    for (std::uint64_t begin = 0; begin < row.scores.size(); begin += block) {
        const std::uint64_t end = std::min<std::uint64_t>(row.scores.size(), begin + block);
        const double next = std::max(most, *std::max_element(row.scores.begin() + static_cast<std::ptrdiff_t>(begin),
                                                             row.scores.begin() + static_cast<std::ptrdiff_t>(end)));
        if (begin > 0 && next > most) {
            all.shrink(format.rounded(std::exp(format.rounded(most - next))));
            ++result.rescales;
        }
        most = next;
        for (std::uint64_t at = begin; at < end; ++at)
            all.add(at, most);
    }
    result.average = all.average();
    return result;
}

} // namespace ridge::labs
