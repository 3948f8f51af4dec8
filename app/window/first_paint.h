// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QWidget;

namespace ridge::app {

/// Milliseconds since this process was started, by the kernel's account (resolution 10 ms); since the first call
/// where that is not to be had.
double millisecondsSinceStart();

/// Tells once when the window's first picture is on its way to the screen.
class FirstPaint : public QObject {
    Q_OBJECT
public:
    explicit FirstPaint(QWidget& window);

Q_SIGNALS:
    void painted(double milliseconds);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget& m_window;
};

} // namespace ridge::app
