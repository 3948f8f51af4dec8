// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/lower_block_scale.h"

#include "gpu/simt/run/block_scale.h"
#include "gpu/simt/run/fragments.h"

namespace ridge::gpu::simt {

namespace {

std::vector<std::uint32_t> bind(KernelBuilder& builder, const Operand& operand, std::size_t count, bool isResult)
{
    const std::size_t given = operand.kind == Operand::Kind::Vector ? operand.parts.size() : 1;
    if (given != count)
        throw SyntaxError{badPtx(operand.place, "a fragment of " + std::to_string(count) +
                                                    " registers is expected, found " + std::to_string(given))};
    std::vector<std::uint32_t> planes;
    for (std::size_t at = 0; at < count; ++at) {
        const Operand& part = operand.kind == Operand::Kind::Vector ? operand.parts[at] : operand;
        planes.push_back(isResult ? builder.destination(part, ScalarType::B32) : builder.source(part, ScalarType::B32));
    }
    return planes;
}

std::optional<SmallElement> elementFromText(std::string_view text)
{
    constexpr std::array<std::string_view, 5> names{"e4m3", "e5m2", "e3m2", "e2m3", "e2m1"};
    const auto found = std::find(names.begin(), names.end(), text);
    return found == names.end() ? std::nullopt : std::optional(static_cast<SmallElement>(found - names.begin()));
}

Element accumulatorFromText(std::string_view text, bool isScaled)
{
    if (text == "f32")
        return Element::F32;
    if (text != "f16" || isScaled)
        throw Unsupported{"this combination of shape and types does not exist"};
    return Element::F16;
}

/// {byte, lane}, two constants.
void takeSelector(const Operand& operand, std::size_t mostThread, unsigned scales, std::uint8_t& byte,
                  std::uint8_t& thread)
{
    const bool isPair = operand.kind == Operand::Kind::Vector && operand.parts.size() == 2 &&
                        operand.parts[0].kind == Operand::Kind::Integer &&
                        operand.parts[1].kind == Operand::Kind::Integer;
    if (!isPair)
        throw Unsupported{"the selector of a scale is {byte, lane} of two constants"};
    const std::uint64_t first = operand.parts[0].bits, lane = operand.parts[1].bits;
    if (first + scales > 4 || first % scales != 0 || lane > mostThread)
        throw SyntaxError{badPtx(operand.place, "of " + std::to_string(scales) + " scales the byte is a multiple of " +
                                                    std::to_string(scales) + " below 4, the lane at most " +
                                                    std::to_string(mostThread))};
    byte = static_cast<std::uint8_t>(first);
    thread = static_cast<std::uint8_t>(lane);
}

} // namespace

bool lowerSmallConvert(KernelBuilder& builder, const Instruction& instruction)
{
    const auto& words = instruction.modifiers;
    const std::string_view from = words.empty() ? std::string_view() : words.back();
    const auto element = from.ends_with("x2") ? elementFromText(from.substr(0, from.size() - 2)) : std::nullopt;
    if (!element || words.size() < 2)
        return false;
    const bool isBfloat = words[words.size() - 2] == "bf16x2", isByte = *element <= SmallElement::E5M2;
    if (!isBfloat && (words[words.size() - 2] != "f16x2" || isByte))
        return false;
    Modifiers modifiers(instruction);
    const bool isNearest = modifiers.take("rn");
    const bool isRelu = modifiers.take("relu");
    modifiers.take(words[words.size() - 2]);
    modifiers.take(from);
    modifiers.end();
    if (!isNearest)
        throw Unsupported{"it needs .rn"};
    expectOperands(instruction, 2, 2);
    MicroOp op;
    op.a = builder.source(instruction.operands[1], *element == SmallElement::E2M1 ? ScalarType::B8 : ScalarType::B16);
    op.d = builder.destination(instruction.operands[0], ScalarType::B32);
    op.flags = static_cast<std::uint32_t>(*element) | (isBfloat ? kSmallToBfloat : 0u) | (isRelu ? kSmallRelu : 0u);
    op.run = findSmallConvert();
    builder.emit(instruction, op);
    return true;
}

void lowerSmallProduct(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers, bool isSparse)
{
    const bool isPlain = modifiers.take("kind::f8f6f4");
    const bool isBytes = isPlain || modifiers.take("kind::mxf8f6f4");
    const bool isCoarse = !isBytes && modifiers.take("kind::mxf4");
    if (!isBytes && !isCoarse && !modifiers.take("kind::mxf4nvf4"))
        throw Unsupported{"its kind is not known here"};
    SmallProduct product;
    const bool isScaled = modifiers.take("block_scale");
    if (isScaled == isPlain)
        throw Unsupported{"this kind has .block_scale and the others have not"};
    if (isScaled) {
        product.scales = modifiers.take("scale_vec::1X")   ? 1
                         : modifiers.take("scale_vec::2X") ? 2
                         : modifiers.take("scale_vec::4X") ? 4
                         : isBytes                         ? 1
                         : isCoarse                        ? 2
                                                           : 0;
        product.isFine = modifiers.take("ue4m3");
        const bool isType = product.isFine || modifiers.take("ue8m0");
        const bool fits = isBytes    ? product.scales == 1 && !product.isFine
                          : isCoarse ? product.scales == 2 && !product.isFine
                                     : product.scales == (product.isFine ? 4 : 2);
        if (!isType || !fits)
            throw Unsupported{"this combination of kind, .scale_vec and type of scales does not exist"};
    }
    const std::string_view shape =
        isBytes ? (isSparse ? "m16n8k64" : "m16n8k32") : (isSparse ? "m16n8k128" : "m16n8k64");
    if (!modifiers.take(shape) || !modifiers.take("row") || !modifiers.take("col"))
        throw Unsupported{"its shape is ." + std::string(shape) + ".row.col"};
    const auto types = words(modifiers);
    if (types.size() != 4)
        throw Unsupported{"four types are expected"};
    const auto a = elementFromText(types[1]), b = elementFromText(types[2]);
    const bool isFour = a == SmallElement::E2M1 && b == SmallElement::E2M1;
    if (!a || !b || (!isBytes && !isFour))
        throw Unsupported{"this combination of shape and types does not exist"};
    product.a = *a;
    product.b = *b;
    MatrixDetail t;
    t.d = accumulatorFromText(types[0], isScaled);
    t.c = accumulatorFromText(types[3], isScaled);
    t.a = t.b = isBytes ? Element::E4M3 : Element::S4;
    t.m = 16;
    t.n = 8;
    t.k = static_cast<std::uint16_t>((isBytes ? 32 : 64) * (isSparse ? 2 : 1));
    const std::size_t count = (isScaled ? 8u : 4u) + (isSparse ? 2u : 0u);
    expectOperands(instruction, count, count);
    const auto& operands = instruction.operands;
    t.planesA = bind(builder, operands[1], registersOf(t.a, t.m, isSparse ? t.k / 2u : t.k), false);
    t.planesB = bind(builder, operands[2], registersOf(t.b, t.n, t.k), false);
    t.planesC = bind(builder, operands[3], registersOf(t.c, t.m, t.n), false);
    if (isSparse) {
        t.metadata = builder.source(operands[4], ScalarType::B32);
        if (operands[5].kind != Operand::Kind::Integer || operands[5].bits != 0)
            throw SyntaxError{
                badPtx(operands[5].place, "the sparsity selector is 0 here: all lanes of four hold metadata")};
    }
    MicroOp op;
    if (isScaled) {
        constexpr std::size_t kMostPair = 1, kMostLane = 3;
        const std::size_t first = isSparse ? 6 : 4;
        op.a = builder.source(operands[first], ScalarType::B32);
        takeSelector(operands[first + 1], kMostPair, product.scales, product.byteA, product.threadA);
        op.b = builder.source(operands[first + 2], ScalarType::B32);
        takeSelector(operands[first + 3], kMostLane, product.scales, product.byteB, product.threadB);
    }
    t.planesD = bind(builder, operands[0], registersOf(t.d, t.m, t.n), true);
    op.imm = packed(product);
    op.run = findSmallProduct();
    op.e = builder.addMatrix(std::move(t));
    builder.emit(instruction, op);
}

} // namespace ridge::gpu::simt
