// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

#include <QFrame>
#include <QTextCursor>

class QCheckBox;
class QLabel;
class QLineEdit;
class QToolButton;

namespace ridge::app {

class KernelEditor;

/// Find and replace above the editor: every place is marked, Enter goes on and round, Shift+Enter back, Esc closes.
class ReplaceBar : public QFrame {
    Q_OBJECT
public:
    ReplaceBar(Theme& theme, KernelEditor& editor, QWidget* parent = nullptr);

    void open(); ///< with what is selected
    void close();
    void next() { step(1); }
    void previous() { step(-1); }
    void replace();   ///< the current place, then goes to the next
    int replaceAll(); ///< one step of undo; how many there were
    int count() const { return int(m_places.size()); }
    QLineEdit* field() const { return m_field; }
    QLineEdit* replacement() const { return m_replacement; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void search();
    void step(int by);
    int current() const; ///< place that is selected; −1: none
    void say();

    KernelEditor& m_editor;
    QLineEdit* m_field;
    QLineEdit* m_replacement;
    QCheckBox* m_case;
    QLabel* m_count;
    QList<QTextCursor> m_places;
};

} // namespace ridge::app
