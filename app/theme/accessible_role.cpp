// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/theme/accessible_role.h"

#include <QAccessibleWidget>
#include <QVariant>

namespace ridge::app {
namespace {

constexpr const char* kProperty = "accessibleRole";

class PaintedWidget : public QAccessibleWidget {
public:
    PaintedWidget(QWidget* widget, QAccessible::Role role) : QAccessibleWidget(widget, role) {}
};

QAccessibleInterface* makeInterface(const QString&, QObject* object)
{
    auto* widget = qobject_cast<QWidget*>(object);
    const QVariant role = widget ? widget->property(kProperty) : QVariant();
    return role.isValid() ? new PaintedWidget(widget, static_cast<QAccessible::Role>(role.toInt())) : nullptr;
}

} // namespace

void setAccessibleRole(QWidget* widget, QAccessible::Role role)
{
    QAccessible::installFactory(makeInterface); // Qt keeps one of each
    widget->setProperty(kProperty, static_cast<int>(role));
}

} // namespace ridge::app
