// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/live/board.h"

#include <algorithm>

namespace ridge::live {

std::string stepOf(const StepNote& note)
{
    for (std::size_t i = 0; i < note.done.size(); ++i)
        if (!note.done[i] && !(i == 2 && note.passedHeldBack))
            return classroom::steps()[i];
    return {};
}

Board::Board(SessionPlan plan) : m_plan(std::move(plan)) {}

Ack Board::take(const Message& message, std::int64_t nowMs)
{
    if (message.assignment != m_plan.assignment.id) {
        ++m_refusals.otherAssignment;
        return {AckStatus::OtherAssignment, message.counter};
    }
    if (message.code != m_plan.code) {
        ++m_refusals.wrongCode;
        return {AckStatus::WrongCode, message.counter};
    }
    auto found = m_learners.find(message.publicKey);
    if (found == m_learners.end()) {
        if (learners() >= m_plan.mostLearners) {
            ++m_refusals.full;
            return {AckStatus::Full, message.counter};
        }
        Entry entry;
        entry.seen.learner = classroom::learnerOf(message.publicKey);
        entry.seen.sinceMs = nowMs;
        found = m_learners.emplace(message.publicKey, std::move(entry)).first;
    }
    Entry& entry = found->second;
    if (message.counter <= entry.counter) {
        ++m_refusals.behind;
        return {AckStatus::Behind, entry.counter};
    }
    entry.counter = message.counter;
    if (!keep(entry, message.note, nowMs))
        ++m_refusals.unknown; // taken all the same: the sender would only say it again
    return {AckStatus::Taken, message.counter};
}

bool Board::keep(Entry& entry, const Note& note, std::int64_t nowMs) const
{
    LiveLearner& seen = entry.seen;
    if (const auto* prediction = std::get_if<PredictionNote>(&note)) {
        const SessionPlan::Question asked{prediction->lesson, prediction->block, prediction->unit};
        if (std::find(m_plan.questions.begin(), m_plan.questions.end(), asked) == m_plan.questions.end())
            return false;
        seen.predictions.emplace(std::pair(prediction->lesson, prediction->block), *prediction);
        return true;
    }
    const auto& step = std::get<StepNote>(note);
    const auto& lessons = m_plan.assignment.lessons;
    if (std::none_of(lessons.begin(), lessons.end(),
                     [&](const classroom::AssignedLesson& one) { return one.id == step.lesson; }))
        return false;
    seen.lessons[step.lesson] = step;
    if (step.here || seen.lesson.empty() || seen.lesson == step.lesson) {
        const std::string at = stepOf(step);
        if (seen.lesson != step.lesson || seen.step != at)
            seen.sinceMs = nowMs;
        seen.lesson = step.lesson;
        seen.step = at;
    }
    return true;
}

void Board::setConnected(const std::string& publicKey, bool connected)
{
    if (const auto found = m_learners.find(publicKey); found != m_learners.end())
        found->second.seen.connected = connected;
}

BoardView Board::view() const
{
    BoardView view;
    view.refusals = m_refusals;
    for (const auto& [key, entry] : m_learners)
        view.learners.push_back(entry.seen);
    // Who is done needs no look; equal times stand by pseudonym, which says nothing about anybody.
    std::sort(view.learners.begin(), view.learners.end(), [](const LiveLearner& a, const LiveLearner& b) {
        return std::tuple(a.step.empty(), a.sinceMs, a.learner) < std::tuple(b.step.empty(), b.sinceMs, b.learner);
    });
    return view;
}

} // namespace ridge::live
