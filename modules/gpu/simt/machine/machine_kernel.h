// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ridge::gpu::simt {

/// Execution pipes of an SM sub-core or of the SM, with the names Nsight Compute gives them.
enum class Pipe : std::uint8_t {
    Alu,  ///< integer add, logic, shift, compare, select, min, max
    Fma,  ///< fp32 add, multiply, fma; integer multiply-add
    Half, ///< packed and scalar fp16, bf16
    Fp64,
    Xu,       ///< MUFU, conversions, popc, flo: a quarter of the rate
    Uniform,  ///< once for a warp, uniform registers
    Branch,   ///< branches, exit, calls, reconvergence
    Lsu,      ///< global, local, generic, async copy from global
    Shared,   ///< shared-memory loads, stores, ldmatrix; through the MIO
    Shuffle,  ///< SHFL, MATCH, REDUX, vote where it goes through the MIO
    Constant, ///< indexed constant loads
    Tensor,   ///< HMMA, IMMA, DMMA, wgmma
    Barrier,  ///< BAR, mbarrier, cluster barrier
    Fence,    ///< MEMBAR, fence
    Copy,     ///< bulk copies (TMA)
    Special,  ///< S2R, CS2R, clock
    None,     ///< issue slot only: NOP, DEPBAR, nanosleep
};
inline constexpr std::size_t kPipes = static_cast<std::size_t>(Pipe::None) + 1;

/// What decides how long a result takes. Chip files give cycles for each (assets/chips/timing).
enum class LatencyClass : std::uint8_t {
    Alu,
    Fma,
    Imad,
    Half,
    Fp64,
    Mufu,
    Convert,
    Popc,
    Uniform,
    Branch,
    Shuffle,
    Vote,
    Redux,
    Match,
    Special,
    Constant,
    SharedLoad,
    SharedStore,
    SharedAtomic,
    GlobalLoad,
    GlobalStore,
    GlobalAtomic,
    LocalLoad,
    LocalStore,
    MmaF16,
    MmaTf32,
    MmaF64,
    MmaInt8,
    MmaFp8,
    Wgmma,
    LdMatrix,
    AsyncCopy,
    BulkCopy,
    Barrier,
    Fence,
    None,
};
inline constexpr std::size_t kLatencyClasses = static_cast<std::size_t>(LatencyClass::None) + 1;

/// True where the compiler must count cycles; false where it must set a counter barrier and wait for it.
/// (Huerta et al., MICRO 2025: fixed latencies have no interlock, variable ones use six counters a warp.)
bool isFixedLatency(LatencyClass latency);

inline constexpr std::uint16_t kNoRegister = 0xffff;
inline constexpr std::uint8_t kNoCounter = 0xff;
inline constexpr std::uint32_t kNoMicroOp = 0xffffffff;

/// A contiguous range of 32-bit registers of one operand: first and count.
struct RegisterRange {
    std::uint16_t first = kNoRegister;
    std::uint8_t count = 0;
    bool uniform = false;
};

/// For which lanes an instruction is there.
enum class WarpPart : std::uint8_t {
    All,     ///< those that are active
    One,     ///< an atomic that one lane does for all of them
    Full,    ///< left out where a lane of the warp is missing; an atomic: by one lane for all
    Partial, ///< does nothing where none is missing
};

/// One machine-like instruction, as a mini-ptxas makes it from PTX.
struct MachineOp {
    std::uint16_t mnemonic = 0; ///< index into MachineKernel::mnemonics: "FFMA", "LDG.E.128", "IMAD.WIDE"
    Pipe pipe = Pipe::None;
    LatencyClass latency = LatencyClass::None;
    RegisterRange destination;
    std::array<RegisterRange, 4> sources{}; ///< the last of them may be address or predicate
    std::uint8_t stall = 1;                 ///< cycles until this warp may issue again, at least 1
    std::uint8_t waitMask = 0;              ///< counters 0..5 that must be zero before issue
    std::uint8_t writeCounter = kNoCounter; ///< counter decremented when the result is written
    std::uint8_t readCounter = kNoCounter;  ///< counter decremented when the sources have been read
    WarpPart part = WarpPart::All;
    std::uint8_t repeat = 1; ///< issue slots of the pipe it takes relative to one plain instruction of the class
    std::uint32_t microOp = kNoMicroOp; ///< memory, barrier and tensor instructions: the micro-op they time
    std::uint32_t covers = kNoMicroOp;  ///< a micro-op whose place (PTX line, source line) this instruction has
};

/// The machine instructions of KernelImage::blocks[i].
struct MachineBlock {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
};

/// A kernel as timing runs it. Functional execution keeps using the KernelImage; a visit of one of its basic blocks is
/// a visit of the block with the same index here.
struct MachineKernel {
    std::vector<MachineOp> ops;
    std::vector<MachineBlock> blocks;
    std::vector<std::string> mnemonics;
    std::uint32_t registers = 0;        ///< a thread, estimated as ptxas would allocate
    std::uint32_t uniformRegisters = 0; ///< a warp
    std::uint32_t maxLive = 0; ///< most 32-bit values live at once in program order: what a schedule starts from
    std::uint32_t spillBytes = 0;
    /// Instructions the program holds: those above, slow paths that a run normally does not enter, routines once.
    std::uint32_t staticInstructions = 0;
    bool registersExact = false; ///< true where the number was shipped with the kernel rather than estimated
};

/// Cycles of each fixed latency class, and of the issue rules that the static scheduler must respect.
struct ScheduleLatencies {
    std::array<std::uint8_t, kLatencyClasses> cycles{};
    std::array<std::uint8_t, kLatencyClasses> busy{}; ///< cycles that an instruction keeps its pipe; 0 counts as 1
};

} // namespace ridge::gpu::simt
