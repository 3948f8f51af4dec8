// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/run_notices.h"

#include "app/window/main_window.h"
#include "app/window/settings.h"

#include <QApplication>
#include <QEvent>

namespace ridge::app {
namespace {

bool inFront()
{
    return QApplication::activeWindow() != nullptr;
}

DesktopNotice noticeOf(const std::vector<RunEnd>& ended)
{
    const auto failed = std::count_if(ended.begin(), ended.end(), [](const RunEnd& run) { return run.failed(); });
    const RunEnd& last = ended.back();
    DesktopNotice notice;
    notice.page = last.page;
    if (ended.size() == 1) {
        notice.title = last.failed() ? RunNotices::tr("A run failed") : RunNotices::tr("A run has ended");
        notice.text = last.failed()      ? RunNotices::tr("%1: %2").arg(last.title, last.problem)
                      : last.points == 1 ? RunNotices::tr("%1, 1 point").arg(last.title)
                                         : RunNotices::tr("%1, %2 points").arg(last.title).arg(last.points);
        return notice;
    }
    notice.title = failed > 0 ? RunNotices::tr("%1 runs have ended, %2 of them failed").arg(ended.size()).arg(failed)
                              : RunNotices::tr("%1 runs have ended").arg(ended.size());
    notice.text = RunNotices::tr("The last was %1.").arg(last.title);
    return notice;
}

} // namespace

RunNotices::RunNotices(MainWindow& window, Desktop& desktop) : m_window(window), m_desktop(desktop)
{
    connect(window.runs(), &RunWatch::changed, this, &RunNotices::follow);
    connect(window.runs(), &RunWatch::ended, this, [this](const RunEnd& run) {
        m_ended.push_back(run);
        // What waits in a queue starts with the next turn of the event loop, and was asked to before this.
        if (!std::exchange(m_telling, true))
            QMetaObject::invokeMethod(this, &RunNotices::tell, Qt::QueuedConnection);
    });
    connect(&desktop, &Desktop::chosen, this, [this](const QString& page) {
        if (auto opened = m_window.open(page); !opened)
            (void)m_window.open(QStringLiteral("runs"));
        m_window.setWindowState(m_window.windowState() & ~Qt::WindowMinimized);
        m_window.raise();
        m_window.activateWindow();
    });
    QCoreApplication::instance()->installEventFilter(this);
}

bool RunNotices::eventFilter(QObject* watched, QEvent* event)
{
    if (watched->isWidgetType() && event->type() == QEvent::WindowActivate) { // a dialog of ours is in front too
        m_desktop.withdraw();
        m_window.setTitleMark({});
    } else if (watched == &m_window && event->type() == QEvent::WindowDeactivate) {
        follow();
    }
    return QObject::eventFilter(watched, event);
}

void RunNotices::follow()
{
    const bool told = notifySetting(), runs = m_window.runs()->running() > 0;
    const double fraction = m_window.runs()->fraction();
    m_desktop.setProgress(told && runs ? std::optional(fraction) : std::nullopt);
    if (runs)
        m_window.setTitleMark(told && !inFront() ? tr("%1 %").arg(int(100 * fraction)) : QString());
}

void RunNotices::tell()
{
    m_telling = false;
    if (m_window.runs()->running() > 0 || m_ended.empty())
        return;
    const auto ended = std::exchange(m_ended, {});
    if (inFront() || !notifySetting())
        return m_window.setTitleMark({});
    const DesktopNotice notice = noticeOf(ended);
    m_window.setTitleMark(notice.title);
    QApplication::alert(&m_window);
    m_desktop.notify(notice);
}

} // namespace ridge::app

#include "moc_run_notices.cpp"
