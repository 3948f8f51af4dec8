// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "base/trace.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ridge {

/// Values of the 32 lanes of a warp, kept in StepTrace::words: most are equal or grow by a fixed amount. A word has 32
/// bits; a wide value is two of them, the lower first.
struct LaneWords {
    enum class Kind : std::uint8_t {
        Uniform,  ///< a wide value: every lane has it
        Affine,   ///< two wide values: lane * second + first, modulo 2^64
        List,     ///< a word for each lane of the step's mask, lowest lane first
        WideList, ///< a wide value for each of them
    };
    Kind kind = Kind::Uniform;
    std::uint32_t first = 0; ///< index into StepTrace::words
    bool operator==(const LaneWords&) const = default;
};

/// A PTX instruction of the kernel, or of a function at one of the places where it is inlined.
struct StepInstruction {
    /// What it does to the calls that its lanes are in. A function that the simulator inlines has no such instructions:
    /// there `inlined` tells the depth.
    enum class Flow : std::uint8_t { Plain, Call, Return };
    std::string text; ///< as it stands in the PTX, with its guard
    std::uint32_t ptxLine = 0;
    std::uint32_t sourceLine = 0; ///< 0: of none
    bool isBarrier = false;       ///< of the block: bar.sync and its like
    Flow flow = Flow::Plain;
    std::uint16_t inlined = 0;  ///< calls around it that were inlined, within the function that was really called
    std::uint32_t function = 0; ///< index into StepTrace::functions
    bool operator==(const StepInstruction&) const = default;
};

/// Line of the source; of the PTX where that is the source.
inline std::uint32_t lineOf(const StepInstruction& instruction)
{
    return instruction.sourceLine != 0 ? instruction.sourceLine : instruction.ptxLine;
}

struct StepRegister {
    std::string name;       ///< "%r4"
    std::uint8_t bytes = 4; ///< 2, 4 or 8; 0: a predicate
    bool isFloat = false;   ///< declared as .f32 or .f64
    bool operator==(const StepRegister&) const = default;
};

/// A register as an instruction left it, in the lanes of the step's `executed`.
struct StepWrite {
    std::uint32_t reg = 0; ///< index into StepTrace::registers
    LaneWords values;
    bool operator==(const StepWrite&) const = default;
};

struct StepAccess {
    enum class Space : std::uint8_t { Global, Shared, Local };
    enum class Kind : std::uint8_t { Load, Store, Atomic };
    Space space = Space::Global;
    Kind kind = Kind::Load;
    std::uint8_t bytes = 4;   ///< a lane
    std::uint16_t passes = 0; ///< shared: wavefronts; global: sectors of 32 bytes; local: 0
    std::uint16_t least = 0;  ///< what `passes` would be at best for these bytes; 0: not known
    LaneWords addresses;      ///< shared: offset in the block's shared memory
    std::vector<LaneWords>
        after; ///< shared, store or atomic: what each 4 bytes of a lane hold afterwards (fewer bytes: one)
    bool operator==(const StepAccess&) const = default;
};

/// One instruction executed by one warp.
struct TracedStep {
    std::uint16_t warp = 0;         ///< in the block
    std::uint32_t instruction = 0;  ///< index into StepTrace::code
    std::uint32_t active = 0;       ///< lanes that came to it together
    std::uint32_t executed = 0;     ///< those whose guard is true
    std::uint32_t live = 0;         ///< lanes of the warp that have not exited
    std::uint32_t firstWrite = 0;   ///< of StepTrace::writes; the next step's is one past the last
    std::uint32_t access = kNoStep; ///< index into StepTrace::accesses; kNoStep: none
    static constexpr std::uint32_t kNoStep = ~std::uint32_t{0};
    bool operator==(const TracedStep&) const = default;
};

/// What one block of a launch did, instruction by instruction, in the order in which the simulator's functional
/// execution took them: a warp goes on until it waits or its turn is over. That is one of the orders that a GPU may
/// take, not the order in time. A bar.red is two steps of each warp: it arrives, and later has its result, in an
/// instruction of its own that is no barrier.
struct StepTrace {
    std::string kernel;
    std::array<std::uint32_t, 3> block{};    ///< index of the block, zero-based
    std::array<std::uint32_t, 3> blockDim{}; ///< threads
    std::array<std::uint32_t, 3> gridDim{};  ///< blocks
    std::uint32_t sharedBytes = 0;
    bool isCut = false; ///< there was more than was asked for, or than is kept
    std::vector<StepInstruction> code;
    std::vector<std::string> functions; ///< names as C++ says them
    std::vector<StepRegister> registers;
    std::vector<TraceBuffer> buffers; ///< live allocations in device memory
    std::vector<TracedStep> steps;
    std::vector<StepWrite> writes;
    std::vector<StepAccess> accesses;
    std::vector<std::uint32_t> words;
    bool operator==(const StepTrace&) const = default;

    std::uint32_t warps() const { return (blockDim[0] * blockDim[1] * blockDim[2] + 31) / 32; }
    /// One past the last write of a step.
    std::uint32_t endWrite(std::size_t step) const
    {
        return step + 1 < steps.size() ? steps[step + 1].firstWrite : static_cast<std::uint32_t>(writes.size());
    }
    /// The value of `lane`, which is one of `mask`.
    std::uint64_t word(const LaneWords& values, std::uint32_t mask, std::uint32_t lane) const;

    static constexpr std::size_t kMostSteps = 1'000'000;
    static constexpr std::size_t kMostWords = 24'000'000; ///< 96 MB: 32 floats of their own in 3 of 4 steps
    static constexpr std::size_t kMostWrites = 4'000'000;
    static constexpr std::size_t kMostSharedWords = 16'000'000; ///< stored by lanes: what a reader's index grows with
    static constexpr std::size_t kMostBytes = 192u << 20;       ///< a larger one is refused
    /// Calls that a lane is in at a time. A simulated thread's stack of 16 KiB holds 1024 frames.
    static constexpr std::size_t kMostCalls = 4096;
    static constexpr std::uint32_t kMostDepth = 65535; ///< of calls, with those that were inlined
};

std::string encodeStepTrace(const StepTrace& trace);
/// Errors: "bad-trace", "newer-trace". Every index of what comes back is in range.
Result<StepTrace> decodeStepTrace(std::string_view bytes);

} // namespace ridge
