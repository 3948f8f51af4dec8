// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

#include <QStringList>
#include <QWidget>

class QLabel;
class QMimeData;
class QPushButton;

namespace ridge::app {

/// Local files and folders of a drag.
QStringList droppedPaths(const QMimeData& data);
bool isSubmissionPath(const QString& path); ///< a folder, or a file whose name says so
bool isTablePath(const QString& path);      ///< .csv, .tsv, .txt

/// A dashed field to drop a file on, with a button for those who do not drag.
class DropField : public QWidget {
    Q_OBJECT
public:
    DropField(Theme& theme, const QString& name, const QString& words, const QString& button,
              bool (*takes)(const QString& path), QWidget* parent = nullptr);
    void setWords(const QString& words);
    QPushButton* button() const { return m_button; }

Q_SIGNALS:
    void dropped(const QStringList& paths);
    void chooseRequested();

protected:
    void paintEvent(QPaintEvent*) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    Theme& m_theme;
    QLabel* m_words;
    QPushButton* m_button;
    bool (*m_takes)(const QString&);
    bool m_over = false;
};

} // namespace ridge::app
