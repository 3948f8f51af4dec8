// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QKeyEvent;
class QListView;

namespace ridge::app {

/// Moves the current row of a list from the field above it: up and down go round, page keys move `page` rows and stop
/// at the ends. False: the key is none of these.
bool moveInList(QListView& list, const QKeyEvent& event, int page);

} // namespace ridge::app
