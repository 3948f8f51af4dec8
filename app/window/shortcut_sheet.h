// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/actions.h"
#include "app/window/overlay.h"

class QScrollArea;

namespace ridge::app {

/// What stands in one menu together, menus in the order of their first command.
std::vector<ActionSpec> byMenu(const std::vector<ActionSpec>& specs);

/// "?": every command that has a shortcut, by menu.
class ShortcutSheet : public Overlay {
    Q_OBJECT
public:
    ShortcutSheet(Theme& theme, ActionRegistry& actions, QWidget* window);
    QStringList lines() const { return m_lines; } ///< "Ctrl+K  Command palette"

protected:
    QWidget* firstFocus() override;
    void aboutToOpen() override;

private:
    ActionRegistry& m_actions;
    QScrollArea* m_scroll;
    QStringList m_lines;
};

} // namespace ridge::app
