// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/step_expression.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace ridge {

struct StepExpression::Node {
    enum class Kind : std::uint8_t {
        Number,
        Register,
        Lane,
        Warp,
        Thread,
        TidX,
        TidY,
        TidZ,
        Line,
        Active,
        Shared,
        SharedFloat,
        Unary,
        Binary
    };
    Kind kind = Kind::Number;
    StepValue number;
    std::uint32_t reg = 0;
    std::string_view op; ///< of kOperators or kUnary
    std::shared_ptr<const Node> left, right;
};

namespace {

using Node = StepExpression::Node;
using Kind = Node::Kind;
using NodePtr = std::shared_ptr<const Node>;

constexpr int kDeepest = 64; ///< of parentheses and signs: an expression is a line that a person types

/// From the weakest to the strongest; longer ones of a level first.
constexpr std::array<std::array<std::string_view, 4>, 10> kOperators{{{"||"},
                                                                      {"&&"},
                                                                      {"|"},
                                                                      {"^"},
                                                                      {"&"},
                                                                      {"==", "!="},
                                                                      {"<=", ">=", "<", ">"},
                                                                      {"<<", ">>"},
                                                                      {"+", "-"},
                                                                      {"*", "/", "%"}}};
constexpr std::array<std::string_view, 3> kUnary{"-", "!", "~"};

struct Name {
    std::string_view text;
    Kind kind;
};
constexpr std::array<Name, 8> kNames{{{"lane", Kind::Lane},
                                      {"warp", Kind::Warp},
                                      {"thread", Kind::Thread},
                                      {"tid.x", Kind::TidX},
                                      {"tid.y", Kind::TidY},
                                      {"tid.z", Kind::TidZ},
                                      {"line", Kind::Line},
                                      {"active", Kind::Active}}};

bool isWord(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '$' || c == '@';
}

class Parser {
public:
    Parser(std::string_view text, const StepTrace& trace) : m_text(text), m_trace(trace) {}

    Result<NodePtr> parse()
    {
        NodePtr root = binary(0);
        skip();
        if (!m_error && m_at != m_text.size())
            fail("an operator or the end");
        if (m_error)
            return *m_error;
        return root;
    }

private:
    void skip()
    {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t'))
            ++m_at;
    }
    bool take(std::string_view token)
    {
        skip();
        if (m_text.substr(m_at, token.size()) != token)
            return false;
        // "&" is no "&&", "<" no "<<".
        const char after = m_at + token.size() < m_text.size() ? m_text[m_at + token.size()] : ' ';
        if (token.size() == 1 && (token[0] == '&' || token[0] == '|' || token[0] == '<' || token[0] == '>') &&
            after == token[0])
            return false;
        m_at += token.size();
        return true;
    }
    NodePtr fail(const std::string& expected)
    {
        if (!m_error)
            m_error =
                Error{"bad-expression", "at character " + std::to_string(m_at + 1) + " " + expected + " is expected",
                      std::string(m_text), "write for example: lane == 5 && %r3 > 3, shared[4 * lane], tid.x"};
        return {};
    }

    NodePtr binary(std::size_t level)
    {
        if (level == kOperators.size())
            return unary();
        NodePtr left = binary(level + 1);
        for (bool found = true; found && !m_error;) {
            found = false;
            for (const std::string_view op : kOperators[level]) {
                // A percent sign before a letter is a register where a value is due, and an operator here.
                if (op.empty() || !take(op))
                    continue;
                auto node = std::make_shared<Node>();
                node->kind = Kind::Binary;
                node->op = op;
                node->left = left;
                node->right = binary(level + 1);
                left = node;
                found = true;
                break;
            }
        }
        return left;
    }

    NodePtr unary()
    {
        if (++m_depth > kDeepest)
            return fail("a simpler expression");
        NodePtr made;
        for (const std::string_view op : kUnary)
            if (!made && !m_error && take(op)) {
                auto node = std::make_shared<Node>();
                node->kind = Kind::Unary;
                node->op = op;
                node->left = unary();
                made = node;
            }
        if (!made && !m_error)
            made = primary();
        --m_depth;
        return made;
    }

    NodePtr primary()
    {
        if (take("(")) {
            NodePtr inner = binary(0);
            return m_error || take(")") ? inner : fail("')'");
        }
        skip();
        const std::size_t begin = m_at;
        if (m_at < m_text.size() && m_text[m_at] == '%')
            ++m_at;
        while (m_at < m_text.size() && isWord(m_text[m_at]))
            ++m_at;
        const std::string_view word = m_text.substr(begin, m_at - begin);
        if (word.empty() || word == "%") {
            m_at = begin;
            return fail("a register, a number or a name");
        }
        auto node = std::make_shared<Node>();
        if (word[0] == '%')
            return registerNode(word, begin, *node) ? node : nullptr;
        if (word[0] >= '0' && word[0] <= '9')
            return numberNode(word, begin, *node) ? node : nullptr;
        if (word == "shared" || word == "sharedf") {
            node->kind = word == "shared" ? Kind::Shared : Kind::SharedFloat;
            if (!take("["))
                return fail("'['");
            node->left = binary(0);
            return m_error || take("]") ? node : fail("']'");
        }
        for (const Name& name : kNames)
            if (name.text == word) {
                node->kind = name.kind;
                return node;
            }
        m_at = begin;
        return fail("a register (they begin with %), lane, warp, thread, tid.x, line, active, shared[…] or a number");
    }

    bool registerNode(std::string_view word, std::size_t begin, Node& node)
    {
        node.kind = Kind::Register;
        for (std::size_t at = 0; at < m_trace.registers.size(); ++at)
            if (m_trace.registers[at].name == word) {
                node.reg = static_cast<std::uint32_t>(at);
                return true;
            }
        m_at = begin;
        fail("a register of this kernel; it has no " + std::string(word) + ", and one");
        return false;
    }

    bool numberNode(std::string_view word, std::size_t begin, Node& node)
    {
        const bool isHex = word.starts_with("0x");
        std::int64_t whole = 0;
        const char* const end = word.data() + word.size();
        if (const auto read = std::from_chars(word.data() + (isHex ? 2 : 0), end, whole, isHex ? 16 : 10);
            read.ec == std::errc() && read.ptr == end) {
            node.number = whole;
            return true;
        }
        double real = 0;
        if (const auto read = std::from_chars(word.data(), end, real);
            !isHex && read.ec == std::errc() && read.ptr == end && std::isfinite(real)) {
            node.number = real;
            return true;
        }
        m_at = begin;
        fail("a number that can be read");
        return false;
    }

    std::string_view m_text;
    const StepTrace& m_trace;
    std::size_t m_at = 0;
    int m_depth = 0;
    std::optional<Error> m_error;
};

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
    case Kind::TidX:
        return whole(thread % trace.blockDim[0]);
    case Kind::TidY:
        return whole(thread / trace.blockDim[0] % trace.blockDim[1]);
    case Kind::TidZ:
        return whole(thread / trace.blockDim[0] / trace.blockDim[1]);
    case Kind::Line: {
        const TracedStep* step = standing(place);
        return step ? std::optional<StepValue>(whole(trace.code[step->instruction].sourceLine)) : std::nullopt;
    }
    case Kind::Active: {
        const TracedStep* step = standing(place);
        return truth(step && (step->active >> place.lane & 1) != 0);
    }
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

Result<StepExpression> StepExpression::parse(std::string_view text, const StepTrace& trace)
{
    auto root = Parser(text, trace).parse();
    if (!root)
        return root.error();
    StepExpression made;
    made.m_text = std::string(text);
    made.m_root = std::move(*root);
    return made;
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
