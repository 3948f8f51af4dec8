// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/vendor_graph.h"
#include "gpu/cuda/vendor_reference.h"

namespace ridge::gpu::cuda {

namespace {

enum TensorId : std::int64_t { kX = 1, kWeights, kBiases, kY, kEpsilon };

/// Four dimensions, as cuDNN wants them, of which two are used; the second is the one without gaps.
DnnTensor rowsOf(TensorId id, std::uint64_t rows, std::uint64_t columns)
{
    const auto count = static_cast<std::int64_t>(columns);
    DnnTensor tensor{id, dnn::kBfloat16, {static_cast<std::int64_t>(rows), count, 1, 1}, {count, 1, count, count}};
    if (id == kEpsilon) {
        tensor.type = dnn::kFloat;
        tensor.in = DnnTensor::In::Host;
    }
    return tensor;
}

DnnFailure describe(DnnGraph& graph, const RowNorm& norm)
{
    DnnDescriptor& operation = graph.part(dnn::Kind::NormForward);
    operation.set(dnn::Attribute::NormMode, dnn::Type::NormMode, norm.layer ? dnn::kLayerNorm : dnn::kRmsNorm);
    operation.set(dnn::Attribute::NormPhase, dnn::Type::NormPhase, dnn::kInference);
    const std::uint64_t rows = norm.rows, columns = norm.columns;
    const auto add = [&](dnn::Attribute as, TensorId id, std::uint64_t tensorRows, std::uint64_t tensorColumns) {
        const DnnDescriptor& made = graph.tensor(rowsOf(id, tensorRows, tensorColumns));
        operation.set(as, made);
        return made.status();
    };
    dnn::Status status = add(dnn::Attribute::NormX, kX, rows, columns);
    const auto next = [&](const auto& step) { status = status == dnn::kSuccess ? step() : status; };
    next([&] { return add(dnn::Attribute::NormScale, kWeights, 1, columns); });
    if (norm.layer)
        next([&] { return add(dnn::Attribute::NormBias, kBiases, 1, columns); });
    next([&] { return add(dnn::Attribute::NormEpsilon, kEpsilon, 1, 1); });
    next([&] { return add(dnn::Attribute::NormY, kY, rows, columns); });
    if (status != dnn::kSuccess)
        return {status, "describe these rows"};
    if (status = operation.finalise(); status != dnn::kSuccess)
        return {status, "describe this norm"};
    return graph.close(operation);
}

} // namespace

Result<std::unique_ptr<LoadedProgram>> vendorNorm(std::shared_ptr<Session> session, const RowNorm& norm)
{
    const auto graph = DnnGraph::open(std::move(session), {"norm", "norms", {9, 0, 0}});
    if (!graph)
        return graph.error();
    if (const DnnFailure failure = describe(**graph, norm); failure.status != dnn::kSuccess)
        return (*graph)->failed(failure);
    DnnBuffers buffers{{kX, kWeights, kY}, {{kEpsilon, norm.epsilon}}};
    Launch launch{"", {}, {}, 0, {norm.x, norm.weights}};
    if (norm.layer) {
        buffers.ids.insert(buffers.ids.begin() + 2, kBiases);
        launch.args.emplace_back(norm.biases);
    }
    launch.args.emplace_back(norm.y);
    return fastestPlan(*graph, std::move(buffers), launch);
}

} // namespace ridge::gpu::cuda
