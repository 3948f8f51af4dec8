// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/live/live_session.h"

#include "classroom/live/live_host.h"
#include "classroom/live/place.h"

#include <QCoreApplication>
#include <QThread>
#include <algorithm>

namespace ridge::app {
namespace {

/// For the last acknowledgements to leave; the host takes half a second at most.
constexpr unsigned long kLeaveMs = 2000;

} // namespace

LiveSession& LiveSession::of(AppContext& context)
{
    if (auto* known = context.findChild<LiveSession*>(QString(), Qt::FindDirectChildrenOnly))
        return *known;
    return *new LiveSession(context);
}

LiveSession::LiveSession(AppContext& context) : QObject(&context)
{
    connect(QCoreApplication::instance(), &QCoreApplication::aboutToQuit, this, &LiveSession::end);
}

LiveSession::~LiveSession()
{
    end();
    for (const QPointer<QThread>& thread : std::as_const(m_threads))
        if (thread)
            thread->wait(kLeaveMs);
}

Result<void> LiveSession::open(const LiveClass& live, std::vector<live::SessionPlan::Question> questions,
                               std::uint16_t port)
{
    if (m_host)
        return Error{"live-open", "There is a live session already", m_about.title, "End it first"};
    if (live.assignment.sealKey.empty())
        return Error{"live-unsealed", "Learners cannot seal messages to this assignment: it was made without a seal",
                     live.assignment.title, "Give out an assignment that is sealed"};
    live::SessionPlan plan;
    plan.assignment = live.assignment;
    plan.keys = live.keys;
    plan.code = live::newCode();
    plan.questions = std::move(questions);
    const std::string code = plan.code;

    auto* thread = new QThread(this);
    thread->setObjectName(QStringLiteral("live session"));
    auto* host = new live::LiveHost(std::move(plan));
    host->moveToThread(thread);
    connect(host, &live::LiveHost::closed, thread, &QThread::quit, Qt::DirectConnection);
    connect(thread, &QThread::finished, host, &QObject::deleteLater);
    connect(thread, &QThread::finished, thread, &QObject::deleteLater);
    thread->start();
    Result<std::uint16_t> opened = std::uint16_t{0};
    QMetaObject::invokeMethod(
        host, [&] { opened = host->open(port); }, Qt::BlockingQueuedConnection);
    m_threads.removeAll(QPointer<QThread>());
    m_threads << thread;
    if (!opened) {
        thread->quit();
        return opened.error();
    }
    connect(host, &live::LiveHost::changed, this, [this, host](const live::BoardView& view) {
        if (m_host != host)
            return;
        m_view = view;
        Q_EMIT told();
    });
    m_host = host;
    m_about = live;
    m_view = {};
    m_port = *opened;
    m_code = live::codeForPeople(code);
    m_places.clear();
    for (const std::string& address : live::ownAddresses())
        m_places.push_back(live::placeForPeople({address, m_port}));
    Q_EMIT changed();
    return {};
}

void LiveSession::end()
{
    if (!m_host)
        return;
    QMetaObject::invokeMethod(m_host, &live::LiveHost::close, Qt::QueuedConnection);
    m_host = nullptr;
    m_code.clear();
    m_places.clear();
    for (live::LiveLearner& learner : m_view.learners)
        learner.connected = false;
    Q_EMIT changed();
}

int LiveSession::here() const
{
    return static_cast<int>(std::count_if(m_view.learners.begin(), m_view.learners.end(),
                                          [](const live::LiveLearner& one) { return one.connected; }));
}

} // namespace ridge::app

#include "moc_live_session.cpp"
