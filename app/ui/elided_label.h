// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

#include <QLabel>
#include <QPainter>
#include <QStyle>

namespace ridge::app {

/// One line of text that ends in "…" where it has no room, where a QLabel is cut off; all of it on hover and to a
/// screen reader.
class ElidedLabel : public QLabel {
public:
    ElidedLabel(Theme& theme, const QString& text, TextStyle style, const QString& tone = {}, QWidget* parent = nullptr)
        : QLabel(text, parent)
    {
        const auto dress = [this, &theme, style] { setFont(theme.font(style)); };
        dress();
        connect(&theme, &Theme::changed, this, dress);
        if (!tone.isEmpty())
            setProperty("tone", tone);
        setTextFormat(Qt::PlainText);
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        setAccessibleName(text);
        setToolTip(text);
    }
    QString shown() const { return fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width()); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        style()->drawItemText(&painter, contentsRect(), int(Qt::AlignVCenter | Qt::AlignLeft), palette(), isEnabled(),
                              shown(), foregroundRole());
    }
};

} // namespace ridge::app
