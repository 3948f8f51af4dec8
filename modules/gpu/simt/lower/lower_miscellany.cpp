// SPDX-License-Identifier: GPL-3.0-or-later
// Clocks, hints, address-space tests, and what a cluster of one block makes simple.
#include "gpu/simt/lower/families.h"
#include "gpu/simt/run/misc_ops.h"

namespace ridge::gpu::simt {

namespace {

struct ClockRow {
    std::string_view name;
    ClockPart part;
    unsigned bytes;
};

constexpr std::array<ClockRow, 6> kClocks{{{"%clock", ClockPart::Low, 4},
                                           {"%clock_hi", ClockPart::High, 4},
                                           {"%clock64", ClockPart::Whole, 8},
                                           {"%globaltimer", ClockPart::Whole, 8},
                                           {"%globaltimer_lo", ClockPart::Low, 4},
                                           {"%globaltimer_hi", ClockPart::High, 4}}};

const ClockRow* clockRow(const Operand& operand)
{
    const auto found =
        std::find_if(kClocks.begin(), kClocks.end(), [&](const ClockRow& row) { return row.name == operand.text; });
    return operand.kind == Operand::Kind::Name && found != kClocks.end() ? &*found : nullptr;
}

/// Nothing that changes a value: modifiers are a matter of caches, power or debuggers.
void lowerHint(KernelBuilder& builder, const Instruction& instruction)
{
    MicroOp op;
    op.run = findMiscOp(MiscOp::Hint);
    builder.emit(instruction, op);
}

/// A cache policy is a number that only hints look at.
void lowerCreatePolicy(KernelBuilder& builder, const Instruction& instruction)
{
    if (instruction.operands.empty())
        throw Unsupported{};
    MicroOp op;
    op.a = builder.constant(0, 8);
    op.d = builder.destination(instruction.operands[0], ScalarType::B64);
    emitLanes(builder, instruction, {LaneOp::Mov, ScalarType::B64}, op);
}

void lowerIsSpace(KernelBuilder& builder, const Instruction& instruction)
{
    constexpr std::array<std::pair<std::string_view, MiscOp>, 7> spaces{{{"shared", MiscOp::IsShared},
                                                                         {"shared::cta", MiscOp::IsShared},
                                                                         {"shared::cluster", MiscOp::IsShared},
                                                                         {"local", MiscOp::IsLocal},
                                                                         {"global", MiscOp::IsGlobal},
                                                                         {"const", MiscOp::IsConst},
                                                                         {"param", MiscOp::IsParam}}};
    Modifiers modifiers(instruction);
    const std::string_view word = modifiers.takeFirst();
    modifiers.end();
    const auto found = std::find_if(spaces.begin(), spaces.end(), [&](const auto& row) { return row.first == word; });
    if (found == spaces.end())
        throw Unsupported{"its state space is not supported"};
    expectOperands(instruction, 2, 2);
    MicroOp op;
    op.run = findMiscOp(found->second);
    op.a = builder.source(instruction.operands[1], ScalarType::B64);
    op.d = builder.predicateDestination(instruction.operands[0]);
    if (op.d == kNone)
        op.d = builder.newPredicate();
    builder.emit(instruction, op);
}

void lowerElect(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    if (!modifiers.take("sync"))
        throw Unsupported{};
    modifiers.end();
    expectOperands(instruction, 2, 2);
    const Operand& result = instruction.operands[0];
    const bool pair = result.kind == Operand::Kind::Pair;
    MicroOp op;
    op.run = findMiscOp(MiscOp::Elect);
    op.d = builder.destination(pair ? result.parts[0] : result, ScalarType::B32);
    op.e = pair ? builder.predicateDestination(result.parts[1]) : kNone;
    op.imm = builder.source(instruction.operands[1], ScalarType::B32);
    builder.emit(instruction, op);
}

/// mapa d, a, rank. 32-bit addresses are widened and narrowed again.
void lowerMapRank(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    modifiers.take("shared::cluster");
    const ScalarType type = modifiers.takeType();
    modifiers.end();
    if (type != ScalarType::U64 && type != ScalarType::U32)
        throw Unsupported{};
    expectOperands(instruction, 3, 3);
    MicroOp op;
    op.run = findMiscOp(MiscOp::MapRank);
    op.a = builder.source(instruction.operands[1], type);
    op.b = builder.source(instruction.operands[2], ScalarType::B32);
    op.d = builder.destination(instruction.operands[0], type);
    const std::uint32_t result = op.d;
    if (type == ScalarType::U32) {
        const ConvertSpec widen{ScalarType::U64, ScalarType::U32, 8, 4};
        LaneKey key{LaneOp::Convert};
        key.convert = widen;
        MicroOp wide;
        wide.a = op.a;
        wide.d = op.a = builder.newPlane(8);
        wide.flags = laneFlags(key);
        wide.run = findLaneOp(key);
        builder.emit(instruction, wide).counted = false;
        op.d = builder.newPlane(8);
    }
    builder.emit(instruction, op);
    if (type == ScalarType::U32) {
        LaneKey key{LaneOp::Convert};
        key.convert = {ScalarType::U32, ScalarType::U64, 4, 8};
        MicroOp narrow;
        narrow.a = op.d;
        narrow.d = result;
        narrow.flags = laneFlags(key);
        narrow.run = findLaneOp(key);
        builder.emit(instruction, narrow).counted = false;
    }
}

void lowerRankOf(KernelBuilder& builder, const Instruction& instruction)
{
    expectOperands(instruction, 2, 2);
    MicroOp op;
    op.a = builder.constant(0, 4);
    op.d = builder.destination(instruction.operands[0], ScalarType::U32);
    emitLanes(builder, instruction, {LaneOp::Mov, ScalarType::U32}, op);
}

} // namespace

OpFunction findPairMove(bool unpack)
{
    return findMiscOp(unpack ? MiscOp::PairSplit : MiscOp::PairMove);
}

OpFunction findPairCopy()
{
    return findMiscOp(MiscOp::PairCopy);
}

bool isClockRegister(const Operand& operand)
{
    return clockRow(operand) != nullptr;
}

void lowerClock(KernelBuilder& builder, const Instruction& instruction, ScalarType type)
{
    const ClockRow& row = *clockRow(instruction.operands[1]);
    if (sizeOf(type) != row.bytes)
        throw SyntaxError{
            badPtx(instruction.place, std::string(row.name) + " has " + std::to_string(8 * row.bytes) + " bits")};
    MicroOp op;
    op.run = findMiscOp(MiscOp::Clock);
    op.flags = static_cast<std::uint32_t>(row.part);
    op.d = builder.destination(instruction.operands[0], type);
    builder.emit(instruction, op);
}

Lowering findMiscellany(std::string_view opcode)
{
    static const std::map<std::string_view, Lowering> table{
        {"prefetch", lowerHint},    {"prefetchu", lowerHint},
        {"discard", lowerHint},     {"applypriority", lowerHint},
        {"pmevent", lowerHint},     {"griddepcontrol", lowerHint},
        {"setmaxnreg", lowerHint},  {"createpolicy", lowerCreatePolicy},
        {"isspacep", lowerIsSpace}, {"elect", lowerElect},
        {"mapa", lowerMapRank},     {"getctarank", lowerRankOf},
    };
    const auto found = table.find(opcode);
    return found == table.end() ? nullptr : found->second;
}

} // namespace ridge::gpu::simt
