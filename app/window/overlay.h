// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

#include <QPointer>
#include <QWidget>

class QVBoxLayout;

namespace ridge::app {

/// A card over the dimmed window, part of the window and not a dialog: the event loop never nests. Esc or a click
/// beside it closes it and gives the focus back to where it was; Tab stays inside while it is open.
class Overlay : public QWidget {
    Q_OBJECT
public:
    Overlay(Theme& theme, const QString& accessibleName, QSize cardSize, QWidget* window);
    void open();
    void close(bool restoreFocus = true);
    bool isOpen() const { return isVisible(); }

Q_SIGNALS:
    void closed();

protected:
    QVBoxLayout* column() const { return m_column; }
    Theme& theme() const { return m_theme; }
    virtual QWidget* firstFocus() = 0;
    virtual void aboutToOpen() {}

    void paintEvent(QPaintEvent*) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    bool focusNextPrevChild(bool next) override;

private:
    void place();

    Theme& m_theme;
    QSize m_cardSize;
    QWidget* m_card;
    QVBoxLayout* m_column;
    QPointer<QWidget> m_before;
};

} // namespace ridge::app
