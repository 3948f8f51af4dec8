// SPDX-License-Identifier: GPL-3.0-or-later
// Declarations for the host code of a learner's file: main(), <<<>>> and the runtime API (CUDA Runtime API reference). It is
// read and checked, never compiled: `ridge kernel run` starts the kernel itself.
#pragma once
#pragma clang system_header

#if __has_include(<cmath>) && __has_include(<cstdlib>)
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#endif
#include <limits.h>

// Helper headers ask for these before they declare anything; what they stand for is declared here.
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__

#define CUDART_VERSION 11050
#define CUDART_CB
#define __CUDART_API_VERSION CUDART_VERSION

enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInitializationError = 3,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidSymbol = 13,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchOutOfResources = 701,
    cudaErrorLaunchTimeout = 702,
    cudaErrorPeerAccessAlreadyEnabled = 704,
    cudaErrorLaunchFailure = 719,
    cudaErrorCooperativeLaunchTooLarge = 720,
    cudaErrorNotSupported = 801,
    cudaErrorUnknown = 999
};
typedef enum cudaError cudaError_t;
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 13
};
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault,
    cudaSharedMemBankSizeFourByte,
    cudaSharedMemBankSizeEightByte
};
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize };
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrClockRate = 13,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef struct CUgraph_st* cudaGraph_t;
typedef struct CUgraphExec_st* cudaGraphExec_t;
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor, totalConstMem, memPitch;
    int regsPerBlock, regsPerMultiprocessor, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    int major, minor, multiProcessorCount, maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor, l2CacheSize;
    int memoryClockRate, memoryBusWidth, concurrentKernels, ECCEnabled, integrated, canMapHostMemory, unifiedAddressing;
    int cooperativeLaunch, asyncEngineCount, computeMode, persistingL2CacheMaxSize, managedMemory;
};
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, maxDynamicSharedSizeBytes;
};
constexpr unsigned int cudaStreamDefault = 0, cudaStreamNonBlocking = 1, cudaEventDefault = 0, cudaEventBlockingSync = 1,
                       cudaEventDisableTiming = 2, cudaHostAllocDefault = 0, cudaHostAllocPortable = 1,
                       cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4, cudaMemAttachGlobal = 1;
constexpr int cudaCpuDeviceId = -1;

// How clang writes a launch.
extern "C" unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void* stream = nullptr);
extern "C" cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr);
extern "C" cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** args, size_t shared,
                                        cudaStream_t stream);

/// Functions whose parameters tell nothing to a compiler that makes device code alone.
#define RIDGE_RUNTIME(name)                                                                                            \
    template <class... A>                                                                                              \
    __host__ cudaError_t name(A&&...)                                                                                  \
    {                                                                                                                  \
        return cudaSuccess;                                                                                            \
    }
RIDGE_RUNTIME(cudaMalloc)
RIDGE_RUNTIME(cudaMallocHost)
RIDGE_RUNTIME(cudaMallocManaged)
RIDGE_RUNTIME(cudaMallocAsync)
RIDGE_RUNTIME(cudaMallocPitch)
RIDGE_RUNTIME(cudaHostAlloc)
RIDGE_RUNTIME(cudaHostRegister)
RIDGE_RUNTIME(cudaHostUnregister)
RIDGE_RUNTIME(cudaHostGetDevicePointer)
RIDGE_RUNTIME(cudaFree)
RIDGE_RUNTIME(cudaFreeHost)
RIDGE_RUNTIME(cudaFreeAsync)
RIDGE_RUNTIME(cudaMemcpy)
RIDGE_RUNTIME(cudaMemcpyAsync)
RIDGE_RUNTIME(cudaMemcpy2D)
RIDGE_RUNTIME(cudaMemcpy2DAsync)
RIDGE_RUNTIME(cudaMemcpyToSymbol)
RIDGE_RUNTIME(cudaMemcpyToSymbolAsync)
RIDGE_RUNTIME(cudaMemcpyFromSymbol)
RIDGE_RUNTIME(cudaGetSymbolAddress)
RIDGE_RUNTIME(cudaGetSymbolSize)
RIDGE_RUNTIME(cudaMemset)
RIDGE_RUNTIME(cudaMemsetAsync)
RIDGE_RUNTIME(cudaMemset2D)
RIDGE_RUNTIME(cudaMemGetInfo)
RIDGE_RUNTIME(cudaMemPrefetchAsync)
RIDGE_RUNTIME(cudaMemAdvise)
RIDGE_RUNTIME(cudaGetDevice)
RIDGE_RUNTIME(cudaSetDevice)
RIDGE_RUNTIME(cudaGetDeviceCount)
RIDGE_RUNTIME(cudaGetDeviceProperties)
RIDGE_RUNTIME(cudaDeviceGetAttribute)
RIDGE_RUNTIME(cudaDeviceSynchronize)
RIDGE_RUNTIME(cudaDeviceReset)
RIDGE_RUNTIME(cudaDeviceSetLimit)
RIDGE_RUNTIME(cudaDeviceSetCacheConfig)
RIDGE_RUNTIME(cudaDeviceSetSharedMemConfig)
RIDGE_RUNTIME(cudaDeviceEnablePeerAccess)
RIDGE_RUNTIME(cudaDeviceCanAccessPeer)
RIDGE_RUNTIME(cudaThreadSynchronize)
RIDGE_RUNTIME(cudaGetLastError)
RIDGE_RUNTIME(cudaPeekAtLastError)
RIDGE_RUNTIME(cudaStreamCreate)
RIDGE_RUNTIME(cudaStreamCreateWithFlags)
RIDGE_RUNTIME(cudaStreamCreateWithPriority)
RIDGE_RUNTIME(cudaStreamDestroy)
RIDGE_RUNTIME(cudaStreamSynchronize)
RIDGE_RUNTIME(cudaStreamWaitEvent)
RIDGE_RUNTIME(cudaStreamQuery)
RIDGE_RUNTIME(cudaStreamBeginCapture)
RIDGE_RUNTIME(cudaStreamEndCapture)
RIDGE_RUNTIME(cudaGraphInstantiate)
RIDGE_RUNTIME(cudaGraphLaunch)
RIDGE_RUNTIME(cudaEventCreate)
RIDGE_RUNTIME(cudaEventCreateWithFlags)
RIDGE_RUNTIME(cudaEventDestroy)
RIDGE_RUNTIME(cudaEventRecord)
RIDGE_RUNTIME(cudaEventSynchronize)
RIDGE_RUNTIME(cudaEventElapsedTime)
RIDGE_RUNTIME(cudaEventQuery)
RIDGE_RUNTIME(cudaDriverGetVersion)
RIDGE_RUNTIME(cudaRuntimeGetVersion)
RIDGE_RUNTIME(cudaProfilerStart)
RIDGE_RUNTIME(cudaProfilerStop)
// A kernel that is named here is one of the program: taking its address gives clang the template's instance.
#define RIDGE_RUNTIME_KERNEL(name)                                                                                     \
    template <class K, class... A>                                                                                     \
    __host__ cudaError_t name(K*, A&&...)                                                                              \
    {                                                                                                                  \
        return cudaSuccess;                                                                                            \
    }
RIDGE_RUNTIME_KERNEL(cudaFuncSetAttribute)
RIDGE_RUNTIME_KERNEL(cudaFuncSetCacheConfig)
RIDGE_RUNTIME_KERNEL(cudaFuncSetSharedMemConfig)
RIDGE_RUNTIME_KERNEL(cudaLaunchCooperativeKernel)
template <class K, class... A>
__host__ cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, K*, A&&...)
{
    return cudaSuccess;
}
template <class K, class... A>
__host__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*, K*, A&&...)
{
    return cudaSuccess;
}
template <class K, class... A>
__host__ cudaError_t cudaOccupancyMaxPotentialBlockSize(int*, int*, K*, A&&...)
{
    return cudaSuccess;
}
__host__ const char* cudaGetErrorString(cudaError_t error);
__host__ const char* cudaGetErrorName(cudaError_t error);
