// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/ptx/types.h"

#include <cstddef>
#include <cstdint>

namespace ridge::gpu::simt {

/// A warp's registers: "planes" of 32 lanes side by side, so that one instruction is one loop over memory.
/// A 16-bit register takes 64 bytes, a 32-bit one 128, a 64-bit one 256; a predicate is one 32-bit word of lane bits.
struct WarpRegisters {
    std::byte* file = nullptr;
};

enum class Step : std::uint8_t {
    Next,  ///< done
    Fault, ///< the warp's fault record says what happened
    Wait,  ///< not executed: other lanes must come here first
};

struct MicroOp;
using OpFunction = Step (*)(WarpRegisters&, const MicroOp&, std::uint32_t mask);

/// One PTX instruction with its operands resolved to byte offsets into the register file.
struct MicroOp {
    OpFunction run = nullptr;
    std::uint32_t guard = 0;     ///< offset of a predicate (that of "true" when unguarded)
    std::uint32_t guardFlip = 0; ///< ~0 for @!p
    std::uint32_t d = 0, a = 0, b = 0, c = 0;
    std::uint32_t e = 0;      ///< second destination, or an operation's own use
    std::uint32_t flags = 0;  ///< an operation's own use
    std::uint32_t detail = 0; ///< index of a MemoryDetail
    std::int64_t imm = 0;
};

enum class LaneOp : std::uint8_t {
    Mov,
    Add,
    Sub,
    MulLo,
    MulHi,
    MulWide,
    MadLo,
    MadHi,
    MadWide,
    Div,
    Rem,
    Min,
    Max,
    Abs,
    Neg,
    Sad,
    And,
    Or,
    Xor,
    Not,
    Cnot,
    Shl,
    Shr,
    FunnelLeftWrap,
    FunnelLeftClamp,
    FunnelRightWrap,
    FunnelRightClamp,
    Popc,
    Clz,
    Brev,
    Bfind,
    BfindShift,
    Bfe,
    Bfi,
    Bmsk,
    Prmt,
    Lop3,
    Dp4a,
    Dp2a, ///< flags bit kDotUpper: the upper two bytes of b
    Mul24Lo,
    Mul24Hi,
    Mad24Lo,
    Mad24Hi,
    BmskWrap,
    SzextWrap,
    SzextClamp,
    Fns,
    Carry,
    Selp,
    Mul,
    Fma,
    Sqrt,
    Rsqrt,
    Rcp,
    RcpApprox,  ///< f32: the GPU's own bits (lane_mufu.h); so are Rsqrt and all from Sin to Tanh
    SqrtApprox, ///< so too
    DivApprox,  ///< f32: a product with the unit's reciprocal
    DivFull,    ///< the same, of divisors up to the largest
    Sin,
    Cos,
    Ex2,
    Lg2,
    Tanh,
    CopySign,
    MinNaN,
    MaxNaN,
    PredicateMov,
    PredicateAnd,
    PredicateOr,
    PredicateXor,
    PredicateNot,
    SetPredicate,
    Convert,
    Pack2x16,
    Unpack2x16,
    Pack2x32,
    Unpack2x32,
    Pack4x16,
    Unpack4x16,
    Slct, ///< a where c >= 0, else b
    TestFinite,
    TestInfinite,
    TestNumber,
    TestNotANumber,
    TestNormal,
    TestSubnormal,
};

enum class Rounding : std::uint8_t { Nearest, Zero, Down, Up };

enum class Compare : std::uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan };

/// flags of SetPredicate: how the comparison is combined with predicate c.
enum BoolFlags : std::uint32_t { kBoolNone = 0, kBoolAnd = 1, kBoolOr = 2, kBoolXor = 3, kBoolFlipC = 4 };
/// Where the comparison itself stands in those flags, for the forms that look at it when they run.
inline constexpr unsigned kCompareShift = 8;

/// flags of Carry.
enum CarryFlags : std::uint32_t {
    kCarryAdd = 0,
    kCarrySub = 1,
    kCarryMadLo = 2,
    kCarryMadHi = 3,
    kCarryKind = 3,
    kCarryReads = 4,
    kCarryWrites = 8,
    kCarrySigned = 16,
};

/// flags of Slct: what decides.
enum SlctFlags : std::uint32_t { kSlctReal = 1, kSlctFlush = 2 };

/// flags of Dp4a and Dp2a: which operand is signed.
enum DotFlags : std::uint32_t { kDotSignedA = 1, kDotSignedB = 2, kDotUpper = 4 };

/// flags of Prmt.
enum class PrmtMode : std::uint32_t { Index, F4e, B4e, Rc8, Ecl, Ecr, Rc16 };

/// What a Convert does; packed into MicroOp::flags by packConvert. Register widths may exceed those of the types.
struct ConvertSpec {
    ScalarType to = ScalarType::None;
    ScalarType from = ScalarType::None;
    unsigned toRegister = 4;   ///< bytes
    unsigned fromRegister = 4; ///< bytes
    Rounding rounding = Rounding::Nearest;
    bool toInteger = false; ///< .rni, .rzi …: round to an integral value
    bool saturate = false;
    bool flush = false;
    bool relu = false;
};
std::uint32_t packConvert(const ConvertSpec& spec);
ConvertSpec unpackConvert(std::uint32_t flags);

/// flags of the float operations that findScalarOp serves.
struct ArithmeticSpec {
    Rounding rounding = Rounding::Nearest;
    bool flush = false;
    bool saturate = false;
    bool relu = false;    ///< a negative result becomes +0, a NaN the one NaN
    bool xorSign = false; ///< min, max: of the magnitudes, with the product's sign
};
std::uint32_t packArithmetic(const ArithmeticSpec& spec);
ArithmeticSpec unpackArithmetic(std::uint32_t flags);

struct LaneKey {
    LaneOp op = LaneOp::Mov;
    ScalarType type = ScalarType::None;
    Compare compare = Compare::Eq;
    Rounding rounding = Rounding::Nearest;
    bool flush = false;    ///< .ftz
    bool saturate = false; ///< .sat
    bool relu = false;     ///< .relu
    bool xorSign = false;  ///< .xorsign.abs
    ConvertSpec convert{}; ///< LaneOp::Convert only
};

/// The function that executes this operation, in the fastest build this processor runs (baseline, AVX2 with FMA, or
/// AVX-512; all give the same bits). Null where the form does not exist or is not supported.
OpFunction findLaneOp(const LaneKey& key);

/// What MicroOp::flags must hold for the float operations and conversions of `key`.
std::uint32_t laneFlags(const LaneKey& key);

/// Forms that round other than to nearest-even, conversions without a fast path, and half precision: one build,
/// lane by lane. Null where the form does not exist.
OpFunction findScalarOp(const LaneKey& key);

namespace lanes_baseline {
OpFunction find(const LaneKey& key);
}
namespace lanes_avx2 {
OpFunction find(const LaneKey& key);
}
namespace lanes_avx512 {
OpFunction find(const LaneKey& key);
}

/// The builds of the lane loops. All give the same bits.
enum class LaneBuild : std::uint8_t { Baseline, Avx2, Avx512 };
bool isAvailable(LaneBuild build); ///< made for this architecture, and this processor runs it
/// As findLaneOp, of one build; null also where the operation exists in none of them.
OpFunction findLaneOpIn(LaneBuild build, const LaneKey& key);

} // namespace ridge::gpu::simt
