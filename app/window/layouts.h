// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <vector>

namespace ridge::app {

/// What is around the page. Each layout starts as its preset and is kept as the learner leaves it.
struct WindowLayout {
    QString id;    ///< "read", "lab", "debug", "present"
    QString title; ///< for the menu
    QString help;
    bool outline = true; ///< modules and lessons beside a lesson
    bool chrome = true;  ///< rail and status line
    bool bench = false;  ///< dock: the experiment of the block in view
    bool pins = false;   ///< dock: what is pinned
    bool log = false;    ///< dock: what runs said
    double text = 1.0;   ///< factor on the learner's text size
};

/// Read, Lab, Debug and Present, in the order of the menu.
const std::vector<WindowLayout>& windowLayouts();
/// The preset of this id; the first one where there is none.
const WindowLayout& windowLayout(const QString& id);

/// State of the docks in a layout as the learner left it; empty: as the preset says.
QByteArray savedLayoutState(const QString& id);
void saveLayoutState(const QString& id, const QByteArray& state);
void forgetLayoutState(const QString& id);
QString savedLayout();
void saveLayout(const QString& id);

} // namespace ridge::app
