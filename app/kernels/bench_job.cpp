// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/bench_job.h"

#include "record/worker/worker_run.h"

namespace ridge::app {

using record::WorkerRun;

KernelJob::KernelJob(QObject* parent) : QObject(parent) {}
KernelJob::~KernelJob() = default;

void KernelJob::start(const KernelRequest& request)
{
    retire();
    m_cancelling = m_paused = false;
    m_run = std::make_unique<WorkerRun>(
        record::WorkerOptions{.program = record::defaultWorkerProgram(), .launcher = {}}, request);
    WorkerRun* const run = m_run.get();
    connect(run, &WorkerRun::progress, this, [this](const ProgressEvent& event) {
        if (!m_paused) // a sign of life
            Q_EMIT progressed(event.fraction, QString::fromStdString(event.message));
    });
    connect(run, &WorkerRun::launchPaused, this, [this](const Error& why) {
        m_paused = true;
        Q_EMIT stateChanged();
        Q_EMIT pausedFor(why);
    });
    connect(run, &WorkerRun::trace, this, &KernelJob::traceArrived);
    connect(run, &WorkerRun::kernel, this, [this](const KernelEvent& event) { Q_EMIT answered(event.document); });
    const auto end = [this] {
        retire();
        Q_EMIT stateChanged();
        Q_EMIT done();
    };
    connect(run, &WorkerRun::finished, this, end);
    connect(run, &WorkerRun::failed, this, [this, end](const Error& error) {
        const Error kept = error; // its owner goes with the run
        Q_EMIT failed(kept);
        end();
    });
    Q_EMIT stateChanged();
    run->start();
}

/// The run may be the sender of what is being handled.
void KernelJob::retire()
{
    m_paused = false;
    if (WorkerRun* old = m_run.release()) {
        old->disconnect(this);
        old->deleteLater();
    }
}

void KernelJob::cancel()
{
    if (!m_run || m_cancelling)
        return;
    m_cancelling = true;
    m_paused = false;
    Q_EMIT stateChanged();
    m_run->cancel();
}

void KernelJob::answer(bool goOn)
{
    if (!m_paused)
        return;
    m_paused = false;
    Q_EMIT stateChanged();
    m_run->answerPause(goOn);
}

qint64 KernelJob::processId() const
{
    return m_run ? m_run->processId() : 0;
}

} // namespace ridge::app

#include "moc_bench_job.cpp"
