// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/list_keys.h"

#include <QKeyEvent>
#include <QListView>
#include <algorithm>

namespace ridge::app {

bool moveInList(QListView& list, const QKeyEvent& event, int page)
{
    const int rows = list.model()->rowCount();
    int row = list.currentIndex().row();
    switch (event.key()) {
    case Qt::Key_Down:
        row = rows > 0 ? (row + 1) % rows : -1;
        break;
    case Qt::Key_Up:
        row = rows > 0 ? (row + rows - 1) % rows : -1;
        break;
    case Qt::Key_PageDown:
        row = std::min(row + page, rows - 1);
        break;
    case Qt::Key_PageUp:
        row = std::max(row - page, 0);
        break;
    default:
        return false;
    }
    if (row >= 0)
        list.setCurrentIndex(list.model()->index(row, 0));
    return true;
}

} // namespace ridge::app
