// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/lab/run_queue.h"

#include "app/ui/icons.h"
#include "app/ui/panels.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

namespace ridge::app {

RunQueue::RunQueue(AppContext& context, QObject* parent) : QObject(parent), m_run(new RunController(context, this))
{
    connect(m_run, &RunController::stateChanged, this, &RunQueue::changed);
    // The controller reports its end from inside its own work; the next one begins after it.
    connect(m_run, &RunController::done, this, &RunQueue::startNext, Qt::QueuedConnection);
}

bool RunQueue::busy() const
{
    return m_run->state() == RunState::Running || m_run->state() == RunState::Cancelling;
}

void RunQueue::add(BenchJob job)
{
    m_waiting.push_back(std::move(job));
    if (busy())
        Q_EMIT changed();
    else
        startNext();
}

void RunQueue::startNext()
{
    if (busy())
        return;
    while (!m_waiting.empty()) {
        m_current = std::move(m_waiting.front());
        m_waiting.pop_front();
        Q_EMIT jobStarted();
        const auto started = m_run->start(m_current.request, m_current.ids);
        Q_EMIT changed();
        if (started)
            return;
        Q_EMIT jobFailedToStart(started.error());
    }
    Q_EMIT changed();
    Q_EMIT finished();
}

void RunQueue::remove(std::size_t index)
{
    if (index >= m_waiting.size())
        return;
    m_waiting.erase(m_waiting.begin() + static_cast<std::ptrdiff_t>(index));
    Q_EMIT changed();
}

void RunQueue::clear()
{
    m_waiting.clear();
    Q_EMIT changed();
}

void RunQueue::cancelCurrent()
{
    m_run->cancel();
}

void RunQueue::cancelAll()
{
    m_waiting.clear();
    m_run->cancel();
    Q_EMIT changed();
}

RunQueueList::RunQueueList(Theme& theme, RunQueue& queue, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_queue(queue), m_column(new QVBoxLayout(this))
{
    setAccessibleName(tr("Waiting runs"));
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(space::xs);
    connect(&queue, &RunQueue::changed, this, &RunQueueList::rebuild);
    rebuild();
}

void RunQueueList::rebuild()
{
    const int wanted = static_cast<int>(m_queue.waiting().size());
    if (wanted == 0 && m_lines == 0)
        return setVisible(false);
    while (QLayoutItem* item = m_column->takeAt(0)) {
        if (item->widget())
            item->widget()->deleteLater(); // a click on one of its buttons may have led here
        delete item;
    }
    m_lines = wanted;
    setVisible(wanted > 0);
    if (wanted == 0)
        return;
    m_column->addWidget(makeLabel(m_theme, tr("Waiting"), TextStyle::Caption, QStringLiteral("hint")));
    for (std::size_t i = 0; i < m_queue.waiting().size(); ++i) {
        const BenchJob& job = m_queue.waiting()[i];
        auto* line = new QWidget;
        line->setAccessibleName(job.title);
        auto* row = new QHBoxLayout(line);
        row->setContentsMargins(0, 0, 0, 0);
        QLabel* title = makeLabel(m_theme, QStringLiteral("%1. %2").arg(i + 1).arg(job.title));
        title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        title->setToolTip(job.title);
        row->addWidget(title, 1);
        auto* remove = new QToolButton;
        setThemedIcon(m_theme, remove, QStringLiteral("close"));
        remove->setAccessibleName(tr("Take %1 out").arg(job.title));
        remove->setToolTip(tr("Take it out of the queue"));
        connect(remove, &QToolButton::clicked, this, [this, i] { m_queue.remove(i); });
        row->addWidget(remove);
        m_column->addWidget(line);
    }
}

} // namespace ridge::app

#include "moc_run_queue.cpp"
