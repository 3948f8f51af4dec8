// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/worker/byte_source.h"
#include "record/worker/launcher.h"
#include "record/worker/worker_process.h"

#include <QSocketNotifier>
#include <QTimer>
#include <memory>

namespace ridge::record {

/// A worker at the other end of one process' standard output, which lives as long as that process.
class PipeSource : public ByteSource {
    Q_OBJECT
public:
    /// `ridge-worker run` beside us, with the launcher of the options, if any, in front of it.
    explicit PipeSource(const WorkerOptions& options);
    /// Behind the launcher of a remote target.
    PipeSource(const WorkerOptions& options, const RemoteTarget& target, const QString& digest);
    ~PipeSource() override;

    void start(const QByteArray& request) override;
    ProcessPipe::State read(std::string& buffer, std::size_t most) override;
    void setListening(bool on) override;
    void cancel() override { m_process->terminate(); }
    void answerPause(bool goOn) override;
    void kill() override { m_process->kill(); }
    bool waits() const override { return m_queued && !m_mark.found(); }
    double cancelSeconds() const override { return m_target ? 10 : 0; }
    qint64 processId() const override { return m_process ? m_process->processId() : 0; }
    std::string place() const override { return commandText(*m_process); }
    std::string errorText() const override { return m_errorTail.text(); }
    Error endedEarly() const override;

private:
    void finished();
    void take(std::string_view bytes);
    std::optional<RemoteTarget> m_target;
    RemoteTimes m_times;
    bool m_launched = false, m_queued = false, m_gone = false, m_timedOut = false, m_failed = false;
    bool m_ready = false, m_absent = false; ///< what the other end said of its worker
    std::unique_ptr<ProcessPipe> m_pipe;
    std::unique_ptr<QProcess> m_process;
    std::unique_ptr<QSocketNotifier> m_notifier;
    QTimer m_connect;
    MarkReader m_mark;
    std::string m_ahead; ///< after the mark, before it is known whether a worker is there
    ErrorTail m_errorTail;
};

} // namespace ridge::record
