// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lanes/video.h"
#include "gpu/simt/lower/families.h"

namespace ridge::gpu::simt {

namespace {

bool isPair(ScalarType type)
{
    return type == ScalarType::U16x2 || type == ScalarType::S16x2;
}

bool isInteger(ScalarType type)
{
    return !isFloat(type) && !isBits(type) && sizeOf(type) >= 2 && !isPair(type) && type < ScalarType::B128;
}

/// .rnd .ftz .sat .relu and the type, in any order PTX allows.
LaneKey takeFloatKey(Modifiers& modifiers, LaneOp op)
{
    LaneKey key;
    key.op = op;
    key.rounding = modifiers.takeRounding().value_or(Rounding::Nearest);
    key.flush = modifiers.take("ftz");
    key.saturate = modifiers.take("sat");
    key.relu = modifiers.take("relu");
    key.type = modifiers.takeType();
    return key;
}

/// d, a[, b[, c]] all of one type; absent sources repeat a.
MicroOp sameTypeOperands(KernelBuilder& builder, const Instruction& instruction, const LaneKey& key,
                         std::size_t sources)
{
    expectOperands(instruction, sources + 1, sources + 1);
    const auto& operands = instruction.operands;
    MicroOp op;
    op.flags = laneFlags(key);
    op.a = builder.source(operands[1], key.type);
    op.b = sources > 1 ? builder.source(operands[2], key.type) : op.a;
    op.c = sources > 2 ? builder.source(operands[3], key.type) : op.a;
    op.d = builder.destination(operands[0], key.type);
    return op;
}

/// add.cc, addc, sub.cc, subc, mad.lo.cc, madc.hi …
void lowerCarry(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers)
{
    const bool isMad = instruction.opcode.substr(0, 3) == "mad";
    std::uint32_t flags = instruction.opcode.substr(0, 3) == "sub" ? kCarrySub : kCarryAdd;
    if (isMad)
        flags = modifiers.take("hi") ? kCarryMadHi : (modifiers.take("lo"), kCarryMadLo);
    flags |= instruction.opcode.back() == 'c' ? kCarryReads : 0u;
    flags |= modifiers.take("cc") ? kCarryWrites : 0u;
    LaneKey key;
    key.op = LaneOp::Carry;
    key.type = modifiers.takeType();
    modifiers.end();
    if (!isInteger(key.type) || sizeOf(key.type) < 4)
        throw Unsupported{};
    MicroOp op = sameTypeOperands(builder, instruction, key, isMad ? 3 : 2);
    op.flags = flags | (isSigned(key.type) ? kCarrySigned : 0u);
    op.e = builder.carryPredicate();
    emitLanes(builder, instruction, key, op);
}

/// add, sub, mul, fma of .f32x2: both halves of 64-bit registers, each as the scalar form does it.
void lowerSinglePair(KernelBuilder& builder, const Instruction& instruction, LaneOp kind, std::size_t sources)
{
    Modifiers modifiers(instruction);
    LaneKey key;
    key.op = kind;
    key.rounding = modifiers.takeRounding().value_or(Rounding::Nearest);
    key.flush = modifiers.take("ftz");
    modifiers.take("f32x2");
    modifiers.end();
    key.type = ScalarType::F32;
    expectOperands(instruction, sources + 1, sources + 1);
    std::array<std::array<std::uint32_t, 2>, 3> halves{};
    for (std::size_t at = 0; at < sources; ++at) {
        halves[at] = {builder.newPlane(4), builder.newPlane(4)};
        MicroOp split;
        split.a = builder.source(instruction.operands[at + 1], ScalarType::B64);
        split.d = halves[at][0];
        split.b = halves[at][1];
        split.run = findLaneOp({LaneOp::Unpack2x32, ScalarType::B64});
        builder.emit(instruction, split).counted = false;
    }
    std::array<std::uint32_t, 2> results{builder.newPlane(4), builder.newPlane(4)};
    for (std::size_t half = 0; half < 2; ++half) {
        MicroOp op;
        op.a = halves[0][half];
        op.b = halves[1][half];
        op.c = sources > 2 ? halves[2][half] : op.a;
        op.d = results[half];
        op.flags = laneFlags(key);
        op.run = findLaneOp(key);
        if (op.run == nullptr)
            throw Unsupported{};
        builder.emit(instruction, op).counted = half == 0;
    }
    MicroOp join;
    join.a = results[0];
    join.b = results[1];
    join.d = builder.destination(instruction.operands[0], ScalarType::B64);
    join.run = findLaneOp({LaneOp::Pack2x32, ScalarType::B64});
    builder.emit(instruction, join).counted = false;
}

/// add, sub of a half and an f32, fma of two halves and an f32 (compute capability 10.0): all in single precision.
void lowerMixed(KernelBuilder& builder, const Instruction& instruction, LaneOp kind, std::size_t halves)
{
    Modifiers modifiers(instruction);
    const ScalarType half = modifiers.takeType();
    const LaneKey key = takeFloatKey(modifiers, kind);
    modifiers.end();
    if (key.type != ScalarType::F32 || key.flush || key.relu)
        throw Unsupported{};
    expectOperands(instruction, halves + 2, halves + 2);
    const auto& operands = instruction.operands;
    LaneKey widening{LaneOp::Convert};
    widening.convert = {ScalarType::F32, half, 4, 2};
    std::array<std::uint32_t, 3> sources{};
    for (std::size_t at = 0; at < halves; ++at) {
        MicroOp widen;
        widen.a = builder.source(operands[at + 1], half);
        widen.d = sources[at] = builder.newPlane(4);
        widen.flags = laneFlags(widening);
        widen.run = findLaneOp(widening);
        builder.emit(instruction, widen).counted = false;
    }
    sources[halves] = builder.source(operands[halves + 1], ScalarType::F32);
    MicroOp op;
    op.flags = laneFlags(key);
    op.a = sources[0];
    op.b = sources[1];
    op.c = halves > 1 ? sources[2] : op.a;
    op.d = builder.destination(operands[0], ScalarType::F32);
    emitLanes(builder, instruction, key, op);
}

bool isMixed(const Instruction& instruction)
{
    const auto& words = instruction.modifiers;
    return words.size() > 1 && words[words.size() - 2] == "f32" && (words.back() == "f16" || words.back() == "bf16");
}

/// a + b or a - b in d, clamped to what a .s32 holds.
void clampSum(MicroOp& op, bool isSum)
{
    VideoSpec spec;
    spec.kind = isSum ? VideoSpec::Kind::Add : VideoSpec::Kind::Sub;
    spec.signedD = spec.signedA = spec.signedB = spec.saturate = true;
    op.imm = packVideo(spec);
    op.run = findVideoOp();
}

/// add, sub: integers, floats, halves.
void lowerAddSub(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    if (instruction.has("cc"))
        return lowerCarry(builder, instruction, modifiers);
    const LaneOp kind = instruction.opcode == "add" ? LaneOp::Add : LaneOp::Sub;
    if (instruction.has("f32x2"))
        return lowerSinglePair(builder, instruction, kind, 2);
    if (isMixed(instruction))
        return lowerMixed(builder, instruction, kind, 1);
    const LaneKey key = takeFloatKey(modifiers, kind);
    modifiers.end();
    if (key.type == ScalarType::S32 && key.saturate && !key.relu && !key.flush) {
        MicroOp op = sameTypeOperands(builder, instruction, key, 2);
        clampSum(op, key.op == LaneOp::Add);
        builder.emit(instruction, op);
        return;
    }
    const bool pair = isPair(key.type) && instruction.opcode == "add";
    if (key.relu || (!isFloat(key.type) && ((!isInteger(key.type) && !pair) || key.saturate)))
        throw Unsupported{};
    emitLanes(builder, instruction, key, sameTypeOperands(builder, instruction, key, 2));
}

void lowerCarryOnly(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    lowerCarry(builder, instruction, modifiers);
}

/// mul/mad with .lo, .hi or .wide.
void lowerIntegerProduct(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers)
{
    const bool isMad = instruction.opcode == "mad";
    LaneKey key;
    const bool wide = modifiers.take("wide");
    if (wide)
        key.op = isMad ? LaneOp::MadWide : LaneOp::MulWide;
    else if (modifiers.take("hi"))
        key.op = isMad ? LaneOp::MadHi : LaneOp::MulHi;
    else if (modifiers.take("lo"))
        key.op = isMad ? LaneOp::MadLo : LaneOp::MulLo;
    else
        throw Unsupported{"it needs .lo, .hi or .wide"};
    key.type = modifiers.takeType();
    const bool clamp = key.op == LaneOp::MadHi && key.type == ScalarType::S32 && modifiers.take("sat");
    modifiers.end();
    if (!isInteger(key.type) || (wide && sizeOf(key.type) == 8))
        throw Unsupported{};
    if (clamp) {
        MicroOp product = sameTypeOperands(builder, instruction, key, 3);
        MicroOp sum = product;
        key.op = LaneOp::MulHi;
        sum.a = product.d = builder.newPlane(4);
        sum.b = product.c;
        emitLanes(builder, instruction, key, product);
        clampSum(sum, true);
        builder.emit(instruction, sum).counted = false;
        return;
    }
    if (!wide)
        return emitLanes(builder, instruction, key, sameTypeOperands(builder, instruction, key, isMad ? 3 : 2));
    expectOperands(instruction, isMad ? 4 : 3, isMad ? 4 : 3);
    const ScalarType result = sizeOf(key.type) == 2 ? ScalarType::B32 : ScalarType::B64;
    MicroOp op;
    op.a = builder.source(instruction.operands[1], key.type);
    op.b = builder.source(instruction.operands[2], key.type);
    op.c = isMad ? builder.source(instruction.operands[3], result) : op.a;
    op.d = builder.destination(instruction.operands[0], result);
    emitLanes(builder, instruction, key, op);
}

void lowerMul(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    if (instruction.has("lo") || instruction.has("hi") || instruction.has("wide"))
        return lowerIntegerProduct(builder, instruction, modifiers);
    if (instruction.has("f32x2"))
        return lowerSinglePair(builder, instruction, LaneOp::Mul, 2);
    const LaneKey key = takeFloatKey(modifiers, LaneOp::Mul);
    modifiers.end();
    if (!isFloat(key.type) || key.relu)
        throw Unsupported{"it needs .lo, .hi or .wide"};
    emitLanes(builder, instruction, key, sameTypeOperands(builder, instruction, key, 2));
}

/// fma, and mad of floats, which is the same since compute capability 2.0.
void lowerFma(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    if (instruction.has("f32x2"))
        return lowerSinglePair(builder, instruction, LaneOp::Fma, 3);
    if (isMixed(instruction))
        return lowerMixed(builder, instruction, LaneOp::Fma, 2);
    const LaneKey key = takeFloatKey(modifiers, LaneOp::Fma);
    modifiers.end();
    if (!isFloat(key.type) || (key.relu && sizeOf(key.type) == 8) || (key.relu && key.type == ScalarType::F32))
        throw Unsupported{};
    emitLanes(builder, instruction, key, sameTypeOperands(builder, instruction, key, 3));
}

void lowerMad(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    if (instruction.has("cc"))
        return lowerCarry(builder, instruction, modifiers);
    if (instruction.has("lo") || instruction.has("hi") || instruction.has("wide"))
        return lowerIntegerProduct(builder, instruction, modifiers);
    lowerFma(builder, instruction);
}

void lowerDiv(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    const bool approximate = modifiers.take("approx");
    const bool full = !approximate && modifiers.take("full");
    const bool loose = approximate || full;
    const LaneKey key = takeFloatKey(modifiers, approximate ? LaneOp::DivApprox : full ? LaneOp::DivFull : LaneOp::Div);
    modifiers.end();
    const bool isReal = key.type == ScalarType::F32 || key.type == ScalarType::F64;
    if (key.saturate || key.relu || (loose && key.type != ScalarType::F32) || (!isReal && !isInteger(key.type)))
        throw Unsupported{};
    emitLanes(builder, instruction, key, sameTypeOperands(builder, instruction, key, 2));
}

void lowerRem(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    LaneKey key;
    key.op = LaneOp::Rem;
    key.type = modifiers.takeType();
    modifiers.end();
    if (!isInteger(key.type))
        throw Unsupported{};
    emitLanes(builder, instruction, key, sameTypeOperands(builder, instruction, key, 2));
}

/// min/max.relu.s32: the larger of zero and the result.
void lowerClampedExtremum(KernelBuilder& builder, const Instruction& instruction, LaneKey key)
{
    key.relu = false;
    MicroOp op = sameTypeOperands(builder, instruction, key, 2);
    op.run = findLaneOp(key);
    const std::uint32_t result = op.d;
    op.d = builder.newPlane(4);
    builder.emit(instruction, op).counted = false;
    MicroOp clamp;
    clamp.a = op.d;
    clamp.b = clamp.c = builder.constant(0, 4);
    clamp.d = result;
    emitLanes(builder, instruction, {LaneOp::Max, ScalarType::S32}, clamp);
}

/// min, max of three f32, of their magnitudes with .abs (compute capability 10.0): one instruction.
void lowerThreeExtremum(KernelBuilder& builder, const Instruction& instruction, const LaneKey& key, bool magnitudes)
{
    std::array<std::uint32_t, 3> sources{};
    for (std::size_t at = 0; at < sources.size(); ++at) {
        sources[at] = builder.source(instruction.operands[at + 1], key.type);
        if (!magnitudes)
            continue;
        MicroOp op;
        op.a = op.b = op.c = sources[at];
        op.d = sources[at] = builder.newPlane(4);
        op.run = findLaneOp({LaneOp::Abs, key.type});
        builder.emit(instruction, op).counted = false;
    }
    MicroOp first;
    first.flags = laneFlags(key);
    first.a = sources[0];
    first.b = first.c = sources[1];
    first.d = builder.newPlane(4);
    first.run = findLaneOp(key);
    builder.emit(instruction, first).counted = false;
    MicroOp last = first;
    last.a = first.d;
    last.b = last.c = sources[2];
    last.d = builder.destination(instruction.operands[0], key.type);
    builder.emit(instruction, last);
}

void lowerMinMax(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    const bool least = instruction.opcode == "min";
    LaneKey key;
    key.op = least ? LaneOp::Min : LaneOp::Max;
    if (modifiers.take("NaN"))
        key.op = least ? LaneOp::MinNaN : LaneOp::MaxNaN;
    key.flush = modifiers.take("ftz");
    const bool xorSign = modifiers.take("xorsign"), magnitudes = modifiers.take("abs");
    key.xorSign = xorSign && magnitudes;
    key.relu = modifiers.take("relu");
    key.type = modifiers.takeType();
    modifiers.end();
    if (instruction.operands.size() == 4 && key.type == ScalarType::F32 && !xorSign && !key.relu)
        return lowerThreeExtremum(builder, instruction, key, magnitudes);
    if (xorSign != magnitudes)
        throw Unsupported{};
    if (key.relu && key.type == ScalarType::S32)
        return lowerClampedExtremum(builder, instruction, key);
    const bool signs = key.xorSign && (!isFloat(key.type) || key.type == ScalarType::F64);
    if (isBits(key.type) || signs || (key.relu && key.type != ScalarType::S16x2))
        throw Unsupported{};
    emitLanes(builder, instruction, key, sameTypeOperands(builder, instruction, key, 2));
}

void lowerAbsNeg(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    LaneKey key;
    key.op = instruction.opcode == "abs" ? LaneOp::Abs : LaneOp::Neg;
    key.flush = modifiers.take("ftz");
    key.type = modifiers.takeType();
    modifiers.end();
    if ((!isFloat(key.type) && !isSigned(key.type)) || isPair(key.type))
        throw Unsupported{};
    emitLanes(builder, instruction, key, sameTypeOperands(builder, instruction, key, 1));
}

/// sqrt, rcp, rsqrt, sin, cos, ex2, lg2, tanh.
void lowerFunction(KernelBuilder& builder, const Instruction& instruction)
{
    struct Row {
        std::string_view name;
        LaneOp op;
    };
    constexpr std::array<Row, 8> rows{{{"sqrt", LaneOp::Sqrt},
                                       {"rcp", LaneOp::Rcp},
                                       {"rsqrt", LaneOp::Rsqrt},
                                       {"sin", LaneOp::Sin},
                                       {"cos", LaneOp::Cos},
                                       {"ex2", LaneOp::Ex2},
                                       {"lg2", LaneOp::Lg2},
                                       {"tanh", LaneOp::Tanh}}};
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.name == instruction.opcode; });
    Modifiers modifiers(instruction);
    const bool approximate = modifiers.take("approx");
    LaneKey key = takeFloatKey(modifiers, row->op);
    modifiers.end();
    const bool exactToo = row->op == LaneOp::Sqrt || row->op == LaneOp::Rcp;
    const bool gross = key.type == ScalarType::F64 && approximate && row->op != LaneOp::Rsqrt;
    const bool half = isFloat(key.type) && key.type != ScalarType::F32 && key.type != ScalarType::F64;
    const bool halfToo = approximate && (row->op == LaneOp::Ex2 || row->op == LaneOp::Tanh);
    if (key.saturate || key.relu || (!approximate && !exactToo) || (gross && !key.flush) || (half && !halfToo) ||
        !isFloat(key.type))
        throw Unsupported{};
    if (approximate && exactToo && key.type == ScalarType::F32)
        key.op = row->op == LaneOp::Sqrt ? LaneOp::SqrtApprox : LaneOp::RcpApprox;
    emitLanes(builder, instruction, key, sameTypeOperands(builder, instruction, key, 1));
}

void lowerCopySign(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    const LaneKey key{LaneOp::CopySign, modifiers.takeType()};
    modifiers.end();
    emitLanes(builder, instruction, key, sameTypeOperands(builder, instruction, key, 2));
}

/// mul24, mad24: products of the low 24 bits.
void lowerProduct24(KernelBuilder& builder, const Instruction& instruction)
{
    const bool isMad = instruction.opcode == "mad24";
    Modifiers modifiers(instruction);
    const bool high = modifiers.take("hi");
    if (!high && !modifiers.take("lo"))
        throw Unsupported{"it needs .lo or .hi"};
    LaneKey key;
    key.op = isMad ? (high ? LaneOp::Mad24Hi : LaneOp::Mad24Lo) : (high ? LaneOp::Mul24Hi : LaneOp::Mul24Lo);
    key.type = modifiers.takeType();
    modifiers.end();
    if (key.type != ScalarType::U32 && key.type != ScalarType::S32)
        throw Unsupported{};
    emitLanes(builder, instruction, key, sameTypeOperands(builder, instruction, key, isMad ? 3 : 2));
}

void lowerSad(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    const LaneKey key{LaneOp::Sad, modifiers.takeType()};
    modifiers.end();
    if (!isInteger(key.type))
        throw Unsupported{};
    emitLanes(builder, instruction, key, sameTypeOperands(builder, instruction, key, 3));
}

} // namespace

Lowering findArithmetic(std::string_view opcode)
{
    static const NameMap<Lowering> table{
        {"add", lowerAddSub},      {"sub", lowerAddSub},      {"addc", lowerCarryOnly},    {"subc", lowerCarryOnly},
        {"madc", lowerCarryOnly},  {"mul", lowerMul},         {"mad", lowerMad},           {"fma", lowerFma},
        {"div", lowerDiv},         {"rem", lowerRem},         {"min", lowerMinMax},        {"max", lowerMinMax},
        {"abs", lowerAbsNeg},      {"neg", lowerAbsNeg},      {"sqrt", lowerFunction},     {"rcp", lowerFunction},
        {"rsqrt", lowerFunction},  {"sin", lowerFunction},    {"cos", lowerFunction},      {"ex2", lowerFunction},
        {"lg2", lowerFunction},    {"tanh", lowerFunction},   {"copysign", lowerCopySign}, {"sad", lowerSad},
        {"mul24", lowerProduct24}, {"mad24", lowerProduct24},
    };
    const auto found = table.find(opcode);
    return found == table.end() ? nullptr : found->second;
}

} // namespace ridge::gpu::simt
