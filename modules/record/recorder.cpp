// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/recorder.h"

#include "base/hash.h"
#include "base/target_kind.h"

#include <QPointer>
#include <set>

namespace ridge::record {

namespace {

// The writer commits up to 512 rows at once: enough is queued to keep it busy, and a stop loses nothing durable.
constexpr int kPauseAtRows = 1024;
constexpr int kResumeAtRows = 256;
constexpr std::size_t kPauseAtBytes = 64u << 20;
constexpr std::size_t kResumeAtBytes = 16u << 20;

} // namespace

struct Recorder::Private {
    void hold(const SampleEvent& sample);
    void attach(const TraceEvent& trace);
    void release();
    void append(RunRow row, std::string traceBytes);
    void settle();
    RunRow rowOfRun() const;
    RunRow rowOf(const SampleEvent& sample) const;
    RunRow rowOf(const Error& error, std::size_t point) const;
    void fail(const Error& error);
    /// Who asked to go on keeps what failed in the table, not among the runs.
    bool keepsGoing() const { return run && run->request().keepGoing; }

    Recorder* q = nullptr;
    QPointer<Store> store;
    QPointer<WorkerRun> run;
    RunContextIds ids;
    std::string sweepId;
    std::optional<StartedEvent> started;
    std::optional<SampleEvent> held; ///< waits for its traces …
    std::string heldTraces;          ///< … which stand one after another in one file
    std::set<std::size_t> answered;  ///< points that have a sample or an error of their own
    std::size_t failures = 0;        ///< errors of single points
    int rowsUnderWay = 0;
    std::size_t bytesUnderWay = 0;
    bool paused = false, ended = false, told = false;
};

Recorder::Recorder(Store& store, WorkerRun& run, RunContextIds ids, QObject* parent)
    : QObject(parent), d(std::make_unique<Private>())
{
    d->q = this;
    d->store = &store;
    d->run = &run;
    d->sweepId = ids.sweepId.empty() ? newUuid7() : ids.sweepId;
    d->ids = std::move(ids);
    connect(&run, &WorkerRun::started, this, [this](const StartedEvent& event) {
        d->release(); // points of a sweep may come from several machines, each after its own start
        d->started = event;
    });
    connect(&run, &WorkerRun::sample, this, [this](const SampleEvent& event) { d->hold(event); });
    connect(&run, &WorkerRun::trace, this, [this](const TraceEvent& event) { d->attach(event); });
    // Traces come right after their sample: whatever else comes shows that there are no more.
    connect(&run, &WorkerRun::progress, this, [this] { d->release(); });
    connect(&run, &WorkerRun::check, this, [this] { d->release(); });
    connect(&run, &WorkerRun::finished, this, [this] {
        d->release();
        d->ended = true;
        d->settle();
    });
    connect(&run, &WorkerRun::failed, this, [this](const Error& error) {
        d->release();
        d->fail(error);
        d->ended = true;
        d->settle();
    });
    connect(&run, &WorkerRun::pointFailed, this, [this](std::size_t index, const Error& error) {
        if (d->keepsGoing())
            return;
        d->answered.insert(index);
        ++d->failures;
        d->append(d->rowOf(error, index), {});
    });
    // A store that goes has written everything, but nobody will say so any more.
    connect(&store, &QObject::destroyed, this, [this] { d->settle(); });
}

Recorder::~Recorder() = default;

std::string Recorder::sweepId() const
{
    return d->sweepId;
}

void Recorder::Private::hold(const SampleEvent& sample)
{
    release();
    answered.insert(sample.index);
    if (sample.error)
        return; // a point of a table that was refused is an answer and no run
    held = sample;
    if (!run || !run->request().trace)
        release();
}

void Recorder::Private::attach(const TraceEvent& trace)
{
    if (held && held->index == trace.index) {
        heldTraces += trace.bytes;
        if (!trace.more)
            release();
        return;
    }
    release();
    Q_EMIT q->storeFailed({"bad-protocol",
                           "A trace of point " + std::to_string(trace.index) + " came without its sample", ids.block,
                           "Use the ridge-worker of the same version; the samples are kept"});
}

void Recorder::Private::release()
{
    if (!held)
        return;
    RunRow row = rowOf(*held);
    held.reset();
    append(std::move(row), std::exchange(heldTraces, {}));
}

void Recorder::Private::append(RunRow row, std::string traceBytes)
{
    if (!store)
        return;
    const std::size_t bytes = traceBytes.size();
    ++rowsUnderWay;
    bytesUnderWay += bytes;
    store->append(std::move(row), std::move(traceBytes), q, [this, bytes](const Result<RunRow>& stored) {
        --rowsUnderWay;
        bytesUnderWay -= bytes;
        const QPointer<Recorder> alive(q);
        if (stored)
            Q_EMIT q->stored(*stored);
        else
            Q_EMIT q->storeFailed(stored.error());
        if (alive)
            settle();
    });
    settle();
}

void Recorder::Private::settle()
{
    const bool high = rowsUnderWay >= kPauseAtRows || bytesUnderWay >= kPauseAtBytes;
    const bool low = rowsUnderWay <= kResumeAtRows && bytesUnderWay <= kResumeAtBytes;
    if (paused ? low : high) {
        paused = !paused;
        if (run)
            run->setPaused(paused);
    }
    if (ended && (rowsUnderWay == 0 || !store) && !told) {
        told = true;
        Q_EMIT q->done();
    }
}

RunRow Recorder::Private::rowOfRun() const
{
    RunRow row;
    row.sweepId = sweepId;
    row.lesson = ids.lesson;
    row.block = ids.block;
    row.predictionId = ids.predictionId;
    if (run) {
        row.experiment = run->request().experiment;
        row.target = run->request().target;
        row.seed = run->request().seed;
    }
    row.provenance = provenanceOfTarget(row.target);
    if (started) {
        row.version = started->version;
        row.target = started->target;
        row.provenance = started->provenance;
        row.fingerprint = started->fingerprint;
    }
    return row;
}

RunRow Recorder::Private::rowOf(const SampleEvent& sample) const
{
    RunRow row = rowOfRun();
    row.params = sample.params;
    row.metrics = sample.metrics;
    row.limits = sample.limits;
    row.checks = sample.checks;
    row.validity = sample.validity;
    row.status = "finished";
    return row;
}

/// Points of one worker run in order, so the first without an answer is the one that was under way.
void Recorder::Private::fail(const Error& error)
{
    if (keepsGoing())
        return;
    std::size_t point = 0;
    while (answered.contains(point))
        ++point;
    // Where every point has its own row, one for the whole would only count twice.
    if (failures == 0 || (run && point < run->request().points.size()))
        append(rowOf(error, point), {});
}

RunRow Recorder::Private::rowOf(const Error& error, std::size_t point) const
{
    RunRow row = rowOfRun();
    if (run && point < run->request().points.size())
        row.params = run->request().points[point];
    row.validity = "failed";
    row.status = "failed";
    row.error = error;
    return row;
}

} // namespace ridge::record

#include "moc_recorder.cpp"
