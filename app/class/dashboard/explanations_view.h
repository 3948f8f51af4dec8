// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "classroom/class_report.h"

#include <QWidget>

class QComboBox;
class QLabel;

namespace ridge::app {

class StatementList;

/// What learners wrote to the exit questions in their own words, one question at a time: how they rate it against the
/// model answer, that answer, then each text with its writer and rating. For the person who teaches; never on a
/// projector.
class ExplanationsView : public QWidget {
    Q_OBJECT
public:
    explicit ExplanationsView(Theme& theme, QWidget* parent = nullptr);
    /// `titles`: of the report's lessons. The question that is shown stays, unless it is gone.
    void setReport(const classroom::ClassReport& report, const QStringList& titles);

    QComboBox* picker() const { return m_picker; }
    StatementList* list() const { return m_list; }
    QString overview() const;

private:
    void showQuestion();

    std::vector<classroom::ExplanationList> m_questions;
    QComboBox* m_picker;
    QLabel* m_overview;
    QLabel* m_model;
    StatementList* m_list;
};

} // namespace ridge::app
