// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/charts/sweep_chart.h"

#include <QAbstractTableModel>

namespace ridge::app {

/// The chart's numbers as rows: one for each point and each prediction. Headers carry the units; Qt::UserRole gives
/// the number itself (invalid where a row has none).
class ChartTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;
    enum Column { Name, X, Y, Origin, Limit, Low, High, ColumnCount };

    void setChart(const SweepChartData& data);
    bool columnUsed(int column) const; ///< some row has a number there
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    struct Row {
        QString name, origin;
        std::array<std::optional<double>, ColumnCount> numbers;
    };
    std::vector<Row> m_rows;
    QString m_xTitle, m_xUnit, m_yTitle, m_yUnit;
};

} // namespace ridge::app
