// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/journal_view.h"

#include "app/ui/panels.h"

#include <algorithm>

namespace ridge::app {

void JournalModel::setEntries(std::vector<record::JournalRow> entries)
{
    beginResetModel();
    m_entries = std::move(entries);
    filter();
    endResetModel();
}

void JournalModel::setQuery(const QString& words, const QString& kind)
{
    beginResetModel();
    m_words = words.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    m_kind = kind;
    filter();
    endResetModel();
}

void JournalModel::filter()
{
    m_shown.clear();
    for (int i = 0; i < total(); ++i) {
        const record::JournalRow& entry = m_entries[static_cast<std::size_t>(i)];
        const QString words = QString::fromStdString(entry.title + "\n" + entry.text + "\n" + entry.lesson).toLower();
        const bool all =
            std::all_of(m_words.begin(), m_words.end(), [&words](const QString& word) { return words.contains(word); });
        if (all && (m_kind.isEmpty() || m_kind.toStdString() == entry.kind))
            m_shown.push_back(i);
    }
}

QModelIndex JournalModel::indexOf(const std::string& entryId) const
{
    for (int row = 0; row < rowCount(); ++row)
        if (entry(row).entryId == entryId)
            return index(row, 0);
    return {};
}

int JournalModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

int JournalModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant JournalModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != Qt::AccessibleTextRole))
        return {};
    const record::JournalRow& row = entry(index.row());
    switch (index.column()) {
    case Kind:
        return row.kind == "failure" ? tr("Failure") : tr("Decision");
    case Title:
        return QString::fromStdString(row.title);
    case Lesson:
        return QString::fromStdString(row.lesson);
    case Runs:
        return row.runIds.empty() ? QString() : QString::number(row.runIds.size());
    default:
        return readableTime(row.createdAt);
    }
}

QVariant JournalModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= ColumnCount)
        return {};
    const std::array<QString, ColumnCount> titles = {tr("Kind"), tr("Title"), tr("Lesson"), tr("Runs"), tr("When")};
    return titles[static_cast<std::size_t>(section)];
}

} // namespace ridge::app
