// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "base/task_course.h"

#include <QWidget>

class QPushButton;
class QVBoxLayout;

namespace ridge::app {

QString sizesText(const ParamSet& sizes); ///< "n = 4096, m = 8"

/// What a task asks and what helps: statement and drawing, hints one at a time on request, and once a kernel was
/// accepted what decides the speed, with two ways to write it.
class TaskGuide : public QWidget {
    Q_OBJECT
public:
    explicit TaskGuide(Theme& theme, QWidget* parent = nullptr);

    /// Hints that were told of it before are told again. Null: what tasks are.
    void setTask(const KernelTask* task, const TaskCourse* course);
    /// Whether a kernel for the task was accepted.
    void setSolved(bool solved);
    bool solved() const { return m_solved; }
    int hintsTold() const;
    QPushButton* hintButton() const { return m_hint; }
    /// Null before a kernel was accepted.
    QWidget* explanation() const { return m_explanation; }

private:
    void add(const QString& text, TextStyle style, const char* tone = "");
    void tellHint(int at);
    void tellNext();
    void showHintButton();
    void showExplanation();
    void addSolution(const QString& what, const Result<std::string>& text);

    Theme& m_theme;
    const KernelTask* m_task = nullptr;
    const TaskCourse* m_course = nullptr;
    std::map<std::string, int> m_told; ///< hints by task
    bool m_solved = false;
    QVBoxLayout *m_statement, *m_hints, *m_more;
    QPushButton* m_hint;
    QWidget* m_explanation = nullptr;
};

} // namespace ridge::app
