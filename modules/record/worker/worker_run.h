// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_request.h"
#include "record/worker/remote_target.h"

#include <QObject>
#include <QStringList>
#include <memory>

namespace ridge::record {

struct WorkerOptions {
    QString program;               ///< path of ridge-worker
    QStringList launcher;          ///< put in front of it: {"ssh", "gpu01"}
    double silenceSeconds = 30;    ///< no byte for this long: the worker hangs and is killed
    double cancelGraceSeconds = 2; ///< after SIGTERM, before SIGKILL
    /// The remote target of a request for one ("lab:gpu:0"); absent: the one of that name in RIDGE_HOME.
    std::optional<RemoteTarget> remote = {};
    RemoteTimes times = {};
};

/// One worker process executing one request. Lives on the thread that made it, never blocks it. Exactly one of
/// finished and failed is emitted, last; failed covers: cannot start ("worker-missing"), crash or kill
/// ("worker-crashed", names the signal), silence ("worker-hung"), garbage ("bad-protocol"), exit without a last event
/// ("worker-ended"), and whatever the worker itself reports. Samples that arrived before stay valid.
///
/// A request for a remote target ("lab:gpu:0") goes through its launcher: a run behind ssh survives its link
/// (FollowSource), a sweep behind srun is one array job (SlurmSource). Its worker is copied there where it is absent.
/// Further errors: "unknown-target", "target-unreachable", "link-lost", "orphaned", "points-failed", those of
/// RemoteSetup.
class WorkerRun : public QObject {
    Q_OBJECT
public:
    WorkerRun(WorkerOptions options, RunRequest request, QObject* parent = nullptr);
    /// The same for a kernel of the learner's own: `kernel` in place of samples; request() is empty.
    WorkerRun(WorkerOptions options, const KernelRequest& request, QObject* parent = nullptr);
    ~WorkerRun() override; ///< kills the process

    void start();
    void cancel(); ///< SIGTERM, then SIGKILL
    /// After launchPaused(): the launch goes on with as much again, or ends there with a report of what it had spent.
    void answerPause(bool goOn);
    void setPaused(bool paused); ///< back-pressure: stop reading; the pipe fills and the worker waits
    qint64 processId() const;
    bool running() const;
    const RunRequest& request() const;

Q_SIGNALS:
    void started(const ridge::StartedEvent& event);
    void progress(const ridge::ProgressEvent& event);
    void sample(const ridge::SampleEvent& event);
    void trace(const ridge::TraceEvent& event);
    void kernel(const ridge::KernelEvent& event);
    void log(const QString& message);
    /// A launch has spent what it may and stands still until answerPause() or cancel(). Only where the request is
    /// pausable and the worker is one of this machine.
    void launchPaused(const ridge::Error& why);
    void check(const ridge::CheckResult& check);
    void link(const QString& line); ///< what happens on the way to a remote target
    /// Of a sweep whose points run apart (Slurm): this one failed and the others go on.
    void pointFailed(std::size_t index, const ridge::Error& error);
    void finished(const ridge::FinishedEvent& event);
    void failed(const ridge::Error& error);

private:
    struct Private;
    void connectTimers();
    std::unique_ptr<Private> d;
};

/// Runs `ridge-worker describe` or `targets` and gives the document. Blocks up to `timeoutMs`; for the command line
/// and tests. Errors: "worker-missing", "worker-hung", "bad-protocol".
Result<Json> queryWorker(const WorkerOptions& options, const QString& verb, int timeoutMs = 15000);

/// The same without blocking: emits one of the two signals, then deletes itself.
class WorkerQuery : public QObject {
    Q_OBJECT
public:
    WorkerQuery(WorkerOptions options, QString verb, QObject* parent = nullptr);
    ~WorkerQuery() override;
    void start();
Q_SIGNALS:
    void answered(const ridge::JsonValue& document); ///< not Json, which moc would compile comparisons of
    void failed(const ridge::Error& error);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

/// ridge-worker beside the running program, or $RIDGE_WORKER.
QString defaultWorkerProgram();

} // namespace ridge::record
