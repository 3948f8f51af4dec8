// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/ptx/predicate.h"

#include "gpu/simt/ptx/copyable.h"

#include <optional>
#include <span>

namespace ridge::gpu::simt {

namespace {

constexpr std::array<std::string_view, 4> kNeverPredicated = {"shfl", "mma", "vote", "atom"};

bool isClock(const Instruction& instruction)
{
    return instruction.opcode == "mov" && instruction.operands.size() > 1 &&
           instruction.operands[1].kind == Operand::Kind::Name && instruction.operands[1].text.starts_with('%') &&
           !isRegister(instruction.operands[1]) && instruction.operands[1].component.empty();
}

bool mayPredicate(const Instruction& instruction)
{
    if (!instruction.guard.name.empty() || isClock(instruction) || instruction.has("acquire"))
        return false;
    if (instruction.opcode == "st")
        return !instruction.has("release");
    if (!hasResult(instruction) || contains(kNeverPredicated, instruction.opcode))
        return false;
    if (instruction.opcode == "div" || instruction.opcode == "rem" || instruction.opcode == "sqrt" ||
        instruction.opcode == "rcp" || instruction.opcode == "rsqrt")
        return instruction.has("approx") || instruction.has("full");
    return true;
}

bool loadsGlobal(const Instruction& instruction)
{
    return (instruction.opcode == "ld" || instruction.opcode == "ldu") && !instruction.has("shared") &&
           !instruction.has("param") && !instruction.has("const") && !instruction.has("local");
}

/// Machine instructions that become of it where nothing is merged.
std::size_t ownSize(const Instruction& instruction)
{
    const std::string_view opcode = instruction.opcode;
    const bool wide = wholeBitsOf(instruction) == 64 && !instruction.has("wide");
    if (opcode == "cvta" || (opcode == "ld" && (instruction.has("param") || instruction.has("const"))))
        return 0;
    if (opcode == "ld" || opcode == "st" || opcode == "ldu")
        return 1;
    if (opcode == "div")
        return 6; // scaled against overflow
    if (opcode == "ex2" || opcode == "lg2" || opcode == "sqrt" || opcode == "rcp" || opcode == "rsqrt")
        return 3;
    if ((opcode == "mul" || opcode == "mad") && wide)
        return 4;
    return wide ? 2 : 1;
}

/// What an addition of the same body takes along: its only reader makes it on the way.
bool mergesIntoAddition(const Instruction& instruction)
{
    const bool product = instruction.opcode == "mul" && (instruction.has("wide") || instruction.has("lo"));
    return product || instruction.opcode == "shl" || (instruction.opcode == "add" && wholeBitsOf(instruction) == 32) ||
           instruction.opcode == "cvt";
}

class Predicator {
public:
    explicit Predicator(Function& function) : m_body(function.body), m_references(countNames(function.body)) {}

    void run()
    {
        joinJumps();
        std::size_t kept = 0; // never beyond what has been looked at
        for (std::size_t at = 0; at < m_body.size();) {
            const auto found = ifAt(at);
            if (!found) {
                if (kept != at)
                    m_body[kept] = std::move(m_body[at]);
                ++kept;
                ++at;
                continue;
            }
            const Guard jumps = std::get<Instruction>(m_body[at]).guard;
            Guard stays = jumps;
            stays.negated = !stays.negated;
            for (const std::size_t statement : found->then)
                m_body[kept++] = guarded(statement, stays);
            for (const std::size_t statement : found->otherwise)
                m_body[kept++] = guarded(statement, jumps);
            at = found->end;
            if (--m_references[found->join] == 0)
                ++at; // nobody jumps there any more: one block with what follows
        }
        m_body.erase(m_body.begin() + static_cast<std::ptrdiff_t>(kept), m_body.end());
    }

private:
    /// Places of the bodies' instructions, and the label where both ways meet.
    struct If {
        std::vector<std::size_t> then, otherwise;
        std::string_view join;
        std::size_t end = 0;
    };

    /// "@p bra over; bra far; over:", as NVRTC writes many an `if`, is one jump with the other sense.
    void joinJumps()
    {
        std::size_t kept = 0;
        for (std::size_t at = 0; at < m_body.size(); ++at, ++kept) {
            const Instruction* near = branchAt(at);
            const Instruction* far = near == nullptr ? nullptr : branchAt(at + 1);
            const Label* over = far == nullptr ? nullptr : labelAt(at + 2);
            const bool joins = over != nullptr && !near->guard.name.empty() && far->guard.name.empty() &&
                               near->operands[0].text == over->name;
            if (!joins) {
                if (kept != at)
                    m_body[kept] = std::move(m_body[at]);
                continue;
            }
            Instruction jump = *near;
            jump.guard.negated = !jump.guard.negated;
            jump.operands = far->operands;
            const bool isLast = --m_references[over->name] == 0;
            m_body[kept] = std::move(jump);
            at += isLast ? 2 : 1;
        }
        m_body.erase(m_body.begin() + static_cast<std::ptrdiff_t>(kept), m_body.end());
    }

    const Instruction* branchAt(std::size_t at) const
    {
        const auto* branch = at < m_body.size() ? std::get_if<Instruction>(&m_body[at]) : nullptr;
        return branch != nullptr && branch->opcode == "bra" && branch->operands.size() == 1 ? branch : nullptr;
    }
    const Label* labelAt(std::size_t at) const
    {
        return at < m_body.size() ? std::get_if<Label>(&m_body[at]) : nullptr;
    }

    std::optional<If> ifAt(std::size_t at) const
    {
        const Instruction* branch = branchAt(at);
        if (branch == nullptr || branch->guard.name.empty())
            return std::nullopt;
        const std::string_view target = branch->operands[0].text;
        If found;
        std::size_t end = bodyFrom(at + 1, branch->guard.name, found.then);
        const Label* label = labelAt(end);
        if (label != nullptr && label->name == target) {
            if (found.then.empty() || onlyEnds(end) || !isShort(found.then, 0))
                return std::nullopt;
            found.join = target;
            found.end = end;
            return found;
        }
        const Instruction* over = branchAt(end);
        label = labelAt(end + 1);
        if (over == nullptr || !over->guard.name.empty() || label == nullptr || label->name != target ||
            m_references.at(target) != 1)
            return std::nullopt;
        found.join = over->operands[0].text;
        end = bodyFrom(end + 2, branch->guard.name, found.otherwise);
        const Label* join = labelAt(end);
        if (join == nullptr || join->name != found.join || (found.then.empty() && onlyEnds(end)) ||
            !isShort(found.then, 1) || !isShort(found.otherwise, 0))
            return std::nullopt;
        found.end = end;
        return found;
    }

    /// Behind the last instruction that may run under `predicate`.
    std::size_t bodyFrom(std::size_t at, std::string_view predicate, std::vector<std::size_t>& body) const
    {
        for (; at < m_body.size() && body.size() <= 4 * kShortBodyWithLoad; ++at) {
            const auto* instruction = std::get_if<Instruction>(&m_body[at]);
            if (instruction == nullptr || !mayPredicate(*instruction))
                break;
            bool changes = false;
            if (hasResult(*instruction) && !instruction->operands.empty())
                forNames(instruction->operands[0], [&](std::string_view name) { changes |= name == predicate; });
            if (changes)
                break;
            body.push_back(at);
        }
        return at;
    }

    /// Nothing but the end of the thread comes from `at` on.
    bool onlyEnds(std::size_t at) const
    {
        while (labelAt(at) != nullptr)
            ++at;
        const auto* instruction = at < m_body.size() ? std::get_if<Instruction>(&m_body[at]) : nullptr;
        return instruction != nullptr && (instruction->opcode == "ret" || instruction->opcode == "exit");
    }

    bool isShort(const std::vector<std::size_t>& body, std::size_t jumps) const
    {
        NameCounts reads; // by additions of this body
        bool loads = false;
        for (const std::size_t at : body) {
            const auto& instruction = std::get<Instruction>(m_body[at]);
            loads = loads || loadsGlobal(instruction);
            if (instruction.opcode == "add" && wholeBitsOf(instruction) >= 32)
                for (std::size_t operand = 1; operand < instruction.operands.size(); ++operand)
                    forNames(instruction.operands[operand], [&](std::string_view name) { ++reads[name]; });
        }
        std::size_t size = jumps;
        for (const std::size_t at : body) {
            const auto& instruction = std::get<Instruction>(m_body[at]);
            const std::string_view result =
                instruction.operands.empty() ? std::string_view{} : instruction.operands[0].text;
            const auto read = reads.find(result);
            const bool merged =
                mergesIntoAddition(instruction) && read != reads.end() && m_references.at(result) == read->second + 1;
            const bool takesProduct =
                instruction.opcode == "add" && wholeBitsOf(instruction) == 64 && takesWideProduct(instruction, body);
            size += merged ? 0 : takesProduct ? 1 : ownSize(instruction);
        }
        return size <= (loads ? kShortBodyWithLoad : kShortBody);
    }

    /// IMAD.WIDE makes product and sum in one.
    bool takesWideProduct(const Instruction& sum, const std::vector<std::size_t>& body) const
    {
        for (const std::size_t at : body) {
            const auto& made = std::get<Instruction>(m_body[at]);
            if (made.opcode != "mul" || !made.has("wide") || made.operands.empty())
                continue;
            for (std::size_t operand = 1; operand < sum.operands.size(); ++operand)
                if (sum.operands[operand].text == made.operands[0].text)
                    return true;
        }
        return false;
    }

    Statement guarded(std::size_t at, const Guard& guard)
    {
        Instruction instruction = std::move(std::get<Instruction>(m_body[at]));
        instruction.guard = guard;
        return instruction;
    }

    std::vector<Statement>& m_body;
    NameCounts m_references;
};

} // namespace

void predicateBranches(Module& module)
{
    for (Function& function : module.functions)
        if (function.hasBody)
            Predicator(function).run();
}

} // namespace ridge::gpu::simt
