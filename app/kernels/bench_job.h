// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "base/kernel_request.h"
#include "base/protocol.h"

#include <QObject>
#include <memory>

namespace ridge::record {
class WorkerRun;
}

namespace ridge::app {

/// One request for a kernel of the learner's own, carried out by a worker process: what the kernel does wrong ends that
/// process and never the window. GUI thread; a start while one is going on ends the earlier one without a word of it.
class KernelJob : public QObject {
    Q_OBJECT
public:
    explicit KernelJob(QObject* parent = nullptr);
    ~KernelJob() override;

    void start(const KernelRequest& request);
    void cancel();
    /// The launch has spent its time and stands still (KernelRunRequest::pausable): it goes on with as much again, or
    /// ends there with a report.
    bool paused() const { return m_paused; }
    void goOn() { answer(true); }
    void endThere() { answer(false); }
    bool busy() const { return m_run != nullptr; }
    bool cancelling() const { return m_cancelling; }
    qint64 processId() const;

Q_SIGNALS:
    void stateChanged();
    void progressed(double fraction, const QString& message); ///< not while it is paused
    void pausedFor(const ridge::Error& why);                  ///< after stateChanged
    void traceArrived(const ridge::TraceEvent& trace);
    void answered(const ridge::JsonValue& document); ///< before done
    void failed(const ridge::Error& error);          ///< in place of answered, or after it
    void done();

private:
    void retire();
    void answer(bool goOn);

    std::unique_ptr<record::WorkerRun> m_run;
    bool m_cancelling = false;
    bool m_paused = false;
};

} // namespace ridge::app
