// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/families.h"

namespace ridge::gpu::simt {

namespace {

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
    if (isFloat(key.type) && key.type != ScalarType::F32 && key.type != ScalarType::F64)
        op.flags |= static_cast<std::uint32_t>(key.compare) << kCompareShift;
    const std::size_t count = (op.flags & 3) != kBoolNone ? 4 : 3;
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
    if (sizeOf(key.type) < 2 || sizeOf(key.type) > 8)
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

/// What `set` gives where the comparison holds: all ones, or 1.0 of the destination's format.
std::uint64_t trueValue(ScalarType type)
{
    switch (type) {
    case ScalarType::F32:
        return 0x3f800000u;
    case ScalarType::F16:
    case ScalarType::F16x2:
        return 0x3c00u;
    case ScalarType::BF16:
    case ScalarType::BF16x2:
        return 0x3f80u;
    default:
        return 0xffffffffu;
    }
}

/// set: a comparison into a predicate, then a selection of constants; packed, one for each half.
void lowerSet(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    LaneKey key;
    key.op = LaneOp::SetPredicate;
    key.flush = modifiers.take("ftz");
    key.type = modifiers.takeType();
    const ScalarType to = modifiers.takeType();
    const auto compare = compareFromText(modifiers.takeFirst(), isFloat(key.type));
    MicroOp test;
    test.flags = modifiers.take("and")   ? kBoolAnd
                 : modifiers.take("or")  ? kBoolOr
                 : modifiers.take("xor") ? kBoolXor
                                         : 0u;
    modifiers.end();
    const bool packed = key.type == ScalarType::F16x2 || key.type == ScalarType::BF16x2;
    const bool fits = packed ? sizeOf(to) == 4 : sizeOf(to) == 4 || (sizeOf(to) == 2 && sizeOf(key.type) == 2);
    if (!compare || !fits || isBits(to))
        throw Unsupported{};
    key.compare = *compare;
    const std::size_t count = test.flags != kBoolNone ? 4 : 3;
    expectOperands(instruction, count, count);
    const auto& operands = instruction.operands;
    test.a = builder.source(operands[1], key.type);
    test.b = builder.source(operands[2], key.type);
    test.c = builder.truePredicate();
    if (count == 4) {
        bool flip = false;
        test.c = builder.predicateSource(operands[3], flip);
        test.flags |= flip ? kBoolFlipC : 0u;
    }
    if (isFloat(key.type))
        test.flags |= static_cast<std::uint32_t>(key.compare) << kCompareShift;
    test.d = builder.newPredicate();
    test.e = packed ? builder.newPredicate() : kNone;
    test.run = findLaneOp(key);
    if (test.run == nullptr)
        throw Unsupported{};
    builder.emit(instruction, test).counted = false;
    const std::uint32_t result = builder.destination(operands[0], to);
    const unsigned width = sizeOf(to);
    const std::uint64_t one = packed ? trueValue(to) & 0xffffu : trueValue(to);
    const ScalarType bits = width == 2 ? ScalarType::B16 : ScalarType::B32;
    MicroOp low;
    low.a = builder.constant(one, width);
    low.b = builder.constant(0, width);
    low.c = test.d;
    low.d = packed ? builder.newPlane(4) : result;
    if (!packed)
        return emitLanes(builder, instruction, {LaneOp::Selp, bits}, low);
    low.run = findLaneOp({LaneOp::Selp, bits});
    builder.emit(instruction, low).counted = false;
    MicroOp high = low;
    high.a = builder.constant(one << 16, width);
    high.c = test.e;
    high.d = builder.newPlane(4);
    builder.emit(instruction, high).counted = false;
    MicroOp both;
    both.a = low.d;
    both.b = high.d;
    both.d = result;
    emitLanes(builder, instruction, {LaneOp::Or, ScalarType::B32}, both);
}

void lowerSlct(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    const bool flush = modifiers.take("ftz");
    const ScalarType by = modifiers.takeType();
    const LaneKey key{LaneOp::Slct, modifiers.takeType()};
    modifiers.end();
    if ((by != ScalarType::S32 && by != ScalarType::F32) || sizeOf(key.type) < 2 || sizeOf(key.type) > 8)
        throw Unsupported{};
    expectOperands(instruction, 4, 4);
    MicroOp op;
    op.a = builder.source(instruction.operands[1], key.type);
    op.b = builder.source(instruction.operands[2], key.type);
    op.c = builder.source(instruction.operands[3], by);
    op.d = builder.destination(instruction.operands[0], key.type);
    op.flags = (by == ScalarType::F32 ? kSlctReal : 0u) | (flush ? kSlctFlush : 0u);
    emitLanes(builder, instruction, key, op);
}

void lowerTestp(KernelBuilder& builder, const Instruction& instruction)
{
    constexpr std::array<std::string_view, 6> names{"finite",     "infinite", "number",
                                                    "notanumber", "normal",   "subnormal"};
    Modifiers modifiers(instruction);
    LaneKey key;
    key.type = modifiers.takeType();
    const auto name = std::find(names.begin(), names.end(), modifiers.takeFirst());
    modifiers.end();
    if (name == names.end())
        throw Unsupported{};
    key.op = static_cast<LaneOp>(static_cast<int>(LaneOp::TestFinite) + static_cast<int>(name - names.begin()));
    expectOperands(instruction, 2, 2);
    MicroOp op;
    op.a = builder.source(instruction.operands[1], key.type);
    op.d = builder.predicateDestination(instruction.operands[0]);
    if (op.d == kNone)
        op.d = builder.newPredicate();
    emitLanes(builder, instruction, key, op);
}

} // namespace

Lowering findCompare(std::string_view opcode)
{
    static const NameMap<Lowering> table{
        {"setp", lowerSetp}, {"set", lowerSet}, {"selp", lowerSelp}, {"slct", lowerSlct}, {"testp", lowerTestp},
    };
    const auto found = table.find(opcode);
    return found == table.end() ? nullptr : found->second;
}

} // namespace ridge::gpu::simt
