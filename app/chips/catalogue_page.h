// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/chips/chip_comparison.h"
#include "app/chips/chip_list.h"
#include "app/session/app_context.h"
#include "app/ui/page.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QTabWidget;
class QTreeView;

namespace ridge::app {

class Banner;
class ChoiceBar;
class FilterBar;
class OneLine;
class PlotChart;

/// Every chip of assets/chips/gpus.json: a list to filter and sort, two to four of them side by side with ratios and
/// sources, and their rooflines in one chart. Pages are "catalogue" and "catalogue/h100-sxm,h200-sxm".
class CataloguePage : public Page {
    Q_OBJECT
public:
    explicit CataloguePage(AppContext& context, QWidget* parent = nullptr);

    Result<void> open(const QString& part) override;
    QString title() const override { return tr("GPU catalogue"); }
    QString part() const override { return m_list ? m_list->chosen().join(QLatin1Char(',')) : QString(); }
    bool can(Command command) const override;
    void perform(Command command) override;
    QList<QWidget*> panes() const override;

    enum Tab { List, SideBySide, Roofline };
    QTabWidget* tabs() const { return m_tabs; }
    ChipListModel* list() const { return m_list; }
    ChipFilter* filter() const { return m_filter; }
    ChipComparisonModel* comparison() const { return m_comparison; }
    PlotChart* chart() const { return m_chart; }
    /// By the file's suffix: csv, md, json; of the comparison while it is shown, else of the list as filtered.
    Result<void> exportTo(const QString& path) const;
    void copy() const; ///< the same table onto the clipboard

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeHead();
    void takeOffers();
    QWidget* makeList();
    QWidget* makeFilterBar();
    QWidget* makeComparison();
    QWidget* makeRoofline();
    QWidget* makeKernelPicker();
    const silicon::KernelProfile* kernel() const;
    void addCopyAction(QTreeView* view);
    void applyQuery();
    void showChosen(); ///< the choice is another one
    void showComparison();
    void showRoofline();
    void showProvenance();
    void toggle(const QModelIndex& index);
    void arrange(); ///< the chart stands beside the comparison where there is room
    void fitColumns();
    void chooseExport();
    ChartTable currentTable() const;

    AppContext& m_context;
    std::optional<silicon::Catalogue> m_catalogue; ///< none: the table cannot be read, and the banner says why
    ChipListModel* m_list = nullptr;
    ChipFilter* m_filter = nullptr;
    ChipComparisonModel* m_comparison = nullptr;
    Banner* m_error = nullptr;
    OneLine* m_summary = nullptr;
    ChoiceBar* m_choice = nullptr;
    QPushButton* m_export = nullptr;
    QPushButton* m_copy = nullptr;
    QTabWidget* m_tabs = nullptr;
    FilterBar* m_filters = nullptr;
    QComboBox* m_vendor = nullptr;
    QComboBox* m_architecture = nullptr;
    QComboBox* m_class = nullptr;
    QStackedWidget* m_listStack = nullptr;
    QTreeView* m_view = nullptr;
    QStackedWidget* m_compareStack = nullptr;
    QSplitter* m_compareSplit = nullptr;
    QTreeView* m_table = nullptr;
    QLabel* m_provenance = nullptr;
    QWidget* m_kernelPicker = nullptr;
    QComboBox* m_kernel = nullptr;
    QWidget* m_chartPane = nullptr; ///< the chart, in a tab of its own, or beside the comparison
    PlotChart* m_chart = nullptr;
};

} // namespace ridge::app
