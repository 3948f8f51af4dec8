// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"
#include "record/rows.h"

#include <QAbstractItemModel>
#include <array>

namespace ridge::app {

/// Which stored runs the table shows. Empty strings: any.
struct RunQuery {
    QString text; ///< every word must occur in a cell
    QString experiment, target, lesson;
    bool operator==(const RunQuery&) const = default;
};

/// The stored runs as a table, or as a tree of sweeps. Texts are made once when runs come in, so that filtering and
/// sorting thousands of rows touch no JSON. GUI thread.
class RunsModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { When, Experiment, Parameters, Result, Target, Source, Lesson, Verdict, ColumnCount };

    /// One run with its texts; can be made on any thread.
    struct Entry {
        record::RunRow run;
        std::array<QString, ColumnCount> cells;
        QString haystack; ///< all cells in lower case
        double result = 0;
    };
    static Entry makeEntry(record::RunRow run, std::span<const ExperimentInfo> experiments);

    explicit RunsModel(QObject* parent = nullptr);

    void setEntries(std::vector<Entry> entries);
    /// Adds those whose id is new.
    void addEntries(std::vector<Entry> entries);
    void setQuery(const RunQuery& query);
    void setGrouped(bool grouped);
    bool grouped() const { return m_grouped; }

    int total() const { return static_cast<int>(m_entries.size()); }
    int shown() const { return m_shown; }
    /// Null for a sweep's own row.
    const record::RunRow* run(const QModelIndex& index) const;
    /// The runs below a sweep's row, else the one run.
    std::vector<record::RunRow> runs(const QModelIndex& index) const;
    std::vector<record::RunRow> shownRuns() const;
    QModelIndex indexOf(const QString& runId) const;
    /// Distinct cells of a column, sorted: what the filter boxes offer.
    QStringList values(Column column) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    struct Node {
        std::vector<int> entries; ///< one in a flat table
        std::array<QString, ColumnCount> cells;
    };
    void rebuild();
    bool matches(const Entry& entry, const QStringList& words) const;
    bool before(const Entry& a, const Entry& b) const;
    QString groupCell(const Node& node, int column) const;
    const Entry* entry(const QModelIndex& index) const;

    std::vector<Entry> m_entries;
    std::vector<Node> m_nodes;
    RunQuery m_query;
    bool m_grouped = false;
    int m_shown = 0;
    int m_sortColumn = When;
    Qt::SortOrder m_sortOrder = Qt::DescendingOrder;
};

} // namespace ridge::app
