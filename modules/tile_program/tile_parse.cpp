// SPDX-License-Identifier: GPL-3.0-or-later
#include "tile_program/tile_syntax.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace ridge::tile {
namespace {

enum class Kind { Name, Number, Text, Mark, NewLine, Indent, Dedent, End };

struct Token {
    Kind kind = Kind::End;
    Place place;
    std::string text{};
};

constexpr std::size_t kMostText = 64 * 1024; // of a program
constexpr int kMostDepth = 100;              // of parentheses and of loops
constexpr int kMostTree = 400;               // of an expression's tree

bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// How an error names a token.
std::string named(const Token& token)
{
    switch (token.kind) {
    case Kind::NewLine:
        return "the end of the line";
    case Kind::Indent:
        return "a deeper indentation";
    case Kind::Dedent:
    case Kind::End:
        return "the end of the block";
    default:
        return "'" + token.text + "'";
    }
}

class Lexer {
public:
    Lexer(std::string_view text, const std::string& file) : m_text(text), m_file(file) {}

    Result<std::vector<Token>> all()
    {
        if (m_text.size() > kMostText)
            return Error{"syntax", "the program has more than 64 KiB", m_file, "a block program is a page of text"};
        if (m_text.starts_with("\xff\xfe") || m_text.starts_with("\xfe\xff"))
            return Error{"syntax", "the program is UTF-16", m_file, "save it as UTF-8"};
        if (m_text.starts_with("\xef\xbb\xbf")) // the mark that some editors put before UTF-8
            m_text.remove_prefix(3);
        while (m_at < m_text.size())
            if (auto done = line(); !done)
                return done.error();
        if (m_open > 0)
            return fault("a parenthesis is never closed", "close it: )");
        while (m_indents.size() > 1) {
            m_indents.pop_back();
            add(Kind::Dedent, "");
        }
        add(Kind::End, "");
        return std::move(m_tokens);
    }

private:
    Error fault(const std::string& what, const std::string& fix) const
    {
        return {"syntax", what, placeText(m_file, here()), fix};
    }
    Place here() const { return {m_line, static_cast<int>(m_at - m_begin) + 1}; }
    void add(Kind kind, std::string text) { m_tokens.push_back({kind, here(), std::move(text)}); }
    void nextLine()
    {
        ++m_at;
        ++m_line;
        m_begin = m_at;
    }

    Result<void> indentation()
    {
        std::size_t blanks = 0;
        for (; m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t'); ++m_at, ++blanks)
            if (m_text[m_at] == '\t')
                return fault("a tab at the beginning of a line", "indent with blanks");
        const bool empty = m_at == m_text.size() || m_text[m_at] == '#' || m_text[m_at] == '\n' || m_text[m_at] == '\r';
        if (empty)
            return {};
        if (blanks > m_indents.back()) {
            m_indents.push_back(blanks);
            add(Kind::Indent, "");
        }
        while (blanks < m_indents.back()) {
            m_indents.pop_back();
            add(Kind::Dedent, "");
        }
        if (blanks != m_indents.back())
            return fault("the line is indented as no line above", "line it up with the statements that it belongs to");
        return {};
    }

    Result<void> line()
    {
        if (m_open == 0)
            if (auto done = indentation(); !done)
                return done;
        bool any = false;
        while (m_at < m_text.size() && m_text[m_at] != '\n') {
            const char c = m_text[m_at];
            if (c == '#') {
                while (m_at < m_text.size() && m_text[m_at] != '\n')
                    ++m_at;
            } else if (c == ' ' || c == '\t' || c == '\r') {
                ++m_at;
            } else {
                if (auto done = token(); !done)
                    return done;
                any = true;
            }
        }
        if (any && m_open == 0)
            add(Kind::NewLine, "");
        if (m_at < m_text.size())
            nextLine();
        return {};
    }

    Result<void> token()
    {
        const char c = m_text[m_at];
        const std::size_t begin = m_at;
        const Place place = here();
        if (isLetter(c)) {
            while (m_at < m_text.size() && (isLetter(m_text[m_at]) || isDigit(m_text[m_at])))
                ++m_at;
            m_tokens.push_back({Kind::Name, place, std::string(m_text.substr(begin, m_at - begin))});
            return {};
        }
        if (isDigit(c) || (c == '.' && m_at + 1 < m_text.size() && isDigit(m_text[m_at + 1]))) {
            number();
            m_tokens.push_back({Kind::Number, place, std::string(m_text.substr(begin, m_at - begin))});
            return {};
        }
        if (c == '"') {
            const std::size_t end = m_text.find_first_of("\"\n", m_at + 1);
            if (end == std::string_view::npos || m_text[end] == '\n')
                return fault("a text is not closed on its line", "close it: \"");
            m_at = end + 1;
            m_tokens.push_back({Kind::Text, place, std::string(m_text.substr(begin + 1, end - begin - 1))});
            return {};
        }
        return mark(place);
    }

    void number()
    {
        const auto digits = [&] {
            while (m_at < m_text.size() && isDigit(m_text[m_at]))
                ++m_at;
        };
        digits();
        if (m_at < m_text.size() && m_text[m_at] == '.') {
            ++m_at;
            digits();
        }
        const auto at = [&](std::size_t further) {
            return m_at + further < m_text.size() ? m_text[m_at + further] : ' ';
        };
        if ((at(0) == 'e' || at(0) == 'E') && (isDigit(at(1)) || ((at(1) == '-' || at(1) == '+') && isDigit(at(2))))) {
            m_at += 2;
            digits();
        }
    }

    Result<void> mark(Place place)
    {
        static constexpr std::array<std::string_view, 9> kLong = {"//", "<=", ">=", "==", "!=", "+=", "-=", "*=", "**"};
        std::string_view found = m_text.substr(m_at, 1);
        for (const std::string_view each : kLong)
            if (m_text.substr(m_at).starts_with(each))
                found = each;
        if (found == "**")
            return fault("there is no power", "multiply: x * x");
        while (static_cast<unsigned char>(found[0]) >= 0xc0 && m_at + found.size() < m_text.size() &&
               (static_cast<unsigned char>(m_text[m_at + found.size()]) & 0xc0) == 0x80)
            found = m_text.substr(m_at, found.size() + 1); // a letter of UTF-8 whole
        const bool known = std::string_view("()[]:,=+-*/%<>&|~").find(found[0]) != std::string_view::npos;
        if (found.size() == 1 ? !known : static_cast<unsigned char>(found[0]) >= 0x80)
            return fault("the character '" + std::string(found) + "' has no meaning here",
                         found == ";" || found == "{" || found == "}" ? "one statement a line, without marks at its end"
                                                                      : "take it out");
        if (found == "(" || found == "[")
            ++m_open;
        else if ((found == ")" || found == "]") && --m_open < 0)
            return fault("nothing is open that '" + std::string(found) + "' could close", "take it out");
        m_at += found.size();
        m_tokens.push_back({Kind::Mark, place, std::string(found)});
        return {};
    }

    std::string_view m_text;
    const std::string& m_file;
    std::size_t m_at = 0, m_begin = 0;
    int m_line = 1, m_open = 0;
    std::vector<std::size_t> m_indents{0};
    std::vector<Token> m_tokens;
};

/// Binary operators by how tight they bind, the loosest first, as in Python.
constexpr std::array<std::array<std::string_view, 6>, 5> kLevels = {
    {{"<", ">", "<=", ">=", "==", "!="}, {"|"}, {"&"}, {"+", "-"}, {"*", "/", "//", "%"}}};

/// Recursive descent; the first error ends it.
class Parser {
public:
    Parser(std::vector<Token> tokens, const std::string& file) : m_tokens(std::move(tokens)), m_file(file) {}

    Result<SyntaxProgram> program()
    {
        SyntaxProgram made;
        made.file = m_file;
        made.place = now().place;
        if (head(made) && body(made.body) && now().kind != Kind::End)
            fail(now(), "there is something behind the program", "a file holds one program; indent what belongs to it");
        if (!m_error && made.body.empty())
            fail(now(), "the program does nothing", "write statements below the grid, indented");
        if (m_error)
            return *m_error;
        return made;
    }

private:
    const Token& now() const { return m_tokens[m_at]; }
    bool is(std::string_view mark) const { return now().kind == Kind::Mark && now().text == mark; }
    bool isWord(std::string_view word) const { return now().kind == Kind::Name && now().text == word; }
    bool take(std::string_view mark)
    {
        if (!is(mark))
            return false;
        ++m_at;
        return true;
    }
    bool fail(const Token& token, const std::string& what, const std::string& fix)
    {
        if (!m_error)
            m_error = Error{"syntax", what, placeText(m_file, token.place), fix};
        return false;
    }
    bool need(std::string_view mark, const std::string& where)
    {
        return take(mark) || fail(now(), named(now()) + " where '" + std::string(mark) + "' belongs " + where,
                                  "write '" + std::string(mark) + "'");
    }
    bool name(std::string& to, const std::string& of)
    {
        if (now().kind != Kind::Name)
            return fail(now(), named(now()) + " where " + of + " belongs", "write a name: letters, digits and _");
        to = m_tokens[m_at++].text;
        return true;
    }
    bool endOfLine()
    {
        if (now().kind == Kind::NewLine) {
            ++m_at;
            return true;
        }
        if (isWord("and") || isWord("or") || isWord("not") || isWord("if") || isWord("else"))
            return fail(now(), "'" + now().text + "' does not work on blocks",
                        "write & for and, | for or, ~ for not, "
                        "and where(mask, a, b) for a choice");
        return fail(now(), named(now()) + " behind the end of the statement", "one statement a line");
    }

    bool head(SyntaxProgram& made)
    {
        if (!isWord("program"))
            return fail(now(), named(now()) + " at the beginning",
                        "begin with: program name(x: f32[n], n: int, BLOCK: const)");
        ++m_at;
        if (!name(made.name, "the program's name") || !need("(", "behind the program's name"))
            return false;
        while (!is(")")) {
            SyntaxParameter parameter;
            if (!this->parameter(parameter))
                return false;
            made.parameters.push_back(std::move(parameter));
            if (!is(")") && !need(",", "between parameters"))
                return false;
        }
        ++m_at;
        take(":"); // as Python has it
        if (!endOfLine())
            return false;
        if (now().kind != Kind::Indent)
            return fail(now(), "the program has no statements", "indent them below its first line");
        ++m_at;
        if (!isWord("grid"))
            return fail(now(), "the program does not say how many instances it has",
                        "write it first: grid cdiv(n, BLOCK)");
        ++m_at;
        do {
            Syntax size;
            if (!expression(size))
                return false;
            made.grid.push_back(std::move(size));
        } while (take(","));
        if (made.grid.size() > 3)
            return fail(now(), "a grid has at most three axes", "name one, two or three numbers");
        return endOfLine();
    }

    bool parameter(SyntaxParameter& made)
    {
        made.place = now().place;
        if (!name(made.name, "a parameter") || !need(":", "behind a parameter"))
            return false;
        const Token type = now();
        std::string word;
        if (!name(word, "a type"))
            return false;
        const std::string known = "f32[elements], bf16[elements], int, float or const";
        if (word == "f32" || word == "bf16") {
            made.kind = word == "f32" ? ParameterKind::Float32 : ParameterKind::Bfloat16;
            made.length.resize(1);
            if (!is("["))
                return fail(now(), "the buffer " + made.name + " does not say how long it is",
                            "write " + word + "[n], in elements");
            ++m_at;
            if (!expression(made.length.front()))
                return false;
            if (is(","))
                return fail(now(), "the buffer " + made.name + " has more than one length",
                            "a buffer is one row of elements: multiply, as in " + word + "[rows * columns]");
            return need("]", "behind the length");
        }
        if (word == "ptr")
            return fail(type, "'ptr' does not say what it points to", "write f32[n] or bf16[n], in elements");
        if (word != "int" && word != "float" && word != "const")
            return fail(type, "'" + word + "' is no type", "a parameter is " + known);
        made.kind = word == "int" ? ParameterKind::Int : word == "float" ? ParameterKind::Float : ParameterKind::Const;
        if (!take("="))
            return true;
        if (made.kind == ParameterKind::Int)
            return fail(type, "an int has no default", "make it a const, or leave the default out");
        const bool minus = take("-");
        Syntax value;
        if (!atom(value))
            return false;
        if (value.kind != SyntaxKind::Integer &&
            (made.kind == ParameterKind::Const || value.kind != SyntaxKind::Decimal))
            return fail(type, "the default of " + made.name + " is no number of its type", "write a number");
        made.hasDefault = true;
        made.defaultValue =
            (minus ? -1 : 1) * (value.kind == SyntaxKind::Integer ? static_cast<double>(value.integer) : value.number);
        return true;
    }

    /// Statements until the indentation ends.
    bool body(std::vector<SyntaxStatement>& made)
    {
        if (++m_depth > kMostDepth)
            return fail(now(), "loops are nested too deep", "write fewer loops in one another");
        while (now().kind != Kind::Dedent && now().kind != Kind::End) {
            if (now().kind == Kind::Indent)
                return fail(now(), "the line is indented more than the one above",
                            "line it up; only a line that ends in ':' has an indented block");
            SyntaxStatement next;
            if (!statement(next))
                return false;
            made.push_back(std::move(next));
        }
        if (now().kind == Kind::Dedent)
            ++m_at;
        --m_depth;
        return true;
    }

    bool block(SyntaxStatement& made, const std::string& of)
    {
        if (!need(":", "behind " + of) || !endOfLine())
            return false;
        if (now().kind != Kind::Indent)
            return fail(now(), of + " has no statements", "indent them below it");
        ++m_at;
        return body(made.body);
    }

    bool statement(SyntaxStatement& made)
    {
        const Token first = now();
        made.place = first.place;
        if (first.kind != Kind::Name)
            return fail(first, named(first) + " at the beginning of a statement",
                        "begin with a name, store, for or while");
        if (first.text == "for")
            return loop(made);
        if (first.text == "while") {
            ++m_at;
            made.kind = StatementKind::While;
            made.parts.resize(1);
            return expression(made.parts[0]) && block(made, "the condition");
        }
        if (first.text == "assert") {
            ++m_at;
            made.kind = StatementKind::Assert;
            made.parts.resize(1);
            if (!expression(made.parts[0]))
                return false;
            if (take(",")) {
                if (now().kind != Kind::Text)
                    return fail(now(), named(now()) + " where a text belongs", "write \"what the assertion means\"");
                made.name = m_tokens[m_at++].text;
            }
            return endOfLine();
        }
        if (first.text == "if" || first.text == "else" || first.text == "elif")
            return fail(first, "there is no if", "choose lane by lane with where(mask, a, b), or mask the store");
        if (first.text == "return" || first.text == "break" || first.text == "continue" || first.text == "def")
            return fail(first, "there is no " + first.text, "a program runs to its last line");
        if (first.text == "store") {
            if (m_tokens[m_at + 1].kind != Kind::Mark || m_tokens[m_at + 1].text != "(")
                return fail(first, "store is a call", "write store(address, value, mask=mask)");
            made.kind = StatementKind::Store;
            made.parts.resize(1);
            return expression(made.parts[0]) && endOfLine();
        }
        return assignment(made);
    }

    bool assignment(SyntaxStatement& made)
    {
        const Token target = now();
        ++m_at;
        made.name = target.text;
        made.parts.resize(1);
        for (const std::string_view change : {"+=", "-=", "*="})
            if (is(change)) {
                const Token mark = now();
                ++m_at;
                Syntax sum{SyntaxKind::Binary, mark.place, std::string(change.substr(0, 1))};
                sum.parts.push_back({SyntaxKind::Name, target.place, target.text});
                sum.parts.emplace_back();
                if (!expression(sum.parts[1]))
                    return false;
                made.parts[0] = std::move(sum);
                return endOfLine();
            }
        if (is("("))
            return fail(target, "the result of " + target.text + "() is not used", "assign it to a name");
        if (is("["))
            return fail(target, "an element cannot be assigned", "assign the whole block: x = where(mask, new, x)");
        return need("=", "behind " + target.text) && expression(made.parts[0]) && endOfLine();
    }

    bool loop(SyntaxStatement& made)
    {
        ++m_at;
        made.kind = StatementKind::For;
        if (!name(made.name, "the loop's variable"))
            return false;
        if (!isWord("in"))
            return fail(now(), named(now()) + " where 'in' belongs", "write: for i in range(0, n, BLOCK):");
        ++m_at;
        const Token range = now();
        Syntax call;
        if (!expression(call))
            return false;
        if (call.kind != SyntaxKind::Call || call.text != "range" || call.parts.empty() || call.parts.size() > 3)
            return fail(range, "a loop runs over range(to), range(from, to) or range(from, to, step)",
                        "write: for i in range(0, n, BLOCK):");
        Syntax zero{SyntaxKind::Integer, range.place}, one{SyntaxKind::Integer, range.place};
        one.integer = 1;
        if (call.parts.size() == 1)
            call.parts.insert(call.parts.begin(), zero);
        if (call.parts.size() == 2)
            call.parts.push_back(one);
        made.parts = std::move(call.parts);
        return block(made, "the range");
    }

    bool tooDeep(const Token& token)
    {
        return fail(token, "loops and parentheses are nested too deep", "give parts of the expression names");
    }

    /// What reads a tree goes down it by recursion.
    bool deeper(Syntax& made)
    {
        for (const Syntax& part : made.parts)
            made.depth = std::max(made.depth, part.depth + 1);
        return made.depth <= kMostTree || fail(now(), "the expression is too long", "give parts of it names");
    }

    bool expression(Syntax& made)
    {
        if (++m_depth > kMostDepth)
            return tooDeep(now());
        const bool done = level(made, 0);
        --m_depth;
        return done;
    }

    bool level(Syntax& made, std::size_t at)
    {
        if (at == kLevels.size())
            return unary(made);
        if (!level(made, at + 1))
            return false;
        const auto isHere = [&] {
            if (now().kind != Kind::Mark)
                return false;
            for (const std::string_view each : kLevels[at])
                if (!each.empty() && now().text == each)
                    return true;
            return false;
        };
        int terms = 0;
        while (isHere()) {
            if (at == 0 && made.kind == SyntaxKind::Binary && terms > 0)
                return fail(now(), "a comparison follows on a comparison", "write (a < b) & (b < c)");
            ++terms;
            Syntax both{SyntaxKind::Binary, now().place, now().text};
            ++m_at;
            both.parts.push_back(std::move(made));
            both.parts.emplace_back();
            if (!level(both.parts[1], at + 1) || !deeper(both))
                return false;
            made = std::move(both);
        }
        return true;
    }

    bool unary(Syntax& made)
    {
        if (!is("-") && !is("~") && !is("+"))
            return postfix(made);
        const Token mark = now();
        ++m_at;
        if (++m_depth > kMostDepth)
            return tooDeep(mark);
        Syntax inner;
        const bool done = unary(inner);
        --m_depth;
        if (!done)
            return false;
        if (mark.text == "+") {
            made = std::move(inner);
            return true;
        }
        made = {SyntaxKind::Unary, mark.place, mark.text};
        made.parts.push_back(std::move(inner));
        return deeper(made);
    }

    bool postfix(Syntax& made)
    {
        if (!atom(made))
            return false;
        while (is("[")) {
            const Token open = now();
            ++m_at;
            std::array<bool, 2> none{};
            for (int i = 0; i < 2; ++i) {
                none[static_cast<std::size_t>(i)] = isWord("None");
                if (!isWord("None") && !is(":"))
                    return fail(open, "a block has no single elements",
                                "write x[:, None] for a column or x[None, :] for a "
                                "row; choose elements by mask or load");
                ++m_at;
                if (i == 0 && !need(",", "between the two axes"))
                    return false;
            }
            if (!need("]", "behind the two axes"))
                return false;
            if (none[0] == none[1])
                return fail(open, "a new axis needs one None and one ':'", "write x[:, None] or x[None, :]");
            Syntax wide{SyntaxKind::Expand, open.place};
            wide.integer = none[0] ? 0 : 1;
            wide.parts.push_back(std::move(made));
            if (!deeper(wide))
                return false;
            made = std::move(wide);
        }
        return true;
    }

    bool atom(Syntax& made)
    {
        const Token token = now();
        made.place = token.place;
        if (token.kind == Kind::Number) {
            ++m_at;
            return number(made, token);
        }
        if (take("(")) {
            if (!expression(made))
                return false;
            return need(")", "behind the expression");
        }
        if (token.kind != Kind::Name)
            return fail(token, named(token) + " where a value belongs", "write a number, a name or a call");
        if (token.text == "not" || token.text == "if" || token.text == "lambda")
            return fail(token, "'" + token.text + "' does not work on blocks",
                        "write ~ for not, where(mask, a, b) for a choice");
        ++m_at;
        if (!take("(")) {
            made.kind = SyntaxKind::Name;
            made.text = token.text;
            return true;
        }
        made.kind = SyntaxKind::Call;
        made.text = token.text;
        while (!is(")")) {
            std::string keyword;
            if (now().kind == Kind::Name && m_tokens[m_at + 1].kind == Kind::Mark && m_tokens[m_at + 1].text == "=") {
                keyword = now().text;
                m_at += 2;
            } else if (!made.keywords.empty() && !made.keywords.back().empty()) {
                return fail(now(), "an argument without a name follows on a named one",
                            "name it, or move it to the front");
            }
            Syntax argument;
            if (!expression(argument))
                return false;
            made.parts.push_back(std::move(argument));
            made.keywords.push_back(std::move(keyword));
            if (!is(")") && !need(",", "between arguments"))
                return false;
        }
        ++m_at;
        return deeper(made);
    }

    bool number(Syntax& made, const Token& token)
    {
        const char* const begin = token.text.data();
        const char* const end = begin + token.text.size();
        if (token.text.find_first_of(".eE") == std::string::npos) {
            const auto read = std::from_chars(begin, end, made.integer);
            if (read.ec != std::errc() || made.integer > 2147483647)
                return fail(token, token.text + " is larger than an int", "an int ends at 2147483647");
            made.kind = SyntaxKind::Integer;
            return true;
        }
        made.kind = SyntaxKind::Decimal;
        if (std::from_chars(begin, end, made.number).ec != std::errc())
            return fail(token, token.text + " is no number that a float holds", "write a smaller one, or inf");
        return true;
    }

    std::vector<Token> m_tokens;
    const std::string& m_file;
    std::size_t m_at = 0;
    int m_depth = 0;
    std::optional<Error> m_error;
};

} // namespace

std::string placeText(const std::string& file, Place place)
{
    return file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
}

Result<SyntaxProgram> parseProgram(std::string_view text, const std::string& file)
{
    auto tokens = Lexer(text, file).all();
    if (!tokens)
        return tokens.error();
    return Parser(std::move(*tokens), file).program();
}

std::size_t codeLines(std::string_view text, std::string_view comment)
{
    std::size_t lines = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
        lines += !line.empty() && !line.starts_with(comment) ? 1 : 0;
    }
    return lines;
}

} // namespace ridge::tile
