// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/chart_table_model.h"

#include "app/drawing/charts/chart_text.h"

namespace ridge::app {
namespace {

QVariant alignment(bool numeric)
{
    return QVariant(Qt::AlignVCenter | (numeric ? Qt::AlignRight : Qt::AlignLeft));
}

} // namespace

void ChartTableModel::setTable(ChartTable table)
{
    beginResetModel();
    m_table = std::move(table);
    endResetModel();
}

int ChartTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_table.rows.size());
}

int ChartTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_table.columns.size());
}

QVariant ChartTableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const auto column = static_cast<std::size_t>(index.column());
    if (role == Qt::TextAlignmentRole)
        return alignment(m_table.columns[column].numeric);
    const ChartCell& cell = m_table.rows[static_cast<std::size_t>(index.row())][column];
    if (const QString* words = std::get_if<QString>(&cell))
        return role == Qt::DisplayRole ? QVariant(*words) : QVariant();
    const double* number = std::get_if<double>(&cell);
    if (!number)
        return {};
    if (role == Qt::UserRole)
        return *number;
    return role == Qt::DisplayRole ? QVariant(quantity(*number, {})) : QVariant(); // the unit stands in the header
}

QVariant ChartTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return QAbstractTableModel::headerData(section, orientation, role);
    const ChartColumn& column = m_table.columns[static_cast<std::size_t>(section)];
    if (role == Qt::TextAlignmentRole)
        return alignment(column.numeric);
    if (role != Qt::DisplayRole)
        return QAbstractTableModel::headerData(section, orientation, role);
    return titled(column.title, column.unit);
}

} // namespace ridge::app

#include "moc_chart_table_model.cpp"
