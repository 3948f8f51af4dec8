// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/class_report.h"

#include "base/json.h"
#include "classroom/kernel_lesson.h"

#include <QElapsedTimer>
#include <algorithm>
#include <array>
#include <cmath>

namespace ridge::classroom {
namespace {

constexpr int kBins = 12;
constexpr double kFarOff = 4;                 ///< an outlier's distance from the median
constexpr std::size_t kEnoughForOutliers = 5; ///< results, before a median says what is usual

/// A grade as it was stored, with what it belongs to.
struct Graded {
    const record::SubmissionRow* submission = nullptr;
    LessonGrade grade;
};

using ByLesson = std::map<std::string, std::vector<Graded>>;

double medianOf(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1)
        return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// Names for the table, or numbers where names must not be seen.
class Names {
public:
    Names(const std::vector<record::MemberRow>& members, const std::vector<record::SubmissionRow>& submissions,
          bool hidden)
        : m_hidden(hidden)
    {
        for (const record::MemberRow& member : members)
            m_names[member.learner] = member.name;
        if (!hidden)
            return;
        // In the order of the pseudonyms, which have nothing to do with names or marks.
        for (const record::SubmissionRow& submission : submissions)
            m_numbers.emplace(submission.learner, static_cast<int>(m_numbers.size()) + 1);
    }
    Person of(const std::string& learner) const
    {
        if (m_hidden) {
            const auto number = m_numbers.find(learner);
            return {"", "Learner " + std::to_string(number == m_numbers.end() ? 0 : number->second)};
        }
        const auto name = m_names.find(learner);
        return {learner, name == m_names.end() ? std::string() : name->second};
    }

private:
    bool m_hidden;
    std::map<std::string, std::string> m_names;
    std::map<std::string, int> m_numbers;
};

/// Of the grades of one task, each with the shape of the kernel that was handed in.
void addAlike(ClassReport& report, const lessons::Lesson& lesson, const std::vector<record::GradeRow>& grades,
              const Names& names)
{
    std::vector<HandedInShape> kernels;
    for (const record::GradeRow& row : grades) {
        if (row.lesson != lesson.id || !row.execution->is_object() || !row.execution->contains(kKernelShape))
            continue;
        if (const auto shape = kernelShapeFromJson((*row.execution)[kKernelShape]))
            kernels.push_back({names.of(row.learner), *shape});
    }
    for (AlikeKernels& alike : alikeKernels(lesson.id, lesson.title, kernels))
        report.alike.push_back(std::move(alike));
}

StuckLearner stuckAt(const Person& who, const std::string& lesson, const LessonGrade& grade)
{
    StuckLearner stuck{who, lesson, "", "", ""};
    const LessonSteps& steps = grade.steps;
    stuck.step = !steps.predicted ? "predicted" : !steps.ran ? "ran" : !steps.passed ? "passed" : "shipped";
    for (const CheckCredit& check : grade.checks)
        if (check.credit < 1 && stuck.step != "shipped") {
            stuck.check = check.title;
            stuck.detail = check.detail;
            break;
        }
    return stuck;
}

std::string machineOf(const Finding& finding)
{
    return finding.hardware.empty() ? finding.target : finding.hardware;
}

void addPredictions(ClassReport& report, const lessons::Lesson& lesson, const std::vector<Graded>& graded,
                    const Names& names)
{
    for (const lessons::Block* block : lesson.blocks()) {
        const auto* predict = std::get_if<lessons::PredictBlock>(&block->body);
        if (predict == nullptr)
            continue;
        PredictionHistogram histogram = emptyHistogram(lesson.id, *block, *predict);
        std::vector<double> results;
        std::map<std::array<std::string, 3>, std::vector<double>> byMachine; // hardware, target, provenance
        std::vector<std::pair<const Graded*, const Finding*>> each;
        std::set<std::string> provenances;
        for (const Graded& one : graded)
            for (const Finding& finding : one.grade.findings) {
                if (finding.kind != "prediction" || finding.block != block->id)
                    continue;
                addPrediction(histogram, finding.point);
                if (!finding.result)
                    continue;
                results.push_back(*finding.result);
                byMachine[{machineOf(finding), finding.target, finding.provenance}].push_back(*finding.result);
                each.emplace_back(&one, &finding);
                provenances.insert(finding.provenance);
            }
        if (!results.empty()) {
            histogram.result = medianOf(results);
            histogram.resultLow = *std::min_element(results.begin(), results.end());
            histogram.resultHigh = *std::max_element(results.begin(), results.end());
        }
        for (const std::string& provenance : provenances)
            histogram.provenance += (histogram.provenance.empty() ? "" : ", ") + provenance;
        for (const auto& [machine, values] : byMachine)
            report.spread.push_back({lesson.id, block->id, predict->metric, predict->unit, machine[1], machine[2],
                                     static_cast<int>(values.size()), *std::min_element(values.begin(), values.end()),
                                     medianOf(values), *std::max_element(values.begin(), values.end()), machine[0],
                                     *histogram.result});
        for (const auto& [one, finding] : each) {
            const double value = *finding->result, median = *histogram.result;
            if (!(value > 0) || !(median > 0) || each.size() < kEnoughForOutliers)
                continue;
            const double factor = std::max(value / median, median / value);
            if (factor > kFarOff)
                report.outliers.push_back({names.of(one->submission->learner), lesson.id, block->id, predict->metric,
                                           predict->unit, value, median, factor, machineOf(*finding),
                                           finding->provenance});
        }
        report.histograms.push_back(std::move(histogram));
    }
}

std::string saysOf(const lessons::Lesson& lesson, const Finding& finding)
{
    const lessons::Block* block = lesson.block(finding.block);
    if (block == nullptr)
        return {};
    const auto in = [&](const std::vector<lessons::Misconception>& list) {
        for (const lessons::Misconception& one : list)
            if (one.id == finding.misconception)
                return one.says;
        return std::string();
    };
    if (const auto* predict = std::get_if<lessons::PredictBlock>(&block->body))
        return in(predict->misconceptions);
    if (const auto* quiz = std::get_if<lessons::QuizBlock>(&block->body)) {
        if (const std::string says = in(quiz->misconceptions); !says.empty())
            return says;
        for (std::size_t i = 0; i < quiz->choices.size(); ++i)
            if (finding.misconception == "choice-" + std::to_string(i + 1))
                return quiz->choices[i].text;
    }
    return {};
}

std::string questionOf(const lessons::Lesson& lesson, const std::string& id)
{
    const lessons::Block* block = lesson.block(id);
    if (block == nullptr)
        return {};
    if (const auto* predict = std::get_if<lessons::PredictBlock>(&block->body))
        return predict->question;
    const auto* quiz = std::get_if<lessons::QuizBlock>(&block->body);
    return quiz == nullptr ? std::string() : quiz->question;
}

void addMisconceptions(ClassReport& report, const lessons::Lesson& lesson, const std::vector<Graded>& graded)
{
    std::map<std::pair<std::string, std::string>, MisconceptionCount> counts;
    for (const Graded& one : graded)
        for (const Finding& finding : one.grade.findings) {
            if (finding.right || finding.misconception.empty())
                continue;
            auto& counted = counts[{finding.block, finding.misconception}];
            if (counted.learners++ == 0) {
                counted.lesson = lesson.id;
                counted.block = finding.block;
                counted.id = finding.misconception;
                counted.says = saysOf(lesson, finding);
                counted.question = questionOf(lesson, finding.block);
            }
        }
    for (auto& [key, counted] : counts)
        report.misconceptions.push_back(std::move(counted));
}

void addExplanations(ClassReport& report, const lessons::Lesson& lesson, const std::vector<Graded>& graded,
                     const Names& names)
{
    for (const lessons::Block* block : lesson.blocks()) {
        const auto* explain = std::get_if<lessons::ExplainBlock>(&block->body);
        if (explain == nullptr)
            continue;
        ExplanationList list{lesson.id, block->id, explain->question, explain->model, {}};
        for (const Graded& one : graded)
            for (const Finding& finding : one.grade.findings)
                if (finding.kind == "explanation" && finding.block == block->id)
                    list.lines.push_back({names.of(one.submission->learner), finding.text, finding.rating});
        std::stable_sort(list.lines.begin(), list.lines.end(), [](const auto& a, const auto& b) {
            return std::pair(a.who.name, a.who.learner) < std::pair(b.who.name, b.who.learner);
        });
        if (!list.lines.empty())
            report.explanations.push_back(std::move(list));
    }
}

/// What a learner's lessons are worth on the axes of CL11: points, nearness and width of what was predicted.
WorkPoint workOf(double points, const std::map<std::string, const LessonGrade*>& grades)
{
    WorkPoint work{points};
    std::vector<double> factors, intervals;
    for (const auto& [lesson, grade] : grades)
        for (const Finding& finding : grade->findings) {
            if (finding.kind != "prediction")
                continue;
            if (finding.low > 0 && finding.high >= finding.low)
                intervals.push_back(finding.high / finding.low);
            if (!finding.result)
                continue;
            const double factor =
                lessons::scorePrediction(finding.point, finding.low, finding.high, *finding.result).factor;
            if (std::isfinite(factor))
                factors.push_back(factor);
        }
    if (!factors.empty())
        work.factor = medianOf(std::move(factors));
    if (!intervals.empty())
        work.interval = medianOf(std::move(intervals));
    return work;
}

void addLearners(ClassReport& report, const std::vector<record::SubmissionRow>& submissions, const ByLesson& grades,
                 const std::set<std::string>& reexecuted, const Names& names)
{
    std::map<std::string, std::map<std::string, const LessonGrade*>> byLearner;
    for (const auto& [lesson, graded] : grades)
        for (const Graded& one : graded)
            byLearner[one.submission->learner][lesson] = &one.grade;
    std::map<std::string, int> hardware;
    for (const record::SubmissionRow& submission : submissions) {
        LearnerLine line;
        line.who = names.of(submission.learner);
        line.hardware = submission.hardware;
        line.submittedAt = submission.submittedAt;
        line.late = submission.late;
        line.reexecuted = reexecuted.contains(submission.learner);
        for (const std::string& name : submission.hardware)
            ++hardware[name];
        bool told = false;
        for (const std::string& lesson : report.lessons) {
            const auto found = byLearner[submission.learner].find(lesson);
            if (found == byLearner[submission.learner].end())
                continue;
            const LessonGrade& grade = *found->second;
            line.steps[lesson] = grade.steps;
            line.points[lesson] = grade.points;
            line.grade += grade.points / static_cast<double>(report.lessons.size());
            const bool done = grade.steps.predicted && grade.steps.ran && grade.steps.passed && grade.steps.shipped;
            if (!done && !told) {
                report.stuck.push_back(stuckAt(line.who, lesson, grade));
                told = true;
            }
        }
        ++report.grades[static_cast<std::size_t>(std::min(9.0, line.grade / 10))].count;
        report.work.push_back(workOf(line.grade, byLearner[submission.learner]));
        report.learners.push_back(std::move(line));
    }
    // The order of the figures says nothing about who handed in when.
    std::sort(report.work.begin(), report.work.end(), [](const WorkPoint& a, const WorkPoint& b) {
        return std::tie(a.points, a.factor, a.interval) < std::tie(b.points, b.factor, b.interval);
    });
    for (const auto& [name, learners] : hardware)
        report.hardware.push_back({name, learners});
}

} // namespace

PredictionHistogram emptyHistogram(const std::string& lesson, const lessons::Block& block,
                                   const lessons::PredictBlock& predict)
{
    PredictionHistogram histogram{lesson, block.id, predict.question, predict.metric, predict.unit};
    histogram.logScale = predict.logScale && predict.min > 0;
    for (int i = 0; i < kBins; ++i) {
        const auto edge = [&](int at) {
            const double part = static_cast<double>(at) / kBins;
            return histogram.logScale ? predict.min * std::pow(predict.max / predict.min, part)
                                      : predict.min + (predict.max - predict.min) * part;
        };
        histogram.bins.push_back({edge(i), edge(i + 1), 0});
    }
    return histogram;
}

void addPrediction(PredictionHistogram& histogram, double point)
{
    std::size_t at = 0;
    while (at + 1 < histogram.bins.size() && point >= histogram.bins[at].high)
        ++at;
    ++histogram.bins[at].count;
    ++histogram.learners;
}

Result<ClassReport> report(OpenClass& open, const lessons::Curriculum& curriculum, const ReportOptions& options)
{
    QElapsedTimer timer;
    timer.start();
    const auto assignment = open.assignment(options.assignment);
    if (!assignment)
        return assignment.error();
    const auto lessons = ownLessons(curriculum, **assignment);
    if (!lessons)
        return lessons.error();
    const auto submissions = open.school->submissions((*assignment)->id);
    const auto members = open.school->members();
    const auto grades = open.school->grades((*assignment)->id);
    for (const std::optional<Error>& error : {submissions ? std::nullopt : std::optional(submissions.error()),
                                              members ? std::nullopt : std::optional(members.error()),
                                              grades ? std::nullopt : std::optional(grades.error())})
        if (error)
            return *error;

    ClassReport report;
    report.classTitle = open.place.title;
    report.assignment = (*assignment)->title;
    report.assignmentId = (*assignment)->id;
    report.deadline = (*assignment)->deadline;
    for (const lessons::Lesson& lesson : *lessons)
        report.lessons.push_back(lesson.id);
    for (int i = 0; i < 10; ++i)
        report.grades.push_back({10.0 * i, 10.0 * (i + 1), 0});
    const Names names(*members, *submissions, options.hideNames);
    std::map<std::string, const record::SubmissionRow*> byLearner;
    for (const record::SubmissionRow& submission : *submissions)
        byLearner[submission.learner] = &submission;
    ByLesson byLesson;
    std::set<std::string> checkedOnly, reexecuted;
    for (const record::GradeRow& row : *grades)
        if (const auto found = byLearner.find(row.learner); found != byLearner.end()) {
            byLesson[row.lesson].push_back({found->second, gradeOf(row)});
            (row.how == "re-execution" ? reexecuted : checkedOnly).insert(row.learner);
            if (auto work = openWorkOf(row); work && !options.hideNames)
                report.open.push_back({names.of(row.learner), row.lesson, std::move(*work)});
        }
    for (const std::string& learner : checkedOnly)
        reexecuted.erase(learner);
    addLearners(report, *submissions, byLesson, reexecuted, names);
    for (const lessons::Lesson& lesson : *lessons) {
        addPredictions(report, lesson, byLesson[lesson.id], names);
        addMisconceptions(report, lesson, byLesson[lesson.id]);
        if (!options.hideNames)
            addExplanations(report, lesson, byLesson[lesson.id], names);
        if (isKernelLesson(lesson.id))
            addAlike(report, lesson, *grades, names);
    }
    std::stable_sort(report.misconceptions.begin(), report.misconceptions.end(),
                     [](const auto& a, const auto& b) { return a.learners > b.learners; });
    const auto byName = [](const auto& a, const auto& b) {
        return std::pair(a.who.name, a.who.learner) < std::pair(b.who.name, b.who.learner);
    };
    std::sort(report.learners.begin(), report.learners.end(), byName);
    std::stable_sort(report.stuck.begin(), report.stuck.end(), byName);
    std::stable_sort(report.open.begin(), report.open.end(), byName);
    for (const record::MemberRow& member : *members)
        if (member.learner.empty() || !byLearner.contains(member.learner))
            report.missing.push_back(options.hideNames ? Person{} : Person{member.learner, member.name});
    if (!options.hideNames) {
        auto refused = refusedFiles(open);
        if (!refused)
            return refused.error();
        report.refused = std::move(*refused);
    }
    report.seconds = static_cast<double>(timer.nsecsElapsed()) / 1e9;
    return report;
}

Json toJson(const ClassReport& report)
{
    Json json{{"class", report.classTitle},
              {"assignment", report.assignment},
              {"assignment_id", report.assignmentId},
              {"deadline", report.deadline.empty() ? Json() : Json(report.deadline)},
              {"lessons", report.lessons},
              {"seconds", report.seconds}};
    for (const char* list : {"learners", "missing", "refused", "open", "stuck", "histograms", "misconceptions",
                             "explanations", "hardware", "spread", "outliers", "alike", "grades", "work"})
        json[list] = Json::array();
    for (const LearnerLine& line : report.learners) {
        Json one = toJson(line.who);
        Json steps = Json::object();
        for (const auto& [lesson, done] : line.steps)
            steps[lesson] = Json{{"predicted", done.predicted},
                                 {"ran", done.ran},
                                 {"passed", done.passed},
                                 {"shipped", done.shipped},
                                 {"explained", done.explained}};
        one.update(Json{{"hardware", line.hardware},
                        {"submitted", line.submittedAt},
                        {"late", line.late},
                        {"steps", steps},
                        {"points", line.points},
                        {"grade", line.grade},
                        {"reexecuted", line.reexecuted}});
        json["learners"].push_back(std::move(one));
    }
    for (const Person& person : report.missing)
        json["missing"].push_back(toJson(person));
    for (const Refused& refused : report.refused)
        json["refused"].push_back(toJson(refused));
    for (const OpenLine& line : report.open)
        json["open"].push_back(toJson(line));
    for (const StuckLearner& stuck : report.stuck) {
        Json one = toJson(stuck.who);
        one.update(
            Json{{"lesson", stuck.lesson}, {"step", stuck.step}, {"check", stuck.check}, {"detail", stuck.detail}});
        json["stuck"].push_back(std::move(one));
    }
    const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
    const auto bins = [](const std::vector<HistogramBin>& list) {
        Json all = Json::array();
        for (const HistogramBin& bin : list)
            all.push_back(Json{{"low", bin.low}, {"high", bin.high}, {"count", bin.count}});
        return all;
    };
    for (const PredictionHistogram& one : report.histograms)
        json["histograms"].push_back(Json{{"lesson", one.lesson},
                                          {"block", one.block},
                                          {"question", one.question},
                                          {"metric", one.metric},
                                          {"unit", one.unit},
                                          {"log", one.logScale},
                                          {"learners", one.learners},
                                          {"bins", bins(one.bins)},
                                          {"result", number(one.result)},
                                          {"result_low", number(one.resultLow)},
                                          {"result_high", number(one.resultHigh)},
                                          {"provenance", one.provenance}});
    for (const MisconceptionCount& one : report.misconceptions)
        json["misconceptions"].push_back(Json{{"lesson", one.lesson},
                                              {"block", one.block},
                                              {"id", one.id},
                                              {"question", one.question},
                                              {"says", one.says},
                                              {"learners", one.learners}});
    for (const ExplanationList& one : report.explanations) {
        Json lines = Json::array();
        for (const ExplanationList::Line& line : one.lines) {
            Json written = toJson(line.who);
            written.update(Json{{"text", line.text}, {"rating", line.rating.empty() ? Json() : Json(line.rating)}});
            lines.push_back(std::move(written));
        }
        json["explanations"].push_back(Json{{"lesson", one.lesson},
                                            {"block", one.block},
                                            {"question", one.question},
                                            {"model", one.model},
                                            {"learners", std::move(lines)}});
    }
    for (const HardwareCount& one : report.hardware)
        json["hardware"].push_back(Json{{"name", one.name}, {"learners", one.learners}});
    for (const HardwareSpread& one : report.spread)
        json["spread"].push_back(Json{{"lesson", one.lesson},
                                      {"block", one.block},
                                      {"metric", one.metric},
                                      {"unit", one.unit},
                                      {"hardware", one.hardware},
                                      {"target", one.target},
                                      {"provenance", one.provenance},
                                      {"learners", one.learners},
                                      {"low", one.low},
                                      {"median", one.median},
                                      {"high", one.high},
                                      {"class_median", one.classMedian}});
    for (const Outlier& outlier : report.outliers) {
        Json one = toJson(outlier.who);
        one.update(Json{{"lesson", outlier.lesson},
                        {"block", outlier.block},
                        {"metric", outlier.metric},
                        {"unit", outlier.unit},
                        {"value", outlier.value},
                        {"median", outlier.median},
                        {"factor", outlier.factor},
                        {"hardware", outlier.hardware},
                        {"provenance", outlier.provenance}});
        json["outliers"].push_back(std::move(one));
    }
    for (const AlikeKernels& alike : report.alike)
        json["alike"].push_back(toJson(alike));
    json["grades"] = bins(report.grades);
    for (const WorkPoint& one : report.work)
        json["work"].push_back(
            Json{{"points", one.points}, {"factor", number(one.factor)}, {"interval", number(one.interval)}});
    return json;
}

} // namespace ridge::classroom
