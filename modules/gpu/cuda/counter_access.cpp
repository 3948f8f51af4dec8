// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/counter_access.h"

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <optional>

namespace ridge::gpu::cuda {

namespace {

constexpr unsigned kCapSysAdmin = 21; // linux/capability.h

/// The number after "key:"; no value where there is no such line.
std::optional<std::uint64_t> numberAfter(const std::filesystem::path& file, const std::string& key, int base)
{
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
        if (line.starts_with(key + ":")) {
            const char* text = line.c_str() + key.size() + 1;
            char* end = nullptr;
            const std::uint64_t value = std::strtoull(text, &end, base);
            return end != text ? std::optional<std::uint64_t>(value) : std::nullopt;
        }
    return std::nullopt;
}

} // namespace

CounterAccess counterAccess(const CounterFiles& files)
{
    const auto adminsOnly = numberAfter(files.driver, "RmProfilingAdminOnly", 10);
    if (!adminsOnly)
        return CounterAccess::Unknown;
    if (*adminsOnly == 0)
        return CounterAccess::Allowed;
    const auto capabilities = numberAfter(files.process, "CapEff", 16);
    if (!capabilities)
        return CounterAccess::Unknown;
    return (*capabilities >> kCapSysAdmin & 1) != 0 ? CounterAccess::Allowed : CounterAccess::Forbidden;
}

std::string toText(CounterAccess access)
{
    switch (access) {
    case CounterAccess::Allowed:
        return "allowed";
    case CounterAccess::Forbidden:
        return "forbidden";
    case CounterAccess::Unknown:
        return "unknown";
    }
    return "";
}

std::string countersForbiddenFix()
{
    return "Linux: as root, write 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' into "
           "/etc/modprobe.d/ridge-counters.conf and restart (in a container: start it with --cap-add=SYS_ADMIN on such "
           "a host). Windows and WSL: NVIDIA Control Panel, Developer, Manage GPU Performance Counters, allow all "
           "users. A rented machine may not let you; the counters of sim:<chip> need no permission";
}

} // namespace ridge::gpu::cuda
