// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/sweep_chart.h"
#include "app/lesson/reader/blocks/run_blocks.h"
#include "app/lesson/reader/chart_data.h"
#include "app/runs/overlays/overlay_bar.h"
#include "app/runs/table/chart_kinds.h"
#include "app/ui/target_box.h"
#include "base/sweep_points.h"

namespace ridge::app {

SweepBlockWidget::SweepBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent)
    : RunningBlock(
          context, block, tr("Sweep"),
          [&] {
              const auto& sweep = std::get<lessons::SweepBlock>(block.body);
              return Setup{sweep.experiment, sweep.after, sweep.set, sweep.controls, tr("Run sweep")};
          }(),
          parent),
      m_sweep(std::get<lessons::SweepBlock>(block.body)),
      m_plan(new ThemedLabel(theme(), {}, TextStyle::Body, "muted", this)),
      m_chart(new SweepChart(context.theme(), this)), m_other(new PlotChart(context.theme(), this)),
      m_overlays(new OverlayBar(context.app, false, this)),
      m_lacking(new ThemedLabel(theme(), {}, TextStyle::Body, "warn", this))
{
    m_lacking->setVisible(false);
    body()->addWidget(m_plan);
    addControls();
    addRunRow();
    m_chart->setMinimumHeight(340);
    body()->addWidget(m_chart);
    m_other->setVisible(false);
    body()->addWidget(m_other);
    m_lacking->setObjectName(QStringLiteral("lacking"));
    m_lacking->setWordWrap(true);
    body()->addWidget(m_lacking);
    body()->addWidget(m_overlays);
    connect(m_overlays, &OverlayBar::changed, this, &SweepBlockWidget::refresh);
    addHeld();
    addCaption(m_sweep.caption, Caption::After);
    connect(&context.state, &LessonState::runsChanged, this, [this](const QString& id) {
        if (id == blockId())
            refresh();
    });
    connect(panel(), &RunPanel::finished, this, &SweepBlockWidget::refreshAction);
    connect(&context.state, &LessonState::pointSelected, this, [this](const QString& id, const ParamSet& params) {
        const ExperimentInfo* info = experiment();
        const ChartSpec* spec = info ? chartOf(*info, m_sweep.chart) : nullptr;
        const auto x = spec ? params.find(spec->x) : params.end();
        if (id == blockId() && x != params.end())
            chart()->setSelectedX(asNumber(x->second));
    });
    connect(chart(), &SweepChart::pointSelected, this, [this](double x) {
        const ExperimentInfo* info = experiment();
        const ChartSpec* spec = info ? chartOf(*info, m_sweep.chart) : nullptr;
        if (!spec)
            return;
        for (const BlockFrame& frame : state().frames(this->block().id)) {
            const auto value = frame.params.find(spec->x);
            if (value != frame.params.end() && asNumber(value->second) == x)
                return state().selectPoint(this->block().id, frame.params);
        }
    });
    onAbility();
}

void SweepBlockWidget::restore()
{
    state().restoreFrames(block().id);
}

Result<std::vector<ParamSet>> SweepBlockWidget::points() const
{
    return sweepPoints(experiment()->parameters, settings(), m_sweep.sweep);
}

void SweepBlockWidget::onAbility()
{
    const ExperimentInfo* info = experiment();
    if (!info)
        return m_chart->setVisible(false);
    if (const auto wanted = points()) {
        QStringList axes;
        for (const std::string& text : m_sweep.sweep)
            if (const auto axis = parseSweep(info->parameters, text)) {
                const ParamSpec& spec = *info->parameter(axis->name);
                QStringList values;
                for (const ParamValue& value : axis->values)
                    values << QString::fromStdString(valueText(spec, value));
                const QString name = QString::fromStdString(axis->name);
                axes += values.size() == 1 ? tr("%1 = %2").arg(name, values.front())
                        : spec.type == ParamType::Choice
                            ? tr("%1 %2").arg(name, values.join(QStringLiteral(", ")))
                            : tr("%1 from %2 to %3").arg(name, values.front(), values.back());
            }
        m_plan->setText(axes.join(QStringLiteral(", ")) + QStringLiteral(": ") +
                        (wanted->size() == 1 ? tr("one point") : tr("%1 points").arg(wanted->size())));
    }
    refresh();
}

void SweepBlockWidget::refresh()
{
    const ExperimentInfo* info = experiment();
    const ChartSpec* spec = info ? chartOf(*info, m_sweep.chart) : nullptr;
    if (!spec)
        return;
    const auto rows = state().runsOf(block().id);
    std::vector<const record::PredictionRow*> predictions;
    if (state().showsPredictions())
        for (const auto& row : state().predictions())
            predictions.push_back(&row);
    // What others measured comes after one's own prediction and run.
    const QString held = rows.empty() ? QString() : state().held(Outcome::Result);
    m_overlays->setChart(*info, *spec, held.isEmpty() ? rows : std::vector<const record::RunRow*>());
    auto shown = m_overlays->applied(makeChartData({*info, *spec, rows, predictions}));
    // Before the first point there is only the prediction to show; without one the axes would be empty.
    const auto other = plotOfChart(rows, *info, *spec);
    m_chart->setVisible(!other && (!shown.series.empty() || !shown.predictions.empty()));
    m_chart->setData(std::move(shown));
    showOther(m_other, other, theme(), !rows.empty() && held.isEmpty());
    const bool given = rows.empty() || !held.isEmpty() || std::ranges::any_of(rows, [&](const record::RunRow* row) {
                           return row->metrics.contains(spec->y);
                       });
    m_lacking->setVisible(!given);
    if (!given)
        m_lacking->setText(lackingText(*info, *spec));
    refreshBadges(rows, given);
    setCaptionShown(!rows.empty() && held.isEmpty());
    setHeld(tr("Your runs are stored."), held);
    if (!panel()->running())
        refreshAction();
}

std::optional<record::UnfinishedSweep> SweepBlockWidget::unfinished() const
{
    const ExperimentInfo* info = experiment();
    auto wanted = points();
    if (!info || !wanted || !app().store() || state().runsOf(block().id).empty())
        return std::nullopt;
    RunRequest request;
    request.experiment = experimentId();
    request.target = state().targetOf(experimentId()).toStdString();
    request.points = std::move(*wanted);
    auto found =
        record::unfinishedSweep(*app().store(), *info, request, {state().lesson().id, block().id, predictionId()});
    return found ? std::move(*found) : std::nullopt;
}

/// A sweep that was stopped goes on where it was; once it is whole, the button begins another one.
void SweepBlockWidget::refreshAction()
{
    const auto sweep = unfinished();
    panel()->setAction(!sweep ? (state().runsOf(block().id).empty() ? tr("Run sweep") : tr("Run sweep again"))
                       : sweep->missing.size() == 1 ? tr("Run the missing point")
                                                    : tr("Run the other %1 points").arg(sweep->missing.size()));
}

/// Of runs that lack what the chart is of.
QString SweepBlockWidget::lackingText(const ExperimentInfo& info, const ChartSpec& spec) const
{
    const MetricSpec* metric = info.metric(spec.y);
    const QString counts = countsOnlyNote(app(), state().targetOf(experimentId()));
    return (tr("None of these runs has “%1”.").arg(QString::fromStdString(metric ? metric->title : spec.y)) +
            QLatin1Char(' ') + (counts.isEmpty() ? tr("Choose another target in the status bar.") : counts));
}

/// Runs without what was asked for are not called valid: they answer nothing.
void SweepBlockWidget::refreshBadges(const std::vector<const record::RunRow*>& rows, bool given)
{
    delete m_badges;
    m_badges = nullptr;
    if (rows.empty())
        return;
    m_badges = new QWidget(this);
    auto* row = new QHBoxLayout(m_badges);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::s);
    row->addWidget(provenanceBadge(theme(), rows.back()->provenance, m_badges));
    if (!given)
        return header()->addWidget(m_badges);
    const auto spoiled = std::ranges::find_if(rows, [](const auto* run) { return run->validity != "valid"; });
    row->addWidget(validityBadge(theme(), spoiled == rows.end() ? "valid" : (*spoiled)->validity, m_badges));
    header()->addWidget(m_badges);
}

} // namespace ridge::app
