// SPDX-License-Identifier: GPL-3.0-or-later
// mma.sync, wmma.load, wmma.mma, wmma.store, ldmatrix, stmatrix, movmatrix (PTX ISA, "Warp Level Matrix Instructions").
#include "gpu/simt/lower/families.h"
#include "gpu/simt/lower/lower_block_scale.h"
#include "gpu/simt/lower/lower_byte_rows.h"
#include "gpu/simt/run/fragments.h"
#include "gpu/simt/run/matrix_ops.h"

#include <charconv>

namespace ridge::gpu::simt {

namespace {

struct Shape {
    std::uint16_t m = 0, n = 0, k = 0;
    bool operator==(const Shape&) const = default;
};

/// "m16n8k16"; no value for anything else.
std::optional<Shape> shapeFromText(std::string_view text)
{
    std::array<std::uint16_t, 3> size{};
    const char* at = text.data();
    const char* const end = at + text.size();
    for (std::size_t i = 0; i < 3; ++i) {
        if (at == end || *at != "mnk"[i])
            return std::nullopt;
        const auto parsed = std::from_chars(at + 1, end, size[i]);
        if (parsed.ec != std::errc{})
            return std::nullopt;
        at = parsed.ptr;
    }
    return at == end ? std::optional<Shape>({size[0], size[1], size[2]}) : std::nullopt;
}

std::optional<Shape> takeShape(Modifiers& modifiers)
{
    for (const std::string_view word : words(modifiers)) {
        if (const auto shape = shapeFromText(word)) {
            modifiers.take(word);
            return shape;
        }
    }
    return std::nullopt;
}

std::optional<Element> elementFromText(std::string_view text)
{
    constexpr std::array<std::string_view, 13> names{"f16", "bf16", "tf32", "f32",  "f64",  "s8", "u8",
                                                     "s4",  "u4",   "b1",   "e4m3", "e5m2", "s32"};
    const auto found = std::find(names.begin(), names.end(), text);
    return found == names.end() ? std::nullopt : std::optional(static_cast<Element>(found - names.begin()));
}

/// The element types at the end of an instruction, in the order written.
std::vector<Element> takeElements(Modifiers& modifiers)
{
    std::vector<Element> elements;
    for (const std::string_view word : words(modifiers)) {
        if (const auto element = elementFromText(word)) {
            elements.push_back(*element);
            modifiers.take(word);
        }
    }
    return elements;
}

ScalarType registerType(Element element)
{
    return element == Element::F64 ? ScalarType::B64 : ScalarType::B32;
}

std::vector<std::uint32_t> bind(KernelBuilder& builder, const Operand& operand, Element element, std::size_t count,
                                bool isResult)
{
    const bool isVector = operand.kind == Operand::Kind::Vector;
    const std::size_t given = isVector ? operand.parts.size() : 1;
    if (given != count)
        throw SyntaxError{badPtx(operand.place, "a fragment of " + std::to_string(count) +
                                                    " registers is expected, found " + std::to_string(given))};
    std::vector<std::uint32_t> planes;
    for (std::size_t at = 0; at < count; ++at) {
        const Operand& part = isVector ? operand.parts[at] : operand;
        planes.push_back(isResult ? builder.destination(part, registerType(element))
                                  : builder.source(part, registerType(element)));
    }
    return planes;
}

bool isOneOf(const Shape& shape, std::initializer_list<Shape> shapes)
{
    return std::find(shapes.begin(), shapes.end(), shape) != shapes.end();
}

/// Shapes of mma.sync by the type of A (PTX ISA, table of matrix shapes). The m8n8k4 of f16 goes its own way.
bool isMmaShape(Element a, const Shape& s)
{
    switch (a) {
    case Element::F16:
    case Element::BF16:
        return isOneOf(s, {{16, 8, 8}, {16, 8, 16}});
    case Element::TF32:
        return isOneOf(s, {{16, 8, 4}, {16, 8, 8}});
    case Element::F64:
        return isOneOf(s, {{8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}});
    case Element::S8:
    case Element::U8:
        return isOneOf(s, {{8, 8, 16}, {16, 8, 16}, {16, 8, 32}});
    case Element::S4:
    case Element::U4:
        return isOneOf(s, {{8, 8, 32}, {16, 8, 32}, {16, 8, 64}});
    case Element::B1:
        return isOneOf(s, {{8, 8, 128}, {16, 8, 128}, {16, 8, 256}});
    case Element::E4M3:
    case Element::E5M2:
        return isOneOf(s, {{16, 8, 16}, {16, 8, 32}});
    default:
        return false;
    }
}

bool isSparseShape(Element a, const Shape& s)
{
    switch (a) {
    case Element::F16:
    case Element::BF16:
        return isOneOf(s, {{16, 8, 16}, {16, 8, 32}});
    case Element::TF32:
        return isOneOf(s, {{16, 8, 8}, {16, 8, 16}});
    case Element::S8:
    case Element::U8:
        return isOneOf(s, {{16, 8, 32}, {16, 8, 64}});
    case Element::S4:
    case Element::U4:
        return isOneOf(s, {{16, 8, 64}, {16, 8, 128}});
    case Element::E4M3:
    case Element::E5M2:
        return s == Shape{16, 8, 64};
    default:
        return false;
    }
}

bool isWmmaShape(Element a, const Shape& s)
{
    switch (a) {
    case Element::F16:
    case Element::BF16:
    case Element::S8:
    case Element::U8:
        return isOneOf(s, {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}});
    case Element::TF32:
        return s == Shape{16, 16, 8};
    case Element::F64:
        return s == Shape{8, 8, 4};
    case Element::S4:
    case Element::U4:
        return s == Shape{8, 8, 32};
    case Element::B1:
        return s == Shape{8, 8, 128};
    default:
        return false;
    }
}

/// Whether the types of a product go together.
bool typesFit(const MatrixDetail& t)
{
    const auto isAccumulator = [](Element e) { return e == Element::F16 || e == Element::F32; };
    const auto family = [](Element e) {
        return e == Element::U8 ? Element::S8 : e == Element::U4 ? Element::S4 : e == Element::E5M2 ? Element::E4M3 : e;
    };
    if (family(t.a) != family(t.b))
        return false;
    switch (family(t.a)) {
    case Element::F16:
    case Element::E4M3:
        return isAccumulator(t.c) && isAccumulator(t.d);
    case Element::BF16:
    case Element::TF32:
        return t.c == Element::F32 && t.d == Element::F32;
    case Element::F64:
        return t.c == Element::F64 && t.d == Element::F64;
    default:
        return t.c == Element::S32 && t.d == Element::S32;
    }
}

std::size_t registersOfC(Element element, const Shape& s)
{
    return registersOf(element, s.m, s.n);
}

/// wmma.load of f16 fills sixteen elements a lane whatever the shape.
std::size_t registersOfWmma(Element element, unsigned outer, unsigned inner)
{
    return element == Element::F16 ? 8 : registersOf(element, outer, inner);
}

void emitMultiply(KernelBuilder& builder, const Instruction& instruction, MatrixDetail t, const Shape& s, bool isWmma)
{
    t.m = s.m;
    t.n = s.n;
    t.k = s.k;
    const bool shaped = isWmma ? isWmmaShape(t.a, s) : isMmaShape(t.a, s);
    if (!shaped || !typesFit(t) || (t.saturate && t.c != Element::S32))
        throw Unsupported{"this combination of shape and types does not exist"};
    expectOperands(instruction, 4, 4);
    const auto count = [&](Element e, unsigned outer) {
        return isWmma ? registersOfWmma(e, outer, s.k) : registersOf(e, outer, s.k);
    };
    t.planesA = bind(builder, instruction.operands[1], t.a, count(t.a, s.m), false);
    t.planesB = bind(builder, instruction.operands[2], t.b, count(t.b, s.n), false);
    t.planesC = bind(builder, instruction.operands[3], t.c, registersOfC(t.c, s), false);
    t.planesD = bind(builder, instruction.operands[0], t.d, registersOfC(t.d, s), true);
    MicroOp op;
    op.run = findMatrixOp(MatrixOp::Multiply);
    op.e = builder.addMatrix(std::move(t));
    builder.emit(instruction, op);
}

/// mma.sp d, a, b, c, metadata, selector: A has half its columns.
void lowerSparse(KernelBuilder& builder, const Instruction& instruction, MatrixDetail t, const Shape& s)
{
    if (!isSparseShape(t.a, s) || !typesFit(t) || (t.saturate && t.c != Element::S32))
        throw Unsupported{"this combination of shape and types does not exist"};
    t.m = s.m;
    t.n = s.n;
    t.k = s.k;
    expectOperands(instruction, 6, 6);
    const auto& operands = instruction.operands;
    t.planesA = bind(builder, operands[1], t.a, registersOf(t.a, s.m, s.k / 2u), false);
    t.planesB = bind(builder, operands[2], t.b, registersOf(t.b, s.n, s.k), false);
    t.planesC = bind(builder, operands[3], t.c, registersOfC(t.c, s), false);
    t.metadata = builder.source(operands[4], ScalarType::B32);
    const unsigned bits = bitsOf(t.a);
    const unsigned rowBits = bits == 32 ? s.k * 2u : bits == 4 ? s.k / 2u : s.k; // of metadata
    if (operands[5].kind != Operand::Kind::Integer || operands[5].bits >= 64 / rowBits)
        throw SyntaxError{badPtx(operands[5].place, "the sparsity selector is a constant below " +
                                                        std::to_string(64 / rowBits) + " here")};
    t.selector = static_cast<std::uint8_t>(operands[5].bits);
    t.planesD = bind(builder, operands[0], t.d, registersOfC(t.d, s), true);
    MicroOp op;
    op.run = findMatrixOp(MatrixOp::Multiply);
    op.e = builder.addMatrix(std::move(t));
    builder.emit(instruction, op);
}

/// mma.m8n8k4 of f16 with either layout of A and B, the one product that Volta has.
void lowerQuads(KernelBuilder& builder, const Instruction& instruction, MatrixDetail t)
{
    if (t.a != Element::F16 || !typesFit(t) || t.saturate)
        throw Unsupported{"this combination of shape and types does not exist"};
    expectOperands(instruction, 4, 4);
    const auto count = [](Element e) { return e == Element::F16 ? std::size_t{4} : std::size_t{8}; };
    t.m = t.n = 8;
    t.k = 4;
    t.planesA = bind(builder, instruction.operands[1], t.a, 2, false);
    t.planesB = bind(builder, instruction.operands[2], t.b, 2, false);
    t.planesC = bind(builder, instruction.operands[3], t.c, count(t.c), false);
    t.planesD = bind(builder, instruction.operands[0], t.d, count(t.d), true);
    MicroOp op;
    op.run = findMatrixOp(MatrixOp::MultiplyQuads);
    op.e = builder.addMatrix(std::move(t));
    builder.emit(instruction, op);
}

void takeBitOperation(Modifiers& modifiers, MatrixDetail& t)
{
    t.isAnd = modifiers.take("and");
    modifiers.take("xor");
    modifiers.take("popc");
}

void lowerMma(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    const bool sparse = modifiers.take("sp") || modifiers.take("sp::ordered_metadata");
    if (!modifiers.take("sync"))
        throw Unsupported{"only mma.sync is supported"};
    modifiers.take("aligned");
    const auto kinds = words(modifiers);
    if (std::ranges::any_of(kinds, [](std::string_view word) { return word.starts_with("kind::"); }))
        return lowerSmallProduct(builder, instruction, modifiers, sparse);
    MatrixDetail t;
    const auto shape = takeShape(modifiers);
    std::vector<std::string_view> layouts; // of A, then of B
    for (const std::string_view word : words(modifiers)) {
        if ((word == "row" || word == "col") && modifiers.take(word))
            layouts.push_back(word);
    }
    t.saturate = modifiers.take("satfinite");
    takeBitOperation(modifiers, t);
    const auto types = takeElements(modifiers);
    modifiers.end();
    if (!shape || layouts.size() != 2 || types.size() != 4)
        throw Unsupported{"two layouts and four types are expected"};
    t.d = types[0];
    t.a = types[1];
    t.b = types[2];
    t.c = types[3];
    if (*shape == Shape{8, 8, 4} && t.a != Element::F64 && !sparse) {
        t.majorA = layouts[0] == "col";
        t.majorB = layouts[1] == "row";
        return lowerQuads(builder, instruction, std::move(t));
    }
    if (layouts[0] != "row" || layouts[1] != "col")
        throw Unsupported{"only .row.col is supported"};
    if (sparse)
        return lowerSparse(builder, instruction, std::move(t), *shape);
    emitMultiply(builder, instruction, std::move(t), *shape, false);
}

void lowerWmmaMultiply(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers)
{
    modifiers.take("sync");
    modifiers.take("aligned");
    MatrixDetail t;
    const auto shape = takeShape(modifiers);
    // Fragments already hold their elements by row and column, whatever the layout in memory was.
    for (int layouts = 0; layouts < 2; ++layouts) {
        if (!modifiers.take("row"))
            modifiers.take("col");
    }
    t.saturate = modifiers.take("satfinite");
    const auto rounding = modifiers.takeRounding();
    takeBitOperation(modifiers, t);
    const auto types = takeElements(modifiers);
    modifiers.end();
    if (!shape || (types.size() != 2 && types.size() != 4) || rounding.value_or(Rounding::Nearest) != Rounding::Nearest)
        throw Unsupported{};
    t.d = types.front();
    t.c = types.back();
    if (types.size() == 4) {
        t.a = types[1];
        t.b = types[2];
    }
    emitMultiply(builder, instruction, std::move(t), *shape, true);
}

/// wmma.load.{a,b,c} r, [p], stride and wmma.store.d [p], r, stride.
void lowerWmmaMemory(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers, bool isLoad)
{
    MatrixDetail t;
    t.role = modifiers.take("a")   ? MatrixDetail::Role::A
             : modifiers.take("b") ? MatrixDetail::Role::B
                                   : MatrixDetail::Role::C;
    const bool isC = t.role == MatrixDetail::Role::C;
    if (isC && !modifiers.take(isLoad ? "c" : "d"))
        throw Unsupported{};
    modifiers.take("sync");
    modifiers.take("aligned");
    const auto shape = takeShape(modifiers);
    t.transposed = modifiers.take("col");
    if (!t.transposed)
        modifiers.take("row");
    const auto space = takeSpaceOf(modifiers);
    const auto types = takeElements(modifiers);
    modifiers.end();
    if (!shape || types.size() != 1)
        throw Unsupported{};
    t.a = t.b = t.c = types.front();
    t.m = shape->m;
    t.n = shape->n;
    t.k = shape->k;
    const bool known = isC ? t.c == Element::F16 || t.c == Element::F32 || t.c == Element::S32 || t.c == Element::F64
                           : isWmmaShape(t.a, *shape);
    const bool crossed = bitsOf(t.a) < 8 && (t.transposed != (t.role == MatrixDetail::Role::B));
    if (!known || crossed)
        throw Unsupported{"this combination of shape, type and layout does not exist"};
    expectOperands(instruction, 2, 3);
    const auto& operands = instruction.operands;
    const std::size_t count = isC                               ? registersOfC(t.c, *shape)
                              : t.role == MatrixDetail::Role::B ? registersOfWmma(t.b, t.n, t.k)
                                                                : registersOfWmma(t.a, t.m, t.k);
    (isLoad ? t.planesD : t.planesA) = bind(builder, operands[isLoad ? 0 : 1], t.a, count, isLoad);
    if (operands.size() == 3)
        t.stride = builder.source(operands[2], ScalarType::B32);
    MicroOp op;
    op.run = findMatrixOp(isLoad ? MatrixOp::LoadFragment : MatrixOp::StoreFragment);
    op.e = builder.addMatrix(std::move(t));
    emitAddressed(builder, instruction, operands[isLoad ? 1 : 0], space, isLoad ? MemoryOp::Load : MemoryOp::Store, op);
}

void lowerWmma(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    if (modifiers.take("mma"))
        return lowerWmmaMultiply(builder, instruction, modifiers);
    const bool isLoad = modifiers.take("load");
    if (!isLoad && !modifiers.take("store"))
        throw Unsupported{};
    lowerWmmaMemory(builder, instruction, modifiers, isLoad);
}

void lowerMatrixRows(KernelBuilder& builder, const Instruction& instruction)
{
    const bool isLoad = instruction.opcode == "ldmatrix";
    Modifiers modifiers(instruction);
    modifiers.take("sync");
    modifiers.take("aligned");
    if (lowerByteRows(builder, instruction, modifiers))
        return;
    if (!modifiers.take("m8n8"))
        throw Unsupported{"its shape is not known"};
    const std::size_t count = modifiers.take("x4") ? 4 : modifiers.take("x2") ? 2 : modifiers.take("x1") ? 1 : 0;
    MatrixDetail t;
    t.transposed = modifiers.take("trans");
    const auto space = takeSpaceOf(modifiers);
    const bool wide = modifiers.take("b16");
    modifiers.end();
    if (count == 0 || !wide || (space && *space != Space::Shared))
        throw Unsupported{};
    expectOperands(instruction, 2, 2);
    (isLoad ? t.planesD : t.planesA) = bind(builder, instruction.operands[isLoad ? 0 : 1], Element::S32, count, isLoad);
    MicroOp op;
    op.run = findMatrixOp(isLoad ? MatrixOp::LoadRows : MatrixOp::StoreRows);
    op.e = builder.addMatrix(std::move(t));
    emitAddressed(builder, instruction, instruction.operands[isLoad ? 1 : 0], space,
                  isLoad ? MemoryOp::Load : MemoryOp::Store, op);
}

void lowerMatrixMove(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    for (const std::string_view word : {"sync", "aligned", "m8n8", "trans", "b16"}) {
        if (!modifiers.take(word))
            throw Unsupported{};
    }
    modifiers.end();
    expectOperands(instruction, 2, 2);
    MicroOp op;
    op.run = findMatrixOp(MatrixOp::Transpose);
    op.a = builder.source(instruction.operands[1], ScalarType::B32);
    op.d = builder.destination(instruction.operands[0], ScalarType::B32);
    builder.emit(instruction, op);
}

} // namespace

Lowering findMatrix(std::string_view opcode)
{
    static const NameMap<Lowering> table{
        {"mma", lowerMma},
        {"wmma", lowerWmma},
        {"ldmatrix", lowerMatrixRows},
        {"stmatrix", lowerMatrixRows},
        {"movmatrix", lowerMatrixMove},
    };
    const auto found = table.find(opcode);
    return found == table.end() ? nullptr : found->second;
}

} // namespace ridge::gpu::simt
