// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/blocks/compare_block.h"

#include "app/drawing/charts/chart_text.h"
#include "app/lesson/reader/blocks/compared_rows.h"
#include "lessons/learner.h"

#include <cmath>

namespace ridge::app {

CompareBlockWidget::CompareBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent)
    : BlockWidget(context, block, tr("Compare"), parent), m_compare(std::get<lessons::CompareBlock>(block.body)),
      m_simulator(lessons::simulatorOf(context.state.lesson(), m_compare)),
      m_panel(new RunPanel(context, block.id, m_compare.experiment, tr("Run on the simulator"), this)),
      m_chart(new PlotChart(context.theme(), this))
{
    m_empty = addLabel({}, TextStyle::Body, "hint");
    m_empty->setObjectName(QStringLiteral("compareEmpty"));
    m_panel->setTarget(QString::fromStdString(m_simulator));
    body()->addWidget(m_panel);
    body()->addWidget(m_chart);
    m_notes = addLabel({}, TextStyle::Caption, "hint");
    m_notes->setObjectName(QStringLiteral("sources"));
    addHeld();
    addCaption(m_compare.caption, Caption::After);
    connect(m_panel, &RunPanel::requested, this, &CompareBlockWidget::activate);
    connect(m_panel, &RunPanel::finished, this, &CompareBlockWidget::refresh);
    connect(&context.state, &LessonState::runsChanged, this, &CompareBlockWidget::refresh);
    connect(&context.state, &LessonState::answersChanged, this, &CompareBlockWidget::refresh);
    connect(&context.state, &LessonState::abilityChanged, this, &CompareBlockWidget::refresh);
    connect(&context.theme(), &Theme::changed, this, &CompareBlockWidget::fitChart);
    refresh();
}

void CompareBlockWidget::activate()
{
    if (canActivate())
        m_panel->start({m_compare.at}, {}, false);
}

void CompareBlockWidget::fitChart()
{
    if (const auto plot = m_chart->plot())
        m_chart->setFixedHeight(
            int(std::ceil(std::max(160.0, plot->heightFor(theme(), std::max(m_chart->width(), 400))))));
}

void CompareBlockWidget::refresh()
{
    const ExperimentInfo* info = app().experiment(m_compare.experiment);
    const MetricSpec* metric = info ? info->metric(m_compare.metric) : nullptr;
    const auto obstacle = state().runObstacle(m_compare.experiment, m_compare.after);
    const bool waits = state().lacksPrediction(m_compare.after) && !state().demonstrates();
    std::vector<const record::RunRow*> runs;
    for (const record::RunRow& row : state().runs())
        if (row.status == "finished")
            runs.push_back(&row);
    std::vector<ComparedMachine> rows;
    if (metric && !waits)
        rows = comparedRows({*info, m_compare, m_simulator, runs, app().baselines()});
    const auto hasOwn = [&](std::size_t at) { return at < rows.size() && rows[at].value.has_value(); };
    const bool simulated = hasOwn(0), any = !rows.empty() && (simulated || hasOwn(rows.size() - 1));
    const QString held = any ? state().held(Outcome::Result) : QString();
    setHeld(tr("Your runs are stored."), held);
    m_panel->setObstacle(obstacle);
    m_panel->setVisible(!simulated || m_panel->running());
    setCaptionShown(any && held.isEmpty());
    m_chart->setVisible(any && held.isEmpty());
    m_notes->setVisible(any && held.isEmpty());
    m_empty->setVisible(!any);
    m_empty->setText(!metric ? (obstacle ? obstacle->line() : tr("The experiment has no such metric."))
                     : waits ? tr("Opens once you have committed the prediction.")
                             : tr("Opens once something was run at this point."));
    if (!any || !held.isEmpty())
        return;
    QStringList point;
    for (const auto& [name, value] : m_compare.at)
        point << parameterWords(*info, name, value);
    const QString title = QString::fromStdString(metric->title);
    m_chart->setPlot(
        std::make_shared<RowsPlot>(comparedPlot(rows, tr("%1 at %2").arg(title, point.join(QStringLiteral(", "))),
                                                title, QString::fromStdString(metric->unit), {})));
    QStringList notes;
    for (const ComparedMachine& row : rows)
        if (row.provenance == Provenance::Recorded && row.value)
            notes << (row.differs.isEmpty() ? tr("%1: %2").arg(row.name, row.source)
                                            : tr("%1: %2. Differs: %3").arg(row.name, row.source, row.differs));
    m_notes->setText(notes.join(QLatin1Char('\n')));
    m_notes->setVisible(!notes.isEmpty());
    fitChart();
}

} // namespace ridge::app

#include "moc_compare_block.cpp"
