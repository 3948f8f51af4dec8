// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/run_controller.h"

#include "base/target_choice.h"
#include "record/worker/when_done.h"
#include "record/worker/worker_run.h"

namespace ridge::app {

using record::Recorder;
using record::WorkerRun;

struct RunController::Private {
    AppContext& context;
    RunState state = RunState::Idle;
    double fraction = 0;
    std::size_t expected = 0, arrived = 0;
    std::unique_ptr<WorkerRun> run;
    std::unique_ptr<Recorder> recorder;
    int decoding = 0;      ///< traces on the thread pool
    bool recorded = false; ///< recorder said done
    bool failed = false;
    QString title = {}, page = {};

    void retire(RunController* q);
    void finishIfSettled(RunController* q);
    void fail(RunController* q, const Error& error);
    void decode(RunController* q, const TraceEvent& event);
};

RunController::RunController(AppContext& context, QObject* parent)
    : QObject(parent), d(std::make_unique<Private>(Private{.context = context, .run = nullptr, .recorder = nullptr}))
{
}

RunController::~RunController()
{
    // The recorder listens to the run: it goes first.
    d->recorder.reset();
    d->run.reset();
}

Result<void> RunController::start(RunRequest request, record::RunContextIds ids)
{
    if (d->state == RunState::Running || d->state == RunState::Cancelling)
        return Error{"already-running", "A run of this block is still going", request.experiment,
                     "Wait for it or stop it with Shift+F5"};
    if (!d->context.store())
        return d->context.storeError().value_or(
            Error{"no-store", "Runs cannot be kept because the store is not open", "", "Restart Ridgepoint"});
    d->context.calibration().cancel(); // two of them on one machine would both be wrong
    d->retire(this);
    d->state = RunState::Running;
    d->fraction = 0;
    d->expected = request.points.size();
    d->arrived = 0;
    d->title = tr("%1 on %2").arg(QString::fromStdString(request.experiment), QString::fromStdString(request.target));
    d->page = QString::fromStdString(ids.lesson.empty() ? "lab/" + request.experiment : "lesson/" + ids.lesson);
    d->recorded = d->failed = false;

    const record::WorkerOptions options{.program = record::defaultWorkerProgram(), .launcher = {}};
    d->run = std::make_unique<WorkerRun>(options, std::move(request));
    d->recorder = std::make_unique<Recorder>(*d->context.store(), *d->run, std::move(ids));
    connect(d->run.get(), &WorkerRun::progress, this, [this](const ProgressEvent& event) {
        d->fraction = std::max(d->fraction, event.fraction);
        Q_EMIT progressed(d->fraction, QString::fromStdString(event.message));
    });
    connect(d->run.get(), &WorkerRun::sample, this, [this](const SampleEvent& event) {
        if (d->expected > 0)
            d->fraction = std::max(d->fraction, double(++d->arrived) / double(d->expected));
        Q_EMIT sampleArrived(event);
    });
    connect(d->run.get(), &WorkerRun::trace, this, [this](const TraceEvent& event) { d->decode(this, event); });
    connect(d->run.get(), &WorkerRun::log, this, &RunController::logged);
    connect(d->run.get(), &WorkerRun::link, this, &RunController::logged);
    connect(d->run.get(), &WorkerRun::pointFailed, this,
            [this](std::size_t, const Error& error) { Q_EMIT logged(QString::fromStdString(toText(error))); });
    const std::string remote = splitTarget(d->run->request().target).remote;
    connect(d->run.get(), &WorkerRun::failed, this, [this, remote](const Error& error) {
        if (error.code == "target-unreachable" || error.code == "link-lost")
            d->context.remotes().notReached(remote, error);
        d->fail(this, error);
    });
    if (!remote.empty())
        connect(d->run.get(), &WorkerRun::started, this, [this, remote] { d->context.remotes().reached(remote); });
    connect(d->recorder.get(), &Recorder::stored, this, &RunController::rowStored);
    connect(d->recorder.get(), &Recorder::storeFailed, this, [this](const Error& error) {
        d->run->cancel();
        d->fail(this, error);
    });
    connect(d->recorder.get(), &Recorder::done, this, [this] {
        d->recorded = true;
        d->finishIfSettled(this);
    });
    Q_EMIT stateChanged();
    d->run->start();
    return {};
}

/// A new run may be started from a slot of the old one, which must then outlive its own signal.
void RunController::Private::retire(RunController* q)
{
    for (QObject* old : {static_cast<QObject*>(recorder.release()), static_cast<QObject*>(run.release())}) {
        if (!old)
            continue;
        QObject::disconnect(old, nullptr, q, nullptr);
        old->deleteLater();
    }
}

void RunController::Private::decode(RunController* q, const TraceEvent& event)
{
    ++decoding;
    const TraceOrigin origin{event.kind, title};
    record::whenDone(decodeTracesAsync(event.bytes, origin), q,
                     [this, q, index = event.index](const Result<DecodedTraces>& trace) {
                         --decoding;
                         if (trace)
                             Q_EMIT q->traceArrived(index, *trace);
                         else
                             Q_EMIT q->traceArrived(index, unreadable(trace.error()));
                         finishIfSettled(q);
                     });
}

void RunController::Private::fail(RunController* q, const Error& error)
{
    if (failed)
        return; // the first reason is the cause, what follows from it would hide it
    failed = true;
    Q_EMIT q->failed(error);
}

void RunController::Private::finishIfSettled(RunController* q)
{
    if (!recorded || decoding > 0)
        return;
    recorded = false;
    state = failed ? RunState::Failed : RunState::Finished;
    if (!failed)
        fraction = 1;
    Q_EMIT q->stateChanged();
    Q_EMIT q->done();
}

void RunController::cancel()
{
    if (d->state != RunState::Running)
        return;
    d->state = RunState::Cancelling;
    Q_EMIT stateChanged();
    d->run->cancel();
}

RunState RunController::state() const
{
    return d->state;
}
double RunController::fraction() const
{
    return d->fraction;
}
std::size_t RunController::expectedPoints() const
{
    return d->expected;
}
QString RunController::title() const
{
    return d->title;
}
QString RunController::page() const
{
    return d->page;
}

} // namespace ridge::app

#include "moc_run_controller.cpp"
