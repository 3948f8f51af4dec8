// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/families.h"
#include "gpu/simt/run/ops.h"

namespace ridge::gpu::simt {

namespace {

/// mov between one wide register and a vector of narrow ones.
void lowerPacking(KernelBuilder& builder, const Instruction& instruction, ScalarType type)
{
    const bool unpack = instruction.operands[0].kind == Operand::Kind::Vector;
    const Operand& vector = instruction.operands[unpack ? 0 : 1];
    const Operand& whole = instruction.operands[unpack ? 1 : 0];
    const std::size_t parts = vector.parts.size();
    LaneKey key;
    key.type = type;
    ScalarType part = ScalarType::B16;
    if (sizeOf(type) == 4 && parts == 2) {
        key.op = unpack ? LaneOp::Unpack2x16 : LaneOp::Pack2x16;
    } else if (sizeOf(type) == 8 && parts == 2) {
        key.op = unpack ? LaneOp::Unpack2x32 : LaneOp::Pack2x32;
        part = ScalarType::B32;
    } else if (sizeOf(type) == 8 && parts == 4) {
        key.op = unpack ? LaneOp::Unpack4x16 : LaneOp::Pack4x16;
    } else {
        throw Unsupported{"a vector of this shape is not supported"};
    }
    std::array<std::uint32_t, 4> planes{kNone, kNone, kNone, kNone};
    for (std::size_t at = 0; at < parts; ++at) {
        const Operand& operand = vector.parts[at];
        if (!unpack)
            planes[at] = builder.source(operand, part);
        else if (operand.kind != Operand::Kind::Sink)
            planes[at] = builder.destination(operand, part);
    }
    MicroOp op;
    op.b = planes[1];
    op.c = planes[2];
    op.e = planes[3];
    (unpack ? op.d : op.a) = planes[0];
    (unpack ? op.a : op.d) = unpack ? builder.source(whole, type) : builder.destination(whole, type);
    emitLanes(builder, instruction, key, op);
}

void lowerMov(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    LaneKey key{LaneOp::Mov, modifiers.takeType()};
    modifiers.end();
    expectOperands(instruction, 2, 2);
    const auto& operands = instruction.operands;
    MicroOp op;
    if (key.type == ScalarType::Pred) {
        key.op = LaneOp::PredicateMov;
        bool flip = false;
        op.a = op.b = builder.predicateSource(operands[1], flip);
        op.flags = flip ? 1u : 0u;
        op.d = builder.predicateDestination(operands[0]);
        return emitLanes(builder, instruction, key, op);
    }
    if (operands[0].kind == Operand::Kind::Vector || operands[1].kind == Operand::Kind::Vector)
        return lowerPacking(builder, instruction, key.type);
    if (sizeOf(key.type) < 2)
        throw Unsupported{};
    if (operands[1].kind == Operand::Kind::Name &&
        (operands[1].text == "%clock" || operands[1].text == "%clock64" || operands[1].text == "%clock_hi")) {
        op.d = builder.destination(operands[0], key.type);
        op.flags = sizeOf(key.type);
        op.imm = operands[1].text == "%clock_hi" ? 32 : 0;
        op.run = findWarpOp(WarpOp::Clock);
        builder.emit(instruction, op);
        return;
    }
    op.a = builder.source(operands[1], key.type);
    op.d = builder.destination(operands[0], key.type);
    emitLanes(builder, instruction, key, op);
}

/// Generic addresses of global and constant data are their addresses; shared and local memory have windows.
void lowerCvta(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    const bool toSpace = modifiers.take("to");
    const ScalarType type = modifiers.takeType();
    std::string_view space = modifiers.takeFirst();
    modifiers.end();
    if (space.substr(0, 8) == "shared::")
        space = space == "shared::cta" ? std::string_view("shared") : space;
    expectOperands(instruction, 2, 2);
    if (type != ScalarType::U64)
        throw Unsupported{"addresses have 64 bits"};
    std::uint64_t window = 0;
    if (space == "shared")
        window = kSharedWindow;
    else if (space == "local")
        window = kLocalWindow;
    else if (space != "global" && space != "const")
        throw Unsupported{"its state space is not supported"};
    MicroOp op;
    op.a = builder.source(instruction.operands[1], type);
    op.b = builder.constant(window, 8);
    op.d = builder.destination(instruction.operands[0], type);
    const LaneOp change = toSpace ? LaneOp::Sub : LaneOp::Add;
    emitLanes(builder, instruction, {window == 0 ? LaneOp::Mov : change, type}, op);
}

bool takeIntegralRounding(Modifiers& modifiers, Rounding& rounding)
{
    constexpr std::array<std::string_view, 4> names{"rni", "rzi", "rmi", "rpi"};
    for (std::size_t at = 0; at < names.size(); ++at) {
        if (modifiers.take(names[at])) {
            rounding = static_cast<Rounding>(at);
            return true;
        }
    }
    return false;
}

/// cvt.rn.f16x2.f32 d, a, b: two conversions and a pack; a is the upper half.
void lowerPackedCvt(KernelBuilder& builder, const Instruction& instruction, ConvertSpec c)
{
    if (c.from != ScalarType::F32 || c.saturate || c.flush)
        throw Unsupported{};
    c.to = c.to == ScalarType::F16x2 ? ScalarType::F16 : ScalarType::BF16;
    c.toRegister = 2;
    c.fromRegister = 4;
    expectOperands(instruction, 3, 3);
    MicroOp pack;
    pack.d = builder.destination(instruction.operands[0], ScalarType::B32);
    pack.a = builder.newPlane(2);
    pack.b = builder.newPlane(2);
    LaneKey key;
    key.op = LaneOp::Convert;
    key.convert = c;
    for (const std::size_t at : {1, 2}) {
        MicroOp half;
        half.a = builder.source(instruction.operands[at], ScalarType::F32);
        half.d = at == 1 ? pack.b : pack.a;
        half.flags = laneFlags(key);
        half.run = findLaneOp(key);
        builder.emit(instruction, half).counted = false;
    }
    emitLanes(builder, instruction, {LaneOp::Pack2x16, ScalarType::B32}, pack);
}

void lowerCvt(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    LaneKey key;
    key.op = LaneOp::Convert;
    ConvertSpec& c = key.convert;
    c.toInteger = takeIntegralRounding(modifiers, c.rounding);
    const auto rounding = modifiers.takeRounding();
    c.rounding = rounding.value_or(c.rounding);
    c.flush = modifiers.take("ftz");
    c.saturate = modifiers.take("sat");
    c.from = modifiers.takeType();
    c.to = modifiers.takeType();
    modifiers.end();
    if (rounding && !c.toInteger && (c.to == ScalarType::F16x2 || c.to == ScalarType::BF16x2))
        return lowerPackedCvt(builder, instruction, c);
    const auto isPlain = [](ScalarType t) { return !isBits(t) && sizeOf(t) > 0; };
    if (!isPlain(c.to) || !isPlain(c.from) || (isFloat(c.from) && !isFloat(c.to) && !c.toInteger))
        throw Unsupported{};
    const bool narrows = isFloat(c.to) && (!isFloat(c.from) || sizeOf(c.to) < sizeOf(c.from));
    if (narrows && !rounding && !c.toInteger)
        throw Unsupported{"it needs a rounding mode"};
    expectOperands(instruction, 2, 2);
    MicroOp op;
    op.a = builder.sourceAtLeast(instruction.operands[1], c.from, c.fromRegister);
    op.d = builder.destinationAtLeast(instruction.operands[0], c.to, c.toRegister);
    op.flags = laneFlags(key);
    emitLanes(builder, instruction, key, op);
}

std::optional<Compare> compareFromText(std::string_view text, bool isReal)
{
    constexpr std::array<std::string_view, 14> names{"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                                     "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    constexpr std::array<std::string_view, 4> unsignedNames{"lo", "ls", "hi", "hs"};
    const auto found = std::find(names.begin(), names.end(), text);
    const auto at = static_cast<std::size_t>(found - names.begin());
    if (found != names.end() && (isReal || at < 6))
        return static_cast<Compare>(at);
    const auto same = std::find(unsignedNames.begin(), unsignedNames.end(), text);
    if (same == unsignedNames.end() || isReal)
        return std::nullopt;
    return static_cast<Compare>(2 + (same - unsignedNames.begin()));
}

void lowerSetp(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    LaneKey key;
    key.op = LaneOp::SetPredicate;
    key.flush = modifiers.take("ftz");
    key.type = modifiers.takeType();
    const auto compare = compareFromText(modifiers.takeFirst(), isFloat(key.type));
    MicroOp op;
    op.flags = modifiers.take("and")   ? kBoolAnd
               : modifiers.take("or")  ? kBoolOr
               : modifiers.take("xor") ? kBoolXor
                                       : 0u;
    modifiers.end();
    if (!compare)
        throw Unsupported{"its comparison is not known"};
    key.compare = *compare;
    const std::size_t count = op.flags != kBoolNone ? 4 : 3;
    expectOperands(instruction, count, count);
    const auto& operands = instruction.operands;
    op.a = builder.source(operands[1], key.type);
    op.b = builder.source(operands[2], key.type);
    op.c = builder.truePredicate();
    if (count == 4) {
        bool flip = false;
        op.c = builder.predicateSource(operands[3], flip);
        op.flags |= flip ? kBoolFlipC : 0u;
    }
    const bool pair = operands[0].kind == Operand::Kind::Pair;
    op.d = builder.predicateDestination(pair ? operands[0].parts[0] : operands[0]);
    op.e = pair ? builder.predicateDestination(operands[0].parts[1]) : kNone;
    if (op.d == kNone)
        op.d = builder.newPredicate();
    emitLanes(builder, instruction, key, op);
}

void lowerSelp(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    const LaneKey key{LaneOp::Selp, modifiers.takeType()};
    modifiers.end();
    if (sizeOf(key.type) < 2)
        throw Unsupported{};
    expectOperands(instruction, 4, 4);
    const auto& operands = instruction.operands;
    MicroOp op;
    op.a = builder.source(operands[1], key.type);
    op.b = builder.source(operands[2], key.type);
    bool flip = false;
    op.c = builder.predicateSource(operands[3], flip);
    if (flip)
        std::swap(op.a, op.b);
    op.d = builder.destination(operands[0], key.type);
    emitLanes(builder, instruction, key, op);
}

} // namespace

Lowering findMove(std::string_view opcode)
{
    static const std::map<std::string_view, Lowering> table{
        {"mov", lowerMov}, {"cvta", lowerCvta}, {"cvt", lowerCvt}, {"setp", lowerSetp}, {"selp", lowerSelp},
    };
    const auto found = table.find(opcode);
    return found == table.end() ? nullptr : found->second;
}

void lowerInstruction(KernelBuilder& builder, const Instruction& instruction)
{
    for (const auto find : {findArithmetic, findMemory, findMove, findBitwise, findControl, findWarp}) {
        if (const Lowering lowering = find(instruction.opcode))
            return lowering(builder, instruction);
    }
    throw Unsupported{};
}

} // namespace ridge::gpu::simt
