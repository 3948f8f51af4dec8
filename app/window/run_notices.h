// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/desktop/desktop.h"
#include "app/window/run_watch.h"

namespace ridge::app {

class MainWindow;

/// Tells somebody who has gone to another program how runs go: their share in the taskbar and in the title, and a
/// notice when the last of them has ended, with the queue behind it. What was stopped by hand is not told, and nothing
/// is while a window of ours is in front. `run.notify` turns it off. GUI thread.
class RunNotices : public QObject {
    Q_OBJECT
public:
    /// Both outlive it.
    RunNotices(MainWindow& window, Desktop& desktop);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void follow();
    void tell();

    MainWindow& m_window;
    Desktop& m_desktop;
    std::vector<RunEnd> m_ended; ///< since something began to run
    bool m_telling = false;
};

} // namespace ridge::app
