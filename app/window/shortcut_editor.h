// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/actions.h"
#include "app/window/overlay.h"

#include <QKeySequenceEdit>

class QCheckBox;
class QLabel;
class QLineEdit;
class QScrollArea;
class QToolButton;

namespace ridge::app {

/// A field that takes one chord and says it at once; the stock one waits a second for more. Backspace means none, Esc
/// and Tab go on to the card: no trap for the keyboard.
class ShortcutField : public QKeySequenceEdit {
    Q_OBJECT
public:
    using QKeySequenceEdit::QKeySequenceEdit;

Q_SIGNALS:
    void chosen(const QKeySequence& keys);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
};

/// Every command with its first shortcut in a field: press the new keys there. A key that another command has is
/// refused with its name; everything can be put back. Changes hold at once and over restarts.
class ShortcutEditor : public Overlay {
    Q_OBJECT
public:
    ShortcutEditor(Theme& theme, ActionRegistry& actions, QWidget* window);
    QLineEdit* filter() const { return m_filter; }
    ShortcutField* field(const QString& actionId) const;
    QString message() const;

protected:
    QWidget* firstFocus() override;
    void aboutToOpen() override;

private:
    struct Row {
        QString id, words;
        QLabel* name = nullptr;
        ShortcutField* keys = nullptr;
        QToolButton* reset = nullptr;
    };
    void build();
    void applyFilter();
    void change(const QString& id, const QKeySequence& keys);
    void refresh();

    ActionRegistry& m_actions;
    QLineEdit* m_filter;
    QScrollArea* m_scroll;
    QLabel* m_message;
    QCheckBox* m_plain;
    std::vector<Row> m_rows;
    bool m_filling = false;
};

} // namespace ridge::app
