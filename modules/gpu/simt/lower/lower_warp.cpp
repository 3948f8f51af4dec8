// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/families.h"
#include "gpu/simt/run/ops.h"

namespace ridge::gpu::simt {

namespace {

void emitWarp(KernelBuilder& builder, const Instruction& instruction, WarpOp kind, MicroOp op)
{
    op.run = findWarpOp(kind);
    builder.emit(instruction, op);
}

/// d or d|p of instructions that may also tell whether they succeeded.
void bindResult(KernelBuilder& builder, const Operand& operand, ScalarType type, MicroOp& op)
{
    const bool pair = operand.kind == Operand::Kind::Pair;
    op.d = builder.destination(pair ? operand.parts[0] : operand, type);
    op.e = pair ? builder.predicateDestination(operand.parts[1]) : kNone;
}

void lowerShuffle(KernelBuilder& builder, const Instruction& instruction)
{
    constexpr std::array<std::string_view, 4> modes{"up", "down", "bfly", "idx"};
    Modifiers modifiers(instruction);
    if (!modifiers.take("sync"))
        throw Unsupported{"only the .sync form exists since compute capability 7.0"};
    std::optional<WarpOp> kind;
    for (std::size_t at = 0; at < modes.size(); ++at) {
        if (modifiers.take(modes[at]))
            kind = static_cast<WarpOp>(at);
    }
    const ScalarType type = modifiers.takeType();
    modifiers.end();
    if (!kind || type != ScalarType::B32)
        throw Unsupported{};
    expectOperands(instruction, 5, 5);
    const auto& operands = instruction.operands;
    MicroOp op;
    bindResult(builder, operands[0], type, op);
    op.a = builder.source(operands[1], type);
    op.b = builder.source(operands[2], ScalarType::B32);
    op.c = builder.source(operands[3], ScalarType::B32);
    op.imm = builder.source(operands[4], ScalarType::B32);
    emitWarp(builder, instruction, *kind, op);
}

void lowerVote(KernelBuilder& builder, const Instruction& instruction)
{
    constexpr std::array<std::string_view, 4> modes{"all", "any", "uni", "ballot"};
    Modifiers modifiers(instruction);
    if (!modifiers.take("sync"))
        throw Unsupported{"only the .sync form exists since compute capability 7.0"};
    std::optional<WarpOp> kind;
    for (std::size_t at = 0; at < modes.size(); ++at) {
        if (modifiers.take(modes[at]))
            kind = static_cast<WarpOp>(static_cast<std::size_t>(WarpOp::VoteAll) + at);
    }
    const ScalarType type = modifiers.takeType();
    modifiers.end();
    const bool ballot = kind == WarpOp::VoteBallot;
    if (!kind || type != (ballot ? ScalarType::B32 : ScalarType::Pred))
        throw Unsupported{};
    expectOperands(instruction, 3, 3);
    MicroOp op;
    op.d = ballot ? builder.destination(instruction.operands[0], type)
                  : builder.predicateDestination(instruction.operands[0]);
    if (op.d == kNone)
        op.d = builder.newPredicate();
    bool flip = false;
    op.a = builder.predicateSource(instruction.operands[1], flip);
    op.flags = flip ? 1u : 0u;
    op.imm = builder.source(instruction.operands[2], ScalarType::B32);
    emitWarp(builder, instruction, *kind, op);
}

void lowerMatch(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    const bool all = modifiers.take("all");
    if ((!all && !modifiers.take("any")) || !modifiers.take("sync"))
        throw Unsupported{};
    const ScalarType type = modifiers.takeType();
    modifiers.end();
    if (type != ScalarType::B32 && type != ScalarType::B64)
        throw Unsupported{};
    expectOperands(instruction, 3, 3);
    MicroOp op;
    bindResult(builder, instruction.operands[0], ScalarType::B32, op);
    op.a = builder.source(instruction.operands[1], type);
    op.imm = builder.source(instruction.operands[2], ScalarType::B32);
    const bool wide = type == ScalarType::B64;
    emitWarp(builder, instruction,
             all ? (wide ? WarpOp::MatchAll64 : WarpOp::MatchAll32) : (wide ? WarpOp::MatchAny64 : WarpOp::MatchAny32),
             op);
}

WarpOp reduction(std::string_view name, ScalarType type)
{
    const bool isWord = type == ScalarType::U32 || type == ScalarType::S32;
    const bool isSignedType = type == ScalarType::S32;
    if (name == "add" && isWord)
        return WarpOp::ReduceAdd;
    if (name == "min" && isWord)
        return isSignedType ? WarpOp::ReduceMinSigned : WarpOp::ReduceMinUnsigned;
    if (name == "max" && isWord)
        return isSignedType ? WarpOp::ReduceMaxSigned : WarpOp::ReduceMaxUnsigned;
    if (type == ScalarType::F32 && (name == "min" || name == "max"))
        return name == "min" ? WarpOp::ReduceMinFloat : WarpOp::ReduceMaxFloat;
    if (type != ScalarType::B32)
        throw Unsupported{};
    if (name == "and")
        return WarpOp::ReduceAnd;
    if (name == "or")
        return WarpOp::ReduceOr;
    if (name == "xor")
        return WarpOp::ReduceXor;
    throw Unsupported{};
}

void lowerReduce(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    if (!modifiers.take("sync"))
        throw Unsupported{};
    const ScalarType type = modifiers.takeType();
    MicroOp op;
    if (type == ScalarType::F32) {
        op.flags = modifiers.take("abs") ? kReduceAbs : 0u;
        op.flags |= modifiers.take("NaN") ? kReduceNan : 0u;
    }
    const WarpOp kind = reduction(modifiers.takeFirst(), type);
    modifiers.end();
    expectOperands(instruction, 3, 3);
    op.a = builder.source(instruction.operands[1], type);
    op.d = builder.destination(instruction.operands[0], type);
    op.imm = builder.source(instruction.operands[2], ScalarType::B32);
    emitWarp(builder, instruction, kind, op);
}

void lowerActiveMask(KernelBuilder& builder, const Instruction& instruction)
{
    expectOperands(instruction, 1, 1);
    MicroOp op;
    op.d = builder.destination(instruction.operands[0], ScalarType::B32);
    emitWarp(builder, instruction, WarpOp::ActiveMask, op);
}

/// Memory order is total here: one warp runs at a time, its accesses take effect at once, and so do asynchronous
/// copies.
void lowerFence(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    for (const std::string_view word : {"cta",
                                        "gl",
                                        "sys",
                                        "gpu",
                                        "cluster",
                                        "sc",
                                        "acq_rel",
                                        "acquire",
                                        "release",
                                        "proxy",
                                        "alias",
                                        "async",
                                        "async.global",
                                        "async.shared::cta",
                                        "async.shared::cluster",
                                        "generic",
                                        "tensormap",
                                        "tensormap::generic",
                                        "async::generic",
                                        "mbarrier_init",
                                        "global",
                                        "shared::cta",
                                        "shared::cluster",
                                        "sync_restrict::shared::cta",
                                        "sync_restrict::shared::cluster"})
        modifiers.take(word);
    modifiers.end();
    expectOperands(instruction, 0, 2); // a tensor map and its size
    emitWarp(builder, instruction, WarpOp::Fence, {});
}

/// A hint to wait a while; a while of nothing is allowed.
void lowerSleep(KernelBuilder& builder, const Instruction& instruction)
{
    expectOperands(instruction, 1, 1);
    builder.source(instruction.operands[0], ScalarType::U32);
    emitWarp(builder, instruction, WarpOp::Fence, {});
}

void lowerWarpBarrier(KernelBuilder& builder, const Instruction& instruction)
{
    expectOperands(instruction, 1, 1);
    MicroOp op;
    op.imm = builder.source(instruction.operands[0], ScalarType::B32);
    emitWarp(builder, instruction, WarpOp::Sync, op);
}

void lowerBarrierReduction(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers, MicroOp& op)
{
    const ScalarType type = modifiers.takeType();
    BarrierKind kind = BarrierKind::ReducePopc;
    if (modifiers.take("and"))
        kind = BarrierKind::ReduceAnd;
    else if (modifiers.take("or"))
        kind = BarrierKind::ReduceOr;
    else if (!modifiers.take("popc"))
        throw Unsupported{};
    modifiers.end();
    const bool counts = kind == BarrierKind::ReducePopc;
    if (type != (counts ? ScalarType::U32 : ScalarType::Pred))
        throw Unsupported{};
    expectOperands(instruction, 3, 4);
    const auto& operands = instruction.operands;
    bool flip = false;
    op.flags = static_cast<std::uint32_t>(kind);
    op.d = counts ? builder.destination(operands[0], type) : builder.predicateDestination(operands[0]);
    op.a = builder.source(operands[1], ScalarType::U32);
    op.b = operands.size() == 4 ? builder.source(operands[2], ScalarType::U32) : kNone;
    op.c = builder.predicateSource(operands.back(), flip);
    op.e = flip ? ~std::uint32_t{0} : 0;
}

void lowerClusterBarrier(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers)
{
    const bool arrives = modifiers.take("arrive");
    if (!arrives && !modifiers.take("wait"))
        throw Unsupported{};
    for (const std::string_view word : {"acquire", "release", "relaxed", "aligned"})
        modifiers.take(word);
    modifiers.end();
    expectOperands(instruction, 0, 0);
    MicroOp op;
    op.flags = static_cast<std::uint32_t>(arrives ? BarrierKind::ClusterArrive : BarrierKind::ClusterWait);
    builder.emitEnd(instruction, EndKind::Barrier, op);
}

void lowerBarrier(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    if (modifiers.take("warp")) {
        if (!modifiers.take("sync"))
            throw Unsupported{};
        modifiers.end();
        return lowerWarpBarrier(builder, instruction);
    }
    if (modifiers.take("cluster"))
        return lowerClusterBarrier(builder, instruction, modifiers);
    modifiers.take("cta");
    modifiers.take("aligned");
    MicroOp op;
    op.b = kNone;
    if (modifiers.take("red")) {
        lowerBarrierReduction(builder, instruction, modifiers, op);
    } else {
        const bool arrive = modifiers.take("arrive");
        if (!arrive && !modifiers.take("sync"))
            throw Unsupported{};
        modifiers.end();
        expectOperands(instruction, arrive ? 2 : 1, 2);
        op.flags = static_cast<std::uint32_t>(arrive ? BarrierKind::Arrive : BarrierKind::Sync);
        op.a = builder.source(instruction.operands[0], ScalarType::U32);
        if (instruction.operands.size() == 2)
            op.b = builder.source(instruction.operands[1], ScalarType::U32);
    }
    builder.emitEnd(instruction, EndKind::Barrier, op);
}

} // namespace

Lowering findWarp(std::string_view opcode)
{
    static const NameMap<Lowering> table{
        {"shfl", lowerShuffle}, {"vote", lowerVote},       {"match", lowerMatch},     {"redux", lowerReduce},
        {"membar", lowerFence}, {"fence", lowerFence},     {"nanosleep", lowerSleep}, {"activemask", lowerActiveMask},
        {"bar", lowerBarrier},  {"barrier", lowerBarrier},
    };
    const auto found = table.find(opcode);
    return found == table.end() ? nullptr : found->second;
}

} // namespace ridge::gpu::simt
