// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStringList>

class QTreeView;

namespace ridge::app {

class Theme;

/// A few columns of text that change while they are looked at: what is chosen and where the focus is stays in its
/// place.
class TextTable : public QAbstractTableModel {
    Q_OBJECT
public:
    explicit TextTable(QStringList titles, QObject* parent = nullptr);

    void setTitles(QStringList titles); ///< and no rows
    void setRows(QList<QStringList> rows);
    const QList<QStringList>& rows() const { return m_rows; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QStringList m_titles;
    QList<QStringList> m_rows;
};

/// A list of such a table: columns as wide as what they say, scrolling where there is too little room.
QTreeView* makeTextTable(Theme& theme, TextTable* model, const QString& accessibleName);

} // namespace ridge::app
