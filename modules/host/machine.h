// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_value.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ridge::host {

struct Cache {
    int level = 0;           ///< 1, 2, 3 …; of level 1 the data cache
    std::uint64_t bytes = 0; ///< of one
    int sharedBy = 1;        ///< processors that share one
};

/// What executes the target "cpu": this machine's processor, as far as this process may use it.
struct Machine {
    std::string name;            ///< "AMD EPYC 9654 96-Core Processor"
    std::vector<int> processors; ///< that this process may run on, as the system numbers them
    std::vector<Cache> caches;   ///< of the first of them, nearest first; empty where the system does not tell
    std::uint64_t memoryBytes = 0;
    std::uint64_t availableBytes = 0; ///< that can be taken without swapping; 0: not known
    std::string governor;             ///< of the clock: "performance", "powersave" …; empty: not known
    std::string vectors;              ///< "AVX-512", "AVX2", "baseline"
};

/// Where Linux tells about itself; a test points it elsewhere.
struct MachineFiles {
    std::filesystem::path cpuinfo = "/proc/cpuinfo";
    std::filesystem::path meminfo = "/proc/meminfo";
    std::filesystem::path cpus = "/sys/devices/system/cpu";
};

Machine machine(const MachineFiles& files = {});

/// {processor, processors, caches, memory_bytes, governor, vectors}: no name of host or user, no serial number.
Json describe(const Machine& machine);

} // namespace ridge::host
