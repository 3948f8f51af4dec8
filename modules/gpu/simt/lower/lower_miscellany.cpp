// SPDX-License-Identifier: GPL-3.0-or-later
// Clocks, hints, address-space tests, addresses in a cluster.
#include "gpu/simt/lower/families.h"
#include "gpu/simt/run/misc_ops.h"

#include <bit>

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
    constexpr std::array<std::pair<std::string_view, MiscOp>, 8> spaces{{{"shared", MiscOp::IsShared},
                                                                         {"shared::cta", MiscOp::IsShared},
                                                                         {"shared::cluster", MiscOp::IsClusterShared},
                                                                         {"local", MiscOp::IsLocal},
                                                                         {"global", MiscOp::IsGlobal},
                                                                         {"const", MiscOp::IsConst},
                                                                         {"param", MiscOp::IsParam},
                                                                         {"param::entry", MiscOp::IsParam}}};
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

/// A 32-bit register as 64 bits.
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

/// mapa d, a, rank and getctarank d, a. 32-bit addresses are widened and narrowed again.
void lowerMapRank(KernelBuilder& builder, const Instruction& instruction)
{
    const bool isMap = instruction.opcode == "mapa";
    Modifiers modifiers(instruction);
    const bool isShared = modifiers.take("shared::cluster");
    const ScalarType type = modifiers.takeType();
    modifiers.end();
    const bool narrow = type == ScalarType::U32;
    if ((type != ScalarType::U64 && !narrow) || (narrow && !isShared))
        throw Unsupported{};
    expectOperands(instruction, isMap ? 3 : 2, isMap ? 3 : 2);
    MicroOp op;
    op.run = findMiscOp(isMap ? MiscOp::MapRank : MiscOp::RankOf);
    op.flags = isShared ? 0 : 1;
    op.a = builder.source(instruction.operands[1], type);
    if (narrow)
        op.a = widened(builder, instruction, op.a);
    if (!isMap) {
        op.d = builder.destination(instruction.operands[0], ScalarType::U32);
        builder.emit(instruction, op);
        return;
    }
    op.b = builder.source(instruction.operands[2], ScalarType::B32);
    const std::uint32_t result = builder.destination(instruction.operands[0], type);
    op.d = narrow ? builder.newPlane(8) : result;
    builder.emit(instruction, op);
    if (narrow) {
        LaneKey key{LaneOp::Convert};
        key.convert = {ScalarType::U32, ScalarType::U64, 4, 8};
        MicroOp cut;
        cut.a = op.d;
        cut.d = result;
        cut.flags = laneFlags(key);
        cut.run = findLaneOp(key);
        builder.emit(instruction, cut).counted = false;
    }
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

/// Textures and surfaces: refused by name.
void refuseTexture(KernelBuilder&, const Instruction&)
{
    throw Unsupported{"textures and surfaces are not simulated; read and write the data through a pointer (ld.global, "
                      "st.global; tex1Dfetch(t, i) becomes p[i]) and clamp or filter by hand"};
}

/// alloca.u64 d, size[, align]; stacksave.u64 d; stackrestore.u64 a.
void lowerStack(KernelBuilder& builder, const Instruction& instruction)
{
    constexpr std::uint64_t least = 8, most = 1u << 23; // alignments (PTX ISA)
    Modifiers modifiers(instruction);
    const ScalarType type = modifiers.takeType();
    modifiers.end();
    if (type != ScalarType::U64 && type != ScalarType::U32)
        throw Unsupported{"its types are .u32 and .u64"};
    const bool takes = instruction.opcode == "alloca", gives = instruction.opcode == "stackrestore";
    expectOperands(instruction, takes ? 2 : 1, takes ? 3 : 1);
    const auto& operands = instruction.operands;
    MicroOp op;
    op.run = findMiscOp(takes ? MiscOp::StackTake : gives ? MiscOp::StackBack : MiscOp::StackSave);
    op.flags = sizeOf(type);
    op.b = builder.stackPlane();
    if (takes || gives)
        op.a = builder.source(operands[takes ? 1 : 0], type);
    if (!gives)
        op.d = builder.destination(operands[0], type);
    op.imm = least;
    if (operands.size() > 2) {
        const std::uint64_t align = operands[2].bits;
        if (operands[2].kind != Operand::Kind::Integer || !std::has_single_bit(align) || align > most)
            throw SyntaxError{badPtx(operands[2].place, "an alignment is a power of two up to 8388608")};
        op.imm = static_cast<std::int64_t>(std::max(align, least));
    }
    builder.emit(instruction, op);
}

Lowering findMiscellany(std::string_view opcode)
{
    static const NameMap<Lowering> table{
        {"prefetch", lowerHint},      {"prefetchu", lowerHint},
        {"discard", lowerHint},       {"applypriority", lowerHint},
        {"pmevent", lowerHint},       {"griddepcontrol", lowerHint},
        {"setmaxnreg", lowerHint},    {"createpolicy", lowerCreatePolicy},
        {"tex", refuseTexture},       {"tld4", refuseTexture},
        {"txq", refuseTexture},       {"suld", refuseTexture},
        {"sust", refuseTexture},      {"sured", refuseTexture},
        {"suq", refuseTexture},       {"istypep", refuseTexture},
        {"isspacep", lowerIsSpace},   {"elect", lowerElect},
        {"alloca", lowerStack},       {"stacksave", lowerStack},
        {"stackrestore", lowerStack}, {"mapa", lowerMapRank},
        {"getctarank", lowerMapRank},
    };
    const auto found = table.find(opcode);
    return found == table.end() ? nullptr : found->second;
}

} // namespace ridge::gpu::simt
