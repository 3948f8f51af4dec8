// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge lesson check`: a lesson taken from beginning to end by a learner who reasons, one who is wrong twice and one
// who cheats, each in a store of its own. Shows that the lesson can be passed, and that it cannot be passed without
// understanding.
#include "cli/commands.h"

#include "base/paths.h"
#include "base/units.h"
#include "cli/lesson_walk.h"
#include "lessons/curriculum.h"

#include <cmath>
#include <cstdio>

namespace ridge::cli {
namespace {

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

double factorOf(double committed, double result)
{
    return lessons::scorePrediction(committed, committed, committed, result).factor;
}

/// A check of the kind drawn judges a curve, with its runs; the writer of an explanation judges it, by rating it.
bool isJudged(const AnswerReport& answer)
{
    const auto& body = answer.block->body;
    return !std::holds_alternative<lessons::DrawBlock>(body) &&
           !(std::holds_alternative<lessons::ExplainBlock>(body) && answer.given.rating.empty());
}

Json predictionJson(const PredictionReport& report)
{
    const lessons::PredictBlock& predict = report.asked;
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
                {"at", ridge::toJson(predict.at)},
                {"reasoned", report.reasoned},
                {"result", report.result ? Json(*report.result) : Json()},
                {"factor", report.result ? finite(factorOf(report.committed, *report.result)) : Json()},
                {"wrong", wrong}};
}

Json reportJson(const lessons::Lesson& lesson, const std::string& learner, const std::string& target,
                const LessonReport& report)
{
    Json json{{"lesson", lesson.id}, {"title", lesson.title},     {"learner", learner},
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
                                       {"correct", isJudged(answer) ? Json(answer.correct) : Json()},
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

void printReport(const lessons::Lesson& lesson, const std::string& learner, const std::string& target,
                 const LessonReport& report)
{
    std::printf("%s  %s, %s learner on %s\n\n", lesson.id.c_str(), lesson.title.c_str(), learner.c_str(),
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
        const lessons::PredictBlock& predict = prediction.asked;
        rows.push_back(
            {prediction.block->id,
             (prediction.reasoned ? "works out " : "commits ") + formatQuantity(prediction.committed, predict.unit),
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
        rows.push_back({answer.block->id,
                        !isJudged(answer) ? "given"
                        : answer.correct  ? "right"
                                          : "wrong",
                        lessons::answerText(*answer.block, answer.given)});
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

/// In a store of its own, which is thrown away, or in the folder `keep`, behind what is in it.
Result<LessonReport> takeAs(const std::string& learner, const lessons::Curriculum& curriculum,
                            const lessons::Lesson& lesson, const std::string& target, StepRuns& runs,
                            const std::string& keep)
{
    const QTemporaryDir home;
    if (!home.isValid())
        return Error{"cannot-write", home.errorString().toStdString(), "folder for temporary files",
                     "make room there, or set TMPDIR"};
    const auto store = record::Store::open(keep.empty() ? home.path().toStdString() : keep);
    if (!store)
        return store.error();
    const auto as = learner == "wrong"   ? lessons::Learner::Wrong
                    : learner == "cheat" ? lessons::Learner::Cheat
                                         : lessons::Learner::Ideal;
    return walkLesson(curriculum, lesson, as, target, runs, **store);
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
    const auto runs = StepRuns::open(*catalogue);
    if (!runs)
        return report(runs.error());
    const bool all = options.learner == "all", both = all || options.learner == "both";
    std::string summary;
    Json documents = Json::object();
    bool asItShould = true;
    for (const char* learner : {"ideal", "wrong", "cheat"}) {
        const bool cheat = std::string_view(learner) == "cheat";
        if (options.learner != learner && (!both || (cheat && !all)))
            continue;
        const auto walked = takeAs(learner, loaded.curriculum, *lesson, *target, **runs, options.keep);
        if (!walked)
            return report(walked.error());
        const bool ideal = std::string_view(learner) == "ideal";
        asItShould = asItShould && (both && !ideal ? !walked->passed() && walked->failures.empty() : walked->passed());
        summary += (summary.empty() ? "" : " / ") + std::string(walked->passed() ? "pass" : "fail");
        if (options.json)
            documents[learner] = reportJson(*lesson, learner, *target, *walked);
        else
            printReport(*lesson, learner, *target, *walked);
    }
    if (options.json)
        std::printf(
            "%s\n",
            (both ? documents : documents.begin().value()).dump(2, ' ', false, Json::error_handler_t::replace).c_str());
    else if (both)
        std::printf("%s %s: %s (%s)\n", lesson->id.c_str(), lesson->title.c_str(), summary.c_str(),
                    all ? "ideal / wrong / cheat" : "ideal / wrong");
    return asItShould ? Done : Failed;
}

} // namespace ridge::cli
