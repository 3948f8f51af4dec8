// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/ptx/body_parser.h"
#include "gpu/simt/ptx/declarations.h"
#include "gpu/simt/ptx/variable_parser.h"

#include "gpu/simt/ptx/names.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace ridge::gpu::simt {

namespace {

/// The number of the first file that is no header; 1 where all are. The table stands at the beginning or at the end.
std::uint64_t mainFile(const std::vector<Token>& tokens)
{
    for (std::size_t at = 0; at + 2 < tokens.size(); ++at) {
        if (tokens[at].kind != TokenKind::Dot || tokens[at].text != "file" || tokens[at + 1].kind != TokenKind::Number)
            continue;
        std::size_t name = at + 2;
        while (name + 1 < tokens.size() && tokens[name + 1].kind == TokenKind::String)
            ++name; // behind a folder
        const auto number = parseNumber(tokens[at + 1]);
        if (number && tokens[name].kind == TokenKind::String && tokens[name].text.ends_with(".cu"))
            return number->bits;
    }
    return 1;
}

class ModuleParser {
public:
    ModuleParser(std::vector<Token> tokens, std::uint64_t mainFile) : m_tokens(std::move(tokens)), m_lines(mainFile) {}

    Module run()
    {
        m_module.madeNames = std::make_shared<std::deque<std::string>>();
        parseHeader();
        while (!m_tokens.atEnd())
            parseTopLevel();
        checkFunctions();
        settleAliases();
        settleDeclarations(m_module);
        return std::move(m_module);
    }

private:
    [[noreturn]] static void unsupported(Place place, std::string message, std::string fix)
    {
        Error error = badPtx(place, std::move(message), std::move(fix));
        error.code = "unsupported-ptx";
        throw SyntaxError{std::move(error)};
    }

    void parseHeader()
    {
        if (!m_tokens.acceptDot("version"))
            m_tokens.fail("PTX starts with .version, found " + m_tokens.found());
        parseVersion();
        if (!m_tokens.acceptDot("target"))
            m_tokens.fail(".target is expected after .version, found " + m_tokens.found());
        parseTarget();
    }

    void parseVersion()
    {
        const Token token = m_tokens.take();
        const std::size_t dot = token.text.find('.');
        const auto* end = token.text.data() + token.text.size();
        if (token.kind != TokenKind::Number || dot == std::string_view::npos ||
            std::from_chars(token.text.data(), end, m_module.versionMajor).ec != std::errc{} ||
            std::from_chars(token.text.data() + dot + 1, end, m_module.versionMinor).ptr != end)
            throw SyntaxError{badPtx(token.place, "a version such as 8.0 is expected after .version")};
        if (m_module.versionMajor < 3 || m_module.versionMajor > 9)
            unsupported(token.place, "PTX version " + std::string(token.text) + " is not known here",
                        "The simulator reads PTX 3.0 to 9.x; compile with a matching toolkit.");
    }

    void parseTarget()
    {
        const Place place = m_tokens.place();
        m_module.target = m_tokens.word("target such as sm_80");
        const std::string& target = m_module.target;
        if (target.starts_with("sm_"))
            std::from_chars(target.data() + 3, target.data() + target.size(), m_module.targetNumber);
        const int number = m_module.targetNumber;
        const std::string plain = "sm_" + std::to_string(number);
        const bool known =
            target == plain || (target == plain + "a" && number >= 90) || (target == plain + "f" && number >= 100);
        if (!known || number < 30 || number > 129)
            unsupported(place, "the target '" + target + "' is not known here",
                        "Compile for an architecture from sm_30 to sm_121, for example sm_80.");
        while (m_tokens.accept(','))
            parseTargetOption();
    }

    void parseTargetOption()
    {
        const Place place = m_tokens.place();
        const std::string_view option = m_tokens.word("target option");
        // Nothing that changes what runs.
        for (const std::string_view known : {"texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"}) {
            if (option == known)
                return;
        }
        unsupported(place, "the target option '" + std::string(option) + "' is not known here",
                    "Leave it out, or use texmode_unified, texmode_independent or debug.");
    }

    void parseTopLevel()
    {
        const Token directive = m_tokens.take();
        if (directive.kind != TokenKind::Dot)
            throw SyntaxError{badPtx(directive.place, "a directive such as .entry is expected here, found '" +
                                                          std::string(directive.text) + "'")};
        const std::string_view text = directive.text;
        if (text == "visible" || text == "weak" || text == "common" || text == "extern")
            return parseLinked(directive);
        if (text == "address_size")
            parseAddressSize();
        else if (text == "entry" || text == "func")
            parseFunction(text == "entry", directive.place);
        else if (text == "file")
            parseFile();
        else if (text == "section")
            skipSection(m_tokens);
        else if (text == "loc")
            m_lines.read(m_tokens);
        else if (text == "pragma")
            parsePragma(m_tokens);
        else if (text == "alias")
            parseAlias(directive.place);
        else if (const auto space = variableSpace(text))
            addVariables(*space);
        else
            throw SyntaxError{badPtx(directive.place, "the directive '." + std::string(text) + "' is not known")};
        m_external = false;
    }

    /// ".visible" and its like, and what they stand before.
    void parseLinked(const Token& linking)
    {
        constexpr std::array<std::string_view, 9> linked{"entry", "func",  "global", "const", "shared",
                                                         "local", "param", "tex",    "reg"};
        const Token& next = m_tokens.peek();
        if (next.kind != TokenKind::Dot || std::find(linked.begin(), linked.end(), next.text) == linked.end())
            m_tokens.fail("a function or a variable is expected after ." + std::string(linking.text) + ", found " +
                          m_tokens.found());
        m_external = linking.text == "extern";
        parseTopLevel();
    }

    /// ".alias name, other;": both are declared, and what is called `name` has the body of the other.
    void parseAlias(Place place)
    {
        const std::string_view name = m_tokens.word("name of a function");
        m_tokens.expect(',');
        const std::string_view other = m_tokens.word("name of a function");
        m_tokens.expect(';');
        m_aliases.push_back({name, other, place});
    }

    void settleAliases()
    {
        for (const Alias& alias : m_aliases) {
            const auto declared =
                std::find_if(m_module.functions.begin(), m_module.functions.end(), [&](const Function& function) {
                    return function.name == alias.name && !function.isEntry && !function.hasBody;
                });
            const Function* other = m_module.function(alias.other);
            if (declared == m_module.functions.end() || other == nullptr || !other->hasBody || other->isEntry)
                throw SyntaxError{badPtx(alias.place,
                                         "'" + std::string(alias.name) + "' cannot be another name of '" +
                                             std::string(alias.other) + "'",
                                         "Declare the first with .func and no body, and define the second.")};
            const Place place = declared->place;
            *declared = *other;
            declared->name = alias.name;
            declared->place = place;
        }
    }

    static bool isSame(const std::vector<Variable>& a, const std::vector<Variable>& b)
    {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Variable& x, const Variable& y) {
            return x.bytes == y.bytes && x.isRegister == y.isRegister && sizeOf(x.type) == sizeOf(y.type);
        });
    }

    /// What is declared several times is declared alike, and defined once.
    void checkFunctions() const
    {
        NameMap<const Function*> first, defined;
        for (const Function& function : m_module.functions) {
            const std::string name(function.name);
            const Function& known = *first.emplace(function.name, &function).first->second;
            if (known.isEntry != function.isEntry || !isSame(known.results, function.results) ||
                !isSame(known.parameters, function.parameters))
                throw SyntaxError{badPtx(function.place, "'" + name + "' is declared otherwise in line " +
                                                             std::to_string(known.place.line))};
            if (!function.hasBody)
                continue;
            const auto [body, isFirst] = defined.emplace(function.name, &function);
            if (!isFirst)
                throw SyntaxError{badPtx(function.place, (function.isEntry ? "the kernel '" : "the function '") + name +
                                                             "' is defined twice; first in line " +
                                                             std::to_string(body->second->place.line))};
        }
        for (const Variable& variable : m_module.variables)
            if (const auto known = first.find(variable.name); known != first.end())
                throw SyntaxError{badPtx(variable.place, "'" + std::string(variable.name) +
                                                             "' is also a function, in line " +
                                                             std::to_string(known->second->place.line))};
    }

    void parseAddressSize()
    {
        const Place place = m_tokens.place();
        if (m_tokens.integer() != 64)
            unsupported(place, "only 64-bit addresses are supported", "Compile with .address_size 64.");
    }

    void parseFile()
    {
        m_tokens.integer();
        if (m_tokens.peek().kind != TokenKind::String)
            m_tokens.fail("the name of a file is expected, found " + m_tokens.found());
        while (m_tokens.peek().kind == TokenKind::String) // perhaps its folder first
            m_tokens.take();
        while (m_tokens.accept(','))
            m_tokens.integer();
    }

    void addVariables(Space space)
    {
        for (Variable& variable : parseVariables(m_tokens, space, m_external))
            m_module.variables.push_back(std::move(variable));
    }

    std::array<std::uint32_t, 3> parseThreads()
    {
        std::array<std::uint32_t, 3> threads{1, 1, 1};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const Place place = m_tokens.place();
            threads[axis] = static_cast<std::uint32_t>(std::min<std::uint64_t>(m_tokens.integer(), UINT32_MAX));
            if (threads[axis] == 0)
                throw SyntaxError{badPtx(place, "a number of threads or blocks is at least 1")};
            if (axis == 2 || !m_tokens.accept(','))
                break;
        }
        return threads;
    }

    void parseFunction(bool isEntry, Place place)
    {
        Function function;
        function.isEntry = isEntry;
        function.place = place;
        while (m_tokens.acceptDot("attribute"))
            parseAttributes(m_tokens);
        if (m_tokens.accept('('))
            function.results = parseParameters(m_tokens);
        function.name = m_tokens.word("name of a function");
        if (m_tokens.accept('('))
            function.parameters = parseParameters(m_tokens);
        while (m_tokens.peek().kind == TokenKind::Dot)
            parseAttribute(function);
        checkKernel(function);
        if (m_tokens.accept('{')) {
            function.hasBody = true;
            function.body = parseBody(m_tokens, m_lines, *m_module.madeNames);
        } else {
            m_tokens.expect(';');
            if (isEntry && !m_external)
                throw SyntaxError{badPtx(place, "the kernel '" + std::string(function.name) + "' has no body")};
        }
        m_module.functions.push_back(std::move(function));
    }

    static void checkKernel(const Function& function)
    {
        if (!function.isEntry)
            return;
        const auto refuse = [&](std::string why) {
            throw SyntaxError{badPtx(function.place, "the kernel '" + std::string(function.name) + "' " + why)};
        };
        if (!function.results.empty())
            refuse("has a result; a kernel writes to memory");
        for (const Variable& parameter : function.parameters)
            if (parameter.isRegister || parameter.bytes == 0)
                refuse("has a parameter '" + std::string(parameter.name) +
                       (parameter.isRegister ? "' in .reg; those of kernels are .param" : "' of open size"));
        if (function.requiredThreads[0] != 0 && function.maximumThreads[0] != 0)
            refuse("has .reqntid and .maxntid; one of them is enough");
        if (function.requiredCluster[0] != 0 && function.maximumCluster != 0)
            refuse("has .reqnctapercluster and .maxclusterrank; one of them is enough");
        if (function.countsClusters && (function.requiredThreads[0] == 0 || function.requiredCluster[0] == 0))
            refuse("has .blocksareclusters without .reqntid and .reqnctapercluster");
    }

    void parseAttribute(Function& function)
    {
        const Token attribute = m_tokens.take();
        if (attribute.text == "reqntid")
            function.requiredThreads = parseThreads();
        else if (attribute.text == "maxntid")
            function.maximumThreads = parseThreads();
        else if (attribute.text == "maxnreg")
            function.maximumRegisters = static_cast<std::uint32_t>(m_tokens.integer());
        else if (attribute.text == "minnctapersm")
            function.minimumBlocks = static_cast<std::uint32_t>(m_tokens.integer());
        else if (attribute.text == "maxnctapersm")
            m_tokens.integer();
        else if (attribute.text == "pragma")
            parsePragma(m_tokens);
        else if (!function.isEntry && (attribute.text == "abi_preserve" || attribute.text == "abi_preserve_control"))
            m_tokens.integer(); // of registers, which functions have apart here
        else if (attribute.text == "maxclusterrank")
            function.maximumCluster = static_cast<std::uint32_t>(m_tokens.integer());
        else if (attribute.text == "reqnctapercluster")
            function.requiredCluster = parseThreads();
        else if (attribute.text == "explicitcluster")
            function.explicitCluster = true;
        else if (function.isEntry && attribute.text == "blocksareclusters")
            function.countsClusters = true;
        else if (attribute.text != "noreturn" || function.isEntry)
            unsupported(attribute.place, "the attribute '." + std::string(attribute.text) + "' is not supported",
                        "Compile without it.");
    }

    TokenStream m_tokens;
    LineTable m_lines;
    Module m_module;
    bool m_external = false;
    struct Alias {
        std::string_view name, other;
        Place place;
    };
    std::vector<Alias> m_aliases;
};

} // namespace

std::string Instruction::text() const
{
    std::string text;
    text.reserve(48); // nearly all
    text = opcode;
    for (const std::string_view modifier : modifiers)
        text.append(".").append(modifier);
    return text;
}

bool Instruction::has(std::string_view modifier) const
{
    return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

const Function* Module::function(std::string_view name) const
{
    const Function* found = nullptr;
    for (const Function& candidate : functions) {
        if (candidate.name == name && (found == nullptr || candidate.hasBody))
            found = &candidate;
    }
    return found;
}

Result<Module> parsePtx(std::string_view text)
{
    auto tokens = lexPtx(text);
    if (!tokens)
        return tokens.error();
    try {
        const std::uint64_t file = mainFile(*tokens);
        return ModuleParser(std::move(*tokens), file).run();
    } catch (const SyntaxError& problem) {
        return problem.error;
    }
}

} // namespace ridge::gpu::simt
