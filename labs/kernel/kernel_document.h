// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"
#include "gpu/simt/machine/listing.h"
#include "labs/kernel/kernel_source.h"

namespace ridge::labs {

/// What a kernel asks of an SM.
struct KernelFacts {
    std::uint32_t registers = 0;   ///< a thread
    bool registersExact = false;   ///< a compiler's number rather than an estimate from PTX
    std::uint32_t sharedBytes = 0; ///< a block, static
    std::uint32_t dynamicBase = 0; ///< where dynamic shared memory starts
    std::uint32_t localBytes = 0;  ///< a thread
    gpu::simt::ResourceUse use;    ///< of the machine instructions
    std::vector<gpu::simt::ListedLine> listing;
};

/// Facts of each kernel of a program, by name in PTX, with the registers that lowering for compute capability
/// sm / 10 . sm % 10 needs; why there are none where the simulator does not run the kernel. Empty where the PTX has no
/// kernel that can be read.
std::map<std::string, Result<KernelFacts>> factsOf(const gpu::Program& program, int sm);

/// {"inst_executed": {value, unit}, …}: gpu::Counters with the names of docs/counters.md.
Json countersToJson(const gpu::Counters& counters);

/// Variables that the program's debug information finds in registers: [{name, function, type, kind, bytes, line,
/// places: [[first line of the PTX, one past its last, "%f1"]]}]; empty where it has none.
Json variablesToJson(const gpu::Program& program);

/// {theoretical, achieved, blocks_per_sm, warps_per_sm, limiters, registers_per_thread, registers_exact,
/// shared_bytes_per_block}; null where chip or kernel are not known well enough.
Json occupancyToJson(const gpu::DeviceInfo& device, const std::optional<KernelFacts>& facts, const gpu::Launch& launch);

/// Puts what the timing model says into the document of a run: cycles, time_s, the achieved occupancy, its counters,
/// stalls, per_line, and a "timing" object with chip, confidence, assumptions and extrapolation.
void addTiming(Json& document, const gpu::TimingReport& timing, const KernelText& source);

/// Fills in the lines' own text from the source of the kernel (not of PTX).
void addSourceText(std::vector<gpu::Report>& reports, const KernelText& source);

} // namespace ridge::labs
