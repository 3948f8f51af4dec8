// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <QAction>
#include <QHash>
#include <QKeySequence>
#include <QObject>
#include <functional>
#include <vector>

namespace ridge::app {

/// One command of the program. Feeds menus, palette, shortcuts, the cheat sheet and tests.
struct ActionSpec {
    QString id;   ///< "go.learn"
    QString menu; ///< "File", "Edit", "View", "Go", "Run", "Class", "Window", "Help"
    QString text; ///< with mnemonic
    QString help; ///< one sentence
    QList<QKeySequence> shortcuts;
    bool plainKey = false; ///< single-letter shortcut: acts only when no text field has focus
};

class ActionRegistry : public QObject {
    Q_OBJECT
public:
    explicit ActionRegistry(QObject* parent = nullptr);
    /// Adds an action; its id must be new (throws std::logic_error). The registry owns it.
    QAction* add(const ActionSpec& spec, std::function<void()> run);
    QAction* find(const QString& id) const;
    const std::vector<ActionSpec>& specs() const { return m_specs; }
    /// Shortcuts that two actions share, for the test.
    QStringList conflicts() const;

    /// Gives an action other keys. Errors: "shortcut-taken" (names the command that has them), "unknown-action".
    Result<void> setShortcuts(const QString& id, const QList<QKeySequence>& shortcuts);
    QList<QKeySequence> defaultShortcuts(const QString& id) const;
    void resetShortcuts();
    /// Whether single-letter shortcuts act at all (WCAG 2.1.4).
    bool plainKeys() const { return m_plainKeys; }
    void setPlainKeys(bool on);

Q_SIGNALS:
    void added(const QString& id); ///< menus and the window pick up actions that pages add later
    void shortcutsChanged();       ///< by the learner; what shows keys or keeps them follows

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void apply(const ActionSpec& spec);

    std::vector<ActionSpec> m_specs;
    QHash<QString, QList<QKeySequence>> m_defaults;
    bool m_plainKeys = true;
    QHash<QString, QAction*> m_actions;
};

} // namespace ridge::app
