// SPDX-License-Identifier: GPL-3.0-or-later
// What the bench of a kernel is made of.
#include "app/kernels/debug_panel.h"
#include "app/kernels/grade_panel.h"
#include "app/kernels/history_panel.h"
#include "app/kernels/kernel_bench.h"
#include "app/kernels/kernel_results.h"
#include "app/kernels/launch_form.h"
#include "app/kernels/problem_list.h"
#include "app/kernels/ptx_panel.h"
#include "app/kernels/replace_bar.h"
#include "app/session/background.h"
#include "app/ui/elided_box.h"
#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"
#include "app/ui/target_box.h"

#include <QComboBox>
#include <QProgressBar>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace ridge::app {

QWidget* KernelBench::makeHeader()
{
    Theme& theme = m_context.theme();
    auto* header = new QWidget;
    header->setAccessibleName(tr("Kernel and target"));
    auto* outer = new QVBoxLayout(header);
    outer->setContentsMargins(space::m, space::s, space::m, space::xs);
    outer->setSpacing(space::xs);
    auto* place = new QWidget;
    place->setAccessibleName(tr("Kernel and target"));
    auto* row = new FlowLayout(place);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::s);
    QPushButton* shelf = makeButton(tr("Kernels"), tr("All kernels of your own"));
    connect(shelf, &QPushButton::clicked, this, &KernelBench::shelfWanted);
    row->addWidget(shelf);
    QLabel* title = makeLabel(theme, name(), TextStyle::Strong);
    title->setMinimumHeight(theme.scaled(kControlHeight));
    row->addWidget(title);
    m_targets = new TargetBox(m_context);
    m_targets->setSizeAdjustPolicy(QComboBox::AdjustToContents); // filled after it is shown
    m_targets->setAccessibleName(tr("Target"));
    m_targets->setToolTip(tr("What executes the kernel"));
    connect(m_targets, &QComboBox::activated, this,
            [this] { m_context.setTarget(m_targets->currentData().toString()); });
    row->addWidget(m_targets);
    m_metrics = new QComboBox;
    m_metrics->setAccessibleName(tr("Number beside each line"));
    for (int metric = 0; metric < kHeatMetrics; ++metric) {
        m_metrics->addItem(heatTitle(HeatMetric(metric)), metric);
        m_metrics->setItemData(metric, heatHelp(HeatMetric(metric)), Qt::ToolTipRole);
    }
    m_metrics->setCurrentIndex(int(HeatMetric::StallCycles));
    connect(m_metrics, &QComboBox::currentIndexChanged, this, &KernelBench::showHeat);
    row->addWidget(m_metrics);
    m_start = makeButton(tr("Run"), tr("Runs the kernel as the form says (F5)"), true);
    m_stop = makeButton(tr("Stop"), tr("Ends the worker that runs it (Shift+F5)"));
    connect(m_start, &QPushButton::clicked, this, &KernelBench::run);
    connect(m_stop, &QPushButton::clicked, this, &KernelBench::stop);
    row->addWidget(m_start);
    row->addWidget(m_stop);
    outer->addWidget(place);
    m_status = makeText(theme, {}, TextStyle::Caption, QStringLiteral("muted"));
    m_status->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    outer->addWidget(m_status);
    m_progress = new QProgressBar;
    m_progress->setAccessibleName(tr("Progress of the run"));
    m_progress->setTextVisible(false);
    m_progress->setMaximumHeight(8);
    m_progress->setRange(0, 1000);
    QSizePolicy still = m_progress->sizePolicy();
    still.setRetainSizeWhenHidden(true); // the source does not jump when a run begins
    m_progress->setSizePolicy(still);
    outer->addWidget(m_progress);
    return header;
}

QWidget* KernelBench::makeSource()
{
    Theme& theme = m_context.theme();
    auto* split = new QSplitter(Qt::Vertical);
    split->setAccessibleName(tr("Source and problems"));
    split->setChildrenCollapsible(false);
    split->setHandleWidth(1);
    auto* top = new QWidget;
    top->setAccessibleName(tr("Source"));
    auto* column = new QVBoxLayout(top);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_editor = new KernelEditor(theme);
    m_find = new ReplaceBar(theme, *m_editor);
    column->addWidget(m_find);
    column->addWidget(m_editor, 1);
    // However large the text, some lines are seen.
    const auto fit = [this, &theme] { m_editor->setMinimumHeight(5 * theme.lineHeight(TextStyle::Code)); };
    fit();
    connect(&theme, &Theme::changed, m_editor, fit);
    split->addWidget(top);
    m_problems = new ProblemList(theme);
    m_debugger = new DebugPanel(theme, Background::of(m_context));
    m_below = new QTabWidget;
    m_below->setObjectName(QStringLiteral("kernelBelow"));
    m_below->setAccessibleName(tr("Problems, debugger and buffers"));
    m_below->tabBar()->setAccessibleName(tr("Problems, debugger and buffers"));
    m_below->setDocumentMode(true);
    m_below->addTab(m_problems, tr("Problems"));
    m_below->addTab(m_debugger, tr("Debugger"));
    m_buffers =
        new NumberTable(theme, tr("Buffers"), {tr("Buffer"), tr("Element"), tr("Before"), tr("After"), tr("Expected")});
    m_buffers->setObjectName(QStringLiteral("buffers"));
    m_below->addTab(m_buffers, tr("Buffers"));
    m_sideShown = new QToolButton;
    m_sideShown->setText(tr("Launch and results"));
    m_sideShown->setToolTip(tr("Shows launch and results beside the code, or gives their room to the debugger"));
    m_sideShown->setObjectName(QStringLiteral("sideShown"));
    m_sideShown->setCheckable(true);
    m_sideShown->setChecked(true);
    connect(m_sideShown, &QToolButton::toggled, this, [this](bool shown) {
        m_foldsSide = false; // whoever has chosen keeps it
        showSide(shown);
    });
    m_below->setCornerWidget(m_sideShown);
    split->addWidget(m_below);
    m_sourceSplit = split;
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 0);
    split->setSizes({700, theme.scaled(190)});
    connect(m_problems, &ProblemList::chosen, this, [this](int line, int place) {
        m_editor->goToLine(line, place);
        m_editor->setFocus(Qt::OtherFocusReason);
    });
    return split;
}

QWidget* KernelBench::makeSide()
{
    Theme& theme = m_context.theme();
    m_side = new QTabWidget;
    m_side->setAccessibleName(tr("Launch and results"));
    m_side->setDocumentMode(true);
    m_side->tabBar()->setAccessibleName(tr("Launch and results"));
    m_side->tabBar()->setExpanding(false);
    m_side->tabBar()->setProperty("dense", true);
    auto* scroll = new ColumnScroll(900, tr("Launch"));
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    scroll->widget()->layout()->setContentsMargins(space::m, space::m, space::m, space::m);
    m_form = new LaunchForm(theme);
    scroll->column()->addWidget(m_form);
    m_results = new KernelResults(theme);
    m_results->setMessage(tr("Nothing run yet"),
                          tr("Run or F5 launches the kernel. Operations come first, time second."));
    m_lines = new NumberTable(theme, tr("Lines; Enter goes to one"),
                              {tr("Line"), heatTitle(HeatMetric::Instructions),
                               heatTitle(HeatMetric::SectorsPerRequest), heatTitle(HeatMetric::BankConflicts),
                               heatTitle(HeatMetric::StallCycles), tr("Waits most for"), tr("Source")});
    m_counters = new NumberTable(theme, tr("Counters"), {tr("Counter"), tr("Value"), tr("Unit")});
    m_stalls = new NumberTable(theme, tr("Stalls"), {tr("Warp state"), tr("Warp-cycles"), tr("Share")});
    m_versions = new HistoryPanel(theme);
    m_side->addTab(scroll, tr("Launch"));
    m_side->addTab(m_results, tr("Result"));
    m_gradePanel = new GradePanel(theme);
    m_side->addTab(m_gradePanel, tr("Grade"));
    m_side->addTab(m_lines, tr("Lines"));
    m_ptx = new PtxPanel(theme, *m_editor);
    m_side->addTab(m_ptx, tr("PTX"));
    m_side->addTab(m_counters, tr("Counters"));
    m_side->addTab(m_stalls, tr("Stalls"));
    m_side->addTab(m_versions, tr("Versions"));
    connect(m_lines, &NumberTable::lineChosen, this, [this](int line) {
        m_editor->goToLine(line);
        m_editor->setFocus(Qt::OtherFocusReason);
    });
    connect(m_side, &QTabWidget::currentChanged, this, [this] {
        if (m_side->currentWidget() == m_versions)
            m_versions->setTextNow(m_editor->toPlainText());
    });
    return m_side;
}

} // namespace ridge::app
