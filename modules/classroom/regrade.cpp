// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/regrade.h"

#include "base/json.h"
#include "base/target_choice.h"
#include "base/target_kind.h"
#include "classroom/grade.h"
#include "classroom/handed_in_runs.h"
#include "classroom/kernel_likeness.h"
#include "classroom/request_batch.h"
#include "record/files/content_files.h"

#include <QElapsedTimer>
#include <algorithm>
#include <array>
#include <cmath>

namespace ridge::classroom {
namespace {

constexpr double kAgree = 2; ///< measured: distance to the limit here and there

/// A file that can be graded nowhere, rather than not here.
bool isKernelsFault(const std::string& code)
{
    constexpr std::array<std::string_view, 6> codes{"compile-failed",  "wrong-signature",    "kernel-not-found",
                                                    "bad-launch-line", "not-self-contained", "bad-formula"};
    return std::find(codes.begin(), codes.end(), code) != codes.end();
}

struct Work {
    const record::SubmissionRow* submission = nullptr;
    const lessons::Lesson* lesson = nullptr;
    record::LearnerRows rows;
    std::vector<Sequence> sequences = {}; ///< into `rows`
    RunJudgement judged = {};
    std::vector<Sequence> hidden = {};
    std::map<std::string, Sequence> varied = {}; ///< by check
    Json execution = Json::object();
    std::optional<GradeVerdict> kernel = {};     ///< of a kernel task, graded again
    std::map<NotRepeated, int> notRepeated = {}; ///< with how many runs; `what` without their number
    std::set<std::string> runsNotRepeated = {};  ///< run ids
};

/// One of the learner's requests with a run that one of these checks looks at, chosen by the secret so that nobody
/// knows it beforehand; null where there is none. `what` tells the choices of one case apart.
const Sequence* chosenSequence(const Work& work, const HiddenCase& hidden,
                               const std::vector<lessons::CheckSpec>& checks, const std::string& what)
{
    const auto matters = [&](const record::RunRow* run) {
        return std::ranges::any_of(checks, [&](const auto& check) { return looksAt(check, *run); });
    };
    std::vector<const Sequence*> candidates;
    for (const Sequence& sequence : work.sequences)
        // What could not be run as it was handed in would only take the place of a case that can.
        if (isRepeatable(*sequence.rows.front()) && !work.runsNotRepeated.contains(sequence.rows.front()->id) &&
            sequence.rows.front()->provenance != Provenance::Modelled && std::ranges::any_of(sequence.rows, matters))
            candidates.push_back(&sequence);
    if (candidates.empty())
        return nullptr;
    // By the id of a row, so that the choice does not depend on the order in which a database gives rows.
    std::sort(candidates.begin(), candidates.end(),
              [](const auto* a, const auto* b) { return a->rows.front()->id < b->rows.front()->id; });
    return candidates[static_cast<std::size_t>(hidden.pick(what, 0, static_cast<std::int64_t>(candidates.size()) - 1))];
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
        Batch again(m_execute, m_outcomes, m_failures);
        for (const Work& work : m_work)
            for (const Sequence& sequence : work.sequences)
                if (isRepeatable(*sequence.rows.front()) || wantsGpu(*sequence.rows.front()))
                    again.want(sequence.request);
        // Each learner and lesson has hidden cases of its own; one more request for each of them at most.
        m_all = again.requests() + static_cast<int>(m_work.size());
        for (const Work& work : m_work)
            m_all += isKernelLesson(work.lesson->id) ? 1 : 0;
        if (!again.run([this] { return goOn(); }, m_report))
            return cancelled();
        // Without a worker it is this machine that lacks something: nobody's work is judged by that.
        for (const auto& [request, error] : m_failures)
            if (error.code == "worker-missing")
                return error;
        for (Work& work : m_work)
            if (!isKernelLesson(work.lesson->id)) // which no run decides about
                judge(work);
        for (Work& work : m_work)
            if (isKernelLesson(work.lesson->id)) {
                if (auto graded = gradeKernelAgain(work); !graded)
                    return graded.error();
                if (!goOn())
                    return cancelled();
            }
        for (Work& work : m_work) {
            Batch hidden(m_execute, m_outcomes, m_failures);
            chooseHidden(work, hidden);
            if (!hidden.run([] { return true; }, m_report) || !goOn())
                return cancelled();
        }
        return store();
    }

private:
    static Error cancelled() { return {"cancelled", "Grading was stopped; the grades are as they were", "", ""}; }
    bool goOn() { return !m_options.progress || m_options.progress(++m_done, m_all); }
    bool wantsGpu(const record::RunRow& run) const { return m_options.gpu && isMeasured(run); }

    Result<void> readAll(const std::vector<lessons::Lesson>& lessons)
    {
        auto submissions = m_open.school->submissions(m_assignment.id);
        auto members = m_open.school->members();
        if (!submissions || !members)
            return !submissions ? submissions.error() : members.error();
        auto decisions = m_open.school->decisions(m_assignment.id);
        if (!decisions)
            return decisions.error();
        for (record::DecisionRow& decision : *decisions)
            m_decisions[{decision.learner, decision.lesson}] = std::move(decision);
        m_submissions = std::move(*submissions);
        for (const record::MemberRow& member : *members)
            m_names[member.learner] = member.name;
        m_report.learners = static_cast<int>(m_submissions.size());
        std::vector<std::string> learners, ids;
        for (const record::SubmissionRow& submission : m_submissions)
            learners.push_back(submission.learner);
        for (const lessons::Lesson& lesson : lessons)
            ids.push_back(lesson.id);
        auto rows = m_open.school->rowsOf(learners, ids);
        if (!rows)
            return rows.error();
        for (const record::SubmissionRow& submission : m_submissions)
            for (const lessons::Lesson& lesson : lessons)
                m_work.push_back({&submission, &lesson, std::move(rows->at({submission.learner, lesson.id}))});
        for (Work& work : m_work) // now that nothing moves any more
            work.sequences = sequencesOf(work.rows.runs);
        return {};
    }

    Person personOf(const std::string& learner) const
    {
        return {learner, m_names.contains(learner) ? m_names.at(learner) : std::string()};
    }

    DifferentRun differenceOf(const Work& work, const record::RunRow& run, const std::string& metric, double again)
    {
        const auto value = run.metrics.find(metric);
        return {personOf(work.submission->learner),
                work.lesson->id,
                run.block,
                run.id,
                run.experiment,
                run.target,
                metric,
                value == run.metrics.end() ? 0 : value->second.value,
                again};
    }

    void judge(Work& work)
    {
        int same = 0, rebuilt = 0, refused = 0;
        const auto cannot = [&](const record::RunRow& run, const std::string& why) {
            work.runsNotRepeated.insert(run.id);
            ++work.notRepeated[{run.experiment + " on " + run.target, why}];
            ++m_report.notRepeated;
        };
        for (const record::RunRow& run : work.rows.runs)
            if (const std::string why = run.status == "finished" ? contradictionOf(run) : std::string(); !why.empty())
                cannot(run, why);
        for (const Sequence& sequence : work.sequences) {
            const auto found = m_outcomes.find(sequence.request);
            for (std::size_t i = 0; i < sequence.rows.size(); ++i) {
                const record::RunRow& run = *sequence.rows[i];
                if (run.provenance == Provenance::Measured)
                    ++m_report.measured;
                if (found == m_outcomes.end()) {
                    if (const auto failed = m_failures.find(sequence.request);
                        isRepeatable(run) && failed != m_failures.end())
                        cannot(run, whyNotRepeated(failed->second));
                    continue;
                }
                const SampleEvent& again = found->second.samples[i];
                if (run.provenance == Provenance::Measured) {
                    judgeMeasured(work, run, again);
                } else if (isRepeatable(run)) {
                    ++m_report.runs;
                    ++(run.metrics == again.metrics                      ? same
                       : judgeSimulated(work, run, found->second, again) ? refused
                                                                         : rebuilt);
                }
            }
        }
        m_report.same += same;
        m_report.rebuilt += rebuilt;
        work.execution["same"] = same;
        work.execution["rebuilt"] = rebuilt;
        work.execution["refused"] = refused;
        work.execution["not_repeated"] = work.runsNotRepeated.size();
    }

    /// Of a run whose values came out otherwise: true where it was built alike and so cannot be what it says.
    bool judgeSimulated(Work& work, const record::RunRow& run, const RerunOutcome& outcome, const SampleEvent& again)
    {
        const bool alike = run.version == outcome.version && buildOf(*run.fingerprint) == outcome.build;
        for (const auto& [name, value] : again.metrics)
            if (const auto own = run.metrics.find(name); own == run.metrics.end() || own->second != value) {
                m_report.different.push_back(differenceOf(work, run, name, value.value));
                m_report.different.back().refused = alike;
                break;
            }
        work.judged.metrics[run.id] = again.metrics;
        if (alike)
            work.judged.refused.insert(run.id);
        return alike;
    }

    /// Two machines agree when each comes about as near to its own limit.
    void judgeMeasured(Work& work, const record::RunRow& run, const SampleEvent& here)
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

    /// The code as it was handed in, the task, the sizes and the data as this side has them.
    Result<void> gradeKernelAgain(Work& work)
    {
        const auto kernel = handedInKernel(work.rows);
        const auto task = shippedTask(taskOfLesson(work.lesson->id));
        if (!kernel || !task)
            return {};
        const auto trouble = [&](const Error& error) {
            m_report.trouble.push_back("kernel of " + work.submission->learner + " for " + task->id + ": " +
                                       toText(error));
        };
        const bool asChosen = m_options.kernelTarget.empty();
        const bool simulated = simulatesKernels(kernel->target);
        const std::string target = !asChosen       ? m_options.kernelTarget
                                   : simulated     ? splitTarget(kernel->target).local
                                   : m_options.gpu ? kFirstGpu
                                                   : kDefaultSimulator;
        const auto cannot = [&](const Error& error) {
            work.notRepeated[{"the kernel " + kernel->fileName + " on " + target, whyNotRepeated(error)}] = 1;
            trouble(error);
        };
        auto code = record::contentFiles(m_open.place.store.folder).get(kernel->sha256);
        if (!code)
            return cannot(code.error()), Result<void>();
        auto request =
            gradeRequest(*task, {kernel->fileName, std::move(*code), kernel->fileName.ends_with(".ptx")}, target,
                         HiddenCase(m_open.keys, m_assignment.id, work.submission->learner, work.lesson->id).secret());
        const auto facts = m_options.executeKernel(request);
        if (facts) {
            work.kernel =
                ridge::judge(*task, *facts, m_options.roof ? m_options.roof(*facts) : std::optional<GradeRoof>());
        } else if (isKernelsFault(facts.error().code)) {
            // What a compiler says quotes files, and a learner's feedback is no place for those of this machine.
            work.kernel = GradeVerdict{};
            work.kernel->reasons.push_back({facts.error().code, "the file could not be graded on this side"});
            trouble(facts.error());
        } else {
            if (facts.error().code == "worker-missing")
                return facts.error();
            return cannot(facts.error()), Result<void>();
        }
        ++m_report.kernels;
        m_report.kernelsRejected += work.kernel->accepted ? 0 : 1;
        work.execution["kernel"] = toJson(*work.kernel);
        work.execution["target"] = request.target;
        return {};
    }

    /// As this computer's own worker said when it ran the request.
    bool anySeed(const Sequence& sequence) const
    {
        const auto found = m_outcomes.find(sequence.request);
        return found != m_outcomes.end() && found->second.anySeed;
    }

    void chooseHidden(Work& work, Batch& batch)
    {
        const HiddenCase hidden(m_open.keys, m_assignment.id, work.submission->learner, work.lesson->id);
        if (const Sequence* chosen = chosenSequence(work, hidden, work.lesson->checks, "request");
            chosen != nullptr && !anySeed(*chosen)) {
            work.hidden.push_back(*chosen);
            work.hidden.back().request.seed = hidden.seed();
            batch.want(work.hidden.back().request);
        }
        for (const lessons::CheckSpec& check : work.lesson->checks) {
            if (check.hidden.empty())
                continue;
            const Sequence* chosen = chosenSequence(work, hidden, {check}, "request " + check.id);
            if (chosen == nullptr)
                continue;
            const ParamSet& setting = check.hidden[static_cast<std::size_t>(
                hidden.pick("setting " + check.id, 0, static_cast<std::int64_t>(check.hidden.size()) - 1))];
            Sequence& varied = work.varied[check.id];
            varied = *chosen;
            if (!anySeed(*chosen)) // else all who get this setting share its run
                varied.request.seed = hidden.seed();
            for (ParamSet& point : varied.request.points)
                for (const auto& [name, value] : setting)
                    point.insert_or_assign(name, value);
            batch.want(varied.request);
        }
    }

    /// What counts, and what would count if all that could not be run again were what was handed in.
    std::pair<LessonGrade, LessonGrade> gradesOf(const Work& work) const
    {
        if (isKernelLesson(work.lesson->id)) {
            const LessonGrade claimed = gradeKernelWork(work.lesson->id, work.rows, work.kernel);
            return {work.notRepeated.empty()
                        ? claimed
                        : gradeKernelNotRun(work.lesson->id, work.rows, work.notRepeated.begin()->first.why),
                    claimed};
        }
        const LessonGrade claimed = gradeLesson(*work.lesson, work.rows, work.judged);
        if (work.runsNotRepeated.empty())
            return {claimed, claimed};
        RunJudgement counting = work.judged;
        counting.refused.insert(work.runsNotRepeated.begin(), work.runsNotRepeated.end());
        return {gradeLesson(*work.lesson, work.rows, counting), claimed};
    }

    static std::vector<NotRepeated> itemsOf(const Work& work)
    {
        std::vector<NotRepeated> items;
        for (const auto& [item, count] : work.notRepeated)
            items.push_back({isKernelLesson(work.lesson->id) ? item.what
                             : count == 1                    ? "1 run of " + item.what
                                                             : std::to_string(count) + " runs of " + item.what,
                             item.why});
        return items;
    }

    Result<RegradeReport> store()
    {
        std::vector<record::GradeRow> rows;
        for (Work& work : m_work) {
            for (const Sequence& sequence : work.hidden)
                if (const auto found = m_outcomes.find(sequence.request); found != m_outcomes.end()) {
                    for (std::size_t i = 0; i < sequence.rows.size(); ++i)
                        work.judged.hidden[sequence.rows[i]->id] = found->second.samples[i].metrics;
                    ++m_report.hidden;
                }
            for (const auto& [check, sequence] : work.varied)
                if (const auto found = m_outcomes.find(sequence.request); found != m_outcomes.end()) {
                    for (std::size_t i = 0; i < sequence.rows.size(); ++i)
                        work.judged.varied[check][sequence.rows[i]->id] = {sequence.request.points[i],
                                                                           found->second.samples[i].metrics};
                    ++m_report.hidden;
                }
            const auto [grade, claimed] = gradesOf(work);
            int failed = 0;
            for (const CheckCredit& check : grade.checks)
                if (check.detail.starts_with("passed as handed in"))
                    ++failed;
            m_report.hiddenFailed += failed;
            work.execution["hidden"] = work.judged.hidden.size();
            work.execution["hidden_settings"] = work.judged.varied.size();
            work.execution["hidden_failed"] = failed;
            if (isKernelLesson(work.lesson->id))
                work.execution[kKernelShape] =
                    shapeOfHandedIn(work.lesson->id, work.rows, record::contentFiles(m_open.place.store.folder));
            record::GradeRow row = openGradeRow(grade, claimed, itemsOf(work));
            row.assignmentId = m_assignment.id;
            row.submissionId = work.submission->id;
            row.learner = work.submission->learner;
            const bool notRun = isKernelLesson(work.lesson->id) && handedInKernel(work.rows) && !work.kernel;
            row.how = notRun ? "checks" : "re-execution";
            work.execution.update(*row.execution);
            row.execution = work.execution;
            if (const auto decision = m_decisions.find({row.learner, row.lesson}); decision != m_decisions.end())
                applyDecision(row, decision->second);
            if (auto open = openWorkOf(row))
                m_report.open.push_back({personOf(row.learner), row.lesson, std::move(*open)});
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
    std::map<std::pair<std::string, std::string>, record::DecisionRow> m_decisions; ///< by learner and lesson
    Outcomes m_outcomes;
    std::map<Request, Error> m_failures; ///< what could not be run
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

bool RegradeReport::isUndecided() const
{
    return std::ranges::any_of(open, [](const OpenLine& line) { return line.work.isUndecided(); });
}

Json toJson(const RegradeReport& report)
{
    Json json{{"class", report.classTitle},  {"assignment", report.assignment},
              {"learners", report.learners}, {"runs", report.runs},
              {"executed", report.executed}, {"remembered", report.remembered},
              {"same", report.same},         {"rebuilt", report.rebuilt},
              {"measured", report.measured}, {"not_repeated", report.notRepeated},
              {"hidden", report.hidden},     {"hidden_failed", report.hiddenFailed},
              {"kernels", report.kernels},   {"kernels_rejected", report.kernelsRejected},
              {"different", Json::array()},  {"open", Json::array()},
              {"trouble", report.trouble},   {"seconds", report.seconds}};
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
    for (const OpenLine& line : report.open)
        json["open"].push_back(toJson(line));
    return json;
}

} // namespace ridge::classroom
