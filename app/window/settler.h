// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>
#include <QTimer>

namespace ridge::app {

class MainWindow;

/// Tells when a window has come to rest: its page is ready, nothing runs (if that is waited for), no thread computes
/// something for it, and the event loop has seen no layout or paint request for a while and a few turns after it. For
/// pictures; it watches, it does not sleep.
class Settler : public QObject {
    Q_OBJECT
public:
    Settler(MainWindow& window, bool waitForRuns, int limitMs, QObject* parent = nullptr);
    void start();

Q_SIGNALS:
    void settled();
    void gaveUp(const QString& why);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void check(int turnsLeft);
    QString waitingFor() const;

    MainWindow& m_window;
    bool m_waitForRuns;
    QTimer m_quiet; ///< restarted by every layout or paint; runs out when there was none
    QTimer m_limit;
};

} // namespace ridge::app
