// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/ui/panels.h"

#include <QHeaderView>
#include <QTableView>

namespace ridge::app {

/// A table of which whole rows are chosen, one at a time: heads at the left, no grid, rows as high as their text, Tab
/// leaves it.
inline void makeRowTable(Theme& theme, QTableView* table)
{
    table->verticalHeader()->hide();
    table->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents); // rows grow with the text
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setShowGrid(false);
    table->setTabKeyNavigation(false);
    useRowHeight(theme, table);
}

} // namespace ridge::app
