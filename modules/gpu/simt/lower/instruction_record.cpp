// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/instruction_record.h"

namespace ridge::gpu::simt {

namespace {

void recordOperand(KernelBuilder& builder, const Operand& operand)
{
    PtxOperand made;
    made.negated = operand.negated;
    switch (operand.kind) {
    case Operand::Kind::Integer:
    case Operand::Kind::Single:
    case Operand::Kind::Double:
        made.kind = PtxOperand::Kind::Immediate;
        made.bytes = operand.kind == Operand::Kind::Double ? 8 : 4;
        made.value = operand.bits;
        break;
    case Operand::Kind::Vector:
    case Operand::Kind::Pair:
    case Operand::Kind::List:
        made.kind = PtxOperand::Kind::Group;
        made.count = static_cast<std::uint8_t>(operand.parts.size());
        break;
    case Operand::Kind::Memory:
    case Operand::Kind::Name: {
        const bool isMemory = operand.kind == Operand::Kind::Memory;
        const Operand& base = isMemory && !operand.parts.empty() ? operand.parts.front() : operand;
        made.value = static_cast<std::uint64_t>(operand.offset);
        if (base.kind == Operand::Kind::Integer) {
            made.kind = PtxOperand::Kind::Memory;
            made.value += base.bits;
            break;
        }
        std::uint32_t special = kNone;
        try {
            special = builder.special(base, 4);
        } catch (const Unsupported&) {
            special = kNone; // the instruction itself was accepted, so it reads this register in its own way
        }
        if (special != kNone) {
            made.kind = PtxOperand::Kind::Special;
            made.bytes = 4;
            if (const PlaneFill* fill = builder.registers().fillOf(special)) {
                made.special = fill->kind;
                made.axis = fill->axis;
                made.value = fill->value;
            }
            break;
        }
        const Symbol* found = builder.symbol(base.text);
        if (found == nullptr)
            break;
        if (found->kind == Symbol::Kind::Register) {
            made.kind = isMemory ? PtxOperand::Kind::Memory : PtxOperand::Kind::Register;
            made.plane = found->plane;
            made.bytes =
                found->type == ScalarType::Pred ? std::uint8_t{0} : static_cast<std::uint8_t>(sizeOf(found->type));
        } else if (found->kind == Symbol::Kind::Address || found->kind == Symbol::Kind::EntryParam) {
            made.kind = isMemory ? PtxOperand::Kind::Memory : PtxOperand::Kind::Symbol;
            made.space = found->space;
            made.bytes = 8;
            made.variable = found->variable;
            made.value += found->address + static_cast<std::uint64_t>(base.index.value_or(0)) * found->elementBytes;
        }
        break;
    }
    case Operand::Kind::Sink:
        break;
    }
    builder.image().operands.push_back(made);
    if (made.kind == PtxOperand::Kind::Group) {
        for (const Operand& part : operand.parts)
            recordOperand(builder, part);
    }
}

} // namespace

void recordCopy(KernelBuilder& builder, PendingOp& pending)
{
    KernelImage& image = builder.image();
    const std::uint8_t width = builder.registers().widthOf(pending.op.d);
    PtxRecord made;
    made.text = builder.text(width == 0 ? "mov.pred" : width == 8 ? "mov.b64" : "mov.b32");
    made.firstOperand = static_cast<std::uint32_t>(image.operands.size());
    made.operandCount = 2;
    for (const std::uint32_t plane : {pending.op.d, pending.op.a}) {
        PtxOperand operand;
        operand.kind = PtxOperand::Kind::Register;
        operand.plane = plane;
        operand.bytes = builder.registers().widthOf(plane);
        image.operands.push_back(operand);
    }
    pending.record = static_cast<std::uint32_t>(image.records.size());
    image.records.push_back(made);
}

void recordInstruction(KernelBuilder& builder, const Instruction& instruction, std::size_t firstPending)
{
    KernelImage& image = builder.image();
    std::vector<PendingOp>& all = builder.pending();
    std::uint32_t index = kNone;
    for (std::size_t at = firstPending; at < all.size(); ++at) {
        PendingOp& pending = all[at];
        if (pending.record != kNone)
            continue; // of a body that this call has inlined
        if (instruction.opcode == "call" && pending.end == EndKind::Fall && !pending.counted) {
            recordCopy(builder, pending);
            continue;
        }
        if (index == kNone) {
            PtxRecord made;
            made.text = pending.text;
            made.firstOperand = static_cast<std::uint32_t>(image.operands.size());
            if (instruction.opcode != "call") {
                for (const Operand& operand : instruction.operands)
                    recordOperand(builder, operand);
            }
            made.operandCount = static_cast<std::uint32_t>(image.operands.size()) - made.firstOperand;
            made.guard = instruction.guard.name.empty() ? kNone : pending.op.guard;
            made.guardNegated = instruction.guard.negated;
            index = static_cast<std::uint32_t>(image.records.size());
            image.records.push_back(made);
        }
        pending.record = index;
    }
}

} // namespace ridge::gpu::simt
