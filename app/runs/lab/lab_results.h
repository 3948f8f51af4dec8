// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/gantt.h"
#include "app/drawing/charts/sweep_chart.h"
#include "app/drawing/scenes/scene_view.h"
#include "app/drawing/scenes/trace_loader.h"
#include "app/runs/overlays/overlay_bar.h"
#include "app/runs/table/run_views.h"
#include "app/session/app_context.h"
#include "base/schedule_trace.h"

#include <QTabWidget>

class QComboBox;
class QLabel;
class QStackedWidget;
class QTimer;
class QTreeView;
class QVBoxLayout;

namespace ridge::app {

class RunsModel;

/// What a bench run gives, while it comes in: chart of any metric over any swept parameter, the scene of its traces,
/// every row. Redraws at most thirty times a second however fast rows arrive.
class LabResults : public QWidget {
    Q_OBJECT
public:
    explicit LabResults(AppContext& context, QWidget* parent = nullptr);

    /// Empties everything for a new run. `x` is the parameter the chart starts with, empty: the experiment's own. It
    /// begins with the first chart that the experiment declares about that parameter, else over names with bars.
    void begin(const ExperimentInfo& info, const QString& x);
    void addRow(const record::RunRow& row);
    /// No further row comes: says whether simulator and GPU agree at these points.
    void end();
    /// Of the run's point `index`; a later one of a point is added to what is there.
    void addTrace(std::size_t index, const QString& title, const DecodedTraces& traces);
    /// `button`: of what the text asks for; actionWanted follows when it is pressed. Empty: there is nothing to press.
    void showMessage(const QString& title, const QString& text, const QString& button = {});

    const std::vector<record::RunRow>& rows() const { return m_rows; }
    /// What the chart tab shows of the runs: the line over a parameter, another picture of the same rows, or a chart
    /// that the experiment declares and that is no line (kChartKinds).
    enum class View { Line, Bars, HeatMap, Histogram, WarpStates, Roofline, TimeLine, Declared };
    void setView(View view); ///< Declared: the first such chart, where there is one
    View view() const;
    void setDeclared(const QString& chart);       ///< the declared chart of that id, where the experiment has it
    QString declared() const;                     ///< id of the declared chart that is shown; empty: another view is
    PlotChart* shownChart() const;                ///< of the view that is chosen
    SweepChart* chart() const { return m_chart; } ///< the line, whether shown or not
    QTabWidget* tabs() const { return m_tabs; }
    OverlayBar* overlays() const { return m_overlays; }
    /// By suffix: .csv and .json are every run; .png, .svg and .md the chart that is shown. Errors: "cannot-write",
    /// "nothing-to-export", "unknown-format".
    Result<void> exportTo(const QString& path) const;

Q_SIGNALS:
    void exportRequested();
    void actionWanted();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeChartTab();
    QWidget* makeSceneTab();
    void fillPickers();
    void chooseView(const QString& x, int before);
    void offerDeclared();
    const ChartSpec* declaredSpec() const;
    void fitMetric();
    void refresh();
    void showView();
    void fitChart();
    ChartSpec lineSpec() const;
    SweepChartData chartData();
    std::shared_ptr<Plot> otherPlot() const;
    GanttData timeLine() const;

    AppContext& m_context;
    std::optional<ExperimentInfo> m_info;
    std::vector<record::RunRow> m_rows;
    QStackedWidget* m_stack;
    QVBoxLayout* m_message;
    QTabWidget* m_tabs;
    QComboBox* m_metric = nullptr;
    QComboBox* m_axis = nullptr;
    SweepChart* m_chart = nullptr;
    PlotChart* m_other = nullptr; ///< every view but the line
    QComboBox* m_viewPicker = nullptr;
    OverlayBar* m_overlays = nullptr;
    QLabel* m_agreement = nullptr;
    QWidget *m_metricPlace = nullptr, *m_axisPlace = nullptr;
    QStackedWidget* m_charts = nullptr;
    std::string m_offered;  ///< experiment whose charts are in the list of views
    int m_viewForSweep = 0; ///< index of the view that was chosen for the sweep and not by a person
    ChipLines m_chip;       ///< of the target that the rows came from
    QWidget* m_sceneTab = nullptr;
    SceneView* m_scene = nullptr;
    std::map<std::size_t, std::size_t> m_frameOf;    ///< of each traced point
    std::shared_ptr<const ScheduleTrace> m_schedule; ///< of the last point that had one
    RunsModel* m_model = nullptr;
    QTreeView* m_table = nullptr;
    QTimer* m_redraw;
    std::vector<record::RunRow> m_pending;
};

} // namespace ridge::app
