// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/ptx/unroll.h"

#include "gpu/simt/ptx/copyable.h"
#include "gpu/simt/ptx/lane_values.h"
#include "gpu/simt/ptx/loop_constants.h"
#include "gpu/simt/ptx/loop_counter.h"
#include "gpu/simt/ptx/turn_values.h"

#include <algorithm>
#include <array>
#include <span>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint64_t kMostTurns = 4096;
constexpr std::uint64_t kUnknownTurns = 0;

class Unroller {
public:
    Unroller(Function& function, std::deque<std::string>& names) : m_body(function.body), m_names(names)
    {
        for (const Statement& statement : m_body) {
            const auto* instruction = std::get_if<Instruction>(&statement);
            if (instruction != nullptr && instruction->opcode == "bra" && !instruction->operands.empty())
                ++m_jumps[instruction->operands[0].text];
            else if (const auto* table = std::get_if<BranchTargets>(&statement))
                for (const std::string_view label : table->labels)
                    ++m_jumps[label];
            else if (const auto* declared = std::get_if<RegisterDeclaration>(&statement))
                m_declared.push_back(*declared);
        }
    }

    void run()
    {
        std::vector<Loop> loops;
        for (std::size_t at = 0; at < m_body.size(); ++at) {
            const std::size_t end = std::holds_alternative<Label>(m_body[at]) ? loopEnd(at) : at;
            if (end == at)
                continue;
            const LoopConstants entry = constantsAt(at);
            const std::uint64_t turns = turnsOf(at, end, entry);
            const std::size_t copies = copiesOf(turns, end - at);
            if (copies > 1)
                loops.push_back({at, end, copies, copies == turns, copies == turns ? entry : LoopConstants{}, {}});
            else if (turns == kUnknownTurns && isUnrolledAtRunTime(bodyOf(at, end)))
                if (auto counter = togetherCounterOf(bodyOf(at, end)))
                    loops.push_back({at, end, 1, false, {}, std::move(counter)});
            at = end;
        }
        if (loops.empty())
            return;
        std::vector<Statement> made;
        std::size_t at = 0;
        const auto keepUntil = [&](std::size_t end) {
            made.insert(made.end(), std::make_move_iterator(m_body.begin() + static_cast<std::ptrdiff_t>(at)),
                        std::make_move_iterator(m_body.begin() + static_cast<std::ptrdiff_t>(end)));
        };
        for (const Loop& loop : loops) {
            keepUntil(loop.start);
            if (loop.counter)
                unrollAtRunTime(loop, made);
            else
                unroll(loop, made);
            at = loop.end + 1;
        }
        keepUntil(m_body.size());
        m_body.assign(m_fresh.begin(), m_fresh.end());
        m_body.insert(m_body.end(), std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
    }

private:
    using Names = NameMap<std::string_view>; ///< what a register is called now

    struct Loop {
        std::size_t start = 0, end = 0; ///< label and branch, in the body
        std::size_t copies = 1;
        bool whole = false;                 ///< nothing of the loop is left
        LoopConstants constants;            ///< on entry; those that hold in every turn where the loop stays
        std::optional<LoopCounter> counter; ///< where only the launch knows the number of turns
    };

    std::span<const Statement> bodyOf(std::size_t start, std::size_t end) const
    {
        return std::span<const Statement>(m_body).subspan(start + 1, end - start);
    }

    /// None where lanes may leave the loop in different turns and it has what they are better together for, an atomic
    /// or a barrier: ptxas 13.0 leaves such a loop as it is.
    std::optional<LoopCounter> togetherCounterOf(std::span<const Statement> body) const
    {
        std::optional<LoopCounter> counter = counterOf(body);
        constexpr std::array<std::string_view, 4> kTogether{"atom", "red", "bar", "barrier"};
        const bool isBetterTogether = std::any_of(body.begin(), body.end(), [&](const Statement& statement) {
            return contains(kTogether, std::get<Instruction>(statement).opcode);
        });
        if (!counter || !isBetterTogether)
            return counter;
        const auto lanes = laneValues(m_body);
        const bool isApart = lanes.contains(counter->name) ||
                             (counter->bound.kind == Operand::Kind::Name && lanes.contains(counter->bound.text));
        return isApart ? std::nullopt : counter;
    }

    /// The branch back to the label at `start`; `start` where what stands there is no such loop.
    std::size_t loopEnd(std::size_t start) const
    {
        const auto& label = std::get<Label>(m_body[start]);
        if (label.nounroll)
            return start;
        for (std::size_t at = start + 1; at < m_body.size(); ++at) {
            const auto* instruction = std::get_if<Instruction>(&m_body[at]);
            if (instruction == nullptr)
                return start;
            if (instruction->opcode == "bra") {
                const bool back = !instruction->guard.name.empty() && instruction->operands.size() == 1 &&
                                  instruction->operands[0].text == label.name;
                return back && m_jumps.at(label.name) == 1 ? at : start;
            }
            if (!hasResult(*instruction) && !contains(kWithoutResult, instruction->opcode))
                return start;
        }
        return start;
    }

    /// Of a register.
    std::size_t references(std::string_view name) const
    {
        if (m_references.empty())
            m_references = countNames(m_body);
        const auto found = m_references.find(name);
        return found == m_references.end() ? 0 : found->second;
    }

    /// How many turns stand side by side afterwards; 1: the loop stays as it is.
    static std::size_t copiesOf(std::uint64_t turns, std::size_t size)
    {
        if (turns < 2)
            return 1;
        if (turns * size <= kUnrolledInstructions)
            return static_cast<std::size_t>(turns);
        std::size_t copies = 1;
        for (std::size_t part = 2; part * size <= kPartInstructions && part < turns; ++part)
            copies = turns % part == 0 ? part : copies;
        return copies;
    }

    /// Nothing jumps between the last label and the one at `start`, so what is executed there is known on entry.
    LoopConstants constantsAt(std::size_t start) const
    {
        std::size_t from = start;
        while (from > 0 && std::holds_alternative<Instruction>(m_body[from - 1]))
            --from;
        if (!m_constants)
            m_constants = constantsOf(m_body);
        LoopConstants constants = *m_constants;
        for (std::size_t at = from; at < start; ++at)
            constants.execute(std::get<Instruction>(m_body[at]));
        return constants;
    }

    /// kUnknownTurns where nothing here tells.
    std::uint64_t turnsOf(std::size_t start, std::size_t end, LoopConstants constants) const
    {
        const Guard& guard = std::get<Instruction>(m_body[end]).guard;
        for (std::uint64_t turn = 1; turn <= kMostTurns; ++turn) {
            for (std::size_t at = start + 1; at < end; ++at)
                constants.execute(std::get<Instruction>(m_body[at]));
            const auto taken = constants.predicate(guard.name);
            if (!taken)
                return kUnknownTurns;
            if (*taken == guard.negated)
                return turn;
        }
        return kUnknownTurns;
    }

    /// What a loop's body writes.
    struct Writes {
        NameMap<std::size_t> last; ///< the statement that leaves a register's final value
        NameSet keeps;             ///< written under a guard: the old value may live on
    };

    Writes writesOf(const Loop& loop) const
    {
        Writes writes;
        for (std::size_t at = loop.start + 1; at < loop.end; ++at) {
            const auto& instruction = std::get<Instruction>(m_body[at]);
            if (!hasResult(instruction) || instruction.operands.empty())
                continue;
            forNames(instruction.operands[0], [&](std::string_view name) {
                writes.last[name] = at;
                if (!instruction.guard.name.empty())
                    writes.keeps.insert(name);
            });
        }
        for (auto name = writes.keeps.begin(); name != writes.keeps.end();)
            name = isOfOneGuard(*name, loop) ? writes.keeps.erase(name) : std::next(name);
        return writes;
    }

    /// Written and then read under one predicate alone, and by nobody outside the loop: what the register held before
    /// does not matter, so that every turn can have one of its own.
    bool isOfOneGuard(std::string_view name, const Loop& loop) const
    {
        if (typeOf(name) == ScalarType::Pred)
            return false; // as a guard it is no operand
        const Guard* guard = nullptr;
        bool hasChanged = false;
        std::size_t found = 0;
        for (std::size_t at = loop.start + 1; at < loop.end; ++at) {
            const auto& instruction = std::get<Instruction>(m_body[at]);
            bool reads = false, writes = false, changes = false;
            for (std::size_t operand = 0; operand < instruction.operands.size(); ++operand)
                forNames(instruction.operands[operand], [&](std::string_view used) {
                    const bool isResult = operand == 0 && hasResult(instruction);
                    found += used == name ? 1 : 0;
                    reads |= !isResult && used == name;
                    writes |= isResult && used == name;
                    changes |= isResult && guard != nullptr && used == guard->name;
                });
            if (guard == nullptr && writes && !reads && !instruction.guard.name.empty())
                guard = &instruction.guard;
            else if ((reads || writes) && (guard == nullptr || hasChanged || instruction.guard.name != guard->name ||
                                           instruction.guard.negated != guard->negated))
                return false;
            hasChanged = hasChanged || changes;
        }
        return guard != nullptr && references(name) == found;
    }

    void unroll(const Loop& loop, std::vector<Statement>& made)
    {
        const Writes writes = writesOf(loop);
        Names now;
        if (!loop.whole) {
            made.push_back(m_body[loop.start]);
        } else {
            // What moves from turn to turn and is known: under a name of its own, it stays known to what comes after.
            for (std::size_t at = loop.start + 1; at < loop.end; ++at) {
                const auto& instruction = std::get<Instruction>(m_body[at]);
                if (!hasResult(instruction) || instruction.operands.empty())
                    continue;
                forNames(instruction.operands[0], [&](std::string_view name) {
                    if (writes.last.at(name) == at && !writes.keeps.contains(name))
                        enter(name, instruction, loop.constants, now, made);
                });
            }
        }
        copyTurns(loop, writes, loop.copies, now, made);
        if (!loop.whole) {
            Instruction branch = std::get<Instruction>(m_body[loop.end]);
            rename(branch.guard.name, now);
            made.emplace_back(std::move(branch));
        }
    }

    /// The value with which a register that `instruction` writes last comes into the loop, where it is known.
    void enter(std::string_view name, const Instruction& instruction, const LoopConstants& constants, Names& now,
               std::vector<Statement>& made)
    {
        Operand original;
        original.text = name;
        const auto value = constants.of(original);
        const auto type = typeOf(name);
        if (!value || !type || *type == ScalarType::Pred)
            return;
        Instruction first = instruction;
        first.guard = {};
        now[name] = freshName(name);
        made.emplace_back(moveOf(std::move(first), now[name], *value, *type));
    }

    /// Four turns at once while there are as many, then two, then one after the other.
    void unrollAtRunTime(const Loop& loop, std::vector<Statement>& made)
    {
        const auto& label = std::get<Label>(m_body[loop.start]);
        const auto& branch = std::get<Instruction>(m_body[loop.end]);
        const Place place = branch.place;
        const std::string_view holds = fresh(ScalarType::Pred), scratch = fresh(loop.counter->type);
        const auto jump = [&](std::string_view to, std::string_view predicate, bool negated) {
            Instruction instruction = branch;
            instruction.guard = {predicate, negated, place};
            instruction.operands[0].text = to;
            made.emplace_back(std::move(instruction));
        };
        const auto mark = [&](std::string_view name) {
            Label copy = label;
            copy.name = name;
            made.emplace_back(copy);
        };
        const std::string_view done = freshLabel();
        const Writes writes = writesOf(loop);
        const auto four = loop.counter->testFor(4, holds, scratch, place);
        const auto two = loop.counter->testFor(2, holds, scratch, place);
        if (four) {
            const std::string_view again = freshLabel(), fewer = freshLabel();
            Names now;
            made.insert(made.end(), four->before.begin(), four->before.end());
            made.insert(made.end(), four->each.begin(), four->each.end());
            jump(fewer, holds, true);
            mark(again);
            copyTurns(loop, writes, 4, now, made);
            made.insert(made.end(), four->each.begin(), four->each.end());
            jump(again, holds, false);
            jump(done, branch.guard.name, !branch.guard.negated);
            mark(fewer);
        }
        if (four && two) {
            const std::string_view one = freshLabel();
            Names now;
            made.insert(made.end(), two->before.begin(), two->before.end());
            made.insert(made.end(), two->each.begin(), two->each.end());
            jump(one, holds, true);
            copyTurns(loop, writes, 2, now, made);
            jump(done, branch.guard.name, !branch.guard.negated);
            mark(one);
        }
        made.insert(made.end(), m_body.begin() + static_cast<std::ptrdiff_t>(loop.start),
                    m_body.begin() + static_cast<std::ptrdiff_t>(loop.end) + 1);
        mark(done);
    }

    static void rename(std::string_view& name, const Names& now)
    {
        if (const auto found = now.find(name); found != now.end())
            name = found->second;
    }

    void copyTurns(const Loop& loop, const Writes& writes, std::size_t copies, Names& now, std::vector<Statement>& made)
    {
        const std::string_view condition = std::get<Instruction>(m_body[loop.end]).guard.name;
        const bool oneUse = usesOf(condition, loop) == 2; // by the comparison and the branch
        LoopConstants constants = loop.constants;
        TurnValues values;
        for (std::size_t copy = 0; copy < copies; ++copy) {
            for (std::size_t at = loop.start + 1; at < loop.end; ++at) {
                Instruction instruction = std::get<Instruction>(m_body[at]);
                const bool isCondition = !instruction.operands.empty() && instruction.operands[0].text == condition;
                if (loop.counter && oneUse && isCondition && copy + 1 < copies)
                    continue; // it is known to hold
                constants.execute(instruction);
                if (instruction.guard.name.empty() && instruction.opcode != "mov" && instruction.operands.size() > 1 &&
                    instruction.operands[0].kind == Operand::Kind::Name) {
                    const std::string_view result = instruction.operands[0].text;
                    const auto value = constants.of(instruction.operands[0]);
                    const auto type = typeOf(result);
                    if (value && type && *type != ScalarType::Pred)
                        instruction = moveOf(std::move(instruction), result, *value, *type);
                }
                rename(instruction.guard.name, now);
                const std::size_t first = hasResult(instruction) && !instruction.operands.empty() ? 1 : 0;
                for (std::size_t operand = first; operand < instruction.operands.size(); ++operand)
                    forNames(instruction.operands[operand], [&](std::string_view& name) { rename(name, now); });
                const std::string_view result = first == 1 ? instruction.operands[0].text : std::string_view{};
                const bool isLast =
                    first == 1 && copy + 1 == copies && writes.last.contains(result) && writes.last.at(result) == at;
                if (loop.counter && !isLast && first == 1 && !writes.keeps.contains(result))
                    if (const auto known = values.known(instruction)) {
                        now[result] = *known;
                        continue;
                    }
                if (loop.counter)
                    values.startAtRoot(instruction);
                if (first == 1)
                    forNames(instruction.operands[0], [&](std::string_view& name) {
                        const std::string_view original = name;
                        if (writes.keeps.contains(original)) {
                            values.overwrite(original);
                            return;
                        }
                        const bool final = copy + 1 == copies && writes.last.at(original) == at;
                        const std::string_view fresher = final ? original : freshName(original);
                        now[original] = fresher;
                        name = fresher;
                        if (final)
                            values.overwrite(original);
                    });
                if (loop.counter)
                    values.execute(instruction, first == 1 && !isLast && !writes.keeps.contains(result));
                made.emplace_back(std::move(instruction));
            }
        }
    }

    std::size_t usesOf(std::string_view name, const Loop& loop) const
    {
        std::size_t uses = 0;
        for (const Statement& statement : bodyOf(loop.start, loop.end)) {
            const auto& instruction = std::get<Instruction>(statement);
            uses += instruction.guard.name == name ? 1 : 0;
            for (const Operand& operand : instruction.operands)
                forNames(operand, [&](std::string_view used) { uses += used == name ? 1 : 0; });
        }
        return uses;
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
        return type ? fresh(*type) : original; // else no register of this function: the lowering will say so
    }

    std::string_view fresh(ScalarType type)
    {
        m_names.push_back("%unrolled" + std::to_string(m_names.size()) + "_");
        RegisterDeclaration declaration;
        declaration.type = type;
        declaration.name = m_names.back();
        m_fresh.push_back(declaration);
        return declaration.name;
    }

    std::string_view freshLabel()
    {
        m_names.push_back("$unrolled" + std::to_string(m_names.size()) + "_");
        return m_names.back();
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
    NameCounts m_jumps;              ///< to labels
    mutable NameCounts m_references; ///< to registers; made when they are asked for, as what follows
    mutable std::optional<LoopConstants> m_constants;
};

} // namespace

NameCounts countNames(std::span<const Statement> body)
{
    NameCounts counts;
    counts.reserve(body.size());
    for (const Statement& statement : body) {
        if (const auto* instruction = std::get_if<Instruction>(&statement)) {
            for (const Operand& operand : instruction->operands)
                forNames(operand, [&](std::string_view name) { ++counts[name]; });
        } else if (const auto* table = std::get_if<BranchTargets>(&statement)) {
            for (const std::string_view label : table->labels)
                ++counts[label];
        }
    }
    return counts;
}

void unrollLoops(Module& module)
{
    if (!module.madeNames)
        module.madeNames = std::make_shared<std::deque<std::string>>();
    for (Function& function : module.functions)
        if (function.hasBody)
            Unroller(function, *module.madeNames).run();
}

} // namespace ridge::gpu::simt
