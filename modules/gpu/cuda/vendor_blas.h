// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/cuda/driver.h"

namespace ridge::gpu::cuda {
struct Library;
}

/// The part of cuBLAS and cuBLASLt that is used, declared here so that nothing of CUDA is needed to build. Names,
/// signatures and numbers follow cublas_api.h, cublasLt.h and library_types.h of cuBLAS 13.1 (CUDA 13.0); they are the
/// same since 11.8, the first version with E4M3. tst_vendor_headers holds them to the real headers where those are.
namespace ridge::gpu::cuda::blas {

using Status = int;

inline constexpr Status kSuccess = 0;
inline constexpr Status kNotInitialised = 1;
inline constexpr Status kAllocationFailed = 3;
inline constexpr Status kInvalidValue = 7;
inline constexpr Status kArchitectureMismatch = 8;
inline constexpr Status kExecutionFailed = 13;
inline constexpr Status kInternalError = 14;
inline constexpr Status kNotSupported = 15;

/// cublasOperation_t
inline constexpr int kNormal = 0, kTransposed = 1;
/// cudaDataType
inline constexpr int kR32F = 0, kR16F = 2, kR16BF = 14, kR8FE4M3 = 28;
/// cublasComputeType_t
inline constexpr int kCompute32F = 68, kCompute32FPedantic = 69, kCompute32FFastTf32 = 77;
/// cublasMath_t: sums that blocks share stay in FP32, as ours do.
inline constexpr int kMathDisallowReducedReduction = 16;
/// cublasGemmAlgo_t
inline constexpr int kGemmDefault = -1;
/// cublasLtMatmulDescAttributes_t
inline constexpr int kDescTransposeA = 3, kDescTransposeB = 4;
/// cublasLtMatmulPreferenceAttributes_t
inline constexpr int kPreferWorkspaceBytes = 1, kPreferReductionMask = 3;
/// cublasLtReductionScheme_t: in place and in the format of the sums, not in that of the output
inline constexpr std::uint32_t kReduceInPlace = 1, kReduceComputeType = 2;

using Handle = struct HandleOpaque*;
using Descriptor = struct DescriptorOpaque*;
using Layout = struct LayoutOpaque*;
using Preference = struct PreferenceOpaque*;

/// cublasLtMatmulAlgo_t
struct Algorithm {
    std::uint64_t data[8];
};
/// cublasLtMatmulHeuristicResult_t
struct Heuristic {
    Algorithm algorithm;
    std::size_t workspaceBytes;
    Status state;
    float waves;
    int reserved[4];
};

/// Entry points of libcublasLt.
struct LtEntries {
    Status (*create)(Handle* handle) = nullptr;
    Status (*destroy)(Handle handle) = nullptr;
    Status (*descCreate)(Descriptor* desc, int computeType, int scaleType) = nullptr;
    Status (*descDestroy)(Descriptor desc) = nullptr;
    Status (*descSet)(Descriptor desc, int attribute, const void* value, std::size_t bytes) = nullptr;
    Status (*layoutCreate)(Layout* layout, int type, std::uint64_t rows, std::uint64_t columns,
                           std::int64_t leadingDimension) = nullptr;
    Status (*layoutDestroy)(Layout layout) = nullptr;
    Status (*preferenceCreate)(Preference* preference) = nullptr;
    Status (*preferenceDestroy)(Preference preference) = nullptr;
    Status (*preferenceSet)(Preference preference, int attribute, const void* value, std::size_t bytes) = nullptr;
    Status (*heuristics)(Handle handle, Descriptor desc, Layout a, Layout b, Layout c, Layout d, Preference preference,
                         int wanted, Heuristic results[], int* found) = nullptr;
    Status (*multiply)(Handle handle, Descriptor desc, const void* alpha, const void* a, Layout layoutA, const void* b,
                       Layout layoutB, const void* beta, const void* c, Layout layoutC, void* d, Layout layoutD,
                       const Algorithm* algorithm, void* workspace, std::size_t workspaceBytes,
                       CuStream stream) = nullptr;
};

/// Fills `api`; false where an entry is not there. Looking them up needs no GPU.
bool findEntries(const Library& library, LtEntries& api);

/// Entry points of libcublas.
struct BlasEntries {
    Status (*create)(Handle* handle) = nullptr;
    Status (*destroy)(Handle handle) = nullptr;
    Status (*setStream)(Handle handle, CuStream stream) = nullptr;
    Status (*setMathMode)(Handle handle, int mode) = nullptr;
    Status (*setWorkspace)(Handle handle, void* workspace, std::size_t bytes) = nullptr;
    Status (*gemmEx)(Handle handle, int transposeA, int transposeB, int m, int n, int k, const void* alpha,
                     const void* a, int typeA, int lda, const void* b, int typeB, int ldb, const void* beta, void* c,
                     int typeC, int ldc, int computeType, int algorithm) = nullptr;
};

} // namespace ridge::gpu::cuda::blas
