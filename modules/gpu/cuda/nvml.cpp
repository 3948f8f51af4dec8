// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/nvml.h"

#include "gpu/cuda/library.h"

namespace ridge::gpu::cuda {

namespace {

using NvmlDevice = struct NvmlDeviceOpaque*;

/// nvmlProcessInfo_v2_t
struct ProcessInfo {
    unsigned pid;
    unsigned long long usedMemory;
    unsigned gpuInstance;
    unsigned computeInstance;
};

constexpr int kClockSm = 1;
constexpr int kClockMemory = 2;
constexpr int kTemperatureGpu = 0;

struct Entries {
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    int (*driverVersion)(char* text, unsigned length) = nullptr;
    int (*handleByPciBusId)(const char* id, NvmlDevice* device) = nullptr;
    int (*clock)(NvmlDevice device, int type, unsigned* megaHertz) = nullptr;
    int (*power)(NvmlDevice device, unsigned* milliWatts) = nullptr;
    int (*powerLimit)(NvmlDevice device, unsigned* milliWatts) = nullptr;
    int (*powerDefault)(NvmlDevice device, unsigned* milliWatts) = nullptr;
    int (*powerRange)(NvmlDevice device, unsigned* leastMilliWatts, unsigned* mostMilliWatts) = nullptr;
    int (*energy)(NvmlDevice device, unsigned long long* milliJoules) = nullptr;
    int (*temperature)(NvmlDevice device, int sensor, unsigned* celsius) = nullptr;
    int (*throttle)(NvmlDevice device, unsigned long long* reasons) = nullptr;
    int (*processes)(NvmlDevice device, unsigned* count, ProcessInfo* infos) = nullptr;
    int (*pcieGeneration)(NvmlDevice device, unsigned* generation) = nullptr;
    int (*pcieWidth)(NvmlDevice device, unsigned* width) = nullptr;
    int (*pcieGenerationMost)(NvmlDevice device, unsigned* generation) = nullptr;
    int (*pcieWidthMost)(NvmlDevice device, unsigned* width) = nullptr;
};

class NvmlLibrary final : public Nvml {
public:
    NvmlLibrary(const Entries& entries, NvmlDevice device) : m_entries(entries), m_device(device) {}
    ~NvmlLibrary() override { m_entries.shutdown(); }
    NvmlLibrary(const NvmlLibrary&) = delete;
    NvmlLibrary& operator=(const NvmlLibrary&) = delete;

    GpuFixed fixed() const override
    {
        GpuFixed out;
        char text[96] = {};
        if (m_entries.driverVersion != nullptr && m_entries.driverVersion(text, sizeof text) == 0)
            out.driver = text;
        out.powerLimitWatts = read(m_entries.powerLimit).value_or(0) / 1000.0;
        out.pcieGeneration = static_cast<int>(read(m_entries.pcieGeneration).value_or(0));
        out.pcieWidth = static_cast<int>(read(m_entries.pcieWidth).value_or(0));
        out.pcieGenerationMost = static_cast<int>(read(m_entries.pcieGenerationMost).value_or(0));
        out.pcieWidthMost = static_cast<int>(read(m_entries.pcieWidthMost).value_or(0));
        return out;
    }

    GpuState sample() const override
    {
        GpuState out;
        if (const auto value = readTyped(m_entries.clock, kClockSm))
            out.smClockHz = *value * 1e6;
        if (const auto value = readTyped(m_entries.clock, kClockMemory))
            out.memoryClockHz = *value * 1e6;
        if (const auto value = read(m_entries.power))
            out.watts = *value / 1000.0;
        if (const auto value = readTyped(m_entries.temperature, kTemperatureGpu))
            out.celsius = *value;
        unsigned long long milliJoules = 0;
        if (m_entries.energy != nullptr && m_entries.energy(m_device, &milliJoules) == 0)
            out.joules = static_cast<double>(milliJoules) / 1000;
        unsigned long long reasons = 0;
        if (m_entries.throttle != nullptr && m_entries.throttle(m_device, &reasons) == 0)
            out.throttleReasons = reasons;
        std::array<ProcessInfo, 64> infos{};
        auto count = static_cast<unsigned>(infos.size());
        if (m_entries.processes != nullptr && m_entries.processes(m_device, &count, infos.data()) == 0)
            for (unsigned i = 0; i < count && i < infos.size(); ++i)
                out.computeProcesses.push_back(infos[i].pid);
        return out;
    }

    PowerLimits powerLimits() const override
    {
        PowerLimits out;
        const auto inWatts = [](unsigned milliWatts) {
            return milliWatts > 0 ? std::optional<double>(milliWatts / 1000.0) : std::nullopt;
        };
        out.enforcedWatts = inWatts(static_cast<unsigned>(read(m_entries.powerLimit).value_or(0)));
        out.defaultWatts = inWatts(static_cast<unsigned>(read(m_entries.powerDefault).value_or(0)));
        unsigned least = 0, most = 0;
        if (m_entries.powerRange != nullptr && m_entries.powerRange(m_device, &least, &most) == 0) {
            out.leastWatts = inWatts(least);
            out.mostWatts = inWatts(most);
        }
        return out;
    }

private:
    std::optional<double> read(int (*entry)(NvmlDevice, unsigned*)) const
    {
        unsigned value = 0;
        if (entry == nullptr || entry(m_device, &value) != 0)
            return std::nullopt;
        return value;
    }

    std::optional<double> readTyped(int (*entry)(NvmlDevice, int, unsigned*), int type) const
    {
        unsigned value = 0;
        if (entry == nullptr || entry(m_device, type, &value) != 0)
            return std::nullopt;
        return value;
    }

    Entries m_entries;
    NvmlDevice m_device;
};

} // namespace

std::unique_ptr<Nvml> openNvml(const std::string& pciBusId)
{
    const Library library = openLibrary("RIDGE_LIBNVML", {"libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1"});
    if (library.handle == nullptr)
        return nullptr;
    Entries entries;
    if (!findEntry(library, "nvmlInit_v2", entries.init) || !findEntry(library, "nvmlShutdown", entries.shutdown) ||
        !findEntry(library, "nvmlDeviceGetHandleByPciBusId_v2", entries.handleByPciBusId))
        return nullptr;
    findEntry(library, "nvmlSystemGetDriverVersion", entries.driverVersion);
    findEntry(library, "nvmlDeviceGetClockInfo", entries.clock);
    findEntry(library, "nvmlDeviceGetPowerUsage", entries.power);
    findEntry(library, "nvmlDeviceGetEnforcedPowerLimit", entries.powerLimit);
    findEntry(library, "nvmlDeviceGetPowerManagementDefaultLimit", entries.powerDefault);
    findEntry(library, "nvmlDeviceGetPowerManagementLimitConstraints", entries.powerRange);
    findEntry(library, "nvmlDeviceGetTotalEnergyConsumption", entries.energy); // Volta and newer
    findEntry(library, "nvmlDeviceGetTemperature", entries.temperature);
    findEntry(library, "nvmlDeviceGetCurrentClocksThrottleReasons", entries.throttle);
    findEntry(library, "nvmlDeviceGetCurrPcieLinkGeneration", entries.pcieGeneration);
    findEntry(library, "nvmlDeviceGetCurrPcieLinkWidth", entries.pcieWidth);
    findEntry(library, "nvmlDeviceGetMaxPcieLinkGeneration", entries.pcieGenerationMost);
    findEntry(library, "nvmlDeviceGetMaxPcieLinkWidth", entries.pcieWidthMost);
    if (!findEntry(library, "nvmlDeviceGetComputeRunningProcesses_v3", entries.processes))
        findEntry(library, "nvmlDeviceGetComputeRunningProcesses_v2", entries.processes);
    if (entries.init() != 0)
        return nullptr;
    NvmlDevice device = nullptr;
    if (entries.handleByPciBusId(pciBusId.c_str(), &device) != 0) {
        entries.shutdown();
        return nullptr;
    }
    return std::make_unique<NvmlLibrary>(entries, device);
}

} // namespace ridge::gpu::cuda
