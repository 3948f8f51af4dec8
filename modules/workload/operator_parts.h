// SPDX-License-Identifier: GPL-3.0-or-later
// What lists of operators are made of, whether they come from a model's shape or from a network's layers.
#pragma once

#include "workload/operators.h"

namespace ridge::workload {

/// Attention of `attention.fresh` tokens of each sequence: one kernel where kernels are fused, else scores, softmax and
/// weighted values, whose scores go through memory. `queries` are the tokens of all sequences, `value` the bytes of
/// what lies between kernels.
void appendAttention(std::vector<Operator>& out, const Attention& attention, bool fused, double queries, double value,
                     double count, std::uint8_t group);

/// The backward pass behind a forward pass: a product has two of its size, everything else moves its bytes twice more.
/// Then the optimizer's step over `parameters`. Operator i of the forward pass has its backward one at forward + i.
void appendBackward(std::vector<Operator>& out, double parameters, Recompute recompute, std::uint8_t attentionGroup);

} // namespace ridge::workload
