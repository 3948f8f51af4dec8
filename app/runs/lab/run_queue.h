// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/run_controller.h"

#include <QWidget>
#include <deque>

class QVBoxLayout;

namespace ridge::app {

/// A request of the bench with what is needed to show its result.
struct BenchJob {
    RunRequest request;
    QString title;                            ///< "Coalescing, 8 points"
    QStringList swept;                        ///< parameters, in the order in which they were swept
    record::RunContextIds ids = {};           ///< of the sweep that it continues
    std::vector<record::RunRow> earlier = {}; ///< points that this sweep has already
};

/// Requests one after another: a GPU and two cores measure nothing when they are shared. GUI thread.
class RunQueue : public QObject {
    Q_OBJECT
public:
    explicit RunQueue(AppContext& context, QObject* parent = nullptr);

    RunController* controller() const { return m_run; }
    bool busy() const;
    /// The one that runs, or ran last.
    const BenchJob& current() const { return m_current; }
    const std::deque<BenchJob>& waiting() const { return m_waiting; }

    /// Starts it, or puts it at the end where something runs.
    void add(BenchJob job);
    void remove(std::size_t index); ///< of those that wait
    void clear();
    /// Stops the one that runs; the next one starts.
    void cancelCurrent();
    /// Stops it and forgets those that wait.
    void cancelAll();

Q_SIGNALS:
    void changed();
    void jobStarted();
    void jobFailedToStart(const ridge::Error& error);
    /// Everything asked for has ended.
    void finished();

private:
    void startNext();

    RunController* m_run;
    BenchJob m_current;
    std::deque<BenchJob> m_waiting;
};

/// What waits, a line a request with a way to take it out. Hidden while nothing does.
class RunQueueList : public QWidget {
    Q_OBJECT
public:
    RunQueueList(Theme& theme, RunQueue& queue, QWidget* parent = nullptr);
    int lines() const { return m_lines; }

private:
    void rebuild();

    Theme& m_theme;
    RunQueue& m_queue;
    QVBoxLayout* m_column;
    int m_lines = 0;
};

} // namespace ridge::app
