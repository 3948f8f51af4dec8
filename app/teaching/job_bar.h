// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/teaching/class_desk.h"
#include "app/theme/theme.h"

#include <QFrame>

class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace ridge::app {

/// What is being done with classes, how far it is, and a way to stop it. Not there while nothing is done.
class JobBar : public QWidget {
    Q_OBJECT
public:
    JobBar(Theme& theme, ClassDesk& desk, QWidget* parent = nullptr);
    QPushButton* stopButton() const { return m_stop; }

private:
    void follow();

    ClassDesk& m_desk;
    QLabel* m_words;
    QProgressBar* m_bar;
    QPushButton* m_stop;
};

/// What came of a job, in a sentence that stays until the next one, with one further step.
class OutcomeBar : public QFrame {
    Q_OBJECT
public:
    explicit OutcomeBar(Theme& theme, QWidget* parent = nullptr);
    /// `next` is the text of the button; empty: none.
    void tell(const QString& words, const QString& next = {}, std::function<void()> act = {});
    QString text() const;
    QPushButton* nextButton() const { return m_next; }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    Theme& m_theme;
    QLabel* m_icon;
    QLabel* m_words;
    QPushButton* m_next;
    QToolButton* m_close;
    std::function<void()> m_act;
};

} // namespace ridge::app
