// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/failure/interruptions.h"

#include <array>

namespace ridge::cluster {

std::span<const Interruption> llama3Interruptions()
{
    static constexpr std::array<Interruption, 18> table{{
        {"faulty_gpu", "Faulty GPU", 148, true, 0.301},
        {"hbm3", "HBM3 memory", 72, true, 0.172},
        {"software", "Software bug", 54, false, 0},
        {"network", "Network switch or cable", 35, false, 0},
        {"maintenance", "Host maintenance", 32, false, 0},
        {"gpu_sram", "GPU SRAM", 19, true, 0},
        {"gpu_processor", "GPU system processor", 17, true, 0},
        {"nic", "Network card", 7, false, 0},
        {"nccl_watchdog", "NCCL watchdog timeout", 7, false, 0},
        {"silent", "Silent data corruption", 6, true, 0},
        {"thermal", "GPU thermal interface and sensor", 6, true, 0},
        {"ssd", "SSD", 3, false, 0},
        {"power", "Power supply", 3, false, 0},
        {"chassis", "Server chassis", 2, false, 0},
        {"io_board", "IO expansion board", 2, false, 0},
        {"dependency", "Dependency", 2, false, 0},
        {"cpu", "CPU", 2, false, 0},
        {"memory", "System memory", 2, false, 0},
    }};
    return table;
}

} // namespace ridge::cluster
