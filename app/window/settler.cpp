// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/settler.h"

#include "app/window/main_window.h"
#include "app/window/run_watch.h"

#include <QCoreApplication>
#include <QEvent>
#include <QThreadPool>

namespace ridge::app {
namespace {

/// Longer than the 33 ms at which charts gather points before they draw.
constexpr int kQuietMs = 80;
/// Turns of the event loop that have to pass quietly after it: on a busy machine everything is late at once, and the
/// quiet time runs out in the same turn as the timer that draws the chart.
constexpr int kQuietTurns = 3;

} // namespace

Settler::Settler(MainWindow& window, bool waitForRuns, int limitMs, QObject* parent)
    : QObject(parent), m_window(window), m_waitForRuns(waitForRuns)
{
    m_quiet.setSingleShot(true);
    m_quiet.setInterval(kQuietMs);
    m_limit.setSingleShot(true);
    m_limit.setInterval(limitMs);
    connect(&m_quiet, &QTimer::timeout, this, [this] { check(kQuietTurns); });
    connect(&m_limit, &QTimer::timeout, this, [this] {
        m_quiet.stop();
        Q_EMIT gaveUp(waitingFor());
    });
}

void Settler::start()
{
    QCoreApplication::instance()->installEventFilter(this);
    connect(m_window.runs(), &RunWatch::changed, this, [this] { m_quiet.start(); });
    if (Page* page = m_window.page())
        connect(page, &Page::readyChanged, this, [this] { m_quiet.start(); });
    m_limit.start();
    m_quiet.start();
}

QString Settler::waitingFor() const
{
    const Page* page = m_window.page();
    if (!page || !page->ready())
        return tr("the page did not become ready");
    if (m_waitForRuns && m_window.runs()->running() > 0)
        return tr("a run is still going");
    if (m_window.busyBehind() || QThreadPool::globalInstance()->activeThreadCount() > 0)
        return tr("something is still computed for the page");
    return tr("the window did not come to rest");
}

void Settler::check(int turnsLeft)
{
    const Page* page = m_window.page();
    const bool waits = !page || !page->ready() || (m_waitForRuns && m_window.runs()->running() > 0);
    if (waits || m_quiet.isActive()) // readyChanged, the end of the run or the quiet time comes here again
        return;
    if (m_window.busyBehind() ||
        QThreadPool::globalInstance()->activeThreadCount() > 0) // what is made there will be shown
        return m_quiet.start();
    if (turnsLeft > 0)
        return QTimer::singleShot(0, this, [this, turnsLeft] { check(turnsLeft - 1); });
    QCoreApplication::instance()->removeEventFilter(this);
    m_limit.stop();
    Q_EMIT settled();
}

bool Settler::eventFilter(QObject* watched, QEvent* event)
{
    switch (event->type()) {
    case QEvent::LayoutRequest:
    case QEvent::UpdateRequest:
    case QEvent::Resize:
    case QEvent::Show:
    case QEvent::PolishRequest:
        if (watched->isWidgetType() && m_limit.isActive())
            m_quiet.start();
        break;
    default:
        break;
    }
    return QObject::eventFilter(watched, event);
}

} // namespace ridge::app

#include "moc_settler.cpp"
