// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/lower_tcgen05.h"

#include "gpu/simt/run/async_ops.h"
#include "gpu/simt/run/misc_ops.h"
#include "gpu/simt/run/tensor_memory.h"

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

void takeGroup(Modifiers& modifiers)
{
    if (!modifiers.take("cta_group::1"))
        throw Unsupported{"only .cta_group::1 is simulated"};
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
    takeGroup(modifiers);
    takeTogether(modifiers);
    modifiers.take("shared::cta");
    if (!modifiers.take("b32"))
        throw Unsupported{};
    modifiers.end();
    expectOperands(instruction, 2, 2);
    MicroOp op;
    op.a = frees ? widened(builder, instruction, instruction.operands[0])
                 : addressOf(builder, instruction, instruction.operands[0]);
    op.b = builder.source(instruction.operands[1], ScalarType::B32);
    emit(builder, instruction, frees ? TensorMemoryOp::Free : TensorMemoryOp::Allocate, op);
}

void lowerMove(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers, bool isLoad)
{
    takeTogether(modifiers);
    if (!modifiers.take("32x32b"))
        throw Unsupported{"only the shape .32x32b is simulated"};
    std::size_t count = 0;
    for (const std::string_view word : words(modifiers)) {
        if (word.starts_with('x')) {
            std::from_chars(word.data() + 1, word.data() + word.size(), count);
            modifiers.take(word);
        }
    }
    if (count == 0 || count > 128 || !modifiers.take("b32"))
        throw Unsupported{};
    modifiers.end();
    expectOperands(instruction, 2, 2);
    const Operand& values = instruction.operands[isLoad ? 0 : 1];
    const bool isVector = values.kind == Operand::Kind::Vector;
    if ((isVector ? values.parts.size() : 1) != count)
        throw SyntaxError{badPtx(values.place, "as many registers as columns are expected")};
    MicroOp op;
    MatrixDetail t;
    op.a = addressOf(builder, instruction, instruction.operands[isLoad ? 1 : 0]);
    for (std::size_t at = 0; at < count; ++at) {
        const Operand& value = isVector ? values.parts[at] : values;
        if (isLoad)
            t.planesD.push_back(builder.destination(value, ScalarType::B32));
        else
            t.planesA.push_back(builder.source(value, ScalarType::B32));
    }
    op.e = builder.addMatrix(std::move(t));
    emit(builder, instruction, isLoad ? TensorMemoryOp::Load : TensorMemoryOp::Store, op);
}

void lowerProduct(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers)
{
    takeGroup(modifiers);
    constexpr std::array<std::string_view, 4> kinds{"kind::f16", "kind::tf32", "kind::f8f6f4", "kind::i8"};
    const auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](std::string_view word) { return modifiers.take(word); });
    if (kind == kinds.end())
        throw Unsupported{"its kind is not simulated"};
    modifiers.end();
    expectOperands(instruction, 5, 5);
    const auto& operands = instruction.operands;
    MicroOp op;
    op.flags = static_cast<std::uint32_t>(kind - kinds.begin());
    op.a = addressOf(builder, instruction, operands[0]);
    if (operands[1].kind == Operand::Kind::Memory) {
        op.flags |= kTensorA;
        op.b = addressOf(builder, instruction, operands[1]);
    } else {
        op.b = builder.source(operands[1], ScalarType::B64);
    }
    op.c = builder.source(operands[2], ScalarType::B64);
    op.d = builder.source(operands[3], ScalarType::B32);
    bool flip = false;
    const std::uint32_t predicate = builder.predicateSource(operands[4], flip);
    op.imm = static_cast<std::int64_t>(predicate) | std::int64_t{flip} << 32;
    emit(builder, instruction, TensorMemoryOp::Multiply, op);
}

/// Products are done when they are issued: the mbarrier hears of it at once.
void lowerCommit(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers)
{
    takeGroup(modifiers);
    const bool arrives = modifiers.take("mbarrier::arrive::one");
    modifiers.take("shared::cluster");
    modifiers.take("b64");
    modifiers.end();
    expectOperands(instruction, 1, 1);
    if (!arrives)
        throw Unsupported{};
    MicroOp op;
    op.a = addressOf(builder, instruction, instruction.operands[0]);
    op.b = op.c = op.d = kNone;
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
