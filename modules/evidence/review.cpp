// SPDX-License-Identifier: GPL-3.0-or-later
#include "evidence/review.h"

#include "base/json.h"
#include "lessons/instances.h"
#include "lessons/placeholders.h"

#include <QDateTime>
#include <algorithm>
#include <cmath>
#include <set>

namespace ridge::app {

namespace {

constexpr int kDaysToMastery = 3;        ///< product section 1.6
constexpr std::size_t kMostPoints = 200; ///< at which one block may ask
constexpr double kHit = 2;               ///< factor, product section 1.6
const char* const kEndOfTime = "9999-12-31T00:00:00.000Z";

QDateTime timeOf(const std::string& iso)
{
    return QDateTime::fromString(QString::fromStdString(iso), Qt::ISODateWithMs).toUTC();
}

std::string isoOf(const QDateTime& time)
{
    return time.toUTC().toString(Qt::ISODateWithMs).toStdString();
}

std::string daysBefore(const std::string& now, int days)
{
    return isoOf(timeOf(now).addDays(-days));
}

int moduleOf(const lessons::Curriculum& curriculum, const std::string& lesson)
{
    const lessons::Lesson* head = curriculum.head(lesson);
    return head ? head->module : 0;
}

/// One prediction of a lesson, the oldest that has a result: the one its pass rests on.
Result<std::optional<ReviewTask>> ofPassedLesson(const record::Store& store, const std::string& lesson,
                                                 const std::set<std::string>& answered,
                                                 const std::set<std::string>& reviews)
{
    const auto predictions = store.predictions(lesson);
    if (!predictions)
        return predictions.error();
    for (auto row = predictions->rbegin(); row != predictions->rend(); ++row)
        if (!row->block.empty() && answered.contains(row->id) && !reviews.contains(row->id))
            return std::optional(ReviewTask{row->id, lesson, row->block, false, 1});
    return std::optional<ReviewTask>();
}

/// Takes, again and again, the first task of another module than the one before, else of another lesson, else the
/// first.
std::vector<ReviewTask> interleaved(std::vector<ReviewTask> tasks, const lessons::Curriculum& curriculum)
{
    std::vector<ReviewTask> order;
    while (!tasks.empty()) {
        auto chosen = tasks.begin();
        if (!order.empty()) {
            const ReviewTask& last = order.back();
            const int module = moduleOf(curriculum, last.lesson);
            auto other = std::ranges::find_if(
                tasks, [&](const ReviewTask& task) { return moduleOf(curriculum, task.lesson) != module; });
            if (other == tasks.end())
                other = std::ranges::find_if(tasks, [&](const ReviewTask& task) { return task.lesson != last.lesson; });
            if (other != tasks.end())
                chosen = other;
        }
        order.push_back(*chosen);
        tasks.erase(chosen);
    }
    return order;
}

/// Values that a person who took the lesson could be asked about: what its sweeps visit, else what the experiment
/// suggests, else every choice.
std::vector<ParamValue> valuesOf(const lessons::Lesson& lesson, const ExperimentInfo& experiment, const ParamSpec& spec,
                                 std::string_view targetClass)
{
    std::vector<ParamValue> values;
    const auto add = [&](const std::string& sweep) {
        if (const auto axis = parseSweep(experiment.parameters, sweep); axis && axis->name == spec.name)
            values.insert(values.end(), axis->values.begin(), axis->values.end());
    };
    for (const lessons::Block* block : lesson.blocks())
        if (const auto* sweep = std::get_if<lessons::SweepBlock>(&block->body);
            sweep && sweep->experiment == experiment.id)
            for (const std::string& axis : sweep->sweep)
                add(axis);
    if (values.empty())
        if (const auto suggested = spec.sweepFor.find(std::string(targetClass)); suggested != spec.sweepFor.end())
            add(spec.name + "=" + suggested->second);
    if (values.empty())
        values = spec.choices;
    return values;
}

} // namespace

std::string reviewBlock(const std::string& block, int nth)
{
    return "review:" + block + ":" + std::to_string(nth);
}

Result<ReviewSession> reviewSession(const record::Store& store, const lessons::Curriculum& curriculum,
                                    const std::string& now, const Discretion& discretion)
{
    const auto waits = [&](const std::string& lesson) {
        return !curriculum.head(lesson) || // a lesson of another curriculum cannot be asked about
               !Discretion::reason(discretion.predictions, lesson).empty() ||
               !Discretion::reason(discretion.standing, lesson).empty();
    };
    const auto due = store.dueReviews(now);
    if (!due)
        return due.error();
    std::vector<ReviewTask> tasks;
    std::set<std::string> lessonsDue;
    for (const record::DueReview& review : *due) {
        if (waits(review.lesson))
            continue;
        tasks.push_back({review.predictionId, review.lesson, review.block, true, 1});
        lessonsDue.insert(review.lesson);
    }
    auto mastery = store.mastery();
    const auto reviews = store.reviews();
    if (!mastery || !reviews)
        return !mastery ? mastery.error() : reviews.error();
    const std::string ago = daysBefore(now, kDaysToMastery);
    std::erase_if(*mastery, [&](const record::LessonMastery& row) {
        return row.level == record::MasteryLevel::Mastered || row.lastAt > ago || lessonsDue.contains(row.lesson) ||
               waits(row.lesson);
    });
    // Home asks with every visit: the results of all predictions are looked up only where a lesson is due.
    const auto results = mastery->empty()
                             ? Result<std::vector<record::PredictionResult>>(std::vector<record::PredictionResult>{})
                             : store.predictionResults();
    if (!results)
        return results.error();
    std::set<std::string> answered, ofReviews;
    for (const record::PredictionResult& result : *results)
        answered.insert(result.predictionId);
    for (const record::ReviewRow& review : *reviews)
        ofReviews.insert(review.predictionId);
    for (const record::LessonMastery& row : *mastery) {
        const auto task = ofPassedLesson(store, row.lesson, answered, ofReviews);
        if (!task)
            return task.error();
        if (*task) {
            tasks.push_back(**task);
            lessonsDue.insert(row.lesson);
        }
    }
    for (ReviewTask& task : tasks)
        task.nth +=
            static_cast<int>(std::ranges::count(*reviews, task.ofPredictionId, &record::ReviewRow::ofPredictionId));
    return ReviewSession{interleaved(std::move(tasks), curriculum), lessonsDue.size() > 1};
}

Result<std::optional<NextReviews>> nextReviews(const record::Store& store, const lessons::Curriculum& curriculum,
                                               const std::string& now, const Discretion& discretion)
{
    const auto surprises = store.dueReviews(kEndOfTime);
    const auto mastery = store.mastery();
    if (!surprises || !mastery)
        return !surprises ? surprises.error() : mastery.error();
    std::set<QDate> days; // on which something may come back; what does, the session of that day says
    const auto add = [&](const QDateTime& when) {
        if (when > timeOf(now))
            days.insert(when.toLocalTime().date());
    };
    for (const record::DueReview& review : *surprises)
        add(timeOf(review.dueAt));
    for (const record::LessonMastery& row : *mastery)
        if (row.level != record::MasteryLevel::Mastered)
            add(timeOf(row.lastAt).addDays(kDaysToMastery));
    const QDate today = timeOf(now).toLocalTime().date();
    for (const QDate& day : days) {
        const auto session = reviewSession(store, curriculum, isoOf(day.endOfDay()), discretion);
        if (!session)
            return session.error();
        if (!session->tasks.empty())
            return std::optional(NextReviews{int(today.daysTo(day)), int(session->tasks.size())});
    }
    return std::optional<NextReviews>();
}

Result<ParamSet> changedInstance(const lessons::Lesson& lesson, const lessons::Block& predict,
                                 const ExperimentInfo& experiment, std::string_view targetClass,
                                 const std::vector<ParamSet>& asked, std::uint64_t seed)
{
    const auto* body = std::get_if<lessons::PredictBlock>(&predict.body);
    if (!body || body->experiment != experiment.id)
        return Error{"unknown-experiment",
                     "the block \"" + predict.id + "\" asks about another experiment than " + experiment.id,
                     "lesson " + lesson.id, ""};
    std::vector<ParamSet> fresh, used;
    for (const auto& [name, value] : body->at) {
        const auto spec = std::ranges::find(experiment.parameters, name, &ParamSpec::name);
        if (spec == experiment.parameters.end())
            continue;
        for (const ParamValue& other : valuesOf(lesson, experiment, *spec, targetClass)) {
            if (toText(other) == toText(value))
                continue;
            ParamSet point = body->at;
            point[name] = other;
            const bool known = std::ranges::any_of(asked, [&](const ParamSet& old) { return hasAll(old, point); });
            (known ? used : fresh).push_back(std::move(point));
        }
    }
    const std::vector<ParamSet>& from = fresh.empty() ? used : fresh;
    if (from.empty())
        return Error{"no-other-instance", "the block \"" + predict.id + "\" can be asked at one point only",
                     "lesson " + lesson.id, "sweep one of its parameters in the lesson"};
    return from[seed % from.size()];
}

std::vector<ParamSet> pointsToAsk(const lessons::Lesson& lesson, const lessons::Block& predict,
                                  const ExperimentInfo& experiment, std::string_view targetClass, std::uint64_t seed)
{
    const auto& body = std::get<lessons::PredictBlock>(predict.body);
    std::vector<ParamSet> points{body.at};
    const auto add = [&](ParamSet point) {
        const bool there = std::ranges::any_of(
            points, [&](const ParamSet& one) { return lessons::matches(one, point) && lessons::matches(point, one); });
        if (!there && points.size() < kMostPoints)
            points.push_back(std::move(point));
    };
    for (const std::size_t i : lessons::drawOrder(body.vary.size(), seed)) {
        ParamSet point = body.at;
        for (const auto& [name, value] : body.vary[i])
            point[name] = value;
        add(std::move(point));
    }
    std::set<std::string> varied;
    for (const ParamSet& set : body.vary)
        for (const auto& [name, value] : set)
            varied.insert(name);
    std::vector<ParamSet> swept, between;
    for (const ParamSpec& spec : experiment.parameters) {
        const auto at = body.at.find(spec.name);
        // With `vary` the author has said what may change; without it, what the block names and a sweep of it visits.
        if (at == body.at.end() || (!varied.empty() && !varied.contains(spec.name)))
            continue;
        std::vector<ParamValue> values = valuesOf(lesson, experiment, spec, targetClass);
        const auto put = [&](std::vector<ParamSet>& list, const ParamValue& value) {
            ParamSet point = body.at;
            point[spec.name] = value;
            list.push_back(std::move(point));
        };
        if (varied.empty())
            for (const ParamValue& value : values)
                put(swept, value);
        if (!varied.empty())
            for (const ParamSet& set : body.vary)
                if (const auto found = set.find(spec.name); found != set.end())
                    values.push_back(found->second);
        if (!isNumber(spec.type) || !spec.choices.empty())
            continue;
        std::vector<double> numbers;
        for (const ParamValue& value : values)
            if (const auto number = asNumber(value))
                numbers.push_back(*number);
        if (numbers.empty())
            continue;
        std::ranges::sort(numbers);
        const bool log = spec.scale == ParamScale::Log2 && numbers.front() > 0;
        for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
            const double low = numbers[i], high = numbers[i + 1];
            for (int part = 1; part < 4; ++part) {
                double middle = log ? low * std::pow(high / low, part / 4.0) : low + (high - low) * part / 4;
                if (spec.type == ParamType::Integer)
                    middle = std::round(middle);
                const ParamValue value = spec.type == ParamType::Integer ? ParamValue(static_cast<std::int64_t>(middle))
                                                                         : ParamValue(middle);
                if (middle > low && middle < high && checkValue(spec, value).ok())
                    put(between, value);
            }
        }
    }
    for (const std::size_t i : lessons::drawOrder(swept.size(), seed))
        add(swept[i]);
    for (const std::size_t i : lessons::drawOrder(between.size(), seed))
        add(between[i]);
    return points;
}

Result<ParamSet> nextPoint(const record::Store& store, const lessons::Lesson& lesson, const lessons::Block& predict,
                           const ExperimentInfo& experiment, std::string_view targetClass,
                           const std::vector<ParamSet>& asked, std::uint64_t seed)
{
    const auto points = pointsToAsk(lesson, predict, experiment, targetClass, seed);
    const auto& body = std::get<lessons::PredictBlock>(predict.body);
    // One pass over the runs of the experiment, newest first: the newest at each point is what it was last known by.
    std::vector<std::string> knownSince(points.size());
    std::set<std::string> seen;
    Result<void> read;
    const auto looked = store.eachRun({{}, {body.experiment}, {}, {}}, [&](record::RunFact&& fact) {
        if (!seen.insert(fact.params).second)
            return true;
        const auto json = parseJson(fact.params, "row " + fact.id);
        const auto params = json ? paramSetFromJson(*json, "row " + fact.id) : Result<ParamSet>(json.error());
        if (!params) {
            read = params.error();
            return false;
        }
        for (std::size_t i = 0; i < points.size(); ++i)
            if (knownSince[i].empty() && lessons::matches(*params, points[i]))
                knownSince[i] = fact.createdAt;
        return true;
    });
    if (!looked || !read)
        return !looked ? looked.error() : read.error();
    std::size_t oldest = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const bool before =
            std::ranges::any_of(asked, [&](const ParamSet& old) { return lessons::matches(old, points[i]); });
        if (knownSince[i].empty() && !before)
            return points[i];
        if (knownSince[i] < knownSince[oldest])
            oldest = i;
    }
    return points[oldest];
}

Result<ReviewResult> reviewResult(const ReviewTask& task, bool mixed, const record::PredictionRow& prediction,
                                  const record::RunRow& run)
{
    const auto metric = run.metrics.find(prediction.metric);
    if (run.experiment != prediction.experiment || metric == run.metrics.end() ||
        !hasAll(run.params, prediction.params))
        return Error{"bad-review", "the run is not at the point of the prediction", "lesson " + task.lesson,
                     "run the experiment at the point that was asked about"};
    const auto score =
        lessons::scorePrediction(prediction.point, prediction.low, prediction.high, metric->second.value);
    const bool hit = std::isnan(score.factor) ? score.insideInterval : score.factor <= kHit;
    ReviewResult result;
    result.review.ofPredictionId = task.ofPredictionId;
    result.review.predictionId = prediction.id;
    result.review.runId = run.id;
    result.review.missed = !hit;
    if (!std::isnan(score.factor))
        result.review.factor = score.factor;
    if (!mixed)
        return result;
    record::OutcomeRow outcome;
    outcome.lesson = task.lesson;
    outcome.state = hit ? "passed" : "failed";
    outcome.context = "review";
    outcome.factor = result.review.factor;
    *outcome.evidence = Json{{"runs", Json::array({run.id})}, {"predictions", Json::array({prediction.id})}};
    result.outcome = std::move(outcome);
    return result;
}

} // namespace ridge::app
