// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/evidence/progress.h"

#include "app/evidence/review.h"
#include "base/csv.h"
#include "base/json.h"

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

Result<Progress> progressOf(const record::Store& store, const lessons::Curriculum& curriculum, const std::string& now)
{
    Progress progress;
    auto lessons = standings(store, curriculum);
    if (!lessons)
        return lessons.error();
    progress.lessons = std::move(*lessons);
    progress.layers = skillByLayer(progress.lessons);
    auto outcomes = predictionOutcomes(store, 0);
    if (!outcomes)
        return outcomes.error();
    progress.outcomes = std::move(*outcomes);
    progress.calibration = calibrationOf(progress.outcomes);
    progress.topics = topicsOf(progress.outcomes, curriculum);
    const auto session = reviewSession(store, curriculum, now);
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
                               {"passed", one.passed},
                               {"shipped", one.shipped},
                               {"explained", one.explained},
                               {"mastery", masteryText(one.level)},
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
    return Json{{"format", "ridgepoint-progress/1"},
                {"lessons", std::move(lessons)},
                {"layers", std::move(layers)},
                {"calibration", std::move(calibration)},
                {"reviews_due", progress.reviewsDue}};
}

std::string progressCsv(const Progress& progress)
{
    const auto yes = [](bool value) { return std::string(value ? "yes" : "no"); };
    std::string out =
        csvLine({"lesson", "title", "predicted", "ran", "passed", "shipped", "explained", "mastery", "passed_at"});
    for (const LessonStanding& one : progress.lessons)
        out += csvLine({one.id, csvText(one.title), yes(one.predicted), yes(one.ran), yes(one.passed), yes(one.shipped),
                        yes(one.explained), masteryText(one.level), one.passedAt});
    return out;
}

} // namespace ridge::app
