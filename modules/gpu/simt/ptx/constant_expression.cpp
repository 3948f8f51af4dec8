// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/ptx/constant_expression.h"

#include <array>
#include <bit>
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

bool isWarpSize(const Token& token)
{
    return token.kind == TokenKind::Word && token.text == "WARP_SZ";
}

bool isCast(const Token& token)
{
    return token.kind == TokenKind::Dot && (token.text == "u64" || token.text == "s64");
}

struct Constant {
    enum class Kind : std::uint8_t { Signed, Unsigned, Float };
    Kind kind = Kind::Signed;
    std::uint64_t bits = 0; ///< of the integer, or of the double

    bool isFloat() const { return kind == Kind::Float; }
    double real() const { return std::bit_cast<double>(bits); }
    std::int64_t whole() const { return static_cast<std::int64_t>(bits); }
};

Constant boolean(bool holds)
{
    return {Constant::Kind::Signed, holds ? 1u : 0u};
}

class Expression {
public:
    explicit Expression(TokenStream& tokens) : m_tokens(tokens) {}

    Constant choice(int depth)
    {
        const Constant value = binary(1, depth);
        if (!m_tokens.accept('?'))
            return value;
        needInteger(value, "?:");
        const Constant yes = choice(depth + 1);
        m_tokens.expect(':');
        const Constant no = choice(depth + 1);
        needInteger(yes, "?:");
        needInteger(no, "?:");
        return value.bits != 0 ? yes : no;
    }

    Constant binary(int level, int depth)
    {
        Constant left = unary(depth);
        for (auto op = operatorAt(m_tokens, 0); op && op->level >= level; op = operatorAt(m_tokens, 0)) {
            for (std::size_t at = 0; at < op->text.size(); ++at)
                m_tokens.take();
            left = apply(op->text, left, binary(op->level + 1, depth + 1));
        }
        return left;
    }

private:
    void needInteger(const Constant& value, std::string_view op) const
    {
        if (value.isFloat())
            m_tokens.fail("'" + std::string(op) + "' in a constant expression is for integers");
    }

    Constant unary(int depth)
    {
        if (depth > kMaxDepth)
            m_tokens.fail("the expression is nested too deeply");
        if (m_tokens.accept('-')) {
            Constant value = unary(depth + 1);
            value.bits = value.isFloat() ? value.bits ^ std::uint64_t{1} << 63 : 0 - value.bits;
            return value;
        }
        if (m_tokens.accept('+'))
            return unary(depth + 1);
        if (m_tokens.accept('~')) {
            const Constant value = unary(depth + 1);
            needInteger(value, "~");
            return {Constant::Kind::Unsigned, ~value.bits};
        }
        if (m_tokens.accept('!')) {
            const Constant value = unary(depth + 1);
            needInteger(value, "!");
            return boolean(value.bits == 0);
        }
        if (m_tokens.accept('('))
            return bracketed(depth);
        if (isWarpSize(m_tokens.peek())) {
            m_tokens.take();
            return {Constant::Kind::Signed, 32};
        }
        return literal();
    }

    /// "(.u64) value" or "(expression)".
    Constant bracketed(int depth)
    {
        const bool casts = isCast(m_tokens.peek());
        const bool isSigned = casts && m_tokens.take().text == "s64";
        Constant value = casts ? Constant{} : choice(depth + 1);
        m_tokens.expect(')');
        if (!casts)
            return value;
        value = unary(depth + 1);
        needInteger(value, "a cast");
        value.kind = isSigned ? Constant::Kind::Signed : Constant::Kind::Unsigned;
        return value;
    }

    Constant literal()
    {
        const Token token = m_tokens.peek();
        const Number number = m_tokens.number();
        if (number.kind == Number::Kind::Single)
            throw SyntaxError{badPtx(token.place, "an expression has no 0f literal", "Write 0d, or a decimal.")};
        if (number.kind == Number::Kind::Double)
            return {Constant::Kind::Float, number.bits};
        const bool isUnsigned = token.text.back() == 'U' || number.bits > INT64_MAX;
        return {isUnsigned ? Constant::Kind::Unsigned : Constant::Kind::Signed, number.bits};
    }

    Constant applyFloat(std::string_view op, const Constant& a, const Constant& b) const
    {
        if (a.kind != b.kind)
            m_tokens.fail("a constant expression joins a float and an integer");
        const double x = a.real(), y = b.real();
        const auto made = [](double value) {
            return Constant{Constant::Kind::Float, std::bit_cast<std::uint64_t>(value)};
        };
        if (op == "+")
            return made(x + y);
        if (op == "-")
            return made(x - y);
        if (op == "*")
            return made(x * y);
        if (op == "/")
            return made(x / y);
        if (op == "<" || op == ">")
            return boolean(op == "<" ? x < y : x > y);
        if (op == "<=" || op == ">=")
            return boolean(op == "<=" ? x <= y : x >= y);
        if (op == "==" || op == "!=")
            return boolean((x == y) == (op == "=="));
        m_tokens.fail("'" + std::string(op) + "' in a constant expression is for integers");
    }

    std::uint64_t quotient(std::string_view op, const Constant& a, const Constant& b, bool isSigned) const
    {
        if (b.bits == 0)
            m_tokens.fail("a constant is divided by zero");
        if (op == "%") // of what the bits mean without a sign
            return a.bits % b.bits;
        if (!isSigned)
            return a.bits / b.bits;
        return b.whole() == -1 ? 0 - a.bits : static_cast<std::uint64_t>(a.whole() / b.whole());
    }

    Constant apply(std::string_view op, const Constant& a, const Constant& b) const
    {
        if (a.isFloat() || b.isFloat())
            return applyFloat(op, a, b);
        const bool isSigned = a.kind == Constant::Kind::Signed && b.kind == Constant::Kind::Signed;
        const auto kind = isSigned ? Constant::Kind::Signed : Constant::Kind::Unsigned;
        if (op == "/" || op == "%")
            return {op == "%" ? Constant::Kind::Unsigned : kind, quotient(op, a, b, isSigned)};
        if (op == "<<")
            return {a.kind, a.bits << (b.bits & 63)};
        if (op == ">>")
            return {a.kind, a.kind == Constant::Kind::Signed ? static_cast<std::uint64_t>(a.whole() >> (b.bits & 63))
                                                             : a.bits >> (b.bits & 63)};
        if (op == "+")
            return {kind, a.bits + b.bits};
        if (op == "-")
            return {kind, a.bits - b.bits};
        if (op == "*")
            return {kind, a.bits * b.bits};
        if (op == "&")
            return {kind, a.bits & b.bits};
        if (op == "|")
            return {kind, a.bits | b.bits};
        if (op == "^")
            return {kind, a.bits ^ b.bits};
        const bool less = isSigned ? a.whole() < b.whole() : a.bits < b.bits;
        const bool same = a.bits == b.bits;
        return boolean(op == "<"    ? less
                       : op == ">"  ? !less && !same
                       : op == "<=" ? less || same
                       : op == ">=" ? !less
                       : op == "==" ? same
                       : op == "!=" ? !same
                       : op == "&&" ? a.bits != 0 && b.bits != 0
                                    : a.bits != 0 || b.bits != 0);
    }

    TokenStream& m_tokens;
};

std::int64_t wholeOf(const Constant& value, Place place)
{
    if (value.isFloat())
        throw SyntaxError{badPtx(place, "an integer is expected here")};
    return value.whole();
}

/// Behind a -: one term.
std::int64_t parseOffsetTerm(TokenStream& tokens)
{
    constexpr int kProduct = 10;
    const Place place = tokens.place();
    return wholeOf(Expression(tokens).binary(kProduct, 0), place);
}

} // namespace

bool isConstantExpression(const TokenStream& tokens)
{
    if (tokens.isPunct('~') || tokens.isPunct('+') || isWarpSize(tokens.peek()))
        return true;
    if (tokens.isPunct('!'))
        return tokens.peek(1).kind == TokenKind::Number || tokens.isPunct('(', 1) || isWarpSize(tokens.peek(1));
    std::size_t at = tokens.isPunct('-') ? 1 : 0;
    if (tokens.peek(at).kind == TokenKind::Number)
        return goesOn(tokens, at + 1);
    if (!tokens.isPunct('(', at))
        return at > 0 && (tokens.isPunct('~', at) || tokens.isPunct('-', at) || isWarpSize(tokens.peek(at)));
    int open = 0;
    for (; tokens.peek(at).kind != TokenKind::End; ++at) {
        const bool isName = tokens.peek(at).kind == TokenKind::Word && !isWarpSize(tokens.peek(at));
        if (tokens.isPunct(',', at) || tokens.isPunct(';', at) || tokens.isPunct('{', at) || isName)
            return false;
        open += tokens.isPunct('(', at) ? 1 : tokens.isPunct(')', at) ? -1 : 0;
        if (open == 0)
            return true;
    }
    return false;
}

Number parseConstantExpression(TokenStream& tokens)
{
    const Constant value = Expression(tokens).choice(0);
    return {value.isFloat() ? Number::Kind::Double : Number::Kind::Integer, value.bits};
}

std::int64_t parseOffsetExpression(TokenStream& tokens)
{
    const Place place = tokens.place();
    return wholeOf(Expression(tokens).choice(0), place);
}

std::int64_t parseOffset(TokenStream& tokens)
{
    std::uint64_t offset = 0;
    while (tokens.isPunct('+') || tokens.isPunct('-')) {
        const bool adds = tokens.take().text == "+";
        const auto value = static_cast<std::uint64_t>(adds ? parseOffsetExpression(tokens) : parseOffsetTerm(tokens));
        offset += adds ? value : 0 - value;
    }
    return static_cast<std::int64_t>(offset);
}

Number parseLiteral(TokenStream& tokens)
{
    const bool negative = tokens.accept('-');
    Number number = tokens.number();
    if (number.kind == Number::Kind::Integer)
        number.bits = negative ? 0 - number.bits : number.bits;
    else if (negative)
        number.bits ^= number.kind == Number::Kind::Single ? 0x80000000u : std::uint64_t{1} << 63;
    return number;
}

} // namespace ridge::gpu::simt
