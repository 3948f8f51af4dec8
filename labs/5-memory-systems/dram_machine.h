// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "memory/dram.h"

namespace ridge::silicon {
struct Machine;
}

namespace ridge::labs {

struct DramMachine {
    memory::DramSpec spec;
    memory::RefreshMode refresh = memory::RefreshMode::AllBank; ///< what its standard's controllers usually do
};

/// The memory that a machine of the engine "dram" describes. Errors: "bad-machine", "bad-dram".
Result<DramMachine> dramOf(const silicon::Machine& machine);

} // namespace ridge::labs
