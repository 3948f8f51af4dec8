// SPDX-License-Identifier: GPL-3.0-or-later
// What decides whether something was understood: questions with instances, predictions that can be reasoned, numbers
// with one home, and how much one evening holds.
#include "lessons/lint_rules.h"

#include "lessons/controls.h"
#include "lessons/curriculum_read.h"
#include "lessons/inline_scan.h"
#include "lessons/instances.h"
#include "lessons/learner.h"
#include "lessons/numbers.h"
#include "lessons/placeholders.h"
#include "lessons/text.h"

#include "base/formula.h"

#include <cmath>
#include <set>

namespace ridge::lessons {
namespace {

constexpr int kMostBlocks = 12, kMostFigures = 2, kLeastExplains = 2, kMostExplains = 3;
constexpr int kLeastWords = 1300, kMostWords = 1600, kMostMinutes = 30, kMinutesOff = 3;
constexpr std::size_t kLeastNumbers = 4, kLeastWordings = 3;
constexpr int kProseBetween = 30; ///< words, between two cards that ask
constexpr double kSame = 0.005;   ///< relative: a published number comes rounded

std::string valuesText(const ParamSet& values)
{
    std::string text;
    for (const auto& [name, value] : values)
        text += (text.empty() ? " at " : ", ") + name + " = " + toText(value);
    return text;
}

/// Only the first instance of each fault is told: the others have the same cause.
class QuizLint {
public:
    QuizLint(const LintContext& context, const Block& block, const QuizBlock& quiz)
        : m_context(context), m_block(block), m_quiz(quiz)
    {
    }

    void run()
    {
        std::set<std::string> positions;
        const std::vector<QuizInstance> all = instancesOf(m_quiz);
        for (const QuizInstance& instance : all) {
            const QuizBlock& authored =
                instance.variant == 0 ? m_quiz : m_quiz.again[static_cast<std::size_t>(instance.variant) - 1];
            lintInstance(authored, instance);
            const QuizBlock one = filled(m_quiz, instance);
            if (!one.choices.empty()) {
                const auto right =
                    std::count_if(one.choices.begin(), one.choices.end(), [](auto& c) { return c.correct; });
                if (right != 1)
                    problem("choices", valuesText(instance.vars) + " 'answer' marks none of the choices; it gives the "
                                                                   "number of the right one, from 1");
            }
            positions.insert(rightOf(one));
        }
        if (all.size() > 1 && positions.size() < 2)
            problem("same",
                    " every instance has the same right answer, which a second try repeats; choose other values");
    }

private:
    static std::string rightOf(const QuizBlock& one)
    {
        if (one.number)
            return std::to_string(*one.number);
        const auto right = std::find_if(one.choices.begin(), one.choices.end(), [](auto& c) { return c.correct; });
        return std::to_string(right - one.choices.begin());
    }

    void problem(const std::string& kind, const std::string& text)
    {
        if (m_told.insert(kind).second)
            m_context.problem(m_block.at, "quiz '" + m_block.id + "':" + text);
    }

    void lintText(const std::string& text, const ParamSet& values)
    {
        for (const std::string& left : unfilledIn(text, values))
            problem("text " + left, " '" + left + "' is no variable and no formula over variables" +
                                        (values.empty() ? "; it has no 'vars'" : ""));
    }

    /// The value of a formula, or nothing once its fault is told.
    std::optional<double> worked(const std::string& formula, const ParamSet& values, const std::string& what)
    {
        const Result<std::string> plain = withNumbers(formula, m_context.curriculum);
        const Result<double> value = plain.ok() ? evaluateFormula(*plain, values) : Result<double>(plain.error());
        if (!value.ok()) {
            problem(what, " " + what + valuesText(values) + ": " + toText(value.error()));
            return std::nullopt;
        }
        return *value;
    }

    void lintInstance(const QuizBlock& authored, const QuizInstance& instance)
    {
        const ParamSet& values = instance.vars;
        lintText(authored.question, values);
        lintText(authored.explains, values);
        for (const QuizChoice& choice : authored.choices) {
            lintText(choice.text, values);
            lintText(choice.explains, values);
        }
        if (!authored.answer.empty())
            (void)worked(authored.answer, values, "'answer'");
        std::optional<double> right = authored.number;
        if (!authored.formula.empty())
            right = worked(authored.formula, values, "'formula'");
        for (const Misconception& wrong : authored.misconceptions) {
            lintText(wrong.says, values);
            lintText(wrong.explains, values);
            const std::optional<double> value =
                wrong.formula.empty() ? wrong.value : worked(wrong.formula, values, "misconception '" + wrong.id + "'");
            const double slack =
                right ? std::max(authored.tolerance, std::abs(*right) * authored.tolerancePercent / 100) : 0;
            if (right && value && !values.empty() && std::abs(*value - *right) <= slack + 1e-9 * std::abs(*right))
                problem("near " + wrong.id, " misconception '" + wrong.id + "' leads to the right number" +
                                                valuesText(values) + "; leave that value out");
        }
    }

    const LintContext& m_context;
    const Block& m_block;
    const QuizBlock& m_quiz;
    std::set<std::string> m_told;
};

void lintPredict(const LintContext& context, const Block& block, const PredictBlock& predict)
{
    std::set<std::string> told;
    const auto problem = [&](const std::string& text) {
        if (told.insert(text).second)
            context.problem(block.at, "predict '" + block.id + "': " + text);
    };
    std::vector<ParamSet> points{{}};
    points.insert(points.end(), predict.vary.begin(), predict.vary.end());
    for (const ParamSet& other : points) {
        ParamSet at = predict.at;
        for (const auto& [name, value] : other)
            at[name] = value;
        std::vector<std::string> texts{predict.question, predict.mechanism};
        for (const Misconception& wrong : predict.misconceptions) {
            texts.push_back(wrong.says);
            texts.push_back(wrong.explains);
            if (wrong.formula.empty())
                continue;
            const Result<std::string> plain = withNumbers(wrong.formula, context.curriculum);
            const Result<double> value = plain.ok() ? evaluateFormula(*plain, at) : Result<double>(plain.error());
            if (!value.ok())
                problem("misconception '" + wrong.id + "': " + toText(value.error()));
            else if (*value < predict.min || *value > predict.max)
                problem("misconception '" + wrong.id + "' leads to " + std::to_string(*value) + valuesText(other) +
                        ", which is off the slider");
        }
        for (const std::string& text : texts)
            for (const std::string& left : unfilledIn(text, at))
                problem("'" + left + "' is no parameter of its point and no formula over them");
        const Result<std::string> plain = withNumbers(predict.estimate, context.curriculum);
        if (!plain.ok()) {
            problem("'estimate': " + toText(plain.error()));
        } else if (!predict.estimate.empty() && plain->find("{{") == std::string::npos) {
            const Result<double> value = evaluateFormula(*plain, at);
            if (!value.ok())
                problem("'estimate': " + toText(value.error()));
            else if (*value < predict.min || *value > predict.max)
                problem("'estimate' gives " + std::to_string(*value) + valuesText(other) + ", which is off the slider");
        }
    }
}

/// A question whose place another takes: that one has to be there, directly behind, and be met by more readers.
void lintInstead(const LintContext& context, const Lesson& lesson)
{
    const std::vector<const Block*> blocks = lesson.blocks();
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const auto* quiz = std::get_if<QuizBlock>(&blocks[i]->body);
        if (!quiz || quiz->instead.empty())
            continue;
        const auto* other = i + 1 < blocks.size() ? std::get_if<QuizBlock>(&blocks[i + 1]->body) : nullptr;
        if (!other || blocks[i + 1]->id != quiz->instead)
            context.problem(blocks[i]->at, "quiz '" + blocks[i]->id + "': 'instead' names '" + quiz->instead +
                                               "', which is not the quiz directly behind it; put it there");
        else if (other->recalls == quiz->recalls)
            context.problem(blocks[i]->at, "quiz '" + blocks[i]->id +
                                               "': 'instead' recalls the same lesson; let it recall "
                                               "another or none");
    }
}

bool asks(const Block& block)
{
    return block.kind == "quiz" || block.kind == "order" || block.kind == "worksheet";
}

/// A quiz that only takes the place of another is not in a row with it.
bool inPlaceOf(const Block* before, const Block& block)
{
    const auto* quiz = before ? std::get_if<QuizBlock>(&before->body) : nullptr;
    return quiz && quiz->instead == block.id;
}

void grainOfCards(const Lesson& lesson, std::vector<Problem>& problems)
{
    int blocks = 0, figures = 0, explains = 0;
    for (const Section& section : lesson.sections) {
        const Block* before = nullptr;
        int words = 0;
        for (const Segment& segment : section.segments) {
            if (const auto* prose = std::get_if<Prose>(&segment)) {
                words += countWords(prose->markdown);
                continue;
            }
            const Block& block = std::get<Block>(segment);
            figures += block.kind == "figure" ? 1 : 0;
            // Who has no simulator of SystemVerilog passes the lesson without the design.
            const bool extra = block.kind == "figure" || block.kind == "term" || block.kind == "rtl";
            blocks += !extra && !inPlaceOf(before, block) ? 1 : 0;
            explains += block.kind == "explain" && &section == &lesson.sections.back() ? 1 : 0;
            if (before && asks(*before) && asks(block) && words < kProseBetween && !inPlaceOf(before, block))
                problems.push_back(
                    {block.at, block.kind + " '" + block.id + "' follows " + before->kind + " '" + before->id +
                                   "': two cards that ask in a row are an exam; move one, or make them a "
                                   "worksheet"});
            if (block.kind != "term") {
                before = &block;
                words = 0;
            }
        }
    }
    const auto problem = [&](const std::string& text) { problems.push_back({lesson.at, text}); };
    if (blocks > kMostBlocks)
        problem("the lesson has " + std::to_string(blocks) + " live blocks; keep at most " +
                std::to_string(kMostBlocks));
    if (figures > kMostFigures)
        problem("the lesson has " + std::to_string(figures) + " figures; keep at most " + std::to_string(kMostFigures));
    if (lesson.kind == LessonKind::Lesson && (explains < kLeastExplains || explains > kMostExplains))
        problem("the last section has " + std::to_string(explains) +
                " explain blocks; exit criteria are two or three of them");
    if (explains > 0 && !lesson.exitCriteria.empty())
        problem("'exit_criteria' in the head says again what the explain blocks ask; drop it");
}

void grainOfLength(const Lesson& lesson, std::vector<Problem>& problems)
{
    const auto problem = [&](const std::string& text) { problems.push_back({lesson.at, text}); };
    const int words = lessonWords(lesson);
    if (lesson.kind == LessonKind::Lesson && (words < kLeastWords || words > kMostWords))
        problem("the lesson has " + std::to_string(words) + " words; keep to " + std::to_string(kLeastWords) + " to " +
                std::to_string(kMostWords));
    const int minutes = static_cast<int>(std::ceil(honestMinutes(lesson)));
    if (minutes > kMostMinutes)
        problem("the lesson takes about " + std::to_string(minutes) + " minutes, honestly counted; cut it to " +
                std::to_string(kMostMinutes));
    else if (std::abs(minutes - lesson.minutes) > kMinutesOff)
        problem("'minutes' says " + std::to_string(lesson.minutes) + ", honestly counted it is about " +
                std::to_string(minutes));
    if (const int clicks = clicksOf(lesson); clicks > kMostClicks)
        problem("the lesson takes " + std::to_string(clicks) + " clicks beside typing and answers; keep to " +
                std::to_string(kMostClicks) + ", with a control of a challenge that takes several values");
}

/// A challenge says what is to be reached.
bool isGoal(const Lesson& lesson, const std::string& check)
{
    return std::ranges::any_of(lesson.blocks(), [&](const Block* block) {
        const auto* challenge = std::get_if<ChallengeBlock>(&block->body);
        return challenge && challenge->check == check;
    });
}

void grainOfChecks(const Lesson& lesson, std::vector<Problem>& problems)
{
    for (const CheckSpec& check : lesson.checks) {
        std::vector<std::string> ids = check.blocks;
        if (!check.block.empty())
            ids.push_back(check.block);
        for (const std::string& id : ids) {
            const Block* block = lesson.block(id);
            const auto* quiz = block ? std::get_if<QuizBlock>(&block->body) : nullptr;
            const auto* predict = block ? std::get_if<PredictBlock>(&block->body) : nullptr;
            if (check.kind == "answered" && quiz && !quiz->recalls.empty())
                problems.push_back({block->at, "quiz '" + id +
                                                   "' recalls a lesson that some readers have not met, and check '" +
                                                   check.id + "' looks at it; ask something of this lesson there"});
            if (check.kind == "answered" && quiz) {
                const std::size_t needed = quiz->choices.empty() ? kLeastNumbers : kLeastWordings;
                if (const std::size_t count = instancesOf(*quiz).size(); count < needed)
                    problems.push_back({block->at, "quiz '" + id + "' decides check '" + check.id + "' and has " +
                                                       std::to_string(count) + " instances; give it " +
                                                       std::to_string(needed) + " with 'vars' or 'again'"});
            }
            if (check.kind == "estimated" && predict && predict->estimate.empty())
                problems.push_back({block->at, "predict '" + id + "' decides check '" + check.id +
                                                   "' and has no 'estimate': say how a reader could work it out"});
        }
        // The list of checks stands beside the lesson from its first second on.
        if (check.kind.starts_with("metric_") && !check.title.starts_with("You ") && !isGoal(lesson, check.id))
            problems.push_back({check.span, "the title of check '" + check.id +
                                                "' is read before the run and tells what comes out; say what the "
                                                "reader does, as 'You measured what a second buffer does'"});
        if (check.kind == "winners" && check.hold.empty())
            problems.push_back({check.span, "check '" + check.id +
                                                "' holds nothing fixed; name in 'hold' what a contestant "
                                                "may not change, as its price"});
    }
}

/// What an estimate reads has to be on the page before it: a number in a text, a run of an earlier block.
void grainOfEstimates(const Lesson& lesson, std::vector<Problem>& problems)
{
    std::set<std::string> numbers, blocks;
    const auto take = [&](const std::string& text) {
        for (const Piece& piece : scanInline(text))
            if (piece.kind == PieceKind::Claim)
                numbers.insert(piece.content.substr(0, piece.content.find('|')));
    };
    for (const Section& section : lesson.sections)
        for (const Segment& segment : section.segments) {
            if (const auto* prose = std::get_if<Prose>(&segment)) {
                take(prose->markdown);
                continue;
            }
            const Block& block = std::get<Block>(segment);
            if (const auto* predict = std::get_if<PredictBlock>(&block.body)) {
                take(predict->question);
                for (const Piece& piece : scanInline(predict->estimate)) {
                    const Result<RunReference> run =
                        piece.kind == PieceKind::Placeholder ? parseRunReference(piece.content) : Error{"", "", "", ""};
                    const bool unseen = piece.kind == PieceKind::Claim
                                            ? !numbers.contains(piece.content.substr(0, piece.content.find('|')))
                                            : run.ok() && !blocks.contains(run->block);
                    if (unseen)
                        problems.push_back({block.at, "predict '" + block.id + "': its estimate reads '" +
                                                          piece.content + "', which the page has not shown before"});
                }
            }
            for (const ReaderText& text : textsOf(block))
                take(text.text);
            blocks.insert(block.id);
        }
}

/// Code spans are no hole for numbers that need a source.
void grainOfCodeSpans(const LintContext& context, const Lesson& lesson)
{
    for (const ReaderText& text : readerTexts(lesson))
        for (const Piece& piece : scanInline(text.text)) {
            std::string code = text.text.substr(piece.begin, piece.end - piece.begin);
            if (piece.kind != PieceKind::Code || code.find('\n') != std::string::npos || code.starts_with("```"))
                continue;
            std::erase(code, '`');
            std::vector<Problem> found;
            lintNumbers({context.curriculum, context.experiments, context.dataRoot, {}, found}, code, "span", false);
            if (!found.empty())
                context.problem(text.at, "the code span '" + code +
                                             "' holds a performance number; make it a claim, a chip's "
                                             "or a baseline's number");
        }
}

/// In one unit, so that 3.35 TB/s and 3350 GB/s are the same.
std::pair<double, std::string> normal(double value, const std::string& unit)
{
    static const std::map<std::string, std::pair<double, std::string>> units = {
        {"TB/s", {1e12, "B/s"}},      {"GB/s", {1e9, "B/s"}}, {"MB/s", {1e6, "B/s"}}, {"TFLOP/s", {1e12, "FLOP/s"}},
        {"GFLOP/s", {1e9, "FLOP/s"}}, {"GHz", {1e9, "Hz"}},   {"MHz", {1e6, "Hz"}},   {"GB", {1e9, "B"}},
        {"MB", {1e6, "B"}},           {"us", {1e-6, "s"}},    {"µs", {1e-6, "s"}},    {"ns", {1e-9, "s"}},
        {"ms", {1e-3, "s"}}};
    const auto found = units.find(unit);
    return found == units.end() ? std::pair(value, unit) : std::pair(value * found->second.first, found->second.second);
}

bool near(double a, double b)
{
    return std::abs(a - b) <= kSame * std::max(std::abs(a), std::abs(b));
}

} // namespace

void lintEvidence(const LintContext& context, const Lesson& lesson)
{
    for (const Block* block : lesson.blocks()) {
        if (const auto* quiz = std::get_if<QuizBlock>(&block->body))
            QuizLint(context, *block, *quiz).run();
        else if (const auto* predict = std::get_if<PredictBlock>(&block->body))
            lintPredict(context, *block, *predict);
    }
    lintInstead(context, lesson);
}

std::vector<Problem> lintGrain(const Lesson& lesson, const Curriculum& curriculum)
{
    std::vector<Problem> problems;
    grainOfLength(lesson, problems);
    grainOfCards(lesson, problems);
    grainOfChecks(lesson, problems);
    grainOfEstimates(lesson, problems);
    grainOfCodeSpans({curriculum, {}, {}, {}, problems}, lesson);
    return problems;
}

std::vector<Problem> lintTwins(const Curriculum& curriculum)
{
    std::vector<Problem> problems;
    const std::map<std::string, SourceSpan> places = claimPlaces(curriculum.root);
    const auto report = [&](const std::string& key, const std::string& text) {
        const auto place = places.find(key);
        problems.push_back(
            {place == places.end() ? SourceSpan{"claims.yaml", 1} : place->second, "claim '" + key + "' " + text});
    };
    const std::vector<std::string> chips = curriculum.tables ? curriculum.tables->chips() : std::vector<std::string>{};
    constexpr std::array<std::string_view, 16> figures = {
        "bandwidth", "memory", "tdp",  "link", "clock", "tensor_clock", "fp64",       "fp32",
        "tf32",      "fp16",   "bf16", "fp8",  "fp4",   "int8",         "ridge_bf16", "ridge_fp32"};
    std::vector<const Claim*> before;
    for (const auto& [key, claim] : curriculum.claims) {
        const std::string chip = key.substr(0, key.find('.'));
        const auto [value, unit] = normal(claim.value, claim.unit);
        for (const Claim* other : before)
            if (const auto [otherValue, otherUnit] = normal(other->value, other->unit);
                other->key.starts_with(chip + ".") && otherUnit == unit && otherValue == value) {
                report(key, "has the value of '" + other->key + "'; keep one");
                break;
            }
        before.push_back(&claim);
        for (const std::string& id : chips) {
            if (id != chip && !id.starts_with(chip + "-"))
                continue;
            for (const std::string_view name : figures) {
                const Result<const Claim*> known = curriculum.tables->find("chip:" + id + "." + std::string(name));
                if (!known.ok())
                    continue;
                if (const auto [tableValue, tableUnit] = normal((*known)->value, (*known)->unit);
                    tableUnit == unit && near(tableValue, value)) {
                    report(key, "is in the chip table; write {{" + (*known)->key + "}}");
                    break;
                }
            }
        }
        if (curriculum.tables && !claim.experiment.empty() && claim.provenance != "measured")
            for (const std::string& baseline : curriculum.tables->measuredAt(claim.experiment, claim.at))
                if (baseline.starts_with("baseline:" + chip))
                    report(key, "was measured by this program; write {{" + baseline + ".…}}");
    }
    return problems;
}

} // namespace ridge::lessons
