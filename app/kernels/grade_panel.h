// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/kernels/kernel_agreement.h"
#include "app/theme/theme.h"
#include "base/task_course.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace ridge::app {

class ColumnScroll;
class TaskGuide;

/// A task that is graded: what it asks, and what the last grading of this kernel came to. Points for instructions stand
/// before those for time; each reason to reject says what is the matter, where, and what to do.
class GradePanel : public QWidget {
    Q_OBJECT
public:
    explicit GradePanel(Theme& theme, QWidget* parent = nullptr);

    /// What the kernel was begun for: to begin it anew is not offered then. Empty: none.
    void setTask(const std::string& id);
    std::string task() const; ///< id; empty: none
    /// The task itself, where there is one of that name.
    const KernelTask* chosen() const;

    /// Whether the record, or a grading before, has an accepted kernel for the task: then it is explained.
    void setSolved(bool solved);
    TaskGuide* guide() const { return m_guide; }

    /// In place of a verdict: that it runs, or why there is none.
    void setMessage(const QString& title, const QString& text);
    /// `agreement`: whether simulator, GPU and the CPU's reference say the same of it.
    void setVerdict(const GradedKernel& graded, const std::optional<KernelAgreement>& agreement = {});
    /// It was graded, and an assignment keeps the verdict back: `why` says until when.
    void setHeld(const QString& why);
    QString verdictText() const { return m_said; } ///< the verdict in one sentence; empty: there is none

    /// `ready`: the kernel may be graded now; else `why` says what is missing.
    void setReady(bool ready, const QString& why);
    void setKept(KernelGrading::Kept kept, bool sameText);

    QComboBox* picker() const { return m_picker; }
    QPushButton* gradeButton() const { return m_grade; }
    QPushButton* keepButton() const { return m_keep; }
    QWidget* outcome() const { return m_outcome; }

Q_SIGNALS:
    void taskChosen();
    void gradeWanted();
    void keepWanted();
    void starterWanted(const QString& task);
    void lineWanted(int line);

private:
    void showTask();
    void clearOutcome();
    void offerExplanation();
    void showExplained(const GradedKernel& graded);
    void showPoints(const GradedKernel& graded);
    void showReasons(const GradeVerdict& verdict);
    void showSizes(const GradedKernel& graded);

    Theme& m_theme;
    std::vector<std::pair<KernelTask, TaskCourse>> m_tasks; ///< easy first
    QComboBox* m_picker;
    QPushButton *m_grade, *m_keep, *m_starter;
    QLabel *m_state, *m_keptText;
    ColumnScroll* m_scroll;
    QWidget* m_outcome;
    QVBoxLayout* m_outcomeColumn;
    TaskGuide* m_guide;
    QString m_said;
    std::string m_begun;
};

} // namespace ridge::app
