// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>
#include <QThreadPool>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

class QThread;

namespace ridge::app {

/// Work beside the event loop, on threads of its own. Whoever reads a record there gives up at the row it is at when
/// it is asked to stop (QThread::requestInterruption); nothing of it is left when its owner goes. GUI thread.
class Background : public QObject {
    Q_OBJECT
public:
    /// The one that goes with `owner`, made when it is first asked for. A page asks for that of its AppContext, which
    /// the window stops when it goes itself: no thread reads, or hands anything over, while record and application are
    /// taken down.
    static Background& of(QObject& owner);

    explicit Background(QObject* parent = nullptr);
    ~Background() override; ///< stops

    /// `work()` on one of the threads, then `taken(what it gave)` in this one; not at all once `receiver` is gone.
    template<class Work, class Taken>
    void run(QObject* receiver, Work work, Taken taken)
    {
        using Value = std::invoke_result_t<Work&>;
        struct Job {
            Work work;
            Taken taken;
            QPointer<QObject> receiver;
            std::shared_ptr<void> open; // until it is told or left out
            std::optional<Value> value;
        };
        auto job = std::make_shared<Job>(
            Job{std::move(work), std::move(taken), QPointer<QObject>(receiver), m_open, std::nullopt});
        begin([this, job = std::move(job)]() mutable {
            job->value.emplace(job->work());
            // Told by way of this object, which waits for its threads: the receiver may go at any moment.
            QMetaObject::invokeMethod(
                this,
                [job = std::move(job)] {
                    job->open.reset();
                    if (job->receiver)
                        job->taken(std::move(*job->value));
                },
                Qt::QueuedConnection);
        });
    }
    /// Of which nothing is told.
    void begin(std::function<void()> work);

    /// Something that was given to run() is not told yet.
    bool busy() const { return m_open.use_count() > 1; }
    /// Until nothing runs; what came of it is told by the event loop.
    void wait();
    /// Asks what runs to stop and waits for it; what has not begun is left out.
    void stop();

private:
    QThreadPool m_pool;
    std::shared_ptr<void> m_open = std::make_shared<char>();
    std::mutex m_mutex;
    std::vector<QThread*> m_working;
    bool m_stopping = false;
};

} // namespace ridge::app
