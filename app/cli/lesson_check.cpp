// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge lesson check`: a lesson taken from beginning to end by a learner who is always right or always wrong, in a
// store of its own. Shows that the lesson can be passed, and that it cannot be passed without understanding.
#include "cli/commands.h"

#include "app/evidence/evidence.h"
#include "base/paths.h"
#include "base/units.h"
#include "cli/lesson_steps.h"
#include "lessons/answers.h"
#include "lessons/curriculum.h"
#include "lessons/learner.h"
#include "lessons/placeholders.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <cmath>
#include <cstdio>

namespace ridge::cli {
namespace {

struct StepReport {
    std::string block, experiment, target, provenance, validity;
    std::size_t points = 0;
    std::vector<std::string> failedChecks;
    double seconds = 0;
};

struct PredictionReport {
    const lessons::Block* block = nullptr;
    double committed = 0;
    std::optional<double> result; ///< none when no run followed at its point
};

struct AnswerReport {
    const lessons::Block* block = nullptr;
    lessons::AnswerGiven given;
    bool correct = false;
};

struct LessonReport {
    std::vector<StepReport> steps;
    std::vector<PredictionReport> predictions;
    std::vector<AnswerReport> answers;
    std::vector<lessons::CheckOutcome> checks;
    std::vector<std::string> failures; ///< what is wrong with the lesson itself, whoever learns
    std::optional<record::ArtifactRow> artifact;

    bool passed() const
    {
        return failures.empty() && std::all_of(checks.begin(), checks.end(), [](const auto& check) {
                   return check.state == lessons::CheckState::Passed;
               });
    }
};

const char* stateText(lessons::CheckState state)
{
    return state == lessons::CheckState::Passed   ? "passed"
           : state == lessons::CheckState::Failed ? "failed"
                                                  : "missing";
}

Json finite(double value)
{
    return std::isfinite(value) ? Json(value) : Json();
}

/// One learner going through one lesson. Every step that fails ends it: a lesson whose runs do not come to an end
/// cannot be judged.
class Walk {
public:
    Walk(const lessons::Lesson& lesson, lessons::Learner learner, std::string target,
         const std::vector<ExperimentInfo>& catalogue, record::Store& store)
        : m_lesson(lesson), m_learner(learner), m_target(std::move(target)), m_catalogue(catalogue), m_store(store)
    {
    }

    Result<LessonReport> run()
    {
        for (const lessons::Block* block : m_lesson.blocks())
            if (auto done = take(*block); !done)
                return done.error();
        if (auto done = ship(); !done)
            return done.error();
        const auto evidence = app::evidenceFromStore(m_store, m_lesson.id);
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
        if (block.kind == "quiz" || block.kind == "order")
            return answer(block);
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
        for (int time = sweep ? lessons::timesToRun(m_lesson, *sweep) : 1; time > 0; --time)
            if (auto done = runInto(report, *step, prediction == m_predictions.end() ? "" : prediction->second); !done)
                return done;
        m_report.steps.push_back(std::move(report));
        return {};
    }

    Result<std::string> targetOf(const std::string& experiment) const
    {
        const auto info = findExperiment(m_catalogue, experiment);
        if (!info)
            return info.error();
        return targetFor(*info, m_target);
    }

    Result<void> runInto(StepReport& report, const LessonStep& step, const std::string& predictionId)
    {
        const auto target = targetOf(step.experiment);
        if (!target)
            return target.error();
        QElapsedTimer timer;
        timer.start();
        const auto done = runStep(step, *target, {m_lesson.id, step.block, predictionId}, m_catalogue, &m_store);
        if (!done) {
            Error error = done.error();
            error.place = "block '" + step.block + "' on " + *target + (error.place.empty() ? "" : ", " + error.place);
            return error;
        }
        report.block = step.block;
        report.experiment = step.experiment;
        report.target = *target;
        report.provenance = toText(done->job.started.provenance);
        report.validity = done->job.validity;
        report.points += done->job.samples.size();
        report.seconds += static_cast<double>(timer.elapsed()) / 1e3;
        for (const CheckResult& check : done->job.checks)
            if (!check.passed)
                report.failedChecks.push_back(check.name + ": " + check.detail);
        for (const SampleEvent& sample : done->job.samples)
            for (const CheckResult& check : sample.checks)
                if (!check.passed)
                    report.failedChecks.push_back(check.name + ": " + check.detail);
        return {};
    }

    /// What the point of a prediction gives, from a run that leaves no trace in the record. Predictions of one point
    /// share its run.
    Result<double> rehearse(const lessons::Block& block, const lessons::PredictBlock& predict)
    {
        const auto target = targetOf(predict.experiment);
        if (!target)
            return target.error();
        const auto point = std::pair(predict.experiment, predict.at);
        if (!m_rehearsed.contains(point)) {
            const auto done =
                runStep({block.id, predict.experiment, predict.at, {}}, *target, {}, m_catalogue, nullptr);
            if (!done)
                return done.error();
            for (const SampleEvent& sample : done->job.samples)
                m_rehearsed[point].insert(sample.metrics.begin(), sample.metrics.end());
        }
        if (const auto found = m_rehearsed[point].find(predict.metric); found != m_rehearsed[point].end())
            return found->second.value;
        return Error{"bad-lesson", predict.experiment + " gives no " + predict.metric + " on " + *target,
                     "predict '" + block.id + "'", "predict a metric that the experiment has on every target"};
    }

    Result<void> commit(const lessons::Block& block, const lessons::PredictBlock& predict)
    {
        double result = 0; // the wrong learner needs none
        if (m_learner == lessons::Learner::Ideal || predict.misconceptions.empty()) {
            const auto rehearsed = rehearse(block, predict);
            if (!rehearsed)
                return rehearsed.error();
            result = *rehearsed;
        }
        const lessons::Commitment given = lessons::commitmentOf(predict, m_learner, result);
        record::PredictionRow row;
        row.lesson = m_lesson.id;
        row.block = block.id;
        row.experiment = predict.experiment;
        row.metric = predict.metric;
        row.unit = predict.unit;
        row.params = predict.at;
        row.point = given.point;
        row.low = given.low;
        row.high = given.high;
        const auto id = m_store.append(std::move(row)).result();
        if (!id)
            return id.error();
        m_predictions[block.id] = *id;
        m_report.predictions.push_back({&block, given.point, std::nullopt});
        return {};
    }

    Result<void> answer(const lessons::Block& block)
    {
        AnswerReport report{&block, lessons::answerOf(block, m_learner), false};
        report.correct = lessons::isRight(block, report.given);
        record::AnswerRow row;
        row.lesson = m_lesson.id;
        row.block = block.id;
        row.answer = app::toJson(report.given);
        row.correct = report.correct;
        const auto id = m_store.append(std::move(row)).result();
        if (!id)
            return id.error();
        if (report.correct != (m_learner == lessons::Learner::Ideal))
            m_report.failures.push_back(
                block.kind + " '" + block.id + "': the " +
                (report.correct ? "wrong answer is taken for right" : "right answer is refused"));
        m_report.answers.push_back(std::move(report));
        return {};
    }

    Result<void> ship()
    {
        auto artifact = app::composeArtifact(m_store, m_lesson, m_catalogue, "");
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
        for (PredictionReport& report : m_report.predictions) {
            const auto& predict = std::get<lessons::PredictBlock>(report.block->body);
            const lessons::EvidenceRun* run = nullptr;
            for (const lessons::EvidencePrediction& prediction : evidence.predictions)
                if (prediction.block == report.block->id)
                    run = lessons::runAfter(prediction, predict, evidence);
            if (!run || !run->metrics.contains(predict.metric)) {
                m_report.failures.push_back("predict '" + report.block->id + "': no run follows at its point");
                continue;
            }
            report.result = run->metrics.at(predict.metric).value;
            for (std::string& flaw : lessons::flawsOf(*report.block, *report.result))
                m_report.failures.push_back(std::move(flaw));
        }
    }

    const lessons::Lesson& m_lesson;
    lessons::Learner m_learner;
    std::string m_target;
    const std::vector<ExperimentInfo>& m_catalogue;
    record::Store& m_store;
    std::map<std::string, std::string> m_predictions; ///< block -> id
    std::map<std::pair<std::string, ParamSet>, std::map<std::string, MetricValue>>
        m_rehearsed; ///< by experiment and point
    LessonReport m_report;
};

double factorOf(double committed, double result)
{
    return lessons::scorePrediction(committed, committed, committed, result).factor;
}

Json predictionJson(const PredictionReport& report)
{
    const auto& predict = std::get<lessons::PredictBlock>(report.block->body);
    Json wrong = Json::array();
    if (report.result)
        for (const auto& one : lessons::compareWrong(predict, *report.result))
            wrong.push_back(Json{{"id", one.misconception->id},
                                 {"value", one.misconception->value},
                                 {"factor", finite(one.factor)},
                                 {"explains", one.misconception->explains}});
    return Json{{"block", report.block->id},
                {"metric", predict.metric},
                {"unit", predict.unit},
                {"committed", report.committed},
                {"result", report.result ? Json(*report.result) : Json()},
                {"factor", report.result ? finite(factorOf(report.committed, *report.result)) : Json()},
                {"wrong", wrong}};
}

Json reportJson(const lessons::Lesson& lesson, const LessonCheckOptions& options, const std::string& target,
                const LessonReport& report)
{
    Json json{{"lesson", lesson.id}, {"title", lesson.title},     {"learner", options.learner},
              {"target", target},    {"passed", report.passed()}, {"failures", report.failures}};
    for (const char* list : {"steps", "predictions", "answers", "checks"})
        json[list] = Json::array();
    for (const StepReport& step : report.steps)
        json["steps"].push_back(Json{{"block", step.block},
                                     {"experiment", step.experiment},
                                     {"target", step.target},
                                     {"provenance", step.provenance},
                                     {"validity", step.validity},
                                     {"points", step.points},
                                     {"failed_checks", step.failedChecks},
                                     {"seconds", step.seconds}});
    for (const PredictionReport& prediction : report.predictions)
        json["predictions"].push_back(predictionJson(prediction));
    for (const AnswerReport& answer : report.answers)
        json["answers"].push_back(Json{{"block", answer.block->id},
                                       {"given", lessons::answerText(*answer.block, answer.given)},
                                       {"correct", answer.correct},
                                       {"explains", lessons::explanationOf(*answer.block, answer.given)}});
    for (std::size_t i = 0; i < report.checks.size(); ++i)
        json["checks"].push_back(Json{{"id", report.checks[i].id},
                                      {"title", report.checks[i].title},
                                      {"kind", lesson.checks[i].kind},
                                      {"state", stateText(report.checks[i].state)},
                                      {"detail", report.checks[i].detail}});
    json["artifact"] = report.artifact ? Json{{"title", report.artifact->title},
                                              {"kind", report.artifact->kind},
                                              {"level", report.artifact->level},
                                              {"claim", report.artifact->claim}}
                                       : Json();
    return json;
}

void printReport(const lessons::Lesson& lesson, const LessonCheckOptions& options, const std::string& target,
                 const LessonReport& report)
{
    std::printf("%s  %s, %s learner on %s\n\n", lesson.id.c_str(), lesson.title.c_str(), options.learner.c_str(),
                target.c_str());
    std::vector<std::vector<std::string>> rows;
    for (const StepReport& step : report.steps)
        rows.push_back({step.block, step.experiment, step.target, step.provenance, std::to_string(step.points),
                        step.failedChecks.empty() ? "–" : step.failedChecks.front(), formatNumber(step.seconds)});
    std::printf(
        "%s\n",
        table({"BLOCK", "EXPERIMENT", "TARGET", "PROVENANCE", "POINTS", "FAILED CHECK", "SECONDS"}, rows).c_str());
    rows.clear();
    for (const PredictionReport& prediction : report.predictions) {
        const auto& predict = std::get<lessons::PredictBlock>(prediction.block->body);
        rows.push_back({prediction.block->id, "commits " + formatQuantity(prediction.committed, predict.unit),
                        prediction.result ? formatQuantity(*prediction.result, predict.unit) : "no run"});
        if (prediction.result)
            for (const auto& wrong : lessons::compareWrong(predict, *prediction.result))
                rows.push_back(
                    {"", wrong.misconception->id + " " + formatQuantity(wrong.misconception->value, predict.unit),
                     std::isfinite(wrong.factor) ? "× " + formatNumber(wrong.factor) : "–"});
    }
    std::printf("%s\n", table({"PREDICTION", "COMMITTED, AND WHAT OTHERS WOULD", "RESULT, OR FACTOR"}, rows).c_str());
    rows.clear();
    for (const AnswerReport& answer : report.answers)
        rows.push_back(
            {answer.block->id, answer.correct ? "right" : "wrong", lessons::answerText(*answer.block, answer.given)});
    std::printf("%s\n", table({"ANSWER", "", "GIVEN"}, rows).c_str());
    for (const lessons::CheckOutcome& check : report.checks)
        std::printf("  %-8s%s: %s\n", stateText(check.state), check.title.c_str(), check.detail.c_str());
    if (report.artifact)
        std::printf("\n%s\n", report.artifact->claim.c_str());
    for (const std::string& failure : report.failures)
        std::fprintf(stderr, "ridge: lesson %s: %s\n", lesson.id.c_str(), failure.c_str());
    std::printf("\n%s\n", report.passed() ? "passed" : "not passed");
}

/// `wanted` when the worker knows it and it is ready. Errors: "unknown-target", "target-unavailable".
Result<std::string> readyTarget(const std::string& wanted)
{
    const auto document = queryTargets();
    if (!document)
        return document.error();
    std::vector<std::string> known;
    for (const Json& target : document->at("targets")) {
        known.push_back(target.value("id", ""));
        if (known.back() != wanted)
            continue;
        if (!target.value("available", false))
            return Error{"target-unavailable", target.value("reason", ""), wanted, target.value("fix", "")};
        return wanted;
    }
    std::string near;
    for (const std::string& name : nearestNames(wanted, known))
        near += (near.empty() ? "did you mean " : " or ") + name;
    return Error{"unknown-target", "there is no target '" + wanted + "'", "--target",
                 near.empty() ? "ridge targets lists them" : near + "? ridge targets lists them all"};
}

} // namespace

int lessonCheckCommand(const LessonCheckOptions& options)
{
    const auto data = dataFolder();
    if (!data)
        return report(data.error());
    const auto loaded = lessons::loadCurriculum(*data / "curriculum");
    const auto lesson = lessons::loadLesson(loaded.curriculum, options.lesson);
    if (!lesson)
        return report(lesson.error());
    const auto target = options.target.empty() ? chooseTarget(lesson->target) : readyTarget(options.target);
    if (!target)
        return report(target.error());
    const auto catalogue = loadCatalogue();
    if (!catalogue)
        return report(catalogue.error());
    const QTemporaryDir home;
    if (!home.isValid())
        return report({"cannot-write", home.errorString().toStdString(), "folder for temporary files",
                       "make room there, or set TMPDIR"});
    const auto store = record::Store::open(home.path().toStdString());
    if (!store)
        return report(store.error());
    const auto learner = options.learner == "wrong" ? lessons::Learner::Wrong : lessons::Learner::Ideal;
    const auto walked = Walk(*lesson, learner, *target, *catalogue, **store).run();
    if (!walked)
        return report(walked.error());
    if (options.json)
        std::printf(
            "%s\n",
            reportJson(*lesson, options, *target, *walked).dump(2, ' ', false, Json::error_handler_t::replace).c_str());
    else
        printReport(*lesson, options, *target, *walked);
    return walked->passed() ? Done : Failed;
}

} // namespace ridge::cli
