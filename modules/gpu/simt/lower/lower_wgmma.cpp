// SPDX-License-Identifier: GPL-3.0-or-later
// wgmma.mma_async, fence, commit_group, wait_group (PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions").
#include "gpu/simt/lower/families.h"
#include "gpu/simt/run/fragments.h"
#include "gpu/simt/run/misc_ops.h"
#include "gpu/simt/run/wgmma_ops.h"

#include <charconv>

namespace ridge::gpu::simt {

namespace {

std::optional<Element> elementOf(std::string_view text)
{
    constexpr std::array<std::pair<std::string_view, Element>, 9> names{{{"f16", Element::F16},
                                                                         {"bf16", Element::BF16},
                                                                         {"tf32", Element::TF32},
                                                                         {"f32", Element::F32},
                                                                         {"s8", Element::S8},
                                                                         {"u8", Element::U8},
                                                                         {"e4m3", Element::E4M3},
                                                                         {"e5m2", Element::E5M2},
                                                                         {"s32", Element::S32}}};
    const auto found = std::find_if(names.begin(), names.end(), [&](const auto& row) { return row.first == text; });
    return found == names.end() ? std::nullopt : std::optional(found->second);
}

/// "m64n128k16" of an element type: rows are always 64, k always 32 bytes, or 64 where half of A is stored.
bool readShape(std::string_view text, MatrixDetail& t, bool isSparse)
{
    unsigned n = 0;
    unsigned k = 0;
    const auto at = text.find('k');
    if (text.substr(0, 4) != "m64n" || at == std::string_view::npos)
        return false;
    std::from_chars(text.data() + 4, text.data() + at, n);
    std::from_chars(text.data() + at + 1, text.data() + text.size(), k);
    t.m = 64;
    t.n = static_cast<std::uint16_t>(n);
    t.k = static_cast<std::uint16_t>(k);
    return n >= 8 && n <= 256 && n % 8 == 0 && k * bitsOf(t.a) == (isSparse ? 512 : 256);
}

bool typesFit(const MatrixDetail& t)
{
    const bool real = t.d == Element::F32 || t.d == Element::F16;
    switch (t.a) {
    case Element::F16:
        return t.b == Element::F16 && real;
    case Element::BF16:
    case Element::TF32:
        return t.b == t.a && t.d == Element::F32;
    case Element::E4M3:
    case Element::E5M2:
        return (t.b == Element::E4M3 || t.b == Element::E5M2) && real;
    default:
        return (t.a == Element::S8 || t.a == Element::U8) && (t.b == Element::S8 || t.b == Element::U8) &&
               t.d == Element::S32;
    }
}

std::int64_t number(const Operand& operand)
{
    if (operand.kind != Operand::Kind::Integer)
        throw SyntaxError{badPtx(operand.place, "a constant is expected here")};
    return static_cast<std::int64_t>(operand.bits);
}

/// The selector names a pair of four lanes; of 8-bit types all four hold metadata.
void bindMetadata(KernelBuilder& builder, const Operand& metadata, const Operand& selector, MatrixDetail& t)
{
    const std::int64_t most = bitsOf(t.a) == 8 ? 0 : 1;
    const std::int64_t chosen = number(selector);
    if (chosen < 0 || chosen > most)
        throw SyntaxError{
            badPtx(selector.place, "the sparsity selector is " + std::string(most == 0 ? "0" : "0 or 1") + " here")};
    t.metadata = builder.source(metadata, ScalarType::B32);
    t.selector = static_cast<std::uint8_t>(chosen);
}

void lowerMultiply(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers)
{
    for (const std::string_view word : {"sync", "aligned"}) {
        if (!modifiers.take(word))
            throw Unsupported{};
    }
    const bool isSparse = modifiers.take("sp");
    MatrixDetail t;
    t.saturate = modifiers.take("satfinite");
    const std::string_view shape = modifiers.takeFirst();
    std::array<Element, 3> types{};
    for (Element& type : types) {
        const auto element = elementOf(modifiers.takeFirst());
        if (!element)
            throw Unsupported{"its types are not supported"};
        type = *element;
    }
    modifiers.end();
    t.d = t.c = types[0];
    t.a = types[1];
    t.b = types[2];
    if (!readShape(shape, t, isSparse) || !typesFit(t))
        throw Unsupported{"this combination of shape and types does not exist"};
    const auto& operands = instruction.operands;
    const bool integer = t.d == Element::S32;
    const bool turns = bitsOf(t.a) == 16;
    const bool inRegisters = operands.size() > 1 && operands[1].kind == Operand::Kind::Vector;
    const std::size_t next = isSparse ? 5 : 3; // behind the factors and what tells of a sparse one
    const std::size_t count = next + 1 + (integer ? 0u : 2u) + (turns ? (inRegisters ? 1u : 2u) : 0u);
    expectOperands(instruction, count, count);
    const std::size_t registers = registersOf(t.d, 16, t.n);
    if (operands[0].kind != Operand::Kind::Vector || operands[0].parts.size() != registers)
        throw SyntaxError{badPtx(operands[0].place, "D has " + std::to_string(registers) + " registers")};
    for (const Operand& part : operands[0].parts)
        t.planesD.push_back(builder.destination(part, ScalarType::B32));
    if (inRegisters) {
        for (const Operand& part : operands[1].parts)
            t.planesA.push_back(builder.source(part, ScalarType::B32));
        if (t.planesA.size() != 4)
            throw SyntaxError{badPtx(operands[1].place, "A has 4 registers")};
    } else {
        t.descriptorA = builder.source(operands[1], ScalarType::B64);
    }
    t.descriptorB = builder.source(operands[2], ScalarType::B64);
    if (isSparse)
        bindMetadata(builder, operands[3], operands[4], t);
    t.scaleD = builder.predicateSource(operands[next], t.scaleFlip);
    if (!integer) {
        t.scaleA = static_cast<std::int8_t>(number(operands[next + 1]));
        t.scaleB = static_cast<std::int8_t>(number(operands[next + 2]));
    }
    if (turns) {
        t.majorA = !inRegisters && number(operands[next + 3]) != 0;
        t.majorB = number(operands.back()) != 0;
    }
    MicroOp op;
    op.run = findWarpgroupMultiply();
    op.e = builder.addMatrix(std::move(t));
    builder.emit(instruction, op);
}

void lowerWgmma(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    if (modifiers.take("mma_async"))
        return lowerMultiply(builder, instruction, modifiers);
    // Products are done when they are issued: there is nothing left to order or await.
    if (!modifiers.take("fence") && !modifiers.take("commit_group") && !modifiers.take("wait_group"))
        throw Unsupported{};
    modifiers.take("sync");
    modifiers.take("aligned");
    modifiers.end();
    MicroOp op;
    op.run = findMiscOp(MiscOp::Hint);
    builder.emit(instruction, op);
}

} // namespace

Lowering findWarpgroup(std::string_view opcode)
{
    return opcode == "wgmma" ? &lowerWgmma : nullptr;
}

} // namespace ridge::gpu::simt
