// SPDX-License-Identifier: GPL-3.0-or-later
// Grades a graded kernel's text again.
#include "base/hash.h"
#include "base/target_choice.h"
#include "record/files/content_files.h"
#include "record/grading_again.h"

namespace ridge::record {

struct GradingRepeat::Private {
    Private(Store& of, WorkerOptions options, const ArtifactRow& row)
        : store(of), worker(std::move(options)), artifact(row)
    {
    }

    Store& store;
    WorkerOptions worker;
    ArtifactRow artifact;
    std::string target;
    std::vector<KernelGradeRequest> requests; ///< the last one on other cases
    bool repeats = false;                     ///< the first one on the same cases
    KernelTask task;
    std::vector<KeptGrading> graded;
    JsonValue fingerprint;
    WorkerRun* run = nullptr;
    std::optional<Result<GradeFacts>> answer;
    bool begun = false, cancelled = false;

    Result<void> read();
    std::optional<GradedAgain> all() const;
};

/// Errors: "file-damaged" where the text is not the one that was kept.
Result<void> GradingRepeat::Private::read()
{
    auto shipped = shippedTask(artifact.lesson.substr(std::string_view(kGradedKernelPrefix).size()));
    if (!shipped)
        return shipped.error();
    task = std::move(*shipped);
    const ArtifactCode& code = artifact.code.front();
    const auto text = contentFiles(store.folder()).get(code.sha256);
    if (!text)
        return text.error();
    const KernelText source{code.name, *text, code.name.ends_with(".ptx")};
    const auto kept =
        artifact.grading->is_null() ? Result<KeptGrading>(Error{}) : keptGradingFromJson(*artifact.grading);
    repeats = bool(kept);
    if (kept)
        requests.push_back(gradeRequest(task, source, target, kept->secret));
    requests.push_back(gradeRequest(task, source, target, newSecret()));
    return {};
}

std::optional<GradedAgain> GradingRepeat::Private::all() const
{
    if (graded.size() < requests.size() || requests.empty())
        return std::nullopt;
    return GradedAgain{fingerprint, repeats ? std::optional(graded.front()) : std::nullopt, graded.back()};
}

GradingRepeat::GradingRepeat(Store& store, WorkerOptions worker, const ArtifactRow& artifact, std::string target,
                             QObject* parent)
    : QObject(parent), d(std::make_unique<Private>(store, std::move(worker), artifact))
{
    const Json& machine = *artifact.fingerprint;
    const Json on = machine.is_object() ? machine.value(kGradedOn, Json()) : Json();
    d->target = !target.empty() ? std::move(target) : on.is_string() ? on.get<std::string>() : kDefaultSimulator;
}

GradingRepeat::~GradingRepeat()
{
    delete d->run;
}

std::string GradingRepeat::target() const
{
    return d->target;
}

void GradingRepeat::start()
{
    if (const auto ready = d->read(); !ready && ready.error().code == "file-damaged")
        end(ready.error());
    else if (!ready)
        fail(ready.error());
    else
        next();
}

void GradingRepeat::cancel()
{
    d->cancelled = true;
    if (d->run != nullptr)
        d->run->cancel();
}

void GradingRepeat::next()
{
    if (d->cancelled)
        return fail({"cancelled", "The reproduction was cancelled", "artifact " + d->artifact.artifactId, {}});
    if (d->graded.size() == d->requests.size())
        return end({});
    const KernelGradeRequest& request = d->requests[d->graded.size()];
    const bool again = d->repeats && d->graded.empty();
    Q_EMIT progress(
        int(d->graded.size()), int(d->requests.size()),
        QString::fromStdString(request.task + " on " + request.target + ", " + (again ? kSameCases : kOtherCases)));
    d->begun = false;
    d->answer.reset();
    d->run = new WorkerRun(d->worker, KernelRequest(request), this);
    connect(d->run, &WorkerRun::started, this, [this](const StartedEvent& event) {
        d->begun = true;
        d->fingerprint = *event.fingerprint;
    });
    connect(d->run, &WorkerRun::kernel, this, [this](const KernelEvent& event) {
        const KernelGradeRequest& asked = d->requests[d->graded.size()];
        d->answer = gradeAnswer(*event.document, asked.task, asked.cases);
    });
    const auto retire = [this] {
        d->run->disconnect(this);
        d->run->deleteLater();
        d->run = nullptr;
    };
    connect(d->run, &WorkerRun::failed, this, [this, retire](const Error& told) {
        const Error why = told; // its owner goes
        retire();
        if (d->cancelled || why.code == "cancelled")
            d->cancelled = true;
        else if (d->begun)
            return end(why);
        else
            return fail(why);
        next();
    });
    connect(d->run, &WorkerRun::finished, this, [this, retire] {
        retire();
        if (!d->answer)
            return fail({"bad-protocol", "The worker finished without an answer", "worker output",
                         "Use a ridge and a ridge-worker of the same version"});
        if (!*d->answer)
            return fail(d->answer->error());
        GradeFacts& facts = **d->answer;
        const GradeVerdict verdict = judge(d->task, facts, calibratedRoof(d->store, facts));
        d->graded.push_back(keptGrading(d->requests[d->graded.size()], std::move(facts), verdict));
        next();
    });
    d->run->start();
}

void GradingRepeat::fail(const Error& error)
{
    // Not from inside start(): whoever waits has had no chance to connect before.
    QMetaObject::invokeMethod(
        this, [this, error] { Q_EMIT failed(error); }, Qt::QueuedConnection);
}

void GradingRepeat::end(const std::optional<Error>& error)
{
    QMetaObject::invokeMethod(
        this, [this, error] { Q_EMIT done(error ? std::nullopt : d->all(), error); }, Qt::QueuedConnection);
}

} // namespace ridge::record
