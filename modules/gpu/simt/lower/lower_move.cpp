// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/families.h"
#include "gpu/simt/run/byte_moves.h"
#include "gpu/simt/run/ops.h"

namespace ridge::gpu::simt {

namespace {

/// mov.b128 between two 64-bit registers and a 128-bit one.
void lowerWidePacking(KernelBuilder& builder, const Instruction& instruction, const Operand& vector,
                      const Operand& whole, bool unpack)
{
    MicroOp op;
    if (unpack) {
        const auto part = [&](std::size_t at) {
            const Operand& operand = vector.parts[at];
            return operand.kind == Operand::Kind::Sink ? builder.newPlane(8)
                                                       : builder.destination(operand, ScalarType::B64);
        };
        op.a = builder.source(whole, ScalarType::B128);
        op.d = part(0);
        op.b = part(1);
    } else {
        op.a = builder.source(vector.parts[0], ScalarType::B64);
        op.b = builder.source(vector.parts[1], ScalarType::B64);
        op.d = builder.destination(whole, ScalarType::B128);
    }
    op.run = findPairMove(unpack);
    builder.emit(instruction, op);
}

/// mov.b16 and mov.b32 between a register and two or four of 8 bits.
void lowerBytePacking(KernelBuilder& builder, const Instruction& instruction, ScalarType type, const Operand& vector,
                      const Operand& whole, bool unpack)
{
    std::array<std::uint32_t, 4> planes{kNone, kNone, kNone, kNone};
    for (std::size_t at = 0; at < vector.parts.size(); ++at) {
        const Operand& part = vector.parts[at];
        if (!unpack)
            planes[at] = builder.source(part, ScalarType::B8);
        else if (part.kind != Operand::Kind::Sink)
            planes[at] = builder.destination(part, ScalarType::B8);
    }
    MicroOp op;
    op.flags = static_cast<std::uint32_t>(vector.parts.size());
    op.b = planes[1];
    op.c = planes[2];
    op.e = planes[3];
    (unpack ? op.d : op.a) = planes[0];
    (unpack ? op.a : op.d) = unpack ? builder.source(whole, type) : builder.destination(whole, type);
    op.run = findByteMove(unpack);
    builder.emit(instruction, op);
}

/// mov between one wide register and a vector of narrow ones.
void lowerPacking(KernelBuilder& builder, const Instruction& instruction, ScalarType type)
{
    const bool unpack = instruction.operands[0].kind == Operand::Kind::Vector;
    const Operand& vector = instruction.operands[unpack ? 0 : 1];
    const Operand& whole = instruction.operands[unpack ? 1 : 0];
    const std::size_t parts = vector.parts.size();
    if ((sizeOf(type) == 4 && parts == 4) || (sizeOf(type) == 2 && parts == 2))
        return lowerBytePacking(builder, instruction, type, vector, whole, unpack);
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
    } else if (sizeOf(type) != 16 || parts != 2) {
        throw Unsupported{"a vector of this shape is not supported"};
    }
    if (sizeOf(type) == 16)
        return lowerWidePacking(builder, instruction, vector, whole, unpack);
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

/// mov.v2 and mov.v4 between vectors of registers.
void lowerVectorMov(KernelBuilder& builder, const Instruction& instruction, std::size_t lanes, ScalarType type)
{
    expectOperands(instruction, 2, 2);
    for (const Operand& operand : instruction.operands)
        if (operand.kind != Operand::Kind::Vector || operand.parts.size() != lanes)
            throw Unsupported{"both operands are vectors of " + std::to_string(lanes)};
    std::array<std::uint32_t, 4> sources{};
    for (std::size_t at = 0; at < lanes; ++at) {
        const Operand& source = instruction.operands[1].parts[at];
        for (std::size_t before = 0; before < at; ++before) // the moves are made one by one
            if (source.kind == Operand::Kind::Name && source.text == instruction.operands[0].parts[before].text)
                throw Unsupported{"'" + std::string(source.text) + "' is written before it is read"};
        sources[at] = builder.source(source, type);
    }
    for (std::size_t at = 0; at < lanes; ++at) {
        MicroOp op;
        op.a = sources[at];
        op.d = builder.destination(instruction.operands[0].parts[at], type);
        emitLanes(builder, instruction, {LaneOp::Mov, type}, op);
    }
}

void lowerMov(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    const std::size_t lanes = modifiers.take("v4") ? 4 : modifiers.take("v2") ? 2 : 1;
    LaneKey key{LaneOp::Mov, modifiers.takeType()};
    modifiers.end();
    if (lanes > 1)
        return lowerVectorMov(builder, instruction, lanes, key.type);
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
    if (isClockRegister(operands[1]))
        return lowerClock(builder, instruction, key.type);
    op.a = builder.source(operands[1], key.type);
    op.d = builder.destination(operands[0], key.type);
    if (key.type == ScalarType::B128) {
        op.run = findPairCopy();
        builder.emit(instruction, op);
        return;
    }
    emitLanes(builder, instruction, key, op);
}

/// The generic address of a kernel parameter: parameters have a window of their own.
void lowerParamAddress(KernelBuilder& builder, const Instruction& instruction, bool toSpace)
{
    expectOperands(instruction, 2, 2);
    MicroOp op;
    op.a = builder.source(instruction.operands[1], ScalarType::U64);
    op.b = builder.constant(kParamWindow, 8);
    op.d = builder.destination(instruction.operands[0], ScalarType::U64);
    emitLanes(builder, instruction, {toSpace ? LaneOp::Sub : LaneOp::Add, ScalarType::U64}, op);
}

/// Generic addresses of global and constant data are their addresses; shared and local memory have windows.
void lowerCvta(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    const bool toSpace = modifiers.take("to");
    const ScalarType type = modifiers.takeType();
    std::string_view space = modifiers.takeFirst();
    modifiers.end();
    if (space == "shared::cta" || space == "shared::cluster")
        space = "shared";
    if (space == "param" || space == "param::entry")
        return lowerParamAddress(builder, instruction, toSpace);
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

} // namespace

Lowering findMove(std::string_view opcode)
{
    static const NameMap<Lowering> table{
        {"mov", lowerMov},
        {"cvta", lowerCvta},
    };
    const auto found = table.find(opcode);
    return found == table.end() ? nullptr : found->second;
}

void lowerInstruction(KernelBuilder& builder, const Instruction& instruction)
{
    for (const auto find : {findArithmetic, findMemory, findMove, findCompare, findConvert, findBitwise, findVideo,
                            findControl, findWarp, findMatrix, findWarpgroup, findAsync, findMiscellany}) {
        if (const Lowering lowering = find(instruction.opcode))
            return lowering(builder, instruction);
    }
    throw Unsupported{};
}

} // namespace ridge::gpu::simt
