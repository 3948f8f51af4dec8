// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/parse.h"

#include "lessons/inline_scan.h"
#include "lessons/placeholders.h"
#include "lessons/text.h"

#include <set>

namespace ridge::lessons {
namespace {

/// Blocks in reading order with what earlier blocks promise to later ones.
class StructureCheck {
public:
    StructureCheck(const Lesson& lesson, std::vector<Problem>& problems)
        : m_lesson(lesson), m_blocks(lesson.blocks()), m_problems(problems)
    {
        for (const Block* block : m_blocks)
            m_ids.push_back(block->id);
    }

    void run()
    {
        checkIds();
        for (std::size_t i = 0; i < m_blocks.size(); ++i)
            std::visit([&](const auto& body) { checkBlock(i, body); }, m_blocks[i]->body);
        for (const CheckSpec& check : m_lesson.checks)
            checkSpec(check);
        checkPresence();
    }

private:
    void problem(const SourceSpan& at, std::string message) { m_problems.push_back({at, std::move(message)}); }
    void problem(std::size_t i, const std::string& message)
    {
        problem(m_blocks[i]->at, m_blocks[i]->kind + " '" + m_blocks[i]->id + "': " + message);
    }

    std::optional<std::size_t> indexOf(std::string_view id) const
    {
        const auto found = std::find(m_ids.begin(), m_ids.end(), id);
        return found == m_ids.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - m_ids.begin()));
    }

    std::string kindAt(std::size_t i) const { return m_blocks[i]->kind; }
    static bool startsRuns(const std::string& kind) { return kind == "run" || kind == "sweep"; }

    void checkIds()
    {
        std::map<std::string, int> firstLine;
        for (std::size_t i = 0; i < m_blocks.size(); ++i) {
            const auto [seen, fresh] = firstLine.emplace(m_ids[i], m_blocks[i]->at.line);
            if (!fresh)
                problem(i, "the id is already used on line " + std::to_string(seen->second) + "; rename one");
        }
        std::set<std::string> checks;
        for (const CheckSpec& check : m_lesson.checks)
            if (!check.id.empty() && !checks.insert(check.id).second)
                problem(check.span, "check '" + check.id + "' is given twice; rename one");
    }

    /// PR1: nothing runs before the reader has committed a prediction for that experiment.
    void checkAfter(std::size_t i, const std::string& experiment, const std::string& after)
    {
        if (after.empty())
            return;
        const std::optional<std::size_t> target = indexOf(after);
        if (!target)
            return problem(i, "'after' names '" + after + "', which is no block of this lesson" +
                                  didYouMean(after, idsOf("predict")));
        const auto* predict = std::get_if<PredictBlock>(&m_blocks[*target]->body);
        const auto* draw = std::get_if<DrawBlock>(&m_blocks[*target]->body);
        if (!predict && !draw)
            return problem(i, "'after' names the " + kindAt(*target) + " '" + after +
                                  "'; it must name a predict or draw block");
        const std::string& predicted = predict ? predict->experiment : draw->experiment;
        if (*target > i)
            problem(i, "'after' names '" + after + "', which stands later; the prediction comes before the run");
        else if (predicted != experiment)
            problem(i, "'after' names a prediction for '" + predicted + "', but this runs '" + experiment +
                           "'; predict the same experiment");
    }

    std::vector<std::string> idsOf(std::string_view kind) const
    {
        std::vector<std::string> ids;
        for (const Block* block : m_blocks)
            if (block->kind == kind || kind.empty() || (kind == "run" && block->kind == "sweep"))
                ids.push_back(block->id);
        return ids;
    }

    void checkBlock(std::size_t i, const RunBlock& body) { checkAfter(i, body.experiment, body.after); }
    void checkBlock(std::size_t i, const SweepBlock& body)
    {
        checkAfter(i, body.experiment, body.after);
        const std::optional<std::size_t> target = indexOf(body.after);
        if (const auto* draw = target ? std::get_if<DrawBlock>(&m_blocks[*target]->body) : nullptr)
            checkAfterDraw(i, body, *draw);
    }
    void checkBlock(std::size_t i, const CompareBlock& body) { checkAfter(i, body.experiment, body.after); }
    void checkBlock(std::size_t i, const DrawBlock& body)
    {
        const bool swept = std::ranges::any_of(m_blocks, [&](const Block* block) {
            const auto* sweep = std::get_if<SweepBlock>(&block->body);
            return sweep && sweep->after == m_ids[i];
        });
        if (!swept && !body.experiment.empty())
            problem(i, "no sweep block names it in 'after', so nothing is set beside the curve; add one");
    }
    void checkBlock(std::size_t i, const WorksheetBlock& body)
    {
        for (const WorksheetGiven& given : body.given) {
            if (!given.from.starts_with("run:"))
                continue;
            const Result<RunReference> reference = parseRunReference(given.from);
            if (!reference.ok()) {
                problem(i, reference.error().message + "; " + reference.error().fix);
                continue;
            }
            const std::optional<std::size_t> target = indexOf(reference.value().block);
            if (!target || !startsRuns(kindAt(*target)) || *target > i)
                problem(i, "'from' takes a number from '" + reference.value().block +
                               "', which is no earlier run or sweep of this lesson" +
                               didYouMean(reference.value().block, idsOf("run")));
        }
    }

    /// What is drawn is what is run: the same axis, and no other value of a parameter that both name.
    void checkAfterDraw(std::size_t i, const SweepBlock& body, const DrawBlock& draw)
    {
        if (body.sweep.size() != 1 || body.sweep.front() != draw.sweep)
            problem(i, "'sweep' is not the one that is drawn in '" + body.after + "'; write \"" + draw.sweep +
                           "\" and nothing beside it");
        if (body.set != draw.set)
            problem(i, "'set' is not that of the curve drawn in '" + body.after + "'; write the same parameters");
        for (const ParamSet& again : draw.again)
            for (const auto& [name, value] : again)
                if (std::ranges::find(body.controls, name) != body.controls.end())
                    problem(i, "'" + name + "' is set by 'again' of '" + body.after + "'; take it out of 'controls'");
    }

    void checkBlock(std::size_t i, const ChartBlock& body)
    {
        for (std::size_t k = 0; k < i; ++k) {
            const auto* run = std::get_if<RunBlock>(&m_blocks[k]->body);
            const auto* sweep = std::get_if<SweepBlock>(&m_blocks[k]->body);
            if ((run && run->experiment == body.experiment) || (sweep && sweep->experiment == body.experiment))
                return;
        }
        problem(i, "no earlier run or sweep of '" + body.experiment + "' could fill this chart; put one before it");
    }

    void checkBlock(std::size_t i, const SceneBlock& body)
    {
        const std::optional<std::size_t> target = indexOf(body.of);
        if (body.of.empty())
            return;
        if (!target)
            problem(i, "'of' names '" + body.of + "', which is no block of this lesson" +
                           didYouMean(body.of, idsOf("run")));
        else if (!startsRuns(kindAt(*target)))
            problem(i, "'of' names the " + kindAt(*target) + " '" + body.of + "'; it must name a run or a sweep");
        else if (*target > i)
            problem(i, "'of' names '" + body.of + "', which stands later; show the scene after its run");
    }

    void checkBlock(std::size_t i, const ChallengeBlock& body)
    {
        std::vector<std::string> checks;
        for (const CheckSpec& check : m_lesson.checks)
            checks.push_back(check.id);
        if (!body.check.empty() && std::find(checks.begin(), checks.end(), body.check) == checks.end())
            problem(i, "'check' names '" + body.check + "', which is no check of this lesson" +
                           didYouMean(body.check, checks));
        const bool predicted =
            std::any_of(m_blocks.begin(), m_blocks.begin() + static_cast<std::ptrdiff_t>(i), [&](const Block* b) {
                const auto* predict = std::get_if<PredictBlock>(&b->body);
                const auto* draw = std::get_if<DrawBlock>(&b->body);
                return (predict && predict->experiment == body.experiment) ||
                       (draw && draw->experiment == body.experiment);
            });
        if (!predicted)
            problem(i, "it runs '" + body.experiment + "' before any prediction for it; put a predict block before it");
    }

    void checkBlock(std::size_t i, const ArtifactBlock& body)
    {
        for (const std::string& id : body.requires_)
            if (const std::optional<std::size_t> target = indexOf(id); !target)
                problem(i, "'requires' names '" + id + "', which is no block of this lesson" +
                               didYouMean(id, idsOf("run")));
            else if (!startsRuns(kindAt(*target)) && kindAt(*target) != "challenge")
                problem(i, "'requires' names the " + kindAt(*target) + " '" + id +
                               "'; only run, sweep and challenge blocks have runs");
        int references = 0;
        for (const Piece& piece : scanInline(body.claim)) {
            if (piece.kind != PieceKind::Placeholder)
                continue;
            ++references;
            const Result<RunReference> reference = parseRunReference(piece.content);
            if (!reference.ok()) {
                problem(i, reference.error().message + "; " + reference.error().fix);
                continue;
            }
            const std::optional<std::size_t> target = indexOf(reference.value().block);
            if (!target || !startsRuns(kindAt(*target)))
                problem(i, "'claim' takes a number from '" + reference.value().block +
                               "', which is no run or sweep of this lesson" +
                               didYouMean(reference.value().block, idsOf("run")));
        }
        if (references == 0 && !body.claim.empty())
            problem(i, "'claim' takes no number from a run; use {{run:block.metric@parameter=value}}");
    }

    static bool takesAnswer(const Block& block)
    {
        const auto* scene = std::get_if<SceneBlock>(&block.body);
        return block.kind == "quiz" || block.kind == "order" || block.kind == "worksheet" || block.kind == "explain" ||
               (scene && !scene->answer.empty());
    }

    template<class Other>
    void checkBlock(std::size_t, const Other&)
    {
    }

    void checkSpec(const CheckSpec& check)
    {
        std::set<std::string> seen;
        for (const std::string& id : check.blocks) {
            checkTarget(check, "blocks", id);
            if (!seen.insert(id).second)
                problem(check.span, "check '" + check.id + "': 'blocks' names '" + id + "' twice; keep one");
        }
        if (!check.block.empty())
            checkTarget(check, "block", check.block);
    }

    void checkTarget(const CheckSpec& check, const std::string& key, const std::string& id)
    {
        const std::optional<std::size_t> target = indexOf(id);
        const std::string name = "check '" + check.id + "': '" + key + "' names ";
        if (!target)
            return problem(check.span,
                           name + "'" + id + "', which is no block of this lesson" + didYouMean(id, idsOf({})));
        const std::string kind = kindAt(*target);
        if ((check.kind == "predicted" || check.kind == "estimated") && kind != "predict")
            problem(check.span, name + "the " + kind + " '" + id + "'; it must name a predict block");
        if (check.kind == "answered" && !takesAnswer(*m_blocks[*target]))
            problem(check.span, name + "the " + kind + " '" + id +
                                    "'; it must name a quiz, an order, a worksheet or a scene with 'answer'");
        if (check.kind == "drawn" && kind != "draw")
            problem(check.span, name + "the " + kind + " '" + id + "'; it must name a draw block");
        if (check.kind == "winners" && !startsRuns(kind) && kind != "challenge")
            problem(check.span, name + "the " + kind + " '" + id + "'; it must name a run, a sweep or a challenge");
    }

    void checkPresence()
    {
        const auto count = [&](std::string_view kind) {
            return std::count_if(m_blocks.begin(), m_blocks.end(),
                                 [&](const Block* block) { return block->kind == kind; });
        };
        if (count("predict") + count("draw") == 0)
            problem(m_lesson.at, "the lesson has no prediction; add a predict block before its first run");
        if (count("run") + count("sweep") == 0)
            problem(m_lesson.at, "the lesson has no experiment; add a run or a sweep block");
        if (m_lesson.checks.empty())
            problem(m_lesson.at, "the lesson has no check; add 'checks' to the front matter");
        if (count("artifact") == 0)
            problem(m_lesson.at, "the lesson has no artifact; add an artifact block to 'Ship it'");
        else if (count("artifact") > 1)
            problem(m_lesson.at, "the lesson has more than one artifact; keep one");
    }

    const Lesson& m_lesson;
    std::vector<const Block*> m_blocks;
    std::vector<std::string> m_ids;
    std::vector<Problem>& m_problems;
};

} // namespace

void checkStructure(const Lesson& lesson, std::vector<Problem>& problems)
{
    StructureCheck(lesson, problems).run();
}

} // namespace ridge::lessons
