// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/worker/telemetry.h"

#include "base/json.h"
#include "base/target_kind.h"
#include "gpu/cuda/device_facts.h"
#include "gpu/cuda/driver_errors.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <poll.h>
#include <unistd.h>

namespace ridge::labs {
namespace {

using namespace gpu::cuda;

Result<std::unique_ptr<Nvml>> openMonitor(const std::string& target)
{
    int index = -1;
    const auto parsed = parseTarget(target);
    const std::string number = parsed && isLocal(target) && parsed->kind->measuresKernels() ? parsed->name : "";
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), index);
    if (error != std::errc{} || end != number.data() + number.size() || index < 0)
        return Error{"unknown-target", "'" + target + "' is no GPU", "", "write for example gpu:0"};
    const auto driver = initialisedDriver();
    if (!driver.ok())
        return driver.error();
    int count = 0;
    if ((*driver)->deviceCount(&count) != kCuSuccess || index >= count)
        return Error{"unknown-target", "this machine has no " + target, "",
                     "choose one of those that ridge-worker targets lists"};
    const auto facts = readDeviceFacts(**driver, index);
    if (!facts.ok())
        return facts.error();
    std::unique_ptr<Nvml> nvml = openNvml(facts->pciBusId);
    if (!nvml)
        return Error{"no-nvml", "NVML (libnvidia-ml.so.1) is not there or does not know " + facts->name, target,
                     "install the driver's utilities; nothing else needs them"};
    return nvml;
}

Json lineOf(const std::string& target, const Nvml& nvml, double limitWatts)
{
    const GpuState state = nvml.sample();
    Json line{{"target", target}};
    const auto put = [&line](const char* name, const std::optional<double>& value) {
        if (value)
            line[name] = *value;
    };
    put("watts", state.watts);
    put("celsius", state.celsius);
    put("sm_clock_hz", state.smClockHz);
    put("memory_clock_hz", state.memoryClockHz);
    if (limitWatts > 0)
        line["power_limit_watts"] = limitWatts;
    constexpr std::array<std::pair<std::uint64_t, const char*>, 4> reasons = {{{kThrottlePowerCap, "power limit"},
                                                                               {kThrottleThermal, "temperature"},
                                                                               {kThrottleHardware, "hardware"},
                                                                               {kThrottlePowerBrake, "power brake"}}};
    for (const auto& [bits, name] : reasons)
        if ((state.throttleReasons & bits) != 0)
            line["lowered_by"].push_back(name);
    return line;
}

/// Waits for the next turn. False: standard input has ended, and with it who wants to know.
bool stillWanted(int periodMs)
{
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(periodMs);
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
        if (left <= 0)
            return true;
        pollfd input{STDIN_FILENO, POLLIN, 0};
        const int ready = poll(&input, 1, static_cast<int>(left));
        if (ready == 0)
            return true;
        if (ready < 0 && errno != EINTR)
            return false;
        std::array<char, 256> ignored{};
        if (ready > 0 && read(STDIN_FILENO, ignored.data(), ignored.size()) <= 0)
            return false;
    }
}

} // namespace

int telemetry(const std::string& target, int periodMs)
{
    std::signal(SIGPIPE, SIG_IGN);
    const auto nvml = openMonitor(target);
    if (!nvml.ok()) {
        std::fprintf(stderr, "%s\n", toJson(nvml.error()).dump().c_str());
        return 1;
    }
    const double limit = (*nvml)->fixed().powerLimitWatts;
    do {
        const std::string line = lineOf(target, **nvml, limit).dump() + "\n";
        if (std::fputs(line.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
            return 0;
    } while (stillWanted(periodMs));
    return 0;
}

} // namespace ridge::labs
