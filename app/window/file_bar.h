// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/class/assignments/file_reader.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QPushButton;

namespace ridge::app {

/// Which file is being read, and a way to give it up. Not there while nothing is read, nor in the first moment: most
/// files are read before anybody could look.
class FileBar : public QWidget {
    Q_OBJECT
public:
    FileBar(Theme& theme, FileReader& reader, QWidget* parent = nullptr);
    QString text() const;
    QPushButton* stopButton() const { return m_stop; }

private:
    void follow();

    FileReader& m_reader;
    QLabel* m_words;
    QPushButton* m_stop;
    QTimer m_moment;
};

} // namespace ridge::app
