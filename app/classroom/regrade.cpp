// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/classroom/regrade.h"

#include "app/classroom/grade.h"
#include "app/classroom/kernel_likeness.h"
#include "base/json.h"
#include "base/seedless.h"
#include "base/target_choice.h"
#include "record/content_files.h"

#include <QElapsedTimer>
#include <algorithm>
#include <array>
#include <cmath>

namespace ridge::classroom {
namespace {

constexpr double kAgree = 2; ///< measured: distance to the limit here and there
constexpr double kSeconds = 600;

/// One request of a learner, up to its last finished point. It is the unit of re-execution: what earlier points left on
/// the device counts, so that a point has the same bits only at the same place of the same request.
struct Request {
    std::string experiment, target, compiler;
    std::uint64_t seed = 1;
    std::vector<ParamSet> points;
    auto operator<=>(const Request&) const = default;
};

struct Outcome {
    std::vector<SampleEvent> samples;
    Json build;
    int version = 0;
    bool anySeed = false; ///< another seed would give the same
};

using Outcomes = std::map<Request, Outcome>;

/// Rows of one request in the order in which they ran.
struct Sequence {
    Request request;
    std::vector<const record::RunRow*> rows;
};

std::vector<Sequence> sequencesOf(const std::vector<record::RunRow>& runs)
{
    std::map<std::pair<std::string, std::string>, std::vector<const record::RunRow*>> sweeps; // by origin and sweep
    for (const record::RunRow& run : runs)
        if (run.status == "finished")
            sweeps[{run.origin, run.sweepId.empty() ? run.id : run.sweepId}].push_back(&run);
    std::vector<Sequence> all;
    for (auto& [key, rows] : sweeps) {
        std::sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) { return a->seq < b->seq; });
        Sequence sequence;
        const record::RunRow& first = *rows.front();
        sequence.request = {first.experiment, first.target, compilerOf(*first.fingerprint), first.seed, {}};
        for (const record::RunRow* row : rows)
            if (row->experiment == first.experiment && row->target == first.target && row->seed == first.seed) {
                sequence.request.points.push_back(row->params);
                sequence.rows.push_back(row);
            }
        all.push_back(std::move(sequence));
    }
    return all;
}

bool isRepeatable(const record::RunRow& run)
{
    return run.status == "finished" &&
           (run.provenance == Provenance::Simulated || run.provenance == Provenance::Modelled);
}

/// A file that can be graded nowhere, rather than not here.
bool isKernelsFault(const std::string& code)
{
    constexpr std::array<std::string_view, 6> codes{"compile-failed",  "wrong-signature",    "kernel-not-found",
                                                    "bad-launch-line", "not-self-contained", "bad-formula"};
    return std::find(codes.begin(), codes.end(), code) != codes.end();
}

bool drawsNothing(const Json& fingerprint)
{
    return fingerprint.is_object() && fingerprint.value("data", Json()) == kSameForEverySeed;
}

/// Runs all requests that have no outcome yet.
class Batch {
public:
    Batch(const Execute& execute, Outcomes& outcomes) : m_execute(execute), m_outcomes(outcomes) {}

    void want(const Request& request)
    {
        if (!m_outcomes.contains(request))
            m_wanted.insert(request);
    }
    int requests() const { return static_cast<int>(m_wanted.size()); }

    /// `step` says whether to go on. A request that fails is left without an outcome.
    bool run(const std::function<bool()>& step, RegradeReport& report)
    {
        for (const Request& wanted : m_wanted) {
            const RunRequest request{wanted.experiment, wanted.target, wanted.seed,
                                     wanted.points,     false,         {kSeconds, 0}};
            auto executed = m_execute(request, wanted.compiler);
            // A compiler that is not on this machine: built with what there is, the new values count.
            if (!executed && !wanted.compiler.empty())
                executed = m_execute(request, {});
            if (executed && executed->samples.size() == wanted.points.size())
                m_outcomes[wanted] = {std::move(executed->samples), buildOf(*executed->started.fingerprint),
                                      executed->started.version, drawsNothing(*executed->started.fingerprint)};
            else
                report.trouble.push_back(wanted.experiment + " on " + wanted.target + ": " +
                                         (executed ? "not all points came back" : toText(executed.error())));
            (executed && executed->remembered ? report.remembered : report.executed) +=
                static_cast<int>(wanted.points.size());
            if (!step())
                return false;
        }
        return true;
    }

private:
    const Execute& m_execute;
    Outcomes& m_outcomes;
    std::set<Request> m_wanted;
};

struct Work {
    const record::SubmissionRow* submission = nullptr;
    const lessons::Lesson* lesson = nullptr;
    record::LearnerRows rows;
    std::vector<Sequence> sequences = {}; ///< into `rows`
    RunJudgement judged = {};
    std::vector<Sequence> hidden = {};
    std::map<std::string, Sequence> varied = {}; ///< by check
    Json execution = Json::object();
    std::optional<GradeVerdict> kernel = {}; ///< of a kernel task, graded again
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
        if (isRepeatable(*sequence.rows.front()) && sequence.request.target != "model" &&
            std::ranges::any_of(sequence.rows, matters))
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
        Batch again(m_execute, m_outcomes);
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
        for (Work& work : m_work)
            judge(work);
        for (Work& work : m_work)
            if (isKernelLesson(work.lesson->id)) {
                gradeKernelAgain(work);
                if (!goOn())
                    return cancelled();
            }
        for (Work& work : m_work) {
            Batch hidden(m_execute, m_outcomes);
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

    DifferentRun differenceOf(const Work& work, const record::RunRow& run, const std::string& metric, double again)
    {
        const auto value = run.metrics.find(metric);
        const std::string& learner = work.submission->learner;
        return {{learner, m_names.contains(learner) ? m_names.at(learner) : std::string()},
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
        for (const Sequence& sequence : work.sequences) {
            const auto found = m_outcomes.find(sequence.request);
            for (std::size_t i = 0; i < sequence.rows.size(); ++i) {
                const record::RunRow& run = *sequence.rows[i];
                if (run.provenance == Provenance::Measured)
                    ++m_report.measured;
                if (found == m_outcomes.end())
                    continue;
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
    }

    /// Of a run whose values came out otherwise: true where it was built alike and so cannot be what it says.
    bool judgeSimulated(Work& work, const record::RunRow& run, const Outcome& outcome, const SampleEvent& again)
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
    void gradeKernelAgain(Work& work)
    {
        const auto kernel = handedInKernel(work.rows);
        const auto task = shippedTask(taskOfLesson(work.lesson->id));
        if (!kernel || !task)
            return;
        const auto trouble = [&](const Error& error) {
            m_report.trouble.push_back("kernel of " + work.submission->learner + " for " + task->id + ": " +
                                       toText(error));
        };
        auto code = record::contentFiles(m_open.place.store.folder).get(kernel->sha256);
        if (!code)
            return trouble(code.error());
        const bool simulated = kindOfTarget(kernel->target) == "sim";
        auto request =
            gradeRequest(*task, {kernel->fileName, std::move(*code), kernel->fileName.ends_with(".ptx")},
                         simulated       ? kernel->target
                         : m_options.gpu ? "gpu:0"
                                         : kDefaultSimulator,
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
            return trouble(facts.error());
        }
        ++m_report.kernels;
        m_report.kernelsRejected += work.kernel->accepted ? 0 : 1;
        work.execution["kernel"] = toJson(*work.kernel);
        work.execution["target"] = request.target;
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
            const LessonGrade grade = isKernelLesson(work.lesson->id)
                                          ? gradeKernelWork(work.lesson->id, work.rows, work.kernel)
                                          : gradeLesson(*work.lesson, work.rows, work.judged);
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
            record::GradeRow row = toRow(grade);
            row.assignmentId = m_assignment.id;
            row.submissionId = work.submission->id;
            row.learner = work.submission->learner;
            // A kernel that could not be run here stays as its learner's program graded it.
            const bool asHandedIn = isKernelLesson(work.lesson->id) && handedInKernel(work.rows) && !work.kernel;
            row.how = asHandedIn ? "checks" : "re-execution";
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
    Outcomes m_outcomes;
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
    Json json{{"class", report.classTitle},
              {"assignment", report.assignment},
              {"learners", report.learners},
              {"runs", report.runs},
              {"executed", report.executed},
              {"remembered", report.remembered},
              {"same", report.same},
              {"rebuilt", report.rebuilt},
              {"measured", report.measured},
              {"hidden", report.hidden},
              {"hidden_failed", report.hiddenFailed},
              {"kernels", report.kernels},
              {"kernels_rejected", report.kernelsRejected},
              {"different", Json::array()},
              {"trouble", report.trouble},
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
