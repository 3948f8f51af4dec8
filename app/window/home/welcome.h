// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/ui/choice_pickers.h"
#include "app/ui/panels.h"

namespace ridge::app {

/// The first screen: what the program is for in two sentences, three choices that are made already, and the way in.
/// Enter alone reaches the first lesson. Shown once.
class WelcomeCard : public Card {
    Q_OBJECT
public:
    explicit WelcomeCard(AppContext& context, QWidget* parent = nullptr);
    QPushButton* startButton() const { return m_start; }
    QPushButton* skipButton() const { return m_skip; }
    LearnerChoices choices() const;

Q_SIGNALS:
    void done(); ///< choices are kept; the lesson opens by itself

private:
    void showStart();
    AppContext& m_context;
    ChoiceGroup* m_goal;
    ChoiceGroup* m_background;
    ChoiceGroup* m_time;
    QLabel* m_leads;
    QPushButton* m_start;
    QPushButton* m_skip;
    QString m_lesson;
};

} // namespace ridge::app
