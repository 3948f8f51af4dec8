// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QWidget>

namespace ridge::app {

class Theme;

/// Draws the keyboard focus of the whole program: 2 px, 2 px away from the control, where a style sheet could only
/// draw inside it. Shown only after keyboard navigation, so that a mouse click stays quiet. Follows the focused
/// widget; large views draw the ring inside themselves because their neighbours touch them. A control at the edge of
/// its parent has its ring in the nearest widget around it with room, so that no side of it is cut off. Every Theme of
/// the application has one.
class FocusRing : public QObject {
    Q_OBJECT
public:
    explicit FocusRing(Theme& theme);
    ~FocusRing() override;

    QWidget* frame() const; ///< the overlay, null while nothing is ringed

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void follow(QWidget* widget);
    void place();

    Theme& m_theme;
    QPointer<QWidget> m_target;
    QPointer<QWidget> m_frame;
    bool m_keyboard = false;
};

} // namespace ridge::app
