// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "base/json.h"

#include <QAbstractTableModel>
#include <QTreeView>

namespace ridge::app {

/// Figures that were read from a file made elsewhere: a report of a profiler has 20,000 of them. `figures` is the
/// artifact's list and outlives the model.
class FiguresModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Of, Name, Value, Source, ColumnCount };

    explicit FiguresModel(const Json& figures, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<const Json*> m_rows;
};

/// The table of them, as high as a dozen rows at most. The model is its child.
QTreeView* makeFiguresTable(Theme& theme, const Json& figures);

} // namespace ridge::app
