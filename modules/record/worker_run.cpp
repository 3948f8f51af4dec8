// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/worker_run.h"

#include "record/process_pipe.h"
#include "record/worker_process.h"

#include <QElapsedTimer>
#include <QPointer>
#include <QSocketNotifier>
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

} // namespace

struct WorkerRun::Private {
    Private(WorkerRun& owner, WorkerOptions given, RunRequest asked)
        : q(owner), options(std::move(given)), request(std::move(asked)), document(toJson(request))
    {
    }
    Private(WorkerRun& owner, WorkerOptions given, const KernelRequest& asked)
        : q(owner), options(std::move(given)), document(toJson(asked))
    {
    }

    void start();
    void pump();
    bool dispatch(Event&& event);
    bool emitEvent(const Event& event);
    void breakProtocol(const Error& error);
    void exited();
    void concludeIfOver();
    Error failure() const;
    void conclude(const std::function<void()>& emitLast);
    void rearm();
    void silent();

    WorkerRun& q;
    WorkerOptions options;
    RunRequest request;
    Json document; ///< what the worker is asked
    std::unique_ptr<ProcessPipe> pipe;
    std::unique_ptr<QProcess> process;
    std::unique_ptr<QSocketNotifier> notifier;
    QTimer again, silence, grace;
    EventReader reader;
    std::string chunk;
    ErrorTail errorTail;
    std::optional<Event> last; ///< Finished or Failed, held back until the process is gone
    std::optional<Error> protocolError;
    bool greeted = false; ///< Started has come
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
    connect(&d->grace, &QTimer::timeout, this, [this] { d->process->kill(); });
}

WorkerRun::~WorkerRun()
{
    d->notifier.reset();
    if (d->process)
        killAndForget(std::move(d->process));
}

void WorkerRun::start()
{
    if (!d->process && !d->over)
        d->start();
}

void WorkerRun::Private::start()
{
    auto made = ProcessPipe::make();
    if (!made) {
        QMetaObject::invokeMethod(
            &q, [this, error = made.error()] { conclude([&] { Q_EMIT q.failed(error); }); }, Qt::QueuedConnection);
        return;
    }
    pipe = std::move(*made);
    process = std::make_unique<QProcess>();
    setCommand(*process, options, QStringLiteral("run"));
    pipe->attachTo(*process);
    connect(process.get(), &QProcess::readyReadStandardError, &q,
            [this] { errorTail.add(process->readAllStandardError()); });
    // Queued, because a receiver of our last signal may delete us and with us the process that is just telling; and
    // because Qt may find out inside start(), before the caller has connected to failed().
    connect(
        process.get(), &QProcess::finished, &q, [this] { exited(); }, Qt::QueuedConnection);
    connect(
        process.get(), &QProcess::errorOccurred, &q,
        [this](QProcess::ProcessError error) {
            if (error == QProcess::FailedToStart)
                conclude([&] { Q_EMIT q.failed(cannotStart(*process)); });
        },
        Qt::QueuedConnection);
    process->start();
    pipe->childHasIt();
    notifier = std::make_unique<QSocketNotifier>(pipe->readHandle(), QSocketNotifier::Read);
    connect(notifier.get(), &QSocketNotifier::activated, &q, [this] { pump(); });
    notifier->setEnabled(!paused);
    // A path or a source may hold bytes that are not UTF-8.
    process->write(QByteArray::fromStdString(document.dump(-1, ' ', false, Json::error_handler_t::replace)));
    process->closeWriteChannel();
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
        return process->kill();
    isHung = true;
    process->kill();
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
            const ProcessPipe::State state = pipe->read(chunk, kChunk);
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
    notifier->setEnabled(!paused && !drained && !again.isActive());
    concludeIfOver();
}

/// False when a receiver has deleted the run.
bool WorkerRun::Private::dispatch(Event&& event)
{
    const auto unexpected = [this](const std::string& what) {
        breakProtocol({"bad-protocol", what, commandText(*process), "Use the ridge-worker of the same version"});
        return true;
    };
    const bool isLast = std::holds_alternative<FinishedEvent>(event) || std::holds_alternative<FailedEvent>(event);
    if (last)
        return unexpected("The worker went on after its last event");
    if (!greeted && !std::holds_alternative<StartedEvent>(event) && !std::holds_alternative<FailedEvent>(event))
        return unexpected("The worker did not begin with 'started'");
    std::optional<std::size_t> index;
    if (const auto* sample = std::get_if<SampleEvent>(&event))
        index = sample->index;
    else if (const auto* trace = std::get_if<TraceEvent>(&event))
        index = trace->index;
    if (index && *index >= request.points.size())
        return unexpected("The worker reports point " + std::to_string(*index) + " of " +
                          std::to_string(request.points.size()));
    if (isLast) {
        last = std::move(event);
        grace.start(milliseconds(options.cancelGraceSeconds));
        return true;
    }
    greeted = true;
    return emitEvent(event);
}

bool WorkerRun::Private::emitEvent(const Event& event)
{
    const QPointer<WorkerRun> alive(&q);
    if (const auto* started = std::get_if<StartedEvent>(&event))
        Q_EMIT q.started(*started);
    else if (const auto* progress = std::get_if<ProgressEvent>(&event))
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
    return !alive.isNull();
}

void WorkerRun::Private::breakProtocol(const Error& error)
{
    protocolError = error;
    drained = true;
    process->kill();
}

void WorkerRun::Private::exited()
{
    gone = true;
    silence.stop();
    grace.stop();
    errorTail.add(process->readAllStandardError());
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
    const std::string place = commandText(*process);
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
        return hung(*process, options.silenceSeconds, errorTail.text());
    if (cancelled)
        return {"cancelled", "The run was cancelled; the worker did not answer and was stopped", place, {}};
    return endedEarly(*process, errorTail.text(), !options.launcher.isEmpty());
}

void WorkerRun::Private::conclude(const std::function<void()>& emitLast)
{
    if (over)
        return;
    over = true;
    if (notifier)
        notifier->setEnabled(false);
    for (QTimer* timer : {&again, &silence, &grace})
        timer->stop();
    emitLast();
}

void WorkerRun::cancel()
{
    if (!running() || d->cancelled)
        return;
    d->cancelled = true;
    // A worker that waits in write() cannot answer; what is still in the pipe is little.
    setPaused(false);
    d->process->terminate();
    d->grace.start(milliseconds(d->options.cancelGraceSeconds));
}

void WorkerRun::setPaused(bool paused)
{
    if (d->cancelled)
        paused = false;
    if (d->paused == paused)
        return;
    d->paused = paused;
    if (!d->notifier)
        return;
    d->notifier->setEnabled(false);
    if (paused)
        d->again.stop();
    else
        d->again.start(0); // not from here: the caller may be inside one of our own signals
    d->rearm();
}

qint64 WorkerRun::processId() const
{
    return d->process ? d->process->processId() : 0;
}

bool WorkerRun::running() const
{
    return d->process && !d->over;
}

const RunRequest& WorkerRun::request() const
{
    return d->request;
}

} // namespace ridge::record
