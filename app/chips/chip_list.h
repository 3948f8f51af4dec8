// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/chips/chip_figures.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

namespace ridge::app {

/// All chips as rows, their main figures as columns; the box of the first column chooses a chip for the comparison.
/// Qt::UserRole gives what a column sorts by (invalid: unknown). GUI thread.
class ChipListModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Architecture, Class, Simulated, FirstFigure };
    explicit ChipListModel(const silicon::Catalogue& catalogue, QObject* parent = nullptr);

    const silicon::Chip& chip(int row) const { return m_catalogue.chips()[static_cast<std::size_t>(row)]; }
    int rowOf(const QString& id) const; ///< −1: unknown
    QStringList chosen() const { return m_chosen; }
    void setChosen(const QStringList& ids);
    void setOffers(ChipOffers offers);
    const ChipOffers& offers() const { return m_offers; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

Q_SIGNALS:
    void chosenChanged();
    void refused(); ///< a further chip was ticked while four are chosen

private:
    const FigureKind& kind(int column) const { return *m_kinds[static_cast<std::size_t>(column - FirstFigure)]; }
    const ChipFigure& figure(int row, int column) const;

    const silicon::Catalogue& m_catalogue;
    std::vector<const FigureKind*> m_kinds;         ///< of the columns from FirstFigure on
    std::vector<std::vector<ChipFigure>> m_figures; ///< a row a chip
    QStringList m_chosen;
    ChipOffers m_offers;
};

/// What of the list is shown, and in which order: unknown figures stand last whichever way one sorts.
class ChipFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    struct Query {
        QString text, vendor, architecture, chipClass; ///< empty: all; every word of the text must be found
    };
    explicit ChipFilter(ChipListModel& model, QObject* parent = nullptr);
    void setQuery(const Query& query);
    QStringList shownIds() const; ///< in the order shown

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    ChipListModel& m_model;
    Query m_query;
};

/// The list as a table for files and the clipboard; unknown figures say so.
ChartTable chipListTable(const silicon::Catalogue& catalogue, const QStringList& ids);

} // namespace ridge::app
