// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/lint_rules.h"

#include "lessons/curriculum_read.h"
#include "lessons/inline_scan.h"
#include "lessons/text.h"

#include "base/json.h"

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
}

} // namespace ridge::lessons
