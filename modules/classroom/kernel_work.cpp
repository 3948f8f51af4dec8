// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/kernel_work.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/ratio_credit.h"
#include "base/target_choice.h"
#include "base/units.h"
#include "classroom/kernel_likeness.h"
#include "record/graded_kernel.h"
#include "record/worker/worker_run.h"

#include <QEventLoop>
#include <algorithm>
#include <filesystem>

namespace ridge::classroom {
namespace {

std::string sizesText(const ParamSet& sizes)
{
    std::string text;
    for (const auto& [name, value] : sizes)
        text += (text.empty() ? "" : ", ") + name + " = " + toText(value);
    return text;
}

std::string reasonsText(const GradeVerdict& verdict)
{
    std::string text;
    for (const GradeReason& reason : verdict.reasons)
        text += (text.empty() ? "" : "\n") + reason.id + ": " + reason.text +
                (reason.advice.empty() ? "" : ". " + reason.advice);
    return text;
}

double figureOf(const record::ArtifactRow& artifact, const std::string& name)
{
    if (artifact.figures->is_array())
        for (const Json& figure : *artifact.figures)
            if (figure.is_object() && figure.value("name", Json()) == name && figure.value("value", Json()).is_number())
                return figure["value"].get<double>();
    return 0;
}

CheckCredit ratioCheck(const std::string& id, const std::string& title, const std::optional<double>& ratio)
{
    CheckCredit check{id, title, lessons::CheckState::Missing, "not known on this target", 0};
    if (!ratio)
        return check;
    check.credit = ratioCredit(*ratio);
    check.state = check.credit >= 1 ? lessons::CheckState::Passed : lessons::CheckState::Failed;
    check.detail = formatNumber(*ratio) + " x the reference's";
    return check;
}

} // namespace

Result<AssignedLesson> assignedKernel(const std::string& lesson)
{
    const auto task = shippedTask(taskOfLesson(lesson));
    if (!task)
        return task.error();
    std::string text = "# " + task->title + "\n\n" + task->about + "\n\n```cuda\n" + task->signature +
                       "\n```\n\nSizes that are checked, besides others:\n\n";
    for (const ParamSet& sizes : task->visible)
        text += "* " + sizesText(sizes) + "\n";
    text += "\nBegin with `ridge kernel task start " + task->id + "`, hand in what `ridge kernel grade " + task->id +
            ".cu --task " + task->id + " --save` has kept.\n";
    return AssignedLesson{lesson, task->title, std::move(text), {}};
}

Result<lessons::Lesson> ownKernelLesson(const std::string& lesson)
{
    const auto task = shippedTask(taskOfLesson(lesson));
    if (!task)
        return task.error();
    lessons::Lesson own;
    own.id = lesson;
    own.title = task->title;
    own.question = task->about;
    return own;
}

std::optional<GradeRoof> calibratedRoof(const std::filesystem::path& home, const GradeFacts& facts)
{
    if (facts.provenance != Provenance::Measured)
        return std::nullopt;
    const auto store = record::Store::openReadOnly(home);
    return store ? record::calibratedRoof(**store, facts) : std::nullopt;
}

Result<record::ArtifactRow> kernelArtifact(const record::Store& store, const KernelTask& task,
                                           const KernelGradeRequest& request, const GradeFacts& facts,
                                           const GradeVerdict& verdict)
{
    record::ArtifactRow row;
    row.lesson = kernelLesson(task.id);
    const auto earlier = store.artifacts(row.lesson);
    if (!earlier)
        return earlier.error();
    if (!earlier->empty())
        row.artifactId = earlier->front().artifactId.empty() ? earlier->front().id : earlier->front().artifactId;
    row.kind = "kernel";
    row.title = task.title;
    row.question = task.about;
    row.claim = verdict.accepted ? "Accepted with " + formatNumber(verdict.points) + " of " +
                                       formatNumber(verdict.outOf) + " points on " + facts.target
                                 : "Rejected on " + facts.target;
    row.level = 3; // a kernel suite, in the ladder of artifacts
    row.code = {{std::filesystem::path(request.source.path).filename().string(), sha256Hex(request.source.text)}};
    row.charts = Json::array();
    row.fingerprint = facts.fingerprint->is_object() ? *facts.fingerprint : Json::object();
    (*row.fingerprint)[record::kGradedOn] = facts.target;
    row.provenance = facts.provenance;
    const std::string result = reasonsText(verdict);
    row.sections["result"] = !result.empty() ? result
                             : verdict.timeNotGraded.empty()
                                 ? row.claim
                                 : row.claim + ". Time not graded: " + verdict.timeNotGraded;
    Json figures = Json::array();
    const auto add = [&](const char* name, const std::optional<double>& value, const char* unit) {
        if (value)
            figures.push_back(
                Json{{"name", name}, {"value", *value}, {"unit", unit}, {"source", record::kGradingSource}});
    };
    add("points", verdict.points, "points");
    add(record::kPointsOf, record::pointsOf(verdict), "points");
    add("instruction_ratio", verdict.instructionRatio, "1");
    add("time_ratio", verdict.timeRatio, "1");
    row.figures = std::move(figures);
    row.grading = record::toJson(record::keptGrading(request, facts, verdict));
    return row;
}

Result<std::string> keepKernel(record::Store& store, const KernelTask& task, const KernelGradeRequest& request,
                               const GradeFacts& facts, const GradeVerdict& verdict)
{
    auto row = kernelArtifact(store, task, request, facts, verdict);
    if (!row)
        return row.error();
    if (const auto code = store.putFile(request.source.text).result(); !code)
        return code.error();
    return store.append(std::move(*row)).result();
}

std::optional<HandedInKernel> handedInKernel(const record::LearnerRows& rows)
{
    const record::ArtifactRow* newest = nullptr;
    for (const record::ArtifactRow& artifact : rows.artifacts)
        if (!artifact.code.empty() && (newest == nullptr || std::tie(newest->createdAt, newest->seq) <
                                                                std::tie(artifact.createdAt, artifact.seq)))
            newest = &artifact;
    if (newest == nullptr)
        return std::nullopt;
    HandedInKernel kernel{newest->code.front().sha256, newest->code.front().name, "", figureOf(*newest, "points"),
                          figureOf(*newest, record::kPointsOf)};
    if (newest->fingerprint->is_object())
        if (const auto target = newest->fingerprint->find(record::kGradedOn);
            target != newest->fingerprint->end() && target->is_string())
            kernel.target = target->get<std::string>();
    if (!(kernel.outOf > 0 && kernel.outOf < 100))
        kernel.outOf = 100;
    kernel.points = std::clamp(kernel.points, 0.0, kernel.outOf);
    return kernel;
}

Json shapeOfHandedIn(const std::string& lesson, const record::LearnerRows& rows, const record::ContentFiles& files)
{
    const auto kernel = handedInKernel(rows);
    const auto code = kernel ? files.get(kernel->sha256) : Result<std::string>(std::string());
    if (!kernel || !code)
        return {};
    const auto shape = kernelShapeFor(*code, taskOfLesson(lesson));
    return shape ? toJson(*shape) : Json();
}

LessonGrade gradeKernelWork(const std::string& lesson, const record::LearnerRows& rows,
                            const std::optional<GradeVerdict>& again)
{
    LessonGrade grade;
    grade.lesson = lesson;
    const auto kernel = handedInKernel(rows);
    if (!kernel) {
        grade.checks.push_back({"right", "The kernel is right", lessons::CheckState::Missing,
                                "no graded kernel was handed in: ridge kernel grade … --save keeps one", 0});
        return grade;
    }
    grade.points = again ? again->points : kernel->points;
    const bool accepted = again ? again->accepted : kernel->points > 0;
    // A task has neither predictions nor a text of its own; handing in the kernel is all of its steps.
    grade.steps = {true, true, accepted, true, true};
    CheckCredit right{
        "right", "The kernel is right", accepted ? lessons::CheckState::Passed : lessons::CheckState::Failed,
        "as the learner's own program graded it: " + formatNumber(kernel->points) + " points", accepted ? 1.0 : 0.0};
    if (!again && kernel->outOf < 100)
        right.detail += " of " + formatNumber(kernel->outOf) + ", on a chip without a clock: time was not graded";
    if (again)
        right.detail = accepted ? "run again here with sizes and data of this learner's own" : reasonsText(*again);
    grade.checks.push_back(std::move(right));
    if (again && accepted) {
        grade.checks.push_back(ratioCheck("instructions", "Executed instructions", again->instructionRatio));
        grade.checks.push_back(ratioCheck("time", "Time", again->timeRatio));
        if (!again->timeNotGraded.empty())
            grade.checks.back().detail = "not graded, so without points: " + again->timeNotGraded;
    }
    return grade;
}

LessonGrade gradeKernelNotRun(const std::string& lesson, const record::LearnerRows& rows, const std::string& why)
{
    LessonGrade grade = gradeKernelWork(lesson, rows);
    grade.points = 0;
    grade.steps.passed = false;
    for (CheckCredit& check : grade.checks) {
        check.state = lessons::CheckState::Missing;
        check.credit = 0;
        check.detail = "could not be run again here: " + why;
    }
    return grade;
}

ExecuteKernel workerGrader()
{
    return [](const KernelGradeRequest& request) -> Result<GradeFacts> {
        std::optional<Error> error;
        std::optional<Result<GradeFacts>> facts;
        QEventLoop loop;
        record::WorkerRun run({record::defaultWorkerProgram(), {}}, KernelRequest(request));
        QObject::connect(&run, &record::WorkerRun::kernel, [&](const KernelEvent& event) {
            facts = gradeAnswer(*event.document, request.task, request.cases);
        });
        QObject::connect(&run, &record::WorkerRun::finished, [&](const FinishedEvent&) { loop.quit(); });
        QObject::connect(&run, &record::WorkerRun::failed, [&](const Error& why) {
            error = why;
            loop.quit();
        });
        // Started from inside the loop, so that a failure to start finds the loop running.
        QMetaObject::invokeMethod(
            &run, [&] { run.start(); }, Qt::QueuedConnection);
        loop.exec();
        if (error)
            return *error;
        if (!facts)
            return Error{"bad-protocol", "the worker finished without an answer", "worker output",
                         "use a ridge and a ridge-worker of the same version"};
        return *facts;
    };
}

} // namespace ridge::classroom
