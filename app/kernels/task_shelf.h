// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/kernels/kernel_shelf.h"
#include "app/session/app_context.h"
#include "base/task_course.h"
#include "record/graded_kernel.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;
class QTableWidget;
class QVBoxLayout;

namespace ridge::app {

class Card;
class CodeView;
class FilterBar;

/// How far the learner is with a task.
struct TaskStanding {
    enum class State { Untried, Tried, Accepted };
    State state = State::Untried;
    double percent = 0; ///< of the points, where it was accepted: the best there is
    bool kept = false;  ///< whether those stand in the record
};
/// "untried", "tried", "✓ accepted, 97 %", with ", not kept" where the record has not got it.
QString standingWords(const TaskStanding& standing);

/// The best gradings that the record has, by task, or of one task alone; none without a record.
std::map<std::string, record::KernelStanding> keptStandings(const record::Store* store, const std::string& task = {});
/// By task, of those that are no longer untried.
std::map<std::string, TaskStanding> taskStandings(const std::map<std::string, record::KernelStanding>& kept,
                                                  const std::vector<ShelfEntry>& own);
/// The same of this learner. Where an assignment keeps the verdict back, a task is "tried".
std::map<std::string, TaskStanding> taskStandings(AppContext& context, const std::vector<ShelfEntry>& own);

/// The tasks that are graded, easy first, with level and state, and the drawing of the chosen one beside them.
class TaskShelf : public QWidget {
    Q_OBJECT
public:
    explicit TaskShelf(AppContext& context, QWidget* parent = nullptr);
    void refresh(const std::vector<ShelfEntry>& own);

    QTableWidget* table() const { return m_table; }
    FilterBar* filter() const { return m_filter; }
    QComboBox* levels() const { return m_levels; }
    QComboBox* states() const { return m_states; }
    QPushButton* beginButton() const { return m_begin; }
    QString chosen() const; ///< the task's id; empty: none is shown

Q_SIGNALS:
    void taskWanted(const QString& task);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeCard();
    void fill();
    void showChosen();
    void fitCard();
    const TaskStanding& standingOf(const std::string& task) const;

    AppContext& m_context;
    std::vector<std::pair<KernelTask, TaskCourse>> m_tasks;
    std::map<std::string, TaskStanding> m_standings;
    FilterBar* m_filter;
    QComboBox *m_levels, *m_states;
    QTableWidget* m_table;
    QWidget* m_card;
    QLabel *m_title, *m_state, *m_about;
    CodeView* m_drawing;
    QPushButton *m_begin, *m_lesson;
};

} // namespace ridge::app
