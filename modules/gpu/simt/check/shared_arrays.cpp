// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/check/shared_arrays.h"

#include <algorithm>
#include <charconv>
#include <span>

namespace ridge::gpu::simt {

namespace {

/// What a register may hold: nothing seen yet, the address in one variable, a number, or one of several of them.
using Content = std::uint32_t;
constexpr Content kUnseen = ~Content{0}, kNumber = kUnseen - 1, kSeveral = kUnseen - 2;

/// As many loops as an address may move through, one inside the other, and more; who has more is not watched.
constexpr int kRounds = 64;

bool isVariable(Content content)
{
    return content < kSeveral;
}

/// Of a register that two instructions write.
Content either(Content a, Content b)
{
    return a == kUnseen || a == b ? b : b == kUnseen ? a : kSeveral;
}

/// Of a sum: an address stays one where a number is added.
Content sum(Content a, Content b)
{
    if (a == kSeveral || b == kSeveral || (isVariable(a) && isVariable(b)))
        return kSeveral;
    if (isVariable(a) || isVariable(b))
        return isVariable(a) ? a : b;
    return a == kUnseen || b == kUnseen ? kUnseen : kNumber;
}

class Tracer {
public:
    explicit Tracer(const KernelImage& image) : m_image(image), m_contents(image.registerBytes / 4, kUnseen) {}

    std::vector<std::uint32_t> run()
    {
        setAside();
        std::vector<std::uint32_t> found(m_image.ops.size(), kNone);
        bool changed = true;
        for (int round = 0; changed && round < kRounds; ++round) {
            changed = false;
            for (const PtxRecord& record : m_image.records)
                changed = execute(record) || changed;
        }
        if (changed)
            return found;
        for (std::size_t pc = 0; pc < found.size(); ++pc) {
            const std::uint32_t record = m_image.recordOf[pc];
            if (record != kNone && m_image.ops[pc].detail < m_image.memory.size())
                found[pc] = ofAddress(m_image.records[record]);
        }
        return found;
    }

private:
    /// What functions give each other is in no record.
    void setAside()
    {
        for (std::size_t pc = 0; pc < m_image.ops.size(); ++pc) {
            const std::uint32_t statement = m_image.statementOf[pc];
            if (statement == kNone)
                continue;
            const bool isCall = textOf(m_image.places[pc].text).starts_with("call");
            for (const PlaneUse& use : m_image.statements[statement]) {
                if (use.role == PlaneUse::Role::Passed || (isCall && use.role == PlaneUse::Role::Destination))
                    content(use.plane) = kSeveral;
            }
        }
    }

    std::string_view textOf(std::uint32_t text) const { return m_image.texts[text]; }
    std::span<const PtxOperand> operandsOf(const PtxRecord& record) const
    {
        return {m_image.operands.data() + record.firstOperand, record.operandCount};
    }
    Content& content(std::uint32_t plane) { return m_contents[plane / 4]; }

    Content of(const PtxOperand& operand)
    {
        switch (operand.kind) {
        case PtxOperand::Kind::Register:
            return operand.bytes == 0 ? kNumber : content(operand.plane);
        case PtxOperand::Kind::Symbol:
            return operand.space == Space::Shared ? (operand.variable == kNone ? kSeveral : operand.variable) : kNumber;
        default:
            return kNumber;
        }
    }

    /// Whether a register holds something new.
    bool execute(const PtxRecord& record)
    {
        const std::span<const PtxOperand> operands = operandsOf(record);
        if (operands.empty())
            return false;
        const bool isGroup = operands[0].kind == PtxOperand::Kind::Group;
        const std::size_t results = isGroup ? operands[0].count : 1;
        const std::size_t first = isGroup ? 1 : 0;
        if (first + results > operands.size())
            return false;
        const Content made = resultOf(textOf(record.text), operands.subspan(first + results));
        bool changed = false;
        for (const PtxOperand& result : operands.subspan(first, results)) {
            if (result.kind != PtxOperand::Kind::Register || result.bytes == 0)
                continue;
            const Content now = either(content(result.plane), made);
            changed = changed || now != content(result.plane);
            content(result.plane) = now;
        }
        return changed;
    }

    Content resultOf(std::string_view text, std::span<const PtxOperand> sources)
    {
        const std::string_view opcode = text.substr(0, text.find('.'));
        if (opcode == "ld" || opcode == "ldu" || opcode == "atom")
            return kNumber;
        const bool adds = opcode == "add" || opcode == "or" || opcode == "and" || opcode == "xor" || opcode == "mov" ||
                          opcode == "cvta" || opcode == "cvt";
        if (adds && !sources.empty()) {
            Content made = of(sources[0]);
            for (const PtxOperand& source : sources.subspan(1))
                made = sum(made, of(source));
            return made;
        }
        if (opcode == "selp" && sources.size() == 3)
            return either(of(sources[0]), of(sources[1]));
        if (opcode == "sub" && sources.size() == 2) {
            const Content from = of(sources[0]), less = of(sources[1]);
            return !isVariable(less) ? sum(from, less) : from == less ? kNumber : kSeveral;
        }
        if (opcode == "mad" && sources.size() == 3)
            return sum(times(of(sources[0]), of(sources[1])), of(sources[2]));
        Content made = kNumber;
        for (const PtxOperand& source : sources)
            made = times(made, of(source));
        return made;
    }

    /// Of what makes a number of numbers.
    static Content times(Content a, Content b)
    {
        if (a == kNumber && b == kNumber)
            return kNumber;
        return (a == kNumber || a == kUnseen) && (b == kNumber || b == kUnseen) ? kUnseen : kSeveral;
    }

    std::uint32_t ofAddress(const PtxRecord& record)
    {
        const std::span<const PtxOperand> operands = operandsOf(record);
        const auto memory = std::find_if(operands.begin(), operands.end(), [](const PtxOperand& operand) {
            return operand.kind == PtxOperand::Kind::Memory;
        });
        if (memory == operands.end())
            return kNone;
        const Content found = memory->plane != kNone ? content(memory->plane) : memory->variable;
        return isVariable(found) ? found : kNone;
    }

    const KernelImage& m_image;
    std::vector<Content> m_contents; ///< of each plane
};

} // namespace

std::vector<std::uint32_t> sharedVariableOf(const KernelImage& image)
{
    return image.sharedVariables.empty() ? std::vector<std::uint32_t>(image.ops.size(), kNone) : Tracer(image).run();
}

std::string plainName(const std::string& variable)
{
    if (!variable.starts_with("_Z"))
        return variable;
    for (std::size_t at = variable.size(); at-- > 2;) {
        std::size_t length = 0;
        const char* const text = variable.data() + at;
        const auto [end, failed] = std::from_chars(text, variable.data() + variable.size(), length);
        if (failed == std::errc() && end + length == variable.data() + variable.size() && length != 0)
            return {end, length};
    }
    return variable;
}

} // namespace ridge::gpu::simt
