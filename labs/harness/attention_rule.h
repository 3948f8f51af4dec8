// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace ridge::labs {

/// Compares rows of attention with a reference in double precision, by FlashAttention's rule: the largest error may be
/// twice that of the same attention in plain low precision (scores and weights rounded to the format of Q, K and V),
/// plus 2 · |ref + 0.3 − 0.3 − ref| in that format and 1e-6.
class AttentionRule {
public:
    using Round = double (*)(double);
    /// `round`: to the nearest number of the format of Q, K and V.
    explicit AttentionRule(Round round) : m_round(round) {}

    /// `out`: what was computed for one query, as many numbers as it has. `key(t, d)` and `value(t, d)` are of the
    /// `tokens` that it sees; of none the result is zeros. NaN never passes.
    template<class Key, class Value>
    void see(std::span<const double> query, std::uint64_t tokens, Key key, Value value, std::span<const float> out);

    bool passed() const { return m_rows > 0 && m_worst <= tolerance(); }
    double worst() const { return m_worst; }         ///< largest error
    double plainWorst() const { return m_lowWorst; } ///< of plain low precision
    double tolerance() const { return 2 * m_lowWorst + 2 * m_slack + 1e-6; }
    std::uint64_t rows() const { return m_rows; }

private:
    Round m_round;
    double m_worst = 0, m_lowWorst = 0, m_slack = 0;
    std::uint64_t m_rows = 0;
    std::vector<double> m_scores, m_exact;
    std::vector<float> m_lowScores, m_lowSums;
};

template<class Key, class Value>
void AttentionRule::see(std::span<const double> query, std::uint64_t tokens, Key key, Value value,
                        std::span<const float> out)
{
    const std::uint64_t dim = query.size();
    const double scale = 1 / std::sqrt(static_cast<double>(dim));
    const auto lowScale = static_cast<double>(static_cast<float>(scale));
    m_scores.assign(tokens, 0);
    m_lowScores.assign(tokens, 0);
    m_exact.assign(dim, 0);
    m_lowSums.assign(dim, 0);
    double top = -std::numeric_limits<double>::infinity();
    for (std::uint64_t token = 0; token < tokens; ++token) {
        double dot = 0;
        float lowDot = 0;
        for (std::uint64_t d = 0; d < dim; ++d) {
            const double of = key(token, d);
            dot += query[d] * of;
            lowDot += static_cast<float>(query[d]) * static_cast<float>(of);
        }
        m_scores[token] = dot * scale;
        m_lowScores[token] = static_cast<float>(m_round(static_cast<double>(lowDot) * lowScale));
        top = std::max(top, m_scores[token]);
    }
    double below = 0;
    float lowBelow = 0;
    for (std::uint64_t token = 0; token < tokens; ++token) {
        m_scores[token] = std::exp(m_scores[token] - top);
        below += m_scores[token];
        m_lowScores[token] = std::exp(m_lowScores[token] - static_cast<float>(top));
        lowBelow += m_lowScores[token];
    }
    for (std::uint64_t token = 0; token < tokens; ++token) {
        const double weight = m_scores[token] / below;
        const auto lowWeight = static_cast<float>(m_round(static_cast<double>(m_lowScores[token] / lowBelow)));
        for (std::uint64_t d = 0; d < dim; ++d) {
            const double of = value(token, d);
            m_exact[d] += weight * of;
            m_lowSums[d] += lowWeight * static_cast<float>(of);
        }
    }
    ++m_rows;
    for (std::uint64_t d = 0; d < dim; ++d) {
        const double error = std::abs(static_cast<double>(out[d]) - m_exact[d]);
        m_worst = error <= m_worst ? m_worst : std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
        m_lowWorst = std::max(m_lowWorst, std::abs(m_round(static_cast<double>(m_lowSums[d])) - m_exact[d]));
        const double rounded = m_round(m_exact[d]);
        m_slack = std::max(m_slack, std::abs(m_round(m_round(rounded + 0.3) - 0.3) - rounded));
    }
}

} // namespace ridge::labs
