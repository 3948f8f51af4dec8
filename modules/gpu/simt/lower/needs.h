// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/ptx/module.h"

#include <array>
#include <optional>
#include <string>

namespace ridge::gpu::simt {

/// What an instruction asks of a chip, by the PTX ISA's "Target ISA Notes" and what ptxas 13.0 accepts. Compute
/// capabilities are 10 * major + minor.
struct Need {
    std::string what;                   ///< as a learner may say it: "cp.async", "max.NaN", "%cluster_ctarank"
    int least = 0;                      ///< 0: every chip that is simulated (7.0) has it
    std::array<std::uint8_t, 3> only{}; ///< the capabilities that have it, where newer ones lack it; 0: no more

    bool metBy(int computeCapability) const;
    /// "cp.async needs compute capability 8.0 or newer, this chip has 7.5".
    std::string text(int computeCapability) const;
};

/// What an instruction needs that a chip lacks, the most demanding first; no value where the chip has all of it.
std::optional<Need> unmetNeed(const Instruction& instruction, int computeCapability);

} // namespace ridge::gpu::simt
