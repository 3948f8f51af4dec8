// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"
#include "record/run_heads.h"

#include <QAbstractItemModel>
#include <QHash>
#include <QSet>
#include <array>
#include <memory>

namespace ridge::app {

/// Which stored runs the table shows. Empty strings: any.
struct RunQuery {
    QString text; ///< every word must occur in a cell
    QString experiment, target, lesson, tag;
    bool operator==(const RunQuery&) const = default;
};

/// The labels of runs and sweeps, by their id. What a sweep carries, its runs carry.
using TagMap = QHash<QString, QStringList>;

/// The stored runs as a table, or as a tree of sweeps. Made for a hundred thousand rows: texts that runs share are kept
/// once, the order is kept beside the filter, and neither touches JSON. GUI thread.
class RunsModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { When, Experiment, Parameters, Result, Target, Source, Lesson, Verdict, Tags, ColumnCount };

    /// What runs at one point on one target have in common.
    struct Point {
        ParamSet params;
        std::array<QString, ColumnCount> cells; ///< When, Result and Tags are empty
        QString metric;                         ///< title of what the result is of
        QString words;                          ///< all cells, and the experiment's id, in lower case
    };
    /// One run with its texts.
    struct Entry {
        std::string id;
        QString sweep;             ///< its sweep's id, else its own
        std::int64_t position = 0; ///< in the store
        std::int64_t at = 0;       ///< milliseconds since 1970
        bool failed = false;
        QString when, result;
        QString words; ///< the two in lower case
        double value = 0;
        std::shared_ptr<const Point> point;

        const QString& cell(Column column) const;
    };
    /// Makes entries; can be used on any thread. Keep one for many rows: what they share is made once.
    class Maker {
    public:
        explicit Maker(std::span<const ExperimentInfo> experiments) : m_experiments(experiments) {}
        /// `withheld`: what it gave is not shown now.
        Entry operator()(const record::RunHead& run, bool withheld = false);

    private:
        std::span<const ExperimentInfo> m_experiments;
        std::map<std::string, std::shared_ptr<const Point>> m_points;
    };
    /// The head of a whole row, for tables of runs that are in memory anyway.
    static Entry makeEntry(const record::RunRow& run, std::span<const ExperimentInfo> experiments,
                           bool withheld = false);

    explicit RunsModel(QObject* parent = nullptr);

    void setEntries(std::vector<Entry> entries);
    /// Adds those whose id is new. Older ones behind a table that has the newest first are inserted without a reset.
    void addEntries(std::vector<Entry> entries);
    /// Whether addEntries would insert these without a reset.
    bool goesBehind(std::span<const Entry> entries) const;
    void setQuery(const RunQuery& query);
    void setGrouped(bool grouped);
    bool grouped() const { return m_grouped; }
    void setTags(TagMap runs, TagMap sweeps);

    int total() const { return static_cast<int>(m_entries.size()); }
    int shown() const { return static_cast<int>(m_shown.size()); }
    std::int64_t newestPosition() const; ///< 0 where there is none
    /// Null for a sweep's own row.
    const Entry* run(const QModelIndex& index) const;
    /// The runs below a sweep's row, else the one run.
    std::vector<const Entry*> runs(const QModelIndex& index) const;
    /// Id of the sweep of a sweep's own row, empty for a run.
    QString sweep(const QModelIndex& index) const;
    std::vector<std::string> shownIds() const;
    QModelIndex indexOf(const QString& runId) const;
    /// Distinct cells of a column, sorted: what the filter boxes offer.
    QStringList values(Column column) const;
    QStringList tagsOf(const Entry& entry) const;
    QStringList tagsOfSweep(const QString& sweep) const { return m_sweepTags.value(sweep); }

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    using Node = std::vector<int>; ///< the runs of a sweep that are shown
    void keep(std::vector<Entry> entries);
    bool newer(const Entry& a, const Entry& b) const;
    void sortByTime();
    void reorder(); ///< all entries, by the column
    void filter();  ///< what is shown, in that order
    bool matches(const Entry& entry, const QStringList& words) const;
    QStringList queryWords() const;
    std::vector<int> ranks() const;
    QString cell(const Entry& entry, int column) const;
    QString groupCell(const Node& node, int column) const;
    const Entry& at(int index) const { return m_entries[static_cast<std::size_t>(index)]; }

    std::vector<Entry> m_entries;
    std::vector<int> m_byTime; ///< of all entries, newest first
    std::vector<int> m_order;  ///< of all entries
    std::vector<int> m_shown;  ///< of those that match
    std::vector<Node> m_nodes; ///< only while grouped
    QHash<QByteArray, int> m_byId;
    QSet<const Point*> m_points; ///< of all entries
    TagMap m_runTags, m_sweepTags;
    RunQuery m_query;
    bool m_grouped = false;
    int m_sortColumn = When;
    Qt::SortOrder m_sortOrder = Qt::DescendingOrder;
};

} // namespace ridge::app
