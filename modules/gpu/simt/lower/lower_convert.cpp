// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lanes/packed_convert.h"
#include "gpu/simt/lower/families.h"
#include "gpu/simt/lower/lower_block_scale.h"
#include "gpu/simt/lower/lower_small_convert.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ridge::gpu::simt {

namespace {

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

/// Between packed formats, and to tf32. Of two f32 sources the first is the upper part.
void lowerPackedCvt(KernelBuilder& builder, const Instruction& instruction, const PackedConvert& convert)
{
    const OpFunction run = findPackedConvert(convert);
    if (run == nullptr)
        throw Unsupported{};
    const auto registerOf = [](ScalarType type) { return sizeOf(type) == 2 ? ScalarType::B16 : ScalarType::B32; };
    const bool two = convert.from == ScalarType::F32 && convert.to != ScalarType::TF32;
    expectOperands(instruction, two ? 3 : 2, two ? 3 : 2);
    MicroOp op;
    op.run = run;
    op.flags = packConvertFlags(convert);
    op.a = builder.source(instruction.operands[1], two ? ScalarType::F32 : registerOf(convert.from));
    op.b = two ? builder.source(instruction.operands[2], ScalarType::F32) : op.a;
    op.d = builder.destination(instruction.operands[0], registerOf(convert.to));
    builder.emit(instruction, op);
}

bool isPacked(ScalarType type)
{
    return type == ScalarType::F16x2 || type == ScalarType::BF16x2 || type == ScalarType::E4M3x2 ||
           type == ScalarType::E5M2x2 || type == ScalarType::TF32;
}

/// cvt.pack.sat.TYPE.s32 d, a, b: both cut to the range of the type, a above b; with .b32 and a c, which moves up.
void lowerPack(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers)
{
    struct Narrow {
        std::string_view text;
        unsigned bits;
        bool isSigned;
    };
    constexpr std::array<Narrow, 8> narrows{{{"u16", 16, false},
                                             {"s16", 16, true},
                                             {"u8", 8, false},
                                             {"s8", 8, true},
                                             {"u4", 4, false},
                                             {"s4", 4, true},
                                             {"u2", 2, false},
                                             {"s2", 2, true}}};
    const bool saturates = modifiers.take("sat");
    const auto narrow =
        std::find_if(narrows.begin(), narrows.end(), [&](const Narrow& row) { return modifiers.take(row.text); });
    const bool fromWords = modifiers.take("s32"), appends = modifiers.take("b32");
    modifiers.end();
    if (!saturates || narrow == narrows.end() || !fromWords || appends != (narrow->bits < 16))
        throw Unsupported{
            "it packs .s32 with .sat: two to .u16 or .s16, or two to narrower ones with .b32 and a third operand"};
    expectOperands(instruction, appends ? 4 : 3, appends ? 4 : 3);
    const auto& operands = instruction.operands;
    std::array<std::uint32_t, 2> given{};
    for (std::size_t at = 0; at < 2; ++at)
        given[at] = builder.source(operands[at + 1], ScalarType::S32);
    const std::uint32_t above = appends ? builder.source(operands[3], ScalarType::B32) : kNone;
    const std::uint32_t result = builder.destination(operands[0], ScalarType::B32);
    bool isFirst = true; // one instruction to those who count
    const auto step = [&](LaneOp op, ScalarType type, std::uint32_t d, std::uint32_t a, std::uint32_t b,
                          std::uint32_t c = 0, std::uint32_t e = 0) {
        MicroOp made;
        made.d = d;
        made.a = a;
        made.b = b;
        made.c = c;
        made.e = e;
        const LaneKey key{op, type};
        made.flags = laneFlags(key);
        made.run = findLaneOp(key);
        builder.emit(instruction, made).counted = std::exchange(isFirst, false);
        return d;
    };
    const unsigned bits = narrow->bits;
    const std::int64_t high = (std::int64_t{1} << (narrow->isSigned ? bits - 1 : bits)) - 1;
    const std::int64_t low = narrow->isSigned ? -high - 1 : 0;
    const auto constant = [&](std::int64_t value) { return builder.constant(static_cast<std::uint32_t>(value), 4); };
    for (std::uint32_t& value : given) {
        value = step(LaneOp::Max, ScalarType::S32, builder.newPlane(4), value, constant(low));
        value = step(LaneOp::Min, ScalarType::S32, builder.newPlane(4), value, constant(high));
    }
    const std::uint32_t base =
        appends ? step(LaneOp::Shl, ScalarType::B32, builder.newPlane(4), above, constant(2 * bits)) : given[1];
    const std::uint32_t upper = step(LaneOp::Bfi, ScalarType::B32, appends ? builder.newPlane(4) : result, given[0],
                                     base, constant(bits), constant(bits));
    if (appends)
        step(LaneOp::Bfi, ScalarType::B32, result, given[1], upper, constant(0), constant(bits));
}

void lowerCvt(KernelBuilder& builder, const Instruction& instruction)
{
    if (lowerSmallConvert(builder, instruction) || lowerNarrowConvert(builder, instruction))
        return;
    if (instruction.has("rs"))
        return lowerStochasticConvert(builder, instruction);
    Modifiers modifiers(instruction);
    if (modifiers.take("pack"))
        return lowerPack(builder, instruction, modifiers);
    LaneKey key;
    key.op = LaneOp::Convert;
    ConvertSpec& c = key.convert;
    c.toInteger = takeIntegralRounding(modifiers, c.rounding);
    const auto rounding = modifiers.takeRounding();
    c.rounding = rounding.value_or(c.rounding);
    c.flush = modifiers.take("ftz");
    c.saturate = modifiers.take("sat");
    c.relu = modifiers.take("relu");
    const bool ties = modifiers.take("rna");
    const bool finite = modifiers.take("satfinite");
    c.from = modifiers.takeType();
    c.to = modifiers.takeType();
    modifiers.end();
    const bool byte = c.to == ScalarType::E4M3x2 || c.to == ScalarType::E5M2x2;
    if (isPacked(c.to) && (rounding || ties) && !c.toInteger && !c.flush && !c.saturate && finite == byte)
        return lowerPackedCvt(builder, instruction, {c.to, c.from, c.rounding, ties, c.relu});
    const bool half = c.to == ScalarType::F16 || c.to == ScalarType::BF16;
    if (ties || finite || (c.relu && (!half || c.from != ScalarType::F32)))
        throw Unsupported{};
    const auto isPlain = [](ScalarType t) { return !isBits(t) && sizeOf(t) > 0 && t < ScalarType::B128; };
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

} // namespace

Lowering findConvert(std::string_view opcode)
{
    return opcode == "cvt" ? &lowerCvt : nullptr;
}

} // namespace ridge::gpu::simt
