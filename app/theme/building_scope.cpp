// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/theme/building_scope.h"

#include <QApplication>
#include <QEvent>
#include <QWidget>

namespace ridge::app {

BuildingScope::BuildingScope()
{
    qApp->installEventFilter(this);
}

BuildingScope::~BuildingScope()
{
    qApp->removeEventFilter(this);
}

bool BuildingScope::eventFilter(QObject* watched, QEvent* event)
{
    // What is seen was there before, and whoever has a style sheet of its own, or below such a one, may look different.
    return event->type() == QEvent::StyleChange && watched->isWidgetType() &&
           !static_cast<QWidget*>(watched)->isVisible() &&
           static_cast<QWidget*>(watched)->style() == QApplication::style();
}

} // namespace ridge::app
