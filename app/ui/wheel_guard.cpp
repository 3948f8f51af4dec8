// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/wheel_guard.h"

#include <QEvent>
#include <QWidget>

namespace ridge::app {

namespace {

class WheelGuard : public QObject {
public:
    using QObject::QObject;
    bool eventFilter(QObject*, QEvent* event) override
    {
        if (event->type() != QEvent::Wheel)
            return false;
        event->ignore();
        return true;
    }
};

} // namespace

void ignoreWheel(QWidget* control)
{
    control->installEventFilter(new WheelGuard(control));
}

} // namespace ridge::app
