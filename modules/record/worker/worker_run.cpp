// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/worker/worker_run.h"

#include "base/json.h"
#include "base/paths.h"
#include "base/target_choice.h"
#include "record/worker/follow_source.h"
#include "record/worker/pipe_source.h"
#include "record/worker/remote_setup.h"
#include "record/worker/shell_words.h"
#include "record/worker/slurm_source.h"
#include "record/worker/worker_process.h"

#include <QElapsedTimer>
#include <QPointer>
#include <QTimer>

namespace ridge::record {

namespace {

/// A wake-up handles events for at most this long, so that a frame of 16 ms has room for painting.
constexpr int kSliceMs = 6;
constexpr std::size_t kChunk = 64 << 10;

int milliseconds(double seconds)
{
    return static_cast<int>(seconds * 1000);
}

/// Takes the name of the remote target out of a request and gives it: what is sent names a target of the other machine.
std::string takeRemote(std::string& target)
{
    TargetParts parts = splitTarget(target);
    target = std::move(parts.local);
    return std::move(parts.remote);
}

std::string takeRemote(KernelRequest& request)
{
    if (auto* run = std::get_if<KernelRunRequest>(&request)) {
        std::string remote = takeRemote(run->target);
        run->pausable = run->pausable && remote.empty(); // answers are signals
        return remote;
    }
    auto* grade = std::get_if<KernelGradeRequest>(&request);
    return grade ? takeRemote(grade->target) : std::string();
}

/// An argument whose buffer is read from a file or written to one: files are those of the machine that runs.
bool namesFile(const KernelRequest& request)
{
    const auto* run = std::get_if<KernelRunRequest>(&request);
    return run && std::ranges::any_of(run->args, [](const std::string& arg) {
               return arg.find('@') != std::string::npos || arg.find('>') != std::string::npos;
           });
}

} // namespace

struct WorkerRun::Private {
    Private(WorkerRun& owner, WorkerOptions given, RunRequest asked)
        : q(owner), options(std::move(given)), request(asked), sent(std::move(asked)),
          remoteName(takeRemote(sent.target)), document(toJson(sent))
    {
    }
    Private(WorkerRun& owner, WorkerOptions given, KernelRequest asked)
        : q(owner), options(std::move(given)), remoteName(takeRemote(asked)), document(toJson(asked)),
          kernelTraces(std::holds_alternative<KernelRunRequest>(asked) && std::get<KernelRunRequest>(asked).steps > 0)
    {
        if (!remoteName.empty() && namesFile(asked))
            refusal = Error{"bad-argument", "files in --arg cannot be used on another machine", "target " + remoteName,
                            "fill the buffer with zeros, ones, iota or rand(SEED), or run here"};
    }

    void start();
    void startRemote();
    void openRemote();
    void setUp();
    void begin(std::unique_ptr<ByteSource> made);
    void failLater(const Error& error);
    void pump();
    bool dispatch(Event&& event);
    bool emitEvent(Event& event);
    void breakProtocol(const Error& error);
    void exited();
    void concludeIfOver();
    Error failure() const;
    void conclude(const std::function<void()>& emitLast);
    void rearm();
    void silent();

    WorkerRun& q;
    WorkerOptions options;
    RunRequest request; ///< as it was asked for
    RunRequest sent;    ///< as the worker gets it
    std::string remoteName;
    Json document;             ///< what the worker is asked
    bool kernelTraces = false; ///< a kernel request whose steps come as the trace of point 0
    std::optional<Error> refusal;
    std::optional<RemoteTarget> remote;
    QString digest; ///< of the worker here
    std::unique_ptr<RemoteSetup> setup;
    std::unique_ptr<ByteSource> source;
    QTimer again, silence, grace;
    EventReader reader;
    std::string chunk;
    std::optional<Event> last; ///< Finished or Failed, held back until the process is gone
    std::optional<Error> protocolError;
    bool begun = false;
    bool opening = false;   ///< on the way to a remote target, nothing runs yet
    bool installed = false; ///< our worker was put there for this run
    bool greeted = false;   ///< Started has come
    bool paused = false, cancelled = false, isHung = false, drained = false, gone = false, over = false;
};

WorkerRun::WorkerRun(WorkerOptions options, RunRequest request, QObject* parent)
    : QObject(parent), d(std::make_unique<Private>(*this, std::move(options), std::move(request)))
{
    connectTimers();
}

WorkerRun::WorkerRun(WorkerOptions options, const KernelRequest& request, QObject* parent)
    : QObject(parent), d(std::make_unique<Private>(*this, std::move(options), request))
{
    connectTimers();
}

void WorkerRun::connectTimers()
{
    for (QTimer* timer : {&d->again, &d->silence, &d->grace})
        timer->setSingleShot(true);
    connect(&d->again, &QTimer::timeout, this, [this] { d->pump(); });
    connect(&d->silence, &QTimer::timeout, this, [this] { d->silent(); });
    connect(&d->grace, &QTimer::timeout, this, [this] { d->source->kill(); });
}

WorkerRun::~WorkerRun() = default;

void WorkerRun::start()
{
    if (!d->begun && !d->over)
        d->start();
}

void WorkerRun::Private::start()
{
    begun = true;
    if (refusal)
        failLater(*refusal);
    else if (remoteName.empty())
        begin(std::make_unique<PipeSource>(options));
    else
        startRemote();
}

/// Not at once: the caller may connect after start().
void WorkerRun::Private::failLater(const Error& error)
{
    QMetaObject::invokeMethod(
        &q, [this, error] { conclude([&] { Q_EMIT q.failed(error); }); }, Qt::QueuedConnection);
}

void WorkerRun::Private::startRemote()
{
    opening = true;
    remote = options.remote;
    if (!remote) {
        const auto targets = readRemoteTargets(homeFolder());
        const auto found = targets ? findRemoteTarget(*targets, remoteName) : Result<RemoteTarget>(targets.error());
        if (!found)
            return failLater(found.error());
        remote = *found;
    }
    // The other end must run the worker of this machine, which is known by its digest.
    auto* query = new WorkerQuery({options.program, {}}, QStringLiteral("version"), &q);
    QObject::connect(query, &WorkerQuery::failed, &q, [this](const Error& error) { failLater(error); });
    QObject::connect(query, &WorkerQuery::answered, &q, [this](const JsonValue& answer) {
        const auto version = WorkerVersion::from(*answer, options.program.toStdString() + " version");
        if (over || cancelled)
            return;
        if (!version)
            return failLater(version.error());
        digest = QString::fromStdString(version->digest);
        if (remote->words == LauncherWords::Unknown)
            setUp();
        else
            openRemote();
    });
    query->start();
}

void WorkerRun::Private::openRemote()
{
    const auto launcher = splitShellWords(QString::fromStdString(remote->launcher));
    const LauncherKind kind = launcher ? kindOf(*launcher) : LauncherKind::Pipe;
    if (kind == LauncherKind::Ssh)
        begin(std::make_unique<FollowSource>(options, *remote, digest));
    else if (kind == LauncherKind::Slurm && sent.points.size() > 1)
        begin(std::make_unique<SlurmSource>(options, *remote, digest, sent));
    else
        begin(std::make_unique<PipeSource>(options, *remote, digest));
}

/// The launcher is not known yet, or there was no worker at the other end: once.
void WorkerRun::Private::setUp()
{
    opening = true;
    setup = std::make_unique<RemoteSetup>(options, *remote, RemoteSetup::Extent::Worker);
    QObject::connect(setup.get(), &RemoteSetup::told, &q, &WorkerRun::link);
    QObject::connect(setup.get(), &RemoteSetup::failed, &q, [this](const Error& error) { failLater(error); });
    QObject::connect(
        setup.get(), &RemoteSetup::finished, &q,
        [this](const RemoteSetup::Outcome& outcome) {
            if (over || cancelled)
                return;
            remote = outcome.target;
            openRemote();
        },
        Qt::QueuedConnection);
    setup->start();
}

void WorkerRun::Private::begin(std::unique_ptr<ByteSource> made)
{
    opening = drained = gone = false; // also of a source before, which found no worker
    source = std::move(made);
    QObject::connect(source.get(), &ByteSource::readable, &q, [this] { pump(); });
    QObject::connect(source.get(), &ByteSource::ended, &q, [this] { exited(); });
    QObject::connect(source.get(), &ByteSource::broken, &q, [this](const Error& error) {
        conclude([&] {
            Q_EMIT q.failed(cancelled ? Error{"cancelled", "The run was cancelled", error.place, {}} : error);
        });
    });
    QObject::connect(source.get(), &ByteSource::absent, &q, [this] {
        if (installed)
            return failLater({"worker-missing",
                              "There is no worker at " + remoteName + " although it was just put there",
                              source->place(), "ridge target check " + remoteName});
        silence.stop();
        installed = true;
        setUp();
    });
    QObject::connect(source.get(), &ByteSource::link, &q, &WorkerRun::link);
    QObject::connect(source.get(), &ByteSource::pointFailed, &q, &WorkerRun::pointFailed);
    // A path or a source may hold bytes that are not UTF-8.
    source->start(QByteArray::fromStdString(document.dump(-1, ' ', false, Json::error_handler_t::replace)));
    source->setListening(!paused);
    rearm();
}

/// Silence counts only while somebody listens.
void WorkerRun::Private::rearm()
{
    if (paused || gone || drained)
        silence.stop();
    else
        silence.start(milliseconds(options.silenceSeconds));
}

void WorkerRun::Private::silent()
{
    if (last) // it has said its last word and merely does not go
        return source->kill();
    if (source->waits())
        return rearm();
    isHung = true;
    source->kill();
}

void WorkerRun::Private::pump()
{
    QElapsedTimer slice;
    slice.start();
    while (!paused && !drained && !over) {
        auto event = reader.next();
        if (!event) {
            breakProtocol(event.error());
            break;
        }
        if (event->has_value()) {
            if (!dispatch(std::move(**event)))
                return;
        } else {
            const ProcessPipe::State state = source->read(chunk, kChunk);
            if (state == ProcessPipe::State::Data) {
                rearm();
                reader.feed(chunk);
            }
            // A grandchild may hold the pipe open after the worker is gone; what the worker wrote is read by then.
            if (state == ProcessPipe::State::End || (state == ProcessPipe::State::Empty && gone))
                drained = true;
            if (state == ProcessPipe::State::Empty)
                break;
        }
        if (slice.elapsed() >= kSliceMs) {
            again.start(0);
            break;
        }
    }
    source->setListening(!paused && !drained && !again.isActive());
    concludeIfOver();
}

/// False when a receiver has deleted the run.
bool WorkerRun::Private::dispatch(Event&& event)
{
    const auto unexpected = [this](const std::string& what) {
        breakProtocol({"bad-protocol", what, source->place(), "Use the ridge-worker of the same version"});
        return true;
    };
    const bool isLast = std::holds_alternative<FinishedEvent>(event) || std::holds_alternative<FailedEvent>(event);
    if (last)
        return unexpected("The worker went on after its last event");
    // A worker that prepares for long says so before it starts.
    const bool starts = std::holds_alternative<StartedEvent>(event);
    if (!greeted && !starts && !std::holds_alternative<ProgressEvent>(event) &&
        !std::holds_alternative<FailedEvent>(event))
        return unexpected("The worker did not begin with 'started'");
    std::optional<std::size_t> index;
    if (const auto* sample = std::get_if<SampleEvent>(&event))
        index = sample->index;
    else if (const auto* trace = std::get_if<TraceEvent>(&event))
        index = trace->index;
    if (index && *index >= (kernelTraces ? 1 : request.points.size()))
        return unexpected("The worker reports point " + std::to_string(*index) + " of " +
                          std::to_string(request.points.size()));
    if (isLast) {
        last = std::move(event);
        grace.start(milliseconds(std::max(options.cancelGraceSeconds, source->cancelSeconds())));
        return true;
    }
    greeted = greeted || starts;
    return emitEvent(event);
}

bool WorkerRun::Private::emitEvent(Event& event)
{
    const QPointer<WorkerRun> alive(&q);
    if (auto* started = std::get_if<StartedEvent>(&event)) {
        if (!remoteName.empty())
            started->target = remoteName + ':' + started->target;
        Q_EMIT q.started(*started);
    } else if (const auto* progress = std::get_if<ProgressEvent>(&event))
        Q_EMIT q.progress(*progress);
    else if (const auto* sample = std::get_if<SampleEvent>(&event))
        Q_EMIT q.sample(*sample);
    else if (const auto* trace = std::get_if<TraceEvent>(&event))
        Q_EMIT q.trace(*trace);
    else if (const auto* kernel = std::get_if<KernelEvent>(&event))
        Q_EMIT q.kernel(*kernel);
    else if (const auto* log = std::get_if<LogEvent>(&event))
        Q_EMIT q.log(QString::fromStdString(log->message));
    else if (const auto* check = std::get_if<CheckEvent>(&event))
        Q_EMIT q.check(check->check);
    else if (const auto* pause = std::get_if<PausedEvent>(&event))
        Q_EMIT q.launchPaused(pause->why);
    return !alive.isNull();
}

void WorkerRun::Private::breakProtocol(const Error& error)
{
    protocolError = error;
    drained = true;
    source->kill();
}

void WorkerRun::Private::exited()
{
    gone = true;
    silence.stop();
    grace.stop();
    if (cancelled)
        paused = false;
    if (!again.isActive())
        pump();
}

void WorkerRun::Private::concludeIfOver()
{
    if (over || !gone || !drained)
        return;
    if (!protocolError && last && std::holds_alternative<FinishedEvent>(*last) && reader.atBoundary())
        return conclude([&] { Q_EMIT q.finished(std::get<FinishedEvent>(*last)); });
    conclude([&] { Q_EMIT q.failed(failure()); });
}

Error WorkerRun::Private::failure() const
{
    const std::string place = source->place();
    if (protocolError) {
        Error error = *protocolError;
        if (error.place.empty())
            error.place = place;
        return error;
    }
    if (last && !reader.atBoundary())
        return {"bad-protocol", "The worker went on after its last event", place,
                "Use the ridge-worker of the same version"};
    if (last)
        return std::get<FailedEvent>(*last).error;
    if (isHung)
        return hung(place, options.silenceSeconds, source->errorText());
    if (cancelled)
        return {"cancelled", "The run was cancelled; the worker did not answer and was stopped", place, {}};
    return source->endedEarly();
}

void WorkerRun::Private::conclude(const std::function<void()>& emitLast)
{
    if (over)
        return;
    over = true;
    if (source)
        source->setListening(false);
    for (QTimer* timer : {&again, &silence, &grace})
        timer->stop();
    emitLast();
}

void WorkerRun::cancel()
{
    if (!running() || d->cancelled)
        return;
    d->cancelled = true;
    if (d->opening)
        return d->failLater({"cancelled", "The run was cancelled", "target " + d->remoteName, {}});
    // A worker that waits in write() cannot answer; what is still in the pipe is little.
    setPaused(false);
    d->source->cancel();
    d->grace.start(milliseconds(std::max(d->options.cancelGraceSeconds, d->source->cancelSeconds())));
}

void WorkerRun::answerPause(bool goOn)
{
    if (running() && d->source)
        d->source->answerPause(goOn);
}

void WorkerRun::setPaused(bool paused)
{
    if (d->cancelled)
        paused = false;
    if (d->paused == paused)
        return;
    d->paused = paused;
    if (!d->source)
        return;
    d->source->setListening(false);
    if (paused)
        d->again.stop();
    else
        d->again.start(0); // not from here: the caller may be inside one of our own signals
    d->rearm();
}

qint64 WorkerRun::processId() const
{
    return d->source ? d->source->processId() : 0;
}

bool WorkerRun::running() const
{
    return d->begun && !d->over;
}

const RunRequest& WorkerRun::request() const
{
    return d->request;
}

} // namespace ridge::record

#include "moc_worker_run.cpp"
