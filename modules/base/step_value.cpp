// SPDX-License-Identifier: GPL-3.0-or-later
// What expressions over steps are worth.
#include "base/step_expression_node.h"

#include <bit>
#include <fmt/format.h>

namespace ridge {
namespace {

using Node = StepExpression::Node;
using Kind = Node::Kind;

double real(const StepValue& value)
{
    return std::holds_alternative<double>(value) ? std::get<double>(value)
                                                 : static_cast<double>(std::get<std::int64_t>(value));
}

std::optional<StepValue> truth(bool value)
{
    return StepValue{std::int64_t{value ? 1 : 0}};
}

/// Whole numbers wrap around as registers do.
std::optional<StepValue> wholeResult(std::string_view op, std::int64_t a, std::int64_t b)
{
    const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
    const auto made = [](std::uint64_t bits) { return StepValue{static_cast<std::int64_t>(bits)}; };
    if (op == "+")
        return made(ua + ub);
    if (op == "-")
        return made(ua - ub);
    if (op == "*")
        return made(ua * ub);
    if (op == "&")
        return made(ua & ub);
    if (op == "|")
        return made(ua | ub);
    if (op == "^")
        return made(ua ^ ub);
    if (op == "<<")
        return made(ub < 64 ? ua << ub : 0);
    if (op == ">>")
        return StepValue{a >> std::min<std::uint64_t>(ub, 63)};
    if (op == "==")
        return truth(a == b);
    if (op == "!=")
        return truth(a != b);
    if (op == "<")
        return truth(a < b);
    if (op == "<=")
        return truth(a <= b);
    if (op == ">")
        return truth(a > b);
    if (op == ">=")
        return truth(a >= b);
    if (b == 0) // "/" and "%"
        return std::nullopt;
    if (b == -1)
        return op == "/" ? made(0 - ua) : made(0);
    return StepValue{op == "/" ? a / b : a % b};
}

std::optional<StepValue> realResult(std::string_view op, double a, double b)
{
    if (op == "+")
        return a + b;
    if (op == "-")
        return a - b;
    if (op == "*")
        return a * b;
    if (op == "/")
        return b == 0 ? std::nullopt : std::optional<StepValue>(a / b);
    if (op == "==")
        return truth(a == b);
    if (op == "!=")
        return truth(a != b);
    if (op == "<")
        return truth(a < b);
    if (op == "<=")
        return truth(a <= b);
    if (op == ">")
        return truth(a > b);
    if (op == ">=")
        return truth(a >= b);
    return std::nullopt; // bits of a float are not asked for
}

struct Place {
    const StepReader& reader;
    std::uint16_t warp;
    std::uint32_t lane;
};

std::optional<StepValue> valueOf(const Node& node, const Place& place);

std::optional<StepValue> registerValue(const Node& node, const Place& place)
{
    const StepRegister& reg = place.reader.trace().registers[node.reg];
    const auto bits = place.reader.value(place.warp, node.reg, place.lane);
    if (!bits)
        return std::nullopt;
    if (reg.isFloat && reg.bytes == 4)
        return StepValue{double{std::bit_cast<float>(static_cast<std::uint32_t>(*bits))}};
    if (reg.isFloat && reg.bytes == 8)
        return StepValue{std::bit_cast<double>(*bits)};
    if (reg.bytes == 2)
        return StepValue{std::int64_t{static_cast<std::int16_t>(*bits)}};
    if (reg.bytes == 4)
        return StepValue{std::int64_t{static_cast<std::int32_t>(*bits)}};
    return StepValue{static_cast<std::int64_t>(*bits)};
}

std::optional<StepValue> sharedValue(const Node& node, const Place& place)
{
    const auto offset = valueOf(*node.left, place);
    if (!offset || !std::holds_alternative<std::int64_t>(*offset))
        return std::nullopt;
    const std::int64_t at = std::get<std::int64_t>(*offset);
    if (at < 0 || at % 4 != 0 || at >= place.reader.trace().sharedBytes)
        return std::nullopt;
    const auto word = place.reader.sharedWord(static_cast<std::uint32_t>(at));
    if (!word)
        return std::nullopt;
    if (node.kind == Kind::SharedFloat)
        return StepValue{double{std::bit_cast<float>(*word)}};
    return StepValue{std::int64_t{static_cast<std::int32_t>(*word)}};
}

std::optional<StepValue> unaryValue(const Node& node, const Place& place)
{
    const auto value = valueOf(*node.left, place);
    if (!value)
        return std::nullopt;
    if (node.op == "!")
        return truth(!isTrue(*value));
    if (std::holds_alternative<double>(*value))
        return node.op == "-" ? std::optional<StepValue>(-std::get<double>(*value)) : std::nullopt;
    const auto bits = static_cast<std::uint64_t>(std::get<std::int64_t>(*value));
    return StepValue{static_cast<std::int64_t>(node.op == "-" ? 0 - bits : ~bits)};
}

std::optional<StepValue> binaryValue(const Node& node, const Place& place)
{
    const auto left = valueOf(*node.left, place);
    if (!left)
        return std::nullopt;
    if (node.op == "&&" && !isTrue(*left))
        return truth(false);
    if (node.op == "||" && isTrue(*left))
        return truth(true);
    const auto right = valueOf(*node.right, place);
    if (!right)
        return std::nullopt;
    if (node.op == "&&" || node.op == "||")
        return truth(isTrue(*right));
    if (std::holds_alternative<double>(*left) || std::holds_alternative<double>(*right))
        return realResult(node.op, real(*left), real(*right));
    return wholeResult(node.op, std::get<std::int64_t>(*left), std::get<std::int64_t>(*right));
}

/// The step that the warp takes next tells where it stands; at its end the last one does.
const TracedStep* standing(const Place& place)
{
    auto at = place.reader.nextOf(place.warp);
    if (!at)
        at = place.reader.lastOf(place.warp);
    return at ? &place.reader.trace().steps[*at] : nullptr;
}

std::optional<StepValue> valueOfStep(const Node& node, const Place& place)
{
    const StepTrace& trace = place.reader.trace();
    const auto whole = [](std::uint32_t value) { return StepValue{std::int64_t{value}}; };
    const TracedStep* const step = standing(place);
    if (!step)
        return std::nullopt;
    if (node.kind == Kind::Line)
        return whole(lineOf(trace.code[step->instruction]));
    if (node.kind == Kind::Active)
        return truth((step->active >> place.lane & 1) != 0);
    if (node.kind == Kind::Lanes)
        return whole(static_cast<std::uint32_t>(std::popcount(step->active)));
    if (node.kind == Kind::Depth) {
        const std::uint32_t depth =
            place.reader.calls().depth(static_cast<std::size_t>(step - trace.steps.data()), place.lane);
        return whole(depth);
    }
    if (step->access == TracedStep::kNoStep)
        return std::nullopt;
    const StepAccess& access = trace.accesses[step->access];
    return whole(node.kind == Kind::Passes ? access.passes : access.least);
}

std::optional<StepValue> valueOf(const Node& node, const Place& place)
{
    const StepTrace& trace = place.reader.trace();
    const std::uint32_t thread = place.warp * 32u + place.lane;
    const auto whole = [](std::uint32_t value) { return StepValue{std::int64_t{value}}; };
    switch (node.kind) {
    case Kind::Number:
        return node.number;
    case Kind::Register:
        return registerValue(node, place);
    case Kind::Lane:
        return whole(place.lane);
    case Kind::Warp:
        return whole(place.warp);
    case Kind::Thread:
        return whole(thread);
    case Kind::Tid:
        return whole(node.axis == 0   ? thread % trace.blockDim[0]
                     : node.axis == 1 ? thread / trace.blockDim[0] % trace.blockDim[1]
                                      : thread / trace.blockDim[0] / trace.blockDim[1]);
    case Kind::BlockSize:
        return whole(trace.blockDim[node.axis]);
    case Kind::Block:
        return whole(trace.block[node.axis]);
    case Kind::GridSize:
        return whole(trace.gridDim[node.axis]);
    case Kind::Line:
    case Kind::Active:
    case Kind::Lanes:
    case Kind::Passes:
    case Kind::Least:
    case Kind::Depth:
        return valueOfStep(node, place);
    case Kind::Shared:
    case Kind::SharedFloat:
        return sharedValue(node, place);
    case Kind::Unary:
        return unaryValue(node, place);
    case Kind::Binary:
        return binaryValue(node, place);
    }
    return std::nullopt;
}

} // namespace

bool isTrue(const StepValue& value)
{
    return real(value) != 0;
}

std::string toText(const StepValue& value)
{
    if (std::holds_alternative<double>(value))
        return fmt::format("{:.7g}", std::get<double>(value));
    return fmt::format("{}", std::get<std::int64_t>(value));
}

std::optional<StepValue> StepExpression::evaluate(const StepReader& reader, std::uint16_t warp,
                                                  std::uint32_t lane) const
{
    return m_root ? valueOf(*m_root, {reader, warp, lane}) : std::nullopt;
}

bool stopsAt(const StepBreakpoint& breakpoint, const StepReader& reader)
{
    const TracedStep* const next = reader.next();
    if (!next)
        return false;
    const StepTrace& trace = reader.trace();
    const StepInstruction& instruction = trace.code[next->instruction];
    if ((breakpoint.sourceLine && *breakpoint.sourceLine != instruction.sourceLine) ||
        (breakpoint.ptxLine && *breakpoint.ptxLine != instruction.ptxLine) ||
        (breakpoint.warp && *breakpoint.warp != next->warp))
        return false;
    if (breakpoint.atDivergence) {
        const auto before = reader.lastOf(next->warp);
        const std::uint32_t together = before ? trace.steps[*before].active & next->live : 0;
        if ((next->active & together) == 0 || (together & ~next->active) == 0)
            return false;
    }
    if (breakpoint.atBankConflict) {
        if (next->access == TracedStep::kNoStep)
            return false;
        const StepAccess& access = trace.accesses[next->access];
        if (access.space != StepAccess::Space::Shared || access.passes <= access.least)
            return false;
    }
    if (!breakpoint.condition)
        return true;
    for (std::uint32_t lane = 0; lane < 32; ++lane)
        if ((next->active >> lane & 1) != 0)
            if (const auto value = breakpoint.condition->evaluate(reader, next->warp, lane); value && isTrue(*value))
                return true;
    return false;
}

} // namespace ridge
