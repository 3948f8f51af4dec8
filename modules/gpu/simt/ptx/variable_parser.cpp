// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/ptx/variable_parser.h"

#include "gpu/simt/ptx/constant_expression.h"

namespace ridge::gpu::simt {

namespace {

constexpr int kMaxNesting = 32; ///< of braces
constexpr std::uint64_t kMostAlignment = 1u << 16;

/// "v", "v+4", "generic(v)+4".
void parseAddress(TokenStream& tokens, Initializer& value)
{
    value.symbol = tokens.word("variable");
    if (value.symbol == "generic" && tokens.accept('(')) {
        value.symbol = tokens.word("variable");
        value.offset = parseOffset(tokens);
        tokens.expect(')');
    }
    value.offset += parseOffset(tokens);
}

/// "0xff00(v+4)": one byte of an address.
void parseMasked(TokenStream& tokens, Initializer& value)
{
    const Place place = tokens.place();
    const std::uint64_t mask = tokens.integer();
    tokens.expect('(');
    parseAddress(tokens, value);
    tokens.expect(')');
    for (unsigned at = 0; at < 8; ++at)
        if (mask == std::uint64_t{0xff} << 8 * at)
            value.byte = static_cast<std::int8_t>(at);
    if (value.byte < 0)
        throw SyntaxError{badPtx(place, "a mask of an address chooses one byte",
                                 "Write 0xff, 0xff00 and so on to 0xff00000000000000.")};
}

Initializer parseInitializer(TokenStream& tokens)
{
    Initializer value;
    value.place = tokens.place();
    if (tokens.peek().kind == TokenKind::Number && tokens.isPunct('(', 1))
        parseMasked(tokens, value);
    else if (isConstantExpression(tokens))
        value.number = parseConstantExpression(tokens);
    else if (tokens.peek().kind == TokenKind::Word)
        parseAddress(tokens, value);
    else
        value.number = parseLiteral(tokens);
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

std::uint64_t parseSize(TokenStream& tokens)
{
    return isConstantExpression(tokens) ? static_cast<std::uint64_t>(parseOffsetExpression(tokens)) : tokens.integer();
}

/// "[4][8]" multiplies `bytes`; "[]" makes it open. Whether there is a dimension at all.
bool parseDimensions(TokenStream& tokens, Variable& variable)
{
    constexpr std::uint64_t largest = std::uint64_t{1} << 40;
    bool isArray = false, isOpen = false;
    for (; tokens.accept('['); isArray = true) {
        const Place at = tokens.place();
        if (tokens.accept(']')) {
            if (isArray)
                throw SyntaxError{badPtx(at, "only the first dimension of an array is open")};
            isOpen = true;
            continue;
        }
        const std::uint64_t count = parseSize(tokens);
        tokens.expect(']');
        if (count > largest || variable.bytes > largest / std::max<std::uint64_t>(count, 1))
            throw SyntaxError{badPtx(at, "the variable '" + std::string(variable.name) + "' is larger than 1 TiB")};
        if (count == 0)
            throw SyntaxError{badPtx(at, "the array '" + std::string(variable.name) + "' has no elements")};
        variable.bytes *= count;
    }
    variable.bytes = isOpen ? 0 : variable.bytes;
    return isArray;
}

/// Texture, sampler and surface references: what they name is handed over by the driver.
bool isReference(std::string_view word)
{
    return word == "texref" || word == "samplerref" || word == "surfref";
}

std::uint32_t parseAlignment(TokenStream& tokens, Place place)
{
    const std::uint64_t align = tokens.integer();
    if (align == 0 || align > kMostAlignment || (align & (align - 1)) != 0)
        throw SyntaxError{badPtx(place, "an alignment is a power of two up to 65536")};
    return static_cast<std::uint32_t>(align);
}

/// What stands before the names: ".align 8 .v2 .f32", or ".u64 .ptr .global .align 16" of a parameter.
Variable parseSpecifiers(TokenStream& tokens, Space space)
{
    Variable variable;
    variable.space = space;
    variable.lanes = 1;
    bool isPointer = false;
    while (tokens.peek().kind == TokenKind::Dot) {
        const Token word = tokens.take();
        const bool isTyped = variable.type != ScalarType::None;
        const auto type = isReference(word.text) ? ScalarType::B64 : scalarTypeFromText(word.text);
        if (word.text == "align" && (!isTyped || isPointer)) {
            const std::uint32_t align = parseAlignment(tokens, word.place);
            variable.align = isPointer ? variable.align : align; // .ptr tells of what is pointed to
        } else if ((word.text == "v2" || word.text == "v4") && !isTyped) {
            variable.lanes = word.text == "v2" ? 2 : 4;
        } else if (word.text == "attribute") {
            parseAttributes(tokens);
        } else if (type && !isTyped) {
            variable.type = *type;
        } else if (word.text == "ptr" && isTyped && space == Space::Param) {
            isPointer = true;
        } else if (!isPointer || !variableSpace(word.text)) {
            throw SyntaxError{badPtx(word.place,
                                     "'." + std::string(word.text) + "' does not belong here in a declaration",
                                     "Write .space, .align, the type and the name, in this order.")};
        }
    }
    return variable;
}

/// A name with its dimensions, and all that was said before it.
Variable parseDeclarator(TokenStream& tokens, const Variable& specifiers)
{
    constexpr std::uint64_t kWidest = 16;
    Variable variable = specifiers;
    variable.place = tokens.place();
    variable.name = tokens.word("name of a variable");
    variable.bytes = std::uint64_t{sizeOf(variable.type)} * variable.lanes;
    if (variable.bytes == 0)
        throw SyntaxError{badPtx(variable.place, "'" + std::string(variable.name) + "' has no type")};
    if (variable.bytes > kWidest)
        throw SyntaxError{badPtx(variable.place, "the vector '" + std::string(variable.name) + "' exceeds 128 bits")};
    variable.align = std::max<std::uint32_t>(variable.align, static_cast<std::uint32_t>(variable.bytes));
    variable.isArray = parseDimensions(tokens, variable);
    return variable;
}

/// "= {1, 2}", of variables that a program is loaded with.
void parseValues(TokenStream& tokens, Variable& variable)
{
    const Place place = tokens.place();
    const std::string name(variable.name);
    const bool isHalf = isFloat(variable.type) && variable.type != ScalarType::F32 && variable.type != ScalarType::F64;
    if (isHalf || variable.isExternal || (variable.space != Space::Global && variable.space != Space::Const))
        throw SyntaxError{
            badPtx(place, "'" + name + "' cannot have an initial value",
                   "Only .global and .const variables that are not .extern nor halves have one; store it.")};
    const bool isList = variable.isArray || variable.lanes > 1;
    if (isList != tokens.isPunct('{'))
        throw SyntaxError{badPtx(place, isList ? "the initial values of '" + name + "' stand in { }"
                                               : "the initial value of '" + name + "' stands alone, without { }")};
    parseInitializers(tokens, variable.initializers, 0);
    for (const Initializer& value : variable.initializers) {
        const bool isInteger = value.number.kind == Number::Kind::Integer;
        if (isInteger ? isFloat(variable.type) : !isFloat(variable.type) && !isBits(variable.type))
            throw SyntaxError{badPtx(
                value.place, "'" + name + "' of type ." + std::string(toText(variable.type)) +
                                 (isInteger ? " takes a float, such as 1.0 or 0f3F800000" : " takes an integer"))};
    }
}

} // namespace

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

void parseAttributes(TokenStream& tokens)
{
    tokens.expect('(');
    do {
        const Token word = tokens.take();
        const bool isDot = word.kind == TokenKind::Dot;
        if (isDot && word.text == "unified") {
            tokens.expect('(');
            tokens.integer();
            tokens.expect(',');
            tokens.integer();
            tokens.expect(')');
        } else if (!isDot || word.text != "managed") {
            throw SyntaxError{badPtx(word.place, "the attribute '" + std::string(word.text) + "' is not known",
                                     "Known are .managed and .unified(number, number).")};
        }
    } while (tokens.accept(','));
    tokens.expect(')');
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
        const Variable specifiers = parseSpecifiers(tokens, Space::Param);
        Variable parameter = parseDeclarator(tokens, specifiers);
        parameter.isRegister = space.text == "reg";
        parameters.push_back(std::move(parameter));
    } while (tokens.accept(','));
    tokens.expect(')');
    return parameters;
}

std::vector<Variable> parseVariables(TokenStream& tokens, Space space, bool isExternal)
{
    std::vector<Variable> variables;
    Variable specifiers = parseSpecifiers(tokens, space);
    specifiers.isExternal = isExternal;
    do {
        Variable variable = parseDeclarator(tokens, specifiers);
        if (tokens.accept('='))
            parseValues(tokens, variable);
        if (variable.bytes == 0)
            variable.bytes = variable.initializers.size() * sizeOf(variable.type);
        if (variable.bytes == 0 && !isExternal)
            throw SyntaxError{badPtx(variable.place, "the array '" + std::string(variable.name) + "' has no size",
                                     "Give its size, initial values, or .extern.")};
        variables.push_back(std::move(variable));
    } while (tokens.accept(','));
    tokens.expect(';');
    return variables;
}

} // namespace ridge::gpu::simt
