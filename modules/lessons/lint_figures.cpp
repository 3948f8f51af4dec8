// SPDX-License-Identifier: GPL-3.0-or-later
// Figures: SVG Tiny 1.2 as QtSvg draws it, in roles of the theme instead of colours, with text that can be read.
#include "lessons/lint_rules.h"

#include "lessons/text.h"

#include "base/json.h"

#include <QXmlStreamReader>

#include <set>

namespace ridge::lessons {
namespace {

constexpr std::size_t kMaxFigure = 128u << 10;
constexpr int kLeastDescription = 30; ///< words; less is what 'alt' has room for
constexpr double kWidth = 720;        ///< units of the viewBox; the reader draws a figure as wide as its column
constexpr double kLeastText = 13;

using Names = std::set<std::string, std::less<>>;

const Names kElements = {"svg",  "g",        "defs",    "use",  "path",  "rect",  "circle", "ellipse",
                         "line", "polyline", "polygon", "text", "tspan", "title", "desc"};
const Names kFilled = {"path", "rect", "circle", "ellipse", "polyline", "polygon", "text", "tspan"};
const Names kColours = {"fill", "stroke", "color", "stop-color", "solid-color", "flood-color", "lighting-color"};
const Names kFonts = {"Inter", "JetBrains Mono"};

/// What an element takes over from those around it.
struct Inherited {
    bool filled = false;
    bool scaled = false;
    bool isText = false;
    std::string font;
    double size = 0; ///< 0: none given
};

std::string plain(QStringView text)
{
    return text.toString().toStdString();
}

/// Number of units in "14" or "14px"; no value for anything else.
std::optional<double> units(std::string text)
{
    if (text.ends_with("px"))
        text.resize(text.size() - 2);
    bool ok = false;
    const double value = QString::fromStdString(text).toDouble(&ok);
    return ok ? std::optional(value) : std::nullopt;
}

/// The name inside "{accent}"; empty when `text` is no such thing.
std::string roleOf(const std::string& text)
{
    return text.size() > 2 && text.front() == '{' && text.back() == '}' ? text.substr(1, text.size() - 2) : "";
}

class FigureCheck {
public:
    FigureCheck(const LintContext& context, std::string file, const std::vector<std::string>& roles)
        : m_context(context), m_file(std::move(file)), m_roles(roles)
    {
    }

    void run(const std::string& svg)
    {
        m_reader.addData(QByteArray::fromStdString(svg));
        bool rooted = false;
        while (!m_reader.atEnd()) {
            switch (m_reader.readNext()) {
            case QXmlStreamReader::DTD:
                problem("a DOCTYPE stands here; drop it, a figure needs none");
                break;
            case QXmlStreamReader::StartElement:
                if (!rooted)
                    root();
                rooted = true;
                open();
                break;
            case QXmlStreamReader::EndElement:
                close();
                break;
            case QXmlStreamReader::Characters:
                characters();
                break;
            default:
                break;
            }
        }
        if (m_reader.hasError())
            problem("is not well-formed XML: " + m_reader.errorString().toStdString());
    }

private:
    int line() const { return std::max(1, static_cast<int>(m_reader.lineNumber())); }
    void problem(const std::string& message) { m_context.problem({m_file, line()}, message); }

    void root()
    {
        if (m_reader.name() != QStringLiteral("svg"))
            return problem("the root is <" + plain(m_reader.name()) + ">; a figure is one <svg>");
        const QStringList box =
            m_reader.attributes().value(QStringLiteral("viewBox")).toString().simplified().split(QLatin1Char(' '));
        if (box.size() != 4 || box[2].toDouble() != kWidth || box[3].toDouble() <= 0)
            problem("the viewBox is '" + box.join(QLatin1Char(' ')).toStdString() +
                    "'; it must be 720 wide, as \"0 0 720 360\"");
    }

    void open()
    {
        const std::string name = plain(m_reader.name());
        Inherited now = m_stack.empty() ? Inherited{} : m_stack.back();
        if (!kElements.contains(name))
            problem("<" + name + "> is not drawn the same everywhere; use shapes, paths, text and groups");
        for (const QXmlStreamAttribute& attribute : m_reader.attributes())
            attributeOf(plain(attribute.qualifiedName()), plain(attribute.value()), now);
        if (kFilled.contains(name) && !now.filled)
            problem("<" + name + "> has no fill and would be black in both themes; give it a role or \"none\"");
        if (name == "text" || name == "tspan")
            textStyle(now);
        now.isText = name == "text" || name == "tspan";
        if (name == "text") {
            m_text.clear();
            m_textLine = line();
        }
        m_stack.push_back(std::move(now));
    }

    void attributeOf(const std::string& name, const std::string& value, Inherited& now)
    {
        if (name == "style" || name == "class")
            return problem("'" + name + "' is CSS, which is not drawn everywhere; write attributes");
        if ((name == "href" || name == "xlink:href") && !value.starts_with('#'))
            return problem("'" + name + "' leads out of the file; a figure is whole in itself");
        if (kColours.contains(name))
            return colour(name, value, now);
        if (value.find('{') != std::string::npos)
            problem("'" + name + "' is '" + value + "'; roles of the theme stand in fill and stroke only");
        if (name == "font-family")
            now.font = value;
        if (name == "font-size") {
            const std::optional<double> size = units(value);
            if (!size)
                problem("'font-size' is '" + value + "'; write it in units of the viewBox, as 14");
            now.size = size.value_or(kLeastText);
        }
        if (name == "transform")
            now.scaled =
                now.scaled || value.find("scale") != std::string::npos || value.find("matrix") != std::string::npos;
    }

    void colour(const std::string& name, const std::string& value, Inherited& now)
    {
        if (name == "fill")
            now.filled = true;
        if (value == "none")
            return;
        const std::string role = roleOf(value);
        if (role.empty())
            problem("'" + name + "' is '" + value +
                    "'; a colour is a role of the theme in braces, as \"{accent}\", or \"none\"");
        else if (std::find(m_roles.begin(), m_roles.end(), role) == m_roles.end())
            problem("'" + name + "' names unknown role '" + role + "'" + didYouMean(role, m_roles));
    }

    void textStyle(const Inherited& now)
    {
        if (!kFonts.contains(now.font))
            problem((now.font.empty() ? std::string("text has no font") : "the font is '" + now.font + "'") +
                    "; write font-family=\"Inter\" or \"JetBrains Mono\"");
        if (now.size < kLeastText)
            problem((now.size > 0
                         ? "text is " +
                               m_reader.attributes().value(QStringLiteral("font-size")).toString().toStdString() +
                               " units high"
                         : std::string("text has no font-size")) +
                    "; it needs 13 or more to be read");
        if (now.scaled)
            problem("text stands inside a scaled group, so that its height says nothing; write it at its own size");
    }

    void characters()
    {
        if (m_stack.empty() || !m_stack.back().isText)
            return;
        const std::string text = plain(m_reader.text());
        m_text += text;
        for (const std::string& role : m_roles)
            if (text.find("{" + role + "}") != std::string::npos)
                problem("text shows '{" + role + "}', which the reader takes for a colour; write it otherwise");
    }

    void close()
    {
        if (m_reader.name() == QStringLiteral("text")) // lines as in the file, for the place of what is found
            lintNumbers(m_context, std::string(static_cast<std::size_t>(m_textLine - 1), '\n') + m_text, m_file, false);
        if (!m_stack.empty())
            m_stack.pop_back();
    }

    const LintContext& m_context;
    std::string m_file;
    const std::vector<std::string>& m_roles;
    QXmlStreamReader m_reader;
    std::vector<Inherited> m_stack;
    std::string m_text;
    int m_textLine = 1;
};

/// The roles of a theme: the keys of its file. All themes have the same (a test of the app holds them to it).
std::vector<std::string> loadRoles(const LintContext& context)
{
    std::vector<std::string> roles;
    const std::string name = "assets/themes/light.json";
    const Result<std::string> text = readFile(context.dataRoot / name);
    const Result<Json> json = text.ok() ? parseJson(text.value(), name) : Result<Json>(text.error());
    if (json.ok() && json.value().contains("roles"))
        for (const auto& [role, colour] : json.value().at("roles").items())
            roles.push_back(role);
    if (roles.empty())
        context.problem({name, 1}, "gives no roles of the theme; figures cannot be checked without them");
    return roles;
}

} // namespace

void lintFigures(const LintContext& context, const Lesson& lesson)
{
    std::optional<std::vector<std::string>> roles;
    const auto module = std::find_if(context.curriculum.modules.begin(), context.curriculum.modules.end(),
                                     [&](const ModuleInfo& info) { return info.number == lesson.module; });
    if (module == context.curriculum.modules.end())
        return;
    for (const Block* block : lesson.blocks()) {
        const auto* figure = std::get_if<FigureBlock>(&block->body);
        if (!figure || figure->file.empty())
            continue;
        if (const int words = countWords(figure->description);
            !figure->description.empty() && words < std::max(kLeastDescription, countWords(figure->alt) + 1))
            context.problem(block->at, "figure '" + figure->file + "': its description has " + std::to_string(words) +
                                           " words; say all that can be seen, in at least " +
                                           std::to_string(kLeastDescription) + " and more than 'alt' has");
        const std::string file = module->folder + "/figures/" + figure->file;
        const Result<std::string> svg = readFile(context.curriculum.root / file);
        if (!svg.ok()) {
            context.problem(block->at, "figure '" + file + "' is not there; correct 'file' or draw it");
            continue;
        }
        if (svg.value().size() > kMaxFigure) {
            context.problem({file, 1}, "is larger than 128 KiB; draw it with fewer points");
            continue;
        }
        if (!roles)
            roles = loadRoles(context);
        FigureCheck(context, file, *roles).run(svg.value());
    }
}

} // namespace ridge::lessons
