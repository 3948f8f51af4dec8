// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/ui/elided_box.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QStyleOptionFrame>
#include <QToolButton>
#include <vector>

namespace ridge::app {

inline QString wordsOf(const QWidget* widget)
{
    if (const auto* label = qobject_cast<const QLabel*>(widget))
        return label->text();
    if (const auto* button = qobject_cast<const QAbstractButton*>(widget))
        return button->text();
    if (const auto* field = qobject_cast<const QLineEdit*>(widget))
        return field->text();
    const auto* box = qobject_cast<const QComboBox*>(widget);
    return box ? box->currentText() : QString();
}

/// Labels, buttons, fields and lists that show words now.
inline std::vector<QWidget*> readable(QWidget* root)
{
    std::vector<QWidget*> found;
    for (QWidget* widget : root->findChildren<QWidget*>())
        if (widget->isVisibleTo(root) && !wordsOf(widget).trimmed().isEmpty() &&
            !qobject_cast<QComboBox*>(widget->parentWidget()))
            found.push_back(widget);
    return found;
}

/// What it needs in the room that it has.
inline QSize neededBy(QWidget* widget)
{
    if (auto* field = qobject_cast<QLineEdit*>(widget)) {
        QStyleOptionFrame option;
        option.initFrom(field);
        option.rect = field->rect();
        const int room = field->style()->subElementRect(QStyle::SE_LineEditContents, &option, field).width();
        const int words = field->fontMetrics().horizontalAdvance(field->text()) + 5; // beside them and the cursor
        return {field->width() + std::max(0, words - room), field->fontMetrics().height()};
    }
    const auto* label = qobject_cast<QLabel*>(widget);
    if (widget->hasHeightForWidth() && (!label || label->wordWrap()))
        return {0, widget->heightForWidth(widget->width())};
    if (auto* box = qobject_cast<QComboBox*>(widget)) {
        QStyleOptionComboBox option;
        option.initFrom(box);
        const int room =
            box->style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, box).width();
        const int words = box->fontMetrics().horizontalAdvance(box->currentText());
        return {box->width() + std::max(0, words - room), box->fontMetrics().height()};
    }
    if (const auto* tool = qobject_cast<QToolButton*>(widget)) // its padding may be less than the style's
        return {tool->fontMetrics().horizontalAdvance(tool->text()) +
                    (tool->icon().isNull() ? 0 : tool->iconSize().width()),
                tool->fontMetrics().height()};
    return widget->sizeHint();
}

inline QStringList cutOff(QWidget* root)
{
    QStringList wrong;
    for (QWidget* widget : readable(root)) {
        if (dynamic_cast<ElidedBox*>(widget)) // ends in "…" where it has no room, and its list says all of it
            continue;
        const QSize needed = neededBy(widget);
        if (needed.width() > widget->width() + 1 || needed.height() > widget->height() + 1)
            wrong << QString::fromUtf8("“%1” (%2) has %3 × %4 and needs %5 × %6")
                         .arg(wordsOf(widget), QLatin1String(widget->metaObject()->className()))
                         .arg(widget->width())
                         .arg(widget->height())
                         .arg(needed.width())
                         .arg(needed.height());
    }
    return wrong;
}

/// Words that stand outside of what holds them, so that no scrolling brings them into view.
inline QStringList pushedOut(QWidget* root)
{
    QStringList wrong;
    for (QWidget* widget : readable(root))
        for (QWidget* holder = widget->parentWidget(); holder && widget != root; holder = holder->parentWidget()) {
            if (qobject_cast<QAbstractScrollArea*>(holder->parentWidget()))
                break; // it can be scrolled to
            const QRect place(widget->mapTo(holder, QPoint()), widget->size());
            if (place.left() < -1 || place.right() > holder->width() + 1) {
                wrong << QString::fromUtf8("“%1” (%2) stands from %3 to %4 in %5, which has %6")
                             .arg(wordsOf(widget), QLatin1String(widget->metaObject()->className()))
                             .arg(place.left())
                             .arg(place.right())
                             .arg(QLatin1String(holder->metaObject()->className()))
                             .arg(holder->width());
                break;
            }
            if (holder == root)
                break;
        }
    return wrong;
}

/// The innermost of the widgets in `root` that asks for the most width, and its words.
inline QString widest(QWidget* root)
{
    const auto asks = [](const QWidget* widget) {
        return std::max(widget->minimumWidth(), widget->minimumSizeHint().width());
    };
    QWidget* found = root;
    for (QWidget* widget : root->findChildren<QWidget*>())
        if (widget->isVisibleTo(root) && (found == root || asks(widget) > asks(found) ||
                                          (asks(widget) == asks(found) && found->isAncestorOf(widget))))
            found = widget;
    return QString::fromUtf8("“%1” (%2), %3 wide")
        .arg(wordsOf(found), QLatin1String(found->metaObject()->className()))
        .arg(asks(found));
}

} // namespace ridge::app
