// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/class/teaching/class_bench.h"

#include <QFuture>
#include <QObject>
#include <QPromise>
#include <QThread>
#include <atomic>
#include <deque>
#include <memory>

namespace ridge::app {

/// Work on classes in a thread of its own, one job after the other, so that the window never waits: a class belongs to
/// the thread that opened it. Futures finish there; take them up with `.then(this, …)`. GUI thread.
class ClassDesk : public QObject {
    Q_OBJECT
public:
    ClassDesk(std::filesystem::path home, std::filesystem::path samples, lessons::Curriculum curriculum,
              QObject* parent = nullptr);
    ~ClassDesk() override; ///< stops what runs and waits for it

    using Work = ClassBench;
    /// `what` is shown while it runs; empty for a look that takes no time worth telling.
    template<class Value>
    QFuture<Result<Value>> run(const QString& what, std::function<Result<Value>(Work&, const JobHooks&)> job)
    {
        auto promise = std::make_shared<QPromise<Result<Value>>>();
        auto future = promise->future();
        promise->start();
        m_queue.push_back({what, [promise, job = std::move(job)](Work& work, const JobHooks& hooks) {
                               promise->addResult(job(work, hooks));
                               promise->finish();
                           }});
        next();
        return future;
    }

    bool busy() const { return m_running; }
    QString what() const { return m_what; } ///< empty: nothing that is worth telling
    bool working() const;                   ///< something worth telling runs or waits
    int done() const { return m_done; }
    int all() const { return m_all; } ///< 0: not known
    bool stopping() const { return m_stop; }
    void stop(); ///< the running job, after the file it is at

Q_SIGNALS:
    void changed();

private:
    struct Job {
        QString what;
        std::function<void(Work&, const JobHooks&)> work;
    };
    void next();

    QThread m_thread;
    std::unique_ptr<QObject> m_there; ///< lives in the thread; jobs are sent to it
    std::unique_ptr<Work> m_work;     ///< made, used and deleted in the thread
    std::deque<Job> m_queue;
    std::atomic<bool> m_stop = false;
    bool m_running = false;
    QString m_what;
    int m_done = 0, m_all = 0;
};

} // namespace ridge::app
