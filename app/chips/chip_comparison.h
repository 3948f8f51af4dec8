// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/chips/chip_figures.h"
#include "silicon/kernel_profile.h"

#include <QAbstractTableModel>

namespace ridge::app {

/// One line of a comparison. `cells`: one a chip, the first chip's first; `ratio`: against that one, where both are
/// known.
struct ChipRow {
    struct Cell {
        ChipFigure figure;
        std::optional<double> ratio;
        QString ratioWords; ///< "1.43×"; empty without a ratio
    };
    QString group, title, unit, help;
    std::vector<Cell> cells;
};

struct ChipComparison {
    std::vector<const silicon::Chip*> chips; ///< of the catalogue that it was made from
    std::vector<ChipRow> rows;
    QString summary; ///< one sentence: what differs most
};

/// Chips side by side, the first being what the others are set against; at the top what the roofline predicts for
/// `kernel`, where one is asked about. Ids that the catalogue does not have are left out. `offers`:
/// of those that are simulated here; empty: nothing is said of it.
ChipComparison compareChips(const silicon::Catalogue& catalogue, const QStringList& ids,
                            const silicon::KernelProfile* kernel, const ChipOffers& offers = {});

/// Least time of one launch by the roofline, with what bounds it; MODELLED.
ChipFigure predictedFigure(const silicon::Catalogue& catalogue, const silicon::Chip& chip,
                           const silicon::KernelProfile& kernel);

/// As numbers for files and the clipboard: value and ratio of every chip, then where each comes from.
ChartTable comparisonTable(const ChipComparison& comparison);

/// A comparison as a table: a line a figure, a column a chip, headings between the groups. GUI thread.
class ChipComparisonModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;

    void show(ChipComparison comparison);
    const ChipComparison& comparison() const { return m_comparison; }
    bool isHeading(int line) const { return m_lines[static_cast<std::size_t>(line)] < 0; }
    /// Where a cell's number comes from, as a sentence that stands alone; of the first column, what the line means.
    QString provenance(const QModelIndex& index) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

    /// What the cell's delegate paints apart: the number, then its flag, and the ratio at the right edge.
    enum Part { FlagRole = Qt::UserRole + 1, RatioRole };

private:
    const ChipRow& row(int line) const;

    ChipComparison m_comparison;
    std::vector<int> m_lines; ///< index of a row, or −1 − index of the row below a heading
};

} // namespace ridge::app
