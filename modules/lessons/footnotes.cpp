// SPDX-License-Identifier: GPL-3.0-or-later
// Footnotes: [^mark] in the prose, and a line [^mark]: that says what it means. They become raised numbers, and the
// notes stand below the stretch of prose that points to them, wherever their lines were written.
#include "lessons/parse.h"
#include "lessons/text.h"

namespace ridge::lessons {
namespace {

struct Note {
    std::string text;
    SourceSpan at;
    bool used = false;
};

/// "[^mark]: what it means".
std::optional<std::pair<std::string, std::string>> noteOf(std::string_view line)
{
    const std::size_t end = line.starts_with("[^") ? line.find("]:") : line.npos;
    if (end == line.npos || end == 2)
        return std::nullopt;
    return std::pair{std::string(line.substr(2, end - 2)), std::string(trimmed(line.substr(end + 2)))};
}

std::string raised(int number)
{
    static constexpr std::array<std::string_view, 10> kDigits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string text;
    for (const char digit : std::to_string(number))
        text += kDigits[static_cast<std::size_t>(digit - '0')];
    return text;
}

/// Calls line(text, isCode) for each line; what it answers stands in its place.
template<class Line>
std::string rewritten(const std::string& markdown, Line&& line)
{
    std::string made;
    std::optional<Fence> open;
    for (const std::string_view each : splitLines(markdown)) {
        const bool ends = open && closes(*open, each);
        const std::optional<Fence> begins = open ? std::nullopt : fenceOf(each);
        made += open || begins ? std::string(each) : line(each);
        made += '\n';
        open = ends ? std::nullopt : begins ? begins : open;
    }
    while (made.ends_with("\n\n"))
        made.pop_back();
    return made;
}

class Footnotes {
public:
    Footnotes(Lesson& lesson, std::vector<Problem>& problems) : m_lesson(lesson), m_problems(problems) {}

    void resolve()
    {
        eachProse([this](Prose& prose) { collect(prose); });
        eachProse([this](Prose& prose) { replace(prose); });
        for (const auto& [mark, note] : m_notes)
            if (!note.used)
                m_problems.push_back({note.at, "nothing points to the footnote '" + mark + "'; write [^" + mark +
                                                   "] where it belongs, or take it out"});
    }

private:
    template<class Act>
    void eachProse(Act&& act)
    {
        for (Section& section : m_lesson.sections)
            for (Segment& segment : section.segments)
                if (auto* prose = std::get_if<Prose>(&segment);
                    prose && prose->markdown.find("[^") != std::string::npos)
                    act(*prose);
    }

    /// The lines stay, empty: those below keep their numbers.
    void collect(Prose& prose)
    {
        int number = prose.at.line - 1;
        for (const std::string_view each : splitLines(prose.markdown)) {
            ++number;
            if (const auto found = noteOf(each);
                found && !m_notes.try_emplace(found->first, Note{found->second, {prose.at.file, number}}).second)
                m_problems.push_back(
                    {{prose.at.file, number}, "the footnote '" + found->first + "' is written twice; rename one"});
        }
        prose.markdown = rewritten(
            prose.markdown, [](std::string_view text) { return noteOf(text) ? std::string() : std::string(text); });
    }

    void replace(Prose& prose)
    {
        std::vector<std::string> below;
        prose.markdown = rewritten(prose.markdown, [&](std::string_view text) {
            std::string made;
            bool isCode = false;
            for (std::size_t at = 0; at < text.size(); ++at) {
                isCode = isCode != (text[at] == '`');
                const std::size_t end = !isCode && text.substr(at).starts_with("[^") ? text.find(']', at) : text.npos;
                if (end == text.npos) {
                    made += text[at];
                    continue;
                }
                made += pointTo(std::string(text.substr(at + 2, end - at - 2)), prose, below);
                at = end;
            }
            return made;
        });
        for (const std::string& note : below)
            prose.markdown += '\n' + note + '\n';
    }

    std::string pointTo(const std::string& mark, const Prose& prose, std::vector<std::string>& below)
    {
        const auto found = m_notes.find(mark);
        if (found == m_notes.end()) {
            m_problems.push_back(
                {prose.at, "the footnote '" + mark + "' has no text; add a line '[^" + mark + "]: …'"});
            return "[" + mark + "]";
        }
        found->second.used = true;
        const auto [number, isNew] = m_numbers.try_emplace(mark, static_cast<int>(m_numbers.size()) + 1);
        if (isNew)
            below.push_back(raised(number->second) + " " + found->second.text);
        return raised(number->second);
    }

    Lesson& m_lesson;
    std::vector<Problem>& m_problems;
    std::map<std::string, Note> m_notes;
    std::map<std::string, int> m_numbers; ///< in the order in which they are pointed to
};

} // namespace

void resolveFootnotes(Lesson& lesson, std::vector<Problem>& problems)
{
    Footnotes(lesson, problems).resolve();
}

} // namespace ridge::lessons
