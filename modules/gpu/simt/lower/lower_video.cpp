// SPDX-License-Identifier: GPL-3.0-or-later
// Video instructions: vadd.s32.u32.s32.sat d.h0, a.b1, b, c; vmad; vset; vadd4 d.b310, a.b3201, b.b7654, c …
#include "gpu/simt/lanes/video.h"
#include "gpu/simt/lower/families.h"

namespace ridge::gpu::simt {

namespace {

using Kind = VideoSpec::Kind;

[[noreturn]] void bad(const Operand& operand, std::string message)
{
    throw SyntaxError{badPtx(operand.place, std::move(message))};
}

bool takeSign(Modifiers& modifiers)
{
    const ScalarType type = modifiers.takeType();
    if (type != ScalarType::U32 && type != ScalarType::S32)
        throw Unsupported{"its types are .u32 and .s32"};
    return isSigned(type);
}

VideoSpec::Second takeSecond(Modifiers& modifiers)
{
    return modifiers.take("add")   ? VideoSpec::Second::Add
           : modifiers.take("min") ? VideoSpec::Second::Min
           : modifiers.take("max") ? VideoSpec::Second::Max
                                   : VideoSpec::Second::None;
}

Compare takeCompare(Modifiers& modifiers)
{
    constexpr std::array<std::pair<std::string_view, Compare>, 6> names{{{"eq", Compare::Eq},
                                                                         {"ne", Compare::Ne},
                                                                         {"lt", Compare::Lt},
                                                                         {"le", Compare::Le},
                                                                         {"gt", Compare::Gt},
                                                                         {"ge", Compare::Ge}}};
    for (const auto& [name, compare] : names) {
        if (modifiers.take(name))
            return compare;
    }
    throw Unsupported{"it names no comparison"};
}

/// The operand without its selector and sign.
Operand plain(Operand operand)
{
    operand.component = {};
    operand.minus = false;
    return operand;
}

VideoSpec::Part partOf(const Operand& operand)
{
    constexpr std::array<std::string_view, 6> names{"b0", "b1", "b2", "b3", "h0", "h1"};
    if (operand.component.empty())
        return VideoSpec::Part::Word;
    const auto found = std::find(names.begin(), names.end(), operand.component);
    if (found == names.end())
        bad(operand, "'." + std::string(operand.component) + "' names no byte and no half of a register");
    return static_cast<VideoSpec::Part>(found - names.begin());
}

/// ".b7610" or ".h32": the highest element first.
std::array<std::uint8_t, 4> picksOf(const Operand& operand, unsigned elements, std::uint8_t first)
{
    std::array<std::uint8_t, 4> picks{};
    const std::string_view text = operand.component;
    for (unsigned at = 0; at < elements; ++at) {
        picks[at] = static_cast<std::uint8_t>(first + at);
        if (text.empty())
            continue;
        const unsigned digit = text.size() == elements + 1 ? static_cast<unsigned>(text[elements - at] - '0') : 99;
        if (digit >= 2 * elements || text[0] != (elements == 2 ? 'h' : 'b'))
            bad(operand, "'." + std::string(text) + "' does not pick " + std::to_string(elements) + " elements");
        picks[at] = static_cast<std::uint8_t>(digit);
    }
    return picks;
}

/// ".b310": the elements that are computed, in falling order.
std::uint8_t maskOf(const Operand& operand, unsigned elements)
{
    const std::string_view text = operand.component;
    if (text.empty())
        return static_cast<std::uint8_t>((1u << elements) - 1);
    unsigned mask = 0, last = elements;
    for (const char c : text.substr(1)) {
        const auto digit = static_cast<unsigned>(c - '0');
        if (digit >= last)
            bad(operand, "'." + std::string(text) + "' names no elements of the result");
        mask |= 1u << digit;
        last = digit;
    }
    if (mask == 0 || text[0] != (elements == 2 ? 'h' : 'b'))
        bad(operand, "'." + std::string(text) + "' names no elements of the result");
    return static_cast<std::uint8_t>(mask);
}

void emitVideo(KernelBuilder& builder, const Instruction& instruction, const VideoSpec& spec)
{
    const auto& operands = instruction.operands;
    MicroOp op;
    op.run = findVideoOp();
    op.imm = packVideo(spec);
    op.a = builder.source(plain(operands[1]), ScalarType::U32);
    op.b = builder.source(plain(operands[2]), ScalarType::U32);
    op.c = operands.size() > 3 ? builder.source(plain(operands[3]), ScalarType::U32) : op.a;
    op.d = builder.destination(plain(operands[0]), ScalarType::U32);
    builder.emit(instruction, op);
}

Kind kindOf(std::string_view name)
{
    constexpr std::array<std::pair<std::string_view, Kind>, 9> names{{{"vadd", Kind::Add},
                                                                      {"vsub", Kind::Sub},
                                                                      {"vabsdiff", Kind::AbsDiff},
                                                                      {"vmin", Kind::Min},
                                                                      {"vmax", Kind::Max},
                                                                      {"vavrg", Kind::Average},
                                                                      {"vshl", Kind::Shl},
                                                                      {"vshr", Kind::Shr},
                                                                      {"vset", Kind::Set}}};
    const auto found = std::find_if(names.begin(), names.end(), [&](const auto& row) { return row.first == name; });
    return found == names.end() ? Kind::Mad : found->second;
}

void rejectMinus(const Instruction& instruction)
{
    for (const Operand& operand : instruction.operands) {
        if (operand.minus)
            bad(operand, "'" + instruction.text() + "' takes no negated operands");
    }
}

/// vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vset.
void lowerScalar(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    VideoSpec spec;
    spec.kind = kindOf(instruction.opcode);
    spec.second = takeSecond(modifiers);
    const bool isShift = spec.kind == Kind::Shl || spec.kind == Kind::Shr;
    if (spec.kind == Kind::Set)
        spec.compare = takeCompare(modifiers);
    else
        spec.saturate = modifiers.take("sat");
    spec.clampShift = isShift && modifiers.take("clamp");
    if (isShift && !spec.clampShift && !modifiers.take("wrap"))
        throw Unsupported{"it needs .clamp or .wrap"};
    spec.signedB = takeSign(modifiers);
    spec.signedA = takeSign(modifiers);
    spec.signedD = spec.kind != Kind::Set && takeSign(modifiers); // the result of a comparison is unsigned
    modifiers.end();
    if (isShift && spec.signedB)
        throw Unsupported{"the distance of a shift is a .u32"};
    rejectMinus(instruction);
    const auto& operands = instruction.operands;
    const bool hasThird = spec.second != VideoSpec::Second::None || !operands[0].component.empty();
    expectOperands(instruction, hasThird ? 4 : 3, hasThird ? 4 : 3);
    spec.d = partOf(operands[0]);
    spec.a = partOf(operands[1]);
    spec.b = partOf(operands[2]);
    if (spec.second != VideoSpec::Second::None && spec.d != VideoSpec::Part::Word)
        bad(operands[0], "a result is combined with the third operand or merged into it, not both");
    emitVideo(builder, instruction, spec);
}

void lowerMultiplyAdd(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    VideoSpec spec;
    spec.kind = Kind::Mad;
    spec.plusOne = modifiers.take("po");
    spec.saturate = modifiers.take("sat");
    spec.scale = modifiers.take("shr7") ? 7 : modifiers.take("shr15") ? 15 : 0;
    spec.signedB = takeSign(modifiers);
    spec.signedA = takeSign(modifiers);
    spec.signedD = takeSign(modifiers);
    modifiers.end();
    expectOperands(instruction, 4, 4);
    const auto& operands = instruction.operands;
    if (!operands[0].component.empty() || !operands[3].component.empty() || operands[0].minus)
        bad(instruction.operands[0], "only the factors of vmad are parts of registers");
    spec.a = partOf(operands[1]);
    spec.b = partOf(operands[2]);
    spec.negateProduct = operands[1].minus != operands[2].minus;
    spec.negateC = operands[3].minus;
    if (spec.plusOne)
        rejectMinus(instruction);
    if (spec.negateProduct && spec.negateC)
        bad(operands[3], "vmad negates the product or the third operand, not both");
    emitVideo(builder, instruction, spec);
}

/// vadd2, vsub2, vavrg2, vabsdiff2, vmin2, vmax2, vset2, and the same with 4.
void lowerElements(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    const std::string_view name = instruction.opcode;
    VideoSpec spec;
    spec.elements = name.back() == '2' ? 2 : 4;
    spec.kind = kindOf(name.substr(0, name.size() - 1));
    spec.second = modifiers.take("add") ? VideoSpec::Second::Add : VideoSpec::Second::None;
    if (spec.kind == Kind::Set)
        spec.compare = takeCompare(modifiers);
    else
        spec.saturate = modifiers.take("sat");
    if (spec.saturate && spec.second == VideoSpec::Second::Add)
        throw Unsupported{"a sum is not saturated"};
    spec.signedB = takeSign(modifiers);
    spec.signedA = takeSign(modifiers);
    spec.signedD = spec.kind != Kind::Set && takeSign(modifiers);
    modifiers.end();
    expectOperands(instruction, 4, 4);
    rejectMinus(instruction);
    const auto& operands = instruction.operands;
    if (!operands[3].component.empty())
        bad(operands[3], "the third operand is a whole register");
    spec.mask = maskOf(operands[0], spec.elements);
    spec.pickA = picksOf(operands[1], spec.elements, 0);
    spec.pickB = picksOf(operands[2], spec.elements, spec.elements);
    emitVideo(builder, instruction, spec);
}

} // namespace

Lowering findVideo(std::string_view opcode)
{
    static const NameMap<Lowering> table{
        {"vadd", lowerScalar},        {"vsub", lowerScalar},        {"vabsdiff", lowerScalar},
        {"vmin", lowerScalar},        {"vmax", lowerScalar},        {"vshl", lowerScalar},
        {"vshr", lowerScalar},        {"vset", lowerScalar},        {"vmad", lowerMultiplyAdd},
        {"vadd2", lowerElements},     {"vsub2", lowerElements},     {"vavrg2", lowerElements},
        {"vmin2", lowerElements},     {"vmax2", lowerElements},     {"vset2", lowerElements},
        {"vadd4", lowerElements},     {"vsub4", lowerElements},     {"vavrg4", lowerElements},
        {"vmin4", lowerElements},     {"vmax4", lowerElements},     {"vset4", lowerElements},
        {"vabsdiff2", lowerElements}, {"vabsdiff4", lowerElements},
    };
    const auto found = table.find(opcode);
    return found == table.end() ? nullptr : found->second;
}

} // namespace ridge::gpu::simt
