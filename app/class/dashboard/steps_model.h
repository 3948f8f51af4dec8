// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/class_report.h"

#include <QAbstractTableModel>
#include <array>

namespace ridge::app {

/// Learners by lessons with their five steps. Rows stand in the order of their names, those who handed in nothing among
/// them; nothing else sorts them. GUI thread.
class StepsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum DataRole {
        StepsRole = Qt::UserRole, ///< int: bit i is step i; −1: nothing of that lesson was handed in
        AbsentRole,               ///< int: bit i: the lesson has no such step
    };
    enum Show { Everyone, Unfinished, Late, Missing };
    static constexpr int kFirstLesson = 1; ///< column 0 is the name

    explicit StepsModel(QObject* parent = nullptr);

    /// Titles of the lessons in the order of the report, as the heads of their columns tell them.
    void setReport(const classroom::ClassReport& report, const QStringList& titles);
    /// Every word must be in a name or a machine. `learners`, where there are any: only these.
    void setFilter(const QString& text, Show show, const std::vector<classroom::Person>& learners = {});

    int lessons() const { return static_cast<int>(m_lessons.size()); }
    bool isLesson(int column) const { return column >= kFirstLesson && column < kFirstLesson + lessons(); }
    int gradeColumn() const { return kFirstLesson + lessons(); }
    int handedInColumn() const { return gradeColumn() + 1; }
    int machineColumn() const { return gradeColumn() + 2; }
    QString lesson(int column) const; ///< id; empty beside the lessons
    int total() const { return static_cast<int>(m_rows.size()); }
    /// How many of all learners have done a step of a lesson.
    int count(int column, std::size_t step) const;
    bool hasStep(int column, std::size_t step) const; ///< a kernel task is neither predicted nor explained
    /// A sentence or two about a cell, with what is open there.
    QString detail(const QModelIndex& index) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    struct Row {
        classroom::Person who;
        QString name, machine, handedIn, words; ///< words: what the filter looks at
        std::vector<std::int8_t> steps;         ///< by lesson
        std::vector<float> points;
        double grade = 0;
        bool late = false, missing = false, finished = false, reexecuted = false;
        QString stuckLesson, stuckText;
    };
    const Row& at(int row) const { return m_rows[m_shown[static_cast<std::size_t>(row)]]; }
    QString cell(const Row& row, int column) const;
    QString stepsText(const Row& row, int column) const;

    QStringList m_lessons, m_titles;
    std::vector<Row> m_rows;
    std::vector<std::size_t> m_shown;
    std::vector<std::array<int, 5>> m_counts;
};

} // namespace ridge::app
