// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/run_panel.h"

#include "base/target_kind.h"
#include "evidence/demonstration.h"

#include <QAccessible>
#include <QBoxLayout>
#include <QProgressBar>
#include <QPushButton>

namespace ridge::app {

RunPanel::RunPanel(const ReaderContext& context, std::string block, std::string experiment, const QString& action,
                   QWidget* parent)
    : QWidget(parent), m_context(context), m_block(std::move(block)), m_experiment(std::move(experiment)),
      m_controller(new RunController(context.app, this)), m_button(new QPushButton(action, this)),
      m_cancel(new QPushButton(tr("Cancel"), this)), m_progress(new QProgressBar(this)),
      m_status(new ThemedLabel(context.theme(), {}, TextStyle::Caption, "hint", this)),
      m_error(new ErrorCard(context.theme(), this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    auto* row = new QHBoxLayout;
    row->setSpacing(space::m);
    row->addWidget(m_button);
    row->addWidget(m_progress, 1);
    row->addWidget(m_cancel);
    row->addWidget(m_status, 2);
    column->addLayout(row);
    column->addWidget(m_error);
    m_button->setObjectName(QStringLiteral("runButton"));
    m_button->setAccessibleName(action);
    m_cancel->setObjectName(QStringLiteral("cancelButton"));
    m_cancel->setAccessibleName(tr("Cancel the run"));
    m_cancel->setToolTip(tr("Stop the run (Esc or Shift+F5)"));
    m_progress->setTextVisible(false);
    m_progress->setMaximumHeight(8);
    m_progress->setAccessibleName(tr("Progress of the run"));
    m_status->setObjectName(QStringLiteral("runStatus"));
    connect(m_button, &QPushButton::clicked, this, &RunPanel::requested);
    connect(m_error, &ErrorCard::retry, this, &RunPanel::requested);
    connect(m_cancel, &QPushButton::clicked, this, &RunPanel::cancel);
    wire();
    refresh();
}

void RunPanel::wire()
{
    // A progress bar repaints at once whenever its value is set, and a fast sweep sets it a thousand times a second.
    m_showProgress.setSingleShot(true);
    m_showProgress.setInterval(kPictureMs);
    connect(&m_showProgress, &QTimer::timeout, this, [this] {
        if (m_controller->state() != RunState::Running)
            return;
        m_progress->setValue(int(m_fraction * 1000));
        m_status->setText(m_message);
    });
    connect(m_controller, &RunController::stateChanged, this, &RunPanel::refresh);
    connect(m_controller, &RunController::progressed, this, [this](double fraction, const QString& message) {
        m_fraction = fraction;
        m_message = message;
        if (!m_showProgress.isActive())
            m_showProgress.start();
    });
    connect(m_controller, &RunController::sampleArrived, this, [this](const SampleEvent& sample) {
        if (m_samples.empty() && m_keepTraces && m_earlier == 0)
            m_context.state.beginFrames(m_block);
        m_samples[sample.index] = sample;
        m_fraction = m_controller->fraction();
        if (!m_showProgress.isActive())
            m_showProgress.start();
        Q_EMIT sampleArrived(sample);
    });
    connect(m_controller, &RunController::traceArrived, this, [this](std::size_t index, const DecodedTraces& traces) {
        const auto sample = m_samples.find(index);
        if (!m_keepTraces || sample == m_samples.end())
            return;
        BlockFrame frame{
            .params = sample->second.params,
            .scene = {.title = m_context.state.pointTitle(m_block, sample->second.params), .trace = {}, .metrics = {}}};
        for (const auto& [name, metric] : sample->second.metrics)
            frame.scene.metrics[name] = metric.value;
        traces.addTo(frame.scene);
        m_context.state.addFrame(m_block, m_earlier + index, std::move(frame));
    });
    connect(m_controller, &RunController::rowStored, this,
            [this](const record::RunRow& row) { m_context.state.addRun(row); });
    connect(m_controller, &RunController::failed, this, [this](const Error& error) {
        m_failed = true;
        if (error.code != "cancelled")
            showError(error, true);
        Q_EMIT failed(error);
    });
    connect(m_controller, &RunController::done, this, [this] {
        m_context.state.announceNow(); // what came stands on the page before it is said to be over
        announce(!m_failed               ? tr("The run is finished.")
                 : m_samples.empty()     ? tr("The run ended before its first point.")
                 : m_samples.size() == 1 ? tr("The run ended early. One point is kept.")
                                         : tr("The run ended early. %1 points are kept.").arg(m_samples.size()));
        if (!m_failed)
            refresh(); // spoken once; on the page the target stands there again
        Q_EMIT finished(!m_failed);
    });
}

void RunPanel::announce(const QString& text)
{
    m_status->setText(text);
    m_status->setAccessibleName(text);
    QAccessibleEvent event(m_status, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

void RunPanel::setAction(const QString& text)
{
    m_button->setText(text);
    m_button->setAccessibleName(text);
}

void RunPanel::setPrimary(bool primary)
{
    if (m_button->property("primary").toBool() == primary)
        return;
    m_button->setProperty("primary", primary);
    m_button->style()->unpolish(m_button);
    m_button->style()->polish(m_button);
}

void RunPanel::setTarget(const QString& target)
{
    m_target = target;
    refresh();
}

void RunPanel::setObstacle(const std::optional<Obstacle>& obstacle)
{
    m_obstacle = obstacle;
    refresh();
}

QString RunPanel::target() const
{
    return m_target.isEmpty() ? m_context.state.targetOf(m_experiment) : m_target;
}

bool RunPanel::running() const
{
    return m_controller->state() == RunState::Running || m_controller->state() == RunState::Cancelling;
}

bool RunPanel::ready() const
{
    return !m_obstacle && !running();
}

void RunPanel::start(std::vector<ParamSet> points, const std::string& predictionId, bool keepTraces)
{
    begin(std::move(points), {m_context.state.lesson().id, m_block, predictionId}, keepTraces, 0);
}

void RunPanel::demonstrate(std::vector<ParamSet> points)
{
    begin(std::move(points), {m_context.state.lesson().id, demonstrationBlock(m_block), {}}, true, 0);
}

void RunPanel::resume(record::UnfinishedSweep sweep)
{
    begin(std::move(sweep.missing), std::move(sweep.ids), true, sweep.rows.size());
}

void RunPanel::begin(std::vector<ParamSet> points, record::RunContextIds ids, bool keepTraces, std::size_t earlier)
{
    if (!ready())
        return;
    m_earlier = earlier;
    m_error->clear();
    m_samples.clear();
    m_failed = false;
    m_keepTraces = keepTraces;
    m_progress->setRange(0, 1000);
    m_progress->setValue(0);
    RunRequest request{.experiment = m_experiment,
                       .target = target().toStdString(),
                       .seed = 1,
                       .points = std::move(points),
                       .trace = keepTraces,
                       .limits = {}};
    const auto started = m_controller->start(std::move(request), std::move(ids));
    if (started)
        announce(tr("Running…"));
    else
        showError(started.error(), true);
}

void RunPanel::cancel()
{
    m_controller->cancel();
}

void RunPanel::showError(const Error& error, bool canRetry)
{
    m_error->showError(error, canRetry);
}

void RunPanel::refresh()
{
    const bool busy = running();
    // Hiding the focused button would throw the focus to some other block.
    const bool toCancel = busy && m_button->hasFocus();
    const bool toButton = !busy && m_cancel->hasFocus();
    m_progress->setVisible(busy);
    m_cancel->setVisible(busy);
    m_cancel->setEnabled(m_controller->state() == RunState::Running);
    if (toCancel)
        m_cancel->setFocus();
    m_button->setEnabled(ready());
    if (toButton) {
        m_button->show();
        m_button->setFocus();
    }
    m_button->setVisible(!busy);
    m_error->setEnabled(!busy);
    if (m_obstacle) {
        m_status->setText(m_obstacle->line());
        m_button->setToolTip(m_obstacle->line());
    } else if (!busy) {
        // A cluster is one of many that a parameter names, whichever machine stands for them as the target.
        const ExperimentInfo* info = m_context.app.experiment(m_experiment);
        const bool named = info && info->parameter("system") && !machineOfTarget(target().toStdString()).empty();
        const QString where = named ? tr("the chosen system") : m_context.app.targetInfo(target()).title;
        if (!m_failed)
            m_status->setText(tr("on %1").arg(where));
        m_button->setToolTip(tr("Run on %1 (F5)").arg(where));
    }
    m_button->setAccessibleDescription(m_button->toolTip());
}

} // namespace ridge::app

#include "moc_run_panel.cpp"
