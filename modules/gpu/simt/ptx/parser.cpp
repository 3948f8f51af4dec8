// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/ptx/body_parser.h"
#include "gpu/simt/ptx/declarations.h"

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
        if (text == "visible" || text == "weak" || text == "common")
            return;
        if (text == "extern") {
            m_external = true;
            return;
        }
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
        else if (text == "pragma" || text == "alias")
            skipStatement(m_tokens);
        else if (const auto space = variableSpace(text))
            addVariables(*space);
        else
            throw SyntaxError{badPtx(directive.place, "the directive '." + std::string(text) + "' is not known")};
        m_external = false;
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
        if (m_tokens.acceptDot("attribute"))
            while (!m_tokens.atEnd() && !m_tokens.accept(')'))
                m_tokens.take();
        for (Variable& variable : parseVariables(m_tokens, space, m_external))
            m_module.variables.push_back(std::move(variable));
    }

    std::array<std::uint32_t, 3> parseThreads()
    {
        std::array<std::uint32_t, 3> threads{1, 1, 1};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            threads[axis] = static_cast<std::uint32_t>(std::min<std::uint64_t>(m_tokens.integer(), UINT32_MAX));
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
            while (!m_tokens.atEnd() && !m_tokens.accept(')'))
                m_tokens.take();
        if (m_tokens.accept('('))
            function.results = parseParameters(m_tokens);
        function.name = m_tokens.word("name of a function");
        if (m_tokens.accept('('))
            function.parameters = parseParameters(m_tokens);
        while (m_tokens.peek().kind == TokenKind::Dot)
            parseAttribute(function);
        if (m_tokens.accept('{')) {
            function.hasBody = true;
            function.body = parseBody(m_tokens, m_lines, *m_module.madeNames);
        } else {
            m_tokens.expect(';');
        }
        m_module.functions.push_back(std::move(function));
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
            skipStatement(m_tokens);
        else if (attribute.text == "maxclusterrank")
            function.maximumCluster = static_cast<std::uint32_t>(m_tokens.integer());
        else if (attribute.text == "reqnctapercluster")
            function.requiredCluster = parseThreads();
        else if (attribute.text == "explicitcluster")
            function.explicitCluster = true;
        else if (attribute.text == "blocksareclusters")
            unsupported(attribute.place, "'.blocksareclusters' makes a launch count clusters instead of blocks",
                        "Compile without the cluster count of __block_size__.");
        else if (attribute.text != "noreturn" && attribute.text != "unified")
            unsupported(attribute.place, "the attribute '." + std::string(attribute.text) + "' is not supported",
                        "Compile without it.");
    }

    TokenStream m_tokens;
    LineTable m_lines;
    Module m_module;
    bool m_external = false;
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
