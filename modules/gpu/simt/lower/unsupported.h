// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ridge::gpu::simt {

/// Thrown while one instruction is lowered; the kernel goes on, so that all of them are reported at once.
struct Unsupported {
    std::string reason; ///< empty: the instruction as such
};

/// One refused instruction.
struct Refusal {
    std::string kernel;
    std::string instruction;
    std::string reason;
    std::uint32_t ptxLine = 0;
    std::uint32_t sourceLine = 0;
    bool lacking = false; ///< by the chip; otherwise by the simulator
    auto operator<=>(const Refusal&) const = default;
};

/// "unsupported-instruction": all refusals of a kernel, each once.
Error refusalError(const std::string& kernel, std::vector<Refusal> refusals);

} // namespace ridge::gpu::simt
