// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/chart_table_model.h"

#include "app/charts/chart_text.h"

namespace ridge::app {

void ChartTableModel::setChart(const SweepChartData& data)
{
    beginResetModel();
    m_rows.clear();
    m_xTitle = data.xTitle;
    m_xUnit = data.xUnit;
    m_yTitle = data.yTitle;
    m_yUnit = data.yUnit;
    for (const ChartSeries& series : data.series) {
        const std::string_view origin = toText(series.provenance);
        for (const ChartSeries::Point& point : series.points) {
            Row row{series.name, QString::fromLatin1(origin.data(), static_cast<qsizetype>(origin.size())), {}};
            row.numbers[X] = point.x;
            row.numbers[Y] = point.y;
            row.numbers[Limit] = point.limit;
            m_rows.push_back(std::move(row));
        }
    }
    for (const ChartPrediction& prediction : data.predictions) {
        Row row{tr("prediction"), tr("PREDICTED"), {}};
        row.numbers[X] = prediction.x;
        row.numbers[Y] = prediction.point;
        row.numbers[Low] = prediction.low;
        row.numbers[High] = prediction.high;
        m_rows.push_back(std::move(row));
    }
    endResetModel();
}

int ChartTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int ChartTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ChartTableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    const auto column = static_cast<std::size_t>(index.column());
    const bool words = column == Name || column == Origin;
    if (role == Qt::TextAlignmentRole)
        return QVariant(words ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
    if (words)
        return role == Qt::DisplayRole ? QVariant(column == Name ? row.name : row.origin) : QVariant();
    const std::optional<double>& number = row.numbers[column];
    if (!number)
        return {};
    if (role == Qt::UserRole)
        return *number;
    if (role == Qt::DisplayRole)
        return quantity(*number, {}); // the unit stands in the header
    return {};
}

bool ChartTableModel::columnUsed(int column) const
{
    if (column == Name || column == X || column == Y || column == Origin)
        return true;
    return std::any_of(m_rows.begin(), m_rows.end(),
                       [&](const Row& row) { return row.numbers[static_cast<std::size_t>(column)].has_value(); });
}

QVariant ChartTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole)
        return QVariant(section == Name || section == Origin ? Qt::AlignLeft | Qt::AlignVCenter
                                                             : Qt::AlignRight | Qt::AlignVCenter);
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return QAbstractTableModel::headerData(section, orientation, role);
    switch (section) {
    case Name:
        return tr("Series");
    case X:
        return titled(m_xTitle, m_xUnit);
    case Y:
        return titled(m_yTitle, m_yUnit);
    case Origin:
        return tr("Provenance");
    case Limit:
        return tr("Limit");
    case Low:
        return tr("80 % from");
    case High:
        return tr("80 % to");
    default:
        return {};
    }
}

} // namespace ridge::app
