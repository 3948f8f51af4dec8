// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/lesson_walk.h"

#include "base/formula.h"
#include "base/paths.h"
#include "base/target_kind.h"
#include "classroom/kernel_work.h"
#include "cli/job.h"
#include "cli/kernel_file.h"
#include "evidence/evidence.h"
#include "evidence/import_artifact.h"
#include "evidence/review.h"
#include "lessons/placeholders.h"
#include "lessons/text.h"

#include <charconv>

namespace ridge::cli {
namespace {

class Walk {
public:
    Walk(const lessons::Curriculum& curriculum, const lessons::Lesson& lesson, lessons::Learner learner,
         const std::string& target, StepRuns& runs, record::Store& store)
        : m_curriculum(curriculum), m_lesson(lesson), m_learner(learner), m_target(target), m_runs(runs), m_store(store)
    {
    }

    Result<LessonReport> run()
    {
        for (const lessons::Block* block : m_lesson.blocks())
            if (auto done = take(*block); !done)
                return done.error();
        if (auto done = import(); !done)
            return done.error();
        if (auto done = ship(); !done)
            return done.error();
        const auto evidence = app::evidenceFromStore(m_store, m_lesson);
        if (!evidence)
            return evidence.error();
        m_report.checks = lessons::evaluateChecks(m_lesson, *evidence);
        compare(*evidence);
        if (const lessons::ArtifactBlock* artifact = m_lesson.artifact())
            for (const auto& missing : lessons::fillTemplate(artifact->claim, *evidence).missing)
                m_report.failures.push_back("the artifact's claim has no run for " + missing.text);
        return std::move(m_report);
    }

private:
    Result<void> take(const lessons::Block& block)
    {
        if (const auto* predict = std::get_if<lessons::PredictBlock>(&block.body))
            return commit(block, *predict);
        const auto* scene = std::get_if<lessons::SceneBlock>(&block.body);
        if (block.kind == "quiz" || block.kind == "order" || (scene && !scene->answer.empty()))
            return answer(block);
        if (std::holds_alternative<lessons::ExplainBlock>(block.body))
            return explain(block);
        if (const auto* draw = std::get_if<lessons::DrawBlock>(&block.body))
            return drawCurve(block, *draw);
        if (const auto* sheet = std::get_if<lessons::WorksheetBlock>(&block.body))
            return fill(block, *sheet);
        if (const auto* compare = std::get_if<lessons::CompareBlock>(&block.body))
            return simulate(block, *compare);
        if (const auto* kernel = std::get_if<lessons::KernelBlock>(&block.body);
            kernel && block.kind == "kernel" && !kernel->task.empty())
            return handIn(block, kernel->task);
        if (block.kind == "rtl")
            return bench(block);
        if (const auto* challenge = std::get_if<lessons::ChallengeBlock>(&block.body)) {
            StepReport report;
            for (const ParamSet& set : lessons::attemptsAt(*challenge, m_learner))
                if (auto done = runInto(report, {block.id, challenge->experiment, set, {}}, {}); !done)
                    return done;
            m_report.steps.push_back(std::move(report));
            return {};
        }
        const std::optional<LessonStep> step = stepOf(block);
        if (!step)
            return {};
        const auto* sweep = std::get_if<lessons::SweepBlock>(&block.body);
        const std::string& after = sweep ? sweep->after : std::get<lessons::RunBlock>(block.body).after;
        const auto prediction = m_predictions.find(after);
        StepReport report;
        const int times = sweep ? lessons::timesToRun(m_lesson, *sweep) : 1;
        for (int time = 0; time < times + lessons::kMoreSweeps; ++time) {
            if (time >= times) {
                const auto another = sweep ? wantsAnother(*sweep) : Result<bool>(false);
                if (!another)
                    return another.error();
                if (!*another)
                    break;
            }
            if (auto done = runInto(report, *step, prediction == m_predictions.end() ? "" : prediction->second); !done)
                return done;
        }
        m_report.steps.push_back(std::move(report));
        return {};
    }

    /// Who does the work puts the design under its testbench and on an FPGA, where the tools for it are installed; the
    /// lesson goes on without them.
    Result<void> bench(const lessons::Block& block)
    {
        if (m_learner != lessons::Learner::Ideal)
            return {};
        const std::pair<const char*, ParamSet> runs[] = {
            {"rtl_array", {{"n", std::int64_t{4}}}},
            {"rtl_timing", {{"n", std::int64_t{2}}, {"limit_s", std::int64_t{600}}}}};
        for (const auto& [experiment, set] : runs) {
            StepReport report;
            const auto done = runInto(report, {block.id, experiment, set, {}}, {});
            if (!done && done.error().code.starts_with("no-"))
                continue;
            if (!done)
                return done;
            m_report.steps.push_back(std::move(report));
        }
        return {};
    }

    Result<bool> wantsAnother(const lessons::SweepBlock& sweep) const
    {
        const auto evidence = app::evidenceFromStore(m_store, m_lesson);
        if (!evidence)
            return evidence.error();
        return lessons::wantsAnotherSweep(m_lesson, sweep, *evidence);
    }

    Result<std::string> targetOf(const std::string& experiment) const
    {
        const auto info = findExperiment(m_runs.catalogue(), experiment);
        if (!info)
            return info.error();
        return targetFor(*info, m_target);
    }

    /// `outside`: in no lesson, as from the Lab.
    Result<void> runInto(StepReport& report, const LessonStep& step, const std::string& predictionId,
                         bool outside = false)
    {
        const auto target = targetOf(step.experiment);
        return target ? runOn(report, *target, step, predictionId, outside) : Result<void>(target.error());
    }

    Result<void> runOn(StepReport& report, const std::string& target, const LessonStep& step,
                       const std::string& predictionId, bool outside)
    {
        const auto done = m_runs.run(step, target, {outside ? "" : m_lesson.id, step.block, predictionId}, m_store);
        if (!done) {
            Error error = done.error();
            error.place = "block '" + step.block + "' on " + target + (error.place.empty() ? "" : ", " + error.place);
            return error;
        }
        report.block = step.block;
        report.experiment = step.experiment;
        report.target = target;
        report.provenance = toText(done->started.provenance);
        report.validity = done->validity;
        report.points += done->samples.size();
        report.seconds += done->seconds;
        for (const CheckResult& check : done->checks)
            if (!check.passed)
                report.failedChecks.push_back(check.name + ": " + check.detail);
        for (const SampleEvent& sample : done->samples)
            for (const CheckResult& check : sample.checks)
                if (!check.passed)
                    report.failedChecks.push_back(check.name + ": " + check.detail);
        return {};
    }

    /// What the point of a prediction gives. What is computed is told by the first request after it that comes by
    /// there, since that is made anyway; what is measured, by the point alone.
    Result<double> rehearse(const lessons::Block& block, const lessons::PredictBlock& predict)
    {
        const auto target = targetOf(predict.experiment);
        if (!target)
            return target.error();
        LessonStep source{block.id, predict.experiment, predict.at, {}};
        const auto blocks = m_lesson.blocks();
        for (auto other = std::ranges::find(blocks, &block);
             m_runs.shares(predict.experiment, *target) && other != blocks.end(); ++other)
            if (auto step = stepOf(**other);
                step && step->experiment == predict.experiment && m_runs.reaches(*step, *target, predict.at)) {
                source = std::move(*step);
                break;
            }
        const auto metrics = m_runs.rehearse(source, *target, predict.at);
        if (!metrics)
            return metrics.error();
        if (const auto found = metrics->find(predict.metric); found != metrics->end())
            return found->second.value;
        return Error{"bad-lesson", predict.experiment + " gives no " + predict.metric + " on " + *target,
                     "predict '" + block.id + "'", "predict a metric that the experiment has on every target"};
    }

    /// Where the page asks now: at the authored point, or where that is known at another.
    Result<ParamSet> pointNow(const lessons::Block& block, const lessons::PredictBlock& predict,
                              const std::vector<ParamSet>& asked)
    {
        const auto info = findExperiment(m_runs.catalogue(), predict.experiment);
        const auto target = targetOf(predict.experiment);
        if (!info || !target)
            return !info ? info.error() : target.error();
        return app::nextPoint(m_store, m_lesson, block, *info, kindOfTarget(*target), asked, 0);
    }

    Result<void> commit(const lessons::Block& block, const lessons::PredictBlock& predict)
    {
        std::optional<double> fetched;
        if (m_learner == lessons::Learner::Cheat) {
            // From the Lab, in no lesson: the number that the page is about to ask for.
            StepReport unseen;
            if (auto ran = runInto(unseen, {"", predict.experiment, predict.at, {}}, {}, true); !ran)
                return ran;
            fetched = newestAt(predict, predict.at);
        }
        const bool again = m_learner != lessons::Learner::Ideal && looksAt(block);
        std::vector<ParamSet> asked;
        for (int time = 0; time < (again ? 2 : 1); ++time) {
            const auto point = pointNow(block, predict, asked);
            if (!point)
                return point.error();
            asked.push_back(*point);
            const auto given = numberFor(block, predict, *point, fetched);
            if (!given)
                return given.error();
            if (auto kept = commitAt(block, predict, *point, *given); !kept)
                return kept;
            // The block runs where it asked; at the authored point the lesson's own blocks come by anyway, if there are
            // any.
            if (time > 0 || !lessons::matches(*point, predict.at) || again || standsAlone(block, predict)) {
                StepReport report;
                if (auto ran = runInto(report, {block.id, predict.experiment, *point, {}}, m_predictions[block.id]);
                    !ran)
                    return ran;
                m_report.steps.push_back(std::move(report));
                if (m_learner == lessons::Learner::Cheat)
                    fetched = newestAt(predict, *point); // the same answer again, at the next point
            }
        }
        return {};
    }

    /// Whether no block behind it runs the experiment: then the result is that of the block's own button.
    bool standsAlone(const lessons::Block& block, const lessons::PredictBlock& predict) const
    {
        const auto blocks = m_lesson.blocks();
        return std::none_of(std::ranges::find(blocks, &block), blocks.end(), [&](const lessons::Block* other) {
            const auto step = stepOf(*other);
            return step && step->experiment == predict.experiment;
        });
    }

    /// Whether a check decides by this block's predictions, so that somebody who was off would try again.
    bool looksAt(const lessons::Block& block) const
    {
        return std::ranges::any_of(m_lesson.checks, [&](const lessons::CheckSpec& check) {
            return check.kind == "estimated" && check.block == block.id;
        });
    }

    std::optional<double> newestAt(const lessons::PredictBlock& predict, const ParamSet& point) const
    {
        record::RunFilter filter;
        filter.experiment = predict.experiment;
        const auto runs = m_store.runs(filter);
        if (!runs)
            return std::nullopt;
        for (const record::RunRow& run : *runs)
            if (const auto found = run.metrics.find(predict.metric);
                found != run.metrics.end() && lessons::matches(run.params, point))
                return found->second.value;
        return std::nullopt;
    }

    struct Number {
        lessons::Commitment given;
        bool reasoned = false;
    };
    Result<Number> numberFor(const lessons::Block& block, const lessons::PredictBlock& predict, const ParamSet& point,
                             std::optional<double> fetched)
    {
        const lessons::PredictBlock asked = lessons::filled(predict, point);
        if (m_learner == lessons::Learner::Ideal && !predict.estimate.empty()) {
            const auto evidence = app::evidenceFromStore(m_store, m_lesson.id);
            if (!evidence)
                return evidence.error();
            const auto worked = evaluateFormula(lessons::filledFromRuns(predict.estimate, *evidence), asked.at);
            if (worked)
                return Number{lessons::commitmentOf(asked, m_learner, *worked), true};
            m_report.failures.push_back("predict '" + block.id +
                                        "': its estimate cannot be worked out here: " + toText(worked.error()));
        }
        double result = fetched.value_or(0); // the wrong learner needs none
        if (!fetched && (m_learner == lessons::Learner::Ideal || asked.misconceptions.empty())) {
            lessons::Block there = block;
            there.body = asked;
            const auto rehearsed = rehearse(block, asked);
            if (!rehearsed)
                return rehearsed.error();
            result = *rehearsed;
        }
        const auto as = fetched ? lessons::Learner::Ideal : m_learner;
        return Number{lessons::commitmentOf(asked, as, result), false};
    }

    Result<void> commitAt(const lessons::Block& block, const lessons::PredictBlock& predict, const ParamSet& point,
                          const Number& number)
    {
        record::PredictionRow row;
        row.lesson = m_lesson.id;
        row.block = block.id;
        row.experiment = predict.experiment;
        row.metric = predict.metric;
        row.unit = predict.unit;
        row.params = point;
        row.point = number.given.point;
        row.low = number.given.low;
        row.high = number.given.high;
        const auto id = m_store.append(std::move(row)).result();
        if (!id)
            return id.error();
        m_predictions[block.id] = *id;
        PredictionReport report;
        report.block = &block;
        report.committed = number.given.point;
        report.asked = lessons::filled(predict, point);
        report.authored =
            lessons::matches(point, predict.at) ||
            std::ranges::any_of(predict.vary, [&](const ParamSet& set) { return lessons::matches(point, set); });
        report.reasoned = number.reasoned;
        report.id = *id;
        m_report.predictions.push_back(std::move(report));
        return {};
    }

    Result<void> keepAnswer(const lessons::Block& block, lessons::AnswerGiven given, bool correct)
    {
        AnswerReport report{&block, std::move(given), correct};
        record::AnswerRow row;
        row.lesson = m_lesson.id;
        row.block = block.id;
        row.answer = app::toJson(report.given);
        row.correct = report.correct;
        const auto id = m_store.append(std::move(row)).result();
        if (!id)
            return id.error();
        m_report.answers.push_back(std::move(report));
        return {};
    }

    Result<void> fill(const lessons::Block& block, const lessons::WorksheetBlock& sheet)
    {
        const auto evidence = app::evidenceFromStore(m_store, m_lesson.id);
        if (!evidence)
            return evidence.error();
        const auto rows = lessons::fillingsOf(sheet, m_learner, lessons::givenLookup(m_curriculum, *evidence));
        if (!rows) {
            m_report.failures.push_back("worksheet '" + block.id + "': " + rows.error().message);
            return {};
        }
        bool shown = false;
        for (const lessons::AnswerGiven& row : *rows) {
            shown = (shown && row.instance == 0) || row.shown;
            if (auto kept = keepAnswer(block, row, !shown && row.cells.size() == sheet.cells.size()); !kept)
                return kept;
        }
        return {};
    }

    /// The cheat runs the sweep in the Lab and draws what came out.
    Result<void> drawCurve(const lessons::Block& block, const lessons::DrawBlock& draw)
    {
        const auto info = findExperiment(m_runs.catalogue(), draw.experiment);
        if (!info)
            return info.error();
        const auto axis = parseSweep(info->parameters, draw.sweep);
        if (!axis)
            return axis.error();
        if (m_learner == lessons::Learner::Cheat) {
            StepReport before;
            if (auto done = runInto(before, {block.id, draw.experiment, draw.set, {draw.sweep}}, {}, true); !done)
                return done;
        }
        std::vector<std::pair<double, double>> results;
        for (const ParamValue& x : axis->values) {
            lessons::PredictBlock point;
            point.experiment = draw.experiment;
            point.metric = draw.metric;
            point.at = draw.set;
            point.at[axis->name] = x;
            const auto result = m_learner == lessons::Learner::Wrong ? Result<double>(0.0) : rehearse(block, point);
            if (!result)
                return result.error();
            results.emplace_back(asNumber(x).value_or(0), *result);
        }
        lessons::AnswerGiven given = lessons::curveOf(draw, m_learner, std::move(results));
        auto held = app::heldOfCurve(m_store, draw, given);
        if (!held)
            return held.error();
        given.held = std::move(*held);
        return keepAnswer(block, std::move(given), false);
    }

    /// A kernel for the task of a block: the solution, what the page began with, or the one that computes with too few
    /// bits.
    Result<void> handIn(const lessons::Block& block, const std::string& id)
    {
        const auto task = shippedTask(id);
        if (!task)
            return task.error();
        const bool ideal = m_learner == lessons::Learner::Ideal;
        const char* file = ideal ? "solution.cu" : m_learner == lessons::Learner::Wrong ? "starter.cu" : "decoy.cu";
        auto source = readKernelFile((task->folder / file).string());
        if (!source)
            return source.error();
        const KernelGradeRequest request =
            gradeRequest(*task, std::move(*source), runsKernels(m_target) ? m_target : "sim:h100-sxm", newSecret());
        const auto result = runKernelJob(request, false);
        if (!result)
            return result.error();
        const auto facts = gradeAnswer(result->document, request.task, request.cases);
        if (!facts)
            return facts.error();
        const GradeVerdict verdict = judge(*task, *facts, std::nullopt);
        if (verdict.accepted != ideal)
            m_report.failures.push_back("kernel '" + block.id + "': " + file + " of the task " + id + " is " +
                                        (verdict.accepted ? "accepted" : "rejected"));
        const auto kept = classroom::keepKernel(m_store, *task, request, *facts, verdict);
        return kept ? Result<void>() : kept.error();
    }

    /// What a compare block lacks of its simulator's side.
    Result<void> simulate(const lessons::Block& block, const lessons::CompareBlock& compare)
    {
        StepReport report;
        if (auto done = runOn(report, lessons::simulatorOf(m_lesson, compare),
                              {block.id, compare.experiment, compare.at, {}}, {}, false);
            !done)
            return done;
        m_report.steps.push_back(std::move(report));
        return {};
    }

    /// Everything that was answered here so far, for what the page asks next.
    Result<lessons::QuizInstance> instanceNow(const lessons::Block& block, const lessons::QuizBlock& quiz) const
    {
        const auto evidence = app::evidenceFromStore(m_store, m_lesson.id);
        if (!evidence)
            return evidence.error();
        std::vector<const lessons::EvidenceAnswer*> answers;
        for (const lessons::EvidenceAnswer& answer : evidence->answers)
            if (answer.block == block.id)
                answers.push_back(&answer);
        return lessons::nextInstance(quiz, answers, 0);
    }

    Result<void> answer(const lessons::Block& block)
    {
        const bool ideal = m_learner == lessons::Learner::Ideal;
        const auto* quiz = std::get_if<lessons::QuizBlock>(&block.body);
        const auto give = [&](lessons::AnswerGiven given, bool mustBe) -> Result<void> {
            const bool correct = lessons::isRight(block, given);
            if (mustBe && correct != ideal)
                m_report.failures.push_back(block.kind + " '" + block.id + "': the " +
                                            (correct ? "wrong answer is taken for right" : "right answer is refused"));
            return keepAnswer(block, std::move(given), correct);
        };
        if (!quiz) {
            for (int time = 0; time < (ideal ? 1 : 2); ++time)
                if (auto kept = give(lessons::answerOf(block, m_learner), true); !kept)
                    return kept;
            return {};
        }
        auto instance = instanceNow(block, *quiz);
        if (!instance)
            return instance.error();
        lessons::AnswerGiven first = lessons::answerOf(block, m_learner, *instance);
        if (auto kept = give(first, true); !kept || ideal)
            return kept;
        if (m_learner == lessons::Learner::Wrong) {
            if (instance = instanceNow(block, *quiz); !instance)
                return instance.error();
            return give(lessons::answerOf(block, m_learner, *instance), true);
        }
        return cheat(block, *quiz, *instance, first, give);
    }

    /// Two clicks: a number that the explanation of the wrong answer names, else what the solution says, is given to
    /// whatever is asked next; then the very same answer once more.
    template<class Give>
    Result<void> cheat(const lessons::Block& block, const lessons::QuizBlock& quiz,
                       const lessons::QuizInstance& instance, const lessons::AnswerGiven& first, const Give& give)
    {
        lessons::AnswerGiven second = first;
        if (first.number) {
            if (const auto named = numberIn(lessons::explanationOf(block, first), *first.number))
                second.number = named;
            auto next = instanceNow(block, quiz);
            if (!next)
                return next.error();
            second.variant = next->variant;
            second.vars = next->vars;
            if (auto kept = give(second, false); !kept)
                return kept;
        }
        lessons::AnswerGiven shown;
        shown.shown = shown.hasInstance = true;
        shown.variant = instance.variant;
        shown.vars = instance.vars;
        if (auto kept = give(shown, false); !kept)
            return kept;
        const lessons::AnswerGiven solution = lessons::answerOf(block, lessons::Learner::Ideal, instance);
        auto next = instanceNow(block, quiz);
        if (!next)
            return next.error();
        for (int time = 0; time < 2; ++time) {
            lessons::AnswerGiven copied = solution;
            copied.variant = next->variant;
            copied.vars = next->vars;
            if (auto kept = give(std::move(copied), false); !kept)
                return kept;
        }
        return {};
    }

    static std::optional<double> numberIn(std::string_view text, double other)
    {
        for (std::size_t at = text.find_first_of("0123456789"); at != std::string_view::npos;
             at = text.find_first_of("0123456789", at)) {
            double value = 0;
            const auto read = std::from_chars(text.data() + at, text.data() + text.size(), value);
            if (read.ec == std::errc() && value != other)
                return value;
            at = std::max(at + 1, static_cast<std::size_t>(read.ptr - text.data()));
        }
        return std::nullopt;
    }

    /// Written, and rated: by the ideal learner and by the cheat as good, by the wrong one as not.
    Result<void> explain(const lessons::Block& block)
    {
        lessons::AnswerGiven given;
        given.text = m_learner == lessons::Learner::Ideal
                         ? "The reason, in my own words, with the numbers of this lesson."
                         : "It is so because it has always been like that.";
        if (auto kept = keepAnswer(block, given, false); !kept)
            return kept;
        given.rating = m_learner == lessons::Learner::Wrong ? "no" : "yes";
        return keepAnswer(block, given, m_learner != lessons::Learner::Wrong);
    }

    /// Who does the work imports a log; ours comes with the program.
    Result<void> import()
    {
        if (m_learner != lessons::Learner::Ideal)
            return {};
        for (const lessons::CheckSpec& check : m_lesson.checks) {
            if (check.kind != "imported")
                continue;
            const auto data = dataFolder();
            if (!data)
                return data.error();
            const auto log = *data / "assets" / "samples" / "logs" / (check.format + ".log");
            if (const auto row = app::importArtifact(m_store, log, {check.format, "", "", m_lesson.id}); !row)
                return row.error();
        }
        return {};
    }

    Result<void> ship()
    {
        auto artifact = app::composeArtifact(m_store, m_lesson, m_runs.catalogue(), "");
        if (!artifact) {
            if (artifact.error().code != "artifact-incomplete")
                return artifact.error();
            m_report.failures.push_back("the artifact cannot be shipped: " + artifact.error().message);
            return {};
        }
        const auto id = m_store.append(*artifact).result();
        if (!id)
            return id.error();
        m_report.artifact = std::move(*artifact);
        return {};
    }

    /// Every prediction with the run that followed it, and what that says about the authored wrong ones.
    void compare(const lessons::Evidence& evidence)
    {
        std::map<std::string, std::size_t> nth; // predictions of a block, in the order in which they were made
        for (PredictionReport& report : m_report.predictions) {
            const auto& predict = report.asked;
            const lessons::EvidenceRun* run = nullptr;
            std::vector<const lessons::EvidencePrediction*> own;
            for (const lessons::EvidencePrediction& prediction : evidence.predictions)
                if (prediction.block == report.block->id)
                    own.push_back(&prediction);
            std::ranges::sort(own, {}, [](const auto* one) { return one->seq; });
            if (const std::size_t at = nth[report.block->id]++; at < own.size())
                run = lessons::runAfter(*own[at], predict, evidence);
            if (!run || !run->metrics.contains(predict.metric)) {
                m_report.failures.push_back("predict '" + report.block->id + "': no run follows at its point");
                continue;
            }
            const MetricValue& metric = run->metrics.at(predict.metric);
            report.result = metric.value;
            lessons::Block there = *report.block;
            there.body = report.asked;
            if (report.authored)
                for (std::string& flaw : lessons::flawsOf(there, *report.result, metric.provenance))
                    m_report.failures.push_back(std::move(flaw));
        }
    }

    const lessons::Curriculum& m_curriculum;
    const lessons::Lesson& m_lesson;
    lessons::Learner m_learner;
    const std::string& m_target;
    StepRuns& m_runs;
    record::Store& m_store;
    std::map<std::string, std::string> m_predictions; ///< block -> id
    LessonReport m_report;
};

} // namespace

Result<LessonReport> walkLesson(const lessons::Curriculum& curriculum, const lessons::Lesson& lesson,
                                lessons::Learner learner, const std::string& target, StepRuns& runs,
                                record::Store& store)
{
    return Walk(curriculum, lesson, learner, target, runs, store).run();
}

} // namespace ridge::cli
