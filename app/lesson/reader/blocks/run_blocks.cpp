// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/blocks/run_blocks.h"

#include "app/lesson/reader/page_parts.h"
#include "app/runs/overlays/overlay_bar.h"
#include "evidence/evidence.h"
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
    for (const std::string& name : m_setup.controls)
        if (const ParamSpec* spec = info->parameter(name))
            specs.push_back(*spec);
    ParamSet values = m_setup.set;
    // A block that has run before opens with what the reader last chose.
    for (const record::RunRow* row : state().latestRequest(block().id))
        for (const std::string& name : m_setup.controls)
            if (const auto found = row->params.find(name); found != row->params.end())
                values[name] = found->second;
    m_form = new ParameterForm(theme(), specs, values, AppContext::targetClass(state().targetOf(m_setup.experiment)),
                               m_formHolder);
    m_formHolder->layout()->addWidget(m_form);
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
      m_verdict(new ThemedLabel(theme(), {}, TextStyle::Body, "", this))
{
    addText(m_challenge.question, ProseLook::Question);
    addControls();
    addRunRow();
    m_result->setVisible(false);
    body()->addWidget(m_result);
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

void ChallengeBlockWidget::refresh()
{
    const auto rows = state().runsOf(block().id);
    if (!rows.empty() && experiment()) {
        m_result->show(*experiment(), *rows.back(), state().pointTitle(block().id, rows.back()->params));
        m_result->setVisible(true);
    }
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
