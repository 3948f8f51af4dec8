// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/run_watch.h"

#include <QChildEvent>
#include <QCoreApplication>
#include <algorithm>
#include <utility>

namespace ridge::app {
namespace {

bool busy(const RunController* run)
{
    return run && (run->state() == RunState::Running || run->state() == RunState::Cancelling);
}

bool isBelow(const QObject* object, const QObject* root)
{
    while (object && object != root)
        object = object->parent();
    return object;
}

} // namespace

RunWatch::RunWatch(QObject* root) : QObject(root), m_root(root)
{
    // A page makes its controllers when it likes; a child that is new somewhere is the earliest sign of one.
    QCoreApplication::instance()->installEventFilter(this);
    m_new.emplace_back(root);
    look();
}

bool RunWatch::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::ChildAdded) {
        // The child is not constructed yet; its type can be asked once the event loop turns.
        if (m_new.empty())
            QMetaObject::invokeMethod(this, &RunWatch::look, Qt::QueuedConnection);
        m_new.emplace_back(static_cast<QChildEvent*>(event)->child());
    }
    return QObject::eventFilter(watched, event);
}

/// All that is below the root is some ten thousand objects, and texts make new ones in every turn: only what is new is
/// looked through.
void RunWatch::look()
{
    for (const QPointer<QObject>& each : std::exchange(m_new, {})) {
        if (!each || !m_root || !isBelow(each, m_root))
            continue;
        QList<RunController*> found = each->findChildren<RunController*>();
        if (auto* run = qobject_cast<RunController*>(each.data()))
            found.prepend(run);
        for (RunController* run : found)
            if (std::find(m_runs.begin(), m_runs.end(), run) == m_runs.end())
                watch(run);
    }
}

void RunWatch::watch(RunController* run)
{
    std::erase_if(m_runs, [](const auto& known) { return known.isNull(); });
    m_runs.emplace_back(run);
    connect(run, &RunController::stateChanged, this, &RunWatch::changed);
    connect(run, &RunController::stateChanged, this, [this, run] {
        switch (run->state()) {
        case RunState::Running:
            return Q_EMIT logged(tr("%1: started, %2 points").arg(run->title()).arg(run->expectedPoints()), false);
        case RunState::Cancelling:
            return Q_EMIT logged(tr("%1: stopping").arg(run->title()), false);
        case RunState::Finished:
            return Q_EMIT logged(tr("%1: finished").arg(run->title()), false);
        case RunState::Idle:
        case RunState::Failed:
            return; // the reason is told by itself
        }
    });
    connect(run, &RunController::logged, this,
            [this, run](const QString& line) { Q_EMIT logged(run->title() + QStringLiteral(": ") + line, false); });
    connect(run, &RunController::failed, this, [this, run](const Error& error) {
        Q_EMIT logged(run->title() + QStringLiteral(": ") + QString::fromStdString(toText(error)),
                      error.code != "cancelled");
    });
    connect(run, &RunController::progressed, this, [this](double, const QString& message) {
        m_message = message;
        Q_EMIT changed();
    });
    const auto left = [this] {
        Q_EMIT changed();
        if (running() == 0)
            Q_EMIT allDone();
    };
    const auto problem = std::make_shared<std::optional<Error>>();
    connect(run, &RunController::failed, this, [problem](const Error& error) { *problem = error; });
    connect(run, &RunController::done, this, [this, run, problem, left] {
        const std::optional<Error> failure = std::exchange(*problem, {});
        if (!failure || failure->code != "cancelled")
            Q_EMIT ended({run->title(), run->page(), failure ? QString::fromStdString(failure->message) : QString(),
                          run->expectedPoints()});
        left();
    });
    connect(run, &QObject::destroyed, this, left);
    if (busy(run))
        Q_EMIT changed();
}

int RunWatch::running() const
{
    return static_cast<int>(
        std::count_if(m_runs.begin(), m_runs.end(), [](const auto& run) { return busy(run.data()); }));
}

std::vector<RunController*> RunWatch::active() const
{
    std::vector<RunController*> found;
    for (const auto& run : m_runs)
        if (busy(run.data()))
            found.push_back(run.data());
    return found;
}

double RunWatch::fraction() const
{
    double sum = 0;
    for (const auto& run : m_runs)
        if (busy(run.data()))
            sum += run->fraction();
    const int count = running();
    return count > 0 ? sum / count : 0;
}

void RunWatch::cancelAll()
{
    for (const auto& run : m_runs)
        if (busy(run.data()))
            run->cancel();
}

} // namespace ridge::app

#include "moc_run_watch.cpp"
