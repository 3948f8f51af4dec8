// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps of each instruction what machine/ needs: its operands, resolved. One hook for all opcodes, so that a new
// lowering need not know of it.
#include "gpu/simt/lower/kernel_builder.h"

namespace ridge::gpu::simt {

std::uint8_t KernelBuilder::widthOf(std::uint32_t plane) const
{
    const auto found = m_planeBytes.find(plane);
    return found == m_planeBytes.end() ? std::uint8_t{4} : found->second;
}

void KernelBuilder::recordOperand(const Operand& operand)
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
            special = specialRegister(base, 4);
        } catch (const Unsupported&) {
            special = kNone; // the instruction itself was accepted, so it reads this register in its own way
        }
        if (special != kNone) {
            made.kind = PtxOperand::Kind::Special;
            made.bytes = 4;
            for (const PlaneFill& fill : m_image.fills) {
                if (fill.offset == special) {
                    made.special = fill.kind;
                    made.axis = fill.axis;
                    made.value = fill.value;
                }
            }
            break;
        }
        const Symbol* found = symbol(base.text);
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
            made.value += found->address + (found->dynamic ? m_image.staticSharedBytes : 0u);
        }
        break;
    }
    case Operand::Kind::Sink:
        break;
    }
    m_image.operands.push_back(made);
    if (made.kind == PtxOperand::Kind::Group) {
        for (const Operand& part : operand.parts)
            recordOperand(part);
    }
}

/// A copy that stands for an argument or result of an inlined call.
void KernelBuilder::recordCopy(PendingOp& pending)
{
    const std::string text = widthOf(pending.op.d) == 0   ? "mov.pred"
                             : widthOf(pending.op.d) == 8 ? "mov.b64"
                                                          : "mov.b32";
    const auto [at, isNew] = m_texts.try_emplace(text, static_cast<std::uint32_t>(m_image.texts.size()));
    if (isNew)
        m_image.texts.push_back(text);
    PtxRecord made;
    made.text = at->second;
    made.firstOperand = static_cast<std::uint32_t>(m_image.operands.size());
    made.operandCount = 2;
    for (const std::uint32_t plane : {pending.op.d, pending.op.a}) {
        PtxOperand operand;
        operand.kind = PtxOperand::Kind::Register;
        operand.plane = plane;
        operand.bytes = widthOf(plane);
        m_image.operands.push_back(operand);
    }
    pending.record = static_cast<std::uint32_t>(m_image.records.size());
    m_image.records.push_back(made);
}

void KernelBuilder::record(const Instruction& instruction, std::size_t firstPending)
{
    std::uint32_t index = kNone;
    for (std::size_t at = firstPending; at < m_pending.size(); ++at) {
        PendingOp& pending = m_pending[at];
        if (pending.record != kNone)
            continue; // of a body that this call has inlined
        if (instruction.opcode == "call" && pending.end == EndKind::Fall && !pending.counted) {
            recordCopy(pending);
            continue;
        }
        if (index == kNone) {
            PtxRecord made;
            made.text = pending.text;
            made.firstOperand = static_cast<std::uint32_t>(m_image.operands.size());
            if (instruction.opcode != "call") {
                for (const Operand& operand : instruction.operands)
                    recordOperand(operand);
            }
            made.operandCount = static_cast<std::uint32_t>(m_image.operands.size()) - made.firstOperand;
            made.guard = instruction.guard.name.empty() ? kNone : pending.op.guard;
            made.guardNegated = instruction.guard.negated;
            index = static_cast<std::uint32_t>(m_image.records.size());
            m_image.records.push_back(made);
        }
        pending.record = index;
    }
}

} // namespace ridge::gpu::simt
