// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/worker/launcher_call.h"

#include "record/worker/process_pipe.h"
#include "record/worker/worker_process.h"

#include <QTimer>

namespace ridge::record {

namespace {
/// A catalogue is some hundred kilobytes; more than this is none of the answers that are waited for.
constexpr std::size_t kMostBytes = 64 << 20;
} // namespace

struct LauncherCall::Private {
    RemoteTarget target;
    QStringList command;
    bool marked = false;
    double seconds = 0;
    MarkReader mark;
    Answer answer;
    ErrorTail errorTail;
    std::unique_ptr<QProcess> process;
    QTimer quiet;
    bool over = false;
};

LauncherCall::LauncherCall(RemoteTarget target, QStringList command, const QString& mark, double seconds,
                           QObject* parent)
    : QObject(parent), d(std::make_unique<Private>())
{
    d->target = std::move(target);
    d->command = std::move(command);
    d->marked = !mark.isEmpty();
    d->mark = MarkReader(mark);
    d->seconds = seconds;
    d->quiet.setSingleShot(true);
}

LauncherCall::~LauncherCall()
{
    if (d->process)
        killAndForget(std::move(d->process));
}

void LauncherCall::start(const QByteArray& input)
{
    d->process = std::make_unique<QProcess>();
    QProcess* const process = d->process.get();
    dieWithParent(*process);
    process->setProgram(d->command.front());
    process->setArguments(d->command.mid(1));
    const auto stirred = [this] { d->quiet.start(static_cast<int>(d->seconds * 1000)); };
    connect(process, &QProcess::bytesWritten, this, stirred);
    connect(process, &QProcess::readyReadStandardError, this,
            [this] { d->errorTail.add(d->process->readAllStandardError()); });
    connect(process, &QProcess::readyReadStandardOutput, this, [this, stirred] {
        stirred();
        const QByteArray bytes = d->process->readAllStandardOutput();
        if (!d->marked) {
            d->answer.out += bytes.toStdString();
        } else if (auto more = d->mark.feed({bytes.data(), static_cast<std::size_t>(bytes.size())})) {
            d->answer.out += *more;
        } else {
            return fail(more.error());
        }
        if (d->answer.out.size() > kMostBytes)
            fail({"bad-protocol", "the answer has no end", "target " + d->target.name,
                  "use a ridge-worker of the same version"});
    });
    connect(
        process, &QProcess::errorOccurred, this,
        [this](QProcess::ProcessError error) {
            if (error == QProcess::FailedToStart)
                fail({"target-unreachable",
                      d->target.name + " is not reachable: the program " + d->command.front().toStdString() +
                          " cannot be started (" + d->process->errorString().toStdString() + ")",
                      "target " + d->target.name + ": " + d->target.launcher,
                      "install it, or take another launcher: ridge target remove " + d->target.name});
        },
        Qt::QueuedConnection);
    connect(
        process, &QProcess::finished, this, [this] { finish(); }, Qt::QueuedConnection);
    connect(&d->quiet, &QTimer::timeout, this, [this] {
        fail(launcherFailure(d->target, {.timedOut = true, .seconds = d->seconds, .errorText = d->errorTail.text()}));
    });
    stirred();
    process->start();
    if (input.isEmpty())
        process->closeWriteChannel();
    else {
        process->write(input);
        process->closeWriteChannel();
    }
}

void LauncherCall::finish()
{
    if (d->over)
        return;
    d->errorTail.add(d->process->readAllStandardError());
    d->answer.exitCode = d->process->exitCode();
    d->answer.errorText = d->errorTail.text();
    const bool crashed = d->process->exitStatus() == QProcess::CrashExit;
    if (crashed || (d->marked && !d->mark.found()))
        return fail(launcherFailure(
            d->target, {.exitCode = d->answer.exitCode, .crashed = crashed, .errorText = d->answer.errorText}));
    d->over = true;
    d->quiet.stop();
    deleteLater();
    Q_EMIT answered(d->answer);
}

void LauncherCall::fail(const Error& error)
{
    if (d->over)
        return;
    d->over = true;
    d->quiet.stop();
    deleteLater();
    Q_EMIT failed(error);
}

} // namespace ridge::record

#include "moc_launcher_call.cpp"
