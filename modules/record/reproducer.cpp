// SPDX-License-Identifier: GPL-3.0-or-later
// Runs an artifact again.
#include "record/reproduce.h"

#include "record/grading_again.h"
#include "record/worker/when_done.h"

#include <algorithm>

namespace ridge::record {

namespace {

/// A request once more. A place is none for a point that nobody cites.
struct Request {
    RunRequest request;
    std::vector<std::optional<std::size_t>> places;
};

/// Each request is repeated as it was, point after point, up to the last point that is cited: what one point leaves
/// behind on the device (where its arrays lay, what its caches hold) is part of what the next one is run on.
Result<std::vector<Request>> requestsOf(const Store& store, const std::vector<RepeatedRun>& runs,
                                        const std::string& target)
{
    std::vector<Request> requests;
    std::set<std::string> sweeps;
    for (const RepeatedRun& cited : runs) {
        if (!sweeps.insert(cited.before.sweepId + ' ' + cited.before.origin).second)
            continue;
        RunFilter filter;
        filter.sweepId = cited.before.sweepId;
        auto sweep = cited.before.sweepId.empty() ? Result<std::vector<RunRow>>(std::vector<RunRow>{cited.before})
                                                  : store.runs(filter);
        if (!sweep)
            return sweep.error();
        std::sort(sweep->begin(), sweep->end(), [](const RunRow& a, const RunRow& b) { return a.seq < b.seq; });
        Request one;
        one.request.experiment = cited.before.experiment;
        one.request.target = target.empty() ? cited.before.target : target;
        one.request.seed = cited.before.seed;
        one.request.trace = false;
        std::size_t needed = 0;
        for (const RunRow& point : *sweep) {
            if (point.status != "finished" || point.origin != cited.before.origin)
                continue;
            const auto place = std::find_if(runs.begin(), runs.end(),
                                            [&](const RepeatedRun& run) { return run.before.id == point.id; });
            one.request.points.push_back(point.params);
            one.places.push_back(place == runs.end() ? std::nullopt : std::optional<std::size_t>(place - runs.begin()));
            if (one.places.back())
                needed = one.places.size();
        }
        one.request.points.resize(needed);
        one.places.resize(needed);
        requests.push_back(std::move(one));
    }
    return requests;
}

std::string targetsOf(const std::vector<Request>& requests)
{
    std::set<std::string> names;
    for (const Request& one : requests)
        names.insert(one.request.target);
    std::string all;
    for (const std::string& name : names)
        all += (all.empty() ? "" : ", ") + name;
    return all;
}

} // namespace

struct Reproducer::Private {
    Private(Store& into, WorkerOptions options, const ArtifactRow& row, std::string where)
        : store(into), worker(std::move(options)), artifact(row), target(std::move(where))
    {
    }

    Store& store;
    WorkerOptions worker;
    ArtifactRow artifact;
    std::string target;
    std::vector<RepeatedRun> runs;
    std::vector<PredictionRow> predictions;
    std::vector<Request> requests;
    std::size_t at = 0;
    std::size_t arrived = 0; ///< rows of the request under way
    int points = 0, finished = 0;
    WorkerRun* run = nullptr;
    Recorder* recorder = nullptr; ///< of `run`, and to go before it
    bool started = false, cancelled = false, over = false;
    bool begun = false;                     ///< the worker has begun with the request
    std::unique_ptr<GradingRepeat> grading; ///< of a graded kernel, in place of requests
    std::optional<Error> error;

    Result<void> read();
};

Result<void> Reproducer::Private::read()
{
    RunFilter filter;
    filter.ids = artifact.runIds;
    auto rows = artifact.runIds.empty() ? Result<std::vector<RunRow>>(std::vector<RunRow>{}) : store.runs(filter);
    if (!rows)
        return rows.error();
    for (const std::string& id : artifact.runIds)
        for (const RunRow& row : *rows)
            if (row.id == id && row.status == "finished")
                runs.push_back({row, {}});
    if (runs.empty())
        return Error{"no-runs", "There is nothing in this artifact that can be run again",
                     "artifact " + artifact.artifactId, "Its figures were typed in or imported from a file"};
    auto all = store.predictionsById(artifact.predictionIds);
    if (!all)
        return all.error();
    predictions = std::move(*all);
    auto repeated = requestsOf(store, runs, target);
    if (!repeated)
        return repeated.error();
    requests = std::move(*repeated);
    for (const Request& one : requests)
        points += int(one.request.points.size());
    return {};
}

Reproducer::Reproducer(Store& store, WorkerOptions worker, const ArtifactRow& artifact, std::string target,
                       QObject* parent)
    : QObject(parent), d(new Private(store, std::move(worker), artifact, std::move(target)))
{
}

Reproducer::~Reproducer()
{
    delete d->recorder;
    delete d->run;
}

bool Reproducer::running() const
{
    return d->started && !d->over;
}

const std::vector<RepeatedRun>& Reproducer::runs() const
{
    return d->runs;
}

void Reproducer::start()
{
    if (d->started)
        return;
    d->started = true;
    if (isGradedKernel(d->artifact))
        return gradeAgain();
    if (auto ready = d->read(); !ready)
        return fail(ready.error());
    next();
}

void Reproducer::cancel()
{
    d->cancelled = true;
    if (d->grading)
        d->grading->cancel();
    if (d->run != nullptr)
        d->run->cancel();
}

void Reproducer::gradeAgain()
{
    d->grading = std::make_unique<GradingRepeat>(d->store, d->worker, d->artifact, d->target);
    connect(d->grading.get(), &GradingRepeat::progress, this, &Reproducer::progress);
    connect(d->grading.get(), &GradingRepeat::failed, this, &Reproducer::fail);
    connect(
        d->grading.get(), &GradingRepeat::done, this,
        [this](const std::optional<GradedAgain>& again, const std::optional<Error>& error) {
            if (d->cancelled)
                return fail({"cancelled", "The reproduction was cancelled", "artifact " + d->artifact.artifactId, {}});
            ReproductionRow row;
            row.target = d->grading->target();
            if (!again) {
                row.pairs.push_back({kSameCases, "", "", "", 0, 0, {}, "not reproduced"});
                return keep(std::move(row), {"not reproduced", {"the kernel could not be graded: " + error->message}});
            }
            row.grading = toJson(*again);
            auto comparison = compareGradings(d->artifact, *again);
            if (!comparison)
                return fail(comparison.error());
            row.pairs = std::move(comparison->pairs);
            keep(std::move(row), {comparison->verdict, comparison->notes});
        });
    d->grading->start();
}

void Reproducer::next()
{
    if (d->cancelled)
        return fail({"cancelled", "The reproduction was cancelled", "artifact " + d->artifact.artifactId,
                     "The runs that were finished are kept"});
    if (d->error)
        return fail(*d->error);
    if (d->at >= d->requests.size())
        return finish();
    const Request& request = d->requests[d->at++];
    const QString what = QString::fromStdString(request.request.experiment + " on " + request.request.target);
    d->arrived = 0;
    d->begun = false;
    Q_EMIT progress(d->finished, d->points, what);
    d->run = new WorkerRun(d->worker, request.request, this);
    d->recorder = new Recorder(d->store, *d->run, {}, this);
    connect(d->run, &WorkerRun::started, this, [this] { d->begun = true; });
    connect(d->run, &WorkerRun::failed, this, [this](const Error& why) {
        // What failed after it had begun is a result; what could not begin is none.
        if (!d->begun)
            d->error = why;
    });
    connect(d->recorder, &Recorder::storeFailed, this, [this](const Error& why) { d->error = why; });
    connect(d->recorder, &Recorder::stored, this, [this, what, places = request.places](const RunRow& row) {
        if (d->arrived >= places.size())
            return;
        if (const auto place = places[d->arrived++])
            d->runs[*place].now = row;
        Q_EMIT progress(++d->finished, d->points, what);
    });
    connect(d->recorder, &Recorder::done, this, [this] {
        d->recorder->deleteLater();
        d->recorder = nullptr;
        d->run->deleteLater();
        d->run = nullptr;
        next();
    });
    d->run->start();
}

void Reproducer::finish()
{
    Comparison comparison = compareRuns(d->runs, headlineOf(d->predictions, d->runs));
    ReproductionRow row;
    row.target = targetsOf(d->requests);
    row.pairs = std::move(comparison.pairs);
    keep(std::move(row), {comparison.verdict, comparison.notes});
}

void Reproducer::keep(ReproductionRow row, const Concluded& concluded)
{
    row.artifactId = d->artifact.artifactId.empty() ? d->artifact.id : d->artifact.artifactId;
    row.verdict = concluded.verdict;
    row.by = d->artifact.origin == d->store.origin() ? "self" : "other";
    QStringList notes;
    for (const std::string& text : concluded.notes)
        notes << QString::fromStdString(text);
    whenDone(d->store.append(row), this, [this, row, notes](const Result<std::string>& id) {
        if (!id)
            return fail(id.error());
        d->over = true;
        auto stored = d->store.reproductions(row.artifactId);
        if (!stored)
            return fail(stored.error());
        const auto mine =
            std::find_if(stored->begin(), stored->end(), [&](const ReproductionRow& one) { return one.id == *id; });
        if (mine == stored->end())
            return fail({"store-error",
                         "The verdict that was just stored is not in the record",
                         d->store.folder().string(),
                         {}});
        Q_EMIT done(*mine, notes);
    });
}

void Reproducer::fail(const Error& error)
{
    d->over = true;
    // Not from inside start(): whoever waits has had no chance to connect before.
    QMetaObject::invokeMethod(
        this, [this, error] { Q_EMIT failed(error); }, Qt::QueuedConnection);
}

} // namespace ridge::record
