// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/worker/worker_run.h"

#include <QProcess>

namespace ridge::record {

/// What a run and a query of the worker have in common.

/// Sets program and arguments: the launcher, if any, in front of the worker.
void setCommand(QProcess& process, const WorkerOptions& options, const QString& verb);

/// What was started, for `place`: "ssh gpu01 ridge-worker run".
std::string commandText(const QProcess& process);

Error cannotStart(const QProcess& process);
/// Died of a signal ("worker-crashed") or went without a last word ("worker-ended"), with the end of its stderr.
Error endedEarly(const QProcess& process, const std::string& errorText, bool launched);
/// The same of a process that is not a child here: `number` is a signal or an exit status.
Error endedEarly(bool signal, int number, const std::string& errorText, const std::string& place, bool launched);
Error hung(const std::string& place, double seconds, const std::string& errorText);

/// The last 4 KiB of what a process writes on stderr.
class ErrorTail {
public:
    void add(const QByteArray& bytes);
    std::string text() const;

private:
    QByteArray m_bytes;
};

/// Kills and reaps. Waits up to a second, which SIGKILL needs only where a driver holds the process; then the process
/// is left to end by itself.
void killAndForget(std::unique_ptr<QProcess> process);

} // namespace ridge::record
