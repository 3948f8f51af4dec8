// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/runs_model.h"

#include "app/runs/run_data.h"
#include "app/shell/ui/panels.h"
#include "base/units.h"

#include <algorithm>
#include <set>

namespace ridge::app {
namespace {

const ExperimentInfo* known(std::span<const ExperimentInfo> experiments, const std::string& id)
{
    const auto found = std::find_if(experiments.begin(), experiments.end(),
                                    [&id](const ExperimentInfo& info) { return info.id == id; });
    return found == experiments.end() ? nullptr : &*found;
}

/// A number is meant as a whole: "4" finds stride 4 and not 64 or 10:45.
bool containsWord(const QString& haystack, const QString& word)
{
    const bool number = std::all_of(word.begin(), word.end(), [](QChar c) { return c.isDigit(); });
    for (qsizetype at = haystack.indexOf(word); at >= 0; at = haystack.indexOf(word, at + 1)) {
        const qsizetype end = at + word.size();
        const bool cut = (at > 0 && haystack[at - 1].isDigit()) || (end < haystack.size() && haystack[end].isDigit());
        if (!number || !cut)
            return true;
    }
    return false;
}

} // namespace

RunsModel::Entry RunsModel::makeEntry(record::RunRow run, std::span<const ExperimentInfo> experiments)
{
    Entry entry;
    const ExperimentInfo* info = known(experiments, run.experiment);
    const std::string metric = headlineMetric(run, info);
    if (!metric.empty()) {
        const MetricValue& value = run.metrics.at(metric);
        entry.result = value.value;
        entry.cells[Result] = QString::fromStdString(formatQuantity(value.value, value.unit));
    }
    entry.cells[When] = readableTime(run.createdAt);
    entry.cells[Experiment] = QString::fromStdString(run.experiment);
    const QString everything = parameterText(run.params, info);
    entry.cells[Parameters] = info ? parameterText(run.params, info, tellingParameters(run, *info)) : everything;
    entry.cells[Target] = QString::fromStdString(run.target);
    const auto label = shortLabel(run.provenance);
    entry.cells[Source] = QString::fromLatin1(label.data(), static_cast<qsizetype>(label.size()));
    entry.cells[Lesson] = QString::fromStdString(run.lesson);
    entry.cells[Verdict] =
        run.status == "failed"
            ? tr("failed: %1").arg(QString::fromStdString(run.error ? run.error->code : std::string("unknown")))
            : QString::fromStdString(run.validity);
    QStringList all;
    for (const QString& cell : entry.cells)
        all << cell;
    all << everything;
    entry.haystack = all.join(QLatin1Char('\n')).toLower();
    entry.run = std::move(run);
    return entry;
}

RunsModel::RunsModel(QObject* parent) : QAbstractItemModel(parent) {}

void RunsModel::setEntries(std::vector<Entry> entries)
{
    beginResetModel();
    m_entries = std::move(entries);
    rebuild();
    endResetModel();
}

void RunsModel::addEntries(std::vector<Entry> entries)
{
    std::set<std::string> ids;
    for (const Entry& entry : m_entries)
        ids.insert(entry.run.id);
    std::erase_if(entries, [&ids](const Entry& entry) { return ids.contains(entry.run.id); });
    if (entries.empty())
        return;
    beginResetModel();
    std::move(entries.begin(), entries.end(), std::back_inserter(m_entries));
    rebuild();
    endResetModel();
}

void RunsModel::setQuery(const RunQuery& query)
{
    if (query == m_query)
        return;
    beginResetModel();
    m_query = query;
    rebuild();
    endResetModel();
}

void RunsModel::setGrouped(bool grouped)
{
    if (grouped == m_grouped)
        return;
    beginResetModel();
    m_grouped = grouped;
    rebuild();
    endResetModel();
}

bool RunsModel::matches(const Entry& entry, const QStringList& words) const
{
    if (!m_query.experiment.isEmpty() && entry.cells[Experiment] != m_query.experiment)
        return false;
    if (!m_query.target.isEmpty() && entry.cells[Target] != m_query.target)
        return false;
    if (!m_query.lesson.isEmpty() && entry.cells[Lesson] != m_query.lesson)
        return false;
    return std::all_of(words.begin(), words.end(), [&entry](const QString& word) {
        // Part of an id is meant only when it is long enough to be one.
        return containsWord(entry.haystack, word) ||
               (word.size() >= 8 && entry.run.id.find(word.toStdString()) != std::string::npos);
    });
}

bool RunsModel::before(const Entry& a, const Entry& b) const
{
    const bool up = m_sortOrder == Qt::AscendingOrder;
    const Entry& low = up ? a : b;
    const Entry& high = up ? b : a;
    switch (m_sortColumn) {
    case When:
        return std::tie(low.run.createdAt, low.run.id) < std::tie(high.run.createdAt, high.run.id);
    case Result:
        return low.result < high.result;
    case Parameters: {
        // Numbers by size: stride 2 before stride 16.
        for (const auto& [name, value] : low.run.params) {
            const auto other = high.run.params.find(name);
            if (other == high.run.params.end() || value == other->second)
                continue;
            return value < other->second;
        }
        return false;
    }
    default:
        return low.cells[static_cast<std::size_t>(m_sortColumn)].localeAwareCompare(
                   high.cells[static_cast<std::size_t>(m_sortColumn)]) < 0;
    }
}

void RunsModel::rebuild()
{
    const QStringList words = m_query.text.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    std::vector<int> chosen;
    for (int i = 0; i < total(); ++i)
        if (matches(m_entries[static_cast<std::size_t>(i)], words))
            chosen.push_back(i);
    std::stable_sort(chosen.begin(), chosen.end(), [this](int a, int b) {
        return before(m_entries[static_cast<std::size_t>(a)], m_entries[static_cast<std::size_t>(b)]);
    });
    m_shown = static_cast<int>(chosen.size());
    m_nodes.clear();
    QHash<QString, std::size_t> bySweep;
    for (const int i : chosen) {
        const record::RunRow& run = m_entries[static_cast<std::size_t>(i)].run;
        const QString key = QString::fromStdString(run.sweepId.empty() ? run.id : run.sweepId);
        if (m_grouped && bySweep.contains(key)) {
            m_nodes[bySweep.value(key)].entries.push_back(i);
            continue;
        }
        bySweep.insert(key, m_nodes.size());
        m_nodes.push_back({{i}, {}});
    }
    if (m_grouped)
        for (Node& node : m_nodes)
            for (int column = 0; column < ColumnCount; ++column)
                node.cells[static_cast<std::size_t>(column)] = groupCell(node, column);
}

QString RunsModel::groupCell(const Node& node, int column) const
{
    const auto at = [this](int i) -> const Entry& { return m_entries[static_cast<std::size_t>(i)]; };
    if (column == Parameters) {
        if (node.entries.size() == 1)
            return at(node.entries.front()).cells[Parameters];
        std::vector<record::RunRow> rows;
        for (const int i : node.entries)
            rows.push_back(at(i).run);
        const QStringList varied = variedParameters(rows, nullptr);
        return varied.isEmpty() ? tr("%1 runs").arg(rows.size())
                                : tr("%1 runs over %2").arg(rows.size()).arg(varied.join(QStringLiteral(", ")));
    }
    if (column == Result && node.entries.size() > 1) {
        const auto [low, high] = std::minmax_element(node.entries.begin(), node.entries.end(),
                                                     [&](int a, int b) { return at(a).result < at(b).result; });
        const QString from = at(*low).cells[Result];
        const QString to = at(*high).cells[Result];
        return from == to ? from : from.section(QLatin1Char(' '), 0, 0) + QStringLiteral(" … ") + to;
    }
    std::set<QString> distinct;
    for (const int i : node.entries)
        distinct.insert(at(i).cells[static_cast<std::size_t>(column)]);
    if (column == When || distinct.size() == 1)
        return at(node.entries.front()).cells[static_cast<std::size_t>(column)];
    return tr("mixed");
}

const RunsModel::Entry* RunsModel::entry(const QModelIndex& index) const
{
    if (!index.isValid())
        return nullptr;
    if (index.internalId() == 0) {
        const Node& node = m_nodes[static_cast<std::size_t>(index.row())];
        return node.entries.size() == 1 ? &m_entries[static_cast<std::size_t>(node.entries.front())] : nullptr;
    }
    const Node& node = m_nodes[static_cast<std::size_t>(index.internalId() - 1)];
    return &m_entries[static_cast<std::size_t>(node.entries[static_cast<std::size_t>(index.row())])];
}

const record::RunRow* RunsModel::run(const QModelIndex& index) const
{
    const Entry* found = entry(index);
    return found ? &found->run : nullptr;
}

std::vector<record::RunRow> RunsModel::runs(const QModelIndex& index) const
{
    if (const record::RunRow* one = run(index))
        return {*one};
    std::vector<record::RunRow> rows;
    if (index.isValid() && index.internalId() == 0)
        for (const int i : m_nodes[static_cast<std::size_t>(index.row())].entries)
            rows.push_back(m_entries[static_cast<std::size_t>(i)].run);
    return rows;
}

std::vector<record::RunRow> RunsModel::shownRuns() const
{
    std::vector<record::RunRow> rows;
    for (const Node& node : m_nodes)
        for (const int i : node.entries)
            rows.push_back(m_entries[static_cast<std::size_t>(i)].run);
    return rows;
}

QModelIndex RunsModel::indexOf(const QString& runId) const
{
    const std::string id = runId.toStdString();
    for (std::size_t n = 0; n < m_nodes.size(); ++n)
        for (std::size_t k = 0; k < m_nodes[n].entries.size(); ++k)
            if (m_entries[static_cast<std::size_t>(m_nodes[n].entries[k])].run.id == id) {
                const QModelIndex top = index(static_cast<int>(n), 0);
                return m_nodes[n].entries.size() == 1 ? top : index(static_cast<int>(k), 0, top);
            }
    return {};
}

QStringList RunsModel::values(Column column) const
{
    std::set<QString> distinct;
    for (const Entry& entry : m_entries)
        if (!entry.cells[column].isEmpty())
            distinct.insert(entry.cells[column]);
    return {distinct.begin(), distinct.end()};
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
        return static_cast<int>(m_nodes.size());
    if (parent.internalId() != 0 || parent.column() != 0 || !m_grouped)
        return 0;
    const auto size = m_nodes[static_cast<std::size_t>(parent.row())].entries.size();
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
    const auto column = static_cast<std::size_t>(index.column());
    const Entry* one = entry(index);
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole || role == Qt::AccessibleTextRole)
        return one ? one->cells[column] : m_nodes[static_cast<std::size_t>(index.row())].cells[column];
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
    const std::array<QString, ColumnCount> titles = {tr("When"),   tr("Experiment"), tr("Parameters"), tr("Result"),
                                                     tr("Target"), tr("Source"),     tr("Lesson"),     tr("Verdict")};
    return titles[static_cast<std::size_t>(section)];
}

void RunsModel::sort(int column, Qt::SortOrder order)
{
    if (column < 0 || column >= ColumnCount)
        return;
    beginResetModel();
    m_sortColumn = column;
    m_sortOrder = order;
    rebuild();
    endResetModel();
}

} // namespace ridge::app
