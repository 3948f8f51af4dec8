// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/class/teaching/class_values.h"
#include "app/class/teaching/open_table.h"
#include "app/theme/theme.h"
#include "classroom/regrade.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QWidget>

class QComboBox;
class QPushButton;
class QTreeView;

namespace ridge::app {

class FilterBar;

QString stateText(HandIn::State state);

/// How the tables of a class look: columns of these widths at 100 %, one of them stretched.
QTreeView* makeClassTable(Theme& theme, QAbstractItemModel* model, const QString& name, const std::vector<int>& widths,
                          int stretched);

/// A table of texts, with a role of the theme a cell. What the three tables of a class are made of.
class ClassRows : public QAbstractTableModel {
    Q_OBJECT
public:
    struct Cell {
        QString text;
        Role role = Role::Text;
        QVariant sort = {}; ///< what it is sorted by, where that is not the text
    };
    using Row = std::vector<Cell>;
    ClassRows(Theme& theme, const QStringList& header, QObject* parent = nullptr);
    void setRows(std::vector<Row> rows);
    const Row& row(int index) const { return m_rows[static_cast<std::size_t>(index)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    static constexpr int kSort = Qt::UserRole;

private:
    Theme& m_theme;
    QStringList m_header;
    std::vector<Row> m_rows;
};

/// The rows that fit words and one state.
class ClassFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    /// `column` has to say `value`, or anything where `value` is empty.
    void setQuery(const QString& words, int column, const QString& value);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QStringList m_words;
    int m_column = -1;
    QString m_value;
};

/// Who handed in, who is late, who is missing, and which files are odd and why.
class HandInTable : public QWidget {
    Q_OBJECT
public:
    explicit HandInTable(Theme& theme, QWidget* parent = nullptr);
    void setHandIns(const std::vector<HandIn>& handIns, const std::vector<record::MemberRow>& members = {});
    void showOnly(std::optional<HandIn::State> state);
    int shown() const;
    QTreeView* view() const { return m_view; }
    FilterBar* filters() const { return m_filters; }
    QPushButton* dismissButton() const { return m_dismiss; }
    /// Whose the chosen hand-in is, where its learner is not on the roster: a menu of those of whom nothing came.
    QPushButton* joinButton() const { return m_join; }
    void setChangeable(bool changeable);

Q_SIGNALS:
    /// The odd files that are chosen are to go from the list; each by its digest, or by its name where it has none.
    void dismissAsked(const std::vector<std::string>& files);
    /// The pseudonym, and what the member goes by.
    void joinAsked(const std::string& learner, const std::string& whom);

private:
    void filter();
    std::vector<std::string> chosenOddFiles() const;
    std::string chosenStranger() const; ///< empty: none, or more than one row
    void followChoice();

    std::vector<std::string> m_oddKeys;   ///< by row of the model; empty where the row is no odd file
    std::vector<std::string> m_strangers; ///< by row: the pseudonym of who handed in and is not on the roster
    bool m_changeable = true;
    FilterBar* m_filters;
    QPushButton *m_dismiss, *m_join;
    QComboBox* m_state;
    ClassRows* m_model;
    ClassFilter* m_filter;
    QTreeView* m_view;
};

/// Who is in the class, as the roster says, with the pseudonym that was matched.
class RosterTable : public QWidget {
    Q_OBJECT
public:
    explicit RosterTable(Theme& theme, QWidget* parent = nullptr);
    void setMembers(const std::vector<record::MemberRow>& members);
    QTreeView* view() const { return m_view; }

private:
    ClassRows* m_model;
    QTreeView* m_view;
};

/// Runs that did not give again what was handed in, and what could not be run.
class RegradeTable : public QWidget {
    Q_OBJECT
public:
    explicit RegradeTable(Theme& theme, QWidget* parent = nullptr);
    void setReport(const classroom::RegradeReport& report);
    /// Of the class as it is, whoever ran it again and when.
    void setOpen(const std::vector<classroom::OpenLine>& lines, bool changeable);
    QTreeView* view() const { return m_view; }
    OpenTable* open() const { return m_open; }

Q_SIGNALS:
    void decided(const std::vector<ridge::app::OpenChoice>& choices);

private:
    ClassRows* m_model;
    QTreeView* m_view;
    class QLabel* m_words;
    OpenTable* m_open;
};

/// What a re-check found, in a sentence or two.
QString regradeText(const classroom::RegradeReport& report);
/// Whether somebody should look at what it found: runs that could not be confirmed, or requests that could not be run.
/// What was built otherwise is nobody's fault.
bool isDoubtful(const classroom::RegradeReport& report);

} // namespace ridge::app
