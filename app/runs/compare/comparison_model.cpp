// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/compare/comparison_model.h"

#include "app/drawing/charts/chart_table.h"

#include <QFont>

namespace ridge::app {
namespace {

QString groupName(ComparedRow::Group group)
{
    switch (group) {
    case ComparedRow::Group::Result:
        return ComparisonModel::tr("Result");
    case ComparedRow::Group::Parameters:
        return ComparisonModel::tr("Parameters");
    case ComparedRow::Group::Code:
        return ComparisonModel::tr("Code");
    case ComparedRow::Group::Machine:
        return ComparisonModel::tr("Machine");
    }
    return {};
}

} // namespace

void ComparisonModel::show(Comparison comparison, std::vector<Pin> pins)
{
    beginResetModel();
    m_comparison = std::move(comparison);
    m_pins = std::move(pins);
    rebuild();
    endResetModel();
}

void ComparisonModel::setOnlyDifferences(bool on)
{
    if (m_onlyDifferences == on)
        return;
    beginResetModel();
    m_onlyDifferences = on;
    rebuild();
    endResetModel();
}

void ComparisonModel::rebuild()
{
    m_lines.clear();
    std::optional<ComparedRow::Group> group;
    for (std::size_t i = 0; i < m_comparison.rows.size(); ++i) {
        const ComparedRow& row = m_comparison.rows[i];
        if (m_onlyDifferences && !row.differs)
            continue;
        if (group != row.group)
            m_lines.push_back({-1, row.group});
        group = row.group;
        m_lines.push_back({static_cast<int>(i), row.group});
    }
}

int ComparisonModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_lines.size());
}

int ComparisonModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_pins.size()) + 1;
}

QString ComparisonModel::cellText(int row, int column) const
{
    const ComparedRow& compared = m_comparison.rows[static_cast<std::size_t>(row)];
    if (column == 0)
        return compared.name;
    const ComparedRow::Cell& cell = compared.cells[static_cast<std::size_t>(column - 1)];
    if (cell.text.isEmpty())
        return QStringLiteral("–");
    return cell.change.isEmpty() ? cell.text : cell.text + QStringLiteral("   ") + cell.change;
}

QVariant ComparisonModel::data(const QModelIndex& index, int role) const
{
    const Line& line = m_lines[static_cast<std::size_t>(index.row())];
    if (line.row < 0) {
        if (role == Qt::DisplayRole && index.column() == 0)
            return groupName(line.group);
        if (role == Qt::FontRole) {
            QFont bold;
            bold.setBold(true);
            return bold;
        }
        return {};
    }
    const ComparedRow& row = m_comparison.rows[static_cast<std::size_t>(line.row)];
    switch (role) {
    case Qt::DisplayRole:
        // A mark and not a colour says what differs.
        return index.column() == 0 && row.differs ? QStringLiteral("≠  ") + row.name
               : index.column() == 0              ? QStringLiteral("    ") + row.name
                                                  : cellText(line.row, index.column());
    case Qt::ToolTipRole:
        return index.column() == 0 ? row.help : cellText(line.row, index.column());
    case Qt::AccessibleTextRole:
        return index.column() == 0 && row.differs ? tr("%1, differs").arg(row.name)
                                                  : cellText(line.row, index.column());
    case Qt::FontRole:
        if (row.differs) {
            QFont strong;
            strong.setWeight(QFont::DemiBold);
            return strong;
        }
        return {};
    default:
        return {};
    }
}

QVariant ComparisonModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section > static_cast<int>(m_pins.size()))
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    if (section == 0)
        return role == Qt::DisplayRole ? QString() : tr("What is compared");
    const Pin& pin = m_pins[static_cast<std::size_t>(section - 1)];
    if (role == Qt::ToolTipRole)
        return originLine(pin);
    return section == 1 ? tr("%1 (baseline)  %2").arg(pin.letter, pin.name)
                        : QStringLiteral("%1  %2").arg(pin.letter, pin.name);
}

QString ComparisonModel::toMarkdown() const
{
    const auto cells = [](QStringList parts) {
        for (QString& part : parts)
            part = markdownCell(part);
        return QStringLiteral("| ") + parts.join(QStringLiteral(" | ")) + QStringLiteral(" |\n");
    };
    QStringList head = {QString()};
    QStringList rule = {QStringLiteral("---")};
    for (const Pin& pin : m_pins) {
        head << QStringLiteral("%1: %2 (%3)").arg(pin.letter, pin.name, originLine(pin));
        rule << QStringLiteral("---");
    }
    QString text = cells(head) + cells(rule);
    for (const Line& line : m_lines) {
        QStringList parts;
        for (int column = 0; column <= static_cast<int>(m_pins.size()); ++column)
            parts << (line.row >= 0 ? cellText(line.row, column)
                      : column == 0 ? QStringLiteral("**%1**").arg(groupName(line.group))
                                    : QString());
        text += cells(parts);
    }
    return text;
}

QString ComparisonModel::toCsv() const
{
    QStringList lines;
    QStringList head = {QStringLiteral("group"), QStringLiteral("name")};
    for (const Pin& pin : m_pins)
        head << csvQuoted(pin.letter + QStringLiteral(": ") + pin.name + QStringLiteral(", ") + originLine(pin))
             << csvQuoted(tr("%1 against %2").arg(pin.letter, m_pins.front().letter));
    lines << head.join(QLatin1Char(','));
    for (const Line& line : m_lines) {
        if (line.row < 0)
            continue;
        const ComparedRow& row = m_comparison.rows[static_cast<std::size_t>(line.row)];
        QStringList parts = {csvQuoted(groupName(line.group)), csvQuoted(row.name)};
        for (const ComparedRow::Cell& cell : row.cells)
            parts << csvQuoted(cell.text) << csvQuoted(cell.change);
        lines << parts.join(QLatin1Char(','));
    }
    return lines.join(QStringLiteral("\r\n")) + QStringLiteral("\r\n");
}

} // namespace ridge::app

#include "moc_comparison_model.cpp"
