// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json.h"
#include "record/worker/process_pipe.h"
#include "record/worker/worker_process.h"

#include <QEventLoop>
#include <QTimer>

namespace ridge::record {

namespace {

/// A catalogue is some hundred kilobytes; more than this is not one.
constexpr qsizetype kMostBytes = 64 << 20;

} // namespace

struct WorkerQuery::Private {
    WorkerOptions options;
    QString verb;
    std::unique_ptr<QProcess> process;
    QByteArray answer;
    ErrorTail errorTail;
    QTimer deadline;
    bool over = false;
};

WorkerQuery::WorkerQuery(WorkerOptions options, QString verb, QObject* parent)
    : QObject(parent), d(std::make_unique<Private>())
{
    d->options = std::move(options);
    d->verb = std::move(verb);
    d->deadline.setSingleShot(true);
}

WorkerQuery::~WorkerQuery()
{
    if (d->process)
        killAndForget(std::move(d->process));
}

void WorkerQuery::start()
{
    if (d->process)
        return;
    d->process = std::make_unique<QProcess>();
    QProcess* const process = d->process.get();
    setCommand(*process, d->options, d->verb);
    dieWithParent(*process);
    process->setStandardInputFile(QProcess::nullDevice());
    const auto end = [this](const std::optional<Error>& error, const Json& document) {
        if (d->over)
            return;
        d->over = true;
        d->deadline.stop();
        deleteLater();
        if (error)
            Q_EMIT failed(*error);
        else
            Q_EMIT answered(document);
    };
    connect(process, &QProcess::readyReadStandardError, this,
            [this] { d->errorTail.add(d->process->readAllStandardError()); });
    connect(process, &QProcess::readyReadStandardOutput, this, [this, end] {
        d->answer += d->process->readAllStandardOutput();
        if (d->answer.size() > kMostBytes)
            end(Error{"bad-protocol", "The worker's answer has no end", commandText(*d->process),
                      "Use the ridge-worker of the same version"},
                {});
    });
    connect(
        process, &QProcess::errorOccurred, this,
        [this, end](QProcess::ProcessError error) {
            if (error == QProcess::FailedToStart)
                end(cannotStart(*d->process), {});
        },
        Qt::QueuedConnection);
    connect(process, &QProcess::finished, this, [this, end] {
        d->errorTail.add(d->process->readAllStandardError());
        d->answer += d->process->readAllStandardOutput();
        if (d->process->exitStatus() != QProcess::NormalExit || d->process->exitCode() != 0)
            return end(endedEarly(*d->process, d->errorTail.text(), !d->options.launcher.isEmpty()), {});
        auto document = parseJson(d->answer.toStdString(), commandText(*d->process));
        if (!document)
            return end(Error{"bad-protocol", "The worker's answer is not JSON: " + document.error().message,
                             document.error().place, "Use the ridge-worker of the same version"},
                       {});
        end({}, *document);
    });
    connect(&d->deadline, &QTimer::timeout, this,
            [this, end] { end(hung(commandText(*d->process), d->options.silenceSeconds, d->errorTail.text()), {}); });
    d->deadline.start(static_cast<int>(d->options.silenceSeconds * 1000));
    process->start();
}

Result<Json> queryWorker(const WorkerOptions& options, const QString& verb, int timeoutMs)
{
    WorkerOptions limited = options;
    limited.silenceSeconds = timeoutMs / 1000.0;
    Result<Json> result = Error{};
    QEventLoop loop;
    auto* query = new WorkerQuery(limited, verb);
    QObject::connect(query, &WorkerQuery::answered, &loop, [&](const JsonValue& document) {
        result = *document;
        loop.quit();
    });
    QObject::connect(query, &WorkerQuery::failed, &loop, [&](const Error& error) {
        result = error;
        loop.quit();
    });
    query->start();
    loop.exec(QEventLoop::ExcludeUserInputEvents);
    return result;
}

} // namespace ridge::record
