// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/worker/process_pipe.h"

#include <QByteArray>
#include <QObject>
#include <cstdint>

namespace ridge::record {

/// Where a WorkerRun has its bytes from: a process beside us, one behind a launcher, a run whose link may drop, an
/// array job. Bytes are pulled, so that a slow reader makes the worker wait. The signals come from the event loop and
/// each is the last thing a source does in that turn, since a receiver may delete it.
class ByteSource : public QObject {
    Q_OBJECT
public:
    virtual void start(const QByteArray& request) = 0;
    /// Never waits. End: nothing will come any more.
    virtual ProcessPipe::State read(std::string& buffer, std::size_t most) = 0;
    /// Whether readable() is wanted.
    virtual void setListening(bool on) = 0;
    /// Asks the worker to stop; it still says how it ended.
    virtual void cancel() = 0;
    /// What a worker that paused shall do (PausedEvent). Only the one beside us can be told.
    virtual void answerPause(bool goOn) { static_cast<void>(goOn); }
    /// Ends it without asking; ended() follows.
    virtual void kill() = 0;

    /// True while silence means nothing: a queue, a link that is being made again.
    virtual bool waits() const { return false; }
    /// How long a worker may take to answer a cancel() where that is longer than beside us, in seconds.
    virtual double cancelSeconds() const { return 0; }
    virtual qint64 processId() const { return 0; }
    virtual std::string place() const = 0;
    virtual std::string errorText() const = 0;
    /// Why it ended without a last event.
    virtual Error endedEarly() const = 0;

Q_SIGNALS:
    void readable();
    void ended();
    /// It cannot start, or what it needs is lost for good; nothing follows.
    void broken(const ridge::Error& error);
    /// The other end has no such worker; nothing follows.
    void absent();
    /// What happens on the way, for a line of log.
    void link(const QString& line);
    /// This point of the request cannot be had; the others go on.
    void pointFailed(std::size_t index, const ridge::Error& error);
};

} // namespace ridge::record
