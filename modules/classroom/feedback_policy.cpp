// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/kernel_lesson.h"
#include "classroom/withholding_policy.h"

#include <QDateTime>
#include <QLocale>
#include <algorithm>

namespace ridge::classroom {

namespace {

/// Longest first: what never opens outlasts every deadline.
bool longer(const Held& a, const Held& b)
{
    if (a.until.empty() || b.until.empty())
        return a.until.empty() && !b.until.empty();
    return a.until > b.until;
}

bool asksExitQuestion(const lessons::Lesson& lesson, const lessons::CheckSpec& check)
{
    return isExitQuestion(lesson, check.block) ||
           std::ranges::any_of(check.blocks, [&](const std::string& block) { return isExitQuestion(lesson, block); });
}

} // namespace

const std::vector<std::string>& stepsOf(Outcome outcome)
{
    static const std::map<Outcome, std::vector<std::string>> steps{
        {Outcome::Result, {"ran"}},
        {Outcome::Prediction, {"predicted", "ran"}},
        {Outcome::Check, {"passed"}},
        {Outcome::Answer, {"passed"}},
        {Outcome::Explanation, {"explained"}},
        {Outcome::Standing, {"passed", "predicted", "ran"}},
        {Outcome::Artifact, {"shipped"}},
    };
    return steps.at(outcome);
}

std::string heldText(const Held& held)
{
    const std::string who = held.assignment + (held.teacher.empty() ? "" : " (" + held.teacher + ")");
    if (held.until.empty())
        return who + " does not show this.";
    const QDateTime until = QDateTime::fromString(QString::fromStdString(held.until), Qt::ISODateWithMs).toLocalTime();
    return who + " shows this from " +
           QLocale::c().toString(until, QStringLiteral("d MMMM yyyy, HH:mm")).toStdString() + " on.";
}

FeedbackPolicy::FeedbackPolicy(std::vector<Assignment> assignments) : m_assignments(std::move(assignments))
{
    for (Assignment& assignment : m_assignments)
        for (AssignedLesson& lesson : assignment.lessons)
            lesson.text.clear();
}

FeedbackPolicy FeedbackPolicy::ofHome(const std::filesystem::path& home)
{
    return FeedbackPolicy(acceptedAssignments(home).assignments);
}

std::optional<Held> FeedbackPolicy::heldBy(const std::string& lesson, const std::vector<std::string>& steps,
                                           const std::string& now) const
{
    std::optional<Held> longest;
    for (const std::string& step : steps) {
        if (mayShow(m_assignments, lesson, step, now))
            continue;
        for (const Assignment& assignment : m_assignments) {
            if (std::ranges::find(assignment.lessons, lesson, &AssignedLesson::id) == assignment.lessons.end() ||
                mayShow(assignment, step, now))
                continue;
            const bool never = assignment.feedback.at(step) == FeedbackWhen::Never;
            Held held{assignment.title, assignment.teacher, step, never ? std::string() : assignment.deadline};
            if (!longest || longer(held, *longest))
                longest = std::move(held);
        }
    }
    return longest;
}

std::optional<Held> FeedbackPolicy::held(const std::string& lesson, Outcome outcome, const std::string& now) const
{
    if (m_assignments.empty())
        return std::nullopt;
    // What a kernel's grading gave is its verdict: the claim of what is kept says "Accepted with 97 of 100 points".
    std::vector<std::string> steps = stepsOf(outcome);
    if (outcome == Outcome::Result && isKernelLesson(lesson))
        steps.push_back("passed");
    return heldBy(lesson, steps, now);
}

std::optional<Held> FeedbackPolicy::held(const lessons::Lesson& lesson, const lessons::CheckSpec& check,
                                         const std::string& now) const
{
    // That a step was done is no outcome.
    if (m_assignments.empty() || check.kind == "predicted" || check.kind == "shipped")
        return std::nullopt;
    std::vector<std::string> steps = stepsOf(Outcome::Check);
    if (check.kind == "estimated")
        steps.insert(steps.end(), {"predicted", "ran"});
    if (asksExitQuestion(lesson, check))
        steps.push_back("explained");
    return heldBy(lesson.id, steps, now);
}

std::set<std::string> FeedbackPolicy::lessons(Outcome outcome, const std::string& now) const
{
    std::set<std::string> all;
    for (const Assignment& assignment : m_assignments)
        for (const AssignedLesson& lesson : assignment.lessons)
            if (held(lesson.id, outcome, now))
                all.insert(lesson.id);
    return all;
}

std::string FeedbackPolicy::nextChange(const std::string& now) const
{
    std::string next;
    for (const Assignment& assignment : m_assignments) {
        const bool waits = std::ranges::any_of(assignment.feedback,
                                               [](const auto& step) { return step.second == FeedbackWhen::Deadline; });
        if (waits && assignment.deadline > now && (next.empty() || assignment.deadline < next))
            next = assignment.deadline;
    }
    return next;
}

app::Discretion FeedbackPolicy::discretion(const std::string& now) const
{
    if (m_assignments.empty())
        return {};
    const auto ask = [policy = *this, now](Outcome outcome) {
        return [policy, now, outcome](const std::string& lesson) {
            const auto held = policy.held(lesson, outcome, now);
            return held ? heldText(*held) : std::string();
        };
    };
    return {ask(Outcome::Prediction), ask(Outcome::Check), ask(Outcome::Explanation), ask(Outcome::Standing)};
}

bool isExitQuestion(const lessons::Lesson& lesson, const std::string& id)
{
    for (const lessons::Section& section : lesson.sections)
        if (section.title == lessons::kSectionTitles.back())
            for (const lessons::Segment& segment : section.segments)
                if (const auto* block = std::get_if<lessons::Block>(&segment); block && block->id == id)
                    return block->kind == "quiz" || block->kind == "order" || block->kind == "explain";
    return false;
}

void withholdResult(record::RunRow& run)
{
    record::withholdResult(run);
}

record::Withholding withholdingOf(const FeedbackPolicy& policy, const std::string& now)
{
    if (policy.assignments().empty())
        return {};
    const auto ask = [policy, now](Outcome outcome) {
        return [policy, now, outcome](const std::string& lesson) {
            const auto held = policy.held(lesson, outcome, now);
            return held ? heldText(*held) : std::string();
        };
    };
    return {ask(Outcome::Result), ask(Outcome::Prediction), ask(Outcome::Artifact)};
}

} // namespace ridge::classroom
