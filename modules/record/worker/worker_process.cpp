// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/worker/worker_process.h"

#include "base/paths.h"
#include "record/worker/process_pipe.h"

namespace ridge::record {

namespace {

std::string quoted(const std::string& errorText)
{
    return errorText.empty() ? std::string() : ". Its last words: " + errorText;
}

Error crashed(int signal, const std::string& errorText, const std::string& place)
{
    return {
        "worker-crashed", "The worker was ended by " + signalName(signal) + quoted(errorText), place,
        "Run it again, with smaller values if memory ran out; points of a sweep that were measured before are kept"};
}

} // namespace

void setCommand(QProcess& process, const WorkerOptions& options, const QString& verb)
{
    QStringList command = options.launcher;
    command << options.program << verb;
    process.setProgram(command.takeFirst());
    process.setArguments(command);
}

std::string commandText(const QProcess& process)
{
    return (QStringList(process.program()) + process.arguments()).join(QLatin1Char(' ')).toStdString();
}

Error cannotStart(const QProcess& process)
{
    return {"worker-missing",
            "The program " + process.program().toStdString() + " cannot be started (" +
                process.errorString().toStdString() + ")",
            commandText(process), "Build or install ridge-worker beside this program, or name it with RIDGE_WORKER"};
}

Error endedEarly(const QProcess& process, const std::string& errorText, bool launched)
{
    return endedEarly(process.exitStatus() == QProcess::CrashExit, process.exitCode(), errorText, commandText(process),
                      launched);
}

Error endedEarly(bool signal, int number, const std::string& errorText, const std::string& place, bool launched)
{
    if (signal)
        return crashed(number, errorText, place);
    // A shell or ssh reports a signal as 128 + its number.
    if (launched && number > 128 && number < 160)
        return crashed(number - 128, errorText, place);
    return {"worker-ended",
            "The worker ended with exit status " + std::to_string(number) + " before it was finished" +
                quoted(errorText),
            place, launched ? "Check the launcher and that ridge-worker is installed there" : "Run it again"};
}

Error hung(const std::string& place, double seconds, const std::string& errorText)
{
    return {"worker-hung",
            "The worker has said nothing for " + QString::number(seconds, 'g', 3).toStdString() + " s and was stopped" +
                quoted(errorText),
            place, "Run it again with smaller values, or on another target"};
}

void ErrorTail::add(const QByteArray& bytes)
{
    constexpr qsizetype kMost = 4096;
    m_bytes += bytes.right(kMost);
    if (m_bytes.size() > kMost)
        m_bytes = m_bytes.right(kMost);
}

std::string ErrorTail::text() const
{
    return QString::fromUtf8(m_bytes).trimmed().toStdString();
}

void killAndForget(std::unique_ptr<QProcess> process)
{
    process->disconnect();
    process->kill();
    if (process->state() == QProcess::NotRunning || process->waitForFinished(1000))
        return;
    QProcess* left = process.release();
    QObject::connect(left, &QProcess::finished, left, &QObject::deleteLater);
}

QString defaultWorkerProgram()
{
    if (const QString named = qEnvironmentVariable("RIDGE_WORKER"); !named.isEmpty())
        return named;
    return QString::fromStdString((executableFolder() / "ridge-worker").string());
}

} // namespace ridge::record
