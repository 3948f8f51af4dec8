// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAccessible>

class QWidget;

namespace ridge::app {

/// Tells assistive technology what a painted widget is (a chart, a graphic); Qt calls every custom widget "client".
/// Call it before the widget is first asked for its accessible interface: in its constructor.
void setAccessibleRole(QWidget* widget, QAccessible::Role role);

} // namespace ridge::app
