// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/runs/compare/comparison.h"

#include <QAbstractTableModel>

namespace ridge::app {

/// A comparison as a table: a line a thing, a column a pin, headings between the groups. GUI thread.
class ComparisonModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;

    void show(Comparison comparison, std::vector<Pin> pins);
    /// Leaves out what is the same everywhere.
    void setOnlyDifferences(bool on);
    const Comparison& comparison() const { return m_comparison; }
    bool isHeading(int row) const { return m_lines[static_cast<std::size_t>(row)].row < 0; }
    /// Every line with units and changes, for a clipboard, a report or a spreadsheet.
    QString toMarkdown() const;
    QString toCsv() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Line {
        int row; ///< of the comparison; −1: a heading
        ComparedRow::Group group;
    };
    void rebuild();
    QString cellText(int row, int column) const;

    Comparison m_comparison;
    std::vector<Pin> m_pins;
    std::vector<Line> m_lines;
    bool m_onlyDifferences = false;
};

} // namespace ridge::app
