// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/driver.h"

#include "gpu/cuda/driver_errors.h"
#include "gpu/cuda/library.h"

#include <fstream>

namespace ridge::gpu::cuda {

namespace {

/// PCI vendor 0x10de with a display-controller class: there is a GPU even if no driver says so.
bool pciShowsNvidiaGpu()
{
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/sys/bus/pci/devices", ignored)) {
        std::string vendor;
        std::string kind;
        std::ifstream(entry.path() / "vendor") >> vendor;
        std::ifstream(entry.path() / "class") >> kind;
        if (vendor == "0x10de" && kind.starts_with("0x03"))
            return true;
    }
    return false;
}

Error noDriver(const Library& library)
{
    const bool chosen = std::getenv("RIDGE_LIBCUDA") != nullptr;
    std::string fix;
    if (chosen)
        fix = "RIDGE_LIBCUDA names it: correct or unset that variable";
    else if (pciShowsNvidiaGpu())
        fix = "install the NVIDIA driver (Debian: apt install nvidia-driver from non-free; Ubuntu: ubuntu-drivers "
              "install), then restart";
    else
        fix = "this machine shows no NVIDIA GPU; every lesson also runs on a simulated one (sim:<chip>)";
    return Error{"no-driver", "there is no usable NVIDIA driver: " + library.failure, library.path, fix};
}

/// Every entry point without which nothing can run; the name of the first that is missing, or null.
const char* bindEntries(const Library& library, Driver& driver)
{
    EntryFinder bind(library);
    bind("cuInit", driver.init);
    bind("cuDriverGetVersion", driver.driverVersion);
    bind("cuGetErrorName", driver.errorName);
    bind("cuDeviceGetCount", driver.deviceCount);
    bind("cuDeviceGet", driver.deviceGet);
    bind("cuDeviceGetName", driver.deviceName);
    bind("cuDeviceGetPCIBusId", driver.devicePciBusId);
    bind("cuDeviceTotalMem_v2", driver.deviceTotalMemory);
    bind("cuDeviceGetAttribute", driver.deviceAttribute);
    bind("cuDevicePrimaryCtxRetain", driver.primaryRetain);
    bind("cuDevicePrimaryCtxRelease_v2", driver.primaryRelease);
    bind("cuCtxSetCurrent", driver.contextSetCurrent);
    bind("cuModuleLoadDataEx", driver.moduleLoadData);
    bind("cuModuleUnload", driver.moduleUnload);
    bind("cuModuleGetFunction", driver.moduleFunction);
    bind("cuFuncGetAttribute", driver.functionGetAttribute);
    bind("cuFuncSetAttribute", driver.functionSetAttribute);
    bind("cuMemGetInfo_v2", driver.memoryInfo);
    bind("cuMemAlloc_v2", driver.memoryAllocate);
    bind("cuMemFree_v2", driver.memoryFree);
    bind("cuMemcpyHtoD_v2", driver.copyStaged);
    bind("cuMemcpyDtoH_v2", driver.copyToHost);
    bind("cuStreamCreate", driver.streamCreate);
    bind("cuStreamDestroy_v2", driver.streamDestroy);
    bind("cuStreamSynchronize", driver.streamSynchronise);
    bind("cuEventCreate", driver.eventCreate);
    bind("cuEventDestroy_v2", driver.eventDestroy);
    bind("cuEventRecord", driver.eventRecord);
    bind("cuEventQuery", driver.eventQuery);
    bind("cuEventElapsedTime", driver.eventElapsed);
    bind("cuLaunchKernel", driver.launchKernel);
    findEntry(library, "cuLaunchKernelEx", driver.launchKernelEx);
    findEntry(library, "cuModuleGetGlobal_v2", driver.moduleGlobal);
    findEntry(library, "cuOccupancyMaxActiveBlocksPerMultiprocessor", driver.residentBlocks);
    findEntry(library, "cuDeviceCanAccessPeer", driver.peer.canAccess);
    findEntry(library, "cuCtxEnablePeerAccess", driver.peer.enable);
    findEntry(library, "cuCtxDisablePeerAccess", driver.peer.disable);
    findEntry(library, "cuMemcpyPeerAsync", driver.peer.copyAsync);
    findEntry(library, "cuCtxSetLimit", driver.quiet.setLimit);
    findEntry(library, "cuCtxResetPersistingL2Cache", driver.quiet.resetPersistingL2);
    findEntry(library, "cuCtxSynchronize", driver.quiet.synchronise);
    findEntry(library, "cuMemsetD8Async", driver.quiet.fill);
    findEntry(library, "cuTensorMapEncodeTiled", driver.tensorMapEncodeTiled);
    if (!findEntry(library, "cuDeviceGetUuid_v2", driver.deviceUuid))
        findEntry(library, "cuDeviceGetUuid", driver.deviceUuid);
    return bind.missing();
}

void bindHostEntries(const Library& library, HostEntries& host)
{
    findEntry(library, "cuMemHostAlloc", host.hostAllocate);
    findEntry(library, "cuMemFreeHost", host.hostFree);
    findEntry(library, "cuMemHostGetDevicePointer_v2", host.hostDevicePointer);
    findEntry(library, "cuMemAllocManaged", host.managedAllocate);
    findEntry(library, "cuMemPrefetchAsync", host.prefetch);
    findEntry(library, "cuMemcpyHtoDAsync_v2", host.copyInAsync);
    findEntry(library, "cuMemcpyDtoHAsync_v2", host.copyOutAsync);
    findEntry(library, "cuMemcpyDtoDAsync_v2", host.copyWithinAsync);
    findEntry(library, "cuStreamWaitEvent", host.streamWaitEvent);
    findEntry(library, "cuStreamWaitValue32_v2", host.streamWaitValue);
    findEntry(library, "cuEventRecordWithFlags", host.eventRecordWithFlags);
    findEntry(library, "cuStreamBeginCapture_v2", host.beginCapture);
    findEntry(library, "cuStreamEndCapture", host.endCapture);
    findEntry(library, "cuGraphInstantiateWithFlags", host.graphInstantiate);
    findEntry(library, "cuGraphLaunch", host.graphLaunch);
    findEntry(library, "cuGraphExecDestroy", host.graphExecDestroy);
    findEntry(library, "cuGraphDestroy", host.graphDestroy);
}

} // namespace

Result<std::shared_ptr<const Driver>> openDriver()
{
    const Library library = openLibrary("RIDGE_LIBCUDA", {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"});
    if (library.handle == nullptr)
        return noDriver(library);
    auto driver = std::make_shared<Driver>();
    driver->path = library.path;
    if (const char* missing = bindEntries(library, *driver); missing != nullptr)
        return Error{"driver-too-old", std::string("the NVIDIA driver has no entry point ") + missing, library.path,
                     "install driver 525 or newer"};
    bindHostEntries(library, driver->host);
    return std::shared_ptr<const Driver>(std::move(driver));
}

CuResult copyToDevice(const Driver& driver, CuPointer to, const void* from, std::size_t bytes)
{
    const CuResult code = driver.copyStaged(to, from, bytes);
    return code == kCuSuccess ? driver.streamSynchronise(nullptr) : code;
}

Result<std::shared_ptr<const Driver>> initialisedDriver()
{
    Result<std::shared_ptr<const Driver>> driver = openDriver();
    if (!driver.ok())
        return driver;
    if (const CuResult code = (*driver)->init(0); code != kCuSuccess)
        return initError(**driver, code);
    return driver;
}

std::string cudaVersionText(int version)
{
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

} // namespace ridge::gpu::cuda
