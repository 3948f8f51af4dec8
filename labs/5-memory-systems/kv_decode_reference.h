// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/5-memory-systems/kv_decode_shape.h"
#include "labs/harness/attention_rule.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ridge::labs {

/// The number that an fp16 stands for, and the fp16 nearest to a number (ties to even; beyond the largest: infinity).
double halfToDouble(std::uint16_t bits);
std::uint16_t halfFromDouble(double value);

/// Elements of q, K and V: a function of the index, so that a reference needs no copy of the cache. Exact in the
/// cache's format; K and V in [-1, 1), q in [-4, 4), so that some tokens weigh far more than others.
class DecodeData {
public:
    DecodeData(const DecodeShape& shape, std::uint32_t salt);
    enum class Tensor : std::uint32_t { Q, K, V };
    double value(Tensor tensor, std::uint64_t index) const;
    std::uint16_t half(Tensor tensor, std::uint64_t index) const; ///< value() as fp16
private:
    bool m_half;
    std::uint32_t m_salt;
    std::vector<std::uint16_t> m_bits[2]; ///< of K and V, of q
};

/// Compares outputs of query heads by the rule of labs/harness/attention_rule.h.
class DecodeCheck {
public:
    DecodeCheck(const DecodeShape& shape, const DecodeData& data) : m_shape(shape), m_data(data), m_rule(ruleOf(shape))
    {
    }
    /// `out`: the headDim results of one query head of one sequence. NaN never passes.
    void see(std::uint64_t sequence, std::uint32_t head, std::span<const float> out);
    bool passed() const { return m_rule.passed(); }
    std::string text() const;

private:
    static AttentionRule ruleOf(const DecodeShape& shape);
    const DecodeShape& m_shape;
    const DecodeData& m_data;
    AttentionRule m_rule;
};

} // namespace ridge::labs
