// SPDX-License-Identifier: GPL-3.0-or-later
// What an artifact is made of beside its texts: predictions, runs, charts, failures and decisions, files.
#include "app/portfolio/artifact_editor.h"
#include "app/portfolio/run_picker.h"
#include "app/runs/table/run_data.h"
#include "app/runs/table/run_loader.h"
#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/units.h"
#include "evidence/artifact_draft.h"
#include "record/worker/when_done.h"

#include <QComboBox>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QShortcut>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

namespace ridge::app {
namespace {

constexpr qint64 kLargestFile = 32 * 1024 * 1024;

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

QString chartOf(const Json& chart, const char* name)
{
    return chart.is_object() ? text(chart.value(name, std::string())) : QString();
}

/// Fills a box whose first entry says what it is for; choosing another adds it.
void offer(QComboBox* box, const QString& head, const std::vector<std::pair<QString, QString>>& entries)
{
    box->clear();
    box->addItem(head, QString());
    for (const auto& [shown, value] : entries)
        box->addItem(shown, value);
    box->setEnabled(!entries.empty());
    box->setCurrentIndex(0);
}

QComboBox* makeOffer(const QString& name)
{
    auto* box = new QComboBox;
    box->setAccessibleName(name);
    box->setToolTip(name);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(24);
    return box;
}

} // namespace

QString predictionLine(const record::PredictionRow& prediction, const AppContext& context)
{
    const ExperimentInfo* info = context.experiment(prediction.experiment);
    const MetricSpec* metric = info ? info->metric(prediction.metric) : nullptr;
    const QString at = parameterText(prediction.params, info);
    return QCoreApplication::translate("ArtifactEditor", "%1%2: %3, 80 % between %4 and %5")
        .arg(metric ? text(metric->title) : text(prediction.metric),
             at.isEmpty() ? QString() : QCoreApplication::translate("ArtifactEditor", " at %1").arg(at),
             text(formatQuantity(prediction.point, prediction.unit)), text(formatNumber(prediction.low)),
             text(formatNumber(prediction.high)));
}

void ArtifactEditor::loadLinked()
{
    auto linked = linkedRows(*m_context.store(), m_document->row());
    if (linked) {
        m_linked = std::move(*linked);
        withhold(m_context.feedback(), m_linked); // what is shown; the draft itself stays whole
    } else
        Q_EMIT m_context.notice(text(toText(linked.error())), true);
}

void ArtifactEditor::addPredictions()
{
    QVBoxLayout* column = section(tr("Predictions"));
    m_predictions = new EntryList(m_context.theme(), tr("Predictions"),
                                  tr("None. A prediction committed before its run shows what you expected."));
    column->addWidget(m_predictions);
    m_morePredictions = makeOffer(tr("Add a prediction"));
    column->addWidget(m_morePredictions);
    connect(m_predictions, &EntryList::removed, this, [this](int index) {
        m_document->edit(tr("Take out a prediction"), QStringLiteral("predictions"), [index](record::ArtifactRow& row) {
            row.predictionIds.erase(row.predictionIds.begin() + index);
        });
    });
    connect(m_morePredictions, &QComboBox::activated, this, [this] {
        const std::string id = m_morePredictions->currentData().toString().toStdString();
        if (!id.empty())
            m_document->edit(tr("Add a prediction"), QStringLiteral("predictions"),
                             [&id](record::ArtifactRow& row) { row.predictionIds.push_back(id); });
    });
}

void ArtifactEditor::showPredictions()
{
    std::vector<EntryList::Entry> entries;
    for (const record::PredictionRow& prediction : m_linked.predictions)
        entries.push_back({predictionLine(prediction, m_context), tr("Take out this prediction"), {}, nullptr});
    m_predictions->show(std::move(entries));
    std::vector<std::pair<QString, QString>> more;
    const auto all = m_context.store()->predictions({});
    if (all)
        for (const record::PredictionRow& prediction : *all) {
            const bool about = std::ranges::any_of(m_linked.runs, [&prediction](const record::RunRow& run) {
                return run.experiment == prediction.experiment && run.seq > prediction.seq;
            });
            if (about && std::ranges::find(m_document->row().predictionIds, prediction.id) ==
                             m_document->row().predictionIds.end())
                more.emplace_back(predictionLine(prediction, m_context), text(prediction.id));
        }
    offer(m_morePredictions, tr("Add a prediction …"), more);
    m_morePredictions->setVisible(!more.empty());
}

void ArtifactEditor::addRunTable()
{
    QVBoxLayout* column = section(tr("Runs"));
    m_runsHint =
        makeText(m_context.theme(),
                 tr("None yet. The runs are the evidence: experiment, parameters, seed and target of each can be "
                    "repeated."),
                 TextStyle::Body, QStringLiteral("hint"));
    column->addWidget(m_runsHint);
    m_runs = new QTreeView;
    m_runsModel = new RunsModel(this);
    m_runsModel->setGrouped(true);
    m_runs->setModel(m_runsModel);
    m_runs->setAccessibleName(tr("Runs of the draft"));
    m_runs->setAccessibleDescription(tr("Delete takes the chosen runs out."));
    m_runs->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_runs->setUniformRowHeights(true);
    m_runs->setAllColumnsShowFocus(true);
    m_runs->header()->setAccessibleName(tr("Columns"));
    m_runs->header()->setSectionResizeMode(RunsModel::Parameters, QHeaderView::Stretch);
    m_runs->header()->setStretchLastSection(false);
    for (const auto hidden : {RunsModel::Lesson, RunsModel::Tags, RunsModel::When})
        m_runs->setColumnHidden(hidden, true);
    useRowHeight(m_context.theme(), m_runs);
    column->addWidget(m_runs);
    auto* bar = new QWidget;
    bar->setAccessibleName(tr("Runs of the draft"));
    auto* buttons = new FlowLayout(bar);
    QPushButton* add = makeButton(tr("Add runs…"), tr("Chooses among the stored runs"));
    add->setObjectName(QStringLiteral("addRuns"));
    connect(add, &QPushButton::clicked, this, &ArtifactEditor::chooseRuns);
    buttons->addWidget(add);
    QPushButton* remove = makeButton(tr("Take out the chosen runs"), tr("They stay stored (Delete in the table)"));
    buttons->addWidget(remove);
    column->addWidget(bar);
    const auto takeOut = [this] {
        std::vector<std::string> ids;
        for (const QModelIndex& index : m_runs->selectionModel()->selectedRows())
            for (const RunsModel::Entry* run : m_runsModel->runs(index))
                ids.push_back(run->id);
        removeRuns(ids);
    };
    connect(remove, &QPushButton::clicked, this, takeOut);
    connect(&m_context.theme(), &Theme::changed, this, &ArtifactEditor::fitRuns);
    auto* key = new QShortcut(QKeySequence::Delete, m_runs, nullptr, nullptr, Qt::WidgetShortcut);
    connect(key, &QShortcut::activated, this, takeOut);
    remove->setEnabled(false);
    connect(m_runs->selectionModel(), &QItemSelectionModel::selectionChanged, remove,
            [this, remove] { remove->setEnabled(m_runs->selectionModel()->hasSelection()); });
    connect(m_runsModel, &QAbstractItemModel::modelReset, remove, [remove] { remove->setEnabled(false); });
}

void ArtifactEditor::showRuns()
{
    std::vector<RunsModel::Entry> entries;
    for (const record::RunRow& run : m_linked.runs)
        entries.push_back(RunsModel::makeEntry(run, m_context.experiments(),
                                               !m_context.feedback().mayShow(run.lesson, Outcome::Result)));
    m_runsModel->setEntries(std::move(entries));
    m_runsHint->setVisible(m_linked.runs.empty());
    m_runs->setVisible(!m_linked.runs.empty());
    fitRuns();
}

void ArtifactEditor::fitRuns()
{
    const Theme& theme = m_context.theme();
    m_runs->setFixedHeight(theme.scaled(30) * (std::clamp(m_runsModel->rowCount(), 1, 6) + 1) + space::m);
    for (const auto& [column, width] : {std::pair{RunsModel::Experiment, 130},
                                        {RunsModel::Result, 176},
                                        {RunsModel::Target, 110},
                                        {RunsModel::Source, 64},
                                        {RunsModel::Verdict, 84}})
        m_runs->setColumnWidth(column, theme.scaled(width));
}

void ArtifactEditor::chooseRuns()
{
    auto* picker = new RunPicker(m_context, tr("Runs of the artifact"), this);
    connect(picker, &RunPicker::picked, this, &ArtifactEditor::addRuns);
    picker->open();
}

void ArtifactEditor::addRuns(const std::vector<std::string>& runIds)
{
    record::ArtifactRow wanted = m_document->row();
    for (const std::string& id : runIds)
        if (std::ranges::find(wanted.runIds, id) == wanted.runIds.end())
            wanted.runIds.push_back(id);
    const auto runs = readRows(*m_context.store(), wanted.runIds);
    if (!runs)
        return Q_EMIT m_context.notice(text(toText(runs.error())), true);
    m_document->edit(tr("Add runs"), QStringLiteral("runs"), [&](record::ArtifactRow& row) {
        row.runIds = wanted.runIds;
        refreshFromRuns(row, *runs, m_context.experiments());
    });
}

void ArtifactEditor::removeRuns(const std::vector<std::string>& runIds)
{
    if (runIds.empty())
        return;
    std::vector<record::RunRow> left = m_linked.runs;
    std::erase_if(left, [&](const record::RunRow& run) { return std::ranges::find(runIds, run.id) != runIds.end(); });
    m_document->edit(tr("Take out runs"), QStringLiteral("runs"), [&](record::ArtifactRow& row) {
        std::erase_if(row.runIds, [&](const std::string& id) { return std::ranges::find(runIds, id) != runIds.end(); });
        refreshFromRuns(row, left, m_context.experiments());
    });
}

void ArtifactEditor::addCharts()
{
    m_charts = new EntryList(m_context.theme(), tr("Charts"), tr("None. Runs of an experiment bring their chart."));
    section(tr("Charts"))->addWidget(m_charts);
    connect(m_charts, &EntryList::removed, this, [this](int index) {
        m_document->edit(tr("Take out a chart"), QStringLiteral("charts"),
                         [index](record::ArtifactRow& row) { row.charts->erase(static_cast<std::size_t>(index)); });
    });
}

void ArtifactEditor::showCharts()
{
    std::vector<EntryList::Entry> entries;
    const Json& charts = *m_document->row().charts;
    for (std::size_t i = 0; charts.is_array() && i < charts.size(); ++i) {
        const ExperimentInfo* info = m_context.experiment(chartOf(charts[i], "experiment").toStdString());
        QComboBox* picker = nullptr;
        if (info && info->charts.size() > 1) {
            picker = makeOffer(tr("Which chart of %1").arg(text(info->title)));
            for (const ChartSpec& chart : info->charts)
                picker->addItem(text(chart.title), text(chart.id));
            picker->setCurrentIndex(std::max(0, picker->findData(chartOf(charts[i], "chart"))));
            connect(picker, &QComboBox::activated, this, [this, picker, i] {
                const std::string chosen = picker->currentData().toString().toStdString();
                // Not from inside the box that goes with it.
                QMetaObject::invokeMethod(
                    this,
                    [this, chosen, i] {
                        m_document->edit(tr("Choose a chart"), QStringLiteral("charts"),
                                         [&](record::ArtifactRow& row) { (*row.charts)[i]["chart"] = chosen; });
                    },
                    Qt::QueuedConnection);
            });
        }
        const QString name = info ? text(info->title) : chartOf(charts[i], "experiment");
        const QString caption = chartOf(charts[i], "caption");
        entries.push_back({caption.isEmpty() ? name : tr("%1: %2").arg(name, caption),
                           tr("Take out the chart of %1").arg(name),
                           {},
                           picker});
    }
    m_charts->show(std::move(entries));
}

void ArtifactEditor::addFiles()
{
    const auto list = [this](const QString& title, const QString& empty, const QString& add, bool code) {
        QVBoxLayout* column = section(title);
        auto* entries = new EntryList(m_context.theme(), title, empty);
        column->addWidget(entries);
        QPushButton* button = makeButton(add, tr("Its bytes are kept with the artifact"));
        connect(button, &QPushButton::clicked, this, [this, code] { chooseFile(code); });
        auto* row = new QHBoxLayout;
        row->addWidget(button);
        row->addStretch(1);
        column->addLayout(row);
        connect(entries, &EntryList::removed, this, [this, code](int index) {
            m_document->edit(tr("Take out a file"), QStringLiteral("files"), [&](record::ArtifactRow& row) {
                auto& files = code ? row.code : row.files;
                files.erase(files.begin() + index);
            });
        });
        return entries;
    };
    m_code = list(tr("Code"), tr("None. Source that the runs executed, or that the artifact is about."),
                  tr("Add code…"), true);
    m_files =
        list(tr("Files"), tr("None. A log, a report or a trace that was made elsewhere."), tr("Add a file…"), false);
}

void ArtifactEditor::showFiles()
{
    const auto fill = [](EntryList* list, const std::vector<record::ArtifactCode>& files) {
        std::vector<EntryList::Entry> entries;
        for (const record::ArtifactCode& file : files)
            entries.push_back({text(file.name), tr("Take out %1").arg(text(file.name)), {}, nullptr});
        list->show(std::move(entries));
    };
    fill(m_code, m_document->row().code);
    fill(m_files, m_document->row().files);
}

void ArtifactEditor::chooseFile(bool code)
{
    auto* dialog = new QFileDialog(this, code ? tr("Code of the artifact") : tr("File of the artifact"));
    dialog->setFileMode(QFileDialog::ExistingFiles);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::filesSelected, this, [this, code](const QStringList& paths) {
        for (const QString& path : paths)
            takeFile(path, code);
    });
    dialog->open();
}

void ArtifactEditor::takeFile(const QString& path, bool code)
{
    QFile file(path);
    if (file.size() > kLargestFile)
        return Q_EMIT m_context.notice(
            tr("%1 is larger than 32 MiB. Keep it elsewhere and name it in the method.").arg(path), true);
    if (!file.open(QIODevice::ReadOnly))
        return Q_EMIT m_context.notice(tr("%1 cannot be read: %2").arg(path, file.errorString()), true);
    const std::string name = QFileInfo(path).fileName().toStdString();
    const std::string draft = m_document->id();
    record::whenDone(m_context.store()->putFile(file.readAll().toStdString()), this,
                     [this, name, draft, code](const Result<std::string>& stored) {
                         if (!stored)
                             return Q_EMIT m_context.notice(text(toText(stored.error())), true);
                         if (m_document && m_document->id() == draft)
                             m_document->edit(tr("Add a file"), QStringLiteral("files"), [&](record::ArtifactRow& row) {
                                 (code ? row.code : row.files).push_back({name, *stored});
                             });
                     });
}

void ArtifactEditor::addJournal()
{
    QVBoxLayout* column = section(tr("Failures and decisions"));
    m_journal = new EntryList(m_context.theme(), tr("Failures and decisions"),
                              tr("None. What went wrong, and what you decided, is part of the work."));
    column->addWidget(m_journal);
    auto* bar = new QWidget;
    bar->setAccessibleName(tr("Failures and decisions"));
    auto* row = new FlowLayout(bar);
    m_moreJournal = makeOffer(tr("Add an entry of the journal"));
    row->addWidget(m_moreJournal);
    QPushButton* fresh = makeButton(tr("Note a failure"), tr("Opens a new entry of the journal that belongs to this"));
    connect(fresh, &QPushButton::clicked, this, &ArtifactEditor::noteFailure);
    row->addWidget(fresh);
    column->addWidget(bar);
    connect(m_journal, &EntryList::removed, this, [this](int index) {
        m_document->edit(tr("Take out an entry"), QStringLiteral("journal"),
                         [index](record::ArtifactRow& row) { row.journalIds.erase(row.journalIds.begin() + index); });
    });
    connect(m_moreJournal, &QComboBox::activated, this, [this] {
        const std::string id = m_moreJournal->currentData().toString().toStdString();
        if (!id.empty())
            m_document->edit(tr("Add an entry"), QStringLiteral("journal"),
                             [&id](record::ArtifactRow& row) { row.journalIds.push_back(id); });
    });
}

void ArtifactEditor::showJournal()
{
    const auto line = [](const record::JournalRow& entry) {
        return (entry.kind == "failure" ? tr("Failure: %1") : tr("Decision: %1")).arg(text(entry.title));
    };
    std::vector<EntryList::Entry> entries;
    for (const std::string& id : m_document->row().journalIds) {
        const auto found = std::ranges::find(m_linked.journal, id, &record::JournalRow::entryId);
        const bool known = found != m_linked.journal.end();
        entries.push_back({known ? line(*found) : tr("An entry that was taken away"), tr("Take out this entry"),
                           known ? std::function<void()>([this, id] {
                               Q_EMIT m_context.openRequested(QStringLiteral("portfolio/journal/") + text(id));
                           })
                                 : std::function<void()>(),
                           nullptr});
    }
    m_journal->show(std::move(entries));
    std::vector<std::pair<QString, QString>> more;
    if (const auto all = m_context.store()->journal())
        for (const record::JournalRow& entry : *all)
            if (std::ranges::find(m_document->row().journalIds, entry.entryId) == m_document->row().journalIds.end())
                more.emplace_back(line(entry), text(entry.entryId));
    offer(m_moreJournal, tr("Add an entry …"), more);
    m_moreJournal->setVisible(!more.empty());
}

void ArtifactEditor::noteFailure()
{
    record::JournalRow row;
    row.entryId = newUuid7();
    row.kind = "failure";
    row.title = tr("Failure in %1").arg(textOf(QStringLiteral("title"))).toStdString();
    row.lesson = m_document->row().lesson;
    const std::string id = row.entryId;
    record::whenDone(m_context.store()->append(std::move(row)), this, [this, id](const Result<std::string>& stored) {
        if (!stored)
            return Q_EMIT m_context.notice(text(toText(stored.error())), true);
        if (m_document)
            m_document->edit(tr("Add an entry"), QStringLiteral("journal"),
                             [&id](record::ArtifactRow& draft) { draft.journalIds.push_back(id); });
        Q_EMIT m_context.openRequested(QStringLiteral("portfolio/journal/") + text(id));
    });
}

} // namespace ridge::app
