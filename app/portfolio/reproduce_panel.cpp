// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/reproduce_panel.h"

#include "app/runs/table/run_data.h"
#include "app/theme/announce.h"
#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"
#include "app/ui/target_box.h"
#include "app/ui/targets.h"
#include "base/target_choice.h"
#include "base/target_kind.h"
#include "base/units.h"
#include "record/grading_again.h"
#include "record/trust.h"

#include <QComboBox>
#include <QHeaderView>
#include <QProgressBar>
#include <QTreeView>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

constexpr int kPairsShown = 8; ///< rows of the table before it scrolls

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

QString tone(const std::string& verdict)
{
    if (verdict == "reproduced" || verdict == "within noise")
        return QStringLiteral("ok");
    return verdict == "different hardware" ? QStringLiteral("warn") : QStringLiteral("error");
}

QString headline(const std::string& verdict)
{
    if (verdict == "reproduced")
        return ReproducePanel::tr("Reproduced");
    if (verdict == "within noise")
        return ReproducePanel::tr("Within noise");
    return verdict == "different hardware" ? ReproducePanel::tr("Different hardware")
                                           : ReproducePanel::tr("Not reproduced");
}

bool isGraded(const record::ReproductionPair& pair)
{
    return pair.oldRun == record::kSameCases || pair.oldRun == record::kOtherCases;
}

QString gradedMetric(const std::string& name)
{
    static const std::map<std::string, const char*> titles{
        {"accepted", QT_TRANSLATE_NOOP("ridge::app::ReproductionModel", "Accepted (1: yes)")},
        {"points", QT_TRANSLATE_NOOP("ridge::app::ReproductionModel", "Points")},
        {"wrong_results", QT_TRANSLATE_NOOP("ridge::app::ReproductionModel", "Wrong results")},
        {"instructions", QT_TRANSLATE_NOOP("ridge::app::ReproductionModel", "Executed instructions")},
        {"instruction_ratio", QT_TRANSLATE_NOOP("ridge::app::ReproductionModel", "Instructions ÷ reference's")},
        {"time", QT_TRANSLATE_NOOP("ridge::app::ReproductionModel", "Time")},
        {"time_ratio", QT_TRANSLATE_NOOP("ridge::app::ReproductionModel", "Time ÷ reference's")},
    };
    const auto found = titles.find(name);
    return found == titles.end() ? text(name) : ReproductionModel::tr(found->second);
}

} // namespace

bool canRepeat(const ArtifactBundle& bundle)
{
    return !bundle.runs.empty() || record::isGradedKernel(bundle.row);
}

ReproduceRun::ReproduceRun(AppContext& context, QObject* parent) : QObject(parent), m_context(context) {}

ReproduceRun::~ReproduceRun() = default;

void ReproduceRun::choose(const std::string& artifactId, const QString& target)
{
    m_chosen[artifactId] = target;
}

QString ReproduceRun::chosen(const std::string& artifactId) const
{
    const auto found = m_chosen.find(artifactId);
    return found == m_chosen.end() ? QString() : found->second;
}

void ReproduceRun::start(const record::ArtifactRow& artifact)
{
    if (running() || !m_context.store())
        return;
    m_context.calibration().cancel(); // two of them on one machine would both be wrong
    m_artifact = artifact.artifactId;
    m_finished = m_all = 0;
    m_what.clear();
    m_notes.clear();
    const record::WorkerOptions worker{.program = record::defaultWorkerProgram(), .launcher = {}};
    m_reproducer = std::make_unique<record::Reproducer>(*m_context.store(), worker, artifact,
                                                        chosen(artifact.artifactId).toStdString());
    connect(m_reproducer.get(), &record::Reproducer::progress, this,
            [this](int finished, int all, const QString& what) {
                m_finished = finished;
                m_all = all;
                m_what = what;
                Q_EMIT changed();
            });
    connect(m_reproducer.get(), &record::Reproducer::done, this,
            [this](const record::ReproductionRow& row, const QStringList& notes) {
                m_notes = notes;
                Q_EMIT m_context.notice(tr("%1. %2").arg(headline(row.verdict), verdictMeaning(row.verdict)), false);
                end();
            });
    connect(m_reproducer.get(), &record::Reproducer::failed, this, [this](const Error& error) {
        if (error.code != "cancelled")
            Q_EMIT m_context.notice(text(toText(error)), true);
        else
            Q_EMIT m_context.notice(tr("Stopped; nothing was concluded"), false);
        end();
    });
    m_reproducer->start();
    Q_EMIT changed();
}

void ReproduceRun::cancel()
{
    if (m_reproducer)
        m_reproducer->cancel();
}

void ReproduceRun::end()
{
    m_reproducer.release()->deleteLater(); // it is the one that tells
    Q_EMIT changed();
    Q_EMIT ended();
}

ReproductionModel::ReproductionModel(const AppContext& context, const record::ReproductionRow& row,
                                     const std::vector<record::RunRow>& runs, QObject* parent)
    : QAbstractTableModel(parent)
{
    for (const record::ReproductionPair& pair : row.pairs) {
        std::array<QString, ColumnCount> cells;
        const auto run = std::ranges::find(runs, pair.oldRun, &record::RunRow::id);
        const ExperimentInfo* info = run == runs.end() ? nullptr : context.experiment(run->experiment);
        if (run != runs.end())
            cells[Run] = info ? parameterText(run->params, info, tellingParameters(*run, *info))
                              : parameterText(run->params, nullptr);
        if (run == runs.end() && isGraded(pair))
            cells[Run] = pair.oldRun == record::kSameCases ? tr("The same cases") : tr("Cases drawn anew");
        const MetricSpec* metric = info ? info->metric(pair.metric) : nullptr;
        cells[Metric] = metric ? text(metric->title) : isGraded(pair) ? gradedMetric(pair.metric) : text(pair.metric);
        if (!pair.metric.empty())
            cells[Then] = text(formatQuantity(pair.before, pair.unit));
        cells[Now] = !pair.metric.empty()  ? text(formatQuantity(pair.now, pair.unit))
                     : pair.newRun.empty() ? tr("no result")
                                           : QString();
        if (pair.factor)
            cells[Factor] = QStringLiteral("× %1").arg(text(formatNumber(*pair.factor)));
        cells[Verdict] = text(pair.verdict);
        m_rows.push_back(std::move(cells));
    }
}

int ReproductionModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int ReproductionModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ReproductionModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole || role == Qt::AccessibleTextRole)
        return m_rows[static_cast<std::size_t>(index.row())][static_cast<std::size_t>(index.column())];
    if (role == Qt::TextAlignmentRole && index.column() >= Then && index.column() <= Factor)
        return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
    return {};
}

QVariant ReproductionModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment((section >= Then && section <= Factor ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
    if (role != Qt::DisplayRole)
        return {};
    const std::array<QString, ColumnCount> titles = {tr("Run"), tr("Metric"), tr("Then"),
                                                     tr("Now"), tr("Factor"), tr("Verdict")};
    return titles[static_cast<std::size_t>(section)];
}

QString verdictMeaning(const std::string& verdict)
{
    if (verdict == "reproduced")
        return ReproducePanel::tr("Every value that was compared came out the same.");
    if (verdict == "within noise")
        return ReproducePanel::tr("Values differ by no more than such runs differ among themselves.");
    if (verdict == "different hardware")
        return ReproducePanel::tr("Values differ, and the runs were not on the same hardware.");
    return ReproducePanel::tr("At least one value differs by more than noise explains, or a run gave no result.");
}

ReproducePanel::ReproducePanel(AppContext& context, ReproduceRun& run, const ArtifactBundle& bundle, QWidget* parent)
    : QWidget(parent), m_context(context), m_run(run), m_bundle(bundle),
      m_start(makeButton(tr("Reproduce"), tr("Does everything behind this artifact again (Ctrl+R)"), true)),
      m_stop(makeButton(tr("Stop"), tr("Ends it without a verdict; runs already stored stay"))),
      m_target(new TargetBox(context)),
      m_targetNote(makeText(context.theme(), {}, TextStyle::Caption, QStringLiteral("hint"))), m_bar(new QProgressBar),
      m_state(makeText(context.theme(), {}, TextStyle::Body, QStringLiteral("muted")))
{
    setAccessibleName(tr("Reproduce"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    addTrust(column);
    auto* bar = new QWidget;
    bar->setAccessibleName(tr("Reproduce"));
    auto* row = new FlowLayout(bar);
    m_start->setObjectName(QStringLiteral("reproduce"));
    QLabel* on = makeLabel(context.theme(), tr("on"), TextStyle::Body, QStringLiteral("muted"));
    m_target->setObjectName(QStringLiteral("reproduceTarget"));
    m_target->setAccessibleName(tr("Where it is repeated"));
    m_target->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    on->setBuddy(m_target);
    row->addWidget(m_start);
    row->addWidget(on);
    row->addWidget(m_target);
    row->addWidget(m_stop);
    column->addWidget(bar);
    column->addWidget(m_targetNote);
    m_bar->setAccessibleName(tr("Repeated so far"));
    m_bar->setTextVisible(false);
    column->addWidget(m_bar);
    column->addWidget(m_state);
    connect(m_start, &QPushButton::clicked, this, [this] { m_run.start(m_bundle.row); });
    connect(m_stop, &QPushButton::clicked, &m_run, &ReproduceRun::cancel);
    connect(&m_run, &ReproduceRun::changed, this, &ReproducePanel::showProgress);
    connect(m_target, &QComboBox::activated, this, [this] {
        m_run.choose(m_bundle.row.artifactId, m_target->currentData().toString());
        showProgress();
    });
    connect(&context, &AppContext::remotesChanged, this, &ReproducePanel::fillTargets);
    fillTargets();
    addLatest(column);
    addEarlier(column);
    showProgress();
}

/// Only targets on which every experiment of the artifact can run; one that is not there now is greyed and says why.
void ReproducePanel::fillTargets()
{
    m_target->clear();
    m_target->addItem(record::isGradedKernel(m_bundle.row) ? tr("the target it was graded on")
                                                           : tr("the target of each run"),
                      QString());
    std::set<std::string> experiments;
    for (const record::RunRow& run : m_bundle.runs)
        experiments.insert(run.experiment);
    const bool graded = record::isGradedKernel(m_bundle.row);
    m_target->addTargets([&](const std::string& on) {
        return (!graded || runsKernels(on)) && std::ranges::all_of(experiments, [&](const std::string& id) {
                   const ExperimentInfo* info = m_context.experiment(id);
                   return info && canRun(*info, on);
               });
    });
    m_target->setCurrentIndex(std::max(0, m_target->findData(m_run.chosen(m_bundle.row.artifactId))));
    showProgress();
}

void ReproducePanel::addTrust(QVBoxLayout* column)
{
    if (!m_bundle.artifactHeld.isEmpty())
        return; // the page says it once, with the hints
    const auto trust = record::trustOf(*m_context.store(), m_bundle.row);
    if (!trust)
        return;
    const auto level = record::toText(trust->level);
    column->addWidget(
        makeText(m_context.theme(), tr("Trust %1. %2")
                                        .arg(QString::fromLatin1(level.data(), static_cast<qsizetype>(level.size())),
                                             asSentence(text(trust->why)))));
}

void ReproducePanel::addLatest(QVBoxLayout* column)
{
    Theme& theme = m_context.theme();
    if (m_bundle.reproductions.empty()) {
        column->addWidget(makeText(
            theme,
            !canRepeat(m_bundle) ? tr("There is no run behind this artifact, so nothing can be repeated.")
            : m_bundle.runs.empty()
                ? tr("Nobody has repeated it yet. Repeating grades the text that was kept again, with the same "
                     "hidden cases and with new ones, and says whether the two agree.")
                : tr("Nobody has repeated it yet. Repeating sets every number beside the new one "
                     "and says whether they agree."),
            TextStyle::Body, QStringLiteral("hint")));
        return;
    }
    const record::ReproductionRow& latest = m_bundle.reproductions.front();
    QLabel* verdict = makeLabel(theme, headline(latest.verdict), TextStyle::Strong, tone(latest.verdict));
    verdict->setObjectName(QStringLiteral("verdict"));
    column->addWidget(verdict);
    QString said =
        verdictMeaning(latest.verdict) + QLatin1Char(' ') +
        tr("%1, on %2.")
            .arg(readableTime(latest.createdAt), latest.target.empty() ? tr("the same targets") : text(latest.target));
    if (latest.origin != m_context.store()->origin())
        said += QLatin1Char(' ') + tr("By another learner or on another machine.");
    column->addWidget(makeText(theme, said, TextStyle::Body, QStringLiteral("muted")));
    if (m_run.artifact() == m_bundle.row.artifactId)
        for (const QString& note : m_run.notes())
            column->addWidget(makeText(theme, asSentence(note), TextStyle::Caption, QStringLiteral("hint")));
    if (!m_bundle.resultHeld.isEmpty()) {
        column->addWidget(makeText(theme, m_bundle.resultHeld, TextStyle::Body, QStringLiteral("hint")));
        return;
    }
    auto* view = new QTreeView;
    view->setModel(new ReproductionModel(m_context, latest, m_bundle.runs, view));
    view->setAccessibleName(tr("Then and now"));
    view->setRootIsDecorated(false);
    view->setUniformRowHeights(true);
    view->setAllColumnsShowFocus(true);
    view->header()->setAccessibleName(tr("Columns"));
    view->header()->setStretchLastSection(false);
    view->header()->setSectionResizeMode(ReproductionModel::Run, QHeaderView::Stretch);
    useRowHeight(theme, view);
    const auto fit = [&theme, view] {
        for (const auto& [shown, width] : {std::pair{ReproductionModel::Metric, 190},
                                           {ReproductionModel::Then, 120},
                                           {ReproductionModel::Now, 120},
                                           {ReproductionModel::Factor, 72},
                                           {ReproductionModel::Verdict, 148}})
            view->setColumnWidth(shown, theme.scaled(width));
        const int rows = std::clamp(view->model()->rowCount(), 1, kPairsShown);
        view->setFixedHeight(theme.scaled(30) * (rows + 1) + space::m);
    };
    fit();
    connect(&theme, &Theme::changed, view, fit);
    connect(view, &QTreeView::activated, this, [this, pairs = latest.pairs](const QModelIndex& index) {
        const record::ReproductionPair& pair = pairs[static_cast<std::size_t>(index.row())];
        if (isGraded(pair)) // no run to open
            return;
        Q_EMIT m_context.openRequested(QStringLiteral("runs/") + text(pair.newRun.empty() ? pair.oldRun : pair.newRun));
    });
    column->addWidget(view);
}

void ReproducePanel::addEarlier(QVBoxLayout* column)
{
    if (m_bundle.reproductions.size() < 2)
        return;
    QStringList lines;
    for (std::size_t i = 1; i < m_bundle.reproductions.size(); ++i)
        lines << tr("%1: %2").arg(readableTime(m_bundle.reproductions[i].createdAt),
                                  headline(m_bundle.reproductions[i].verdict));
    column->addWidget(makeText(m_context.theme(), tr("Before that: %1").arg(lines.join(QStringLiteral("; "))),
                               TextStyle::Caption, QStringLiteral("muted")));
}

void ReproducePanel::showVerdict()
{
    showOutcome(m_start, this);
    if (auto* verdict = findChild<QLabel*>(QStringLiteral("verdict"))) {
        bringIntoView(verdict);
        announce(verdict, verdict->text());
    }
}

void ReproducePanel::showProgress()
{
    const bool here = mine(), pressed = m_start->hasFocus(), stopped = m_stop->hasFocus();
    m_start->setEnabled(!m_run.running() && canRepeat(m_bundle));
    m_target->setEnabled(m_start->isEnabled());
    m_targetNote->setText(
        m_target->currentData().toString().isEmpty()
            ? QString()
            : tr("On another target the values may differ; the verdict then says “different hardware” "
                 "unless they agree."));
    m_targetNote->setVisible(!m_targetNote->text().isEmpty());
    m_stop->setVisible(here);
    if (pressed && here)
        m_stop->setFocus(Qt::OtherFocusReason);
    else if (stopped && !here)
        m_start->setFocus(Qt::OtherFocusReason);
    m_bar->setVisible(here);
    m_state->setVisible(m_run.running());
    if (here) {
        m_bar->setRange(0, m_run.all());
        m_bar->setValue(m_run.finished());
        m_state->setText(m_run.all() == 0
                             ? tr("Starting …")
                             : tr("%1 of %2 repeated. %3").arg(m_run.finished()).arg(m_run.all()).arg(m_run.what()));
    } else if (m_run.running()) {
        m_state->setText(tr("Another artifact is being repeated."));
    }
}

} // namespace ridge::app

#include "moc_reproduce_panel.cpp"
