// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/lab/lab_results.h"

#include "app/drawing/charts/chart_export.h"
#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/schedule_gantt.h"
#include "app/runs/table/chart_kinds.h"
#include "app/runs/table/run_agreement.h"
#include "app/runs/table/run_data.h"
#include "app/runs/table/runs_model.h"
#include "app/ui/elided_box.h"
#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"
#include "app/ui/still_scroll.h"
#include "app/ui/targets.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QStackedWidget>
#include <QTabBar>
#include <QTimer>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

constexpr int kLeastChart = 190;           ///< height at 100 % text
constexpr int kChartId = Qt::UserRole + 1; ///< of a declared chart in the list of views

} // namespace

LabResults::LabResults(AppContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_stack(new QStackedWidget), m_message(nullptr), m_tabs(new QTabWidget),
      m_redraw(new QTimer(this))
{
    setAccessibleName(tr("Results"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);
    auto* holder = new QWidget;
    holder->setAccessibleName(tr("Message"));
    m_message = new QVBoxLayout(holder);
    m_stack->addWidget(holder);

    m_tabs->setAccessibleName(tr("Results"));
    m_tabs->setDocumentMode(true);
    m_tabs->tabBar()->setDrawBase(false);
    m_tabs->tabBar()->setAccessibleName(tr("Chart, scene or table"));
    m_tabs->addTab(makeChartTab(), tr("Chart"));
    m_tabs->addTab(makeSceneTab(), tr("Scene"));
    m_table = new QTreeView;
    m_model = new RunsModel(this);
    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("Result table"));
    m_table->header()->setAccessibleName(tr("Columns"));
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(RunsModel::Parameters, Qt::AscendingOrder);
    m_table->setColumnHidden(RunsModel::Lesson, true);
    m_table->setColumnHidden(RunsModel::Tags, true);
    m_table->setColumnHidden(RunsModel::Experiment, true);
    useRowHeight(context.theme(), m_table);
    // A result stands beside what it is worth, as in Runs.
    m_table->header()->moveSection(RunsModel::Source, RunsModel::Result + 1);
    m_table->header()->moveSection(RunsModel::Verdict, RunsModel::Result + 2);
    const auto widths = [this] {
        const Theme& theme = m_context.theme();
        m_table->setColumnWidth(RunsModel::When, timeColumnWidth(theme));
        for (const auto& [column, width] : {std::pair{RunsModel::Parameters, 190},
                                            {RunsModel::Result, 150},
                                            {RunsModel::Source, 72},
                                            {RunsModel::Verdict, 92},
                                            {RunsModel::Target, 116}})
            m_table->setColumnWidth(column, theme.scaled(width));
    };
    widths();
    connect(&context.theme(), &Theme::changed, m_table, widths);
    connect(m_table, &QTreeView::activated, this, [this](const QModelIndex& index) {
        if (const RunsModel::Entry* run = m_model->run(index))
            Q_EMIT m_context.openRequested(QStringLiteral("runs/") + QString::fromStdString(run->id));
    });
    m_tabs->addTab(m_table, tr("Table"));
    m_stack->addWidget(m_tabs);

    m_redraw->setSingleShot(true);
    m_redraw->setInterval(33);
    connect(m_redraw, &QTimer::timeout, this, &LabResults::refresh);
}

QWidget* LabResults::makeChartTab()
{
    auto* tab = new QWidget;
    tab->setAccessibleName(tr("Chart"));
    auto* column = new QVBoxLayout(tab);
    column->setContentsMargins(0, space::m, 0, 0);
    column->setSpacing(space::m);
    // Large text in a low window: the chart keeps a size in which it can be read, and its page scrolls.
    auto* scroll = new StillScroll;
    scroll->setAccessibleName(tr("Chart"));
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(tab);
    auto* row = new QHBoxLayout;
    row->setSpacing(space::s);
    auto* pickers = new FlowLayout;
    row->addLayout(pickers, 1);
    // A list stays beside its name; of several a narrow window puts some below.
    const auto picker = [&](const QString& label, const QString& help, QWidget** shown) {
        auto* both = new QWidget;
        both->setAccessibleName(label);
        auto* pair = new QHBoxLayout(both);
        pair->setContentsMargins(0, 0, 0, 0);
        pair->setSpacing(space::s);
        pair->addWidget(makeLabel(m_context.theme(), label, TextStyle::Body, QStringLiteral("muted")));
        pickers->addWidget(both);
        *shown = both;
        auto* box = new ElidedBox;
        box->setAccessibleName(label);
        box->setToolTip(help);
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        // The chart's title says a long name in full.
        const auto fitBox = [this, box] {
            box->setMinimumWidth(m_context.theme().scaled(60));
            box->setMaximumWidth(m_context.theme().scaled(180));
        };
        fitBox();
        connect(&m_context.theme(), &Theme::changed, box, fitBox);
        connect(box, &QComboBox::activated, this, &LabResults::refresh);
        pair->addWidget(box);
        return box;
    };
    QWidget* viewPlace = nullptr;
    m_viewPicker = picker(tr("View"), tr("Which picture of the runs is shown"), &viewPlace);
    for (const auto& [view, name] :
         {std::pair(View::Line, tr("Line")), std::pair(View::Bars, tr("Bars")),
          std::pair(View::HeatMap, tr("Heat map")), std::pair(View::Histogram, tr("Histogram")),
          std::pair(View::WarpStates, tr("Warp states")), std::pair(View::Roofline, tr("Roofline")),
          std::pair(View::TimeLine, tr("Time line"))})
        m_viewPicker->addItem(name, static_cast<int>(view));
    m_metric = picker(tr("Metric"), tr("What the chart shows"), &m_metricPlace);
    m_metric->setObjectName(QStringLiteral("resultMetric"));
    m_axis = picker(tr("over"), tr("The parameter along the bottom"), &m_axisPlace);
    QPushButton* pin = makeButton(tr("Pin"), tr("Puts these runs aside to be compared, up to eight (Ctrl+D)"));
    pin->setObjectName(QStringLiteral("pin"));
    connect(pin, &QPushButton::clicked, this, [this] {
        if (QAction* action = m_context.actions().find(QStringLiteral("run.pin")))
            action->trigger();
    });
    row->addWidget(pin, 0, Qt::AlignTop);
    QPushButton* save = makeButton(tr("Export…"), tr("Saves the result as CSV, JSON or the chart as PNG"));
    connect(save, &QPushButton::clicked, this, &LabResults::exportRequested);
    row->addWidget(save, 0, Qt::AlignTop);
    column->addLayout(row);
    m_chart = new SweepChart(m_context.theme());
    m_chart->setAccessibleName(tr("Chart of the result"));
    m_other = new PlotChart(m_context.theme());
    m_charts = new QStackedWidget;
    m_charts->setAccessibleName(tr("Chart of the result"));
    m_charts->addWidget(m_chart);
    m_charts->addWidget(m_other);
    fitChart();
    connect(&m_context.theme(), &Theme::changed, m_charts, [this] { fitChart(); });
    column->addWidget(m_charts, 1);
    m_overlays = new OverlayBar(m_context, true);
    connect(m_overlays, &OverlayBar::changed, this, &LabResults::refresh);
    column->addWidget(m_overlays);
    m_agreement = makeText(m_context.theme(), {}, TextStyle::Caption, QStringLiteral("muted"));
    m_agreement->hide();
    column->addWidget(m_agreement);
    return scroll;
}

QWidget* LabResults::makeSceneTab()
{
    m_sceneTab = new QWidget;
    m_sceneTab->setAccessibleName(tr("Scene"));
    auto* column = new QVBoxLayout(m_sceneTab);
    column->setContentsMargins(0, space::m, 0, 0);
    return m_sceneTab;
}

void LabResults::showMessage(const QString& title, const QString& text, const QString& button)
{
    while (QLayoutItem* item = m_message->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    auto* message = new EmptyState(m_context.theme(), title, text, button);
    connect(message, &EmptyState::clicked, this, &LabResults::actionWanted);
    m_message->addWidget(message);
    m_stack->setCurrentIndex(0);
}

void LabResults::begin(const ExperimentInfo& info, const QString& x)
{
    const bool same = m_info && m_info->id == info.id;
    const QString metric = same ? m_metric->currentData().toString() : QString();
    const int view = same ? m_viewPicker->currentIndex() : -1;
    m_info = info;
    m_rows.clear();
    m_agreement->hide();
    m_pending.clear();
    m_chip = {};
    m_model->setEntries({});
    delete m_scene;
    m_scene = nullptr;
    m_frameOf.clear();
    m_schedule.reset();
    const std::vector<std::string> known = info.allScenes();
    if (auto scene = known.empty() ? nullptr : makeScene(QString::fromStdString(known.front()))) {
        m_scene = new SceneView(m_context.theme(), std::move(scene));
        if (m_scene->accessibleName().isEmpty())
            m_scene->setAccessibleName(tr("Scene of the traced accesses"));
        m_scene->offerScenes(sceneIds());
        m_sceneTab->layout()->addWidget(m_scene);
    }
    m_tabs->setTabVisible(1, false);
    fillPickers();
    if (!metric.isEmpty())
        m_metric->setCurrentIndex(std::max(0, m_metric->findData(metric)));
    if (const int axis = m_axis->findData(x); axis >= 0)
        m_axis->setCurrentIndex(axis);
    chooseView(x, view);
    refresh();
    m_stack->setCurrentIndex(1);
}

/// `before`: index of the view in the same experiment, -1: it is another one.
void LabResults::chooseView(const QString& x, int before)
{
    const bool byPerson = m_viewPicker->currentIndex() != m_viewForSweep;
    if (before >= 0 && byPerson && view() == View::Declared)
        return;
    // A line needs numbers along the bottom.
    const ParamSpec* swept = m_info->parameter(x.toStdString());
    const bool names = swept && !isNumber(swept->type);
    // The first chart that the experiment declares about this parameter; of no parameter its first one.
    const auto own =
        x.isEmpty() ? m_info->charts.begin() : std::ranges::find(m_info->charts, x.toStdString(), &ChartSpec::x);
    const int chart =
        own == m_info->charts.end() ? -1 : m_viewPicker->findData(QString::fromStdString(own->id), kChartId);
    if (chart >= 0 && (!byPerson || (names && view() != View::Bars)))
        m_viewForSweep = chart;
    else if (names)
        m_viewForSweep = m_viewPicker->findData(static_cast<int>(View::Bars));
    else if (!byPerson)
        m_viewForSweep = m_viewPicker->findData(static_cast<int>(View::Line));
    else
        return;
    m_viewPicker->setCurrentIndex(m_viewForSweep);
}

/// Below the views of every experiment the charts of this one that are no lines over a parameter.
void LabResults::offerDeclared()
{
    const bool chosen = view() == View::Declared;
    while (m_viewPicker->itemData(m_viewPicker->count() - 1).toInt() == static_cast<int>(View::Declared))
        m_viewPicker->removeItem(m_viewPicker->count() - 1);
    for (const ChartSpec& chart : m_info->charts)
        if (chart.kind != "curve") {
            m_viewPicker->addItem(QString::fromStdString(chart.title), static_cast<int>(View::Declared));
            m_viewPicker->setItemData(m_viewPicker->count() - 1, QString::fromStdString(chart.id), kChartId);
        }
    if (chosen)
        m_viewPicker->setCurrentIndex(m_viewForSweep = 0);
}

void LabResults::fillPickers()
{
    // Those of the same experiment are there already, and one of them may be chosen.
    if (m_offered != m_info->id)
        offerDeclared();
    m_offered = m_info->id;
    m_metric->clear();
    m_axis->clear();
    for (const MetricSpec& metric : m_info->metrics)
        m_metric->addItem(QString::fromStdString(metric.title), QString::fromStdString(metric.name));
    for (const ParamSpec& parameter : m_info->parameters)
        if (isNumber(parameter.type))
            m_axis->addItem(QString::fromStdString(parameter.title), QString::fromStdString(parameter.name));
    const ChartSpec own = chartSpec(*m_info, {});
    m_metric->setCurrentIndex(std::max(0, m_metric->findData(QString::fromStdString(own.y))));
    m_axis->setCurrentIndex(std::max(0, m_axis->findData(QString::fromStdString(own.x))));
}

/// Metrics that no run has are greyed, and the chart shows one that there is: first of all the experiment's own
/// charts'.
void LabResults::fitMetric()
{
    if (m_rows.empty())
        return;
    const auto given = [&](const std::string& name) {
        return std::ranges::any_of(m_rows, [&](const record::RunRow& row) { return row.metrics.contains(name); });
    };
    int first = -1;
    for (int i = 0; i < m_metric->count(); ++i) {
        const bool has = given(m_metric->itemData(i).toString().toStdString());
        setItemEnabled(m_metric, i, has, tr("None of these runs has it"));
        if (has && first < 0)
            first = i;
    }
    if (first < 0 || given(m_metric->currentData().toString().toStdString()))
        return;
    for (const ChartSpec& chart : m_info->charts)
        if (const int own = m_metric->findData(QString::fromStdString(chart.y)); own >= 0 && given(chart.y)) {
            first = own;
            break;
        }
    m_metric->setCurrentIndex(first);
}

void LabResults::addRow(const record::RunRow& row)
{
    if (m_rows.empty()) {
        m_chip = chipLinesOf(row.fingerprint);
        addCalibrated(m_chip, m_context.calibration().known(QString::fromStdString(row.target)));
    }
    m_rows.push_back(row);
    m_pending.push_back(row);
    if (!m_redraw->isActive())
        m_redraw->start();
}

void LabResults::end()
{
    const QString said = m_context.store() && !m_rows.empty()
                             ? agreementOfRuns(m_rows, *m_context.store(), m_context.experiments(), whyNoGpu(m_context))
                             : QString();
    m_agreement->setText(said);
    m_agreement->setVisible(!said.isEmpty());
}

void LabResults::addTrace(std::size_t index, const QString& title, const DecodedTraces& traces)
{
    if (auto schedule = traces.payloads.shared<ScheduleTrace>()) {
        m_schedule = std::move(schedule);
        if (!m_redraw->isActive())
            m_redraw->start();
    }
    SceneFrame frame;
    frame.title = title;
    traces.addTo(frame);
    if (!m_scene || (!anySceneSupports(frame) && traces.problem.isEmpty()))
        return;
    const auto [known, fresh] = m_frameOf.try_emplace(index, m_scene->frames().size());
    if (fresh)
        m_scene->appendFrame(std::move(frame));
    else
        m_scene->mergeFrame(known->second, frame);
    m_tabs->setTabVisible(1, true);
}

ChartSpec LabResults::lineSpec() const
{
    ChartSpec spec = chartSpec(*m_info, {});
    const std::string x = m_axis->currentData().toString().toStdString();
    const std::string y = m_metric->currentData().toString().toStdString();
    for (const ChartSpec& declared : m_info->charts)
        if (declared.x == x && declared.y == y)
            return declared;
    spec.x = x;
    spec.y = y;
    spec.title = tr("%1 over %2").arg(m_metric->currentText(), inSentence(m_axis->currentText())).toStdString();
    const ParamSpec* parameter = m_info->parameter(x);
    spec.xScale = parameter && parameter->scale == ParamScale::Log2 ? ParamScale::Log2 : ParamScale::Linear;
    spec.yScale = ParamScale::Linear;
    return spec;
}

SweepChartData LabResults::chartData()
{
    const ChartSpec spec = lineSpec();
    std::vector<const record::RunRow*> rows;
    for (const record::RunRow& row : m_rows)
        rows.push_back(&row);
    m_overlays->setChart(*m_info, spec, std::move(rows));
    return m_overlays->applied(chartOfRuns(m_rows, *m_info, spec));
}

LabResults::View LabResults::view() const
{
    return static_cast<View>(m_viewPicker->currentData().toInt());
}

void LabResults::setView(View view)
{
    if (const int index = m_viewPicker->findData(static_cast<int>(view)); index >= 0)
        m_viewPicker->setCurrentIndex(index);
    m_viewForSweep = -1;
    refresh();
}

void LabResults::setDeclared(const QString& chart)
{
    if (const int index = m_viewPicker->findData(chart, kChartId); index >= 0)
        m_viewPicker->setCurrentIndex(index);
    m_viewForSweep = -1;
    refresh();
}

QString LabResults::declared() const
{
    return m_viewPicker->currentData(kChartId).toString();
}

const ChartSpec* LabResults::declaredSpec() const
{
    const auto found = std::ranges::find(m_info->charts, declared().toStdString(), &ChartSpec::id);
    return found == m_info->charts.end() ? nullptr : &*found;
}

PlotChart* LabResults::shownChart() const
{
    return view() == View::Line ? m_chart : m_other;
}

GanttData LabResults::timeLine() const
{
    std::vector<const record::RunRow*> rows;
    for (const record::RunRow& row : m_rows)
        rows.push_back(&row);
    if (m_schedule)
        return ganttOf(*m_schedule, originOf(rows));
    GanttData none;
    none.title = tr("Time line");
    none.emptyText = tr("Experiments about streams and transfers show here what ran when.");
    return none;
}

std::shared_ptr<Plot> LabResults::otherPlot() const
{
    const std::string metric = m_metric->currentData().toString().toStdString();
    switch (view()) {
    case View::Bars:
        return std::make_shared<RowsPlot>(barsOfRuns(m_rows, *m_info, metric));
    case View::HeatMap:
        return std::make_shared<HeatMapPlot>(
            heatMapOfRuns(m_rows, *m_info, metric, m_axis->currentData().toString().toStdString()));
    case View::Histogram:
        return std::make_shared<HistogramPlot>(histogramOfRuns(m_rows, *m_info, metric));
    case View::WarpStates:
        return std::make_shared<CostPlot>(warpStatesOfRuns(m_rows, *m_info));
    case View::Roofline:
        return std::make_shared<RooflinePlot>(rooflineOfRuns(m_rows, *m_info, m_chip));
    case View::TimeLine:
        return std::make_shared<GanttPlot>(timeLine());
    case View::Declared:
        if (const ChartSpec* spec = declaredSpec()) {
            ChartRuns runs;
            for (const record::RunRow& row : m_rows)
                runs.push_back(&row);
            return plotOfChart(runs, *m_info, *spec);
        }
        break;
    case View::Line:
        break;
    }
    return nullptr;
}

/// Draws the view that is chosen; the pickers it has no use for are out of the way.
void LabResults::showView()
{
    const View shown = view();
    const bool metric =
        shown == View::Line || shown == View::Bars || shown == View::HeatMap || shown == View::Histogram;
    const bool axis = shown == View::Line || shown == View::HeatMap;
    m_metricPlace->setVisible(metric);
    m_axisPlace->setVisible(axis);
    m_chart->setData(chartData());
    if (shown != View::Line) {
        m_overlays->hide();
        m_other->setPlot(otherPlot());
    }
    m_charts->setCurrentWidget(shownChart());
    fitChart();
}

/// Bars take the height that they need and the page scrolls; every other picture fills what there is.
void LabResults::fitChart()
{
    const Theme& theme = m_context.theme();
    double needed = theme.scaled(kLeastChart);
    if (m_info && view() != View::Line && m_other->plot())
        needed = std::max(needed, m_other->plot()->heightFor(theme, m_charts->width()));
    m_charts->setMinimumHeight(static_cast<int>(std::ceil(needed)));
}

void LabResults::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitChart();
}

void LabResults::refresh()
{
    if (!m_info)
        return;
    fitMetric();
    showView();
    if (m_pending.empty())
        return;
    std::vector<RunsModel::Entry> entries;
    for (record::RunRow& row : m_pending)
        entries.push_back(RunsModel::makeEntry(row, m_context.experiments()));
    m_pending.clear();
    m_model->addEntries(std::move(entries));
}

Result<void> LabResults::exportTo(const QString& path) const
{
    const std::filesystem::path file(path.toStdString());
    if (m_rows.empty())
        return Error{"nothing-to-export", "There is no result yet.", path.toStdString(), "Run the experiment first."};
    if (path.endsWith(QLatin1String(".json"), Qt::CaseInsensitive))
        return writeFile(file, runsToJson(m_rows).dump(2) + "\n");
    if (path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive))
        return writeFile(file, runsToCsv(m_rows).toStdString());
    const PlotChart* chart = shownChart();
    auto written = writeChart(chart->plot(), path, QSize(960, 540));
    shownChart()->redraw(); // a plot remembers its last layout
    return written;
}

} // namespace ridge::app

#include "moc_lab_results.cpp"
