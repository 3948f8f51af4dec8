// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/lint_rules.h"

#include "lessons/curriculum_read.h"
#include "lessons/inline_scan.h"
#include "lessons/text.h"
#include "lessons/way.h"

#include "base/json.h"

#include <algorithm>
#include <cctype>

namespace ridge::lessons {
namespace {

/// A lesson introduces a term by a term block or by setting it in bold.
bool introduces(const LintContext& context, const Lesson& lesson, const Term& term)
{
    for (const Block* block : lesson.blocks())
        if (const auto* body = std::get_if<TermBlock>(&block->body);
            body && context.curriculum.term(body->term) == &term)
            return true;
    std::vector<std::string> forms = term.also;
    forms.push_back(term.name);
    for (const ReaderText& text : readerTexts(lesson)) {
        const std::string lower = lowered(maskedText(text.text));
        for (const std::string& form : forms)
            if (lower.find("**" + lowered(form) + "**") != std::string::npos)
                return true;
    }
    return false;
}

void lintTermBlocks(const LintContext& context, const Lesson& lesson, std::map<const Term*, std::string>& introduced)
{
    std::vector<std::string> known;
    for (const Term& term : context.curriculum.terms)
        known.push_back(term.name);
    for (const Block* block : lesson.blocks()) {
        const auto* body = std::get_if<TermBlock>(&block->body);
        if (!body || body->term.empty())
            continue;
        const Term* term = context.curriculum.term(body->term);
        if (!term) {
            context.problem(block->at,
                            "term '" + body->term + "' is not in the glossary" + didYouMean(body->term, known));
            continue;
        }
        if (term->lesson != lesson.id)
            context.problem(block->at, "the term '" + term->name + "' belongs to lesson " + term->lesson +
                                           "; introduce it there, use it here");
        if (const auto [first, fresh] = introduced.emplace(term, lesson.id); !fresh)
            context.problem(block->at, "the term '" + term->name + "' is already introduced in lesson " +
                                           first->second + "; keep one block");
    }
}

bool isWordCharacter(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
}

/// A form that is no everyday word: several words, a hyphen or a capital letter. `line`, `block` or `ring` may be meant
/// as anybody means them, and nobody can tell by looking for them.
bool isTechnical(const std::string& form)
{
    return std::ranges::any_of(form, [](char c) { return c == ' ' || c == '-' || (c >= 'A' && c <= 'Z'); });
}

/// A form with a capital letter is looked for as it is written: ZeRO is no zero.
bool holdsForm(const std::string& text, const std::string& lower, const std::string& form)
{
    const bool asWritten = std::ranges::any_of(form, [](char c) { return c >= 'A' && c <= 'Z'; });
    const std::string& where = asWritten ? text : lower;
    for (std::size_t at = where.find(form); at != std::string::npos; at = where.find(form, at + 1)) {
        const std::size_t end = at + form.size();
        if ((at == 0 || !isWordCharacter(where[at - 1])) && (end == where.size() || !isWordCharacter(where[end])))
            return true;
    }
    return false;
}

struct Paragraph {
    std::string text, lower, whole; ///< `whole`: with its code and numbers, in which a lesson may be named
    SourceSpan at;
};

/// What a reader is told, in paragraphs. A figure may name what later lessons explain: it shows where things are.
std::vector<Paragraph> paragraphsOf(const Lesson& lesson)
{
    std::vector<ReaderText> texts = {{lesson.question, lesson.at}};
    for (const Section& section : lesson.sections)
        for (const Segment& segment : section.segments)
            if (const auto* prose = std::get_if<Prose>(&segment))
                texts.push_back({prose->markdown, prose->at});
            else if (const auto* block = std::get_if<Block>(&segment);
                     block && !std::holds_alternative<FigureBlock>(block->body))
                std::ranges::copy(textsOf(*block), std::back_inserter(texts));
    std::vector<Paragraph> all;
    for (const ReaderText& text : texts)
        for (std::size_t from = 0; from < text.text.size();) {
            const std::size_t end = std::min(text.text.find("\n\n", from), text.text.size());
            const std::string whole = text.text.substr(from, end - from);
            std::string masked = maskedText(whole);
            std::ranges::replace(masked, '\n', ' ');
            all.push_back({masked, lowered(masked), whole, text.at});
            from = end + 2;
        }
    return all;
}

/// Where a lesson uses a term and neither says what it means nor where that is said.
struct Use {
    std::string form;
    SourceSpan at;
};

std::optional<Use> unexplainedUse(const LintLesson& file, const std::vector<Paragraph>& paragraphs, const Term& term)
{
    std::vector<std::string> forms = term.also;
    forms.push_back(term.name);
    for (const Paragraph& paragraph : paragraphs)
        for (const std::string& form : forms)
            if (isTechnical(form) && holdsForm(paragraph.text, paragraph.lower, form) &&
                paragraph.whole.find(term.lesson) == std::string::npos)
                return Use{form, {paragraph.at.file, lineOf(file.text, paragraph.at.line, form)}};
    return std::nullopt;
}

/// A term is introduced before it is used, on every path: by its owner, or in bold by a lesson that needs it earlier.
class TermOrder {
public:
    TermOrder(const LintContext& context, std::span<const LintLesson> lessons) : m_context(context)
    {
        for (const LintLesson& file : lessons) {
            const std::vector<Paragraph> paragraphs = paragraphsOf(file.lesson);
            for (const Term& term : context.curriculum.terms) {
                if (introduces(context, file.lesson, term))
                    m_introduces[file.lesson.id].insert(&term);
                else if (std::optional<Use> use = unexplainedUse(file, paragraphs, term))
                    m_uses[file.lesson.id].emplace(&term, std::move(*use));
            }
        }
    }

    void check()
    {
        const Curriculum& curriculum = m_context.curriculum;
        for (const LessonPath& path : curriculum.paths)
            for (const Foundations where : {Foundations::First, Foundations::AsNeeded, Foundations::Last}) {
                std::set<const Term*> known;
                if (where == Foundations::Last)
                    for (const std::string& id : curriculum.foundations)
                        known.insert(m_introduces[id].begin(), m_introduces[id].end());
                for (const std::string& id : wayOf(curriculum, path, where))
                    meet(id, known, "on path '" + path.id + "'");
            }
        for (const Lesson& capstone : curriculum.capstones) {
            std::set<const Term*> known;
            for (const std::string& id : ancestorsOf(curriculum, capstone.id))
                known.insert(m_introduces[id].begin(), m_introduces[id].end());
            for (const Lesson& head : curriculum.heads)
                if (head.module == capstone.module)
                    known.insert(m_introduces[head.id].begin(), m_introduces[head.id].end());
            meet(capstone.id, known, "behind its module");
        }
    }

private:
    void meet(const std::string& id, std::set<const Term*>& known, const std::string& where)
    {
        known.insert(m_introduces[id].begin(), m_introduces[id].end());
        for (const auto& [term, use] : m_uses[id])
            if (!known.contains(term) && m_told.emplace(id, term).second)
                m_context.problem(use.at, "'" + use.form + "' is used before it is introduced " + where +
                                              ": say what it means with the term in bold, or point to its lesson, (" +
                                              term->lesson + "), in the same paragraph");
    }

    const LintContext& m_context;
    std::map<std::string, std::set<const Term*>> m_introduces;
    std::map<std::string, std::map<const Term*, Use>> m_uses;
    std::set<std::pair<std::string, const Term*>> m_told;
};

} // namespace

void lintGlossary(const LintContext& context, std::span<const LintLesson> lessons)
{
    std::map<const Term*, std::string> introduced;
    for (const LintLesson& file : lessons)
        lintTermBlocks(context, file.lesson, introduced);

    for (const std::string& file : splitFiles(context.curriculum.root, "glossary")) {
        const Result<std::string> raw = readFile(context.curriculum.root / file);
        lintNumbers(context, raw.ok() ? normalisedText(raw.value()) : std::string(), file, false);
    }
    for (const Term& term : context.curriculum.terms) {
        const SourceSpan& at = term.at;
        const bool wellFormed =
            term.lesson.size() == 3 && term.lesson[1] == '.' &&
            std::any_of(context.curriculum.modules.begin(), context.curriculum.modules.end(),
                        [&](const ModuleInfo& module) { return module.number == term.lesson[0] - '0'; });
        if (!wellFormed) {
            context.problem(at, "term '" + term.name + "': lesson '" + term.lesson +
                                    "' does not exist; name the one that owns it, as \"2.4\"");
            continue;
        }
        for (const LintLesson& file : lessons)
            if (file.lesson.id == term.lesson && !introduces(context, file.lesson, term))
                context.problem(at, "term '" + term.name + "': lesson " + term.lesson +
                                        " owns it but never sets it in bold; introduce it there or change the owner");
    }
    if (circleIn(context.curriculum).empty()) // else there is no way; lintPaths names the circle
        TermOrder(context, lessons).check();
}

} // namespace ridge::lessons
