// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/lower_tensormap.h"

#include "gpu/simt/image/tensor_map.h"
#include "gpu/simt/run/tensor_map_ops.h"

namespace ridge::gpu::simt {

namespace {

constexpr std::array<std::string_view, 10> kFields{"global_address", "rank",           "box_dim",  "global_dim",
                                                   "global_stride",  "element_stride", "elemtype", "interleave_layout",
                                                   "swizzle_mode",   "fill_mode"};

std::uint32_t addressOf(KernelBuilder& builder, const Instruction& instruction, const Operand& operand)
{
    return builder.addressInPlane(instruction, builder.address(operand));
}

std::uint64_t constantOf(const Operand& operand, const char* what)
{
    if (operand.kind != Operand::Kind::Integer)
        throw SyntaxError{badPtx(operand.place, std::string(what) + " is a constant")};
    return operand.bits;
}

/// A value of 32 bits in a plane of 64.
std::uint32_t widened(KernelBuilder& builder, const Instruction& instruction, std::uint32_t plane)
{
    LaneKey key{LaneOp::Convert};
    key.convert = {ScalarType::U64, ScalarType::U32, 8, 4};
    MicroOp op;
    op.a = plane;
    op.d = builder.newPlane(8);
    op.flags = laneFlags(key);
    op.run = findLaneOp(key);
    builder.emit(instruction, op).counted = false;
    return op.d;
}

void lowerReplace(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers)
{
    if (!modifiers.take("tile"))
        throw Unsupported{"only .tile maps are supported"};
    const auto field =
        std::find_if(kFields.begin(), kFields.end(), [&](std::string_view name) { return modifiers.take(name); });
    if (field == kFields.end())
        throw Unsupported{"its field is not known here"};
    MicroOp op;
    op.flags = modifiers.take("global") ? kMapGlobal : modifiers.take("shared::cta") ? kMapShared : kMapGeneric;
    if (!modifiers.take("b1024"))
        throw Unsupported{};
    const ScalarType type = modifiers.takeType();
    modifiers.end();
    const auto which = static_cast<TensorField>(field - kFields.begin());
    const bool isWide = which == TensorField::GlobalAddress || which == TensorField::GlobalStride;
    const bool isOrdered = which >= TensorField::BoxDim && which <= TensorField::ElementStride;
    if (type != (isWide ? ScalarType::B64 : ScalarType::B32))
        throw Unsupported{std::string("its type is ") + (isWide ? ".b64" : ".b32")};
    expectOperands(instruction, isOrdered ? 3 : 2, isOrdered ? 3 : 2);
    op.a = addressOf(builder, instruction, instruction.operands[0]);
    op.c = static_cast<std::uint32_t>(which);
    op.e = isOrdered ? static_cast<std::uint32_t>(
                           std::min<std::uint64_t>(constantOf(instruction.operands[1], "the dimension"), 99))
                     : 0;
    const Operand& value = instruction.operands.back();
    if (which >= TensorField::ElementType) {
        op.b = kNone;
        op.imm = static_cast<std::int64_t>(constantOf(value, "the new value of this field"));
    } else {
        op.b = builder.source(value, type);
        if (!isWide)
            op.b = widened(builder, instruction, op.b);
    }
    op.run = findMapReplace();
    builder.emit(instruction, op);
}

void lowerCopy(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers)
{
    const bool spaces = modifiers.take("global") && modifiers.take("shared::cta");
    const bool fence = modifiers.take("tensormap::generic") && modifiers.take("release");
    const bool scope =
        modifiers.take("cta") || modifiers.take("cluster") || modifiers.take("gpu") || modifiers.take("sys");
    const bool isWhole = modifiers.take("sync") && modifiers.take("aligned");
    modifiers.end();
    if (!spaces || !fence || !scope || !isWhole)
        throw Unsupported{};
    expectOperands(instruction, 3, 3);
    if (constantOf(instruction.operands[2], "the size") != kTensorMapBytes)
        throw SyntaxError{badPtx(instruction.operands[2].place, "a tensor map has 128 bytes")};
    MicroOp op;
    op.b = addressOf(builder, instruction, instruction.operands[0]);
    op.a = addressOf(builder, instruction, instruction.operands[1]);
    op.run = findMapCopy();
    builder.emit(instruction, op);
}

} // namespace

void lowerTensorMap(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    if (modifiers.take("replace"))
        return lowerReplace(builder, instruction, modifiers);
    if (modifiers.take("cp_fenceproxy"))
        return lowerCopy(builder, instruction, modifiers);
    throw Unsupported{};
}

} // namespace ridge::gpu::simt
