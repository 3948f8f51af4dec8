// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/feedback_watch.h"

#include "record/clock.h"

#include <algorithm>

namespace ridge::app {
namespace {

/// A timer counts to 24 days, and a computer may sleep: the clock is looked at again before long.
constexpr qint64 kLongestWaitMs = 60 * 60 * 1000;

std::string now()
{
    return record::timeStamp().toStdString();
}

QString sentenceOf(const std::optional<classroom::Held>& held)
{
    return held ? QString::fromStdString(classroom::heldText(*held)) : QString();
}

} // namespace

FeedbackWatch::FeedbackWatch(std::filesystem::path home, QObject* parent)
    : QObject(parent), m_home(std::move(home)), m_policy(classroom::FeedbackPolicy::ofHome(m_home))
{
    m_next.setSingleShot(true);
    connect(&m_next, &QTimer::timeout, this, [this] {
        waitForNext();
        Q_EMIT changed();
    });
    waitForNext();
}

void FeedbackWatch::reload()
{
    m_policy = classroom::FeedbackPolicy::ofHome(m_home);
    waitForNext();
    Q_EMIT changed();
}

void FeedbackWatch::waitForNext()
{
    const std::string next = m_policy.nextChange(now());
    if (next.empty())
        return m_next.stop();
    const qint64 left =
        QDateTime::currentDateTimeUtc().msecsTo(QDateTime::fromString(QString::fromStdString(next), Qt::ISODateWithMs));
    m_next.start(static_cast<int>(std::clamp<qint64>(left, 1, kLongestWaitMs)));
}

QString FeedbackWatch::why(const std::string& lesson, Outcome outcome) const
{
    return sentenceOf(m_policy.held(lesson, outcome, now()));
}

QString FeedbackWatch::why(const lessons::Lesson& lesson, const lessons::CheckSpec& check) const
{
    return sentenceOf(m_policy.held(lesson, check, now()));
}

std::set<std::string> FeedbackWatch::withheld(Outcome outcome) const
{
    return m_policy.lessons(outcome, now());
}

void FeedbackWatch::withhold(record::RunRow& run) const
{
    if (!run.lesson.empty() && !mayShow(run.lesson, Outcome::Result))
        classroom::withholdResult(run);
}

void FeedbackWatch::withhold(std::vector<record::RunRow>& runs) const
{
    if (!m_policy.assignments().empty())
        for (record::RunRow& run : runs)
            withhold(run);
}

Discretion FeedbackWatch::discretion() const
{
    return m_policy.discretion(now());
}

} // namespace ridge::app

#include "moc_feedback_watch.cpp"
