// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "app/ui/panels.h"
#include "classroom/class_report.h"
#include "classroom/live/board.h"

class QBoxLayout;
class QComboBox;

namespace ridge::app {

class PredictionPlot;

/// Address and code of a session, large enough to be read from the last row.
class PlaceCard : public QWidget {
    Q_OBJECT
public:
    explicit PlaceCard(Theme& theme, QWidget* parent = nullptr);
    void show(const std::vector<std::string>& places, const std::string& code, bool projector);

private:
    void dress();

    Theme& m_theme;
    QLabel *m_place, *m_more, *m_code;
    bool m_projector = false;
};

/// What the class predicted at one question, and the result once the teacher reveals it: that of the teacher's own run,
/// since a live session tells none.
class RevealCard : public Card {
    Q_OBJECT
public:
    RevealCard(AppContext& context, Theme& theme, QWidget* parent = nullptr);

    /// Reads the teacher's own copies of its lessons.
    void setAssignment(const classroom::Assignment& assignment);
    std::vector<live::SessionPlan::Question> questions() const;
    void showBoard(const live::BoardView& view);
    /// The question stands below beside the buttons and leaves its line to the plot, which has it as its title.
    void setCompact(bool compact);

private:
    void choose();
    void refresh();

    AppContext& m_context;
    std::vector<lessons::Lesson> m_lessons;
    std::vector<classroom::PredictionHistogram> m_empty; ///< one a question
    live::BoardView m_view;
    QComboBox* m_question;
    QBoxLayout* m_row;
    PredictionPlot* m_plot;
    QPushButton* m_reveal;
    QPushButton* m_lesson;
    QLabel* m_hint;
    classroom::PredictionHistogram m_result; ///< of the question in view: its result, if there is one
};

} // namespace ridge::app
