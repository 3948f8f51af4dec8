// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/gpu_card.h"

#include "base/json.h"
#include "gpu/cuda/device_facts.h"
#include "gpu/cuda/driver_errors.h"

namespace ridge::gpu::cuda {

namespace {

void addPower(Json& card, const PowerLimits& limits)
{
    const auto add = [&card](const char* key, const std::optional<double>& watts) {
        if (watts)
            card[key] = *watts;
    };
    add("power_limit_w", limits.enforcedWatts);
    add("power_limit_default_w", limits.defaultWatts);
    add("power_limit_min_w", limits.leastWatts);
    add("power_limit_max_w", limits.mostWatts);
}

} // namespace

JsonValue gpuCard(int index, const CounterFiles& files)
{
    const Result<std::shared_ptr<const Driver>> driver = initialisedDriver();
    if (!driver.ok())
        return {};
    const Result<DeviceFacts> facts = readDeviceFacts(**driver, index);
    if (!facts.ok())
        return {};
    Json card{{"compute_capability", std::to_string(facts->computeMajor) + "." + std::to_string(facts->computeMinor)},
              {"cuda", cudaVersionText(facts->driverCudaVersion)}};
    if (facts->memoryBytes > 0)
        card["memory_bytes"] = facts->memoryBytes;
    if (const std::unique_ptr<Nvml> nvml = openNvml(facts->pciBusId)) {
        if (const std::string version = nvml->fixed().driver; !version.empty())
            card["driver"] = version;
        addPower(card, nvml->powerLimits());
    }
    const CounterAccess access = counterAccess(files);
    card["counters"] = toText(access);
    if (access == CounterAccess::Forbidden)
        card["counters_fix"] = countersForbiddenFix();
    return card;
}

} // namespace ridge::gpu::cuda
