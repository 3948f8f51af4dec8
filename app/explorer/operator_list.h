// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/explorer/workload_words.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

namespace ridge::app {

/// The operators of a step as rows.
class OperatorListModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;

    /// `what` stays where it is until the next call. Rows that are as many as before keep the selection.
    void show(const ExploredStep& what);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& = {}) const override { return kOperatorColumns; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const ExploredStep* m_what = nullptr;
    std::vector<int> m_groups;
    int m_rows = 0;
};

} // namespace ridge::app
