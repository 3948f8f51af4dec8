// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/first_paint.h"

#include <QElapsedTimer>
#include <QEvent>
#include <QFile>
#include <QWidget>
#ifdef Q_OS_LINUX
#include <ctime>
#include <unistd.h>
#endif

namespace ridge::app {

double millisecondsSinceStart()
{
#ifdef Q_OS_LINUX
    QFile stat(QStringLiteral("/proc/self/stat"));
    timespec now = {};
    if (stat.open(QIODevice::ReadOnly) && clock_gettime(CLOCK_BOOTTIME, &now) == 0) {
        // The name in field 2 may hold spaces; what follows its parenthesis starts at field 3, the start time is 22.
        const QByteArray text = stat.readAll();
        const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
        bool ok = false;
        const double ticks = fields.value(19).toDouble(&ok);
        if (ok)
            return now.tv_sec * 1e3 + now.tv_nsec / 1e6 - ticks * 1e3 / static_cast<double>(sysconf(_SC_CLK_TCK));
    }
#endif
    static QElapsedTimer timer;
    if (!timer.isValid())
        timer.start();
    return static_cast<double>(timer.elapsed());
}

FirstPaint::FirstPaint(QWidget& window) : QObject(&window), m_window(window)
{
    (void)millisecondsSinceStart();
    window.installEventFilter(this);
}

bool FirstPaint::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Paint) {
        m_window.removeEventFilter(this);
        // The children are painted in the same turn, after their window.
        QMetaObject::invokeMethod(
            this, [this] { Q_EMIT painted(millisecondsSinceStart()); }, Qt::QueuedConnection);
    }
    return QObject::eventFilter(watched, event);
}

} // namespace ridge::app

#include "moc_first_paint.cpp"
