// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/lower_tcgen05.h"

#include "gpu/simt/run/async_ops.h"
#include "gpu/simt/run/misc_ops.h"
#include "gpu/simt/run/tensor_memory.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace ridge::gpu::simt {

namespace {

std::uint32_t addressOf(KernelBuilder& builder, const Instruction& instruction, const Operand& operand)
{
    return builder.addressInPlane(instruction, builder.address(operand));
}

/// A register that holds an address without brackets.
std::uint32_t widened(KernelBuilder& builder, const Instruction& instruction, const Operand& operand)
{
    LaneKey key{LaneOp::Convert};
    key.convert = {ScalarType::U64, ScalarType::U32, 8, 4};
    MicroOp op;
    op.a = builder.source(operand, ScalarType::B32);
    op.d = builder.newPlane(8);
    op.flags = laneFlags(key);
    op.run = findLaneOp(key);
    builder.emit(instruction, op).counted = false;
    return op.d;
}

/// kTensorPair for two blocks, else 0.
std::uint32_t takeGroup(Modifiers& modifiers)
{
    if (modifiers.take("cta_group::2"))
        return kTensorPair;
    if (!modifiers.take("cta_group::1"))
        throw Unsupported{"it has .cta_group::1 or .cta_group::2"};
    return 0;
}

void takeTogether(Modifiers& modifiers)
{
    if (!modifiers.take("sync") || !modifiers.take("aligned"))
        throw Unsupported{"it is .sync.aligned"};
}

void emit(KernelBuilder& builder, const Instruction& instruction, TensorMemoryOp what, MicroOp op)
{
    op.run = findTensorMemoryOp(what);
    builder.emit(instruction, op);
}

void emitHint(KernelBuilder& builder, const Instruction& instruction)
{
    MicroOp op;
    op.run = findMiscOp(MiscOp::Hint);
    builder.emit(instruction, op);
}

void lowerAllocation(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers, bool frees)
{
    MicroOp op;
    op.flags = takeGroup(modifiers);
    takeTogether(modifiers);
    modifiers.take("shared::cta");
    if (!modifiers.take("b32"))
        throw Unsupported{};
    modifiers.end();
    expectOperands(instruction, 2, 2);
    op.a = frees ? widened(builder, instruction, instruction.operands[0])
                 : addressOf(builder, instruction, instruction.operands[0]);
    op.b = builder.source(instruction.operands[1], ScalarType::B32);
    emit(builder, instruction, frees ? TensorMemoryOp::Free : TensorMemoryOp::Allocate, op);
}

/// .red, the operation and its type, in any order, as ptxas takes them; 0 without .red.
std::uint32_t takeReduction(Modifiers& modifiers)
{
    if (!modifiers.take("red"))
        return 0;
    std::uint32_t flags = kTensorReduces;
    if (modifiers.take("max"))
        flags |= kTensorMost;
    else if (!modifiers.take("min"))
        throw Unsupported{"it reduces with .min or .max"};
    if (modifiers.take("abs"))
        flags |= kTensorMagnitudes;
    if (modifiers.take("NaN"))
        flags |= kTensorKeepsNan;
    const bool isPlain = (flags & (kTensorMagnitudes | kTensorKeepsNan)) == 0;
    if (modifiers.take("f32"))
        return flags | kTensorFloats;
    if (isPlain && modifiers.take("s32"))
        return flags | kTensorSigned;
    if (isPlain && modifiers.take("u32"))
        return flags;
    throw Unsupported{"it reduces .f32, and without .abs and .NaN .u32 and .s32"};
}

void lowerMove(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers, bool isLoad)
{
    constexpr std::array<std::string_view, 5> shapes{"32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"};
    const std::uint32_t reduction = isLoad ? takeReduction(modifiers) : 0;
    const bool reduces = reduction != 0;
    takeTogether(modifiers);
    const auto shape =
        std::find_if(shapes.begin(), shapes.end(), [&](std::string_view word) { return modifiers.take(word); });
    if (shape == shapes.end())
        throw Unsupported{"its shape is not simulated"};
    MicroOp op;
    op.flags = static_cast<std::uint32_t>(shape - shapes.begin());
    const bool isSplit = op.flags == static_cast<std::uint32_t>(TensorShape::Lanes16x32x2);
    std::size_t count = 0;
    for (const std::string_view word : words(modifiers)) {
        if (word.starts_with('x')) {
            std::from_chars(word.data() + 1, word.data() + word.size(), count);
            modifiers.take(word);
        }
    }
    if (!reduces && modifiers.take(isLoad ? "pack::16b" : "unpack::16b"))
        op.flags |= kTensorPacks;
    if (reduces && ((!isSplit && op.flags != static_cast<std::uint32_t>(TensorShape::Lanes32x32)) || count < 2))
        throw Unsupported{"it reduces .32x32b and .16x32bx2 from .x2 on"};
    op.flags |= reduction;
    if (op.flags % 16 == static_cast<std::uint32_t>(TensorShape::Lanes16x128))
        count *= 2;
    else if (op.flags % 16 == static_cast<std::uint32_t>(TensorShape::Lanes16x256))
        count *= 4;
    if (count == 0 || count > 128 || (!reduces && !modifiers.take("b32")))
        throw Unsupported{};
    modifiers.end();
    const std::size_t address = isLoad ? (reduces ? 2 : 1) : 0, wanted = 2 + (isSplit ? 1 : 0) + (reduces ? 1 : 0);
    expectOperands(instruction, wanted, wanted);
    const auto& operands = instruction.operands;
    if (isSplit) { // the immediate is last of a load and in the middle of a store
        const Operand& half = operands[address + 1];
        if (half.kind != Operand::Kind::Integer)
            throw Unsupported{"the place of the second half is a constant"};
        op.imm = static_cast<std::int64_t>(half.bits);
    }
    const Operand& values = isLoad ? operands.front() : operands.back();
    const bool isVector = values.kind == Operand::Kind::Vector;
    if ((isVector ? values.parts.size() : 1) != count)
        throw SyntaxError{badPtx(values.place, std::to_string(count) + " registers are expected")};
    MatrixDetail t;
    op.a = addressOf(builder, instruction, operands[address]);
    for (std::size_t at = 0; at < count; ++at) {
        const Operand& value = isVector ? values.parts[at] : values;
        if (isLoad)
            t.planesD.push_back(builder.destination(value, ScalarType::B32));
        else
            t.planesA.push_back(builder.source(value, ScalarType::B32));
    }
    if (reduces) { // Triton writes it as a vector of one
        const bool isOne = operands[1].kind == Operand::Kind::Vector && operands[1].parts.size() == 1;
        t.planesD.push_back(builder.destination(isOne ? operands[1].parts[0] : operands[1], ScalarType::B32));
    }
    op.e = builder.addMatrix(std::move(t));
    emit(builder, instruction, isLoad ? TensorMemoryOp::Load : TensorMemoryOp::Store, op);
}

void lowerCopy(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> shapes{{{"128x256b", ""},
                                                                                   {"4x256b", ""},
                                                                                   {"128x128b", ""},
                                                                                   {"64x128b", "warpx2::02_13"},
                                                                                   {"64x128b", "warpx2::01_23"},
                                                                                   {"32x128b", "warpx4"}}};
    MicroOp op;
    op.flags = takeGroup(modifiers);
    const auto left = words(modifiers);
    const auto has = [&](std::string_view word) {
        return word.empty() || std::find(left.begin(), left.end(), word) != left.end();
    };
    const auto shape =
        std::find_if(shapes.begin(), shapes.end(), [&](const auto& one) { return has(one.first) && has(one.second); });
    if (shape == shapes.end())
        throw Unsupported{"its shape is 128x256b, 4x256b, 128x128b, 64x128b with .warpx2 or 32x128b with .warpx4"};
    modifiers.take(shape->first);
    modifiers.take(shape->second);
    op.flags |= static_cast<std::uint32_t>(shape - shapes.begin());
    if (modifiers.take("b8x16"))
        op.flags |= modifiers.take("b4x16_p64")   ? kTensorFours
                    : modifiers.take("b6x16_p32") ? kTensorSixes
                                                  : throw Unsupported{"it unpacks .b4x16_p64 or .b6x16_p32"};
    modifiers.end();
    expectOperands(instruction, 2, 2);
    op.a = addressOf(builder, instruction, instruction.operands[0]);
    op.b = builder.source(instruction.operands[1], ScalarType::B64);
    emit(builder, instruction, TensorMemoryOp::Copy, op);
}

/// How many scales a row has; 0 without scales.
std::uint16_t takeScales(Modifiers& modifiers, std::uint32_t kind)
{
    if (kind < kTensorScaled)
        return 0;
    if (!modifiers.take("block_scale"))
        throw Unsupported{"this kind has .block_scale"};
    const bool isFine = kind == kTensorFineFours;
    const std::uint16_t usual = kind == kTensorScaled ? 1 : isFine ? 4 : 2;
    const std::uint16_t scales = modifiers.take("scale_vec::1X")   ? 1
                                 : modifiers.take("scale_vec::2X") ? 2
                                 : modifiers.take("scale_vec::4X") ? 4
                                 : modifiers.take("block16")       ? 4
                                 : modifiers.take("block32")       ? kind == kTensorScaled ? 1 : 2
                                                                   : usual;
    if (scales != usual && (!isFine || scales != 2))
        throw Unsupported{"this combination of kind and .scale_vec does not exist"};
    return scales;
}

void lowerProduct(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers)
{
    MicroOp op;
    MatrixDetail t;
    const bool isStationary = modifiers.take("ws");
    op.flags = takeGroup(modifiers) | (isStationary ? kTensorStationary : 0u);
    constexpr std::array<std::string_view, 7> kinds{"kind::f16",      "kind::tf32", "kind::f8f6f4",  "kind::i8",
                                                    "kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4"};
    const auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](std::string_view word) { return modifiers.take(word); });
    if (kind == kinds.end())
        throw Unsupported{"its kind is not simulated"};
    const auto number = static_cast<std::uint32_t>(kind - kinds.begin());
    op.flags |= number;
    t.n = takeScales(modifiers, number);
    for (const std::string_view word : words(modifiers))
        if (word.starts_with("collector::")) // which operands stay in the unit: no results
            modifiers.take(word);
    modifiers.end();
    const auto& operands = instruction.operands;
    const std::size_t scales = t.n != 0 ? 2 : 0;
    expectOperands(instruction, 5 + scales, 7);
    op.a = addressOf(builder, instruction, operands[0]);
    if (operands[1].kind == Operand::Kind::Memory) {
        op.flags |= kTensorA;
        op.b = addressOf(builder, instruction, operands[1]);
    } else {
        op.b = builder.source(operands[1], ScalarType::B64);
    }
    op.c = builder.source(operands[2], ScalarType::B64);
    op.d = builder.source(operands[3], ScalarType::B32);
    std::size_t next = 4;
    for (; next < 4 + scales; ++next)
        t.planesB.push_back(addressOf(builder, instruction, operands[next]));
    if (operands[next].kind == Operand::Kind::Vector) {
        const Operand& lanes = operands[next++];
        if (lanes.parts.size() != ((op.flags & kTensorPair) != 0 ? 8 : 4))
            throw SyntaxError{badPtx(lanes.place, "lanes that stay as they are take four registers, eight of a pair")};
        for (const Operand& part : lanes.parts)
            t.planesA.push_back(builder.source(part, ScalarType::B32));
    }
    if (next >= operands.size())
        throw SyntaxError{badPtx(operands.back().place, "the predicate that keeps D is missing")};
    bool flip = false;
    const std::uint32_t predicate = builder.predicateSource(operands[next++], flip);
    op.imm = static_cast<std::int64_t>(predicate) | std::int64_t{flip} << 32;
    if (next < operands.size() && isStationary) {
        t.planesB.push_back(builder.source(operands[next++], ScalarType::B64));
    } else if (next < operands.size()) {
        constexpr std::uint64_t kMost = 15;
        const bool isConstant = operands[next].kind == Operand::Kind::Integer && operands[next].bits <= kMost;
        if (!isConstant || number > kTensorTf32)
            throw Unsupported{"D is divided by a power of two from 0 to 15, a constant, of .kind::f16 and .kind::tf32"};
        t.selector = static_cast<std::uint8_t>(operands[next++].bits);
    }
    if (next != operands.size())
        throw Unsupported{"an operand is not known"};
    op.e = builder.addMatrix(std::move(t));
    emit(builder, instruction, TensorMemoryOp::Multiply, op);
}

/// Products and copies are done when they are issued: the mbarriers hear of it at once.
void lowerCommit(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers)
{
    takeGroup(modifiers);
    const bool arrives = modifiers.take("mbarrier::arrive::one");
    modifiers.take("shared::cluster");
    const bool isMulticast = modifiers.take("multicast::cluster");
    modifiers.take("b64");
    modifiers.end();
    expectOperands(instruction, isMulticast ? 2 : 1, isMulticast ? 2 : 1);
    if (!arrives)
        throw Unsupported{};
    MicroOp op;
    op.a = addressOf(builder, instruction, instruction.operands[0]);
    op.b = op.c = op.d = kNone;
    if (isMulticast) {
        op.e = builder.source(instruction.operands[1], ScalarType::B16);
        op.flags = kArriveRanks;
    }
    op.run = findAsyncOp(AsyncOp::BarrierArrive);
    op.detail = builder.addDetail({});
    builder.emit(instruction, op);
}

} // namespace

void lowerTensorMemory(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    const std::string_view name = modifiers.takeFirst();
    if (name == "alloc" || name == "dealloc")
        return lowerAllocation(builder, instruction, modifiers, name == "dealloc");
    if (name == "ld" || name == "st")
        return lowerMove(builder, instruction, modifiers, name == "ld");
    if (name == "mma")
        return lowerProduct(builder, instruction, modifiers);
    if (name == "cp")
        return lowerCopy(builder, instruction, modifiers);
    if (name == "shift") {
        MicroOp op;
        op.flags = takeGroup(modifiers);
        if (!modifiers.take("down"))
            throw Unsupported{};
        modifiers.end();
        expectOperands(instruction, 1, 1);
        op.a = addressOf(builder, instruction, instruction.operands[0]);
        return emit(builder, instruction, TensorMemoryOp::Shift, op);
    }
    if (name == "commit")
        return lowerCommit(builder, instruction, modifiers);
    if (name == "relinquish_alloc_permit") {
        takeGroup(modifiers);
        takeTogether(modifiers);
        modifiers.end();
        expectOperands(instruction, 0, 0);
        return emit(builder, instruction, TensorMemoryOp::Relinquish, {});
    }
    if (name == "wait::ld" || name == "wait::st") {
        takeTogether(modifiers);
        modifiers.end();
        return emitHint(builder, instruction);
    }
    if (name == "fence::before_thread_sync" || name == "fence::after_thread_sync") {
        modifiers.end();
        return emitHint(builder, instruction);
    }
    throw Unsupported{};
}

} // namespace ridge::gpu::simt
