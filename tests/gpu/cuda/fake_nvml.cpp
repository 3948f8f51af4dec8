// SPDX-License-Identifier: GPL-3.0-or-later
// A stand-in for libnvidia-ml. $RIDGE_FAKE_NVML: init, clock (MHz), reasons (throttle bits), others (processes), energy
// (watts of the counter of energy; 0: this GPU has none), limit (W, enforced), default, least, most (W; 0: this GPU
// does not say).
#include "fake_settings.h"

#include <chrono>
#include <cstring>

namespace {

double setting(const char* key, double fallback = 0)
{
    return fakeSetting("RIDGE_FAKE_NVML", key, fallback);
}

struct ProcessInfo {
    unsigned pid;
    unsigned long long usedMemory;
    unsigned gpuInstance;
    unsigned computeInstance;
};

} // namespace

#define FAKE extern "C" __attribute__((visibility("default")))

FAKE int nvmlInit_v2()
{
    return static_cast<int>(setting("init"));
}

FAKE int nvmlShutdown()
{
    return 0;
}

FAKE int nvmlSystemGetDriverVersion(char* text, unsigned length)
{
    std::strncpy(text, "580.159.04", length);
    return 0;
}

FAKE int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** device)
{
    *device = device;
    return std::strcmp(id, "0000:01:00.0") == 0 ? 0 : 6;
}

FAKE int nvmlDeviceGetClockInfo(void*, int type, unsigned* megaHertz)
{
    *megaHertz = type == 1 ? static_cast<unsigned>(setting("clock", 1980)) : 3201;
    return 0;
}

FAKE int nvmlDeviceGetPowerUsage(void*, unsigned* milliWatts)
{
    *milliWatts = 350000;
    return 0;
}

FAKE int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* milliJoules)
{
    const double watts = setting("energy", 350);
    const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
    *milliJoules = static_cast<unsigned long long>(watts * now.count() * 1000);
    return watts > 0 ? 0 : 3;
}

FAKE int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliWatts)
{
    *milliWatts = static_cast<unsigned>(1000 * setting("limit", 700));
    return 0;
}

FAKE int nvmlDeviceGetPowerManagementDefaultLimit(void*, unsigned* milliWatts)
{
    *milliWatts = static_cast<unsigned>(1000 * setting("default", 700));
    return *milliWatts > 0 ? 0 : 3;
}

FAKE int nvmlDeviceGetPowerManagementLimitConstraints(void*, unsigned* least, unsigned* most)
{
    *least = static_cast<unsigned>(1000 * setting("least", 200));
    *most = static_cast<unsigned>(1000 * setting("most", 700));
    return *least > 0 ? 0 : 3;
}

FAKE int nvmlDeviceGetTemperature(void*, int, unsigned* celsius)
{
    *celsius = 40;
    return 0;
}

FAKE int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons)
{
    *reasons = static_cast<unsigned long long>(setting("reasons"));
    return 0;
}

FAKE int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, ProcessInfo* infos)
{
    const auto others = static_cast<unsigned>(setting("others"));
    for (unsigned i = 0; i < others && i < *count; ++i)
        infos[i] = {1000 + i, 0, 0, 0};
    *count = others;
    return 0;
}
