// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/worker/byte_source.h"
#include "record/worker/frame_reader.h"
#include "record/worker/launcher.h"
#include "record/worker/worker_process.h"

#include <QElapsedTimer>
#include <QSocketNotifier>
#include <QTimer>
#include <memory>

namespace ridge::record {

/// A run that goes on when the link to it drops (`ridge-worker follow`): makes the link again and reads on at the exact
/// byte. Gives up after RemoteTimes::reconnect; the run then ends by itself.
class FollowSource : public ByteSource {
    Q_OBJECT
public:
    FollowSource(const WorkerOptions& options, RemoteTarget target, QString digest);
    ~FollowSource() override;

    void start(const QByteArray& request) override;
    ProcessPipe::State read(std::string& buffer, std::size_t most) override;
    void setListening(bool on) override;
    void cancel() override;
    void kill() override;
    bool waits() const override { return !m_linked; }
    double cancelSeconds() const override { return m_times.connect; }
    qint64 processId() const override { return m_process ? m_process->processId() : 0; }
    std::string place() const override;
    std::string errorText() const override;
    Error endedEarly() const override;

private:
    void connectLink();
    void take(std::string_view bytes);
    void linkUp();
    void processFinished();
    void linkLost();
    void heard();
    void say(const char* command);
    void settle();
    void breakWith(Error error);
    void finish();

    RemoteTarget m_target;
    QString m_digest;
    RemoteTimes m_times;
    QString m_id;
    QByteArray m_request;
    std::uint64_t m_offset = 0; ///< bytes of events handed on
    std::unique_ptr<ProcessPipe> m_pipe;
    std::unique_ptr<QProcess> m_process;
    std::unique_ptr<QSocketNotifier> m_notifier;
    MarkReader m_mark;
    std::optional<FrameReader> m_frames; ///< of the link under way
    FrameReader::End m_end;
    ErrorTail m_errorTail;
    QTimer m_patience, m_retry, m_beat, m_leave;
    QElapsedTimer m_down; ///< since the link dropped
    double m_delay = 0;
    int m_tries = 0;
    bool m_listening = true, m_linked = false, m_everLinked = false, m_timedOut = false;
    bool m_processGone = true, m_pipeEnded = false, m_cancelled = false, m_killed = false, m_over = false,
         m_told = false;
};

} // namespace ridge::record
