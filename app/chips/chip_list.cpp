// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/chips/chip_list.h"

#include "app/drawing/charts/chart_text.h"

namespace ridge::app {
namespace {

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

QString searchable(const silicon::Chip& chip)
{
    return QStringList{
        text(chip.id),        chipName(chip),       vendorName(chip), architectureName(chip), className(chip.chipClass),
        text(chip.chipClass), text(chip.memoryType)}
        .join(QLatin1Char(' '));
}

std::vector<const FigureKind*> listKinds()
{
    std::vector<const FigureKind*> kinds;
    for (const FigureKind& kind : figureKinds())
        if (!kind.brief.isEmpty())
            kinds.push_back(&kind);
    return kinds;
}

/// The number alone: the unit stands in the header, and what a cell has no room for in its accessible text.
QString cellText(const ChipFigure& figure, const FigureKind& kind)
{
    if (figure.state == ChipFigure::State::Absent)
        return ChipListModel::tr("none");
    return figure.known() && !kind.unit.isEmpty() ? quantity(figure.value, {}) : figure.text;
}

} // namespace

ChipListModel::ChipListModel(const silicon::Catalogue& catalogue, QObject* parent)
    : QAbstractTableModel(parent), m_catalogue(catalogue), m_kinds(listKinds())
{
    for (const silicon::Chip& chip : catalogue.chips()) {
        std::vector<ChipFigure> row;
        row.reserve(m_kinds.size());
        for (const FigureKind* each : m_kinds)
            row.push_back(each->read(catalogue, chip));
        m_figures.push_back(std::move(row));
    }
}

const ChipFigure& ChipListModel::figure(int row, int column) const
{
    return m_figures[static_cast<std::size_t>(row)][static_cast<std::size_t>(column - FirstFigure)];
}

int ChipListModel::rowOf(const QString& id) const
{
    const auto& chips = m_catalogue.chips();
    for (std::size_t i = 0; i < chips.size(); ++i)
        if (text(chips[i].id) == id)
            return static_cast<int>(i);
    return -1;
}

void ChipListModel::setChosen(const QStringList& ids)
{
    if (m_chosen == ids)
        return;
    m_chosen = ids;
    Q_EMIT dataChanged(index(0, Name), index(rowCount() - 1, Name), {Qt::CheckStateRole});
    Q_EMIT chosenChanged();
}

void ChipListModel::setOffers(ChipOffers offers)
{
    m_offers = std::move(offers);
    Q_EMIT dataChanged(index(0, Name), index(rowCount() - 1, Simulated));
}

int ChipListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_catalogue.chips().size());
}

int ChipListModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : FirstFigure + static_cast<int>(m_kinds.size());
}

QVariant ChipListModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const silicon::Chip& each = chip(index.row());
    if (index.column() == Name && role == Qt::CheckStateRole)
        return m_chosen.contains(text(each.id)) ? Qt::Checked : Qt::Unchecked;
    if (index.column() < FirstFigure) {
        const ChipOffer offer = m_offers.value(text(each.id));
        const QString words = index.column() == Name           ? chipName(each)
                              : index.column() == Architecture ? architectureName(each)
                              : index.column() == Class        ? className(each.chipClass)
                              : offer.gives.isEmpty()          ? tr("not simulated")
                                                               : offer.gives;
        switch (role) {
        case Qt::DisplayRole:
        case Qt::UserRole:
            return words;
        case Qt::ToolTipRole: {
            QStringList lines = {vendorName(each) + QLatin1Char(' ') + chipName(each)};
            if (!offer.sentence.isEmpty())
                lines << offer.sentence;
            for (const std::string& note : each.notes)
                lines << text(note);
            return lines.join(QLatin1Char('\n'));
        }
        default:
            return {};
        }
    }
    const ChipFigure& cell = figure(index.row(), index.column());
    switch (role) {
    case Qt::DisplayRole:
        return cellText(cell, kind(index.column()));
    case Qt::UserRole:
        return cell.known() ? QVariant(cell.value) : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignVCenter | Qt::AlignRight);
    case Qt::ToolTipRole:
    case Qt::AccessibleDescriptionRole:
        return cell.flag.isEmpty() ? cell.provenance() : cell.flag + QStringLiteral(". ") + cell.provenance();
    case Qt::AccessibleTextRole:
        return cell.text;
    default:
        return {};
    }
}

bool ChipListModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::CheckStateRole || index.column() != Name || !index.isValid())
        return false;
    const QString id = text(chip(index.row()).id);
    QStringList ids = m_chosen;
    if (value.toInt() != Qt::Checked) {
        ids.removeAll(id);
    } else if (ids.size() >= kMostChips) {
        Q_EMIT refused();
        return false;
    } else if (!ids.contains(id)) {
        ids << id;
    }
    setChosen(ids);
    return true;
}

QVariant ChipListModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return QAbstractTableModel::headerData(section, orientation, role);
    const bool figure = section >= FirstFigure;
    switch (role) {
    case Qt::DisplayRole:
        return figure                    ? (kind(section).brief + QLatin1Char('\n') + kind(section).unit).trimmed()
               : section == Name         ? tr("Chip")
               : section == Architecture ? tr("Architecture")
               : section == Class        ? tr("Class")
                                         : tr("Simulated");
    case Qt::ToolTipRole:
        return figure ? titled(kind(section).title, kind(section).unit) + QLatin1Char('\n') + kind(section).help
               : section == Name         ? tr("Tick two to four chips to compare them")
               : section == Architecture ? tr("With its compute capability, or AMD's name of the instruction set")
               : section == Class        ? tr("Where it is sold")
                                         : tr("What the simulator gives for it: times need a clock that is known");
    case Qt::AccessibleTextRole:
        return figure ? titled(kind(section).title, kind(section).unit)
                      : headerData(section, orientation, Qt::DisplayRole);
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignVCenter | (figure ? Qt::AlignRight : Qt::AlignLeft));
    default:
        return {};
    }
}

Qt::ItemFlags ChipListModel::flags(const QModelIndex& index) const
{
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.column() == Name ? flags | Qt::ItemIsUserCheckable : flags;
}

ChipFilter::ChipFilter(ChipListModel& model, QObject* parent) : QSortFilterProxyModel(parent), m_model(model)
{
    setSourceModel(&model);
    setSortRole(Qt::UserRole);
}

void ChipFilter::setQuery(const Query& query)
{
    m_query = query;
    invalidateFilter();
}

QStringList ChipFilter::shownIds() const
{
    QStringList ids;
    for (int row = 0; row < rowCount(); ++row)
        ids << text(m_model.chip(mapToSource(index(row, 0)).row()).id);
    return ids;
}

bool ChipFilter::filterAcceptsRow(int row, const QModelIndex&) const
{
    const silicon::Chip& chip = m_model.chip(row);
    const auto is = [](const QString& wanted, const std::string& has) {
        return wanted.isEmpty() || wanted == text(has);
    };
    if (!is(m_query.vendor, chip.vendor) || !is(m_query.architecture, chip.architecture) ||
        !is(m_query.chipClass, chip.chipClass))
        return false;
    const QString all = searchable(chip) + QLatin1Char(' ') + m_model.offers().value(text(chip.id)).gives;
    for (const QString& word : m_query.text.split(QLatin1Char(' '), Qt::SkipEmptyParts))
        if (!all.contains(word, Qt::CaseInsensitive))
            return false;
    return true;
}

bool ChipFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const
{
    const QVariant a = left.data(sortRole()), b = right.data(sortRole());
    if (a.isValid() != b.isValid())
        return sortOrder() == Qt::AscendingOrder ? a.isValid() : b.isValid();
    if (left.column() < ChipListModel::FirstFigure)
        return QString::localeAwareCompare(a.toString(), b.toString()) < 0;
    return a.toDouble() < b.toDouble();
}

ChartTable chipListTable(const silicon::Catalogue& catalogue, const QStringList& ids)
{
    ChartTable table;
    table.kind = QStringLiteral("chips");
    table.title = QCoreApplication::translate("ridge::app::Chips", "GPU catalogue");
    table.summary =
        QCoreApplication::translate("ridge::app::Chips", "%1 chips with their published figures; peaks are dense.")
            .arg(ids.size());
    table.columns = {
        {QStringLiteral("id"), QStringLiteral("id"), {}, false},
        {QStringLiteral("chip"), QCoreApplication::translate("ridge::app::Chips", "Chip"), {}, false},
        {QStringLiteral("vendor"), QCoreApplication::translate("ridge::app::Chips", "Vendor"), {}, false},
        {QStringLiteral("architecture"), QCoreApplication::translate("ridge::app::Chips", "Architecture"), {}, false},
        {QStringLiteral("class"), QCoreApplication::translate("ridge::app::Chips", "Class"), {}, false}};
    for (const FigureKind& kind : figureKinds())
        table.columns.push_back({kind.key, kind.title, kind.unit});
    for (const QString& id : ids)
        if (const silicon::Chip* chip = findChip(catalogue, id)) {
            std::vector<ChartCell> row = {id, chipName(*chip), vendorName(*chip), architectureName(*chip),
                                          className(chip->chipClass)};
            for (const FigureKind& kind : figureKinds()) {
                const ChipFigure figure = kind.read(catalogue, *chip);
                row.push_back(figure.known() ? ChartCell(figure.value) : ChartCell(figure.text));
            }
            table.rows.push_back(std::move(row));
        }
    return table;
}

} // namespace ridge::app

#include "moc_chip_list.cpp"
