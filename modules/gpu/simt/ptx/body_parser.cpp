// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/ptx/body_parser.h"

#include "gpu/simt/ptx/constant_expression.h"
#include "gpu/simt/ptx/declarations.h"
#include "gpu/simt/ptx/variable_parser.h"

namespace ridge::gpu::simt {

namespace {

constexpr int kMaxNesting = 32;          ///< of operands; PTX needs three
constexpr std::size_t kMostOperands = 4; ///< of nearly all instructions
constexpr std::uint64_t kMostVectors = 1u << 16;

Operand parseOperand(TokenStream& tokens, int depth);

std::vector<Operand> parseOperandList(TokenStream& tokens, char close, int depth)
{
    std::vector<Operand> parts;
    if (tokens.accept(close))
        return parts;
    do
        parts.push_back(parseOperand(tokens, depth + 1));
    while (tokens.accept(','));
    tokens.expect(close);
    return parts;
}

Operand constantOperand(const Number& number, Place place)
{
    Operand operand;
    operand.place = place;
    operand.kind = number.kind == Number::Kind::Integer  ? Operand::Kind::Integer
                   : number.kind == Number::Kind::Single ? Operand::Kind::Single
                                                         : Operand::Kind::Double;
    operand.bits = number.bits;
    return operand;
}

/// "v[2]": the element of an array. declarations.cpp, which knows its size, makes an offset of it.
void parseIndex(TokenStream& tokens, Operand& operand)
{
    while (tokens.accept('[')) {
        const Place place = tokens.place();
        if (tokens.peek().kind == TokenKind::Word && !isConstantExpression(tokens))
            tokens.fail("the index of an array is a constant here; add it to the address for another");
        operand.parts.push_back(
            constantOperand({Number::Kind::Integer, static_cast<std::uint64_t>(parseOffsetExpression(tokens))}, place));
        tokens.expect(']');
    }
}

Operand parseName(TokenStream& tokens, Place place)
{
    Operand operand;
    operand.place = place;
    operand.text = tokens.word("operand");
    if (operand.text == "_")
        operand.kind = Operand::Kind::Sink;
    else if (tokens.peek().kind == TokenKind::Dot)
        operand.component = tokens.take().text;
    else
        parseIndex(tokens, operand);
    operand.offset = parseOffset(tokens);
    return operand;
}

Operand parseBracketed(TokenStream& tokens, Place place, int depth)
{
    Operand operand;
    operand.place = place;
    const char open = tokens.take().text[0];
    if (open == '[') {
        operand.kind = Operand::Kind::Memory;
        operand.parts = parseOperandList(tokens, ']', depth);
        if (operand.parts.empty())
            throw SyntaxError{badPtx(place, "an address is expected between [ and ]")};
        Operand& base = operand.parts.front();
        if (base.kind == Operand::Kind::Name)
            std::swap(operand.offset, base.offset);
        else
            operand.offset = parseOffset(tokens);
    } else {
        operand.kind = open == '{' ? Operand::Kind::Vector : Operand::Kind::List;
        operand.parts = parseOperandList(tokens, open == '{' ? '}' : ')', depth);
    }
    return operand;
}

Operand parseOperand(TokenStream& tokens, int depth)
{
    const Place place = tokens.place();
    if (depth > kMaxNesting)
        tokens.fail("operands are nested too deeply");
    if (isConstantExpression(tokens))
        return constantOperand(parseConstantExpression(tokens), place);
    if (tokens.accept('!')) {
        Operand operand = parseName(tokens, place);
        operand.negated = true;
        return operand;
    }
    Operand operand;
    const bool minus = tokens.isPunct('-') && tokens.peek(1).kind == TokenKind::Word;
    if (minus)
        tokens.take();
    if (tokens.isPunct('[') || tokens.isPunct('{') || tokens.isPunct('('))
        operand = parseBracketed(tokens, place, depth);
    else if (tokens.isPunct('-') || tokens.peek().kind == TokenKind::Number)
        operand = constantOperand(parseLiteral(tokens), place);
    else
        operand = parseName(tokens, place);
    operand.minus = minus;
    if (tokens.accept('|')) {
        Operand pair;
        pair.kind = Operand::Kind::Pair;
        pair.place = place;
        pair.parts = {std::move(operand), parseOperand(tokens, depth + 1)};
        return pair;
    }
    return operand;
}

Instruction parseInstruction(TokenStream& tokens, std::uint32_t sourceLine)
{
    Instruction instruction;
    if (tokens.accept('@')) {
        instruction.guard.place = tokens.place();
        instruction.guard.negated = tokens.accept('!');
        instruction.guard.name = tokens.word("predicate");
    }
    instruction.place = tokens.place();
    instruction.sourceLine = sourceLine;
    instruction.opcode = tokens.word("instruction");
    std::size_t modifiers = 0;
    while (tokens.peek(modifiers).kind == TokenKind::Dot)
        ++modifiers;
    instruction.modifiers.reserve(modifiers);
    for (; modifiers > 0; --modifiers)
        instruction.modifiers.push_back(tokens.take().text);
    if (!tokens.isPunct(';')) {
        instruction.operands.reserve(kMostOperands);
        const bool isCall = instruction.opcode == "call"; // where (5) is a list of arguments
        do
            instruction.operands.push_back(isCall && tokens.isPunct('(') ? parseBracketed(tokens, tokens.place(), 0)
                                                                         : parseOperand(tokens, 0));
        while (tokens.accept(','));
    }
    tokens.expect(';');
    return instruction;
}

/// "(.param .b32 _) _ (.param .b32 _, .param .b64 _) .noreturn;" after ".callprototype".
CallPrototype parsePrototype(TokenStream& tokens, std::string_view name, Place place)
{
    CallPrototype prototype;
    prototype.name = name;
    prototype.place = place;
    if (tokens.accept('('))
        prototype.results = parseParameters(tokens);
    tokens.word("_");
    if (tokens.accept('('))
        prototype.parameters = parseParameters(tokens);
    skipStatement(tokens);
    return prototype;
}

/// "L1, L2, N<3>", which is N0, N1 and N2.
void parseTargets(TokenStream& tokens, BranchTargets& targets, std::deque<std::string>& names)
{
    constexpr std::uint64_t kMost = 1u << 16;
    do {
        const std::string_view name = tokens.word("label");
        if (!tokens.accept('<')) {
            targets.labels.push_back(name);
            continue;
        }
        const std::uint64_t count = tokens.integer();
        if (count > kMost)
            tokens.fail("a list of branch targets has at most 65536 labels");
        tokens.expect('>');
        for (std::uint64_t at = 0; at < count; ++at)
            targets.labels.push_back(names.emplace_back(std::string(name) + std::to_string(at)));
    } while (tokens.accept(','));
    tokens.expect(';');
}

void parseLabel(TokenStream& tokens, std::vector<Statement>& out, std::deque<std::string>& names)
{
    const Place place = tokens.place();
    const std::string_view name = tokens.word("label");
    tokens.expect(':');
    if (tokens.acceptDot("branchtargets")) {
        BranchTargets targets{name, {}, place};
        parseTargets(tokens, targets, names);
        out.emplace_back(std::move(targets));
    } else if (tokens.acceptDot("callprototype")) {
        out.emplace_back(parsePrototype(tokens, name, place));
    } else if (tokens.acceptDot("calltargets")) {
        CallPrototype prototype;
        prototype.name = name;
        prototype.place = place;
        do
            prototype.targets.push_back(tokens.word("function"));
        while (tokens.accept(','));
        tokens.expect(';');
        out.emplace_back(std::move(prototype));
    } else {
        out.emplace_back(Label{name, place});
    }
}

void parseDirective(TokenStream& tokens, LineTable& lines, std::vector<Statement>& out, std::deque<std::string>& names)
{
    const Token directive = tokens.take();
    if (directive.text == "reg") {
        parseRegisters(tokens, out, names);
    } else if (directive.text == "loc") {
        lines.read(tokens);
    } else if (directive.text == "pragma") {
        auto* label = out.empty() ? nullptr : std::get_if<Label>(&out.back());
        if (parsePragma(tokens) && label != nullptr)
            label->nounroll = true;
    } else if (directive.text == "section") {
        skipSection(tokens);
    } else if (const auto space = variableSpace(directive.text)) {
        for (Variable& variable : parseVariables(tokens, *space, false))
            out.emplace_back(std::move(variable));
    } else {
        throw SyntaxError{badPtx(directive.place, "the directive '." + std::string(directive.text) +
                                                      "' has no meaning inside a function")};
    }
}

/// 8-bit registers serve ld, st and cvt alone, which take wider ones as well.
ScalarType registerTypeOf(ScalarType declared)
{
    switch (declared) {
    case ScalarType::B8:
        return ScalarType::B16;
    case ScalarType::U8:
        return ScalarType::U16;
    case ScalarType::S8:
        return ScalarType::S16;
    default:
        return declared;
    }
}

} // namespace

LineTable::Location LineTable::readLocation(TokenStream& tokens)
{
    Location location;
    location.file = tokens.integer();
    location.line = tokens.integer();
    location.column = tokens.integer();
    return location;
}

void LineTable::read(TokenStream& tokens)
{
    const std::uint32_t row = tokens.place().line;
    const Location here = readLocation(tokens);
    // Line 0 is what a compiler made for the statement before; the line of a header is none of the kernel's file.
    const bool isMain = here.file == m_main;
    std::uint32_t line = !isMain ? 0 : here.line != 0 ? static_cast<std::uint32_t>(here.line) : m_line;
    while (tokens.isPunct(',') && tokens.place().line == row) {
        tokens.take();
        const std::string_view what = tokens.word("function_name or inlined_at");
        if (what == "inlined_at") {
            const Location caller = readLocation(tokens);
            const auto known = m_lines.find(caller);
            if (!isMain && known != m_lines.end())
                line = known->second;
        } else {
            tokens.word("label");
            parseOffset(tokens);
        }
    }
    m_lines[here] = line;
    m_line = line;
}

bool parsePragma(TokenStream& tokens)
{
    bool nounroll = false;
    do {
        if (tokens.peek().kind != TokenKind::String)
            tokens.fail("a pragma is a text in quotes, found " + tokens.found());
        nounroll = tokens.take().text.find("nounroll") != std::string_view::npos || nounroll;
    } while (tokens.accept(','));
    tokens.expect(';');
    return nounroll;
}

void skipStatement(TokenStream& tokens)
{
    while (!tokens.atEnd() && !tokens.accept(';'))
        tokens.take();
}

void skipSection(TokenStream& tokens)
{
    while (!tokens.atEnd() && !tokens.isPunct('{'))
        tokens.take();
    tokens.expect('{');
    while (!tokens.atEnd() && !tokens.isPunct('}'))
        tokens.take();
    tokens.expect('}');
}

void parseRegisters(TokenStream& tokens, std::vector<Statement>& out, std::deque<std::string>& names)
{
    if (tokens.acceptDot("align")) // of what has no address
        tokens.integer();
    const Place vector = tokens.place();
    const unsigned elements = tokens.acceptDot("v2") ? 2 : tokens.acceptDot("v4") ? 4 : 1;
    const Token type = tokens.take();
    const auto scalar = type.kind == TokenKind::Dot ? scalarTypeFromText(type.text) : std::nullopt;
    if (!scalar)
        throw SyntaxError{badPtx(type.place, "'" + std::string(type.text) + "' is not a type a register can have")};
    if (elements > 1 && (*scalar == ScalarType::Pred || sizeOf(*scalar) * elements > 16))
        throw SyntaxError{
            badPtx(vector, "a vector of registers has 2 or 4 elements and at most 128 bits, and no predicates")};
    const auto declare = [&](std::string_view name, std::uint32_t count, Place place) {
        if (elements == 1)
            return out.emplace_back(RegisterDeclaration{registerTypeOf(*scalar), name, count, place}), void();
        for (unsigned axis = 0; axis < elements; ++axis)
            out.emplace_back(
                RegisterDeclaration{registerTypeOf(*scalar), names.emplace_back(elementName(name, axis)), 0, place});
    };
    do {
        const Place place = tokens.place();
        const std::string_view name = tokens.word("register");
        if (!tokens.accept('<')) {
            declare(name, 0, place);
            continue;
        }
        const std::uint64_t count = tokens.integer();
        if (count > (1u << 24))
            throw SyntaxError{badPtx(place, "more than 16777216 registers are declared at once")};
        tokens.expect('>');
        if (elements == 1 && count > 0)
            declare(name, static_cast<std::uint32_t>(count), place);
        if (elements > 1 && count > kMostVectors)
            throw SyntaxError{badPtx(place, "more than 65536 vectors of registers are declared at once")};
        for (std::uint64_t at = 0; elements > 1 && at < count; ++at)
            declare(names.emplace_back(std::string(name) + std::to_string(at)), 0, place);
    } while (tokens.accept(','));
    tokens.expect(';');
}

std::vector<Statement> parseBody(TokenStream& tokens, LineTable& lines, std::deque<std::string>& names)
{
    std::vector<Statement> body;
    lines.startFunction();
    for (int depth = 0;;) {
        if (tokens.atEnd())
            tokens.fail("the text ends inside a function");
        if (tokens.accept('{')) {
            body.emplace_back(ScopeOpen{});
            ++depth;
        } else if (tokens.accept('}')) {
            if (depth-- == 0)
                return body;
            body.emplace_back(ScopeClose{});
        } else if (tokens.peek().kind == TokenKind::Dot) {
            parseDirective(tokens, lines, body, names);
        } else if (tokens.peek().kind == TokenKind::Word && tokens.isPunct(':', 1)) {
            parseLabel(tokens, body, names);
        } else if (!tokens.accept(';')) {
            body.emplace_back(parseInstruction(tokens, lines.line()));
        }
    }
}

} // namespace ridge::gpu::simt
