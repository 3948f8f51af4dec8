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
inline constexpr std::uint64_t kParamWindow = 0x7d00'0000'0000u; ///< a launch's parameters
inline constexpr std::uint64_t kWindowBytes = 0x0100'0000'0000u;

/// Addresses of shared memory count from 0 in the block itself. Those that name a block of the cluster, which is what
/// variables have in a cluster of several blocks, carry a tag of its rank above the offset (kFirstTag, run/cluster.h).
inline constexpr unsigned kRankShift = 24;
inline constexpr std::uint64_t kRankOffset = (std::uint64_t{1} << kRankShift) - 1;

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

enum class AtomicOp : std::uint8_t { Add, Min, Max, And, Or, Xor, Inc, Dec, Exch, Cas };

/// What a load, store or atomic does, beyond its MicroOp (a: address plane, imm: offset).
struct MemoryDetail {
    Space space = Space::Global;
    MemoryOp op = MemoryOp::Load;
    ScalarType type = ScalarType::B32;
    std::uint8_t elementBytes = 4;
    std::uint8_t registerBytes = 4;
    std::uint8_t count = 1; ///< elements a lane: 1, 2, 4 or 8
    bool wideAddress = true;
    bool observesOthers = false; ///< may be waiting for another thread: volatile, acquire, relaxed, cas, exch
    AtomicOp atomic = AtomicOp::Add;
    std::array<std::uint32_t, 8> data = noPlanes();     ///< planes read or written; atomics: the results
    std::array<std::uint32_t, 8> operandB = noPlanes(); ///< atomics
    std::uint32_t operandC = kNone;                     ///< cas

    static constexpr std::array<std::uint32_t, 8> noPlanes()
    {
        return {kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone};
    }
};

/// Elements of the matrices that tensor instructions multiply.
enum class Element : std::uint8_t { F16, BF16, TF32, F32, F64, S8, U8, S4, U4, B1, E4M3, E5M2, S32 };

/// A tensor instruction beyond its MicroOp, whose e is the index of this.
struct MatrixDetail {
    enum class Role : std::uint8_t { A, B, C };
    Element a = Element::F16, b = Element::F16, c = Element::F32, d = Element::F32;
    std::uint16_t m = 0, n = 0, k = 0;
    bool saturate = false;        ///< integers: to the range of s32
    bool isAnd = false;           ///< b1: and in place of xor
    bool transposed = false;      ///< ldmatrix, stmatrix: .trans; wmma.load, wmma.store: column-major in memory
    Role role = Role::A;          ///< wmma.load, wmma.store
    std::uint32_t stride = kNone; ///< wmma.load, wmma.store: plane of the leading dimension; kNone: the matrix's own
    std::vector<std::uint32_t> planesA, planesB, planesC, planesD; ///< fragments, a register each
    // mma.sp only: two of four neighbours along k are stored; metadata says which.
    std::uint32_t metadata = kNone; ///< plane; kNone: dense
    std::uint8_t selector = 0;      ///< which lanes of four hold the metadata
    // wgmma only.
    std::uint32_t descriptorA = kNone,
                  descriptorB = kNone; ///< planes of matrix descriptors; A: kNone when in registers
    std::uint32_t scaleD = kNone;      ///< predicate: false drops the old accumulator
    bool scaleFlip = false;
    std::int8_t scaleA = 1, scaleB = 1;  ///< 1 or -1
    bool majorA = false, majorB = false; ///< true: M- or N-major in shared memory
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
        SharedAddress, ///< of a variable: `value` is its offset
        ClusterId,
        NclusterId,
        ClusterCtaId,
        ClusterNctaId,
        ClusterRank,
        ClusterNrank,
        ExplicitCluster, ///< a predicate
    };
    Kind kind = Kind::Constant;
    std::uint8_t axis = 0;
    std::uint8_t bytes = 4; ///< of a register
    std::uint32_t offset = 0;
    std::uint64_t value = 0; ///< Constant, Word: bits; DynamicBase: distance past it; Param: offset in the block
    std::uint8_t paramBytes = 4;
    bool paramSigned = false;
};

/// Whether the lanes of a warp differ in it.
inline bool changesWithLane(PlaneFill::Kind kind)
{
    switch (kind) {
    case PlaneFill::Kind::Tid:
    case PlaneFill::Kind::LaneId:
    case PlaneFill::Kind::LaneMaskEq:
    case PlaneFill::Kind::LaneMaskLe:
    case PlaneFill::Kind::LaneMaskLt:
    case PlaneFill::Kind::LaneMaskGe:
    case PlaneFill::Kind::LaneMaskGt:
        return true;
    default:
        return false;
    }
}

/// Call: flags the index of the function, or a the plane of a pointer to it (else kNone); b the plane of the caller's
/// frame (kNone: at 0), imm its size. Return: flags the index of the function that ends.
enum class EndKind : std::uint8_t { Fall, Branch, Table, Exit, Trap, Barrier, Call, Return };
enum class BarrierKind : std::uint8_t { Sync, Arrive, ReducePopc, ReduceAnd, ReduceOr, ClusterArrive, ClusterWait };

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
    std::uint32_t function = 0;      ///< that the instruction stands in: index into KernelImage::functionNames
    std::uint32_t inlined = 0;       ///< calls around it that were inlined
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
    std::uint32_t variable = kNone; ///< Symbol, Memory, of shared memory: index into KernelImage::sharedVariables
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

/// A register as the PTX names it; one of a function that is called is "%r3@function".
struct NamedRegister {
    std::uint32_t plane = 0;
    std::string name;
    std::uint8_t bytes = 4; ///< 0: a predicate
    bool isFloat = false;
};

/// A variable of shared memory, as the PTX names it.
struct SharedVariable {
    std::string name;
    std::uint32_t begin = 0;
    std::uint32_t bytes = 0; ///< 0: as much as the launch gives (.extern)
    bool isReserved = false; ///< CUDA's own, which holds something before anybody writes there
};

struct KernelParam {
    std::string name;
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;
};

/// A function that is called rather than inlined: it is recursive, or called through a pointer. An activation's
/// registers are those of the function; what they held is put aside per lane while a deeper activation runs.
struct FunctionImage {
    struct Plane {
        std::uint32_t offset = 0;
        std::uint32_t bytes = 4; ///< a lane
    };
    std::string name;
    std::uint64_t address = 0;   ///< what pointers to it hold
    std::uint32_t entry = 0;     ///< micro-op
    std::uint32_t frame = kNone; ///< plane of the offset of its frame in local memory
    std::uint32_t frameBytes = 0;
    std::vector<Plane> planes;
    std::vector<std::uint32_t> predicatePages; ///< of 32 words of lane bits
};
inline constexpr std::uint32_t kCallStackBytes = 16384; ///< of a thread, beyond the kernel's own local variables
/// Of a thread, at the end of its local memory, where alloca takes from: downwards, apart from the frames of calls.
inline constexpr std::uint32_t kAllocaBytes = 16384;

/// One kernel, ready to run. Micro-ops lie in an order in which every forward edge of the control flow leads to a
/// higher index and loops are contiguous (image/layout.h), so that running the lowest index first makes lanes meet
/// again at the post-dominator of the branch that parted them, or sooner.
struct KernelImage {
    std::string name;
    std::vector<MicroOp> ops;
    std::vector<OpPlace> places; ///< one per micro-op
    std::vector<std::string> texts;
    std::vector<std::string> functionNames; ///< that instructions stand in, as the PTX has them
    std::vector<PtxRecord> records;
    std::vector<PtxOperand> operands;    ///< of all records
    std::vector<std::uint32_t> recordOf; ///< of each micro-op: its record, or kNone for what no instruction stands for
    std::vector<BasicBlock> blocks;
    std::vector<std::vector<std::uint32_t>> tables; ///< brx.idx: micro-ops
    std::vector<MemoryDetail> memory;
    std::vector<MatrixDetail> matrices;
    std::vector<FunctionImage> functions;
    std::vector<PlaneFill> fills;
    std::vector<KernelParam> params;
    std::vector<NamedRegister> registers; ///< those that are used; several calls of a function repeat its names
    std::vector<std::vector<PlaneUse>> statements; ///< what each PTX instruction names, but for its guard
    std::vector<std::uint32_t> statementOf;        ///< of each micro-op; kNone: of none
    std::uint32_t paramBytes = 0;
    std::uint32_t registerBytes = 0;             ///< of one warp's file
    std::uint32_t registerCount = 0;             ///< PTX registers used, for the launch check's message only
    std::vector<SharedVariable> sharedVariables; ///< those that are named
    std::uint32_t staticSharedBytes = 0;
    std::uint32_t dynamicSharedBase = 0; ///< where .extern .shared starts
    std::uint32_t localBytes = 0;        ///< of one thread
    std::uint32_t allocaBytes = 0;       ///< the end of it: kAllocaBytes, or 0 where nothing takes from there
    std::array<std::uint32_t, 3> requiredThreads{};
    std::array<std::uint32_t, 3> maximumThreads{};
    std::uint32_t maximumRegisters = 0;             ///< .maxnreg; 0: none
    std::uint32_t minimumBlocks = 0;                ///< .minnctapersm, blocks that one SM must hold; 0: none
    std::array<std::uint32_t, 3> requiredCluster{}; ///< .reqnctapercluster; 0: none
    std::uint32_t maximumCluster = 0;               ///< .maxclusterrank, blocks; 0: none
    bool explicitCluster = false;                   ///< .explicitcluster: a launch must give a cluster
    bool countsClusters = false;                    ///< .blocksareclusters: the grid of a launch counts clusters
};

} // namespace ridge::gpu::simt
