// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/ptx/unroll.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint64_t kMostTurns = 4096;

/// What may stand in a loop that is copied: its first operand is the destination, but for stores and barriers.
constexpr std::array<std::string_view, 50> kWithResult = {
    "add",  "sub", "mul", "mad",   "mul24", "mad24", "fma",  "div",  "rem",  "min",  "max",  "abs",  "neg",
    "and",  "or",  "xor", "not",   "shl",   "shr",   "shf",  "setp", "selp", "set",  "slct", "mov",  "cvt",
    "cvta", "ld",  "ldu", "rcp",   "sqrt",  "rsqrt", "ex2",  "lg2",  "sin",  "cos",  "tanh", "popc", "clz",
    "brev", "bfe", "bfi", "bfind", "prmt",  "lop3",  "dp4a", "shfl", "mma",  "vote", "atom"};
constexpr std::array<std::string_view, 5> kWithoutResult = {"st", "bar", "barrier", "membar", "red"};

template<std::size_t N>
bool contains(const std::array<std::string_view, N>& list, std::string_view opcode)
{
    return std::find(list.begin(), list.end(), opcode) != list.end();
}

bool hasResult(const Instruction& instruction)
{
    return contains(kWithResult, instruction.opcode);
}

template<typename F>
void forNames(Operand& operand, const F& change)
{
    if (operand.kind == Operand::Kind::Name && operand.component.empty())
        change(operand.text);
    for (Operand& part : operand.parts)
        forNames(part, change);
}

template<typename F>
void forNames(const Operand& operand, const F& look)
{
    if (operand.kind == Operand::Kind::Name && operand.component.empty())
        look(operand.text);
    for (const Operand& part : operand.parts)
        forNames(part, look);
}

/// Whole numbers that registers hold at one place of the program.
class Constants {
public:
    std::optional<std::uint64_t> of(const Operand& operand) const
    {
        if (operand.kind == Operand::Kind::Integer)
            return operand.bits;
        if (operand.kind != Operand::Kind::Name || operand.negated)
            return std::nullopt;
        const auto found = m_values.find(operand.text);
        return found == m_values.end() ? std::nullopt : std::optional(found->second);
    }

    std::optional<bool> predicate(std::string_view name) const
    {
        const auto found = m_values.find(name);
        return found == m_values.end() ? std::nullopt : std::optional(found->second != 0);
    }

    void execute(const Instruction& instruction)
    {
        if (instruction.operands.empty() || contains(kWithoutResult, instruction.opcode))
            return;
        const auto value = instruction.guard.name.empty() ? valueOf(instruction) : std::nullopt;
        forNames(instruction.operands[0], [&](std::string_view name) { m_values.erase(name); });
        if (value && instruction.operands[0].kind == Operand::Kind::Name)
            m_values[instruction.operands[0].text] = *value;
    }

private:
    static unsigned bitsOf(const Instruction& instruction)
    {
        const auto type =
            instruction.modifiers.empty() ? std::nullopt : scalarTypeFromText(instruction.modifiers.back());
        return !type || isFloat(*type) ? 0 : 8 * sizeOf(*type);
    }

    static std::uint64_t cut(std::uint64_t value, unsigned bits) { return bits == 32 ? value & 0xffff'ffffu : value; }

    static std::optional<bool> compare(const Instruction& instruction, std::uint64_t a, std::uint64_t b, unsigned bits)
    {
        const auto type = scalarTypeFromText(instruction.modifiers.back());
        const auto less = [&](std::uint64_t x, std::uint64_t y) {
            if (!isSigned(*type))
                return x < y;
            return bits == 32 ? static_cast<std::int32_t>(x) < static_cast<std::int32_t>(y)
                              : static_cast<std::int64_t>(x) < static_cast<std::int64_t>(y);
        };
        const std::string_view how = instruction.modifiers[0];
        if (how == "eq")
            return a == b;
        if (how == "ne")
            return a != b;
        if (how == "lt" || how == "lo")
            return less(a, b);
        if (how == "le" || how == "ls")
            return !less(b, a);
        if (how == "gt" || how == "hi")
            return less(b, a);
        if (how == "ge" || how == "hs")
            return !less(a, b);
        return std::nullopt;
    }

    std::optional<std::uint64_t> valueOf(const Instruction& instruction) const
    {
        const unsigned bits = bitsOf(instruction);
        if (bits != 32 && bits != 64)
            return std::nullopt;
        const auto& operands = instruction.operands;
        const auto a = operands.size() > 1 ? of(operands[1]) : std::nullopt;
        if (instruction.opcode == "mov" && operands.size() == 2)
            return a ? std::optional(cut(*a, bits)) : std::nullopt;
        const auto b = operands.size() == 3 ? of(operands[2]) : std::nullopt;
        if (!a || !b)
            return std::nullopt;
        const std::size_t modifiers = instruction.modifiers.size();
        if (instruction.opcode == "setp" && modifiers == 2) {
            const auto holds = compare(instruction, cut(*a, bits), cut(*b, bits), bits);
            return holds ? std::optional<std::uint64_t>(*holds ? 1 : 0) : std::nullopt;
        }
        if (modifiers != 1)
            return std::nullopt;
        if (instruction.opcode == "add")
            return cut(*a + *b, bits);
        if (instruction.opcode == "sub")
            return cut(*a - *b, bits);
        if (instruction.opcode == "shl")
            return *b < bits ? cut(*a << *b, bits) : 0;
        return std::nullopt;
    }

    std::unordered_map<std::string_view, std::uint64_t> m_values;
};

class Unroller {
public:
    Unroller(Function& function, std::deque<std::string>& names) : m_body(function.body), m_names(names)
    {
        std::unordered_map<std::string_view, std::size_t> targets;
        for (const Statement& statement : m_body) {
            if (const auto* instruction = std::get_if<Instruction>(&statement)) {
                for (const Operand& operand : instruction->operands)
                    forNames(operand, [&](std::string_view name) { ++targets[name]; });
            } else if (const auto* table = std::get_if<BranchTargets>(&statement)) {
                for (const std::string_view label : table->labels)
                    ++targets[label];
            } else if (const auto* declared = std::get_if<RegisterDeclaration>(&statement)) {
                m_declared.push_back(*declared);
            }
        }
        m_references = std::move(targets);
    }

    void run()
    {
        std::vector<Loop> loops;
        for (std::size_t at = 0; at < m_body.size(); ++at) {
            const std::size_t end = std::holds_alternative<Label>(m_body[at]) ? loopEnd(at) : at;
            if (end == at)
                continue;
            const Constants entry = constantsAt(at);
            const std::uint64_t turns = turnsOf(at, end, entry);
            if (const std::size_t copies = copiesOf(turns, end - at); copies > 1)
                loops.push_back({at, end, copies, copies == turns, copies == turns ? entry : Constants{}});
            at = end;
        }
        if (loops.empty())
            return;
        std::vector<Statement> made;
        std::size_t at = 0;
        for (const Loop& loop : loops) {
            made.insert(made.end(), m_body.begin() + static_cast<std::ptrdiff_t>(at),
                        m_body.begin() + static_cast<std::ptrdiff_t>(loop.start));
            unroll(loop, made);
            at = loop.end + 1;
        }
        made.insert(made.end(), m_body.begin() + static_cast<std::ptrdiff_t>(at), m_body.end());
        made.insert(made.begin(), m_fresh.begin(), m_fresh.end());
        m_body = std::move(made);
    }

private:
    struct Loop {
        std::size_t start = 0, end = 0; ///< label and branch, in the body
        std::size_t copies = 1;
        bool whole = false;  ///< nothing of the loop is left
        Constants constants; ///< on entry; those that hold in every turn where the loop stays
    };

    /// The branch back to the label at `start`; `start` where what stands there is no such loop.
    std::size_t loopEnd(std::size_t start) const
    {
        const auto& label = std::get<Label>(m_body[start]);
        const auto references = m_references.find(label.name);
        if (label.nounroll || references == m_references.end() || references->second != 1)
            return start;
        for (std::size_t at = start + 1; at < m_body.size(); ++at) {
            const auto* instruction = std::get_if<Instruction>(&m_body[at]);
            if (instruction == nullptr)
                return start;
            if (instruction->opcode == "bra") {
                const bool back = !instruction->guard.name.empty() && instruction->operands.size() == 1 &&
                                  instruction->operands[0].text == label.name;
                return back ? at : start;
            }
            if (!hasResult(*instruction) && !contains(kWithoutResult, instruction->opcode))
                return start;
        }
        return start;
    }

    /// How many turns stand side by side afterwards; 1: the loop stays as it is.
    static std::size_t copiesOf(std::uint64_t turns, std::size_t size)
    {
        if (turns < 2 || turns * size <= kUnrolledInstructions)
            return static_cast<std::size_t>(turns);
        std::size_t copies = 1;
        for (std::size_t part = 2; part * size <= kPartInstructions && part < turns; ++part)
            copies = turns % part == 0 ? part : copies;
        return copies;
    }

    /// Nothing jumps between the last label and the one at `start`, so what is executed there is known on entry.
    Constants constantsAt(std::size_t start) const
    {
        std::size_t from = start;
        while (from > 0 && std::holds_alternative<Instruction>(m_body[from - 1]))
            --from;
        Constants constants;
        for (const Statement& statement : m_body) // registers with one definition in the whole function
            if (const auto* instruction = std::get_if<Instruction>(&statement);
                instruction != nullptr && isOnlyMove(*instruction))
                constants.execute(*instruction);
        for (std::size_t at = from; at < start; ++at)
            constants.execute(std::get<Instruction>(m_body[at]));
        return constants;
    }

    /// 1 where it is not known, or only one.
    std::uint64_t turnsOf(std::size_t start, std::size_t end, Constants constants) const
    {
        const Guard& guard = std::get<Instruction>(m_body[end]).guard;
        for (std::uint64_t turn = 1; turn <= kMostTurns; ++turn) {
            for (std::size_t at = start + 1; at < end; ++at)
                constants.execute(std::get<Instruction>(m_body[at]));
            const auto taken = constants.predicate(guard.name);
            if (!taken)
                return 1;
            if (*taken == guard.negated)
                return turn;
        }
        return 1;
    }

    bool isOnlyMove(const Instruction& instruction) const
    {
        if (instruction.opcode != "mov" || !instruction.guard.name.empty() || instruction.operands.size() != 2 ||
            instruction.operands[1].kind != Operand::Kind::Integer)
            return false;
        if (m_definitions.empty())
            countDefinitions();
        const auto found = m_definitions.find(instruction.operands[0].text);
        return found != m_definitions.end() && found->second == 1;
    }

    void countDefinitions() const
    {
        for (const Statement& statement : m_body)
            if (const auto* instruction = std::get_if<Instruction>(&statement);
                instruction != nullptr && !instruction->operands.empty())
                forNames(instruction->operands[0], [&](std::string_view name) { ++m_definitions[name]; });
    }

    void unroll(const Loop& loop, std::vector<Statement>& made)
    {
        std::unordered_map<std::string_view, std::size_t> last; // the statement that leaves a register's final value
        std::unordered_set<std::string_view> keeps;             // written under a guard: the old value may live on
        for (std::size_t at = loop.start + 1; at < loop.end; ++at) {
            const auto& instruction = std::get<Instruction>(m_body[at]);
            if (!hasResult(instruction) || instruction.operands.empty())
                continue;
            forNames(instruction.operands[0], [&](std::string_view name) {
                last[name] = at;
                if (!instruction.guard.name.empty())
                    keeps.insert(name);
            });
        }
        std::unordered_map<std::string_view, std::string_view> now; // by original name
        const auto current = [&](std::string_view& name) {
            if (const auto found = now.find(name); found != now.end())
                name = found->second;
        };
        Constants constants = loop.constants;
        if (!loop.whole) {
            made.push_back(m_body[loop.start]);
        } else {
            // What moves from turn to turn and is known: under a name of its own, it stays known to what comes after.
            for (const auto& [name, at] : last) {
                Operand original;
                original.text = name;
                const auto value = constants.of(original);
                const auto type = typeOf(name);
                if (!value || !type || *type == ScalarType::Pred || keeps.contains(name))
                    continue;
                Instruction first = std::get<Instruction>(m_body[at]);
                first.guard = {};
                now[name] = freshName(name);
                made.emplace_back(moveOf(std::move(first), now[name], *value, *type));
            }
        }
        for (std::size_t copy = 0; copy < loop.copies; ++copy) {
            for (std::size_t at = loop.start + 1; at < loop.end; ++at) {
                Instruction instruction = std::get<Instruction>(m_body[at]);
                constants.execute(instruction);
                if (instruction.guard.name.empty() && instruction.opcode != "mov" && instruction.operands.size() > 1 &&
                    instruction.operands[0].kind == Operand::Kind::Name) {
                    const std::string_view result = instruction.operands[0].text;
                    const auto value = constants.of(instruction.operands[0]);
                    const auto type = typeOf(result);
                    if (value && type && *type != ScalarType::Pred)
                        instruction = moveOf(std::move(instruction), result, *value, *type);
                }
                current(instruction.guard.name);
                const std::size_t first = hasResult(instruction) && !instruction.operands.empty() ? 1 : 0;
                for (std::size_t operand = first; operand < instruction.operands.size(); ++operand)
                    forNames(instruction.operands[operand], current);
                if (first == 1)
                    forNames(instruction.operands[0], [&](std::string_view& name) {
                        const std::string_view original = name;
                        if (keeps.contains(original))
                            return;
                        const bool final = copy + 1 == loop.copies && last.at(original) == at;
                        const std::string_view fresh = final ? original : freshName(original);
                        now[original] = fresh;
                        name = fresh;
                    });
                made.emplace_back(std::move(instruction));
            }
        }
        if (!loop.whole) {
            Instruction branch = std::get<Instruction>(m_body[loop.end]);
            current(branch.guard.name);
            made.emplace_back(std::move(branch));
        }
    }

    /// mov.TYPE name, value; in the place of `instruction`.
    static Instruction moveOf(Instruction instruction, std::string_view name, std::uint64_t value, ScalarType type)
    {
        Operand result, number;
        result.text = name;
        number.kind = Operand::Kind::Integer;
        number.bits = value;
        result.place = number.place = instruction.place;
        instruction.opcode = "mov";
        instruction.modifiers = {toText(type)};
        instruction.operands = {result, number};
        return instruction;
    }

    std::string_view freshName(std::string_view original)
    {
        const std::optional<ScalarType> type = typeOf(original);
        if (!type)
            return original; // a name that is no register of this function: the lowering will say so
        m_names.push_back("%unrolled" + std::to_string(m_names.size()) + "_");
        RegisterDeclaration declaration;
        declaration.type = *type;
        declaration.name = m_names.back();
        m_fresh.push_back(declaration);
        return declaration.name;
    }

    /// No value where scopes declare it with different types.
    std::optional<ScalarType> typeOf(std::string_view name) const
    {
        std::optional<ScalarType> type;
        for (const RegisterDeclaration& declared : m_declared) {
            const bool numbered = declared.count > 0 && name.size() > declared.name.size() &&
                                  name.substr(0, declared.name.size()) == declared.name &&
                                  name.find_first_not_of("0123456789", declared.name.size()) == std::string_view::npos;
            if (!numbered && (declared.count > 0 || declared.name != name))
                continue;
            if (type && *type != declared.type)
                return std::nullopt;
            type = declared.type;
        }
        return type;
    }

    std::vector<Statement>& m_body;
    std::deque<std::string>& m_names;
    std::vector<RegisterDeclaration> m_declared, m_fresh;
    std::unordered_map<std::string_view, std::size_t> m_references;
    mutable std::unordered_map<std::string_view, std::size_t> m_definitions;
};

} // namespace

void unrollLoops(Module& module)
{
    if (!module.madeNames)
        module.madeNames = std::make_shared<std::deque<std::string>>();
    for (Function& function : module.functions)
        if (function.hasBody)
            Unroller(function, *module.madeNames).run();
}

} // namespace ridge::gpu::simt
