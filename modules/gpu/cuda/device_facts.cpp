// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/device_facts.h"

#include "base/target_kind.h"
#include "gpu/cuda/driver_errors.h"
#include "gpu/host_model.h"
#include "silicon/fingerprint.h"

namespace ridge::gpu::cuda {

namespace {

constexpr int kComputeModeProhibited = 2;

std::string uuidText(const CuUuid& uuid)
{
    constexpr std::string_view hex = "0123456789abcdef";
    std::string out;
    for (const unsigned char byte : uuid.bytes) {
        out += hex[byte >> 4];
        out += hex[byte & 15];
    }
    return out;
}

int attribute(const Driver& driver, CuDevice device, DeviceAttribute which)
{
    int value = 0;
    return driver.deviceAttribute(&value, which, device) == kCuSuccess ? value : 0;
}

void readLimits(const Driver& driver, DeviceFacts& facts)
{
    const auto get = [&](DeviceAttribute which) {
        return static_cast<std::uint32_t>(attribute(driver, facts.handle, which));
    };
    facts.maxThreadsPerBlock = get(DeviceAttribute::MaxThreadsPerBlock);
    facts.maxBlock = {get(DeviceAttribute::MaxBlockDimX), get(DeviceAttribute::MaxBlockDimY),
                      get(DeviceAttribute::MaxBlockDimZ)};
    facts.maxGrid = {get(DeviceAttribute::MaxGridDimX), get(DeviceAttribute::MaxGridDimY),
                     get(DeviceAttribute::MaxGridDimZ)};
    facts.sharedPerBlock = get(DeviceAttribute::SharedPerBlock);
    facts.sharedPerBlockOptin = std::max(facts.sharedPerBlock, get(DeviceAttribute::SharedPerBlockOptin));
}

silicon::GpuFacts fingerprintFacts(const DeviceFacts& facts, const Nvml* nvml)
{
    silicon::GpuFacts out;
    out.name = facts.name;
    out.computeMajor = facts.computeMajor;
    out.computeMinor = facts.computeMinor;
    out.smCount = facts.smCount;
    out.memoryBytes = facts.memoryBytes;
    out.l2Bytes = facts.l2Bytes;
    out.clockHz = facts.clockHz;
    out.memoryClockHz = facts.memoryClockHz;
    out.memoryBusBits = facts.memoryBusBits;
    out.cudaVersion = cudaVersionText(facts.driverCudaVersion);
    out.ecc = facts.ecc;
    out.uuid = facts.uuid;
    if (nvml != nullptr) {
        const GpuFixed fixed = nvml->fixed();
        out.driver = fixed.driver;
        out.powerLimitWatts = fixed.powerLimitWatts;
        out.pcieGeneration = fixed.pcieGeneration;
        out.pcieWidth = fixed.pcieWidth;
    }
    return out;
}

double widestLink(const GpuFixed& fixed)
{
    return pcieBytesPerSecond(fixed.pcieGenerationMost > 0 ? fixed.pcieGenerationMost : fixed.pcieGeneration,
                              fixed.pcieWidthMost > 0 ? fixed.pcieWidthMost : fixed.pcieWidth);
}

} // namespace

Result<DeviceFacts> readDeviceFacts(const Driver& driver, int index)
{
    DeviceFacts facts;
    facts.index = index;
    const std::string place = gpuTarget(index);
    if (const CuResult code = driver.deviceGet(&facts.handle, index); code != kCuSuccess)
        return callError(driver, code, "the GPU cannot be opened", place);
    std::array<char, 256> text{};
    if (const CuResult code = driver.deviceName(text.data(), static_cast<int>(text.size()), facts.handle);
        code != kCuSuccess)
        return callError(driver, code, "the GPU does not tell its name", place);
    facts.name = text.data();
    text.fill('\0');
    if (driver.devicePciBusId(text.data(), static_cast<int>(text.size()), facts.handle) == kCuSuccess)
        facts.pciBusId = text.data();
    CuUuid uuid{};
    if (driver.deviceUuid != nullptr && driver.deviceUuid(&uuid, facts.handle) == kCuSuccess)
        facts.uuid = uuidText(uuid);
    std::size_t bytes = 0;
    if (driver.deviceTotalMemory(&bytes, facts.handle) == kCuSuccess)
        facts.memoryBytes = bytes;
    driver.driverVersion(&facts.driverCudaVersion);

    const auto get = [&](DeviceAttribute which) { return attribute(driver, facts.handle, which); };
    facts.computeMajor = get(DeviceAttribute::ComputeMajor);
    facts.computeMinor = get(DeviceAttribute::ComputeMinor);
    facts.smCount = static_cast<std::uint32_t>(get(DeviceAttribute::SmCount));
    facts.l2Bytes = static_cast<std::uint64_t>(get(DeviceAttribute::L2Bytes));
    facts.clockHz = get(DeviceAttribute::ClockKiloHertz) * 1e3;
    facts.memoryClockHz = get(DeviceAttribute::MemoryClockKiloHertz) * 1e3;
    facts.memoryBusBits = static_cast<std::uint32_t>(get(DeviceAttribute::MemoryBusBits));
    facts.watchdog = get(DeviceAttribute::KernelTimeout) != 0;
    facts.computeMode = get(DeviceAttribute::ComputeMode);
    facts.ecc = get(DeviceAttribute::Ecc) != 0;
    readLimits(driver, facts);
    return facts;
}

std::optional<Error> obstacle(const DeviceFacts& facts)
{
    const std::string place = gpuTarget(facts.index);
    if (facts.computeMajor < 7)
        return Error{"target-unavailable",
                     facts.name + " has compute capability " + std::to_string(facts.computeMajor) + "." +
                         std::to_string(facts.computeMinor) + "; the kernels need 7.0 or newer",
                     place, "use a simulated chip (sim:<chip>)"};
    if (facts.computeMode == kComputeModeProhibited)
        return Error{"target-unavailable", facts.name + " is set to refuse compute work", place,
                     "allow it: nvidia-smi -i " + std::to_string(facts.index) + " -c DEFAULT"};
    return std::nullopt;
}

DeviceInfo describeDevice(const DeviceFacts& facts, const silicon::Chip* chip, const Nvml* nvml)
{
    DeviceInfo info;
    info.target = gpuTarget(facts.index);
    info.name = facts.name;
    info.chip = chip != nullptr ? chip->id : "";
    info.computeMajor = facts.computeMajor;
    info.computeMinor = facts.computeMinor;
    info.smCount = facts.smCount;
    info.globalBytes = facts.memoryBytes;
    info.l2Bytes = facts.l2Bytes;
    info.boostClockHz = facts.clockHz;
    if (chip != nullptr && chip->memoryBytesPerSecond.known())
        info.memoryBytesPerSecond = *chip->memoryBytesPerSecond.value;
    else // two transfers a clock: how drivers report the memory clock, whatever the kind of memory
        info.memoryBytesPerSecond = 2 * facts.memoryClockHz * facts.memoryBusBits / 8;
    // The link as it is wired: a laptop's may be narrower than its chip's. An idle one shows a lower generation.
    if (chip != nullptr && chip->pcie)
        info.hostLinkBytesPerSecond = chip->pcie->bytesPerSecond.valueOr(0);
    if (nvml != nullptr)
        if (const double wired = widestLink(nvml->fixed()); wired > 0)
            info.hostLinkBytesPerSecond = wired;
    info.provenance = Provenance::Measured;
    info.fingerprint = silicon::gpuFingerprint(fingerprintFacts(facts, nvml));
    return info;
}

} // namespace ridge::gpu::cuda
