// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/lower_launch_control.h"

#include "gpu/simt/run/launch_cancel.h"

namespace ridge::gpu::simt {

namespace {

std::uint32_t addressOf(KernelBuilder& builder, const Instruction& instruction, const Operand& operand)
{
    return builder.addressInPlane(instruction, builder.address(operand));
}

void lowerTry(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers)
{
    const bool isAsync = modifiers.take("async");
    modifiers.take("shared::cta");
    const bool signals = modifiers.take("mbarrier::complete_tx::bytes");
    MicroOp op;
    op.flags = modifiers.take("multicast::cluster::all") ? 1 : 0;
    const bool wide = modifiers.take("b128");
    modifiers.end();
    if (!isAsync || !signals || !wide)
        throw Unsupported{};
    expectOperands(instruction, 2, 2);
    op.b = addressOf(builder, instruction, instruction.operands[0]);
    op.e = addressOf(builder, instruction, instruction.operands[1]);
    op.run = findCancelOp(CancelOp::Try);
    builder.emit(instruction, op);
}

void lowerQuery(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers)
{
    constexpr std::array<std::string_view, 3> words{"get_first_ctaid::x", "get_first_ctaid::y", "get_first_ctaid::z"};
    expectOperands(instruction, 2, 2);
    const Operand& result = instruction.operands[0];
    const std::uint32_t answer = builder.source(instruction.operands[1], ScalarType::B128);
    const auto emitWord = [&](const Operand& to, std::uint32_t word, bool counts) {
        MicroOp op;
        op.a = answer;
        op.d = builder.destination(to, ScalarType::B32);
        op.flags = word;
        op.run = findCancelOp(CancelOp::First);
        builder.emit(instruction, op).counted = counts;
    };
    if (modifiers.take("is_canceled")) {
        const bool isPredicate = modifiers.take("pred"), wide = modifiers.take("b128");
        modifiers.end();
        if (!isPredicate || !wide)
            throw Unsupported{};
        MicroOp op;
        op.a = answer;
        op.d = builder.predicateDestination(result);
        if (op.d == kNone)
            op.d = builder.newPredicate();
        op.run = findCancelOp(CancelOp::Asks);
        builder.emit(instruction, op);
        return;
    }
    const auto one = std::ranges::find_if(words, [&](std::string_view word) { return modifiers.take(word); });
    const bool all = one == words.end() && modifiers.take("get_first_ctaid") && modifiers.take("v4");
    const bool typed = modifiers.take("b32") && modifiers.take("b128");
    modifiers.end();
    if (!typed || (one == words.end() && !all))
        throw Unsupported{};
    if (!all)
        return emitWord(result, static_cast<std::uint32_t>(one - words.begin()), true);
    if (result.kind != Operand::Kind::Vector || result.parts.size() != 4)
        throw SyntaxError{badPtx(result.place, "a vector of four registers is expected")};
    for (std::uint32_t word = 0; word < 3; ++word)
        emitWord(result.parts[word], word, word == 0);
    if (result.parts[3].kind != Operand::Kind::Sink) // its value is left open
        emitWord(result.parts[3], 3, false);
}

} // namespace

void lowerLaunchControl(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    if (modifiers.take("try_cancel"))
        return lowerTry(builder, instruction, modifiers);
    if (!modifiers.take("query_cancel"))
        throw Unsupported{};
    lowerQuery(builder, instruction, modifiers);
}

void lowerBulkFill(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    for (const std::string_view word : {"weak", "bulk", "shared::cta"})
        modifiers.take(word);
    modifiers.end();
    expectOperands(instruction, 3, 3);
    const auto& operands = instruction.operands;
    if (operands[2].kind != Operand::Kind::Integer || operands[2].bits != 0)
        throw SyntaxError{badPtx(operands[2].place, "st.bulk stores zero")};
    MicroOp op;
    op.a = addressOf(builder, instruction, operands[0]);
    op.c = builder.source(operands[1], ScalarType::U64);
    op.run = findBulkFill();
    builder.emit(instruction, op);
}

void refuseMultimem(KernelBuilder&, const Instruction&)
{
    throw Unsupported{"it needs memory that several GPUs share (a multicast object), and a launch here has one GPU; "
                      "write to one address, or simulate the collective itself (ridge run collective)"};
}

} // namespace ridge::gpu::simt
