// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/parse.h"

#include "lessons/text.h"

#include <tuple>

namespace ridge::lessons {
namespace {

constexpr std::size_t kMaxLesson = 1u << 20;

/// Walks the body line by line, cutting it into sections, prose and live blocks.
class BodyReader {
public:
    BodyReader(std::string file, Lesson& lesson, std::vector<Problem>& problems)
        : m_file(std::move(file)), m_lesson(lesson), m_problems(problems)
    {
        for (const std::string_view title : sectionTitles(lesson.kind))
            m_titles.emplace_back(title);
        m_howMany = lesson.kind == LessonKind::Capstone ? "four" : "seven";
    }

    void read(std::string_view body, int firstLine)
    {
        const std::vector<std::string_view> lines = splitLines(body);
        for (std::size_t i = 0; i < lines.size();) {
            const int line = firstLine + static_cast<int>(i);
            if (const std::optional<Fence> fence = fenceOf(lines[i])) {
                i = readFence(lines, i, *fence, line);
                continue;
            }
            if (lines[i].starts_with("## "))
                openSection(trimmed(lines[i].substr(3)), line);
            else
                addProse(lines[i], line);
            ++i;
        }
        closeProse();
        reportMissingSections(firstLine + std::max(0, static_cast<int>(lines.size()) - 1));
    }

private:
    void problem(int line, std::string message) { m_problems.push_back({{m_file, line}, std::move(message)}); }

    void openSection(std::string_view title, int line)
    {
        closeProse();
        const std::vector<std::string>& known = m_titles;
        const auto place = std::find(known.begin(), known.end(), title);
        if (place == known.end()) {
            problem(line,
                    "section '" + std::string(title) + "' is not one of the " + m_howMany + didYouMean(title, known));
            m_inSection = false;
            return;
        }
        const auto position = static_cast<std::size_t>(place - known.begin());
        if (position + 1 == m_nextSection)
            problem(line, "section '" + *place + "' stands twice; merge the two");
        else if (position < m_nextSection)
            problem(line, "section '" + *place + "' stands after '" + known[m_nextSection - 1] +
                              "'; move it up to where the order of the " + m_howMany + " has it");
        for (std::size_t i = m_nextSection; i < position; ++i)
            problem(line, "section '" + known[i] + "' is missing before '" + *place + "'; add '## " + known[i] + "'");
        m_nextSection = std::max(m_nextSection, position + 1);
        m_lesson.sections.push_back({*place, {}});
        m_inSection = true;
    }

    void reportMissingSections(int lastLine)
    {
        if (m_nextSection == 0)
            problem(lastLine, "no section; there are " + m_howMany + ", the first is '## " + m_titles[0] + "'");
        for (std::size_t i = m_nextSection; i > 0 && i < m_titles.size(); ++i)
            problem(lastLine, "section '" + m_titles[i] + "' is missing; add '## " + m_titles[i] + "' at the end");
    }

    void addProse(std::string_view text, int line)
    {
        if (text.starts_with("# "))
            problem(line, "a first-level heading; the title stands in the front matter, sections begin with '## '");
        if (!m_inSection) {
            if (!trimmed(text).empty() && m_lesson.sections.empty() && !m_toldOutside) {
                problem(line, "text stands before the first section; begin with '## " + m_titles[0] + "'");
                m_toldOutside = true;
            }
            return;
        }
        if (m_prose.empty() && trimmed(text).empty())
            return;
        if (m_prose.empty())
            m_proseLine = line;
        m_prose.append(text).append("\n");
    }

    void closeProse()
    {
        const std::string_view text = trimmed(m_prose);
        if (!text.empty() && m_inSection)
            m_lesson.sections.back().segments.push_back(Prose{std::string(text) + "\n", {m_file, m_proseLine}});
        m_prose.clear();
    }

    std::size_t readFence(const std::vector<std::string_view>& lines, std::size_t start, const Fence& fence, int line)
    {
        std::size_t end = start + 1;
        while (end < lines.size() && !closes(fence, lines[end]))
            ++end;
        if (end == lines.size())
            problem(line, "this fence is never closed; end it with a line of " + std::string(fence.length, fence.mark));
        const std::string word = fence.info.substr(0, fence.info.find_first_of(" \t"));
        if (isBlockKind(word)) {
            std::string body;
            for (std::size_t i = start + 1; i < end; ++i)
                body.append(lines[i]).append("\n");
            addBlock(word, fence.info, body, line);
        } else {
            if (!isCodeLanguage(word)) {
                const std::vector<std::string> known(kBlockKinds.begin(), kBlockKinds.end());
                problem(line, "unknown block kind '" + word + "'" + didYouMean(word, known));
            }
            for (std::size_t i = start; i < std::min(end + 1, lines.size()); ++i)
                addCode(lines[i], line + static_cast<int>(i - start));
        }
        return end + 1;
    }

    void addCode(std::string_view text, int line)
    {
        if (!m_inSection)
            return;
        if (m_prose.empty())
            m_proseLine = line;
        m_prose.append(text).append("\n");
    }

    void addBlock(const std::string& kind, const std::string& info, const std::string& body, int line)
    {
        closeProse();
        if (info != kind)
            problem(line, "text after the block kind '" + kind + "'; its keys go on the lines below");
        if (!m_inSection) {
            problem(line, kind + " block stands outside the " + m_howMany + " sections; move it into one");
            return;
        }
        const YamlPlace place{m_file, line + 1, &m_problems};
        if (std::optional<Block> block = parseBlock(kind, body, ++m_ordinals[kind], place, line))
            m_lesson.sections.back().segments.push_back(std::move(*block));
    }

    std::string m_file;
    Lesson& m_lesson;
    std::vector<Problem>& m_problems;
    std::vector<std::string> m_titles;
    std::string m_howMany;
    std::map<std::string, int> m_ordinals;
    std::string m_prose;
    int m_proseLine = 0;
    std::size_t m_nextSection = 0;
    bool m_inSection = false;
    bool m_toldOutside = false;
};

} // namespace

void sortProblems(std::vector<Problem>& problems)
{
    const auto key = [](const Problem& p) { return std::tie(p.at.file, p.at.line); };
    std::stable_sort(problems.begin(), problems.end(),
                     [&](const Problem& a, const Problem& b) { return key(a) < key(b); });
    const auto same = [](const Problem& a, const Problem& b) {
        return a.at.file == b.at.file && a.at.line == b.at.line && a.message == b.message;
    };
    problems.erase(std::unique(problems.begin(), problems.end(), same), problems.end());
}

ParsedLesson parseLesson(const std::string& raw, const std::string& file)
{
    ParsedLesson parsed;
    if (raw.size() > kMaxLesson) {
        parsed.problems.push_back({{file, 1}, "the file is larger than 1 MiB; a lesson is about 20 KiB of text"});
        return parsed;
    }
    const std::string text = normalisedText(raw);
    if (const std::optional<std::size_t> bad = firstBadByte(text)) {
        parsed.problems.push_back(
            {{file, lineOfOffset(text, *bad)}, "a byte here is not UTF-8 text; save the file as UTF-8"});
        return parsed;
    }
    const std::optional<FrontMatter> front = cutFrontMatter(text, file, parsed.problems);
    if (!front)
        return parsed;
    Lesson lesson;
    const bool shown = parseHead(front->yaml, file, lesson, parsed.problems);
    BodyReader(file, lesson, parsed.problems).read(std::string_view(text).substr(front->bodyOffset), front->bodyLine);
    resolveFootnotes(lesson, parsed.problems);
    if (shown)
        checkStructure(lesson, parsed.problems);
    sortProblems(parsed.problems);
    if (shown)
        parsed.lesson = std::move(lesson);
    return parsed;
}

} // namespace ridge::lessons
