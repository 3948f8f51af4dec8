// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/watch_expression.h"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace ridge::app {

struct WatchExpression::Node {
    std::string op; ///< "number", "name", or the operator
    double number = 0;
    std::string name = {};
    std::shared_ptr<const Node> left = {}, right = {};
};

namespace {

using Node = WatchExpression::Node;
using NodePtr = std::shared_ptr<const Node>;

/// Weakest first; operators of one row are taken from left to right.
const std::vector<std::vector<std::string>>& operators()
{
    static const std::vector<std::vector<std::string>> rows{
        {"||"}, {"&&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}};
    return rows;
}

constexpr int kMostDepth = 64;

class Parser {
public:
    Parser(const std::string& text, const std::function<bool(const std::string&)>& known) : m_text(text), m_known(known)
    {
    }

    Result<NodePtr> parse()
    {
        NodePtr root = level(0);
        blanks();
        if (m_wrong.empty() && m_at < m_text.size())
            fail("this does not belong here");
        if (!m_wrong.empty())
            return Error{"bad-expression", m_wrong, "character " + std::to_string(m_wrongAt + 1),
                         "write it like lane == 5 && r4 > 3"};
        return root;
    }

private:
    void blanks()
    {
        while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at])) != 0)
            ++m_at;
    }
    void fail(const std::string& what)
    {
        if (!m_wrong.empty())
            return;
        m_wrong = what;
        m_wrongAt = m_at;
    }
    bool takes(const std::string& op)
    {
        blanks();
        if (m_text.compare(m_at, op.size(), op) != 0)
            return false;
        m_at += op.size();
        return true;
    }
    NodePtr level(std::size_t row)
    {
        if (row == operators().size())
            return single();
        NodePtr left = level(row + 1);
        for (bool again = true; again && m_wrong.empty();) {
            again = false;
            for (const std::string& op : operators()[row])
                if (takes(op)) {
                    NodePtr right = level(row + 1);
                    left = std::make_shared<Node>(Node{op, 0, {}, left, right});
                    again = true;
                    break;
                }
        }
        return left;
    }
    NodePtr single()
    {
        if (++m_depth > kMostDepth)
            fail("the brackets are too deep");
        NodePtr made = m_wrong.empty() ? operand() : nullptr;
        --m_depth;
        return made ? made : std::make_shared<Node>(Node{"number"});
    }
    NodePtr operand()
    {
        blanks();
        if (m_at >= m_text.size()) {
            fail("something is missing here");
            return nullptr;
        }
        const char c = m_text[m_at];
        if (c == '(') {
            ++m_at;
            NodePtr inside = level(0);
            if (!takes(")"))
                fail("a closing bracket is missing");
            return inside;
        }
        if ((c == '!' && m_text.compare(m_at, 2, "!=") != 0) || c == '-') {
            ++m_at;
            return std::make_shared<Node>(Node{c == '!' ? "not" : "negative", 0, {}, single()});
        }
        if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') {
            char* end = nullptr;
            const double number = std::strtod(m_text.c_str() + m_at, &end);
            if (end == m_text.c_str() + m_at) {
                fail("this is no number");
                return nullptr;
            }
            m_at = static_cast<std::size_t>(end - m_text.c_str());
            return std::make_shared<Node>(Node{"number", number});
        }
        std::size_t end = m_at;
        while (end < m_text.size() && (std::isalnum(static_cast<unsigned char>(m_text[end])) != 0 ||
                                       m_text[end] == '_' || m_text[end] == '%' || m_text[end] == '.'))
            ++end;
        // A remainder is no register: "r4%2" is read as a name and a number.
        std::string name = m_text.substr(m_at, end - m_at);
        if (const auto percent = name.find('%', 1); percent != std::string::npos)
            name.resize(percent);
        if (name.empty() || !m_known(name)) {
            fail(name.empty() ? "this does not belong here" : "there is nothing called " + name);
            return nullptr;
        }
        m_at += name.size();
        return std::make_shared<Node>(Node{"name", 0, name});
    }

    const std::string& m_text;
    const std::function<bool(const std::string&)>& m_known;
    std::size_t m_at = 0, m_wrongAt = 0;
    std::string m_wrong;
    int m_depth = 0;
};

std::optional<double> valueOf(const Node& node, const WatchExpression::Lookup& lookup)
{
    if (node.op == "number")
        return node.number;
    if (node.op == "name")
        return lookup(node.name);
    const auto left = valueOf(*node.left, lookup);
    if (!left)
        return std::nullopt;
    if (node.op == "not")
        return *left == 0;
    if (node.op == "negative")
        return -*left;
    if (node.op == "&&" && *left == 0)
        return 0;
    if (node.op == "||" && *left != 0)
        return 1;
    const auto right = valueOf(*node.right, lookup);
    if (!right)
        return std::nullopt;
    const double a = *left, b = *right;
    if ((node.op == "/" || node.op == "%") && b == 0)
        return std::nullopt;
    if (node.op == "&&" || node.op == "||")
        return b != 0;
    if (node.op == "==")
        return a == b;
    if (node.op == "!=")
        return a != b;
    if (node.op == "<=")
        return a <= b;
    if (node.op == ">=")
        return a >= b;
    if (node.op == "<")
        return a < b;
    if (node.op == ">")
        return a > b;
    if (node.op == "+")
        return a + b;
    if (node.op == "-")
        return a - b;
    if (node.op == "*")
        return a * b;
    return node.op == "/" ? a / b : std::fmod(a, b);
}

} // namespace

Result<WatchExpression> WatchExpression::parse(const std::string& text,
                                               const std::function<bool(const std::string&)>& known)
{
    auto root = Parser(text, known).parse();
    if (!root)
        return root.error();
    WatchExpression expression;
    expression.m_text = text;
    expression.m_root = *root;
    return expression;
}

std::optional<double> WatchExpression::value(const Lookup& lookup) const
{
    return m_root ? valueOf(*m_root, lookup) : std::nullopt;
}

} // namespace ridge::app
