// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lanes/packed_convert.h"
#include "gpu/simt/lower/families.h"

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
