// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/classroom/regrade.h"

#include "app/classroom/grade.h"
#include "base/json.h"

#include <QElapsedTimer>
#include <algorithm>
#include <cmath>

namespace ridge::classroom {
namespace {

constexpr int kHiddenRuns = 2; ///< a lesson and learner
constexpr double kAgree = 2;   ///< measured: distance to the limit here and there
constexpr double kSeconds = 600;

/// What is run once for all learners who ran it.
struct Point {
    std::string experiment, target, compiler;
    std::uint64_t seed = 1;
    ParamSet params;
    auto operator<=>(const Point&) const = default;
};

struct Result1 {
    std::map<std::string, MetricValue> metrics;
    std::map<std::string, LimitValue> limits;
    Json build;
    int version = 0;
};

using Results = std::map<Point, Result1>;

Point pointOf(const record::RunRow& run)
{
    return {run.experiment, run.target, compilerOf(*run.fingerprint), run.seed, run.params};
}

bool isRepeatable(const record::RunRow& run)
{
    return run.status == "finished" &&
           (run.provenance == Provenance::Simulated || run.provenance == Provenance::Modelled);
}

/// Runs all points that are not there yet, those of one experiment, target, compiler and seed in one request.
class Batch {
public:
    Batch(const Execute& execute, Results& results) : m_execute(execute), m_results(results) {}

    void want(const Point& point)
    {
        if (!m_results.contains(point))
            m_groups[{point.experiment, point.target, point.compiler, point.seed}].insert(point);
    }
    int requests() const { return static_cast<int>(m_groups.size()); }

    /// `step` says whether to go on. Requests that fail leave their points without a result.
    bool run(const std::function<bool()>& step, RegradeReport& report)
    {
        for (const auto& [key, points] : m_groups) {
            const std::vector<Point> list(points.begin(), points.end());
            RunRequest request{list.front().experiment, list.front().target, list.front().seed, {}, false,
                               {kSeconds, 0}};
            for (const Point& point : list)
                request.points.push_back(point.params);
            const auto executed = m_execute(request, list.front().compiler);
            if (!executed)
                report.trouble.push_back(request.experiment + " on " + request.target + ": " +
                                         toText(executed.error()));
            else
                for (const SampleEvent& sample : executed->samples)
                    if (sample.index < list.size())
                        m_results[list[sample.index]] = {sample.metrics, sample.limits,
                                                         buildOf(*executed->started.fingerprint),
                                                         executed->started.version};
            report.executed += static_cast<int>(list.size());
            if (!step())
                return false;
        }
        return true;
    }

private:
    const Execute& m_execute;
    Results& m_results;
    std::map<std::tuple<std::string, std::string, std::string, std::uint64_t>, std::set<Point>> m_groups;
};

struct Work {
    const record::SubmissionRow* submission = nullptr;
    const lessons::Lesson* lesson = nullptr;
    record::LearnerRows rows;
    RunJudgement judged;
    std::vector<std::pair<const record::RunRow*, Point>> hidden;
    Json execution = Json::object();
};

/// Runs that the checks look at, chosen by the secret so that nobody knows them beforehand.
std::vector<const record::RunRow*> chosenRuns(const Work& work, const HiddenCase& hidden)
{
    std::vector<const record::RunRow*> candidates;
    std::set<std::string> experiments;
    for (const lessons::CheckSpec& check : work.lesson->checks)
        if (!check.experiment.empty())
            experiments.insert(check.experiment);
    for (const record::RunRow& run : work.rows.runs)
        if (isRepeatable(run) && run.target != "model" && experiments.contains(run.experiment) &&
            !work.judged.refused.contains(run.id))
            candidates.push_back(&run);
    std::sort(candidates.begin(), candidates.end(), [](const auto* a, const auto* b) { return a->id < b->id; });
    std::vector<const record::RunRow*> chosen;
    for (int i = 0; i < kHiddenRuns && !candidates.empty(); ++i) {
        const auto at = hidden.pick("run " + std::to_string(i), 0, static_cast<std::int64_t>(candidates.size()) - 1);
        chosen.push_back(candidates[static_cast<std::size_t>(at)]);
        candidates.erase(candidates.begin() + at);
    }
    return chosen;
}

class Regrader {
public:
    Regrader(OpenClass& open, const Assignment& assignment, const Execute& execute, const RegradeOptions& options)
        : m_open(open), m_assignment(assignment), m_execute(execute), m_options(options)
    {
    }

    Result<RegradeReport> run(const std::vector<lessons::Lesson>& lessons)
    {
        m_report.classTitle = m_open.place.title;
        m_report.assignment = m_assignment.title;
        if (auto read = readAll(lessons); !read)
            return read.error();
        Batch again(m_execute, m_results);
        for (const Work& work : m_work)
            for (const record::RunRow& run : work.rows.runs)
                if (isRepeatable(run) || wantsGpu(run))
                    again.want(pointOf(run));
        // Each learner and lesson has hidden cases of its own; one more request for each of them at most.
        m_all = again.requests() + static_cast<int>(m_work.size());
        if (!again.run([this] { return goOn(); }, m_report))
            return cancelled();
        for (Work& work : m_work)
            judge(work);
        for (Work& work : m_work) {
            Batch hidden(m_execute, m_results);
            chooseHidden(work, hidden);
            if (!hidden.run([] { return true; }, m_report) || !goOn())
                return cancelled();
        }
        return store();
    }

private:
    static Error cancelled() { return {"cancelled", "Grading was stopped; the grades are as they were", "", ""}; }
    bool goOn() { return !m_options.progress || m_options.progress(++m_done, m_all); }
    bool wantsGpu(const record::RunRow& run) const
    {
        return m_options.gpu && run.status == "finished" && run.provenance == Provenance::Measured;
    }

    Result<void> readAll(const std::vector<lessons::Lesson>& lessons)
    {
        auto submissions = m_open.school->submissions(m_assignment.id);
        auto members = m_open.school->members();
        if (!submissions || !members)
            return !submissions ? submissions.error() : members.error();
        m_submissions = std::move(*submissions);
        for (const record::MemberRow& member : *members)
            m_names[member.learner] = member.name;
        m_report.learners = static_cast<int>(m_submissions.size());
        for (const record::SubmissionRow& submission : m_submissions)
            for (const lessons::Lesson& lesson : lessons) {
                auto rows = m_open.school->rowsOf(submission.learner, lesson.id);
                if (!rows)
                    return rows.error();
                m_work.push_back({&submission, &lesson, std::move(*rows), {}, {}, Json::object()});
            }
        return {};
    }

    DifferentRun differenceOf(const Work& work, const record::RunRow& run, const std::string& metric, double again)
    {
        const auto value = run.metrics.find(metric);
        return {{work.submission->learner, m_names.contains(work.submission->learner)
                                               ? m_names.at(work.submission->learner)
                                               : std::string()},
                work.lesson->id, run.block, run.id, run.experiment, run.target, metric,
                value == run.metrics.end() ? 0 : value->second.value, again};
    }

    void judge(Work& work)
    {
        int same = 0, rebuilt = 0, refused = 0;
        for (const record::RunRow& run : work.rows.runs) {
            const auto found = m_results.find(pointOf(run));
            if (run.status == "finished" && run.provenance == Provenance::Measured) {
                ++m_report.measured;
                if (found != m_results.end())
                    judgeMeasured(work, run, found->second);
                continue;
            }
            if (!isRepeatable(run) || found == m_results.end())
                continue;
            ++m_report.runs;
            if (run.metrics == found->second.metrics) {
                ++same;
                continue;
            }
            const bool alike =
                run.version == found->second.version && buildOf(*run.fingerprint) == found->second.build;
            for (const auto& [name, value] : found->second.metrics)
                if (const auto own = run.metrics.find(name); own == run.metrics.end() || own->second != value) {
                    DifferentRun different = differenceOf(work, run, name, value.value);
                    different.refused = alike;
                    if (alike || m_report.different.size() < 1000)
                        m_report.different.push_back(std::move(different));
                    break;
                }
            work.judged.metrics[run.id] = found->second.metrics;
            if (alike)
                work.judged.refused.insert(run.id);
            ++(alike ? refused : rebuilt);
        }
        m_report.same += same;
        m_report.rebuilt += rebuilt;
        work.execution["same"] = same;
        work.execution["rebuilt"] = rebuilt;
        work.execution["refused"] = refused;
    }

    /// Two machines agree when each comes about as near to its own limit.
    void judgeMeasured(Work& work, const record::RunRow& run, const Result1& here)
    {
        for (const auto& [name, limit] : run.limits) {
            const auto own = run.metrics.find(name), value = here.metrics.find(name);
            const auto bound = here.limits.find(name);
            if (own == run.metrics.end() || value == here.metrics.end() || bound == here.limits.end() ||
                !(limit.value > 0) || !(bound->second.value > 0) || !(own->second.value > 0))
                continue;
            const double ratio = (own->second.value / limit.value) / (value->second.value / bound->second.value);
            if (ratio > kAgree || ratio < 1 / kAgree)
                m_report.different.push_back(differenceOf(work, run, name, value->second.value));
        }
    }

    void chooseHidden(Work& work, Batch& batch)
    {
        const HiddenCase hidden(m_open.keys, m_assignment.id, work.submission->learner, work.lesson->id);
        for (const record::RunRow* run : chosenRuns(work, hidden)) {
            Point point = pointOf(*run);
            point.seed = hidden.seed();
            batch.want(point);
            work.hidden.emplace_back(run, point);
        }
    }

    Result<RegradeReport> store()
    {
        std::vector<record::GradeRow> rows;
        for (Work& work : m_work) {
            for (const auto& [run, point] : work.hidden)
                if (const auto found = m_results.find(point); found != m_results.end()) {
                    work.judged.hidden[run->id] = found->second.metrics;
                    ++m_report.hidden;
                }
            const LessonGrade grade = gradeLesson(*work.lesson, work.rows, work.judged);
            int failed = 0;
            for (const CheckCredit& check : grade.checks)
                if (check.detail.starts_with("passed as handed in"))
                    ++failed;
            m_report.hiddenFailed += failed;
            work.execution["hidden"] = work.judged.hidden.size();
            work.execution["hidden_failed"] = failed;
            record::GradeRow row = toRow(grade);
            row.assignmentId = m_assignment.id;
            row.submissionId = work.submission->id;
            row.learner = work.submission->learner;
            row.how = "re-execution";
            row.execution = work.execution;
            rows.push_back(std::move(row));
        }
        if (auto stored = m_open.school->append(std::move(rows)); !stored)
            return stored.error();
        return m_report;
    }

    OpenClass& m_open;
    const Assignment& m_assignment;
    const Execute& m_execute;
    const RegradeOptions& m_options;
    std::vector<record::SubmissionRow> m_submissions;
    std::map<std::string, std::string> m_names;
    std::vector<Work> m_work;
    Results m_results;
    RegradeReport m_report;
    int m_done = 0, m_all = 0;
};

} // namespace

Result<RegradeReport> regrade(OpenClass& open, const lessons::Curriculum& curriculum, const Execute& execute,
                              const RegradeOptions& options)
{
    QElapsedTimer timer;
    timer.start();
    const auto assignment = open.assignment(options.assignment);
    if (!assignment)
        return assignment.error();
    const auto lessons = ownLessons(curriculum, **assignment);
    if (!lessons)
        return lessons.error();
    auto report = Regrader(open, **assignment, execute, options).run(*lessons);
    if (report)
        report->seconds = static_cast<double>(timer.elapsed()) / 1e3;
    return report;
}

Json toJson(const RegradeReport& report)
{
    Json json{{"class", report.classTitle},   {"assignment", report.assignment}, {"learners", report.learners},
              {"runs", report.runs},          {"executed", report.executed},     {"same", report.same},
              {"rebuilt", report.rebuilt},    {"measured", report.measured},     {"hidden", report.hidden},
              {"hidden_failed", report.hiddenFailed}, {"different", Json::array()}, {"trouble", report.trouble},
              {"seconds", report.seconds}};
    for (const DifferentRun& run : report.different) {
        Json one = toJson(run.who);
        one.update(Json{{"lesson", run.lesson},
                        {"block", run.block},
                        {"run", run.run},
                        {"experiment", run.experiment},
                        {"target", run.target},
                        {"metric", run.metric},
                        {"handed_in", run.handedIn},
                        {"again", run.again},
                        {"refused", run.refused}});
        json["different"].push_back(std::move(one));
    }
    return json;
}

} // namespace ridge::classroom
