// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/chart_table.h"

#include <QAbstractTableModel>

namespace ridge::app {

/// A chart's numbers as rows. Headers carry the units; Qt::UserRole gives the number itself (invalid where a row has
/// none).
class ChartTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;

    void setTable(ChartTable table);
    const ChartTable& table() const { return m_table; }
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    ChartTable m_table;
};

} // namespace ridge::app
