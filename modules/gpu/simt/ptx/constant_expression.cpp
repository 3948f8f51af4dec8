// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/ptx/constant_expression.h"

#include <array>
#include <optional>

namespace ridge::gpu::simt {

namespace {

constexpr int kMaxDepth = 64;

struct Operator {
    std::string_view text;
    int level; ///< binds tighter the higher
};
/// Longer ones first: "<<" is not "<".
constexpr std::array<Operator, 18> kOperators{{{"<<", 8},
                                               {">>", 8},
                                               {"<=", 7},
                                               {">=", 7},
                                               {"==", 6},
                                               {"!=", 6},
                                               {"&&", 2},
                                               {"||", 1},
                                               {"*", 10},
                                               {"/", 10},
                                               {"%", 10},
                                               {"+", 9},
                                               {"-", 9},
                                               {"<", 7},
                                               {">", 7},
                                               {"&", 5},
                                               {"^", 4},
                                               {"|", 3}}};

std::optional<Operator> operatorAt(const TokenStream& tokens, std::size_t ahead)
{
    for (const Operator& op : kOperators) {
        bool fits = true;
        for (std::size_t at = 0; at < op.text.size(); ++at)
            fits = fits && tokens.isPunct(op.text[at], ahead + at);
        if (fits)
            return op;
    }
    return std::nullopt;
}

bool goesOn(const TokenStream& tokens, std::size_t ahead)
{
    return operatorAt(tokens, ahead) || tokens.isPunct('?', ahead);
}

class Expression {
public:
    explicit Expression(TokenStream& tokens) : m_tokens(tokens) {}

    std::uint64_t choice(int depth)
    {
        const std::uint64_t value = binary(1, depth);
        if (!m_tokens.accept('?'))
            return value;
        const std::uint64_t yes = choice(depth + 1);
        m_tokens.expect(':');
        const std::uint64_t no = choice(depth + 1);
        return value != 0 ? yes : no;
    }

private:
    std::uint64_t binary(int level, int depth)
    {
        std::uint64_t left = unary(depth);
        for (auto op = operatorAt(m_tokens, 0); op && op->level >= level; op = operatorAt(m_tokens, 0)) {
            for (std::size_t at = 0; at < op->text.size(); ++at)
                m_tokens.take();
            left = apply(op->text, left, binary(op->level + 1, depth + 1));
        }
        return left;
    }

    std::uint64_t unary(int depth)
    {
        if (depth > kMaxDepth)
            m_tokens.fail("the expression is nested too deeply");
        if (m_tokens.accept('-'))
            return 0 - unary(depth + 1);
        if (m_tokens.accept('+'))
            return unary(depth + 1);
        if (m_tokens.accept('~'))
            return ~unary(depth + 1);
        if (m_tokens.accept('!'))
            return unary(depth + 1) == 0 ? 1 : 0;
        if (m_tokens.accept('(')) {
            const std::uint64_t value = choice(depth + 1);
            m_tokens.expect(')');
            return value;
        }
        return m_tokens.integer();
    }

    std::uint64_t apply(std::string_view op, std::uint64_t a, std::uint64_t b) const
    {
        const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
        if (op == "/" || op == "%") {
            if (y == 0 || (y == -1 && op == "%"))
                return y == 0 ? (m_tokens.fail("a constant is divided by zero"), 0) : 0;
            return y == -1 ? 0 - a : static_cast<std::uint64_t>(op == "/" ? x / y : x % y);
        }
        if (op == "<<")
            return b > 63 ? 0 : a << b;
        if (op == ">>")
            return static_cast<std::uint64_t>(b > 63 ? (x < 0 ? -1 : 0) : x >> b);
        if (op == "+")
            return a + b;
        if (op == "-")
            return a - b;
        if (op == "*")
            return a * b;
        if (op == "&")
            return a & b;
        if (op == "|")
            return a | b;
        if (op == "^")
            return a ^ b;
        const bool holds = op == "<"    ? x < y
                           : op == ">"  ? x > y
                           : op == "<=" ? x <= y
                           : op == ">=" ? x >= y
                           : op == "==" ? a == b
                           : op == "!=" ? a != b
                           : op == "&&" ? a != 0 && b != 0
                                        : a != 0 || b != 0;
        return holds ? 1 : 0;
    }

    TokenStream& m_tokens;
};

} // namespace

bool isConstantExpression(const TokenStream& tokens)
{
    if (tokens.isPunct('~'))
        return true;
    std::size_t at = tokens.isPunct('-') ? 1 : 0;
    if (tokens.peek(at).kind == TokenKind::Number)
        return goesOn(tokens, at + 1);
    if (!tokens.isPunct('(', at))
        return at > 0 && (tokens.isPunct('~', at) || tokens.isPunct('-', at));
    bool operates = at > 0;
    int open = 0;
    for (; tokens.peek(at).kind != TokenKind::End; ++at) {
        if (tokens.isPunct(',', at) || tokens.isPunct(';', at) || tokens.peek(at).kind == TokenKind::Word)
            return false;
        operates = operates || tokens.isPunct('~', at) || goesOn(tokens, at);
        open += tokens.isPunct('(', at) ? 1 : tokens.isPunct(')', at) ? -1 : 0;
        if (open == 0)
            return operates || goesOn(tokens, at + 1);
    }
    return false;
}

std::uint64_t parseConstantExpression(TokenStream& tokens)
{
    return Expression(tokens).choice(0);
}

} // namespace ridge::gpu::simt
