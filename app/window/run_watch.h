// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/run_controller.h"

#include <QPointer>

namespace ridge::app {

/// How a run ended that nobody stopped.
struct RunEnd {
    QString title;   ///< "coalescing on sim:h100-sxm"
    QString page;    ///< where it stands
    QString problem; ///< why it failed, in a sentence; empty: it did not
    std::size_t points = 0;
    bool failed() const { return !problem.isEmpty(); }
};

/// Knows every RunController below one object, whichever page made it, so that the status bar can show and stop what
/// runs and closing the window can wait for it. GUI thread.
class RunWatch : public QObject {
    Q_OBJECT
public:
    explicit RunWatch(QObject* root);

    /// Looks for controllers at once; otherwise they are found when the event loop turns.
    void look();
    int running() const;
    std::vector<RunController*> active() const; ///< those that run, in the order in which they were found
    double fraction() const;                    ///< mean over what runs, 0 when nothing does
    QString message() const { return m_message; }
    void cancelAll();

Q_SIGNALS:
    void changed();
    /// Before allDone.
    void ended(const ridge::app::RunEnd& run);
    void allDone(); ///< the last one ended and its rows are durable
    /// What happened to a run, for the log: started, what it said, how it ended.
    void logged(const QString& line, bool isError);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void watch(RunController* run);

    QPointer<QObject> m_root;
    std::vector<QPointer<RunController>> m_runs;
    QString m_message;
    std::vector<QPointer<QObject>> m_new; ///< not looked through yet
};

} // namespace ridge::app
