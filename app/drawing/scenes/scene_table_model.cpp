// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/scenes/scene_table_model.h"

namespace ridge::app {

void SceneTableModel::setRows(std::vector<QStringList> rows)
{
    if (rows == m_rows)
        return;
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

int SceneTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || m_rows.empty() ? 0 : static_cast<int>(m_rows.size()) - 1;
}

int SceneTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() || m_rows.empty() ? 0 : static_cast<int>(m_rows.front().size());
}

QVariant SceneTableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || role != Qt::DisplayRole)
        return {};
    return m_rows[static_cast<std::size_t>(index.row()) + 1].value(index.column());
}

QVariant SceneTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal && role == Qt::DisplayRole && !m_rows.empty())
        return m_rows.front().value(section);
    return QAbstractTableModel::headerData(section, orientation, role);
}

} // namespace ridge::app

#include "moc_scene_table_model.cpp"
