// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/lab/lab_page.h"

#include "app/runs/lab/lab_results.h"
#include "app/runs/lab/sweep_editor.h"
#include "app/runs/table/run_data.h"
#include "app/ui/elided_box.h"
#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"
#include "app/ui/parameter_form.h"
#include "app/ui/parameter_history.h"
#include "app/ui/target_box.h"
#include "app/ui/targets.h"
#include "base/json.h"
#include "base/target_choice.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QProgressBar>
#include <QSettings>
#include <QSplitter>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

constexpr int kLeastResults = 600;
constexpr int kLookMs = 150; ///< a pause in typing

const QString kBench = QStringLiteral("lab/bench");

} // namespace

LabPage::LabPage(AppContext& context, Qt::Orientation orientation, QWidget* parent)
    : Page(parent), m_context(context), m_queue(new RunQueue(context, this)),
      m_history(new ParameterHistory(m_changes, this)), m_results(new LabResults(context)),
      m_remembers(orientation == Qt::Horizontal)
{
    setAccessibleName(tr("Lab"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* splitter = new QSplitter(orientation);
    splitter->setAccessibleName(tr("Bench and results"));
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(1);
    splitter->addWidget(makeBench());
    auto* right = new QWidget;
    right->setAccessibleName(tr("Results"));
    auto* column = new QVBoxLayout(right);
    column->setContentsMargins(space::l, space::m, space::l, space::l);
    column->setSpacing(space::m);
    m_error = new Banner(context.theme());
    column->addWidget(m_error);
    column->addWidget(m_results, 1);
    splitter->addWidget(right);
    splitter->setStretchFactor(0, 0);
    splitter->setStretchFactor(1, 1);
    const auto fit = [this, splitter, right, orientation] {
        if (orientation == Qt::Vertical)
            return splitter->setSizes({400, 600});
        // The bench grows with its text, as long as a chart has room beside it.
        const int bench = m_context.theme().scaled(440);
        m_scroll->setMinimumWidth(std::min(m_context.theme().scaled(360), 520));
        right->setMinimumWidth(std::min(m_context.theme().scaled(300), kLeastResults));
        splitter->setSizes({bench, std::max(std::min(bench, kLeastResults), width() - bench)});
    };
    fit();
    connect(&context.theme(), &Theme::changed, splitter, fit);
    layout->addWidget(splitter);

    if (orientation == Qt::Vertical) {
        // A dock is narrow and low: the bench has all of it until there is something to show.
        right->hide();
        connect(m_queue, &RunQueue::jobStarted, right, &QWidget::show);
    }
    connectRun();
    connect(m_results, &LabResults::exportRequested, this, &LabPage::chooseExport);
    connect(m_results, &LabResults::actionWanted, this, [this] { m_unfinished ? resume() : m_start->click(); });
    connect(&context, &AppContext::catalogueReady, this, [this] {
        fillExperiments();
        Q_EMIT readyChanged();
    });
    connect(&context, &AppContext::catalogueFailed, this, [this](const Error& error) {
        m_error->setError(error);
        m_error->show();
        updateState();
        Q_EMIT readyChanged();
    });
    connect(&context, &AppContext::targetChanged, this, [this] {
        fillTargets();
        rebuildForm();
    });
    connect(&context, &AppContext::remotesChanged, this, [this] {
        fillTargets();
        updateState();
    });
    fillExperiments();
}

LabPage::~LabPage()
{
    remember();
    m_changes.disconnect(this); // it tells of its own end
}

QWidget* LabPage::makeBench()
{
    Theme& theme = m_context.theme();
    m_scroll = new ColumnScroll(960, tr("Bench"));
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded); // long numbers in large text: all can be reached
    m_scroll->widget()->layout()->setContentsMargins(space::l, space::l, space::l, space::l);
    QVBoxLayout* column = m_scroll->column();
    column->setSpacing(space::s);
    const auto heading = [&](const QString& text) {
        column->addSpacing(space::s);
        column->addWidget(makeLabel(theme, text, TextStyle::Strong));
    };
    column->addWidget(makeLabel(theme, tr("Experiment"), TextStyle::Strong));
    m_experiments = new ElidedBox;
    m_experiments->setAccessibleName(tr("Experiment"));
    m_experiments->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(m_experiments, &QComboBox::activated, this,
            [this] { chooseExperiment(m_experiments->currentData().toString()); });
    column->addWidget(m_experiments);
    if (m_remembers) { // a dock is too narrow for further ways on
        QPushButton* all =
            makeButton(tr("All as cards…"), tr("Experiments, tasks and kernels with pictures and last runs"));
        all->setObjectName(QStringLiteral("gallery"));
        connect(all, &QPushButton::clicked, this,
                [this] { Q_EMIT m_context.openRequested(QStringLiteral("gallery")); });
        column->addWidget(all, 0, Qt::AlignLeft);
    }
    m_summary = makeText(theme, {}, TextStyle::Body, QStringLiteral("muted"));
    column->addWidget(m_summary);

    heading(tr("Target"));
    m_targets = new TargetBox(m_context);
    m_targets->setAccessibleName(tr("Target"));
    m_targets->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed); // as wide as the bench, not as its longest name
    m_targets->setToolTip(tr("What executes the experiment"));
    connect(m_targets, &QComboBox::activated, this,
            [this] { m_context.setTarget(m_targets->currentData().toString()); });
    column->addWidget(m_targets);
    m_targetNote = makeText(theme, {}, TextStyle::Caption, QStringLiteral("hint"));
    column->addWidget(m_targetNote);

    heading(tr("Parameters"));
    m_formPlace = new QVBoxLayout;
    column->addLayout(m_formPlace);

    heading(tr("Sweep over"));
    m_sweep = new SweepEditor(theme);
    connect(m_sweep, &SweepEditor::changed, this, &LabPage::updateState);
    column->addWidget(m_sweep);

    column->addSpacing(space::m);
    auto* buttons = new FlowLayout;
    m_start = makeButton(tr("Run"), tr("Runs the experiment at these points, after what is running (F5)"), true);
    m_stop = makeButton(tr("Stop"), tr("Stops the run; points already stored stay (Shift+F5)"));
    connect(m_start, &QPushButton::clicked, this, &LabPage::start);
    connect(m_stop, &QPushButton::clicked, m_queue, &RunQueue::cancelCurrent);
    m_resume = makeButton(tr("Run the others"),
                          tr("Runs the points that the sweep still lacks; the others are in the record"));
    m_resume->setObjectName(QStringLiteral("resume"));
    m_resume->hide();
    connect(m_resume, &QPushButton::clicked, this, &LabPage::resume);
    buttons->addWidget(m_start);
    buttons->addWidget(m_resume);
    buttons->addWidget(m_stop);
    column->addLayout(buttons);
    m_status = makeText(theme, {}, TextStyle::Body, QStringLiteral("muted"));
    m_status->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    column->addWidget(m_status);
    m_progress = new QProgressBar;
    m_progress->setAccessibleName(tr("Progress of the run"));
    m_progress->setTextVisible(false);
    m_progress->setMaximumHeight(8);
    m_progress->setRange(0, 1000);
    column->addWidget(m_progress);
    column->addWidget(new RunQueueList(theme, *m_queue));
    QPushButton* own =
        makeButton(tr("A kernel of your own…"), tr("CUDA C++ that you write, with the cost of each line beside it"));
    connect(own, &QPushButton::clicked, this, [this] { Q_EMIT m_context.openRequested(QStringLiteral("kernel")); });
    column->addWidget(own, 0, Qt::AlignLeft);
    column->addStretch(1);
    return m_scroll;
}

void LabPage::connectRun()
{
    RunController* const run = m_queue->controller();
    connect(&m_changes, &QUndoStack::indexChanged, this, &Page::commandsChanged);
    m_look.setSingleShot(true);
    m_look.setInterval(kLookMs);
    connect(&m_look, &QTimer::timeout, this, [this] {
        remember();
        lookForUnfinished();
    });
    connect(m_queue, &RunQueue::changed, this, &LabPage::updateState);
    connect(m_queue, &RunQueue::jobStarted, this, &LabPage::showJob);
    connect(m_queue, &RunQueue::jobFailedToStart, this, [this](const Error& error) {
        m_error->setError(error);
        m_error->show();
    });
    connect(m_queue, &RunQueue::finished, this, [this, run] {
        m_results->end();
        // Who has gone to another page or window hears of it.
        if (run->state() == RunState::Finished && (!isVisible() || !isActiveWindow())) {
            Q_EMIT m_context.notice(tr("Finished: %1").arg(m_queue->current().title), false);
        }
    });
    connect(run, &RunController::progressed, this, [this, run](double fraction, const QString& message) {
        m_progress->setValue(static_cast<int>(fraction * 1000));
        if (run->state() == RunState::Running)
            m_status->setText(message);
    });
    connect(run, &RunController::rowStored, this, [this](const record::RunRow& row) {
        if (row.status == "finished")
            m_results->addRow(row);
    });
    connect(run, &RunController::traceArrived, this, [this](std::size_t index, const DecodedTraces& traces) {
        m_results->addTrace(index, pointTitle(index), traces);
    });
    connect(run, &RunController::failed, this, [this](const Error& error) {
        if (error.code == "cancelled")
            return;
        m_error->setError(error);
        m_error->show();
    });
}

void LabPage::fillExperiments()
{
    m_experiments->clear();
    for (const ExperimentInfo& info : m_context.experiments())
        m_experiments->addItem(QString::fromStdString(info.title), QString::fromStdString(info.id));
    fillTargets();
    if (!m_context.experiments().empty()) {
        if (!m_form)
            restore();
        const QString wanted =
            m_context.experiment(m_experiment.toStdString()) ? m_experiment : m_experiments->itemData(0).toString();
        chooseExperiment(wanted);
        if (const auto proposal = std::exchange(m_proposal, {}))
            propose(*proposal);
    } else {
        m_results->showMessage(
            m_context.catalogueError() ? tr("No experiments to choose from") : tr("Asking for the experiments …"),
            m_context.catalogueError() ? QString::fromStdString(toText(*m_context.catalogueError()))
                                       : tr("The list comes from ridge-worker, the program that runs them."));
        updateState();
    }
}

/// Which bench one sets up is taste, as the window's layout is: it is no learning data.
void LabPage::remember()
{
    if (!m_remembers || !m_form || !m_context.experiment(m_experiment.toStdString()))
        return;
    Json sweep = Json::array();
    for (const std::string& axis : m_sweep->texts())
        sweep.push_back(axis);
    const Json bench{
        {"experiment", m_experiment.toStdString()}, {"params", toJson(m_form->values())}, {"sweep", sweep}};
    if (const QByteArray text = QByteArray::fromStdString(bench.dump()); text != m_remembered) {
        m_remembered = text;
        QSettings().setValue(kBench, text);
    }
}

/// What the settings have of another version, or what somebody wrote there, is left out without a word.
void LabPage::restore()
{
    if (!m_remembers || m_proposal)
        return;
    const QByteArray text = QSettings().value(kBench).toByteArray();
    const Json bench = Json::parse(text.toStdString(), nullptr, false);
    if (!bench.is_object() || !bench.contains("experiment") || !bench["experiment"].is_string())
        return;
    BenchProposal proposal{.experiment = bench["experiment"].get<std::string>(), .params = {}, .sweep = {}};
    const ExperimentInfo* info = m_context.experiment(proposal.experiment);
    if (!info || (!m_experiment.isEmpty() && m_experiment.toStdString() != proposal.experiment))
        return;
    if (auto params = paramSetFromJson(bench.value("params", Json::object()), "settings"))
        for (auto& [name, value] : *params)
            if (const ParamSpec* spec = info->parameter(name); spec && checkValue(*spec, value))
                proposal.params.emplace(name, std::move(value));
    if (const Json sweep = bench.value("sweep", Json::array()); sweep.is_array())
        for (const Json& axis : sweep)
            if (axis.is_string())
                proposal.sweep.push_back(axis.get<std::string>());
    m_experiment = QString::fromStdString(proposal.experiment);
    m_proposal = std::move(proposal);
    m_restored = true;
}

void LabPage::chooseExperiment(const QString& id)
{
    const ExperimentInfo* info = m_context.experiment(id.toStdString());
    if (!info)
        return;
    const bool changed = id != m_experiment || !m_form;
    m_experiment = id;
    m_experiments->setCurrentIndex(m_experiments->findData(id));
    m_summary->setText(QString::fromStdString(info->summary));
    if (!changed)
        return updateState();
    fillTargets();
    rebuildForm();
    m_sweep->setParameters(info->parameters, chartSpec(*info, {}).x, AppContext::targetClass(target()));
    if (runningJobs() == 0)
        sayNothingRun();
    Q_EMIT titleChanged();
}

void LabPage::sayNothingRun()
{
    m_saysUnfinished = false;
    m_results->showMessage(tr("Nothing run yet"),
                           tr("Set the parameters, choose what to sweep and press Run or F5. The chart fills in "
                              "point by point, and every point is kept under Runs."),
                           tr("Run"));
}

QString LabPage::target() const
{
    return m_context.targetOf(m_experiment.toStdString());
}

void LabPage::fillTargets()
{
    const ExperimentInfo* info = m_context.experiment(m_experiment.toStdString());
    m_targets->clear();
    m_targets->addTargets([&](const std::string& id) { return !info || canRun(*info, id); });
    m_targets->setCurrentIndex(m_targets->findData(target()));
    const AppContext::Target chosen = m_context.targetInfo(target());
    const bool bad = m_context.hasCatalogue() && !chosen.available;
    const QString counts = bad ? QString() : countsOnlyNote(m_context, target());
    m_targetNote->setText(bad ? whyNot(chosen) : counts);
    m_targetNote->setVisible(bad || !counts.isEmpty());
    setTone(m_targetNote, bad ? QStringLiteral("warn") : QStringLiteral("hint"));
}

void LabPage::rebuildForm(const ParamSet& wanted)
{
    const ExperimentInfo* info = m_context.experiment(m_experiment.toStdString());
    if (!info)
        return;
    const ParamSet kept = m_form ? m_form->values() : ParamSet();
    const bool same = m_form && m_form->property("experiment").toString() == m_experiment;
    delete m_form;
    m_form = new ParameterForm(m_context.theme(), info->parameters,
                               !wanted.empty() ? wanted
                               : same          ? kept
                                               : ParamSet(),
                               AppContext::targetClass(target()));
    m_form->setProperty("experiment", m_experiment);
    m_form->setAccessibleName(tr("Parameters"));
    connect(m_form, &ParameterForm::changed, this, &LabPage::updateState);
    m_formPlace->addWidget(m_form);
    m_history->watch(m_form, !same);
    updateState();
}

Result<void> LabPage::open(const QString& part)
{
    if (part.isEmpty())
        return {};
    const QString experiment = part.section(QLatin1Char('/'), 0, 0), run = part.section(QLatin1Char('/'), 1);
    if (!m_context.hasCatalogue()) {
        m_experiment = experiment; // chosen as soon as the catalogue is there
        return {};
    }
    auto found = findExperiment(m_context.experiments(), experiment.toStdString());
    if (!found)
        return found.error();
    if (run.isEmpty()) {
        chooseExperiment(experiment);
        return {};
    }
    return openRun(experiment.toStdString(), run.toStdString());
}

Result<void> LabPage::openRun(const std::string& experiment, const std::string& run)
{
    record::RunFilter filter;
    filter.experiment = experiment;
    filter.ids = {run};
    using Rows = std::vector<record::RunRow>;
    const auto rows = m_context.store() ? m_context.store()->runs(filter) : Result<Rows>(Rows());
    if (!rows)
        return rows.error();
    if (rows->empty())
        return Error{"unknown-page", "The record has no run of " + experiment + " with the id " + run + ".",
                     "lab/" + experiment + "/" + run, "The page “runs” lists those there are."};
    propose({experiment, rows->front().params, {}});
    return {};
}

bool LabPage::ready() const
{
    return m_context.hasCatalogue() || m_context.catalogueError().has_value();
}

void LabPage::propose(const BenchProposal& proposal)
{
    if (!m_context.hasCatalogue()) {
        m_proposal = proposal;
        return;
    }
    const ExperimentInfo* info = m_context.experiment(proposal.experiment);
    if (!info)
        return;
    chooseExperiment(QString::fromStdString(proposal.experiment));
    rebuildForm(proposal.params);
    m_sweep->setAxes(proposal.sweep);
    updateState();
}

Result<RunRequest> LabPage::request() const
{
    if (!m_form)
        return m_context.catalogueError().value_or(
            Error{"no-catalogue", "The experiments are not known yet.", "ridge-worker", "Wait a moment."});
    auto axes = m_sweep->axes();
    if (!axes)
        return axes.error();
    ParamSet fixed = m_form->values();
    for (const SweepAxis& axis : *axes)
        fixed.erase(axis.name);
    auto points = expandSweep(fixed, *axes);
    if (!points)
        return points.error();
    const AppContext::Target chosen = m_context.targetInfo(target());
    if (!chosen.available)
        return Error{"target-unavailable", chosen.reason.toStdString(), chosen.id.toStdString(),
                     chosen.fix.toStdString()};
    RunRequest request;
    request.experiment = m_experiment.toStdString();
    request.target = target().toStdString();
    request.points = std::move(points.value());
    return request;
}

int LabPage::runningJobs() const
{
    return m_queue->busy() ? 1 : 0;
}

void LabPage::cancelRuns()
{
    m_queue->cancelAll();
}

void LabPage::updateState()
{
    const bool busy = runningJobs() > 0;
    const auto next = request();
    m_start->setEnabled(next.ok() && m_context.store());
    m_start->setText(busy ? tr("Run next") : tr("Run"));
    m_stop->setEnabled(m_queue->controller()->state() == RunState::Running);
    m_progress->setVisible(busy);
    if (m_queue->controller()->state() == RunState::Cancelling)
        m_status->setText(tr("Stopping …"));
    else if (!busy && !next)
        m_status->setText(m_context.hasCatalogue() ? whatIsWrong(next.error()) : QString());
    else if (!busy && !m_context.store())
        m_status->setText(tr("Runs need the store, which is not open."));
    else if (!busy)
        m_status->setText(next->points.size() == 1 ? tr("1 point") : tr("%1 points").arg(next->points.size()));
    m_resume->hide();
    m_unfinished.reset();
    if (!busy && next)
        m_look.start();
    Q_EMIT commandsChanged();
}

/// The record is asked when typing pauses.
void LabPage::lookForUnfinished()
{
    const auto next = request();
    const ExperimentInfo* info = m_context.experiment(m_experiment.toStdString());
    if (runningJobs() > 0 || !next || !info || !m_context.store())
        return;
    auto found = next->points.size() > 1
                     ? record::unfinishedSweep(*m_context.store(), *info, *next, {})
                     : Result<std::optional<record::UnfinishedSweep>>(std::optional<record::UnfinishedSweep>());
    if (!found || !*found) {
        if (m_saysUnfinished)
            sayNothingRun();
        return;
    }
    m_unfinished = std::move(*found);
    const std::size_t missing = m_unfinished->missing.size();
    m_resume->setText(missing == 1 ? tr("Run the missing point") : tr("Run the other %1").arg(missing));
    m_resume->show();
    m_status->setText(tr("%1 of %2 points are in the record from the last sweep.")
                          .arg(m_unfinished->rows.size())
                          .arg(m_unfinished->points()));
    if (!m_restored)
        return;
    m_saysUnfinished = true;
    m_results->showMessage(tr("The last sweep is not finished"),
                           tr("%1 of its %2 points are in the record. The others can be run now, and the chart "
                              "then shows all of them.")
                               .arg(m_unfinished->rows.size())
                               .arg(m_unfinished->points()),
                           m_resume->text());
}

void LabPage::resume()
{
    auto next = request();
    const ExperimentInfo* info = m_context.experiment(m_experiment.toStdString());
    if (!next || !info || !m_unfinished)
        return updateState();
    record::UnfinishedSweep sweep = std::move(*m_unfinished);
    m_unfinished.reset();
    next->points = std::move(sweep.missing);
    m_queue->add({std::move(next.value()),
                  tr("%1, the other %2 points").arg(QString::fromStdString(info->title)).arg(next->points.size()),
                  m_sweep->names(), std::move(sweep.ids), std::move(sweep.rows)});
}

void LabPage::start()
{
    auto next = request();
    const ExperimentInfo* info = m_context.experiment(m_experiment.toStdString());
    if (!next || !info)
        return updateState();
    m_history->settle();
    remember();
    const auto points = next->points.size();
    m_queue->add({std::move(next.value()),
                  points == 1 ? QString::fromStdString(info->title)
                              : tr("%1, %2 points").arg(QString::fromStdString(info->title)).arg(points),
                  m_sweep->names()});
}

void LabPage::showJob()
{
    const BenchJob& job = m_queue->current();
    const ExperimentInfo* info = m_context.experiment(job.request.experiment);
    if (!info)
        return;
    m_saysUnfinished = m_restored = false;
    m_error->hide();
    m_results->begin(*info, job.swept.isEmpty() ? QString() : job.swept.last());
    for (const record::RunRow& row : job.earlier)
        m_results->addRow(row);
    m_progress->setValue(0);
}

QString LabPage::pointTitle(std::size_t index) const
{
    const BenchJob& job = m_queue->current();
    if (index >= job.request.points.size())
        return {};
    if (job.swept.isEmpty())
        return job.title;
    return parameterText(job.request.points[index], m_context.experiment(job.request.experiment), job.swept);
}

} // namespace ridge::app

#include "moc_lab_page.cpp"
