// SPDX-License-Identifier: GPL-3.0-or-later
// cp.async, cp.async.bulk with and without tensors, mbarrier (PTX ISA, "Data Movement and Conversion Instructions:
// Asynchronous copy", "mbarrier").
#include "gpu/simt/lower/families.h"
#include "gpu/simt/lower/lower_launch_control.h"
#include "gpu/simt/lower/lower_tcgen05.h"
#include "gpu/simt/lower/lower_tensormap.h"
#include "gpu/simt/run/async_ops.h"
#include "gpu/simt/run/atomics.h"
#include "gpu/simt/run/misc_ops.h"

namespace ridge::gpu::simt {

namespace {

void emitHint(KernelBuilder& builder, const Instruction& instruction, std::int64_t number = 0)
{
    MicroOp op;
    op.imm = number;
    op.run = findMiscOp(MiscOp::Hint);
    builder.emit(instruction, op);
}

/// Copies are done when they are issued: closing and awaiting groups has nothing left to do. Detectors look at how many
/// groups may be left; -1: none, what stands in no group yet neither.
void lowerGroup(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers)
{
    std::int64_t left = 0;
    if (modifiers.take("wait_group")) {
        modifiers.take("read");
        expectOperands(instruction, 1, 1);
        const Operand& number = instruction.operands[0];
        if (number.kind != Operand::Kind::Integer)
            throw SyntaxError{badPtx(number.place, "the number of groups is a constant")};
        left = static_cast<std::int64_t>(number.bits);
    } else {
        if (!modifiers.take("commit_group") && modifiers.take("wait_all"))
            left = -1;
        expectOperands(instruction, 0, 0);
    }
    modifiers.end();
    emitHint(builder, instruction, left);
}

std::uint32_t addressOf(KernelBuilder& builder, const Instruction& instruction, const Operand& operand)
{
    return builder.addressInPlane(instruction, builder.address(operand));
}

void emitAsync(KernelBuilder& builder, const Instruction& instruction, AsyncOp kind, MicroOp op,
               MemoryDetail detail = {})
{
    op.run = findAsyncOp(kind);
    op.detail = builder.addDetail(detail);
    builder.emit(instruction, op);
}

/// The hints a copy may carry; true where its last operand is a cache policy.
bool takeCopyHints(Modifiers& modifiers)
{
    for (const std::string_view word : {"L2::64B", "L2::128B", "L2::256B"})
        modifiers.take(word);
    return modifiers.take("L2::cache_hint");
}

void lowerCopy(KernelBuilder& builder, const Instruction& written, Modifiers& modifiers)
{
    Instruction instruction = written;
    const bool all = modifiers.take("ca");
    const bool global = modifiers.take("cg");
    const bool spaces = (modifiers.take("shared") || modifiers.take("shared::cta")) && modifiers.take("global");
    if (takeCopyHints(modifiers) && !instruction.operands.empty())
        instruction.operands.pop_back();
    modifiers.end();
    if (!spaces || all == global)
        throw Unsupported{};
    expectOperands(instruction, 3, 4);
    const auto& operands = instruction.operands;
    if (operands[2].kind != Operand::Kind::Integer)
        throw SyntaxError{badPtx(operands[2].place, "the size of the copy is a constant")};
    MicroOp op;
    op.flags = static_cast<std::uint32_t>(operands[2].bits);
    if (op.flags != 16 && (global || (op.flags != 4 && op.flags != 8)))
        throw Unsupported{"a copy has 4, 8 or 16 bytes, with .cg 16"};
    op.b = addressOf(builder, instruction, operands[0]);
    op.a = addressOf(builder, instruction, operands[1]);
    op.c = op.e = kNone;
    if (operands.size() == 4 && builder.registerType(operands[3]) == ScalarType::Pred) {
        bool flip = false;
        op.e = builder.predicateSource(operands[3], flip);
        if (flip)
            throw Unsupported{"its predicate is negated"};
    } else if (operands.size() == 4) {
        op.c = builder.source(operands[3], ScalarType::B32);
    }
    emitAsync(builder, instruction, AsyncOp::Copy, op);
}

/// cp.async.mbarrier.arrive: the copies are done, so that the thread arrives at once. Without .noinc the arrival adds
/// itself to the expected ones first, and nothing changes.
void lowerCopyArrive(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers)
{
    modifiers.take("arrive");
    const bool counts = modifiers.take("noinc");
    takeSpaceOf(modifiers);
    modifiers.take("b64");
    modifiers.end();
    expectOperands(instruction, 1, 1);
    MicroOp op;
    op.flags = counts ? 0u : kArriveNothing;
    op.a = addressOf(builder, instruction, instruction.operands[0]);
    op.b = op.c = op.d = kNone;
    emitAsync(builder, instruction, AsyncOp::BarrierArrive, op);
}

/// Direction of a bulk copy by its two spaces, in the order written: to, from.
std::optional<std::uint32_t> takeDirection(Modifiers& modifiers)
{
    std::vector<std::string_view> spaces;
    for (const std::string_view word : words(modifiers)) {
        if (word == "global" || word == "shared::cluster" || word == "shared::cta") {
            spaces.push_back(word);
            modifiers.take(word);
        }
    }
    if (spaces.size() != 2)
        return std::nullopt;
    if (spaces[0] == "global")
        return spaces[1] == "shared::cta" ? std::optional(std::uint32_t{kBulkToGlobal}) : std::nullopt;
    return spaces[1] == "global" ? 0u : std::uint32_t{kBulkInside};
}

AtomicOp takeReductionOp(Modifiers& modifiers)
{
    constexpr std::array<std::pair<std::string_view, AtomicOp>, 8> names{{{"add", AtomicOp::Add},
                                                                          {"min", AtomicOp::Min},
                                                                          {"max", AtomicOp::Max},
                                                                          {"and", AtomicOp::And},
                                                                          {"or", AtomicOp::Or},
                                                                          {"xor", AtomicOp::Xor},
                                                                          {"inc", AtomicOp::Inc},
                                                                          {"dec", AtomicOp::Dec}}};
    const auto found = std::ranges::find_if(names, [&](const auto& row) { return modifiers.take(row.first); });
    if (found == names.end())
        throw Unsupported{"this reduction does not exist"};
    return found->second;
}

void lowerTensorCopy(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers, MicroOp op)
{
    MemoryDetail detail;
    constexpr std::array<std::string_view, 5> ranks{"1d", "2d", "3d", "4d", "5d"};
    for (std::uint8_t at = 0; at < ranks.size(); ++at) {
        if (modifiers.take(ranks[at]))
            detail.count = static_cast<std::uint8_t>(at + 1);
    }
    const bool toGlobal = (op.flags & kBulkToGlobal) != 0;
    const bool reduces = (op.flags & kBulkReduces) != 0;
    if (reduces)
        detail.atomic = takeReductionOp(modifiers);
    if (!reduces && modifiers.take(toGlobal ? "tile::scatter4" : "tile::gather4"))
        op.flags |= kBulkRows;
    if (modifiers.take(toGlobal ? "im2col_no_offs" : "im2col"))
        op.flags |= kBulkWindows;
    else
        modifiers.take("tile");
    for (const std::string_view word : words(modifiers)) {
        if (word.starts_with("im2col::w"))
            throw Unsupported{
                "windows with a halo are not simulated: where the halo lies is drawn, not written, in the "
                "PTX ISA; take .im2col"};
    }
    modifiers.end();
    const bool isWindows = (op.flags & kBulkWindows) != 0, takesOffsets = isWindows && !toGlobal;
    if (isWindows && detail.count < 3)
        throw Unsupported{"windows (im2col) are of a tensor of three to five dimensions"};
    const bool isRows = (op.flags & kBulkRows) != 0;
    if (isRows && detail.count != 2)
        throw Unsupported{"four rows are of a tensor of two dimensions"};
    const std::size_t wanted = toGlobal ? 2 : takesOffsets ? 4 : 3;
    expectOperands(instruction, wanted, wanted);
    const Operand& tensor = instruction.operands[toGlobal ? 0 : 1];
    if (tensor.kind != Operand::Kind::Memory || tensor.parts.size() != 2 || (op.flags & kBulkInside) != 0)
        throw Unsupported{"a tensor map with coordinates is expected"};
    Operand map = tensor;
    map.parts.pop_back();
    const Operand& coordinates = tensor.parts[1];
    const std::size_t given = coordinates.kind == Operand::Kind::Vector ? coordinates.parts.size() : 1;
    if (given != (isRows ? 5u : detail.count))
        throw SyntaxError{badPtx(coordinates.place, isRows ? "a column and four rows are expected"
                                                           : "a coordinate for each dimension is expected")};
    for (std::size_t at = 0; at < given; ++at)
        detail.data[at] = builder.source(
            coordinates.kind == Operand::Kind::Vector ? coordinates.parts[at] : coordinates, ScalarType::B32);
    if (takesOffsets) {
        const Operand& offsets = instruction.operands[3];
        const bool isVector = offsets.kind == Operand::Kind::Vector;
        if ((isVector ? offsets.parts.size() : 1) != detail.count - 2u)
            throw SyntaxError{badPtx(offsets.place, "an offset for each dimension of the image is expected")};
        for (std::size_t at = 0; at + 2 < detail.count; ++at)
            detail.data[detail.count + at] = builder.source(isVector ? offsets.parts[at] : offsets, ScalarType::B16);
    }
    op.a = addressOf(builder, instruction, map);
    op.b = addressOf(builder, instruction, instruction.operands[toGlobal ? 1 : 0]);
    op.e = toGlobal ? kNone : addressOf(builder, instruction, instruction.operands[2]);
    emitAsync(builder, instruction, AsyncOp::TensorCopy, op, detail);
}

/// The operation and the elements of cp.reduce.async.bulk.
MemoryDetail takeReduction(Modifiers& modifiers)
{
    MemoryDetail detail;
    detail.op = MemoryOp::Atomic;
    detail.atomic = takeReductionOp(modifiers);
    modifiers.take("noftz");
    detail.type = modifiers.takeType();
    if (!isAtomicSupported(detail.atomic, detail.type))
        throw Unsupported{"this reduction does not exist"};
    detail.elementBytes = detail.registerBytes = static_cast<std::uint8_t>(sizeOf(detail.type));
    return detail;
}

void lowerBulk(KernelBuilder& builder, const Instruction& written, Modifiers& modifiers, bool reduces)
{
    if (written.has("commit_group") || written.has("wait_group"))
        return lowerGroup(builder, written, modifiers);
    if (written.has("prefetch"))
        return emitHint(builder, written);
    Instruction instruction = written;
    const bool tensor = modifiers.take("tensor");
    const bool barrier = modifiers.take("mbarrier::complete_tx::bytes");
    const bool group = modifiers.take("bulk_group");
    const bool spreads = modifiers.take("multicast::cluster");
    if (takeCopyHints(modifiers) && !instruction.operands.empty())
        instruction.operands.pop_back();
    const auto direction = takeDirection(modifiers);
    if (!direction || barrier == group || (*direction == kBulkToGlobal) == barrier || (spreads && *direction != 0) ||
        (reduces && (tensor ? *direction != kBulkToGlobal : *direction == 0)))
        throw Unsupported{};
    MicroOp op;
    op.flags = *direction | (reduces ? kBulkReduces : 0u);
    op.d = op.e = kNone;
    if (spreads) {
        if (instruction.operands.size() < 4)
            throw SyntaxError{badPtx(instruction.place, "a mask of blocks is expected")};
        op.d = builder.source(instruction.operands.back(), ScalarType::B16);
        instruction.operands.pop_back();
    }
    if (tensor && barrier && modifiers.take("cta_group::2"))
        op.flags |= kBulkPair;
    else if (tensor && barrier)
        modifiers.take("cta_group::1");
    if (tensor)
        return lowerTensorCopy(builder, instruction, modifiers, op);
    const MemoryDetail detail = reduces ? takeReduction(modifiers) : MemoryDetail{};
    modifiers.end();
    expectOperands(instruction, barrier ? 4 : 3, barrier ? 4 : 3);
    op.b = addressOf(builder, instruction, instruction.operands[0]);
    op.a = addressOf(builder, instruction, instruction.operands[1]);
    op.c = builder.source(instruction.operands[2], ScalarType::B32);
    if (barrier)
        op.e = addressOf(builder, instruction, instruction.operands[3]);
    emitAsync(builder, instruction, AsyncOp::BulkCopy, op, detail);
}

void lowerCp(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    const bool reduces = modifiers.take("reduce");
    if (!modifiers.take("async"))
        throw Unsupported{};
    if (modifiers.take("bulk"))
        return lowerBulk(builder, instruction, modifiers, reduces);
    if (reduces)
        throw Unsupported{};
    if (modifiers.take("mbarrier"))
        return lowerCopyArrive(builder, instruction, modifiers);
    if (instruction.has("commit_group") || instruction.has("wait_group") || instruction.has("wait_all"))
        return lowerGroup(builder, instruction, modifiers);
    lowerCopy(builder, instruction, modifiers);
}

void takeBarrierWords(Modifiers& modifiers)
{
    for (const std::string_view word : {"release", "relaxed", "acquire", "cta", "cluster"})
        modifiers.take(word);
    takeSpaceOf(modifiers);
    if (!modifiers.take("b64"))
        throw Unsupported{};
}

/// mbarrier.arrive and arrive_drop: [state,] [address] [, count or bytes].
void lowerArrive(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers, bool drops)
{
    const bool expects = modifiers.take("expect_tx");
    modifiers.take("noComplete");
    takeBarrierWords(modifiers);
    modifiers.end();
    expectOperands(instruction, expects ? 3 : 2, 3);
    const auto& operands = instruction.operands;
    MicroOp op;
    op.d = operands[0].kind == Operand::Kind::Sink ? kNone : builder.destination(operands[0], ScalarType::B64);
    op.a = addressOf(builder, instruction, operands[1]);
    op.b = op.c = kNone;
    if (operands.size() == 3)
        (expects ? op.c : op.b) = builder.source(operands[2], ScalarType::B32);
    op.flags = drops ? kArriveDrops : 0u;
    emitAsync(builder, instruction, AsyncOp::BarrierArrive, op);
}

void lowerTest(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers)
{
    const bool parity = modifiers.take("parity");
    takeBarrierWords(modifiers);
    modifiers.end();
    expectOperands(instruction, 3, 4); // the fourth is a hint for how long to sleep
    MicroOp op;
    op.flags = parity ? 1u : 0u;
    op.d = builder.predicateDestination(instruction.operands[0]);
    if (op.d == kNone)
        op.d = builder.newPredicate();
    op.a = addressOf(builder, instruction, instruction.operands[1]);
    op.b = builder.source(instruction.operands[2], parity ? ScalarType::B32 : ScalarType::B64);
    emitAsync(builder, instruction, AsyncOp::BarrierTest, op);
}

/// init, expect_tx, complete_tx: [address], count; inval: [address]; pending_count: d, state.
void lowerBarrierValue(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers,
                       std::string_view name)
{
    takeBarrierWords(modifiers);
    modifiers.end();
    MicroOp op;
    if (name == "pending_count") {
        expectOperands(instruction, 2, 2);
        op.a = builder.source(instruction.operands[1], ScalarType::B64);
        op.d = builder.destination(instruction.operands[0], ScalarType::B32);
        return emitAsync(builder, instruction, AsyncOp::BarrierPending, op);
    }
    const bool alone = name == "inval";
    expectOperands(instruction, alone ? 1 : 2, alone ? 1 : 2);
    op.a = addressOf(builder, instruction, instruction.operands[0]);
    op.b = alone ? kNone : builder.source(instruction.operands[1], ScalarType::B32);
    const AsyncOp kind = alone                 ? AsyncOp::BarrierInvalidate
                         : name == "init"      ? AsyncOp::BarrierInit
                         : name == "expect_tx" ? AsyncOp::BarrierExpect
                                               : AsyncOp::BarrierComplete;
    emitAsync(builder, instruction, kind, op);
}

void lowerMbarrier(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    const std::string_view name = modifiers.takeFirst();
    if (name == "arrive" || name == "arrive_drop")
        return lowerArrive(builder, instruction, modifiers, name == "arrive_drop");
    if (name == "test_wait" || name == "try_wait")
        return lowerTest(builder, instruction, modifiers);
    for (const std::string_view known : {"init", "inval", "expect_tx", "complete_tx", "pending_count"}) {
        if (name == known)
            return lowerBarrierValue(builder, instruction, modifiers, name);
    }
    throw Unsupported{};
}

} // namespace

/// st.async [a], b, [barrier] and red.async, both into the shared memory of a cluster.
void lowerRemoteStore(KernelBuilder& builder, const Instruction& instruction)
{
    const bool reduces = instruction.opcode == "red";
    Modifiers modifiers(instruction);
    modifiers.take("async");
    for (const std::string_view word : {"weak", "relaxed", "cluster"})
        modifiers.take(word);
    if (!modifiers.take("shared::cluster") || !modifiers.take("mbarrier::complete_tx::bytes"))
        throw Unsupported{"only the form for .shared::cluster with an mbarrier is supported"};
    MemoryDetail detail;
    if (reduces) {
        detail = takeReduction(modifiers);
    } else {
        detail.count = modifiers.take("v4") ? 4 : modifiers.take("v2") ? 2 : 1;
        detail.type = modifiers.takeType();
    }
    modifiers.end();
    const unsigned bytes = sizeOf(detail.type);
    if ((bytes != 4 && bytes != 8) || bytes * detail.count > 16 || (reduces && isFloat(detail.type)))
        throw Unsupported{};
    expectOperands(instruction, 3, 3);
    const Operand& value = instruction.operands[1];
    const bool isVector = value.kind == Operand::Kind::Vector;
    if ((isVector ? value.parts.size() : 1) != detail.count)
        throw SyntaxError{badPtx(value.place, "as many values as the store has elements are expected")};
    for (std::size_t at = 0; at < detail.count; ++at)
        detail.operandB[at] = builder.source(isVector ? value.parts[at] : value, detail.type);
    MicroOp op;
    op.a = addressOf(builder, instruction, instruction.operands[0]);
    op.e = addressOf(builder, instruction, instruction.operands[2]);
    const AsyncOp kind = reduces      ? bytes == 8 ? AsyncOp::RemoteReduceWide : AsyncOp::RemoteReduce
                         : bytes == 8 ? AsyncOp::RemoteStoreWide
                                      : AsyncOp::RemoteStore;
    emitAsync(builder, instruction, kind, op, detail);
}

Lowering findAsync(std::string_view opcode)
{
    if (opcode == "cp")
        return &lowerCp;
    if (opcode == "tcgen05")
        return &lowerTensorMemory;
    if (opcode == "tensormap")
        return &lowerTensorMap;
    if (opcode == "clusterlaunchcontrol")
        return &lowerLaunchControl;
    if (opcode == "multimem")
        return &refuseMultimem;
    return opcode == "mbarrier" ? &lowerMbarrier : nullptr;
}

} // namespace ridge::gpu::simt
