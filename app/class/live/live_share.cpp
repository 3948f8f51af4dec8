// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/live/live_share.h"

#include "classroom/live/own_notes.h"
#include "record/clock.h"

#include <QCoreApplication>
#include <QTimer>

namespace ridge::app {
namespace {

/// After something was stored: a sweep stores many rows, and is one thing to tell.
constexpr int kSoonMs = 1500;

std::string timeNow()
{
    return record::timeStamp().toStdString();
}

} // namespace

LiveShare& LiveShare::of(AppContext& context)
{
    if (auto* known = context.findChild<LiveShare*>(QString(), Qt::FindDirectChildrenOnly))
        return *known;
    return *new LiveShare(context);
}

LiveShare::LiveShare(AppContext& context) : QObject(&context), m_context(context), m_soon(new QTimer(this))
{
    m_soon->setSingleShot(true);
    m_soon->setInterval(kSoonMs);
    connect(m_soon, &QTimer::timeout, this, &LiveShare::refresh);
    if (record::Store* store = context.store())
        connect(store, &record::Store::changed, this, [this] {
            if (isOn() && !m_soon->isActive())
                m_soon->start();
        });
    connect(&context.feedback(), &FeedbackWatch::changed, this, [this] {
        if (isOn())
            refresh();
    });
    connect(&m_sender, &live::LiveSender::changed, this, &LiveShare::changed);
    connect(&m_sender, &live::LiveSender::ended, this, [this](const Error& why) {
        const bool expected = why.code == "live-ended" || why.code == "live-long";
        Q_EMIT m_context.notice(QString::fromStdString(toText(why)), !expected);
    });
    connect(QCoreApplication::instance(), &QCoreApplication::aboutToQuit, this, &LiveShare::stop);
}

Result<void> LiveShare::start(const classroom::Assignment& assignment, const std::string& place,
                              const std::string& code)
{
    m_typedPlace = place;
    m_typedCode = code;
    const auto at = live::readPlace(place);
    if (!at)
        return at.error();
    const auto typed = live::readCode(code);
    if (!typed)
        return typed.error();
    auto identity = classroom::ownIdentity(m_context.feedback().home());
    if (!identity)
        return identity.error();
    stop();
    m_assignment = assignment;
    m_lessons = live::lessonsOf(assignment);
    refresh();
    auto started = m_sender.start({*at, *typed, assignment, std::move(*identity)});
    if (started) // what was said about an earlier attempt no longer holds
        Q_EMIT m_context.notice(tr("Live view: joining the session at %1").arg(QString::fromStdString(place)), false);
    return started;
}

void LiveShare::stop()
{
    m_soon->stop();
    m_sender.stop();
}

void LiveShare::refresh()
{
    if (!m_context.store())
        return;
    auto notes = live::ownNotes(*m_context.store(), m_assignment, m_lessons, m_context.feedback().policy(), timeNow());
    if (notes)
        m_sender.setNotes(std::move(*notes));
    else
        Q_EMIT m_context.notice(QString::fromStdString(toText(notes.error())), true);
}

QString LiveShare::pseudonym() const
{
    const auto identity = classroom::ownIdentity(m_context.feedback().home());
    return identity ? QString::fromStdString(identity->learner) : QString();
}

std::vector<live::Note> LiveShare::preview(const classroom::Assignment& assignment) const
{
    if (!m_context.store())
        return {};
    auto notes = live::ownNotes(*m_context.store(), assignment, live::lessonsOf(assignment),
                                m_context.feedback().policy(), timeNow());
    return notes ? std::move(*notes) : std::vector<live::Note>();
}

} // namespace ridge::app

#include "moc_live_share.cpp"
