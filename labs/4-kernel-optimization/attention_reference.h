// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/4-kernel-optimization/attention_shape.h"
#include "labs/harness/attention_rule.h"

#include <cstdint>

namespace ridge::labs {

/// Elements of Q, K and V: a function of the index, so that a reference needs no copy. Exact in the format of Q, K and
/// V.
class AttentionData {
public:
    enum class Tensor : std::uint32_t { Q, K, V };
    AttentionData(const AttentionShape& shape, std::string input, std::uint32_t salt);
    double value(Tensor tensor, std::uint64_t index) const;
    std::uint16_t half(Tensor tensor, std::uint64_t index) const;
    /// Whether a result of this query is no number: it sees the key that is none.
    bool isNan(std::uint64_t head, std::uint64_t query) const;

private:
    AttentionShape m_shape;
    std::string m_input;
    std::uint32_t m_salt;
    std::uint64_t m_nanIndex = ~std::uint64_t{0}; ///< of K
};

/// Compares results with double precision, row by row, by the rule of labs/harness/attention_rule.h. Of large shapes
/// only some rows are worked out, the first and the last of every head looked at among them; all are looked at for NaN.
class AttentionCheck {
public:
    AttentionCheck(const AttentionShape& shape, const AttentionData& data);
    /// Elements must be shown in order.
    void see(std::uint64_t index, float value);
    bool passed() const { return m_seen > 0 && m_wrongNans == 0 && (m_rule.rows() == 0 || m_rule.passed()); }
    const AttentionRule& rule() const { return m_rule; }
    std::string text() const;

private:
    void checkRow(std::uint64_t row);
    const AttentionShape& m_shape;
    const AttentionData& m_data;
    AttentionRule m_rule;
    std::uint64_t m_every = 1; ///< of so many rows one is worked out
    std::uint64_t m_seen = 0, m_wrongNans = 0, m_head = ~std::uint64_t{0};
    std::vector<float> m_row;
    std::vector<double> m_query, m_keys, m_values; ///< of m_head
};

} // namespace ridge::labs
