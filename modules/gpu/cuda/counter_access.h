// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

namespace ridge::gpu::cuda {

enum class CounterAccess : int { Allowed, Forbidden, Unknown };

/// Where the driver and the kernel tell about permissions; a test points them elsewhere.
struct CounterFiles {
    std::filesystem::path driver = "/proc/driver/nvidia/params"; ///< "RmProfilingAdminOnly: 1"
    std::filesystem::path process = "/proc/self/status";         ///< "CapEff:" in hexadecimal digits
};

/// Whether this process may read the GPU's performance counters, as NVIDIA's page on ERR_NVGPUCTRPERM tells it: the
/// driver keeps them for administrators (RmProfilingAdminOnly), those with CAP_SYS_ADMIN, unless it was told not to.
/// Nothing is counted for it. Unknown where the driver does not say, as below WSL.
CounterAccess counterAccess(const CounterFiles& files = {});

/// "allowed", "forbidden", "unknown"
std::string toText(CounterAccess access);

/// What to change on this system so that counters can be read, for where they are forbidden.
std::string countersForbiddenFix();

} // namespace ridge::gpu::cuda
