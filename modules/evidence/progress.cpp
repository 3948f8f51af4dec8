// SPDX-License-Identifier: GPL-3.0-or-later
#include "evidence/progress.h"

#include "base/csv.h"
#include "base/json.h"
#include "evidence/review.h"

#include <algorithm>

namespace ridge::app {

namespace {

Json calibrationJson(const Calibration& calibration)
{
    const bool any = calibration.predictions > 0;
    return Json{{"predictions", calibration.predictions},
                {"held", calibration.held},
                {"median_factor", any ? Json(calibration.medianFactor) : Json()},
                {"mean_interval_score", any ? Json(calibration.meanScore) : Json()}};
}

std::vector<TopicCalibration> topicsOf(const std::vector<PredictionOutcome>& outcomes,
                                       const lessons::Curriculum& curriculum)
{
    std::map<int, std::vector<PredictionOutcome>> byModule;
    for (const PredictionOutcome& outcome : outcomes) {
        const lessons::Lesson* head = curriculum.head(outcome.lesson);
        byModule[head ? head->module : 0].push_back(outcome);
    }
    std::vector<TopicCalibration> topics;
    for (const auto& [module, own] : byModule) {
        std::string title = "Outside lessons";
        for (const lessons::ModuleInfo& info : curriculum.modules)
            if (info.number == module)
                title = info.title;
        topics.push_back({module, title, calibrationOf(own)});
    }
    return topics;
}

} // namespace

namespace {

void keepBack(LessonStanding& one, const Discretion& discretion)
{
    one.passedHeld = Discretion::reason(discretion.checks, one.id);
    one.explainedHeld = Discretion::reason(discretion.explained, one.id);
    one.levelHeld = Discretion::reason(discretion.standing, one.id);
    if (!one.passedHeld.empty()) {
        one.passed = false;
        one.passedAt.clear();
    }
    if (!one.explainedHeld.empty())
        one.explained = false;
    if (!one.levelHeld.empty())
        one.level = record::MasteryLevel::None;
}

} // namespace

Result<Progress> progressOf(const record::Store& store, const lessons::Curriculum& curriculum, const std::string& now,
                            const Discretion& discretion)
{
    Progress progress;
    auto lessons = standings(store, curriculum);
    if (!lessons)
        return lessons.error();
    progress.lessons = std::move(*lessons);
    for (LessonStanding& one : progress.lessons)
        keepBack(one, discretion);
    progress.layers = skillByLayer(progress.lessons);
    auto outcomes = predictionOutcomes(store, 0);
    if (!outcomes)
        return outcomes.error();
    progress.outcomes = std::move(*outcomes);
    std::erase_if(progress.outcomes, [&](const PredictionOutcome& outcome) {
        const std::string why = Discretion::reason(discretion.predictions, outcome.lesson);
        if (!why.empty() && std::ranges::find(progress.held, why) == progress.held.end())
            progress.held.push_back(why);
        return !why.empty();
    });
    progress.calibration = calibrationOf(progress.outcomes);
    progress.topics = topicsOf(progress.outcomes, curriculum);
    const auto session = reviewSession(store, curriculum, now, discretion);
    if (!session)
        return session.error();
    progress.reviewsDue = session->tasks.size();
    return progress;
}

Json progressJson(const Progress& progress)
{
    Json lessons = Json::array(), layers = Json::array(), topics = Json::array();
    for (const LessonStanding& one : progress.lessons)
        lessons.push_back(Json{{"id", one.id},
                               {"title", one.title},
                               {"module", one.module},
                               {"predicted", one.predicted},
                               {"ran", one.ran},
                               {"passed", one.passedHeld.empty() ? Json(one.passed) : Json()},
                               {"shipped", one.shipped},
                               {"explained", one.explainedHeld.empty() ? Json(one.explained) : Json()},
                               {"mastery", one.levelHeld.empty() ? Json(masteryText(one.level)) : Json()},
                               {"passed_at", one.passedAt.empty() ? Json() : Json(one.passedAt)}});
    for (const LayerSkill& skill : progress.layers)
        layers.push_back(Json{{"layer", skill.layer},
                              {"lessons", skill.lessons},
                              {"met", skill.met},
                              {"solid", skill.solid},
                              {"mastered", skill.mastered}});
    for (const TopicCalibration& topic : progress.topics) {
        Json one = calibrationJson(topic.calibration);
        one["module"] = topic.module;
        one["title"] = topic.title;
        topics.push_back(std::move(one));
    }
    Json calibration = calibrationJson(progress.calibration);
    calibration["topics"] = std::move(topics);
    return Json{{"format", "ridgepoint-progress/1"},  {"lessons", std::move(lessons)},
                {"layers", std::move(layers)},        {"calibration", std::move(calibration)},
                {"reviews_due", progress.reviewsDue}, {"held", progress.held}};
}

std::string progressCsv(const Progress& progress)
{
    const auto yes = [](bool value) { return std::string(value ? "yes" : "no"); };
    std::string out =
        csvLine({"lesson", "title", "predicted", "ran", "passed", "shipped", "explained", "mastery", "passed_at"});
    for (const LessonStanding& one : progress.lessons)
        out += csvLine({one.id, csvText(one.title), yes(one.predicted), yes(one.ran),
                        one.passedHeld.empty() ? yes(one.passed) : std::string(), yes(one.shipped),
                        one.explainedHeld.empty() ? yes(one.explained) : std::string(),
                        one.levelHeld.empty() ? masteryText(one.level) : std::string(), one.passedAt});
    return out;
}

} // namespace ridge::app
