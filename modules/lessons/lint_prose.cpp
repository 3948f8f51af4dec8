// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/lint_rules.h"

#include "lessons/inline_scan.h"
#include "lessons/instances.h"
#include "lessons/learner.h"
#include "lessons/numbers.h"
#include "lessons/text.h"
#include "lessons/worksheet.h"

#include <cmath>

namespace ridge::lessons {
namespace {

struct WordRange {
    int least, most;
};
constexpr WordRange kLessonWords{1300, 2200};
constexpr WordRange kCapstoneWords{600, 1400};
constexpr double kWordsPerMinute = 230;
constexpr int kMostMinutes = 30;
constexpr double kShareOfWrong = 0.4; ///< of the explanations of wrong answers, what one reader meets

const std::map<std::string, double> kMinutesOfBlock = {
    {"predict", 0.75}, {"run", 0.5},     {"sweep", 0.75}, {"chart", 0.25},    {"scene", 0.5},    {"explore", 0.5},
    {"quiz", 0.5},     {"order", 0.75},  {"kernel", 0.5}, {"challenge", 1.5}, {"artifact", 2.0}, {"term", 0.25},
    {"figure", 0.25},  {"explain", 2.0}, {"draw", 1.5},   {"worksheet", 0.5}, {"compare", 0.5},  {"rtl", 2.0}};
constexpr double kMinutesOfCell = 0.75, kMinutesOfPointing = 0.5, kMinutesOfWriting = 4;

double minutesOf(const Block& block)
{
    double minutes = kMinutesOfBlock.at(block.kind);
    if (const auto* sheet = std::get_if<WorksheetBlock>(&block.body))
        minutes += kMinutesOfCell * static_cast<double>(sheet->cells.size());
    if (const auto* scene = std::get_if<SceneBlock>(&block.body); scene && !scene->answer.empty())
        minutes += kMinutesOfPointing;
    if (const auto* kernel = std::get_if<KernelBlock>(&block.body); kernel && kernel->edit && block.kind != "rtl")
        minutes += kernel->task.empty() ? kMinutesOfCell : kMinutesOfWriting;
    return minutes;
}

/// What every reader meets goes first; texts that only some meet are marked so.
struct Texts {
    std::vector<ReaderText>& out;
    SourceSpan at;
    bool filled = false; ///< its braces are variables

    void all(const std::string& text) { add(text, true); }
    void some(const std::string& text) { add(text, false); }
    void add(const std::string& text, bool everyone)
    {
        if (!text.empty())
            out.push_back({text, at, everyone, filled});
    }
    void wrong(const std::vector<Misconception>& list)
    {
        for (const Misconception& one : list) {
            some(one.says);
            some(one.explains);
        }
    }

    void operator()(const PredictBlock& b)
    {
        filled = true;
        all(b.question);
        all(b.mechanism);
        wrong(b.misconceptions);
    }
    void operator()(const RunBlock& b) { all(b.caption); }
    void operator()(const SweepBlock& b) { all(b.caption); }
    void operator()(const ChartBlock& b) { all(b.caption); }
    void operator()(const SceneBlock& b)
    {
        all(b.caption);
        all(b.ask);
        all(b.explains);
    }
    void operator()(const ExploreBlock& b) { all(b.caption); }
    void operator()(const QuizBlock& b)
    {
        filled = true;
        for (const QuizBlock& other : b.again) {
            some(other.question);
            for (const QuizChoice& choice : other.choices) {
                some(choice.text);
                some(choice.explains);
            }
            if (other.explains != b.explains)
                some(other.explains);
            if (!other.choices.empty() || other.misconceptions.size() != b.misconceptions.size())
                wrong(other.misconceptions);
        }
        all(b.question);
        for (const QuizChoice& choice : b.choices) {
            all(choice.text);
            some(choice.explains);
        }
        all(b.explains);
        wrong(b.misconceptions);
    }
    void operator()(const OrderBlock& b)
    {
        all(b.question);
        for (const std::string& step : b.steps)
            all(step);
        all(b.explains);
    }
    void operator()(const KernelBlock& b) { all(b.caption); }
    void operator()(const ChallengeBlock& b)
    {
        all(b.question);
        all(b.explains);
    }
    void operator()(const ArtifactBlock& b)
    {
        all(b.title);
        all(b.question);
        all(b.claim);
        for (const std::string& prompt : b.prompts)
            all(prompt);
    }
    void operator()(const TermBlock&) {}
    void operator()(const FigureBlock& b)
    {
        some(b.alt);
        some(b.description);
        all(b.caption);
    }
    void operator()(const ExplainBlock& b)
    {
        all(b.question);
        all(b.model);
    }
    void operator()(const DrawBlock& b)
    {
        all(b.question);
        all(b.mechanism);
    }
    void operator()(const WorksheetBlock& b)
    {
        const auto first = [&](const std::string& text) { return withVars(text, b, 0); };
        all(first(b.title));
        all(b.caption);
        for (const WorksheetGiven& given : b.given)
            all(first(given.label));
        for (const WorksheetCell& cell : b.cells) {
            all(first(cell.label));
            some(first(cell.hint));
        }
    }
    void operator()(const CompareBlock& b) { all(b.caption); }
};

std::string withoutCode(std::string_view text)
{
    std::string plain;
    for (const Piece& piece : scanInline(text))
        if (piece.kind != PieceKind::Code)
            plain.append(text.substr(piece.begin, piece.end - piece.begin));
        else if (text.substr(piece.begin, 3) != "```" && text.substr(piece.begin, 3) != "~~~")
            plain.append(" x "); // a code span is read as one word
    return plain;
}

void lintBold(const LintContext& context, const LintLesson& file, const ReaderText& text)
{
    const std::string masked = maskedText(text.text);
    for (const std::string_view mark : {"**", "__"}) {
        std::size_t open = masked.find(mark);
        while (open != std::string::npos) {
            const std::size_t close = masked.find(mark, open + 2);
            if (close == std::string::npos)
                break;
            const std::string term = text.text.substr(open + 2, close - open - 2);
            const std::string shown = std::string(mark) + term + std::string(mark);
            if (term.find('\n') == std::string::npos && !context.curriculum.term(term))
                context.problem({text.at.file, lineOf(file.text, text.at.line, shown)},
                                "bold '" + term + "' is no term of the glossary; add it there or drop the bold");
            open = masked.find(mark, close + 2);
        }
    }
}

/// Pictures in Markdown or HTML would be files or addresses of anybody's choosing; the reader shows none (ProseView).
void lintPictures(const LintContext& context, const LintLesson& file, const ReaderText& text)
{
    const std::string masked = lowered(maskedText(text.text));
    const auto problem = [&](std::size_t begin, std::size_t end) {
        const std::string shown = text.text.substr(begin, end - begin);
        context.problem({text.at.file, lineOf(file.text, text.at.line, shown.substr(0, shown.find('\n')))},
                        "the picture '" + shown + "' is not shown; draw it as SVG and write a figure block");
    };
    for (std::size_t open = masked.find("!["); open != std::string::npos; open = masked.find("![", open + 2)) {
        const std::size_t label = masked.find(']', open);
        if (label == std::string::npos || label + 1 >= masked.size())
            break;
        const char kind = masked[label + 1];
        const std::size_t close = masked.find(kind == '[' ? ']' : ')', label + 2);
        if ((kind == '(' || kind == '[') && close != std::string::npos)
            problem(open, close + 1);
    }
    for (std::size_t open = masked.find("<img"); open != std::string::npos; open = masked.find("<img", open + 4))
        problem(open, std::min(masked.find('>', open), masked.size() - 1) + 1);
}

void lintReferences(const LintContext& context, const LintLesson& file, const ReaderText& text, bool isArtifactClaim)
{
    for (const Piece& piece : scanInline(text.text)) {
        const std::string shown = text.text.substr(piece.begin, piece.end - piece.begin);
        const SourceSpan at{text.at.file, lineOf(file.text, text.at.line, shown)};
        if (piece.kind == PieceKind::Claim && !context.curriculum.claim(piece.content)) {
            std::vector<std::string> known;
            for (const auto& [key, claim] : context.curriculum.claims)
                known.push_back(key);
            if (isTableKey(piece.content)) {
                const auto found = context.curriculum.tables
                                       ? context.curriculum.tables->find(piece.content)
                                       : Result<const Claim*>(Error{"", "there is no table", "", ""});
                context.problem(at, found.ok() ? "" : found.error().message + "; " + found.error().fix);
                continue;
            }
            context.problem(at, "unknown claim '" + piece.content + "'" + didYouMean(piece.content, known));
        } else if (piece.kind == PieceKind::Placeholder && text.filled) {
            continue; // lintEvidence
        } else if (piece.kind == PieceKind::Placeholder && !isArtifactClaim) {
            context.problem(at, "'" + shown +
                                    "' means nothing here; prose knows {{claim:key}}, an artifact's claim {{run:…}}");
        } else if (piece.kind == PieceKind::Formula) {
            continue; // lintAssets
        }
    }
}

void lintWording(const LintContext& context, const LintLesson& file, const ReaderText& text)
{
    static const std::array<std::string_view, 9> selling = {"powerful",      "blazing",       "crucial",
                                                            "simply",        "dramatically",  "seamless",
                                                            "game-changing", "revolutionary", "in this lesson"};
    static const std::array<std::string_view, 4> unfinished = {"TODO", "TBD", "FIXME", "Lorem ipsum"};
    const std::string masked = maskedText(text.text);
    const std::string lower = lowered(masked);
    for (const std::string_view word : selling)
        if (lower.find(word) != std::string::npos)
            context.problem({text.at.file, lineOf(lowered(file.text), text.at.line, word)},
                            "'" + std::string(word) + "' sells or announces; say what happens instead");
    // The lesson before this one is another one on another path.
    for (const std::string_view which : {"last", "previous", "next", "coming"})
        for (const std::string_view what : {" lesson", " module"})
            if (const std::string words = std::string(which) + std::string(what);
                lower.find(words) != std::string::npos)
                context.problem({text.at.file, lineOf(lowered(file.text), text.at.line, words)},
                                "'" + words + "' is another one on another path; give its number, as 5.1");
    for (const std::string_view word : unfinished)
        if (masked.find(word) != std::string::npos)
            context.problem({text.at.file, lineOf(file.text, text.at.line, word)},
                            "'" + std::string(word) + "' is left in the text; finish it");
}

void lintLength(const LintContext& context, const Lesson& lesson)
{
    const int words = lessonWords(lesson);
    const WordRange range = lesson.kind == LessonKind::Capstone ? kCapstoneWords : kLessonWords;
    if (words < range.least || words > range.most)
        context.problem(lesson.at, "the lesson has " + std::to_string(words) + " words; it needs " +
                                       std::to_string(range.least) + " to " + std::to_string(range.most));
    const int minutes = static_cast<int>(std::ceil(readingMinutes(lesson)));
    const int honest = static_cast<int>(std::ceil(honestMinutes(lesson)));
    if (minutes > kMostMinutes)
        context.problem(lesson.at, "the lesson takes about " + std::to_string(minutes) + " minutes; cut it to " +
                                       std::to_string(kMostMinutes));
    else if (words >= range.least && std::abs(minutes - lesson.minutes) > 3 && std::abs(honest - lesson.minutes) > 3)
        context.problem(lesson.at, "'minutes' says " + std::to_string(lesson.minutes) +
                                       ", words and blocks make about " + std::to_string(minutes) +
                                       "; correct one of them");
}

} // namespace

std::vector<ReaderText> textsOf(const Block& block)
{
    std::vector<ReaderText> texts;
    std::visit(Texts{texts, block.at}, block.body);
    return texts;
}

std::vector<ReaderText> readerTexts(const Lesson& lesson)
{
    std::vector<ReaderText> texts;
    Texts head{texts, lesson.at};
    head.all(lesson.question);
    for (const Section& section : lesson.sections)
        for (const Segment& segment : section.segments) {
            if (const auto* prose = std::get_if<Prose>(&segment))
                texts.push_back({prose->markdown, prose->at, true});
            else if (const auto* block = std::get_if<Block>(&segment))
                std::visit(Texts{texts, block->at}, block->body);
        }
    return texts;
}

int lessonWords(const Lesson& lesson)
{
    int words = 0;
    for (const ReaderText& text : readerTexts(lesson))
        if (text.everyone)
            words += countWords(withoutCode(text.text));
    return words;
}

double readingMinutes(const Lesson& lesson)
{
    double minutes = lessonWords(lesson) / kWordsPerMinute;
    for (const Block* block : lesson.blocks())
        minutes += minutesOf(*block);
    return minutes;
}

double honestMinutes(const Lesson& lesson)
{
    static const std::map<std::string, double> ofBlock = {
        {"predict", 1.5}, {"quiz", 1.5},    {"draw", 2},     {"worksheet", 2}, {"sweep", 1.25},   {"explain", 2},
        {"challenge", 2}, {"kernel", 0.75}, {"run", 0.75},   {"scene", 0.75},  {"explore", 0.75}, {"order", 0.75},
        {"chart", 0.5},   {"compare", 0.5}, {"figure", 0.5}, {"artifact", 3},  {"term", 0},       {"rtl", 2}};
    double words = 0;
    for (const ReaderText& text : readerTexts(lesson))
        words += countWords(withoutCode(text.text)) * (text.everyone ? 1 : kShareOfWrong);
    double minutes = words / kWordsPerMinute;
    for (const Block* block : lesson.blocks()) {
        const auto found = ofBlock.find(block->kind);
        double one = found == ofBlock.end() ? 1 : found->second;
        if (const auto* quiz = std::get_if<QuizBlock>(&block->body); quiz && !quiz->choices.empty())
            one = 1;
        if (const auto* sweep = std::get_if<SweepBlock>(&block->body))
            one *= timesToRun(lesson, *sweep);
        minutes += one;
    }
    return minutes;
}

void lintWords(const LintContext& context, const LintLesson& file)
{
    const ArtifactBlock* artifact = file.lesson.artifact();
    for (const ReaderText& text : readerTexts(file.lesson)) {
        lintBold(context, file, text);
        lintPictures(context, file, text);
        lintReferences(context, file, text, artifact && text.text == artifact->claim);
        lintWording(context, file, text);
    }
}

void lintProse(const LintContext& context, const LintLesson& file)
{
    lintWords(context, file);
    lintLength(context, file.lesson);
}

} // namespace ridge::lessons
