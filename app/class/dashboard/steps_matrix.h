// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/class/dashboard/steps_model.h"
#include "app/theme/theme.h"

#include <QTableView>

class QComboBox;
class QLabel;
class QPushButton;

namespace ridge::app {

class FilterBar;

/// A table whose first column stays where it is while the others move under it. The column is a second view of the same
/// model over the first, deaf to keyboard and screen reader: there is one table.
class FrozenTable : public QTableView {
    Q_OBJECT
public:
    explicit FrozenTable(Theme& theme, QWidget* parent = nullptr);
    void setModel(QAbstractItemModel* model) override;
    /// Heads of the right height, a column of names that fits, steps as wide as there is room. After a new report.
    void fit();
    QTableView* names() const { return m_names; }
    int frozenWidth() const { return columnWidth(0); }
    void scrollTo(const QModelIndex& index, ScrollHint hint = EnsureVisible) override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void placeNames();
    void fitAcross();

    Theme& m_theme;
    QTableView* m_names;
    int m_nameWidth = 0, m_machineWidth = 0; ///< that nothing in these columns is cut
};

/// Learners × steps with what filters them and, below, what is known of the chosen cell.
class StepsMatrix : public QWidget {
    Q_OBJECT
public:
    explicit StepsMatrix(Theme& theme, QWidget* parent = nullptr);

    void setReport(const classroom::ClassReport& report, const QStringList& titles);
    /// Only these, with the reason on a button that shows everybody again.
    void showOnly(const std::vector<classroom::Person>& learners, const QString& why);

    StepsModel* model() const { return m_model; }
    FrozenTable* table() const { return m_table; }
    QString detail() const;

Q_SIGNALS:
    void lessonRequested(const QString& lesson);

private:
    void applyFilter();
    void showDetail();

    Theme& m_theme;
    StepsModel* m_model;
    FrozenTable* m_table;
    FilterBar* m_filters;
    QComboBox* m_show;
    QPushButton* m_everyone;
    QLabel* m_key;
    QLabel* m_detail;
    std::vector<classroom::Person> m_only;
};

} // namespace ridge::app
