// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/worker/follow_source.h"

#include "base/hash.h"

#include <algorithm>

namespace ridge::record {
namespace {

using State = ProcessPipe::State;

constexpr double kLongestDelay = 15;
constexpr int kBeatMs = 5000;
/// For a last command to get through before its link is closed.
constexpr int kLeaveMs = 2000;

QString s(const char* text)
{
    return QString::fromLatin1(text);
}

int milliseconds(double seconds)
{
    return static_cast<int>(seconds * 1000);
}

} // namespace

FollowSource::FollowSource(const WorkerOptions& options, RemoteTarget target, QString digest)
    : m_target(std::move(target)), m_digest(std::move(digest)), m_times(options.times),
      m_id(QString::fromStdString(newUuid7()))
{
    for (QTimer* timer : {&m_patience, &m_retry, &m_leave})
        timer->setSingleShot(true);
    connect(&m_patience, &QTimer::timeout, this, [this] {
        m_timedOut = true;
        m_process->kill();
    });
    connect(&m_retry, &QTimer::timeout, this, [this] { connectLink(); });
    connect(&m_beat, &QTimer::timeout, this, [this] { say("beat\n"); });
    connect(&m_leave, &QTimer::timeout, this, [this] { finish(); });
}

FollowSource::~FollowSource()
{
    m_notifier.reset();
    if (!m_process)
        return;
    if (!m_over && m_linked) {
        // Nobody will read on: the run there need not wait to be found an orphan.
        say("cancel\n");
        m_process->waitForBytesWritten(200);
    }
    killAndForget(std::move(m_process));
}

void FollowSource::start(const QByteArray& request)
{
    m_request = request;
    connectLink();
}

void FollowSource::connectLink()
{
    m_notifier.reset();
    if (m_process)
        killAndForget(std::move(m_process));
    auto made = ProcessPipe::make();
    if (!made) {
        QMetaObject::invokeMethod(
            this, [this, error = made.error()] { breakWith(error); }, Qt::QueuedConnection);
        return;
    }
    ++m_tries;
    m_pipe = std::move(*made);
    m_process = std::make_unique<QProcess>();
    m_frames.emplace();
    m_timedOut = m_processGone = m_pipeEnded = false;
    const QString mark = newMark();
    m_mark = MarkReader(mark);
    const QStringList arguments{m_id, QString::number(m_offset), QString::number(m_times.orphan)};
    QStringList command = remoteScript(m_target, mark,
                                       findWorkerScript(m_target, m_digest) +
                                           s("if [ -x \"$w\" ]; then exec \"$w\" follow \"$@\"; else echo absent; fi"),
                                       arguments);
    m_process->setProgram(command.takeFirst());
    m_process->setArguments(command);
    m_pipe->attachTo(*m_process);
    QProcess* const process = m_process.get();
    connect(process, &QProcess::readyReadStandardError, this,
            [this] { m_errorTail.add(m_process->readAllStandardError()); });
    connect(
        process, &QProcess::finished, this,
        [this, process] {
            if (process == m_process.get())
                processFinished();
        },
        Qt::QueuedConnection);
    connect(
        process, &QProcess::errorOccurred, this,
        [this, process](QProcess::ProcessError error) {
            if (error == QProcess::FailedToStart && process == m_process.get())
                breakWith({"target-unreachable", m_target.name + " is not reachable: " + cannotStart(*process).message,
                           place(), "install the launcher, or take another one: ridge target remove " + m_target.name});
        },
        Qt::QueuedConnection);
    process->start();
    m_pipe->childHasIt();
    m_notifier = std::make_unique<QSocketNotifier>(m_pipe->readHandle(), QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, [this] { Q_EMIT readable(); });
    m_notifier->setEnabled(m_listening);
    process->write(QByteArray::number(m_request.size()) + '\n' + m_request);
    m_patience.start(milliseconds(m_times.connect));
}

State FollowSource::read(std::string& buffer, std::size_t most)
{
    buffer.clear();
    while (!m_over) {
        if (!m_frames || !m_pipe)
            return State::Empty;
        auto events = m_frames->events(most);
        if (!events) {
            breakWith(events.error());
            return State::Empty;
        }
        if (!events->empty()) {
            buffer = std::move(*events);
            m_offset += buffer.size();
            return State::Data;
        }
        settle();
        if (m_told)
            return State::Empty;
        std::string chunk;
        const State state = m_pipe->read(chunk, 64 << 10);
        if (state == State::Data) {
            take(chunk);
            continue;
        }
        if (state == State::End) {
            m_pipeEnded = true; // its notifier would tell so for ever
            m_notifier->setEnabled(false);
        }
        if (m_processGone)
            QMetaObject::invokeMethod(
                this,
                [this, process = m_process.get()] {
                    if (process == m_process.get() && m_processGone)
                        linkLost();
                },
                Qt::QueuedConnection);
        return State::Empty;
    }
    return State::End;
}

void FollowSource::take(std::string_view bytes)
{
    auto more = m_mark.feed(bytes);
    if (!more)
        return breakWith(more.error());
    if (!m_mark.found())
        return;
    if (!m_linked)
        linkUp();
    heard();
    m_frames->feed(*more);
}

void FollowSource::linkUp()
{
    m_linked = true;
    if (m_everLinked)
        Q_EMIT link(tr("The link to %1 is back after %2 s; going on at byte %3")
                        .arg(QString::fromStdString(m_target.name))
                        .arg(static_cast<double>(m_down.elapsed()) / 1000, 0, 'f', 1)
                        .arg(m_offset));
    m_everLinked = true;
    m_delay = 0;
    m_tries = 0;
    m_beat.start(kBeatMs);
    if (m_cancelled)
        say("cancel\n");
}

/// What a frame said besides events.
void FollowSource::settle()
{
    if (m_told || !m_frames)
        return;
    const std::string name = m_target.name;
    if (m_frames->end()) {
        m_end = *m_frames->end();
        m_told = true;
        m_patience.stop();
        m_beat.stop();
        say("done\n");
        m_process->closeWriteChannel();
        m_leave.start(kLeaveMs);
    } else if (m_frames->absent()) {
        m_told = true;
        m_patience.stop();
        QMetaObject::invokeMethod(
            this, [this] { Q_EMIT absent(); }, Qt::QueuedConnection);
    } else if (m_frames->refused()) {
        Error error = *m_frames->refused();
        error.message = name + ": " + error.message;
        breakWith(error);
    } else if (m_frames->gone()) {
        breakWith({"link-lost", name + " no longer knows the run: the machine was restarted or its cache emptied",
                   place(), "run it again; what arrived before is kept"});
    } else if (!m_frames->elsewhere().empty()) {
        breakWith({"link-lost",
                   "the run is on " + m_frames->elsewhere() + ", and the launcher leads to another machine now",
                   place(), "let the launcher name one machine rather than a group of them"});
    }
}

void FollowSource::heard()
{
    if (!m_told)
        m_patience.start(milliseconds(m_times.linkSilence));
}

void FollowSource::say(const char* command)
{
    if (m_process && m_process->state() == QProcess::Running)
        m_process->write(command);
}

void FollowSource::processFinished()
{
    m_errorTail.add(m_process->readAllStandardError());
    m_processGone = true;
    m_patience.stop();
    m_beat.stop();
    if (m_told)
        return m_end.how.empty() ? void() : finish();
    if (m_killed) {
        finish();
        return;
    }
    // What came before the end is still in the pipe; reading finds that there is no more.
    if (m_listening)
        Q_EMIT readable();
}

void FollowSource::linkLost()
{
    if (m_told || m_over || !m_processGone)
        return;
    const QString name = QString::fromStdString(m_target.name);
    const bool crashed = m_process->exitStatus() == QProcess::CrashExit;
    const Error why = launcherFailure(m_target, {.exitCode = m_process->exitCode(),
                                                 .crashed = crashed && !m_timedOut,
                                                 .timedOut = m_timedOut,
                                                 .seconds = m_linked ? m_times.linkSilence : m_times.connect,
                                                 .errorText = m_errorTail.text()});
    if (!m_everLinked)
        return breakWith(why);
    if (m_linked) {
        m_linked = false;
        m_down.start();
        m_delay = m_times.firstRetry;
        Q_EMIT link(tr("The link to %1 dropped at byte %2; the run goes on there. Trying again in %3 s")
                        .arg(name)
                        .arg(m_offset)
                        .arg(m_delay));
    } else {
        if (static_cast<double>(m_down.elapsed()) / 1000 > m_times.reconnect)
            return breakWith(
                {"link-lost",
                 "The link to " + m_target.name + " could not be made again in " +
                     QString::number(m_times.reconnect, 'g', 3).toStdString() + " s. " + why.message,
                 place(),
                 "run it again when the machine is reachable; what arrived before is kept, and the run there "
                 "ends by itself"});
        m_delay = std::min(2 * m_delay, kLongestDelay);
        Q_EMIT link(tr("The link to %1 is still down; try %2 in %3 s").arg(name).arg(m_tries + 1).arg(m_delay));
    }
    m_processGone = false;
    m_retry.start(milliseconds(m_delay));
}

void FollowSource::setListening(bool on)
{
    const bool again = on && !m_listening;
    m_listening = on;
    // Who does not listen cannot hear that a link is alive.
    if (!on)
        m_patience.stop();
    else if (again && m_linked)
        heard();
    if (m_notifier)
        m_notifier->setEnabled(on && !m_pipeEnded && !m_over);
    if (again && m_processGone && !m_over && !m_told)
        QMetaObject::invokeMethod(
            this, [this] { Q_EMIT readable(); }, Qt::QueuedConnection);
}

void FollowSource::cancel()
{
    m_cancelled = true;
    if (m_linked)
        say("cancel\n");
    else if (m_retry.isActive())
        m_retry.start(0); // somebody waits for it now
}

void FollowSource::kill()
{
    if (m_over)
        return;
    m_killed = true;
    m_retry.stop();
    say("cancel\n");
    if (m_process && m_process->state() == QProcess::Running)
        m_process->closeWriteChannel();
    m_leave.start(m_linked ? kLeaveMs / 4 : 0);
}

void FollowSource::finish()
{
    if (m_over)
        return;
    m_over = true;
    for (QTimer* timer : {&m_patience, &m_retry, &m_beat, &m_leave})
        timer->stop();
    if (m_notifier)
        m_notifier->setEnabled(false);
    QMetaObject::invokeMethod(
        this, [this] { Q_EMIT ended(); }, Qt::QueuedConnection);
}

void FollowSource::breakWith(Error error)
{
    if (m_over)
        return;
    m_over = m_told = true;
    for (QTimer* timer : {&m_patience, &m_retry, &m_beat, &m_leave})
        timer->stop();
    if (m_notifier)
        m_notifier->setEnabled(false);
    if (error.place.empty())
        error.place = place();
    QMetaObject::invokeMethod(
        this, [this, error] { Q_EMIT broken(error); }, Qt::QueuedConnection);
}

std::string FollowSource::place() const
{
    return "target " + m_target.name + ": " + m_target.launcher;
}

std::string FollowSource::errorText() const
{
    return m_end.how.empty() ? m_errorTail.text() : m_end.errors;
}

Error FollowSource::endedEarly() const
{
    if (m_end.how == "orphan")
        return {"orphaned",
                "The run at " + m_target.name + " ended by itself because nobody asked for its results for " +
                    QString::number(m_times.orphan, 'g', 4).toStdString() + " s",
                place(), "run it again; what arrived before is kept"};
    if (m_end.how == "lost")
        return {"worker-crashed",
                "The worker at " + m_target.name + " is gone: the machine was restarted, or somebody ended it", place(),
                "Points measured before are kept; run the others again"};
    return record::endedEarly(m_end.how == "signal", m_end.number, errorText(), place(), true);
}

} // namespace ridge::record

#include "moc_follow_source.cpp"
