// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/teaching/class_desk.h"

#include <QElapsedTimer>
#include <algorithm>

namespace ridge::app {
namespace {

/// A thousand files are a thousand steps; nobody sees more than some a second.
constexpr int kTellMs = 50;

} // namespace

ClassDesk::ClassDesk(std::filesystem::path home, std::filesystem::path samples, lessons::Curriculum curriculum,
                     QObject* parent)
    : QObject(parent), m_there(std::make_unique<QObject>())
{
    m_thread.setObjectName(QStringLiteral("classes"));
    m_there->moveToThread(&m_thread);
    m_thread.start();
    QMetaObject::invokeMethod(m_there.get(), [this, home = std::move(home), samples = std::move(samples),
                                              curriculum = std::move(curriculum)]() mutable {
        m_work = std::make_unique<Work>(std::move(home), std::move(samples), std::move(curriculum));
    });
}

ClassDesk::~ClassDesk()
{
    m_queue.clear();
    m_stop = true;
    // Database connections are closed where they were opened.
    QMetaObject::invokeMethod(m_there.get(), [this] { m_work.reset(); });
    QMetaObject::invokeMethod(m_there.get(), [this] { m_thread.quit(); });
    m_thread.wait();
}

bool ClassDesk::working() const
{
    return !m_what.isEmpty() ||
           std::any_of(m_queue.begin(), m_queue.end(), [](const Job& job) { return !job.what.isEmpty(); });
}

void ClassDesk::stop()
{
    m_stop = m_running;
    Q_EMIT changed();
}

void ClassDesk::next()
{
    // One is in the thread at a time: a job may run an event loop there, and the next must not start inside it.
    if (m_running || m_queue.empty())
        return;
    Job job = std::move(m_queue.front());
    m_queue.pop_front();
    m_running = true;
    m_stop = false;
    m_what = job.what;
    m_done = m_all = 0;
    QMetaObject::invokeMethod(m_there.get(), [this, work = std::move(job.work)] {
        QElapsedTimer told;
        told.start();
        JobHooks hooks;
        hooks.stopped = [this] { return m_stop.load(); };
        hooks.progress = [&](int done, int all) {
            if (done < all && told.elapsed() < kTellMs)
                return;
            told.restart();
            QMetaObject::invokeMethod(this, [this, done, all] {
                m_done = done;
                m_all = all;
                Q_EMIT changed();
            });
        };
        work(*m_work, hooks);
        QMetaObject::invokeMethod(this, [this] {
            m_running = false;
            m_stop = false;
            m_what.clear();
            m_done = m_all = 0;
            next();
            Q_EMIT changed();
        });
    });
    Q_EMIT changed();
}

} // namespace ridge::app

#include "moc_class_desk.cpp"
