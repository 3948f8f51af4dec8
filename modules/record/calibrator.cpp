// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/calibrator.h"

#include <cmath>

namespace ridge::record {

namespace {

/// What tells two machines that stand behind one target name apart: the target's part of the fingerprint without what
/// changes from day to day.
Json machineOf(const RunRow& run)
{
    Json machine = Json::object();
    if (!run.fingerprint->is_object() || !run.fingerprint->contains("target"))
        return machine;
    const Json& target = run.fingerprint->at("target");
    for (const char* key : {"name", "uuid", "chip", "model"})
        if (target.is_object() && target.contains(key))
            machine[key] = target.at(key);
    return machine;
}

/// A figure that is not the same within this part when it is found again is called unstable (product ON4).
constexpr double kSame = 0.05;

struct FigureRuns {
    const RunRow* read = nullptr;   ///< the run that the figure is read from; null: there is none
    const RunRow* before = nullptr; ///< the valid one before it
};

/// `runs`: newest first.
FigureRuns runsOf(const CalibrationStep& step, const std::vector<RunRow>& runs, const Json& machine)
{
    FigureRuns found;
    const RunRow* spoilt = nullptr;
    for (const RunRow& run : runs) {
        if (run.status != "finished" || !isRunOf(step, run.experiment, run.params) ||
            !run.metrics.contains(step.metric) || machineOf(run) != machine)
            continue;
        if (run.validity == "valid" && found.read != nullptr) {
            found.before = &run;
            return found;
        }
        if (run.validity == "valid")
            found.read = &run;
        else if (spoilt == nullptr)
            spoilt = &run;
    }
    if (found.read == nullptr)
        found.read = spoilt;
    return found;
}

/// The run's own verdict, and whether the figure was another one the time before.
std::string verdictOf(const CalibrationStep& step, const FigureRuns& runs)
{
    if (runs.before == nullptr)
        return runs.read->validity;
    const double now = runs.read->metrics.at(step.metric).value, was = runs.before->metrics.at(step.metric).value;
    const double off = was > 0 ? std::abs(now / was - 1) : 0;
    return off <= kSame ? runs.read->validity
                        : "unstable: " + std::to_string(std::lround(100 * off)) + " % off the time before";
}

} // namespace

Result<MachineCalibration> storedCalibration(const Store& store, const CalibrationPlan& plan, const std::string& target,
                                             int newestRuns)
{
    MachineCalibration calibration;
    calibration.target = target;
    std::map<std::string, std::vector<RunRow>> runs; // by experiment
    const RunRow* newest = nullptr;
    for (const CalibrationStep& step : plan.steps(target)) {
        if (!runs.contains(step.experiment)) {
            RunFilter filter;
            filter.experiment = step.experiment;
            filter.target = target;
            filter.limit = newestRuns;
            auto found = store.runs(filter);
            if (!found)
                return found.error();
            runs.emplace(step.experiment, std::move(*found));
        }
        for (const RunRow& run : runs.at(step.experiment))
            if (run.status == "finished" && isRunOf(step, run.experiment, run.params) &&
                (newest == nullptr || run.seq > newest->seq))
                newest = &run;
    }
    if (newest == nullptr)
        return calibration;
    calibration.fingerprint = newest->fingerprint;
    const Json machine = machineOf(*newest);
    for (const CalibrationStep& step : plan.steps(target))
        if (const FigureRuns found = runsOf(step, runs.at(step.experiment), machine); found.read != nullptr)
            calibration.figures.push_back({step, found.read->metrics.at(step.metric), verdictOf(step, found),
                                           found.read->id, found.read->createdAt});
    return calibration;
}

struct Calibrator::Private {
    Store& store;
    WorkerOptions worker;
    std::vector<RunRequest> requests;
    std::size_t at = 0;
    int points = 0, finished = 0;
    WorkerRun* run = nullptr;
    Recorder* recorder = nullptr; ///< of `run`, and to go before it
    bool started = false, cancelled = false;
};

Calibrator::Calibrator(Store& store, WorkerOptions worker, const CalibrationPlan& plan, const std::string& target,
                       QObject* parent)
    : QObject(parent), d(new Private{store, std::move(worker), plan.requests(target)})
{
    for (const RunRequest& request : d->requests)
        d->points += static_cast<int>(request.points.size());
}

Calibrator::~Calibrator()
{
    delete d->recorder;
    delete d->run;
}

bool Calibrator::running() const
{
    return d->started && (d->run != nullptr || d->at < d->requests.size());
}

void Calibrator::start()
{
    if (d->started)
        return;
    d->started = true;
    next();
}

void Calibrator::cancel()
{
    d->cancelled = true;
    if (d->run != nullptr)
        d->run->cancel();
}

void Calibrator::next()
{
    if (d->cancelled || d->at >= d->requests.size()) {
        d->at = d->requests.size();
        // Not from inside start(): whoever waits has had no chance to connect before.
        QMetaObject::invokeMethod(this, &Calibrator::done, Qt::QueuedConnection);
        return;
    }
    const RunRequest request = d->requests[d->at++];
    const QString experiment = QString::fromStdString(request.experiment);
    const int before = d->finished;
    Q_EMIT progress(d->finished, d->points, experiment);
    d->run = new WorkerRun(d->worker, request, this);
    d->recorder = new Recorder(d->store, *d->run, {}, this);
    connect(d->run, &WorkerRun::sample, this, [this, experiment] {
        ++d->finished;
        Q_EMIT progress(d->finished, d->points, experiment);
    });
    connect(d->run, &WorkerRun::failed, this, [this, experiment](const Error& why) {
        if (!d->cancelled)
            Q_EMIT skipped(experiment, why);
    });
    connect(d->recorder, &Recorder::storeFailed, this,
            [this, experiment](const Error& why) { Q_EMIT skipped(experiment, why); });
    connect(d->recorder, &Recorder::done, this, [this, before, count = static_cast<int>(request.points.size())] {
        d->finished = before + count;
        d->recorder->deleteLater();
        d->recorder = nullptr;
        d->run->deleteLater();
        d->run = nullptr;
        next();
    });
    d->run->start();
}

} // namespace ridge::record

#include "moc_calibrator.cpp"
