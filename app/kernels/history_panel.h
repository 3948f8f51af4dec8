// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/kernels/kernel_history.h"
#include "app/theme/theme.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QListWidget;
class QPlainTextEdit;
class QPushButton;

namespace ridge::app {

/// Kept versions of a kernel, the newest first: what differs from the text now, and the way back to one.
class HistoryPanel : public QWidget {
    Q_OBJECT
public:
    explicit HistoryPanel(Theme& theme, QWidget* parent = nullptr);
    void setHistory(const KernelHistory& history, const QString& textNow);
    void setTextNow(const QString& text);
    QListWidget* list() const { return m_list; }
    QLineEdit* nameField() const { return m_name; }
    QString difference() const;

Q_SIGNALS:
    void keepWanted(const QString& name);
    void restoreWanted(const QString& id);

private:
    void follow();

    QLineEdit* m_name;
    QListWidget* m_list;
    QPlainTextEdit* m_difference;
    QPushButton* m_restore;
    QLabel* m_empty;
    std::vector<KernelVersion> m_versions; ///< as listed
    QString m_now;
};

/// Lines that came (+) and went (−) between two texts, with a line of context; empty where they are equal.
QString differenceOf(const QString& before, const QString& after);

} // namespace ridge::app
