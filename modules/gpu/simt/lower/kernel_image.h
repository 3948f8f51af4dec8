// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/trace.h"
#include "gpu/simt/lanes/lanes.h"

#include <array>
#include <string>
#include <vector>

namespace ridge::gpu::simt {

/// Where the generic address space shows a block's shared memory and a thread's local memory.
inline constexpr std::uint64_t kSharedWindow = 0x7f00'0000'0000u;
inline constexpr std::uint64_t kLocalWindow = 0x7e00'0000'0000u;
inline constexpr std::uint64_t kWindowBytes = 0x0100'0000'0000u;

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

enum class AtomicOp : std::uint8_t { Add, Min, Max, And, Or, Xor, Inc, Dec, Exch, Cas };

/// What a load, store or atomic does, beyond its MicroOp (a: address plane, imm: offset).
struct MemoryDetail {
    Space space = Space::Global;
    MemoryOp op = MemoryOp::Load;
    ScalarType type = ScalarType::B32;
    std::uint8_t elementBytes = 4;
    std::uint8_t registerBytes = 4;
    std::uint8_t count = 1; ///< elements a lane: 1, 2 or 4
    bool wideAddress = true;
    bool observesOthers = false; ///< may be waiting for another thread: volatile, acquire, relaxed, cas, exch
    AtomicOp atomic = AtomicOp::Add;
    std::array<std::uint32_t, 4> data{kNone, kNone, kNone, kNone}; ///< planes read or written; atomics: the result
    std::uint32_t operandB = kNone;                                ///< atomics
    std::uint32_t operandC = kNone;                                ///< cas
};

/// A plane whose content does not come from an instruction.
struct PlaneFill {
    enum class Kind : std::uint8_t {
        Constant,
        Word,
        Param,
        Tid,
        CtaId,
        Ntid,
        NctaId,
        LaneId,
        WarpId,
        NwarpId,
        SmId,
        NsmId,
        GridId,
        LaneMaskEq,
        LaneMaskLe,
        LaneMaskLt,
        LaneMaskGe,
        LaneMaskGt,
        TotalShared,
        DynamicShared,
        DynamicBase,
    };
    Kind kind = Kind::Constant;
    std::uint8_t axis = 0;
    std::uint8_t bytes = 4; ///< of a register
    std::uint32_t offset = 0;
    std::uint64_t value = 0; ///< Constant, Word: bits; DynamicBase: distance past it; Param: offset in the block
    std::uint8_t paramBytes = 4;
    bool paramSigned = false;
};

enum class EndKind : std::uint8_t { Fall, Branch, Table, Exit, Trap, Barrier };
enum class BarrierKind : std::uint8_t { Sync, Arrive, ReducePopc, ReduceAnd, ReduceOr };

/// Straight-line code. Its last micro-op is the terminator unless it just falls into `next`.
struct BasicBlock {
    std::uint32_t first = 0;
    std::uint32_t end = 0; ///< one past the last micro-op before the terminator
    EndKind kind = EndKind::Fall;
    std::uint32_t next = kNone;   ///< micro-op where lanes that do not branch go on
    std::uint32_t target = kNone; ///< Branch: micro-op; Table: index of the table
    std::uint32_t counted = 0;    ///< PTX instructions in the block
};

struct OpPlace {
    std::uint32_t ptxLine = 0;
    std::uint32_t sourceLine = 0;
    std::uint32_t text = 0;          ///< index into KernelImage::texts
    std::uint32_t block = 0;         ///< basic block
    std::uint32_t countedBefore = 0; ///< PTX instructions of the block before this micro-op
};

/// A plane that an instruction names. Planes that only an instruction's own micro-ops pass on are not listed.
struct PlaneUse {
    enum class Role : std::uint8_t {
        Source,
        Destination,
        Address,
        Passed, ///< a function's formal parameter: written by copies that name nothing
    };
    std::uint32_t plane = 0;
    Role role = Role::Source;
};

/// One operand of a PTX instruction as lowering resolved it. Vectors, pairs and lists are a marker followed by their
/// `count` parts, so that operands of an instruction lie flat in PTX order.
struct PtxOperand {
    enum class Kind : std::uint8_t {
        None,      ///< a sink, or something only this instruction understands
        Register,  ///< `plane`; bytes 0: a predicate
        Immediate, ///< `value` holds the bits
        Special,   ///< a special register: `special`, `axis`
        Symbol,    ///< the address of a variable: `space`, `value`; or of a parameter
        Memory,    ///< [plane + value], or [symbol + value] where plane is kNone
        Group,     ///< `count` operands follow
    };
    Kind kind = Kind::None;
    std::uint8_t bytes = 0;
    std::uint8_t count = 0;
    std::uint8_t axis = 0;
    bool negated = false;
    Space space = Space::Generic;
    PlaneFill::Kind special = PlaneFill::Kind::Constant;
    std::uint32_t plane = kNone;
    std::uint64_t value = 0;
};

/// What machine/ needs of a PTX instruction: its text names opcode and modifiers, operands are resolved through inlined
/// calls, so that planes are virtual registers.
struct PtxRecord {
    std::uint32_t text = 0; ///< index into KernelImage::texts
    std::uint32_t firstOperand = 0;
    std::uint32_t operandCount = 0;
    std::uint32_t guard = kNone; ///< plane; kNone: none
    bool guardNegated = false;
};

struct KernelParam {
    std::string name;
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;
};

/// One kernel, ready to run. Micro-ops lie in an order in which every forward edge of the control flow leads to a
/// higher index and loops are contiguous (lower/layout.h), so that running the lowest index first makes lanes meet
/// again at the post-dominator of the branch that parted them, or sooner.
struct KernelImage {
    std::string name;
    std::vector<MicroOp> ops;
    std::vector<OpPlace> places; ///< one per micro-op
    std::vector<std::string> texts;
    std::vector<PtxRecord> records;
    std::vector<PtxOperand> operands;    ///< of all records
    std::vector<std::uint32_t> recordOf; ///< of each micro-op: its record, or kNone for what no instruction stands for
    std::vector<BasicBlock> blocks;
    std::vector<std::vector<std::uint32_t>> tables; ///< brx.idx: micro-ops
    std::vector<MemoryDetail> memory;
    std::vector<PlaneFill> fills;
    std::vector<KernelParam> params;
    std::vector<std::vector<PlaneUse>> statements; ///< what each PTX instruction names, but for its guard
    std::vector<std::uint32_t> statementOf;        ///< of each micro-op; kNone: of none
    std::uint32_t paramBytes = 0;
    std::uint32_t registerBytes = 0; ///< of one warp's file
    std::uint32_t registerCount = 0; ///< PTX registers used, for the launch check's message only
    std::uint32_t staticSharedBytes = 0;
    std::uint32_t dynamicSharedBase = 0; ///< where .extern .shared starts
    std::uint32_t localBytes = 0;        ///< of one thread
    std::array<std::uint32_t, 3> requiredThreads{};
    std::array<std::uint32_t, 3> maximumThreads{};
    std::uint32_t maximumRegisters = 0; ///< .maxnreg; 0: none
    std::uint32_t minimumBlocks = 0;    ///< .minnctapersm, blocks that one SM must hold; 0: none
};

} // namespace ridge::gpu::simt
