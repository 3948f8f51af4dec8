// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;

namespace ridge::app {

class Theme;

/// Holds a label whose text changes with every step. A label in a layout lays the whole page out anew each time, a
/// third of what a step costs; this one only asks for more height where a text needs it, and gives none back before the
/// width or the size of the text changes.
class StillText : public QWidget {
public:
    StillText(Theme& theme, QLabel* label);
    void setText(const QString& text);
    QString text() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeRoom();

    QLabel* m_label;
    int m_height = 0;
};

} // namespace ridge::app
