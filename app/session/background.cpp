// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/background.h"

#include <QThread>

namespace ridge::app {

Background& Background::of(QObject& owner)
{
    if (auto* known = owner.findChild<Background*>(QString(), Qt::FindDirectChildrenOnly))
        return *known;
    return *new Background(&owner);
}

Background::Background(QObject* parent) : QObject(parent)
{
    m_pool.setObjectName(QStringLiteral("background"));
}

Background::~Background()
{
    stop();
}

void Background::begin(std::function<void()> work)
{
    m_pool.start([this, work = std::move(work)]() mutable {
        QThread* const here = QThread::currentThread();
        {
            const std::lock_guard lock(m_mutex);
            if (m_stopping)
                return;
            m_working.push_back(here);
        }
        work();
        work = {}; // what it holds goes here, and before anybody who waits is told that all is done
        const std::lock_guard lock(m_mutex);
        std::erase(m_working, here);
    });
}

void Background::wait()
{
    m_pool.waitForDone();
}

void Background::stop()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stopping = true;
        for (QThread* each : m_working)
            each->requestInterruption();
    }
    m_pool.clear();
    m_pool.waitForDone(); // the threads end with it, and their interruption with them
    m_stopping = false;
}

} // namespace ridge::app

#include "moc_background.cpp"
