// SPDX-License-Identifier: GPL-3.0-or-later
// Models that are written down layer by layer: small ones of a textbook, those of assets/networks, a learner's own.
// Large language models have a shape instead (model.h).
//
//     title: Two layers
//     input: [784]                     # of one example; [3, 224, 224] is an image, ["sequence", 512] tokens
//     layers:
//       - linear: 256
//       - relu
//       - {linear: 10, name: classes}
//
// Layers: linear (width; bias), conv (channels; kernel, stride, pad, groups, bias), pool and max_pool (kernel; stride,
// pad), global_pool, flatten, relu, gelu, silu, sigmoid, tanh, softmax, norm (batch, layer, group or rms), embedding
// (words; width), positions (most tokens), class_token, tokens (an image as tokens), first (token), rnn, gru and lstm
// (width; biases: 1 or 2), attention (heads; kv_heads, head_dim, causal, bias), save and add (the sum with what was
// saved last), concat, upsample (factor), time_embedding (width; from), resblock (channels), repeat (times; layers).
// Any of them may have a name.
#pragma once

#include "base/json_value.h"
#include "workload/operators.h"

#include <string>
#include <vector>

namespace ridge::workload {

/// A count that grows with the tokens of a sequence, or with their square.
struct Count {
    double fixed = 0, perToken = 0, perPair = 0;
    double at(double tokens) const { return fixed + tokens * (perToken + tokens * perPair); }
    friend Count operator*(Count a, double b) { return {a.fixed * b, a.perToken * b, a.perPair * b}; }
    friend Count operator+(Count a, Count b)
    {
        return {a.fixed + b.fixed, a.perToken + b.perToken, a.perPair + b.perPair};
    }
};

/// A kernel of a network, for one example.
struct NetworkOp {
    std::string name; ///< "conv1", or "conv1 + relu" where one kernel does both
    OperatorKind kind = OperatorKind::Elementwise;
    Count rows;             ///< Matmul: of one launch, of each of its matrices
    Count n, k;             ///< Matmul
    Count parts;            ///< Matmul: matrices of an example in one launch; none: the batch's rows are one matrix
    double flopsPerRow = 0; ///< Matmul: of what else the kernel does to a row of its result
    Count values;           ///< of one launch: what is read and written between kernels
    Count shared;           ///< the same, but of the whole batch
    Count flops;            ///< of one launch, all but those of the product
    bool batched = true;    ///< whether there is more of it in a larger batch
    double weights = 0;     ///< that one launch reads; the batch shares them
    Count count{1, 0};      ///< launches
    Attention attention;    ///< heads and sizes; Attention only
    Count tokens, behind;   ///< of an attention: those that ask, and how many more are asked
    std::uint8_t group = 0; ///< as in Operator
    std::vector<int> of;    ///< kernels whose results it reads; -1: the input
};

struct Network {
    std::string id, title, source;
    std::string input;     ///< "[3, 224, 224]"
    bool sequence = false; ///< whether a step's context is the length of its input
    double mostTokens = 0; ///< that it has positions for; 0: any number
    double parameters = 0;
    std::vector<NetworkOp> eager, fused;
};

/// Errors: "bad-network" with the layer as the place ("net.yaml: layers[3]") and the fix: a layer that is not known
/// (with the nearest), a size that is missing, layers that do not fit each other.
Result<Network> networkFromJson(const Json& json, const std::string& place);

/// As listOperators of a model. Names are views of the network's own: keep it for as long as the list.
void listOperators(const Network& network, const Step& step, std::vector<Operator>& out);
/// Errors: "bad-step".
Result<void> checkStep(const Network& network, const Step& step);

} // namespace ridge::workload
