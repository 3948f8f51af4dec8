// SPDX-License-Identifier: GPL-3.0-or-later
// As pch_core_uses.h, of what pages are made of.
#pragma once
#include "pch_core_uses.h"

#include <QtWidgets>

namespace ridge::precompiled {

inline void useWidgets(QPushButton* button, QAction* action, QLineEdit* line, QComboBox* choice)
{
    QObject::connect(button, &QPushButton::clicked, button, [] {});
    QObject::connect(button, &QAbstractButton::toggled, button, [](bool) {});
    QObject::connect(action, &QAction::triggered, button, [] {});
    QObject::connect(line, &QLineEdit::textChanged, button, [](const QString&) {});
    QObject::connect(choice, &QComboBox::currentIndexChanged, button, [](int) {});
    useVector(static_cast<QWidget*>(button));
    useVector(QColor());
    useVector(QPointF());
    useVector(QRectF());
    useOptional(QColor());
    useOptional(QFont::Normal);
    useOptional(QPointF());
    useOptional(QRectF());
    useValue(QList<QWidget*>{button});
    useValue(QList<QKeySequence>{QKeySequence()});
    useValue(QList<QPointF>{QPointF()});
    useValue(QPointer<QWidget>(button));
    useValue(std::function<QWidget*()>([] { return nullptr; }));
    for (QWidget* child : button->findChildren<QWidget*>())
        child->show();
}

} // namespace ridge::precompiled
