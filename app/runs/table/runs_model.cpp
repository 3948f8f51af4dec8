// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/table/runs_model.h"

#include "app/runs/table/run_data.h"
#include "app/ui/panels.h"
#include "base/json.h"
#include "base/units.h"

#include <QDateTime>
#include <algorithm>
#include <set>

namespace ridge::app {
namespace {

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

/// A number is meant as a whole: "4" finds stride 4 and not 64 or 10:45.
bool containsWord(const QString& haystack, const QString& word)
{
    qsizetype at = haystack.indexOf(word);
    if (at < 0 || !std::all_of(word.begin(), word.end(), [](QChar c) { return c.isDigit(); }))
        return at >= 0;
    for (; at >= 0; at = haystack.indexOf(word, at + 1)) {
        const qsizetype end = at + word.size();
        const bool cut = (at > 0 && haystack[at - 1].isDigit()) || (end < haystack.size() && haystack[end].isDigit());
        if (!cut)
            return true;
    }
    return false;
}

} // namespace

RunsModel::RunsModel(QObject* parent) : QAbstractItemModel(parent) {}

void RunsModel::keep(std::vector<Entry> entries)
{
    m_entries.reserve(m_entries.size() + entries.size());
    for (Entry& entry : entries) {
        m_byId.insert(QByteArray::fromStdString(entry.id), total());
        m_points.insert(entry.point.get());
        m_entries.push_back(std::move(entry));
    }
}

void RunsModel::setEntries(std::vector<Entry> entries)
{
    beginResetModel();
    m_entries.clear();
    m_byTime.clear();
    m_byId.clear();
    m_points.clear();
    keep(std::move(entries));
    reorder();
    filter();
    endResetModel();
}

bool RunsModel::goesBehind(std::span<const Entry> entries) const
{
    if (m_grouped || m_sortColumn != When || m_sortOrder != Qt::DescendingOrder || m_order.empty() || entries.empty())
        return false;
    return !newer(entries.front(), at(m_order.back())) &&
           std::is_sorted(entries.begin(), entries.end(),
                          [this](const Entry& a, const Entry& b) { return newer(a, b); });
}

void RunsModel::addEntries(std::vector<Entry> entries)
{
    std::erase_if(entries, [this](const Entry& entry) { return m_byId.contains(QByteArray::fromStdString(entry.id)); });
    if (entries.empty())
        return;
    if (!goesBehind(entries)) {
        beginResetModel();
        keep(std::move(entries));
        reorder();
        filter();
        endResetModel();
        return;
    }
    const int before = total();
    keep(std::move(entries));
    sortByTime();
    const QStringList words = queryWords();
    std::vector<int> more;
    for (int i = before; i < total(); ++i) {
        m_order.push_back(i);
        if (matches(at(i), words))
            more.push_back(i);
    }
    if (more.empty())
        return;
    beginInsertRows({}, shown(), shown() + static_cast<int>(more.size()) - 1);
    m_shown.insert(m_shown.end(), more.begin(), more.end());
    endInsertRows();
}

void RunsModel::setQuery(const RunQuery& query)
{
    if (query == m_query)
        return;
    beginResetModel();
    m_query = query;
    filter();
    endResetModel();
}

void RunsModel::setGrouped(bool grouped)
{
    if (grouped == m_grouped)
        return;
    beginResetModel();
    m_grouped = grouped;
    filter();
    endResetModel();
}

void RunsModel::setTags(TagMap runs, TagMap sweeps)
{
    if (runs == m_runTags && sweeps == m_sweepTags)
        return;
    beginResetModel();
    m_runTags = std::move(runs);
    m_sweepTags = std::move(sweeps);
    if (m_sortColumn == Tags)
        reorder();
    filter();
    endResetModel();
}

QStringList RunsModel::tagsOf(const Entry& entry) const
{
    if (m_runTags.isEmpty() && m_sweepTags.isEmpty())
        return {};
    QStringList all = m_sweepTags.value(entry.sweep);
    all += m_runTags.value(text(entry.id));
    all.sort(Qt::CaseInsensitive);
    all.removeDuplicates();
    return all;
}

bool RunsModel::matches(const Entry& entry, const QStringList& words) const
{
    const auto& cells = entry.point->cells;
    if (!m_query.experiment.isEmpty() && cells[Experiment] != m_query.experiment)
        return false;
    if (!m_query.target.isEmpty() && cells[Target] != m_query.target)
        return false;
    if (!m_query.lesson.isEmpty() && cells[Lesson] != m_query.lesson)
        return false;
    if (!m_query.tag.isEmpty() && !tagsOf(entry).contains(m_query.tag))
        return false;
    return std::all_of(words.begin(), words.end(), [&entry, this](const QString& word) {
        // Part of an id is meant only when it is long enough to be one.
        return containsWord(entry.point->words, word) || containsWord(entry.words, word) ||
               (word.size() >= 8 && entry.id.find(word.toStdString()) != std::string::npos) ||
               (!(m_runTags.isEmpty() && m_sweepTags.isEmpty()) &&
                containsWord(tagsOf(entry).join(QLatin1Char('\n')).toLower(), word));
    });
}

QStringList RunsModel::queryWords() const
{
    return m_query.text.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

void RunsModel::filter()
{
    const QStringList words = queryWords();
    m_shown.clear();
    for (const int i : m_order)
        if (matches(at(i), words))
            m_shown.push_back(i);
    m_nodes.clear();
    if (!m_grouped)
        return;
    QHash<QString, std::size_t> bySweep;
    for (const int i : m_shown) {
        const auto place = bySweep.constFind(at(i).sweep);
        if (place != bySweep.constEnd()) {
            m_nodes[*place].push_back(i);
        } else {
            bySweep.insert(at(i).sweep, m_nodes.size());
            m_nodes.push_back({i});
        }
    }
}

QString RunsModel::cell(const Entry& entry, int column) const
{
    return column == Tags ? tagsOf(entry).join(QStringLiteral(", ")) : entry.cell(static_cast<Column>(column));
}

QString RunsModel::groupCell(const Node& node, int column) const
{
    if (node.size() == 1)
        return cell(at(node.front()), column);
    if (column == Tags)
        return m_sweepTags.value(at(node.front()).sweep).join(QStringLiteral(", "));
    if (column == Parameters) {
        std::map<std::string, std::set<std::string>> values;
        for (const int i : node)
            for (const auto& [name, value] : at(i).point->params)
                values[name].insert(toText(value));
        QStringList varied;
        for (const auto& [name, seen] : values)
            if (seen.size() > 1)
                varied << text(name);
        return varied.isEmpty() ? tr("%1 runs").arg(node.size())
                                : tr("%1 runs over %2").arg(node.size()).arg(varied.join(QStringLiteral(", ")));
    }
    if (column == Result) {
        const auto [low, high] =
            std::minmax_element(node.begin(), node.end(), [&](int a, int b) { return at(a).value < at(b).value; });
        const QString& from = at(*low).result;
        const QString& to = at(*high).result;
        return from == to ? from : from.section(QLatin1Char(' '), 0, 0) + QStringLiteral(" … ") + to;
    }
    const QString& first = at(node.front()).cell(static_cast<Column>(column));
    const bool same = column == When || std::all_of(node.begin(), node.end(), [&](int i) {
                          return at(i).cell(static_cast<Column>(column)) == first;
                      });
    return same ? first : tr("mixed");
}

const RunsModel::Entry* RunsModel::run(const QModelIndex& index) const
{
    if (!index.isValid())
        return nullptr;
    const auto row = static_cast<std::size_t>(index.row());
    if (!m_grouped)
        return &at(m_shown[row]);
    if (index.internalId() == 0)
        return m_nodes[row].size() == 1 ? &at(m_nodes[row].front()) : nullptr;
    return &at(m_nodes[static_cast<std::size_t>(index.internalId() - 1)][row]);
}

std::vector<const RunsModel::Entry*> RunsModel::runs(const QModelIndex& index) const
{
    if (const Entry* one = run(index))
        return {one};
    std::vector<const Entry*> all;
    if (index.isValid())
        for (const int i : m_nodes[static_cast<std::size_t>(index.row())])
            all.push_back(&at(i));
    return all;
}

QString RunsModel::sweep(const QModelIndex& index) const
{
    if (!index.isValid() || run(index))
        return {};
    return at(m_nodes[static_cast<std::size_t>(index.row())].front()).sweep;
}

std::vector<std::string> RunsModel::shownIds() const
{
    std::vector<std::string> ids;
    ids.reserve(m_shown.size());
    for (const int i : m_shown)
        ids.push_back(at(i).id);
    return ids;
}

std::int64_t RunsModel::newestPosition() const
{
    std::int64_t newest = 0;
    for (const Entry& entry : m_entries)
        newest = std::max(newest, entry.position);
    return newest;
}

QModelIndex RunsModel::indexOf(const QString& runId) const
{
    const auto found = m_byId.constFind(runId.toUtf8());
    if (found == m_byId.constEnd())
        return {};
    if (!m_grouped) {
        const auto place = std::find(m_shown.begin(), m_shown.end(), *found);
        return place == m_shown.end() ? QModelIndex() : index(static_cast<int>(place - m_shown.begin()), 0);
    }
    for (std::size_t n = 0; n < m_nodes.size(); ++n) {
        const auto place = std::find(m_nodes[n].begin(), m_nodes[n].end(), *found);
        if (place == m_nodes[n].end())
            continue;
        const QModelIndex top = index(static_cast<int>(n), 0);
        return m_nodes[n].size() == 1 ? top : index(static_cast<int>(place - m_nodes[n].begin()), 0, top);
    }
    return {};
}

QStringList RunsModel::values(Column column) const
{
    QSet<QString> distinct;
    if (column == Tags) {
        for (const TagMap* map : {&m_runTags, &m_sweepTags})
            for (const QStringList& tags : *map)
                distinct += QSet<QString>(tags.begin(), tags.end());
    } else {
        for (const Point* point : m_points)
            if (!point->cells[column].isEmpty())
                distinct.insert(point->cells[column]);
    }
    QStringList sorted(distinct.begin(), distinct.end());
    sorted.sort();
    return sorted;
}

QModelIndex RunsModel::index(int row, int column, const QModelIndex& parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : quintptr{0});
}

QModelIndex RunsModel::parent(const QModelIndex& child) const
{
    if (!child.isValid() || child.internalId() == 0)
        return {};
    return createIndex(static_cast<int>(child.internalId() - 1), 0, quintptr{0});
}

int RunsModel::rowCount(const QModelIndex& parent) const
{
    if (!parent.isValid())
        return m_grouped ? static_cast<int>(m_nodes.size()) : shown();
    if (!m_grouped || parent.internalId() != 0 || parent.column() != 0)
        return 0;
    const auto size = m_nodes[static_cast<std::size_t>(parent.row())].size();
    return size > 1 ? static_cast<int>(size) : 0;
}

int RunsModel::columnCount(const QModelIndex&) const
{
    return ColumnCount;
}

QVariant RunsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole || role == Qt::AccessibleTextRole) {
        const Entry* one = run(index);
        if (one && index.column() == Result && role != Qt::DisplayRole && !one->point->metric.isEmpty())
            return tr("%1: %2").arg(one->point->metric, one->result);
        return one ? cell(*one, index.column())
                   : groupCell(m_nodes[static_cast<std::size_t>(index.row())], index.column());
    }
    if (role == Qt::TextAlignmentRole && index.column() == Result)
        return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
    return {};
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment((section == Result ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
    if (role != Qt::DisplayRole)
        return {};
    const std::array<QString, ColumnCount> titles = {tr("When"),   tr("Experiment"), tr("Parameters"),
                                                     tr("Result"), tr("Target"),     tr("Source"),
                                                     tr("Lesson"), tr("Verdict"),    tr("Tags")};
    return titles[static_cast<std::size_t>(section)];
}

void RunsModel::sort(int column, Qt::SortOrder order)
{
    if (column < 0 || column >= ColumnCount)
        return;
    beginResetModel();
    m_sortColumn = column;
    m_sortOrder = order;
    reorder();
    filter();
    endResetModel();
}

} // namespace ridge::app

#include "moc_runs_model.cpp"
