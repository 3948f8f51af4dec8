// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/step_expression_node.h"

#include <array>
#include <charconv>
#include <cmath>

namespace ridge {
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
constexpr std::array<Name, 11> kNames{{{"lane", Kind::Lane},
                                       {"laneid", Kind::Lane},
                                       {"warp", Kind::Warp},
                                       {"warpid", Kind::Warp},
                                       {"thread", Kind::Thread},
                                       {"line", Kind::Line},
                                       {"active", Kind::Active},
                                       {"lanes", Kind::Lanes},
                                       {"passes", Kind::Passes},
                                       {"least", Kind::Least},
                                       {"depth", Kind::Depth}}};
/// With .x, .y or .z behind them: as C++ and as the PTX calls them.
constexpr std::array<Name, 8> kAxisNames{{{"threadIdx", Kind::Tid},
                                          {"tid", Kind::Tid},
                                          {"blockDim", Kind::BlockSize},
                                          {"ntid", Kind::BlockSize},
                                          {"blockIdx", Kind::Block},
                                          {"ctaid", Kind::Block},
                                          {"gridDim", Kind::GridSize},
                                          {"nctaid", Kind::GridSize}}};

/// Whether the word names something that every kernel has.
bool findBuiltIn(std::string_view word, Node& node)
{
    if (word.starts_with('%'))
        word.remove_prefix(1);
    for (const Name& name : kNames)
        if (name.text == word) {
            node.kind = name.kind;
            return true;
        }
    if (word.size() < 3 || word[word.size() - 2] != '.' || word.back() < 'x' || word.back() > 'z')
        return false;
    node.axis = static_cast<std::uint8_t>(word.back() - 'x');
    word.remove_suffix(2);
    for (const Name& name : kAxisNames)
        if (name.text == word) {
            node.kind = name.kind;
            return true;
        }
    return false;
}

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
                      std::string(m_text), "write for example: lane == 5 && %r3 > 3, shared[4 * lane], threadIdx.x"};
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
        if (word[0] >= '0' && word[0] <= '9')
            return numberNode(word, begin, *node) ? node : nullptr;
        if (word == "shared" || word == "sharedf") {
            node->kind = word == "shared" ? Kind::Shared : Kind::SharedFloat;
            if (!take("["))
                return fail("'['");
            node->left = binary(0);
            return m_error || take("]") ? node : fail("']'");
        }
        return findRegister(word, *node) || findBuiltIn(word, *node) ? node : unknown(word, begin);
    }

    bool findRegister(std::string_view word, Node& node) const
    {
        node.kind = Kind::Register;
        for (std::size_t at = 0; at < m_trace.registers.size(); ++at) {
            const std::string_view name = m_trace.registers[at].name;
            if (name == word || (name.starts_with('%') && name.substr(1) == word)) {
                node.reg = static_cast<std::uint32_t>(at);
                return true;
            }
        }
        return false;
    }

    NodePtr unknown(std::string_view word, std::size_t begin)
    {
        m_at = begin;
        return fail("a register, threadIdx.x, lane, warp, thread, line, active, shared[…] or a number, and not " +
                    std::string(word) +
                    (word[0] == '%' ? ", which this kernel does not have,"
                                    : " (C++ names of variables do not reach the PTX: the registers that the line "
                                      "writes hold them)"));
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

} // namespace

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

} // namespace ridge
