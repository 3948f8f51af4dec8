// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/fields.h"

#include "app/ui/panels.h"

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

} // namespace ridge::app
