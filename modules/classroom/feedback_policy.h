// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/assignment.h"
#include "evidence/progress.h"

#include <set>

namespace ridge::classroom {

/// What can be told about work in a lesson. Each waits for the steps of the feedback policy that it gives away
/// (docs/bundles.md, "What a step's policy holds back").
enum class Outcome {
    Result,      ///< what a run of the lesson gave: ran
    Prediction,  ///< how far a prediction was off, and why: predicted, ran
    Check,       ///< which checks are met, whether the lesson is passed: passed
    Answer,      ///< whether an answer is right, and why: passed
    Explanation, ///< what the authors say to a reason, and whether the exit questions are answered: explained
    Standing,    ///< Met, Solid, Mastered: passed, predicted, ran
    Artifact,    ///< what is held for and against a shipped artifact: shipped
};
const std::vector<std::string>& stepsOf(Outcome outcome);

/// Why something is not told now.
struct Held {
    std::string assignment, teacher, step;
    std::string until; ///< ISO 8601 UTC; empty: never
    bool operator==(const Held&) const = default;
};

/// "Week 1 shows this from 8 March 2027, 18:00 on." in this computer's time; for the screen and for `ridge`.
std::string heldText(const Held& held);

/// The feedback policies of all assignments that a learner has accepted, asked wherever an outcome shows. It decides
/// about showing alone: what is stored is stored at once. Value; copies are cheap enough to hand to a thread.
class FeedbackPolicy {
public:
    FeedbackPolicy() = default;
    explicit FeedbackPolicy(std::vector<Assignment> assignments);
    /// Of those in `home`/assignments. One that no longer reads has no say; AcceptedAssignments tells of it.
    static FeedbackPolicy ofHome(const std::filesystem::path& home);

    /// None: it may be shown. Of several that hold it back, the one that does so longest. `now`: ISO 8601 UTC.
    std::optional<Held> held(const std::string& lesson, Outcome outcome, const std::string& now) const;
    /// The same for one check of a lesson: one that asks about a prediction, or about an exit question, gives that
    /// away as well.
    std::optional<Held> held(const lessons::Lesson& lesson, const lessons::CheckSpec& check,
                             const std::string& now) const;
    /// Lessons of which an outcome is held back.
    std::set<std::string> lessons(Outcome outcome, const std::string& now) const;
    /// When the next deadline opens something; empty: none does.
    std::string nextChange(const std::string& now) const;
    /// What progressOf and reviewSession ask.
    app::Discretion discretion(const std::string& now) const;

    const std::vector<Assignment>& assignments() const { return m_assignments; } ///< without the lessons' texts

private:
    std::optional<Held> heldBy(const std::string& lesson, const std::vector<std::string>& steps,
                               const std::string& now) const;
    std::vector<Assignment> m_assignments;
};

/// Whether a block stands in the exit criteria: its answer explains what the lesson taught.
bool isExitQuestion(const lessons::Lesson& lesson, const std::string& block);

/// Takes out what a run gave: metrics, limits, checks and timeline. What was run, where and when stays.
void withholdResult(record::RunRow& run);

} // namespace ridge::classroom
