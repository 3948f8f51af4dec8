// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/vendor_graph.h"
#include "gpu/cuda/vendor_reference.h"

#include <limits>

namespace ridge::gpu::cuda {

namespace {

enum TensorId : std::int64_t { kQ = 1, kK, kV, kOut, kScale, kScores, kMasked, kNothing };

/// Heads × rows × columns without gaps.
DnnTensor tensorOf(TensorId id, int type, std::uint64_t heads, std::uint64_t rows, std::uint64_t columns,
                   DnnTensor::In in = DnnTensor::In::Device)
{
    const auto h = static_cast<std::int64_t>(heads), r = static_cast<std::int64_t>(rows),
               c = static_cast<std::int64_t>(columns);
    return {id, type, {1, h, r, c}, {h * r * c, r * c, c, 1}, in};
}

/// Scores of keys behind the query become what no maximum chooses: a graph of its own, of which the attention takes in
/// and out by name.
dnn::Status addMask(DnnGraph& graph, DnnDescriptor& operation, const Attention& work)
{
    const auto scores = [&](TensorId id) -> const DnnDescriptor& {
        return graph.tensor(tensorOf(id, dnn::kFloat, work.heads, work.tokens, work.tokens, DnnTensor::In::Nowhere));
    };
    DnnDescriptor& mask = graph.part(dnn::Kind::DiagonalBandMask);
    mask.set(dnn::Attribute::BandMaskX, scores(kScores));
    mask.set(dnn::Attribute::BandMaskB, graph.tensor(tensorOf(kNothing, dnn::kFloat, 1, 1, 1, DnnTensor::In::Host)));
    mask.set(dnn::Attribute::BandMaskY, scores(kMasked));
    mask.set(dnn::Attribute::BandMaskComparison, dnn::Type::PointwiseMode, dnn::kGreaterOrEqual);
    if (const dnn::Status status = mask.finalise(); status != dnn::kSuccess)
        return status;
    DnnDescriptor& inner = graph.part(dnn::Kind::OperationGraph); // needs no handle
    inner.set(dnn::Attribute::GraphOperations, mask);
    if (const dnn::Status status = inner.finalise(); status != dnn::kSuccess)
        return status;
    operation.set(dnn::Attribute::AttentionSubgraph, inner);
    operation.set(dnn::Attribute::AttentionSubgraphIn, dnn::Type::Int64, std::int64_t{kScores});
    operation.set(dnn::Attribute::AttentionSubgraphOut, dnn::Type::Int64, std::int64_t{kMasked});
    return operation.status();
}

DnnFailure describe(DnnGraph& graph, const Attention& work)
{
    const int type = work.format == MatrixFormat::Bf16 ? dnn::kBfloat16 : dnn::kHalf;
    DnnDescriptor& operation = graph.part(dnn::Kind::AttentionForward);
    const std::tuple<dnn::Attribute, TensorId, std::uint64_t> tensors[] = {
        {dnn::Attribute::AttentionQ, kQ, work.heads},
        {dnn::Attribute::AttentionK, kK, work.keyHeads},
        {dnn::Attribute::AttentionV, kV, work.keyHeads},
        {dnn::Attribute::AttentionOut, kOut, work.heads}};
    for (const auto& [as, id, heads] : tensors) {
        const DnnDescriptor& made = graph.tensor(tensorOf(id, type, heads, work.tokens, work.columns));
        if (made.status() != dnn::kSuccess)
            return {made.status(), "describe these heads"};
        operation.set(as, made);
    }
    operation.set(dnn::Attribute::AttentionScale,
                  graph.tensor(tensorOf(kScale, dnn::kFloat, 1, 1, 1, DnnTensor::In::Host)));
    if (work.causal)
        if (const dnn::Status status = addMask(graph, operation, work); status != dnn::kSuccess)
            return {status, "describe a causal mask"};
    if (const dnn::Status status = operation.finalise(); status != dnn::kSuccess)
        return {status, "describe this attention"};
    return graph.close(operation);
}

} // namespace

Result<std::unique_ptr<LoadedProgram>> vendorAttention(std::shared_ptr<Session> session, const Attention& work)
{
    if (work.format != MatrixFormat::Fp16 && work.format != MatrixFormat::Bf16)
        return Error{"no-reference", "cuDNN's attention is asked for fp16 and bf16 alone", session->place(),
                     "set dtype=fp16, or reference=none"};
    if (work.heads == 0 || work.keyHeads == 0 || work.heads % work.keyHeads != 0 || work.tokens == 0 ||
        work.columns == 0)
        return Error{"no-reference",
                     "an attention needs heads, a divisor of them that have keys, tokens and columns, none of them 0",
                     session->place(), "set heads to a multiple of group"};
    const auto graph = DnnGraph::open(std::move(session), {"attention", "attention", {9, 13, 1}});
    if (!graph)
        return graph.error();
    if (work.causal)
        if (auto isNew = (*graph)->needs({9, 21, 0}, "a causal mask in its attention"); !isNew)
            return isNew.error();
    if (const DnnFailure failure = describe(**graph, work); failure.status != dnn::kSuccess)
        return (*graph)->failed(failure);
    DnnBuffers buffers{{kQ, kK, kV, kOut}, {{kScale, work.scale}}};
    if (work.causal)
        buffers.numbers.emplace_back(kNothing, std::numeric_limits<float>::lowest());
    return fastestPlan(*graph, std::move(buffers), Launch{"", {}, {}, 0, {work.q, work.k, work.v, work.out}});
}

} // namespace ridge::gpu::cuda
