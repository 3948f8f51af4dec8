// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/chips/parity_plot.h"
#include "app/session/app_context.h"
#include "app/ui/page.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QSplitter;
class QTreeView;

namespace ridge::app {

class Banner;
class FilterBar;
class OneLine;
class PlotChart;

/// The data sets of assets/parity as rows, their errors as columns. Qt::UserRole gives what a column sorts by.
class ParityModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Title, Rows, Mean, Ninety, Worst, Goal, Fitted, Columns };
    ParityModel(const std::vector<parity::Set>& sets, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    const std::vector<parity::Set>& m_sets;
    std::vector<parity::Errors> m_errors;
};

/// Measured against modelled: every data set that the engines are held to, with errors, source and what other ground
/// truths say of the same points. Pages are "parity" and "parity/gemm-a100-bf16,gemm-h200-bf16".
class ParityPage : public Page {
    Q_OBJECT
public:
    explicit ParityPage(AppContext& context, QWidget* parent = nullptr);

    Result<void> open(const QString& part) override;
    QString title() const override { return tr("Measured and modelled"); }
    QString part() const override { return chosen().join(QLatin1Char(',')); }
    bool can(Command command) const override;
    void perform(Command command) override;
    QList<QWidget*> panes() const override;

    QStringList chosen() const; ///< ids, in the order of the list
    void choose(const QStringList& ids);
    PlotChart* chart() const { return m_chart; }
    QTreeView* list() const { return m_view; }
    QCheckBox* ratio() const { return m_ratio; }
    QString provenance() const; ///< what stands below the chart

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    class Filter;
    QWidget* makeHead();
    QWidget* makeList();
    QWidget* makePicture();
    void applyQuery();
    void showChosen();
    QString wordsAbout(const parity::Set& set) const;
    void fitColumns();
    void arrange();
    void chooseExport();

    AppContext& m_context;
    std::vector<parity::Set> m_sets;
    std::vector<parity::Spread> m_spreads;
    ParityModel* m_model = nullptr;
    Filter* m_filter = nullptr;
    Banner* m_error = nullptr;
    OneLine* m_summary = nullptr;
    FilterBar* m_filters = nullptr;
    QComboBox* m_group = nullptr;
    QComboBox* m_seen = nullptr;
    QTreeView* m_view = nullptr;
    QSplitter* m_split = nullptr;
    PlotChart* m_chart = nullptr;
    QLabel* m_about = nullptr;
    QPushButton* m_lab = nullptr;
    QCheckBox* m_ratio = nullptr;
};

} // namespace ridge::app
