// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/chips/chip_comparison.h"

#include "app/charts/chart_text.h"

#include <QFont>

namespace ridge::app {
namespace {

QString words(const char* text)
{
    return QCoreApplication::translate("ridge::app::Chips", text);
}

QString joined(const QStringList& parts, const QString& between)
{
    QStringList said;
    for (const QString& part : parts)
        if (!part.isEmpty())
            said << part;
    return said.join(between);
}

/// Against the first chip, the figure that differs by the largest factor among those that bound a kernel.
QString summaryOf(const ChipComparison& comparison)
{
    if (comparison.chips.size() < 2)
        return comparison.chips.empty() ? words("No chip is chosen.")
                                        : words("%1 alone: choose a second chip to compare it with.")
                                              .arg(chipName(*comparison.chips.front()));
    QStringList parts;
    for (std::size_t i = 1; i < comparison.chips.size(); ++i) {
        QStringList told;
        for (const char* key : {"bf16", "bandwidth", "memory"}) {
            const FigureKind* kind = figureKind(QString::fromLatin1(key));
            for (const ChipRow& row : comparison.rows)
                if (row.title == kind->title && row.cells[i].ratio)
                    told << QStringLiteral("%1 %2").arg(ratioText(*row.cells[i].ratio), inSentence(kind->title));
        }
        parts << words("%1 has %2").arg(chipName(*comparison.chips[i]), told.join(QStringLiteral(", ")));
    }
    return words("Against %1: %2.").arg(chipName(*comparison.chips.front()), parts.join(QStringLiteral("; ")));
}

} // namespace

ChipComparison compareChips(const silicon::Catalogue& catalogue, const QStringList& ids)
{
    ChipComparison out;
    for (const QString& id : ids)
        if (const silicon::Chip* chip = findChip(catalogue, id))
            out.chips.push_back(chip);
    for (const FigureKind& kind : figureKinds()) {
        ChipRow row{groupTitle(kind.group), kind.title, kind.unit, kind.help, {}};
        for (const silicon::Chip* chip : out.chips) {
            ChipRow::Cell cell{kind.read(catalogue, *chip), std::nullopt};
            // A year has no ratio, and the first chip none against itself.
            if (!row.cells.empty() && kind.key != QLatin1String("year"))
                cell.ratio = figureRatio(cell.figure, row.cells.front().figure);
            row.cells.push_back(std::move(cell));
        }
        out.rows.push_back(std::move(row));
    }
    out.summary = summaryOf(out);
    return out;
}

ChartTable comparisonTable(const ChipComparison& comparison)
{
    ChartTable table;
    table.kind = QStringLiteral("chip-comparison");
    table.title = words("Chips side by side");
    table.summary = comparison.summary;
    table.columns = {{QStringLiteral("group"), words("Group"), {}, false},
                     {QStringLiteral("figure"), words("Figure"), {}, false},
                     {QStringLiteral("unit"), words("Unit"), {}, false}};
    for (std::size_t i = 0; i < comparison.chips.size(); ++i) {
        const QString id = QString::fromStdString(comparison.chips[i]->id), name = chipName(*comparison.chips[i]);
        table.columns.push_back({id, name, {}});
        if (i > 0)
            table.columns.push_back({id + QStringLiteral("_ratio"), words("%1, ratio").arg(name), QStringLiteral("×")});
        table.columns.push_back({id + QStringLiteral("_kind"), words("%1, kind").arg(name), {}, false});
        table.columns.push_back({id + QStringLiteral("_source"), words("%1, source").arg(name), {}, false});
    }
    const ChartCell none;
    const auto said = [&](const QString& text) { return text.isEmpty() ? none : ChartCell(text); };
    for (const ChipRow& row : comparison.rows) {
        std::vector<ChartCell> line = {row.group, row.title, said(row.unit)};
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            const ChipRow::Cell& cell = row.cells[i];
            line.push_back(cell.figure.known() ? ChartCell(cell.figure.value) : ChartCell(cell.figure.text));
            if (i > 0)
                line.push_back(cell.ratio ? ChartCell(*cell.ratio) : none);
            line.push_back(said(cell.figure.flag));
            line.push_back(said(cell.figure.provenance()));
        }
        table.rows.push_back(std::move(line));
    }
    return table;
}

void ChipComparisonModel::show(ChipComparison comparison)
{
    beginResetModel();
    m_comparison = std::move(comparison);
    m_lines.clear();
    QString group;
    for (std::size_t i = 0; i < m_comparison.rows.size(); ++i) {
        if (m_comparison.rows[i].group != group)
            m_lines.push_back(-1 - static_cast<int>(i));
        group = m_comparison.rows[i].group;
        m_lines.push_back(static_cast<int>(i));
    }
    endResetModel();
}

const ChipRow& ChipComparisonModel::row(int line) const
{
    const int at = m_lines[static_cast<std::size_t>(line)];
    return m_comparison.rows[static_cast<std::size_t>(at < 0 ? -1 - at : at)];
}

int ChipComparisonModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_lines.size());
}

int ChipComparisonModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_comparison.chips.size()) + 1;
}

QString ChipComparisonModel::provenance(const QModelIndex& index) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || isHeading(index.row()))
        return {};
    const ChipRow& line = row(index.row());
    if (index.column() == 0)
        return joined({line.title, line.help}, QStringLiteral(": "));
    const auto at = static_cast<std::size_t>(index.column() - 1);
    const ChipFigure& figure = line.cells[at].figure;
    QString number = figure.text;
    if (figure.known() && !figure.flag.isEmpty())
        number += QStringLiteral(", ") + figure.flag;
    return joined({QStringLiteral("%1, %2: %3").arg(chipName(*m_comparison.chips[at]), inSentence(line.title), number),
                   figure.provenance()},
                  QStringLiteral(" — "));
}

QVariant ChipComparisonModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const ChipRow& line = row(index.row());
    if (isHeading(index.row())) {
        if (role == Qt::DisplayRole && index.column() == 0)
            return line.group;
        if (role == Qt::FontRole) {
            QFont strong;
            strong.setWeight(QFont::DemiBold);
            return strong;
        }
        return {};
    }
    if (role == Qt::ToolTipRole)
        return provenance(index);
    if (index.column() == 0)
        return role == Qt::DisplayRole || role == Qt::AccessibleTextRole ? QVariant(line.title) : QVariant();
    const ChipRow::Cell& cell = line.cells[static_cast<std::size_t>(index.column() - 1)];
    QString shown = cell.figure.text;
    if (!cell.figure.flag.isEmpty())
        shown += QStringLiteral("  ") + cell.figure.flag;
    switch (role) {
    case Qt::DisplayRole:
        return cell.ratio ? ratioText(*cell.ratio) + QStringLiteral("   ") + shown : shown;
    case Qt::AccessibleTextRole:
        return cell.ratio ? QStringLiteral("%1, %2").arg(shown, words("%1 the first").arg(ratioText(*cell.ratio)))
                          : shown;
    case Qt::AccessibleDescriptionRole:
        return provenance(index);
    case Qt::UserRole:
        return cell.figure.known() ? QVariant(cell.figure.value) : QVariant();
    default:
        return {};
    }
}

QVariant ChipComparisonModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return QAbstractTableModel::headerData(section, orientation, role);
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    if (section == 0)
        return role == Qt::ToolTipRole || role == Qt::AccessibleTextRole ? QVariant(words("Figure")) : QVariant();
    const silicon::Chip& chip = *m_comparison.chips[static_cast<std::size_t>(section - 1)];
    if (role == Qt::DisplayRole)
        return section == 1 && columnCount() > 2 ? words("%1 (the others are set against it)").arg(chipName(chip))
                                                 : chipName(chip);
    if (role != Qt::ToolTipRole)
        return {};
    QStringList lines = {vendorName(chip) + QLatin1Char(' ') + chipName(chip), architectureName(chip)};
    for (const std::string& note : chip.notes)
        lines << QString::fromStdString(note);
    return lines.join(QLatin1Char('\n'));
}

} // namespace ridge::app
