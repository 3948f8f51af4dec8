// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/theme/announce.h"

#include <QAccessible>
#include <QMainWindow>
#include <QStatusBar>

namespace ridge::app {

void announce(QWidget* about, const QString& text)
{
    about->setProperty("announcement", text);
#if QT_VERSION >= QT_VERSION_CHECK(6, 8, 0)
    QAccessibleAnnouncementEvent event(about, text);
    QAccessible::updateAccessibility(&event);
#else
    about->setAccessibleDescription(text);
    QAccessibleEvent event(about, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
#endif
    auto* window = qobject_cast<QMainWindow*>(about->window());
    if (auto* bar = window ? window->findChild<QStatusBar*>(QString(), Qt::FindDirectChildrenOnly) : nullptr)
        bar->showMessage(text, 8000);
}

} // namespace ridge::app
