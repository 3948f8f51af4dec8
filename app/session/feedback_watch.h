// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/feedback_policy.h"

#include <QObject>
#include <QTimer>

namespace ridge::app {

using classroom::Outcome;

/// The feedback policy of accepted assignments, as the window asks it: every view that shows what came of a step asks
/// here first, and shows the reason in its place where there is one. GUI thread.
class FeedbackWatch : public QObject {
    Q_OBJECT
public:
    explicit FeedbackWatch(std::filesystem::path home, QObject* parent = nullptr);

    /// Why an outcome is not shown now, as a sentence that says from when on it will be; empty: it may be shown.
    QString why(const std::string& lesson, Outcome outcome) const;
    QString why(const lessons::Lesson& lesson, const lessons::CheckSpec& check) const;
    bool mayShow(const std::string& lesson, Outcome outcome) const { return why(lesson, outcome).isEmpty(); }
    /// Lessons of which it is kept back: for threads, which cannot ask.
    std::set<std::string> withheld(Outcome outcome) const;
    /// Takes out what runs of a lesson gave, where that is held back.
    void withhold(record::RunRow& run) const;
    void withhold(std::vector<record::RunRow>& runs) const;

    const classroom::FeedbackPolicy& policy() const { return m_policy; }
    Discretion discretion() const;
    const std::filesystem::path& home() const { return m_home; }

    /// After an assignment was accepted.
    void reload();

Q_SIGNALS:
    /// An assignment was accepted, or a deadline has passed.
    void changed();

private:
    void waitForNext();

    std::filesystem::path m_home;
    classroom::FeedbackPolicy m_policy;
    QTimer m_next;
};

} // namespace ridge::app
