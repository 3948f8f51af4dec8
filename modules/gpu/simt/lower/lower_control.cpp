// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/families.h"
#include "gpu/simt/lower/lower_call.h"

namespace ridge::gpu::simt {

namespace {

void lowerBranch(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    modifiers.take("uni");
    modifiers.end();
    expectOperands(instruction, 1, 1);
    const std::uint32_t label = builder.label(instruction.operands[0]);
    builder.emitEnd(instruction, EndKind::Branch).label = label;
}

void lowerIndexedBranch(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    if (!modifiers.take("idx"))
        throw Unsupported{};
    modifiers.take("uni");
    modifiers.end();
    expectOperands(instruction, 2, 2);
    MicroOp op;
    op.a = builder.source(instruction.operands[0], ScalarType::U32);
    const std::uint32_t table = builder.table(instruction.operands[1]);
    builder.emitEnd(instruction, EndKind::Table, op).label = table;
}

void lowerExit(KernelBuilder& builder, const Instruction& instruction)
{
    expectOperands(instruction, 0, 0);
    builder.emitEnd(instruction, EndKind::Exit);
}

void lowerTrap(KernelBuilder& builder, const Instruction& instruction)
{
    expectOperands(instruction, 0, 0);
    builder.emitEnd(instruction, EndKind::Trap);
}

void lowerRet(KernelBuilder& builder, const Instruction& instruction)
{
    expectOperands(instruction, 0, 0);
    lowerReturn(builder, instruction);
}

} // namespace

Lowering findControl(std::string_view opcode)
{
    static const NameMap<Lowering> table{
        {"bra", lowerBranch}, {"brx", lowerIndexedBranch}, {"exit", lowerExit}, {"ret", lowerRet},
        {"trap", lowerTrap},  {"brkpt", lowerTrap},        {"call", lowerCall},
    };
    const auto found = table.find(opcode);
    return found == table.end() ? nullptr : found->second;
}

} // namespace ridge::gpu::simt
