// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/driver_errors.h"

#include <cstdlib>

namespace ridge::gpu::cuda {

namespace {

struct Meaning {
    CuResult code;
    const char* message;
    const char* fix;
};

// Codes: CUresult in the CUDA Driver API reference.
constexpr std::array<Meaning, 10> kInitMeanings{{
    {34, "a stub library of the CUDA toolkit was found in place of the driver",
     "take the folder 'stubs' out of LD_LIBRARY_PATH"},
    {46, "the GPU is in use by another process in exclusive mode", "end that process, or run: nvidia-smi -c DEFAULT"},
    {100, "the driver is installed but finds no GPU",
     "check that nvidia-smi lists one and that CUDA_VISIBLE_DEVICES does not hide it"},
    {101, "the driver is installed but the chosen GPU does not exist", "unset CUDA_VISIBLE_DEVICES"},
    {304, "an operating-system call of the driver failed",
     "check the rights on /dev/nvidia* and that the module nvidia_uvm is loaded"},
    {802, "the system is not ready: its fabric manager is not running",
     "start it: systemctl start nvidia-fabricmanager"},
    {803, "the driver library and the kernel module have different versions",
     "restart the machine, or reload the nvidia modules"},
    {804, "a forward-compatibility library was found that this GPU does not support",
     "take the cuda-compat folder out of LD_LIBRARY_PATH"},
    {805, "the MPS server cannot be reached", "stop MPS: echo quit | nvidia-cuda-mps-control"},
    {999, "the driver failed for a reason it does not name",
     "reload the module (rmmod nvidia_uvm; modprobe nvidia_uvm) or restart; it happens after suspend"},
}};

struct KernelMeaning {
    CuResult code;
    const char* errorCode;
    const char* message;
    const char* fix;
};

/// Xid 79 in the kernel log is a GPU that has fallen off the bus: NVIDIA, "Xid Errors".
constexpr const char* kLostFix = "look for 'NVRM: Xid' in the kernel log (79: fallen off the bus), then restart the "
                                 "machine; if it happens again, check "
                                 "power, temperature and the seat of the card";

constexpr std::array<KernelMeaning, 14> kKernelMeanings{{
    {1, "bad-launch", "was launched with a value that the driver refuses", "check grid, block and shared memory"},
    {2, "out-of-memory", "could not get the memory it needs to run", "free device memory or use a smaller size"},
    {700, "out-of-bounds", "touched an address that does not belong to it",
     "run it on sim:<chip>, which names the line, the thread and the buffer"},
    {46, "gpu-lost", "could not go on: the GPU is no longer available", kLostFix},
    {999, "gpu-lost", "could not go on: the driver lost the GPU for a reason it does not name", kLostFix},
    {701, "bad-launch", "asks for more registers or shared memory than a block can have",
     "use a smaller block, or __launch_bounds__"},
    {702, "time-limit", "ran longer than the display's watchdog allows",
     "use a smaller size, or a GPU that drives no display"},
    {710, "launch-failed", "hit an assertion", "its text is in the log above"},
    {714, "launch-failed", "ran out of stack", "use less recursion and fewer local arrays"},
    {715, "unsupported-instruction", "met an instruction that this GPU does not have",
     "compile it for this GPU's compute capability"},
    {716, "misaligned", "used an address that is not a multiple of the access size",
     "run it on sim:<chip>, which names the line and the thread"},
    {717, "out-of-bounds", "used an address of another memory space", "check pointers to shared and local memory"},
    {718, "launch-failed", "jumped to an address that holds no code", "check function pointers"},
    {719, "launch-failed", "failed while running",
     "run it on sim:<chip>, which names the line and the thread; if it runs there, look for 'NVRM: Xid' in the kernel "
     "log "
     "(79: the GPU has fallen off the bus)"},
}};

} // namespace

std::string codeText(const Driver& driver, CuResult code)
{
    const char* name = nullptr;
    if (driver.errorName(code, &name) != kCuSuccess || name == nullptr)
        name = "unknown error";
    return std::string(name) + " (" + std::to_string(code) + ")";
}

Error initError(const Driver& driver, CuResult code)
{
    std::string message = "the NVIDIA driver did not start";
    std::string fix = "check that nvidia-smi works";
    for (const Meaning& meaning : kInitMeanings)
        if (meaning.code == code) {
            message = meaning.message;
            fix = meaning.fix;
        }
    if (const char* hidden = std::getenv("CUDA_VISIBLE_DEVICES"); hidden != nullptr && code == 100)
        fix += std::string(" (it is set to '") + hidden + "')";
    return Error{"driver-failed", message + ": " + codeText(driver, code), driver.path, fix};
}

Error callError(const Driver& driver, CuResult code, const std::string& doing, const std::string& place)
{
    if (code == 2)
        return Error{"out-of-memory", doing + ": the GPU has not that much memory left", place,
                     "use a smaller size, or end other programs that use the GPU (nvidia-smi lists them)"};
    if (code == 46 || code == 999)
        return Error{"gpu-lost", doing + ": the GPU is not available: " + codeText(driver, code), place, kLostFix};
    return Error{"driver-failed", doing + ": " + codeText(driver, code), place,
                 "check that nvidia-smi works and look for 'NVRM' in the kernel log"};
}

bool isSticky(CuResult code)
{
    return code == 46 || code == 214 || code == 220 || code == 226 || code == 700 || code == 702 ||
           (code >= 709 && code <= 710) || (code >= 714 && code <= 719) || code == 721 || code == 999;
}

Error kernelError(const Driver& driver, CuResult code, const std::string& kernel, const std::string& place)
{
    for (const KernelMeaning& meaning : kKernelMeanings)
        if (meaning.code == code)
            return Error{meaning.errorCode,
                         "kernel '" + kernel + "' " + meaning.message + ": " + codeText(driver, code), place,
                         meaning.fix};
    return Error{"launch-failed", "kernel '" + kernel + "' failed: " + codeText(driver, code), place,
                 "look for 'NVRM: Xid' in the kernel log"};
}

} // namespace ridge::gpu::cuda
