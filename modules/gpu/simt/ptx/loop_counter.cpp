// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/ptx/loop_counter.h"

#include "gpu/simt/ptx/copyable.h"

#include <algorithm>
#include <array>

namespace ridge::gpu::simt {

namespace {

constexpr std::int64_t kFarthest = 1 << 20; ///< no counter of a loop that is copied moves as far in a turn
/// Around these stands what keeps subnormal numbers, unless .ftz gives them up.
constexpr std::array<std::string_view, 5> kScaled = {"ex2", "lg2", "rcp", "rsqrt", "sqrt"};
constexpr std::size_t kForScaled = 6;

constexpr std::size_t kPlain = 21, kForShared = 5, kMost = 50, kMostShared = 33;

constexpr std::array<std::string_view, 11> kKeepLoop = {"shfl",  "vote", "redux", "match",     "activemask", "membar",
                                                        "fence", "div",  "rem",   "nanosleep", "call"};

bool writes(const Instruction& instruction, std::string_view name)
{
    bool found = false;
    if (hasResult(instruction) && !instruction.operands.empty())
        forNames(instruction.operands[0], [&](std::string_view written) { found = found || written == name; });
    return found;
}

std::int64_t asSigned(std::uint64_t value, unsigned bits)
{
    return bits == 32 ? static_cast<std::int32_t>(static_cast<std::uint32_t>(value)) : static_cast<std::int64_t>(value);
}

std::optional<LoopCounter::Test> testOf(std::string_view how, bool negated)
{
    using Test = LoopCounter::Test;
    struct Row {
        std::string_view name, unsignedName;
        Test test;
        std::optional<Test> opposite;
    };
    static constexpr std::array<Row, 4> kRows = {{{"lt", "lo", Test::Less, Test::GreaterEqual},
                                                  {"le", "ls", Test::LessEqual, Test::Greater},
                                                  {"gt", "hi", Test::Greater, Test::LessEqual},
                                                  {"ge", "hs", Test::GreaterEqual, Test::Less}}};
    for (const Row& row : kRows)
        if (how == row.name || how == row.unsignedName)
            return negated ? row.opposite : row.test;
    return how == (negated ? "eq" : "ne") ? std::optional(Test::NotEqual) : std::nullopt;
}

Operand named(std::string_view name, Place place)
{
    Operand operand;
    operand.text = name;
    operand.place = place;
    return operand;
}

Operand number(std::uint64_t value, Place place)
{
    Operand operand;
    operand.kind = Operand::Kind::Integer;
    operand.bits = value;
    operand.place = place;
    return operand;
}

Instruction make(std::string_view opcode, std::vector<std::string_view> modifiers, std::vector<Operand> operands,
                 Place place)
{
    Instruction instruction;
    instruction.opcode = opcode;
    instruction.modifiers = std::move(modifiers);
    instruction.operands = std::move(operands);
    instruction.place = place;
    return instruction;
}

} // namespace

std::optional<LinearValues::Value> LinearValues::of(std::string_view name) const
{
    const auto found = m_values.find(name);
    return found == m_values.end() ? std::optional(Value{name, 0}) : found->second;
}

void LinearValues::execute(const Instruction& instruction)
{
    if (!hasResult(instruction) || instruction.operands.empty())
        return;
    std::optional<Value> value;
    const auto& operands = instruction.operands;
    const unsigned bits = wholeBitsOf(instruction);
    const bool isPlain =
        instruction.guard.name.empty() && instruction.modifiers.size() == 1 && (bits == 32 || bits == 64);
    if (isPlain && instruction.opcode == "mov" && operands.size() == 2 && isRegister(operands[1]))
        value = of(operands[1].text);
    const bool isSum = instruction.opcode == "add" || instruction.opcode == "sub";
    if (isPlain && isSum && operands.size() == 3 && isRegister(operands[1]) &&
        operands[2].kind == Operand::Kind::Integer) {
        value = of(operands[1].text);
        if (value)
            value->offset += instruction.opcode == "add" ? operands[2].bits : ~operands[2].bits + 1;
    }
    forNames(operands[0], [&](std::string_view name) { m_values[name] = std::nullopt; });
    if (operands[0].kind == Operand::Kind::Name)
        m_values[operands[0].text] = value;
}

std::optional<LoopCounter> counterOf(std::span<const Statement> body)
{
    const Guard& guard = std::get<Instruction>(body.back()).guard;
    LinearValues values;
    std::optional<LoopCounter> counter;
    unsigned bits = 0;
    for (const Statement& statement : body.first(body.size() - 1)) {
        const auto& instruction = std::get<Instruction>(statement);
        if (writes(instruction, guard.name)) {
            const auto& operands = instruction.operands;
            if (counter || instruction.opcode != "setp" || !instruction.guard.name.empty() ||
                instruction.modifiers.size() != 2 || operands.size() != 3 || operands[1].kind != Operand::Kind::Name ||
                operands[0].kind != Operand::Kind::Name)
                return std::nullopt;
            bits = wholeBitsOf(instruction);
            const auto test = testOf(instruction.modifiers[0], guard.negated);
            const auto value = values.of(operands[1].text);
            const bool isBound = operands[2].kind == Operand::Kind::Integer || isRegister(operands[2]);
            if (!test || !value || !isBound || (bits != 32 && bits != 64))
                return std::nullopt;
            counter = LoopCounter{value->root, *scalarTypeFromText(instruction.modifiers.back()), *test, operands[2],
                                  asSigned(value->offset, bits)};
        }
        values.execute(instruction);
    }
    if (!counter)
        return std::nullopt;
    const auto next = values.of(counter->name);
    if (!next || next->root != counter->name)
        return std::nullopt;
    // What was compared must be what the next turn starts with: else the comparison tells nothing of a counter that
    // wraps.
    if (asSigned(next->offset, bits) != counter->step)
        return std::nullopt;
    if (counter->bound.kind == Operand::Kind::Name) {
        for (const Statement& statement : body)
            if (writes(std::get<Instruction>(statement), counter->bound.text))
                return std::nullopt;
    }
    using Test = LoopCounter::Test;
    const bool up = counter->step > 0;
    const bool isLess = counter->test == Test::Less || counter->test == Test::LessEqual;
    const bool fits = counter->test == Test::NotEqual || isLess == up;
    const bool isNear = std::abs(counter->step) <= kFarthest;
    return counter->step != 0 && fits && isNear ? counter : std::nullopt;
}

std::optional<LoopCounter::TurnTest> LoopCounter::testFor(unsigned turns, std::string_view holds,
                                                          std::string_view scratch, Place place) const
{
    // Every comparison before the last of these turns has to hold, and does where the farthest of them does.
    const bool up = step > 0, isNumber = bound.kind == Operand::Kind::Integer;
    const auto reach = static_cast<std::uint64_t>(std::abs(static_cast<std::int64_t>(turns - 1) * step));
    const bool isWide = sizeOf(type) == 8;
    const Operand counter = named(name, place), kept = named(scratch, place), answer = named(holds, place);
    const auto one = [&](std::string_view opcode, std::vector<std::string_view> modifiers, std::vector<Operand> all) {
        return Statement(make(opcode, std::move(modifiers), std::move(all), place));
    };
    TurnTest made;
    if (test == Test::NotEqual) { // the way to the bound, in either direction, is longer than the reach
        const std::string_view plain = isWide ? "u64" : "u32";
        const bool isCounter = !up && isNumber && bound.bits == 0;
        if (!isCounter)
            made.each.push_back(one("sub", {plain}, {kept, up ? bound : counter, up ? counter : bound}));
        made.each.push_back(one("setp", {"gt", plain}, {answer, isCounter ? counter : kept, number(reach, place)}));
        return made;
    }
    // counter < bound - reach, where the right side must not wrap around; "or equal" reaches one less far.
    const bool orEqual = test == Test::LessEqual || test == Test::GreaterEqual;
    const std::uint64_t by = reach - (orEqual ? 1 : 0);
    const std::uint64_t ones = isWide ? ~std::uint64_t{0} : 0xffff'ffffu,
                        sign = isSigned(type) ? ones ^ (ones >> 1) : 0;
    const std::uint64_t edge = (up ? sign + by : (ones ^ sign) - by) & ones; // the last bound that does not wrap
    const std::string_view text = toText(type);
    Operand limit = bound;
    if (isNumber) {
        const std::uint64_t value = bound.bits & ones;
        if (up ? (value ^ sign) < (edge ^ sign) : (value ^ sign) > (edge ^ sign))
            return std::nullopt;
        limit = number((up ? value - by : value + by) & ones, place);
    } else if (by != 0) {
        made.before.push_back(one(up ? "max" : "min", {text}, {kept, bound, number(edge, place)}));
        made.before.push_back(one(up ? "sub" : "add", {text}, {kept, kept, number(by, place)}));
        limit = kept;
    }
    made.each.push_back(one("setp", {up ? "lt" : "gt", text}, {answer, counter, limit}));
    return made;
}

bool isUnrolledAtRunTime(std::span<const Statement> body)
{
    std::size_t others = 0, shared = 0, global = 0, twice = 0;
    for (const Statement& statement : body) {
        const auto& instruction = std::get<Instruction>(statement);
        const std::string_view opcode = instruction.opcode;
        const bool isExact = !instruction.has("approx") && !instruction.has("full");
        const bool isSlow = (opcode == "div" || opcode == "sqrt" || opcode == "rcp") && isExact;
        const bool keeps = std::find(kKeepLoop.begin(), kKeepLoop.end(), opcode) != kKeepLoop.end();
        if ((keeps && (opcode != "div" || isSlow)) || isSlow || instruction.has("warp") || instruction.has("bulk"))
            return false;
        const bool isShared = instruction.has("shared");
        const bool isFree = instruction.has("param") || instruction.has("const");
        if (opcode == "mov" || opcode == "cvta" || (opcode == "mul" && instruction.has("wide")) || isFree)
            continue;
        if (opcode == "ld" && isShared) {
            ++shared;
            continue;
        }
        const bool scales =
            std::find(kScaled.begin(), kScaled.end(), opcode) != kScaled.end() && !instruction.has("ftz");
        others += scales ? kForScaled : 1;
        global += (opcode == "ld" || opcode == "ldu") ? 1 : 0;
        twice += opcode == "ld" || opcode == "ldu" || opcode == "st" ? 1 : 0;
    }
    const std::size_t most = global > 0 ? kMost : std::min(kMost, kPlain + kForShared * shared);
    return others + twice <= most && shared <= kMostShared;
}

} // namespace ridge::gpu::simt
