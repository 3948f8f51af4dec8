// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/chips/chip_comparison.h"

#include "app/drawing/charts/chart_text.h"

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

/// What each has against the first: the three figures that bound most kernels.
QString summaryOf(const ChipComparison& comparison)
{
    if (comparison.chips.empty())
        return words("No chip is chosen.");
    const QString first = chipName(*comparison.chips.front());
    if (comparison.chips.size() == 1)
        return words("%1 alone: choose a second chip to compare it with.").arg(first);
    const std::pair<const char*, QString> told[] = {{"bf16", words("%1 the dense BF16 peak")},
                                                    {"bandwidth", words("%1 the memory bandwidth")},
                                                    {"memory", words("%1 the memory")}};
    QStringList parts;
    for (std::size_t i = 1; i < comparison.chips.size(); ++i) {
        QStringList figures;
        for (const auto& [key, pattern] : told)
            for (const ChipRow& row : comparison.rows)
                if (row.title == figureKind(QString::fromLatin1(key))->title && row.cells[i].ratio)
                    figures << pattern.arg(row.cells[i].ratioWords);
        parts << words("%1 has %2")
                     .arg(chipName(*comparison.chips[i]), figures.isEmpty() ? words("no figure that can be compared")
                                                                            : figures.join(QStringLiteral(", ")));
    }
    return words("Against %1: %2.").arg(first, parts.join(QStringLiteral("; ")));
}

} // namespace

ChipFigure predictedFigure(const silicon::Catalogue& catalogue, const silicon::Chip& chip,
                           const silicon::KernelProfile& kernel)
{
    ChipFigure out;
    const auto time = silicon::predictedTime(catalogue, chip, kernel);
    if (!time) {
        const std::string& code = time.error().code;
        const bool format = code == "no-peak" && !chip.peakFlopsPerSecond.contains(kernel.precision);
        out.state = code == "does-not-fit" || format ? ChipFigure::State::Absent : ChipFigure::State::Unknown;
        out.text = code == "does-not-fit" ? words("does not fit") : format ? words("not supported") : words("unknown");
        out.note = QString::fromStdString(time.error().message);
        return out;
    }
    out.state = ChipFigure::State::Known;
    out.value = time->seconds;
    out.text = quantity(time->seconds, QStringLiteral("s"));
    out.flag = time->bound == silicon::Bound::Memory ? words("memory-bound") : words("compute-bound");
    out.confidence = words("MODELLED");
    out.source = words("the larger of FLOP ÷ dense peak and bytes ÷ bandwidth");
    if (time->roof.derived)
        out.source += words("; this peak is units × clock × FLOP a clock");
    if (time->fitsInL2)
        out.note = words("The working set fits into L2: later launches need not wait for memory");
    return out;
}

ChipComparison compareChips(const silicon::Catalogue& catalogue, const QStringList& ids,
                            const silicon::KernelProfile* kernel, const ChipOffers& offers)
{
    ChipComparison out;
    for (const QString& id : ids)
        if (const silicon::Chip* chip = findChip(catalogue, id))
            out.chips.push_back(chip);
    if (kernel) {
        ChipRow row{
            words("Predicted time of one launch, and how many times as fast"),
            QString::fromStdString(kernel->title),
            QStringLiteral("s"),
            words("Least time of one launch by the roofline. %1.").arg(QString::fromStdString(kernel->derivation)),
            {}};
        for (const silicon::Chip* chip : out.chips) {
            ChipRow::Cell cell{predictedFigure(catalogue, *chip, *kernel), std::nullopt, {}};
            // Less time is more speed: the first chip's time over this one's.
            if (!row.cells.empty())
                cell.ratio = figureRatio(row.cells.front().figure, cell.figure);
            if (cell.ratio)
                cell.ratioWords = ratioText(*cell.ratio);
            row.cells.push_back(std::move(cell));
        }
        out.rows.push_back(std::move(row));
    }
    if (!offers.empty()) {
        ChipRow row{words("In this program"),
                    words("Simulated"),
                    {},
                    words("What the simulator gives for it: times need a clock that is known"),
                    {}};
        for (const silicon::Chip* chip : out.chips) {
            const ChipOffer offer = offers.value(QString::fromStdString(chip->id));
            ChipFigure figure;
            figure.state = ChipFigure::State::Absent; // no number
            figure.text = offer.gives.isEmpty() ? words("not simulated") : offer.gives;
            figure.note = offer.sentence;
            row.cells.push_back({std::move(figure), std::nullopt, {}});
        }
        out.rows.push_back(std::move(row));
    }
    for (const FigureKind& kind : figureKinds()) {
        ChipRow row{groupTitle(kind.group), kind.title, kind.unit, kind.help, {}};
        for (const silicon::Chip* chip : out.chips) {
            ChipRow::Cell cell{kind.read(catalogue, *chip), std::nullopt, {}};
            // A year has no ratio, and the first chip none against itself.
            if (!row.cells.empty() && kind.key != QLatin1String("year"))
                cell.ratio = figureRatio(cell.figure, row.cells.front().figure);
            if (cell.ratio)
                cell.ratioWords = ratioText(*cell.ratio);
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
                  QStringLiteral(". "));
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
    const QString flag = cell.figure.flagSaid ? QString() : cell.figure.flag;
    switch (role) {
    case Qt::DisplayRole:
        return cell.figure.text;
    case FlagRole:
        return flag;
    case RatioRole:
        return cell.ratioWords;
    case Qt::AccessibleTextRole: {
        const QString against = cell.ratio ? words("%1, against the first").arg(cell.ratioWords) : QString();
        return joined({cell.figure.text, flag, against}, QStringLiteral(", "));
    }
    case Qt::AccessibleDescriptionRole:
        return provenance(index);
    case Qt::UserRole:
        return cell.figure.known() ? QVariant(cell.figure.value) : QVariant();
    default:
        return {};
    }
}

Qt::ItemFlags ChipComparisonModel::flags(const QModelIndex& index) const
{
    return index.isValid() && isHeading(index.row()) ? Qt::ItemIsEnabled : QAbstractTableModel::flags(index);
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
        return section == 1 && columnCount() > 2 ? words("%1 (first)").arg(chipName(chip)) : chipName(chip);
    if (role != Qt::ToolTipRole)
        return {};
    QStringList lines = {vendorName(chip) + QLatin1Char(' ') + chipName(chip), architectureName(chip)};
    for (const std::string& note : chip.notes)
        lines << QString::fromStdString(note);
    return lines.join(QLatin1Char('\n'));
}

} // namespace ridge::app

#include "moc_chip_comparison.cpp"
