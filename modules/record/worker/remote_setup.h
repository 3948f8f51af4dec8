// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/worker/remote_target.h"
#include "record/worker/worker_pack.h"
#include "record/worker/worker_run.h"

#include <QObject>
#include <memory>

namespace ridge::record {

/// Reaches a remote target and sees to it that the worker there is the one that is here: finds out what its launcher
/// does with words, which worker there is, copies ours where it is absent or another one, and asks what it can run.
/// Does not block; emits exactly one of finished and failed. Errors: "target-unreachable", "bad-launcher",
/// "other-architecture", "no-room", "worker-newer", "worker-older", "worker-missing", "cannot-install", "bad-protocol".
class RemoteSetup : public QObject {
    Q_OBJECT
public:
    enum class Extent {
        Check, ///< everything, as if nothing were known of the target
        Worker ///< only that the worker is there; for a run that did not find one
    };

    /// `local` is the worker of this machine, without a launcher.
    RemoteSetup(WorkerOptions local, RemoteTarget target, Extent extent, QObject* parent = nullptr);
    ~RemoteSetup() override;
    void start();

    struct Outcome {
        RemoteTarget target;  ///< with words, and with what it offers after a Check
        WorkerVersion worker; ///< the one over there
        bool copied = false;
        std::string system; ///< "Linux x86_64"
    };

Q_SIGNALS:
    void told(const QString& line); ///< what is being done, for a line of progress
    void finished(const ridge::record::RemoteSetup::Outcome& outcome);
    void failed(const ridge::Error& error);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

/// The same, waiting for it: for the command line.
Result<RemoteSetup::Outcome> setUpRemote(const WorkerOptions& local, const RemoteTarget& target,
                                         const std::function<void(const QString&)>& told);

} // namespace ridge::record
