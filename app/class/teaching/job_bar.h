// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/class/teaching/class_desk.h"
#include "app/theme/theme.h"

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

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

} // namespace ridge::app
