// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/families.h"

namespace ridge::gpu::simt {

namespace {

void lowerPredicateLogic(KernelBuilder& builder, const Instruction& instruction)
{
    const std::string_view name = instruction.opcode;
    const std::size_t sources = name == "not" ? 1 : 2;
    expectOperands(instruction, sources + 1, sources + 1);
    LaneKey key;
    key.type = ScalarType::Pred;
    key.op = name == "and"   ? LaneOp::PredicateAnd
             : name == "or"  ? LaneOp::PredicateOr
             : name == "xor" ? LaneOp::PredicateXor
                             : LaneOp::PredicateNot;
    MicroOp op;
    bool flipA = false;
    bool flipB = false;
    op.a = builder.predicateSource(instruction.operands[1], flipA);
    op.b = sources > 1 ? builder.predicateSource(instruction.operands[2], flipB) : op.a;
    op.flags = (flipA ? 1u : 0u) | (flipB ? 2u : 0u);
    op.d = builder.predicateDestination(instruction.operands[0]);
    emitLanes(builder, instruction, key, op);
}

void lowerLogic(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    LaneKey key;
    key.type = modifiers.takeType();
    modifiers.end();
    if (key.type == ScalarType::Pred)
        return lowerPredicateLogic(builder, instruction);
    if (!isBits(key.type) || sizeOf(key.type) < 2 || sizeOf(key.type) > 8)
        throw Unsupported{};
    const std::string_view name = instruction.opcode;
    key.op = name == "and"   ? LaneOp::And
             : name == "or"  ? LaneOp::Or
             : name == "xor" ? LaneOp::Xor
             : name == "not" ? LaneOp::Not
                             : LaneOp::Cnot;
    const std::size_t sources = name == "not" || name == "cnot" ? 1 : 2;
    expectOperands(instruction, sources + 1, sources + 1);
    MicroOp op;
    op.a = builder.source(instruction.operands[1], key.type);
    op.b = sources > 1 ? builder.source(instruction.operands[2], key.type) : op.a;
    op.d = builder.destination(instruction.operands[0], key.type);
    emitLanes(builder, instruction, key, op);
}

void lowerShift(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    LaneKey key;
    key.op = instruction.opcode == "shl" ? LaneOp::Shl : LaneOp::Shr;
    key.type = modifiers.takeType();
    modifiers.end();
    if (isFloat(key.type) || sizeOf(key.type) < 2 || key.type >= ScalarType::B128)
        throw Unsupported{};
    expectOperands(instruction, 3, 3);
    MicroOp op;
    op.a = builder.source(instruction.operands[1], key.type);
    op.b = builder.source(instruction.operands[2], ScalarType::U32);
    op.d = builder.destination(instruction.operands[0], key.type);
    emitLanes(builder, instruction, key, op);
}

void lowerFunnelShift(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    const bool left = modifiers.take("l");
    if (!left && !modifiers.take("r"))
        throw Unsupported{};
    const bool clamp = modifiers.take("clamp");
    if (!clamp && !modifiers.take("wrap"))
        throw Unsupported{};
    LaneKey key;
    key.op = left ? (clamp ? LaneOp::FunnelLeftClamp : LaneOp::FunnelLeftWrap)
                  : (clamp ? LaneOp::FunnelRightClamp : LaneOp::FunnelRightWrap);
    key.type = modifiers.takeType();
    modifiers.end();
    if (key.type != ScalarType::B32)
        throw Unsupported{};
    expectOperands(instruction, 4, 4);
    MicroOp op;
    op.a = builder.source(instruction.operands[1], key.type);
    op.b = builder.source(instruction.operands[2], key.type);
    op.c = builder.source(instruction.operands[3], ScalarType::U32);
    op.d = builder.destination(instruction.operands[0], key.type);
    emitLanes(builder, instruction, key, op);
}

/// popc, clz, brev, bfind.
void lowerCount(KernelBuilder& builder, const Instruction& instruction)
{
    const std::string_view name = instruction.opcode;
    Modifiers modifiers(instruction);
    LaneKey key;
    key.op = name == "popc" ? LaneOp::Popc : name == "clz" ? LaneOp::Clz : LaneOp::Brev;
    if (name == "bfind")
        key.op = modifiers.take("shiftamt") ? LaneOp::BfindShift : LaneOp::Bfind;
    key.type = modifiers.takeType();
    modifiers.end();
    if (sizeOf(key.type) < 4 || isFloat(key.type) || isBits(key.type) == (name == "bfind"))
        throw Unsupported{};
    expectOperands(instruction, 2, 2);
    MicroOp op;
    op.a = builder.source(instruction.operands[1], key.type);
    op.d = builder.destination(instruction.operands[0], name == "brev" ? key.type : ScalarType::U32);
    emitLanes(builder, instruction, key, op);
}

void lowerField(KernelBuilder& builder, const Instruction& instruction)
{
    const bool insert = instruction.opcode == "bfi";
    Modifiers modifiers(instruction);
    const LaneKey key{insert ? LaneOp::Bfi : LaneOp::Bfe, modifiers.takeType()};
    modifiers.end();
    if (sizeOf(key.type) < 4 || isFloat(key.type) || isBits(key.type) != insert)
        throw Unsupported{};
    expectOperands(instruction, insert ? 5 : 4, insert ? 5 : 4);
    const auto& operands = instruction.operands;
    MicroOp op;
    op.a = builder.source(operands[1], key.type);
    op.b = builder.source(operands[2], insert ? key.type : ScalarType::U32);
    op.c = builder.source(operands[3], ScalarType::U32);
    op.e = insert ? builder.source(operands[4], ScalarType::U32) : 0;
    op.d = builder.destination(operands[0], key.type);
    emitLanes(builder, instruction, key, op);
}

void lowerPermute(KernelBuilder& builder, const Instruction& instruction)
{
    constexpr std::array<std::string_view, 6> modes{"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    Modifiers modifiers(instruction);
    MicroOp op;
    for (std::uint32_t at = 0; at < modes.size(); ++at) {
        if (modifiers.take(modes[at]))
            op.flags = at + 1;
    }
    const LaneKey key{LaneOp::Prmt, modifiers.takeType()};
    modifiers.end();
    if (key.type != ScalarType::B32)
        throw Unsupported{};
    expectOperands(instruction, 4, 4);
    op.a = builder.source(instruction.operands[1], key.type);
    op.b = builder.source(instruction.operands[2], key.type);
    op.c = builder.source(instruction.operands[3], key.type);
    op.d = builder.destination(instruction.operands[0], key.type);
    emitLanes(builder, instruction, key, op);
}

/// lop3, and its form that also compares the result with zero: lop3.or.b32 d|p, a, b, c, table, q.
void lowerLop3(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    const std::uint32_t combine = modifiers.take("and") ? kBoolAnd : modifiers.take("or") ? kBoolOr : kBoolNone;
    const LaneKey key{LaneOp::Lop3, modifiers.takeType()};
    modifiers.end();
    if (key.type != ScalarType::B32)
        throw Unsupported{};
    const std::size_t count = combine != kBoolNone ? 6 : 5;
    expectOperands(instruction, count, count);
    const auto& operands = instruction.operands;
    if (operands[4].kind != Operand::Kind::Integer)
        throw SyntaxError{badPtx(operands[4].place, "the table of lop3 is a constant")};
    MicroOp op;
    op.a = builder.source(operands[1], key.type);
    op.b = builder.source(operands[2], key.type);
    op.c = builder.source(operands[3], key.type);
    op.flags = static_cast<std::uint32_t>(operands[4].bits & 0xff);
    const bool pair = operands[0].kind == Operand::Kind::Pair;
    if (pair != (combine != kBoolNone))
        throw SyntaxError{badPtx(instruction.place, "lop3 gives a predicate where it names .and or .or")};
    op.d = builder.destination(pair ? operands[0].parts[0] : operands[0], key.type);
    emitLanes(builder, instruction, key, op);
    if (!pair)
        return;
    MicroOp test;
    bool flip = false;
    test.a = op.d;
    test.b = builder.constant(0, 4);
    test.c = builder.predicateSource(operands[5], flip);
    test.flags = combine | (flip ? kBoolFlipC : 0u);
    test.d = builder.predicateDestination(operands[0].parts[1]);
    if (test.d == kNone)
        test.d = builder.newPredicate();
    test.e = kNone;
    LaneKey compare{LaneOp::SetPredicate, ScalarType::B32, Compare::Ne};
    test.run = findLaneOp(compare);
    builder.emit(instruction, test).counted = false;
}

/// bmsk, szext, fns.
void lowerRareBits(KernelBuilder& builder, const Instruction& instruction)
{
    const std::string_view name = instruction.opcode;
    Modifiers modifiers(instruction);
    LaneKey key;
    key.op = LaneOp::Fns;
    if (name != "fns") {
        const bool clamp = modifiers.take("clamp");
        if (!clamp && !modifiers.take("wrap"))
            throw Unsupported{"it needs .clamp or .wrap"};
        key.op = name == "bmsk" ? (clamp ? LaneOp::Bmsk : LaneOp::BmskWrap)
                                : (clamp ? LaneOp::SzextClamp : LaneOp::SzextWrap);
    }
    key.type = modifiers.takeType();
    modifiers.end();
    if (sizeOf(key.type) != 4 || isFloat(key.type) || isBits(key.type) == (name == "szext"))
        throw Unsupported{};
    const std::size_t count = name == "fns" ? 4 : 3;
    expectOperands(instruction, count, count);
    MicroOp op;
    op.a = builder.source(instruction.operands[1], ScalarType::B32);
    op.b = builder.source(instruction.operands[2], ScalarType::B32);
    op.c = count == 4 ? builder.source(instruction.operands[3], ScalarType::B32) : op.a;
    op.d = builder.destination(instruction.operands[0], ScalarType::B32);
    emitLanes(builder, instruction, key, op);
}

/// dp4a and dp2a.lo, dp2a.hi.
void lowerDot(KernelBuilder& builder, const Instruction& instruction)
{
    const bool isTwo = instruction.opcode == "dp2a";
    Modifiers modifiers(instruction);
    const bool upper = isTwo && modifiers.take("hi");
    if (isTwo && !upper && !modifiers.take("lo"))
        throw Unsupported{"it needs .lo or .hi"};
    const ScalarType typeB = modifiers.takeType();
    const ScalarType typeA = modifiers.takeType();
    modifiers.end();
    const auto isWord = [](ScalarType t) { return t == ScalarType::U32 || t == ScalarType::S32; };
    if (!isWord(typeA) || !isWord(typeB))
        throw Unsupported{};
    expectOperands(instruction, 4, 4);
    MicroOp op;
    op.flags = (isSigned(typeA) ? kDotSignedA : 0u) | (isSigned(typeB) ? kDotSignedB : 0u) | (upper ? kDotUpper : 0u);
    op.a = builder.source(instruction.operands[1], typeA);
    op.b = builder.source(instruction.operands[2], typeB);
    op.c = builder.source(instruction.operands[3], ScalarType::U32);
    op.d = builder.destination(instruction.operands[0], ScalarType::U32);
    emitLanes(builder, instruction, {isTwo ? LaneOp::Dp2a : LaneOp::Dp4a, ScalarType::U32}, op);
}

} // namespace

Lowering findBitwise(std::string_view opcode)
{
    static const NameMap<Lowering> table{
        {"and", lowerLogic},    {"or", lowerLogic},  {"xor", lowerLogic},     {"not", lowerLogic},
        {"cnot", lowerLogic},   {"shl", lowerShift}, {"shr", lowerShift},     {"shf", lowerFunnelShift},
        {"popc", lowerCount},   {"clz", lowerCount}, {"brev", lowerCount},    {"bfind", lowerCount},
        {"bfe", lowerField},    {"bfi", lowerField}, {"prmt", lowerPermute},  {"lop3", lowerLop3},
        {"dp4a", lowerDot},     {"dp2a", lowerDot},  {"bmsk", lowerRareBits}, {"szext", lowerRareBits},
        {"fns", lowerRareBits},
    };
    const auto found = table.find(opcode);
    return found == table.end() ? nullptr : found->second;
}

} // namespace ridge::gpu::simt
