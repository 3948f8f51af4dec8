// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/runs/compare/comparison_model.h"
#include "app/session/app_context.h"
#include "app/ui/page.h"

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;
class QStackedWidget;
class QTabWidget;
class QTreeView;

namespace ridge::app {

class Banner;
class PinStrip;

/// Pinned runs against each other: in one chart, side by side on the same axes, and as a table of what differs in
/// result, parameters, code and machine. "compare" shows what is pinned, "compare/<key>,<key>" pins these first.
class ComparePage : public Page {
    Q_OBJECT
public:
    explicit ComparePage(AppContext& context, QWidget* parent = nullptr);

    QString title() const override { return tr("Compare"); }
    /// Errors: "unknown-page" when a key names nothing that is there.
    Result<void> open(const QString& part) override;
    bool ready() const override { return m_context.hasCatalogue() || m_context.catalogueError().has_value(); }
    bool can(Command command) const override;
    void perform(Command command) override;
    QList<QWidget*> panes() const override;

    /// Pins the runs of a file that another machine wrote; the page shows what is wrong with it. Errors of
    /// readRunDocument and PinBoard::add.
    Result<void> addFile(const QString& path);
    /// The same with what was read of the file; reading takes long where it is large.
    Result<void> addFile(const QString& path, std::vector<record::RunRow> runs);
    /// By suffix: .md or .csv (the table), .png or .svg (the chart), .json (the runs). Errors: "cannot-write".
    Result<void> exportTo(const QString& path) const;

    SweepChart* chart() const { return m_chart; }
    ComparisonModel* model() const { return m_model; }
    QTabWidget* tabs() const { return m_tabs; }
    const QList<SweepChart*>& smallCharts() const { return m_small; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeHead();
    QWidget* makePickers();
    QWidget* makeTable();
    Result<void> pinWanted();
    Result<void> addPin(Result<Pin> pin);
    void reload();  ///< the pins changed
    void refresh(); ///< what is shown of them changed
    void fillPickers();
    void fillPoints();
    void arrangeSmall();
    void fitColumns();
    void chooseExport();
    ChartSpec spec() const;
    std::optional<ComparedPoint> point() const;

    AppContext& m_context;
    QStringList m_wanted; ///< keys to pin once the catalogue is there
    QStackedWidget* m_stack;
    QLabel* m_summary = nullptr;
    Banner* m_error = nullptr;
    PinStrip* m_strip = nullptr;
    QComboBox* m_metric = nullptr;
    QComboBox* m_axis = nullptr;
    bool m_axisIsChosen = false; ///< by a person, for these pins
    QComboBox* m_point = nullptr;
    std::vector<ParamValue> m_points; ///< that the box offers below "all points"
    QCheckBox* m_ofLimit = nullptr;
    QCheckBox* m_onlyDifferences = nullptr;
    QTabWidget* m_tabs = nullptr;
    SweepChart* m_chart = nullptr;
    QGridLayout* m_grid = nullptr;
    QList<SweepChart*> m_small;
    QTreeView* m_table = nullptr;
    ComparisonModel* m_model;
};

} // namespace ridge::app
