// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/ptx/body_parser.h"

#include "gpu/simt/ptx/constant_expression.h"
#include "gpu/simt/ptx/declarations.h"

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

/// "+4", "-8", "+-4" after a base; several add up.
std::int64_t parseOffset(TokenStream& tokens)
{
    std::uint64_t offset = 0;
    while (tokens.isPunct('+') || tokens.isPunct('-')) {
        bool negative = tokens.take().text == "-";
        if (tokens.accept('-'))
            negative = !negative;
        const std::uint64_t value = tokens.integer();
        offset += negative ? 0 - value : value;
    }
    return static_cast<std::int64_t>(offset);
}

Operand parseLiteral(TokenStream& tokens, Place place)
{
    Operand operand;
    operand.place = place;
    const bool negative = tokens.accept('-');
    const Number number = tokens.number();
    operand.bits = number.bits;
    switch (number.kind) {
    case Number::Kind::Integer:
        operand.kind = Operand::Kind::Integer;
        operand.bits = negative ? 0 - number.bits : number.bits;
        break;
    case Number::Kind::Single:
        operand.kind = Operand::Kind::Single;
        operand.bits ^= negative ? 0x80000000u : 0u;
        break;
    case Number::Kind::Double:
        operand.kind = Operand::Kind::Double;
        operand.bits ^= negative ? std::uint64_t{1} << 63 : 0u;
        break;
    }
    return operand;
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

/// "[2]" behind the name of an array: its element 2, which mov and cvta take the address of, and ld and st access.
void parseIndex(TokenStream& tokens, std::string_view opcode, Operand& operand)
{
    const bool accesses = opcode == "ld" || opcode == "ldu" || opcode == "st";
    if (!accesses && opcode != "mov" && opcode != "cvta")
        tokens.fail("an element of an array is an operand of mov, cvta, ld, ldu and st alone");
    tokens.expect('[');
    operand.index = static_cast<std::int64_t>(parseConstantExpression(tokens));
    tokens.expect(']');
    if (!accesses)
        return;
    Operand memory;
    memory.kind = Operand::Kind::Memory;
    memory.place = operand.place;
    memory.parts.push_back(std::move(operand));
    operand = std::move(memory);
}

Operand parseOperand(TokenStream& tokens, int depth)
{
    const Place place = tokens.place();
    if (depth > kMaxNesting)
        tokens.fail("operands are nested too deeply");
    if (tokens.accept('!')) {
        Operand operand = parseName(tokens, place);
        operand.negated = true;
        return operand;
    }
    Operand operand;
    if (isConstantExpression(tokens)) {
        operand.place = place;
        operand.kind = Operand::Kind::Integer;
        operand.bits = parseConstantExpression(tokens);
        return operand;
    }
    const bool minus = tokens.isPunct('-') && tokens.peek(1).kind == TokenKind::Word;
    if (minus)
        tokens.take();
    if (tokens.isPunct('[') || tokens.isPunct('{') || tokens.isPunct('('))
        operand = parseBracketed(tokens, place, depth);
    else if (tokens.isPunct('-') || tokens.peek().kind == TokenKind::Number)
        operand = parseLiteral(tokens, place);
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
        do {
            Operand& operand = instruction.operands.emplace_back(parseOperand(tokens, 0));
            if (operand.kind == Operand::Kind::Name && operand.offset == 0 && tokens.isPunct('['))
                parseIndex(tokens, instruction.opcode, operand);
        } while (tokens.accept(','));
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

void parseLabel(TokenStream& tokens, std::vector<Statement>& out)
{
    const Place place = tokens.place();
    const std::string_view name = tokens.word("label");
    tokens.expect(':');
    if (tokens.acceptDot("branchtargets")) {
        BranchTargets targets{name, {}, place};
        do
            targets.labels.push_back(tokens.word("label"));
        while (tokens.accept(','));
        tokens.expect(';');
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
        if (tokens.peek().text.find("nounroll") != std::string_view::npos && !out.empty())
            if (auto* label = std::get_if<Label>(&out.back()))
                label->nounroll = true;
        skipStatement(tokens);
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

Initializer parseInitializer(TokenStream& tokens)
{
    Initializer value;
    value.place = tokens.place();
    if (tokens.peek().kind == TokenKind::Word) {
        value.symbol = tokens.word("initialiser");
        if (value.symbol == "generic" && tokens.accept('(')) {
            value.symbol = tokens.word("variable");
            value.offset = parseOffset(tokens);
            tokens.expect(')');
        }
        value.offset += parseOffset(tokens);
        return value;
    }
    if (isConstantExpression(tokens)) {
        value.number = {Number::Kind::Integer, parseConstantExpression(tokens)};
        return value;
    }
    const Operand literal = parseLiteral(tokens, value.place);
    value.number.bits = literal.bits;
    value.number.kind = literal.kind == Operand::Kind::Integer  ? Number::Kind::Integer
                        : literal.kind == Operand::Kind::Single ? Number::Kind::Single
                                                                : Number::Kind::Double;
    return value;
}

void parseInitializers(TokenStream& tokens, std::vector<Initializer>& out, int depth)
{
    if (depth > kMaxNesting)
        tokens.fail("initialisers are nested too deeply");
    if (!tokens.accept('{')) {
        out.push_back(parseInitializer(tokens));
        return;
    }
    if (tokens.accept('}'))
        return;
    do
        parseInitializers(tokens, out, depth + 1);
    while (tokens.accept(','));
    tokens.expect('}');
}

/// "[4][8]" multiplies `bytes`, "[]" makes it open, and either makes it an array.
void parseDimensions(TokenStream& tokens, Variable& variable)
{
    constexpr std::uint64_t largest = std::uint64_t{1} << 40;
    if (tokens.isPunct('['))
        variable.elementBytes = static_cast<std::uint32_t>(variable.bytes);
    while (tokens.accept('[')) {
        if (tokens.accept(']')) {
            variable.bytes = 0;
            continue;
        }
        const Place at = tokens.place();
        const std::uint64_t count = tokens.integer();
        tokens.expect(']');
        if (count > largest || variable.bytes > largest / std::max<std::uint64_t>(count, 1))
            throw SyntaxError{badPtx(at, "the variable '" + std::string(variable.name) + "' is larger than 1 TiB")};
        variable.bytes *= count;
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

std::optional<Space> variableSpace(std::string_view directive)
{
    if (directive == "global")
        return Space::Global;
    if (directive == "shared")
        return Space::Shared;
    if (directive == "local")
        return Space::Local;
    if (directive == "const")
        return Space::Const;
    if (directive == "param")
        return Space::Param;
    return std::nullopt;
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

Variable parseDeclarator(TokenStream& tokens, Space space)
{
    Variable variable;
    variable.space = space;
    std::uint64_t lanes = 1;
    while (tokens.peek().kind == TokenKind::Dot) {
        const Token word = tokens.take();
        const auto type = scalarTypeFromText(word.text);
        if (word.text == "align") {
            const std::uint64_t align = tokens.integer();
            if (align == 0 || align > 4096 || (align & (align - 1)) != 0)
                throw SyntaxError{badPtx(word.place, "an alignment is a power of two up to 4096")};
            variable.align = static_cast<std::uint32_t>(align);
        } else if (word.text == "v2" || word.text == "v4") {
            lanes = word.text == "v2" ? 2 : 4;
        } else if (type) {
            variable.type = *type;
        } else if (word.text != "ptr" && !variableSpace(word.text)) {
            throw SyntaxError{badPtx(word.place, "'." + std::string(word.text) + "' is not part of a declaration")};
        }
    }
    variable.place = tokens.place();
    variable.name = tokens.word("name of a variable");
    variable.bytes = sizeOf(variable.type) * lanes;
    if (variable.bytes == 0)
        throw SyntaxError{badPtx(variable.place, "'" + std::string(variable.name) + "' has no type")};
    variable.align = std::max<std::uint32_t>(variable.align, static_cast<std::uint32_t>(variable.bytes));
    parseDimensions(tokens, variable);
    return variable;
}

std::vector<Variable> parseParameters(TokenStream& tokens)
{
    std::vector<Variable> parameters;
    if (tokens.accept(')'))
        return parameters;
    do {
        const Token space = tokens.take();
        if (space.kind != TokenKind::Dot || (space.text != "param" && space.text != "reg"))
            throw SyntaxError{badPtx(space.place, "a parameter starts with .param or .reg")};
        Variable parameter = parseDeclarator(tokens, Space::Param);
        parameter.isRegister = space.text == "reg";
        parameters.push_back(std::move(parameter));
    } while (tokens.accept(','));
    tokens.expect(')');
    return parameters;
}

std::vector<Variable> parseVariables(TokenStream& tokens, Space space, bool isExternal)
{
    std::vector<Variable> variables;
    do {
        Variable variable = parseDeclarator(tokens, space);
        variable.isExternal = isExternal;
        if (tokens.accept('='))
            parseInitializers(tokens, variable.initializers, 0);
        if (variable.bytes == 0)
            variable.bytes = variable.initializers.size() * sizeOf(variable.type);
        variables.push_back(std::move(variable));
    } while (tokens.accept(','));
    tokens.expect(';');
    return variables;
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
            parseLabel(tokens, body);
        } else if (!tokens.accept(';')) {
            body.emplace_back(parseInstruction(tokens, lines.line()));
        }
    }
}

} // namespace ridge::gpu::simt
