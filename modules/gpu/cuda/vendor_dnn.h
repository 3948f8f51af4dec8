// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/cuda/driver.h"

namespace ridge::gpu::cuda {
struct Library;
}

/// The part of cuDNN's graph interface that is used, declared here so that nothing of CUDA is needed to build. Names,
/// signatures and numbers follow cudnn_graph.h of cuDNN 9.28 (where CUDA_HOME has it, tst_vendor_headers holds them to
/// it); RMSNorm is in it since 8.9, statuses have these numbers since 9.0, attention as one
/// operation is in it since 9.13, its mask since 9.21.
namespace ridge::gpu::cuda::dnn {

using Status = int;

inline constexpr Status kSuccess = 0;

/// cudnnBackendDescriptorType_t
enum class Kind : int {
    EngineConfig = 3,
    EngineHeuristics = 4,
    ExecutionPlan = 5,
    OperationGraph = 15,
    VariantPack = 16,
    Tensor = 17,
    NormForward = 29,
    AttentionForward = 41,
    DiagonalBandMask = 44
};

/// cudnnBackendAttributeType_t, of the values that are handed over
enum class Type : int {
    Handle = 0,
    DataType = 1,
    Boolean = 2,
    Int64 = 3,
    Pointer = 6,
    HeuristicMode = 8,
    PointwiseMode = 14,
    Descriptor = 15,
    NormMode = 27,
    NormPhase = 28
};

/// cudnnBackendAttributeName_t
enum class Attribute : int {
    HeuristicsMode = 200,
    HeuristicsGraph = 201,
    HeuristicsResults = 202,
    PlanHandle = 400,
    PlanEngineConfig = 401,
    PlanWorkspaceBytes = 402,
    GraphHandle = 800,
    GraphOperations = 801,
    TensorAlignment = 900,
    TensorDataType = 901,
    TensorDimensions = 902,
    TensorStrides = 903,
    TensorUniqueId = 906,
    TensorVirtual = 907,
    TensorByValue = 908,
    PackUniqueIds = 1000,
    PackPointers = 1001,
    PackWorkspace = 1003,
    NormMode = 2000,
    NormPhase = 2001,
    NormX = 2002,
    NormScale = 2005,
    NormBias = 2006,
    NormEpsilon = 2007,
    NormY = 2013,
    AttentionQ = 2800,
    AttentionK = 2801,
    AttentionV = 2802,
    AttentionOut = 2803,
    AttentionScale = 2805,
    AttentionSubgraph = 2811,
    AttentionSubgraphIn = 2812,
    AttentionSubgraphOut = 2813,
    BandMaskX = 3000,
    BandMaskB = 3005,
    BandMaskY = 3006,
    BandMaskComparison = 3007
};

/// cudnnDataType_t
inline constexpr int kFloat = 0, kHalf = 2, kBfloat16 = 9;
/// cudnnPointwiseMode_t: of query and key, what a band mask lets pass
inline constexpr int kGreaterOrEqual = 303;
/// cudnnBackendNormMode_t
inline constexpr int kLayerNorm = 0, kRmsNorm = 4;
/// cudnnBackendNormFwdPhase_t: nothing is kept for a backward pass
inline constexpr int kInference = 0;
/// cudnnBackendHeurMode_t
inline constexpr int kHeuristicsFallback = 2, kHeuristicsA = 3;

using Handle = struct HandleOpaque*;
using Descriptor = void*;

/// Entry points of libcudnn.
struct Entries {
    Status (*create)(Handle* handle) = nullptr;
    Status (*destroy)(Handle handle) = nullptr;
    Status (*setStream)(Handle handle, CuStream stream) = nullptr;
    const char* (*statusText)(Status status) = nullptr;
    void (*lastError)(char* text, std::size_t bytes) = nullptr;
    Status (*descCreate)(Kind kind, Descriptor* descriptor) = nullptr;
    Status (*descDestroy)(Descriptor descriptor) = nullptr;
    Status (*finalise)(Descriptor descriptor) = nullptr;
    Status (*set)(Descriptor descriptor, Attribute name, Type type, std::int64_t count, const void* values) = nullptr;
    Status (*get)(Descriptor descriptor, Attribute name, Type type, std::int64_t wanted, std::int64_t* count,
                  void* values) = nullptr;
    Status (*execute)(Handle handle, Descriptor plan, Descriptor pack) = nullptr;
};

/// Fills `api`; the name of an entry that is not there, or null. Looking them up needs no GPU.
const char* missingEntry(const Library& library, Entries& api);

} // namespace ridge::gpu::cuda::dnn
