// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/blocks/run_blocks.h"

#include "app/drawing/charts/sweep_chart.h"
#include "app/lesson/reader/chart_data.h"
#include "app/lesson/reader/page_parts.h"
#include "app/runs/overlays/overlay_bar.h"
#include "app/ui/several_values.h"
#include "base/sweep_points.h"
#include "evidence/evidence.h"
#include "lessons/controls.h"
#include "lessons/drawn_curve.h"

#include <QPushButton>

namespace ridge::app {

RunningBlock::RunningBlock(const ReaderContext& context, const lessons::Block& block, const QString& kindTitle,
                           Setup setup, QWidget* parent)
    : BlockWidget(context, block, kindTitle, parent), m_setup(std::move(setup)),
      m_history(new ParameterHistory(context.state.changes(), this)),
      m_panel(new RunPanel(context, block.id, m_setup.experiment, m_setup.action, this))
{
    m_panel->button()->setShortcut({});
    connect(m_panel, &RunPanel::requested, this, &RunningBlock::activate);
    connect(&context.state, &LessonState::abilityChanged, this, &RunningBlock::refreshAbility);
}

void RunningBlock::addControls()
{
    m_formHolder = new QWidget(this);
    auto* holder = new QVBoxLayout(m_formHolder);
    holder->setContentsMargins(0, 0, 0, 0);
    body()->addWidget(m_formHolder);
    m_formHolder->setVisible(false);
}

void RunningBlock::addRunRow()
{
    body()->addWidget(m_panel);
    refreshAbility();
}

void RunningBlock::buildForm()
{
    const ExperimentInfo* info = experiment();
    if (m_form || !info || m_setup.controls.empty() || !m_formHolder)
        return;
    std::vector<ParamSpec> specs;
    ParamSet values = m_setup.set;
    // A block that has run before opens with what the reader last chose.
    const auto last = state().latestRequest(block().id);
    for (const std::string& control : m_setup.controls) {
        const std::string name = lessons::controlName(control);
        const ParamSpec* spec = info->parameter(name);
        if (!spec)
            continue;
        std::vector<ParamValue> chosen;
        for (const record::RunRow* row : last)
            if (const auto found = row->params.find(name);
                found != row->params.end() && std::ranges::find(chosen, found->second) == chosen.end())
                chosen.push_back(found->second);
        if (lessons::takesSeveral(control)) {
            auto* several = new SeveralValues(theme(), *spec, control.substr(name.size() + 1), m_formHolder);
            if (!chosen.empty())
                several->setValues(chosen);
            m_several.push_back(several);
            connect(several, &SeveralValues::changed, this, &RunningBlock::onAbility);
            continue;
        }
        specs.push_back(*spec);
        if (!chosen.empty())
            values[name] = chosen.back();
    }
    m_form = new ParameterForm(theme(), specs, values, AppContext::targetClass(state().targetOf(m_setup.experiment)),
                               m_formHolder);
    m_formHolder->layout()->addWidget(m_form);
    m_form->setVisible(!specs.empty());
    for (SeveralValues* several : m_several)
        m_formHolder->layout()->addWidget(several);
    m_formHolder->setVisible(true);
    connect(m_form, &ParameterForm::changed, this, &RunningBlock::onAbility);
    m_history->watch(m_form, false);
}

void RunningBlock::refreshAbility()
{
    buildForm();
    m_panel->setObstacle(state().runObstacle(m_setup.experiment, m_setup.after));
    onAbility();
}

ParamSet RunningBlock::settings() const
{
    ParamSet set = m_setup.set;
    // Below a curve that was drawn at another setting, that setting runs.
    const lessons::Block* after = m_setup.after.empty() ? nullptr : state().lesson().block(m_setup.after);
    if (const auto* draw = after ? std::get_if<lessons::DrawBlock>(&after->body) : nullptr)
        if (const auto curves = state().answersOf(m_setup.after); !curves.empty())
            for (const auto& [name, value] : lessons::settingOf(*draw, answerFromJson(*curves.back()->answer).instance))
                set[name] = value;
    if (m_form)
        for (const auto& [name, value] : m_form->values())
            set[name] = value;
    return set;
}

std::vector<std::string> RunningBlock::severalAxes() const
{
    std::vector<std::string> axes;
    for (const SeveralValues* several : m_several)
        axes.push_back(several->axis());
    return axes;
}

Result<std::vector<ParamSet>> RunningBlock::points() const
{
    return std::vector<ParamSet>{settings()};
}

void RunningBlock::activate()
{
    if (!m_panel->ready())
        return;
    m_history->settle();
    const auto wanted = points();
    if (!wanted)
        return m_panel->showError(wanted.error(), false);
    if (state().lacksPrediction(m_setup.after))
        return m_panel->demonstrate(*wanted);
    if (auto sweep = unfinished())
        return m_panel->resume(std::move(*sweep));
    m_panel->start(*wanted, predictionId(), true);
}

std::string RunningBlock::predictionId() const
{
    const auto* prediction = m_setup.after.empty() ? nullptr : state().prediction(m_setup.after);
    return prediction ? prediction->id : std::string();
}

// --- run ---------------------------------------------------------------------------------------------------------

RunBlockWidget::RunBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent)
    : RunningBlock(
          context, block, tr("Run"),
          [&] {
              const auto& run = std::get<lessons::RunBlock>(block.body);
              return Setup{run.experiment, run.after, run.set, run.controls, tr("Run")};
          }(),
          parent),
      m_result(new ResultTable(theme(), this)), m_overlays(new OverlayBar(context.app, false, this))
{
    addControls();
    m_result->setVisible(false);
    addRunRow();
    body()->addWidget(m_result);
    body()->addWidget(m_overlays);
    addHeld();
    addCaption(std::get<lessons::RunBlock>(block.body).caption, Caption::After);
    connect(&context.state, &LessonState::runsChanged, this, [this](const QString& id) {
        if (id == blockId())
            refresh();
    });
    refresh();
}

void RunBlockWidget::restore()
{
    state().restoreFrames(block().id);
}

void RunBlockWidget::refresh()
{
    const auto rows = state().runsOf(block().id);
    setCaptionShown(!rows.empty() && state().held(Outcome::Result).isEmpty());
    if (rows.empty() || !experiment())
        return;
    m_result->show(*experiment(), *rows.back(), state().pointTitle(block().id, rows.back()->params));
    m_result->setVisible(true);
    const QString held = state().held(Outcome::Result);
    setHeld(tr("Your run is stored."), held);
    m_overlays->setPoint(*experiment(), held.isEmpty() ? rows.back() : nullptr);
    panel()->setAction(tr("Run again"));
}

// --- challenge ---------------------------------------------------------------------------------------------------

ChallengeBlockWidget::ChallengeBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent)
    : RunningBlock(
          context, block, tr("Challenge"),
          [&] {
              const auto& goal = std::get<lessons::ChallengeBlock>(block.body);
              return Setup{goal.experiment, {}, goal.set, goal.controls, tr("Try it")};
          }(),
          parent),
      m_challenge(std::get<lessons::ChallengeBlock>(block.body)), m_result(new ResultTable(theme(), this)),
      m_each(new ThemedLabel(theme(), {}, TextStyle::Body, "", this)),
      m_verdict(new ThemedLabel(theme(), {}, TextStyle::Body, "", this))
{
    addText(m_challenge.question, ProseLook::Question);
    addControls();
    addRunRow();
    m_result->setVisible(false);
    body()->addWidget(m_result);
    if (std::ranges::any_of(m_challenge.controls, lessons::takesSeveral)) {
        m_chart = new SweepChart(context.theme(), this);
        m_chart->setMinimumHeight(340);
        m_chart->setVisible(false);
        body()->addWidget(m_chart);
    }
    m_each->setObjectName(QStringLiteral("each"));
    m_each->setVisible(false);
    body()->addWidget(m_each);
    addHeld();
    m_verdict->setObjectName(QStringLiteral("verdict"));
    body()->addWidget(m_verdict);
    m_explains = addText(m_challenge.explains, ProseLook::Card);
    connect(&context.state, &LessonState::checksChanged, this, &ChallengeBlockWidget::refresh);
    refresh();
}

/// What is missing at points that the check names is the solution of the challenge.
bool ChallengeBlockWidget::tellsTheWay(const lessons::CheckOutcome& outcome) const
{
    const auto& checks = state().lesson().checks;
    const auto check = std::ranges::find(checks, outcome.id, &lessons::CheckSpec::id);
    return outcome.state == lessons::CheckState::Missing && check != checks.end() &&
           (check->kind == "metric_ratio" || check->kind == "metric_order");
}

Result<std::vector<ParamSet>> ChallengeBlockWidget::points() const
{
    return blockPoints(experiment()->parameters, settings(), severalAxes());
}

/// The chart of the last sweep above, where it has along its x axis what one try runs several values of.
const ChartSpec* ChallengeBlockWidget::chartSpec() const
{
    const ChartSpec* spec = nullptr;
    for (const lessons::Block* above : state().lesson().blocks()) {
        if (above->id == block().id)
            break;
        if (const auto* sweep = std::get_if<lessons::SweepBlock>(&above->body);
            sweep && sweep->experiment == experimentId())
            spec = chartOf(*experiment(), sweep->chart);
    }
    const bool along = spec && std::ranges::any_of(m_challenge.controls, [spec](const std::string& control) {
                           return lessons::takesSeveral(control) && lessons::controlName(control) == spec->x;
                       });
    return along ? spec : nullptr;
}

void ChallengeBlockWidget::showResults(const std::vector<const record::RunRow*>& rows)
{
    const auto last = state().latestRequest(block().id);
    const ChartSpec* spec = m_chart ? chartSpec() : nullptr;
    m_result->setVisible(last.size() == 1 && !spec);
    if (m_chart)
        m_chart->setVisible(spec != nullptr);
    m_each->setVisible(last.size() > 1 && !spec);
    if (spec)
        return m_chart->setData(makeChartData({*experiment(), *spec, rows, {}}));
    if (last.size() == 1)
        return m_result->show(*experiment(), *last.back(), state().pointTitle(block().id, last.back()->params));
    const auto& checks = state().lesson().checks;
    const auto check = std::ranges::find(checks, m_challenge.check, &lessons::CheckSpec::id);
    QStringList lines;
    for (const record::RunRow* row : last) {
        const auto metric = row->metrics.find(check == checks.end() ? std::string() : check->metric);
        lines += tr("%1: %2").arg(state().pointTitle(block().id, row->params),
                                  metric == row->metrics.end() ? tr("no result") : metricText(metric->second));
    }
    m_each->setText(lines.join(QLatin1Char('\n')));
}

void ChallengeBlockWidget::refresh()
{
    const auto rows = state().runsOf(block().id);
    if (!rows.empty() && experiment())
        showResults(rows);
    bool passed = false;
    for (const auto& [outcome, held] : state().checks()) {
        if (outcome.id != m_challenge.check)
            continue;
        const QString why = held.isEmpty() ? state().held(Outcome::Result) : held;
        setHeld(rows.empty() ? QString() : tr("Your try is stored."), why);
        m_verdict->setVisible(held.isEmpty());
        passed = outcome.state == lessons::CheckState::Passed;
        const QString title = QString::fromStdString(outcome.title);
        const QString detail =
            tellsTheWay(outcome) ? QString() : sentence(namesInWords(context().app, outcome.detail).toStdString());
        m_verdict->setText((passed ? tr("Met: %1").arg(title) : tr("Open: %1. %2").arg(title, detail)).trimmed());
        m_verdict->setTone(passed ? "ok" : rows.empty() ? "hint" : "warn");
    }
    if (m_explains)
        m_explains->setVisible(passed); // the explanation comes after the attempt, not before it
}

} // namespace ridge::app

#include "moc_run_blocks.cpp"
