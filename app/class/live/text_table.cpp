// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/live/text_table.h"

#include "app/ui/panels.h"

#include <QHeaderView>
#include <QTreeView>

namespace ridge::app {

TextTable::TextTable(QStringList titles, QObject* parent) : QAbstractTableModel(parent), m_titles(std::move(titles)) {}

void TextTable::setTitles(QStringList titles)
{
    if (titles == m_titles)
        return;
    beginResetModel();
    m_titles = std::move(titles);
    m_rows.clear();
    endResetModel();
}

void TextTable::setRows(QList<QStringList> rows)
{
    const int before = static_cast<int>(m_rows.size()), after = static_cast<int>(rows.size());
    if (after > before)
        beginInsertRows({}, before, after - 1);
    else if (after < before)
        beginRemoveRows({}, after, before - 1);
    const bool same = m_rows == rows;
    m_rows = std::move(rows);
    if (after > before)
        endInsertRows();
    else if (after < before)
        endRemoveRows();
    if (!same && !m_rows.isEmpty())
        Q_EMIT dataChanged(index(0, 0), index(after - 1, columnCount() - 1));
}

int TextTable::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int TextTable::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_titles.size());
}

QVariant TextTable::data(const QModelIndex& index, int role) const
{
    if (index.isValid() && (role == Qt::DisplayRole || role == Qt::ToolTipRole || role == Qt::AccessibleTextRole))
        return m_rows[index.row()].value(index.column());
    return {};
}

QVariant TextTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal && role == Qt::DisplayRole)
        return m_titles.value(section);
    return {};
}

QTreeView* makeTextTable(Theme& theme, TextTable* model, const QString& accessibleName)
{
    auto* view = new QTreeView;
    view->setModel(model);
    view->setAccessibleName(accessibleName);
    view->setRootIsDecorated(false);
    view->setUniformRowHeights(true);
    view->setAllColumnsShowFocus(true);
    view->setSelectionMode(QAbstractItemView::SingleSelection);
    view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->header()->setAccessibleName(QTreeView::tr("Columns"));
    view->header()->setStretchLastSection(false);
    view->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    useRowHeight(theme, view);
    return view;
}

} // namespace ridge::app

#include "moc_text_table.cpp"
