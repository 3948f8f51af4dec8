// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/explorer/operator_list.h"

namespace ridge::app {

void OperatorListModel::show(const ExploredStep& what)
{
    const int rows = static_cast<int>(what.found.rows.size());
    const bool same = rows == m_rows && m_what;
    if (!same)
        beginResetModel();
    m_what = &what;
    m_rows = rows;
    m_groups = workload::fusionGroups(what.found);
    if (!same)
        endResetModel();
    else if (rows > 0)
        Q_EMIT dataChanged(index(0, 0), index(rows - 1, kOperatorColumns - 1));
}

int OperatorListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : m_rows;
}

QVariant OperatorListModel::data(const QModelIndex& index, int role) const
{
    if (!m_what || !index.isValid())
        return {};
    const auto column = static_cast<OperatorColumn>(index.column());
    const workload::Explored& row = m_what->found.rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole:
        return operatorText(*m_what, m_groups, index.row(), column);
    case Qt::UserRole: // to sort by
        if (column == OperatorColumn::Name || column == OperatorColumn::Shapes || column == OperatorColumn::Bound ||
            column == OperatorColumn::Fusion)
            return operatorText(*m_what, m_groups, index.row(), column);
        return operatorNumber(row, column);
    case Qt::ToolTipRole:
        return column == OperatorColumn::Name || column == OperatorColumn::Shapes
                   ? operatorText(*m_what, m_groups, index.row(), column)
                   : operatorSentence(*m_what, index.row());
    case Qt::TextAlignmentRole: {
        const bool number = column != OperatorColumn::Name && column != OperatorColumn::Shapes &&
                            column != OperatorColumn::Bound && column != OperatorColumn::Fusion;
        return int((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    default:
        return {};
    }
}

QVariant OperatorListModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::DisplayRole)
        return operatorTitle(static_cast<OperatorColumn>(section));
    if (role == Qt::TextAlignmentRole)
        return data(index(0, section), role);
    return {};
}

} // namespace ridge::app
