// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/fields.h"

#include "app/ui/panels.h"
#include "app/ui/wheel_guard.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

namespace ridge::app {

QLineEdit* addField(QVBoxLayout* column, Theme& theme, const QString& name, const QString& label, const QString& hint)
{
    QLabel* words = makeLabel(theme, label, TextStyle::Strong);
    auto* field = new QLineEdit;
    field->setObjectName(name);
    field->setAccessibleName(label);
    field->setPlaceholderText(hint);
    words->setBuddy(field);
    column->addWidget(words);
    column->addWidget(field);
    return field;
}

QHBoxLayout* addSetting(QLayout* row, Theme& theme, const QString& name, const QString& help, QWidget* control)
{
    auto* group = new QWidget;
    group->setAccessibleName(name);
    auto* line = new QHBoxLayout(group);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(space::xs);
    QLabel* label = makeLabel(theme, name, TextStyle::Body, QStringLiteral("muted"));
    control->setAccessibleName(name);
    control->setToolTip(help);
    ignoreWheel(control);
    label->setBuddy(control);
    line->addWidget(label);
    line->addWidget(control);
    row->addWidget(group);
    return line;
}

} // namespace ridge::app
