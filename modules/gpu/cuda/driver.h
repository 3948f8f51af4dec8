// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>

/// The part of the CUDA driver API that is used, declared here so that nothing of CUDA is needed to build. Names,
/// signatures and numbers follow NVIDIA's CUDA Driver API reference; the _v2 entry points are the current ABI.
namespace ridge::gpu::cuda {

using CuResult = int;
using CuDevice = int;
using CuPointer = std::uint64_t;
using CuContext = struct CuContextOpaque*;
using CuModule = struct CuModuleOpaque*;
using CuFunction = struct CuFunctionOpaque*;
using CuStream = struct CuStreamOpaque*;
using CuEvent = struct CuEventOpaque*;
using CuGraph = struct CuGraphOpaque*;
using CuGraphExec = struct CuGraphExecOpaque*;

struct CuUuid {
    unsigned char bytes[16];
};

inline constexpr CuResult kCuSuccess = 0;
inline constexpr CuResult kCuDeviceUnavailable = 46;
inline constexpr CuResult kCuNotReady = 600;
inline constexpr CuResult kCuUnknown = 999;

/// CUdevice_attribute
enum class DeviceAttribute : int {
    MaxThreadsPerBlock = 1,
    MaxBlockDimX = 2,
    MaxBlockDimY = 3,
    MaxBlockDimZ = 4,
    MaxGridDimX = 5,
    MaxGridDimY = 6,
    MaxGridDimZ = 7,
    SharedPerBlock = 8,
    ClockKiloHertz = 13,
    SmCount = 16,
    KernelTimeout = 17,
    ComputeMode = 20,
    Ecc = 32,
    MemoryClockKiloHertz = 36,
    MemoryBusBits = 37,
    L2Bytes = 38,
    ComputeMajor = 75,
    ComputeMinor = 76,
    SharedPerBlockOptin = 97,
};

/// CUlimit
enum class ContextLimit : int { PersistingL2Bytes = 6 };

/// CUfunction_attribute
enum class FunctionAttribute : int {
    MaxThreadsPerBlock = 0,
    SharedBytes = 1,
    Registers = 4,
    MaxDynamicShared = 8,
    NonPortableCluster = 14
};

/// CUlaunchAttribute with the identifier of the cluster's size, and CUlaunchConfig.
struct CuClusterAttribute {
    int id = 4;
    int pad = 0;
    unsigned x = 1, y = 1, z = 1;
    unsigned rest[13] = {};
};
struct CuLaunchConfig {
    unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
    CuStream stream;
    CuClusterAttribute* attributes;
    unsigned attributeCount;
};

/// CUtensorMapDataType: unsigned whole numbers, as what only moves has no other type.
enum class TensorMapType : int { Bytes1 = 0, Bytes2 = 1, Bytes4 = 2, Bytes8 = 4 };

/// CUjit_option
enum class JitOption : int { InfoLog = 3, InfoLogBytes = 4, ErrorLog = 5, ErrorLogBytes = 6 };

/// Entry points of the host side: memory, streams, graphs. Each may be absent; what needs it says which driver has it.
struct HostEntries {
    CuResult (*hostAllocate)(void** memory, std::size_t bytes, unsigned flags) = nullptr;
    CuResult (*hostFree)(void* memory) = nullptr;
    CuResult (*hostDevicePointer)(CuPointer* pointer, void* memory, unsigned flags) = nullptr;
    CuResult (*managedAllocate)(CuPointer* pointer, std::size_t bytes, unsigned flags) = nullptr;
    CuResult (*prefetch)(CuPointer pointer, std::size_t bytes, CuDevice device, CuStream stream) = nullptr;
    CuResult (*copyInAsync)(CuPointer to, const void* from, std::size_t bytes, CuStream stream) = nullptr;
    CuResult (*copyOutAsync)(void* to, CuPointer from, std::size_t bytes, CuStream stream) = nullptr;
    CuResult (*copyWithinAsync)(CuPointer to, CuPointer from, std::size_t bytes, CuStream stream) = nullptr;
    CuResult (*streamWaitEvent)(CuStream stream, CuEvent event, unsigned flags) = nullptr;
    CuResult (*streamWaitValue)(CuStream stream, CuPointer word, std::uint32_t value, unsigned flags) = nullptr;
    CuResult (*eventRecordWithFlags)(CuEvent event, CuStream stream, unsigned flags) = nullptr;
    CuResult (*beginCapture)(CuStream stream, int mode) = nullptr;
    CuResult (*endCapture)(CuStream stream, CuGraph* graph) = nullptr;
    CuResult (*graphInstantiate)(CuGraphExec* exec, CuGraph graph, unsigned long long flags) = nullptr;
    CuResult (*graphLaunch)(CuGraphExec exec, CuStream stream) = nullptr;
    CuResult (*graphExecDestroy)(CuGraphExec exec) = nullptr;
    CuResult (*graphDestroy)(CuGraph graph) = nullptr;
};

/// Entry points that bring a device to rest between launches. Each may be absent: the first two in drivers older than
/// CUDA 11.0, which have no persisting L2 cache either.
struct QuietEntries {
    CuResult (*setLimit)(ContextLimit limit, std::size_t value) = nullptr;
    CuResult (*resetPersistingL2)() = nullptr;
    CuResult (*synchronise)() = nullptr;
    CuResult (*fill)(CuPointer to, unsigned char value, std::size_t bytes, CuStream stream) = nullptr;
};

/// Entry points between two GPUs. Each may be absent.
struct PeerEntries {
    CuResult (*canAccess)(int* can, CuDevice from, CuDevice to) = nullptr;
    CuResult (*enable)(CuContext to, unsigned flags) = nullptr;
    CuResult (*disable)(CuContext to) = nullptr;
    CuResult (*copyAsync)(CuPointer to, CuContext toContext, CuPointer from, CuContext fromContext, std::size_t bytes,
                          CuStream stream) = nullptr;
};

/// Entry points of an opened libcuda. The library stays loaded for the life of the process: drivers start threads
/// that do not survive unloading.
struct Driver {
    std::string path;

    CuResult (*init)(unsigned flags) = nullptr;
    CuResult (*driverVersion)(int* version) = nullptr;
    CuResult (*errorName)(CuResult code, const char** name) = nullptr;
    CuResult (*deviceCount)(int* count) = nullptr;
    CuResult (*deviceGet)(CuDevice* device, int ordinal) = nullptr;
    CuResult (*deviceName)(char* name, int length, CuDevice device) = nullptr;
    CuResult (*deviceUuid)(CuUuid* uuid, CuDevice device) = nullptr; ///< may be absent
    CuResult (*devicePciBusId)(char* id, int length, CuDevice device) = nullptr;
    CuResult (*deviceTotalMemory)(std::size_t* bytes, CuDevice device) = nullptr;
    CuResult (*deviceAttribute)(int* value, DeviceAttribute attribute, CuDevice device) = nullptr;
    CuResult (*primaryRetain)(CuContext* context, CuDevice device) = nullptr;
    CuResult (*primaryRelease)(CuDevice device) = nullptr;
    CuResult (*contextSetCurrent)(CuContext context) = nullptr;
    CuResult (*moduleLoadData)(CuModule* module, const void* image, unsigned options, JitOption* names,
                               void** values) = nullptr;
    CuResult (*moduleUnload)(CuModule module) = nullptr;
    CuResult (*moduleFunction)(CuFunction* function, CuModule module, const char* name) = nullptr;
    CuResult (*moduleGlobal)(CuPointer* pointer, std::size_t* bytes, CuModule module,
                             const char* name) = nullptr; ///< may be absent
    CuResult (*functionGetAttribute)(int* value, FunctionAttribute attribute, CuFunction function) = nullptr;
    CuResult (*functionSetAttribute)(CuFunction function, FunctionAttribute attribute, int value) = nullptr;
    CuResult (*memoryInfo)(std::size_t* freeBytes, std::size_t* totalBytes) = nullptr;
    CuResult (*memoryAllocate)(CuPointer* pointer, std::size_t bytes) = nullptr;
    CuResult (*memoryFree)(CuPointer pointer) = nullptr;
    CuResult (*copyStaged)(CuPointer to, const void* from, std::size_t bytes) = nullptr; ///< see copyToDevice()
    CuResult (*copyToHost)(void* to, CuPointer from, std::size_t bytes) = nullptr;
    CuResult (*streamCreate)(CuStream* stream, unsigned flags) = nullptr;
    CuResult (*streamDestroy)(CuStream stream) = nullptr;
    CuResult (*streamSynchronise)(CuStream stream) = nullptr;
    CuResult (*eventCreate)(CuEvent* event, unsigned flags) = nullptr;
    CuResult (*eventDestroy)(CuEvent event) = nullptr;
    CuResult (*eventRecord)(CuEvent event, CuStream stream) = nullptr;
    CuResult (*eventQuery)(CuEvent event) = nullptr;
    CuResult (*eventElapsed)(float* milliseconds, CuEvent from, CuEvent to) = nullptr;
    CuResult (*launchKernel)(CuFunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                             unsigned blockY, unsigned blockZ, unsigned sharedBytes, CuStream stream, void** arguments,
                             void** extra) = nullptr;
    /// May be absent: drivers older than CUDA 12.0. The last four: CUtensorMapInterleave, CUtensorMapSwizzle,
    /// CUtensorMapL2promotion, CUtensorMapFloatOOBfill.
    CuResult (*tensorMapEncodeTiled)(void* map, TensorMapType type, std::uint32_t rank, void* address,
                                     const std::uint64_t* sizes, const std::uint64_t* strides, const std::uint32_t* box,
                                     const std::uint32_t* steps, int interleave, int swizzle, int l2Promotion,
                                     int outside) = nullptr;
    /// May be absent: drivers older than CUDA 11.8.
    CuResult (*launchKernelEx)(const CuLaunchConfig* config, CuFunction function, void** arguments,
                               void** extra) = nullptr;
    /// May be absent: drivers older than CUDA 6.5. Blocks of a launch that an SM holds at once.
    CuResult (*residentBlocks)(int* blocks, CuFunction function, int threads, std::size_t dynamicShared) = nullptr;
    HostEntries host;
    QuietEntries quiet;
    PeerEntries peer;
};

/// Opens libcuda ($RIDGE_LIBCUDA, else libcuda.so.1 and WSL's place for it) and finds every entry point. Does not
/// initialise it. Errors: "no-driver" (not there, or not loadable), "driver-too-old" (an entry point is missing).
Result<std::shared_ptr<const Driver>> openDriver();

/// openDriver and cuInit. Errors: the above and "driver-failed" with the reason that the code stands for.
Result<std::shared_ptr<const Driver>> initialisedDriver();

/// cuMemcpyHtoD in the current context, and waits until the bytes are there. The call alone returns when the last of
/// pageable memory has left it for a staging buffer (driver API, "API synchronization behavior"), and our streams do
/// not wait for the null stream's: a kernel could run before its input is whole.
CuResult copyToDevice(const Driver& driver, CuPointer to, const void* from, std::size_t bytes);

/// "13.0" for 13000.
std::string cudaVersionText(int version);

} // namespace ridge::gpu::cuda
