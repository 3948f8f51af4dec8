// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QStylePainter>

namespace ridge::app {

/// A list whose choice ends in "…" where it has no room; Qt's own cuts it off. It may become narrower than its longest
/// name, down to what its owner sets.
class ElidedBox : public QComboBox {
public:
    using QComboBox::QComboBox;

protected:
    void paintEvent(QPaintEvent*) override
    {
        QStylePainter painter(this);
        painter.setPen(palette().color(QPalette::Text));
        QStyleOptionComboBox option;
        initStyleOption(&option);
        painter.drawComplexControl(QStyle::CC_ComboBox, option);
        const int room =
            style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this).width();
        if (fontMetrics().horizontalAdvance(option.currentText) > room)
            option.currentText = fontMetrics().elidedText(option.currentText, Qt::ElideRight, room - 2);
        painter.drawControl(QStyle::CE_ComboBoxLabel, option);
    }
};

} // namespace ridge::app
