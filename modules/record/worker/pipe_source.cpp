// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/worker/pipe_source.h"

#include "record/worker/shell_words.h"

#include <csignal>

namespace ridge::record {
namespace {

using State = ProcessPipe::State;

constexpr std::string_view kReady = "ready\n", kAbsent = "absent\n";
/// After this long a queue is told of.
constexpr double kQueueNotice = 5;

QString s(const char* text)
{
    return QString::fromLatin1(text);
}

} // namespace

PipeSource::PipeSource(const WorkerOptions& options)
    : m_launched(!options.launcher.isEmpty()), m_ready(true), m_process(std::make_unique<QProcess>())
{
    setCommand(*m_process, options, s("run"));
}

PipeSource::PipeSource(const WorkerOptions& options, const RemoteTarget& target, const QString& digest)
    : m_target(target), m_times(options.times), m_launched(true), m_process(std::make_unique<QProcess>())
{
    const QString mark = newMark();
    m_mark = MarkReader(mark);
    QStringList command =
        remoteScript(target, mark,
                     findWorkerScript(target, digest) +
                         s("if [ -x \"$w\" ]; then echo ready; exec \"$w\" run; else echo absent; fi"),
                     {});
    m_process->setProgram(command.takeFirst());
    m_process->setArguments(command);
    const auto launcher = splitShellWords(QString::fromStdString(target.launcher));
    m_queued = launcher && kindOf(*launcher) == LauncherKind::Slurm;
}

PipeSource::~PipeSource()
{
    m_notifier.reset();
    if (m_process)
        killAndForget(std::move(m_process));
}

void PipeSource::start(const QByteArray& request)
{
    auto made = ProcessPipe::make();
    if (!made) {
        QMetaObject::invokeMethod(
            this, [this, error = made.error()] { Q_EMIT broken(error); }, Qt::QueuedConnection);
        return;
    }
    m_pipe = std::move(*made);
    m_pipe->attachTo(*m_process);
    connect(m_process.get(), &QProcess::readyReadStandardError, this,
            [this] { m_errorTail.add(m_process->readAllStandardError()); });
    // Queued, because a receiver of our last signal may delete us and with us the process that is just telling; and
    // because Qt may find out inside start(), before the caller has connected to failed().
    connect(
        m_process.get(), &QProcess::finished, this, [this] { finished(); }, Qt::QueuedConnection);
    connect(
        m_process.get(), &QProcess::errorOccurred, this,
        [this](QProcess::ProcessError error) {
            if (error != QProcess::FailedToStart)
                return;
            Error cannot = cannotStart(*m_process);
            if (m_target)
                cannot = {"target-unreachable", m_target->name + " is not reachable: " + cannot.message, cannot.place,
                          "install the launcher, or take another one: ridge target remove " + m_target->name};
            Q_EMIT broken(cannot);
        },
        Qt::QueuedConnection);
    if (m_target) {
        m_connect.setSingleShot(true);
        connect(&m_connect, &QTimer::timeout, this, [this] {
            if (m_queued) {
                Q_EMIT link(tr("%1: waiting in Slurm's queue").arg(QString::fromStdString(m_target->name)));
                return;
            }
            m_timedOut = true;
            m_process->kill();
        });
        m_connect.start(static_cast<int>(1000 * (m_queued ? kQueueNotice : m_times.connect)));
    }
    m_process->start();
    m_pipe->childHasIt();
    m_notifier = std::make_unique<QSocketNotifier>(m_pipe->readHandle(), QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, [this] { Q_EMIT readable(); });
    m_process->write(request);
    m_process->closeWriteChannel();
}

State PipeSource::read(std::string& buffer, std::size_t most)
{
    for (;;) {
        if (!m_ahead.empty() && m_ready) {
            buffer = std::exchange(m_ahead, {});
            return State::Data;
        }
        const State state = m_pipe->read(buffer, most);
        if (state != State::Data || m_ready)
            return state;
        take(buffer);
        if (m_failed)
            return State::Empty;
    }
}

/// What stands before the first event: a banner, the mark, and whether there is a worker.
void PipeSource::take(std::string_view bytes)
{
    auto more = m_mark.feed(bytes);
    if (!more) {
        m_failed = true;
        m_connect.stop();
        m_notifier->setEnabled(false);
        m_process->kill();
        Error error{"target-unreachable", m_target->name + " is not reachable: " + more.error().message, place(),
                    more.error().fix};
        QMetaObject::invokeMethod(
            this, [this, error] { Q_EMIT broken(error); }, Qt::QueuedConnection);
        return;
    }
    m_ahead += *more;
    if (!m_mark.found())
        return;
    m_connect.stop();
    const std::string_view ahead = m_ahead;
    if (ahead.starts_with(kAbsent) && !m_absent) {
        m_absent = true;
        QMetaObject::invokeMethod(
            this, [this] { Q_EMIT absent(); }, Qt::QueuedConnection);
    } else if (ahead.starts_with(kReady)) {
        m_ready = true;
        m_ahead.erase(0, kReady.size());
    }
}

void PipeSource::answerPause(bool goOn)
{
    if (!m_launched && m_process && m_process->processId() > 0)
        ::kill(static_cast<pid_t>(m_process->processId()), goOn ? SIGUSR1 : SIGUSR2);
}

void PipeSource::setListening(bool on)
{
    if (m_notifier)
        m_notifier->setEnabled(on && !m_gone && !m_failed);
}

void PipeSource::finished()
{
    m_gone = true;
    m_connect.stop();
    m_errorTail.add(m_process->readAllStandardError());
    // What came before the end is still in the pipe; it decides whether the other end was reached.
    std::string bytes;
    while (!m_ready && !m_absent && !m_failed && m_pipe->read(bytes, 64 << 10) == State::Data)
        take(bytes);
    if (m_absent || m_failed)
        return;
    if (m_target && !m_mark.found()) {
        const bool crashed = m_process->exitStatus() == QProcess::CrashExit;
        Q_EMIT broken(launcherFailure(*m_target, {.exitCode = m_process->exitCode(),
                                                  .crashed = crashed && !m_timedOut,
                                                  .timedOut = m_timedOut,
                                                  .seconds = m_times.connect,
                                                  .errorText = m_errorTail.text()}));
        return;
    }
    Q_EMIT ended();
}

Error PipeSource::endedEarly() const
{
    return record::endedEarly(*m_process, m_errorTail.text(), m_launched);
}

} // namespace ridge::record

#include "moc_pipe_source.cpp"
