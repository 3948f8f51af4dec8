// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/runs_page.h"

#include "app/runs/run_data.h"
#include "app/runs/run_detail.h"
#include "app/runs/run_loader.h"
#include "app/shell/ui/panels.h"
#include "base/json.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QSplitter>
#include <QStackedWidget>
#include <QTreeView>

namespace ridge::app {

RunsPage::RunsPage(AppContext& context, QWidget* parent)
    : Page(parent), m_context(context), m_model(new RunsModel(this)), m_stack(new QStackedWidget),
      m_detail(new RunDetail(context))
{
    setAccessibleName(tr("Runs"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);

    auto* empty = new EmptyState(
        context.theme(), context.store() ? tr("No runs yet") : tr("The store is not open"),
        context.store() ? tr("Every experiment you run is kept here with its parameters, its result and the machine it "
                             "ran on. A lesson or the Lab makes the first one.")
                        : tr("Runs cannot be read or kept until the message above is dealt with. Lessons can still "
                             "be read."),
        context.store() ? tr("Go to the Lab") : QString());
    connect(empty, &EmptyState::clicked, this, [this] { Q_EMIT m_context.openRequested(QStringLiteral("lab")); });
    m_stack->addWidget(empty);

    auto* body = new QWidget;
    body->setAccessibleName(tr("Run table"));
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(space::l, space::l, space::l, space::l);
    column->setSpacing(space::m);
    column->addWidget(makeFilterBar());
    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->setAccessibleName(tr("Run table and detail"));
    splitter->addWidget(makeTable());
    splitter->addWidget(m_detail);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(1);
    splitter->setSizes({860, 380});
    m_detail->setMinimumWidth(340);
    column->addWidget(splitter, 1);
    m_stack->addWidget(body);

    connect(m_detail, &RunDetail::exportRequested, this, &RunsPage::chooseExport);
    connect(&context, &AppContext::catalogueReady, this, &RunsPage::reload);
    if (record::Store* store = context.store())
        connect(store, &record::Store::changed, this, [this](const QString& kind) {
            if (kind == QLatin1String("run"))
                loadNewest();
        });
    reload();
}

QWidget* RunsPage::makeFilterBar()
{
    auto* bar = new QWidget;
    bar->setAccessibleName(tr("Filters"));
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::s);
    m_text = new QLineEdit;
    m_text->setPlaceholderText(tr("Filter by any word: stride 8, h100, failed …"));
    m_text->setAccessibleName(tr("Filter runs by text"));
    m_text->setClearButtonEnabled(true);
    row->addWidget(m_text, 1);
    const auto combo = [&](const QString& name) {
        auto* box = new QComboBox;
        box->setAccessibleName(name);
        box->setToolTip(name);
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        connect(box, &QComboBox::activated, this, &RunsPage::applyQuery);
        row->addWidget(box);
        return box;
    };
    m_experiment = combo(tr("Experiment"));
    m_target = combo(tr("Target"));
    m_lesson = combo(tr("Lesson"));
    m_group = new QCheckBox(tr("Group by sweep"));
    m_group->setAccessibleName(tr("Group by sweep"));
    row->addWidget(m_group);
    m_count = makeLabel(m_context.theme(), {}, TextStyle::Body, QStringLiteral("muted"));
    m_count->setMinimumWidth(96);
    m_count->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    row->addWidget(m_count);
    connect(m_text, &QLineEdit::textChanged, this, &RunsPage::applyQuery);
    connect(m_group, &QCheckBox::toggled, this, [this](bool on) {
        m_model->setGrouped(on);
        m_view->setRootIsDecorated(on);
        select(m_selected);
    });
    return bar;
}

QWidget* RunsPage::makeTable()
{
    m_view = new QTreeView;
    m_view->setModel(m_model);
    m_view->setAccessibleName(tr("Runs"));
    m_view->setUniformRowHeights(true);
    m_view->setRootIsDecorated(false);
    m_view->setAllColumnsShowFocus(true);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setSortingEnabled(true);
    m_view->setTextElideMode(Qt::ElideRight);
    m_view->sortByColumn(RunsModel::When, Qt::DescendingOrder);
    m_view->header()->setStretchLastSection(false);
    m_view->header()->setAccessibleName(tr("Columns"));
    useRowHeight(m_context.theme(), m_view);
    const std::array<int, RunsModel::ColumnCount> widths = {100, 100, 0, 148, 112, 66, 64, 64};
    m_view->header()->setSectionResizeMode(RunsModel::Parameters, QHeaderView::Stretch);
    m_view->header()->setMinimumSectionSize(m_context.theme().scaled(56));
    const auto fit = [this, widths] {
        for (int column = 0; column < RunsModel::ColumnCount; ++column)
            if (const int width = widths[static_cast<std::size_t>(column)]; width > 0)
                m_view->setColumnWidth(column, m_context.theme().scaled(width));
    };
    fit();
    connect(&m_context.theme(), &Theme::changed, m_view, fit);
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RunsPage::showSelection);
    connect(m_model, &QAbstractItemModel::modelReset, this, [this] {
        select(m_selected);
        updateState();
    });
    return m_view;
}

Result<void> RunsPage::open(const QString& part)
{
    if (part.isEmpty() || !m_context.store())
        return {};
    const auto found = m_context.store()->runs({.experiment = {},
                                                .lesson = {},
                                                .block = {},
                                                .sweepId = {},
                                                .target = {},
                                                .ids = {part.toStdString()},
                                                .limit = 1});
    if (!found)
        return found.error();
    if (found->empty())
        return Error{"unknown-page", "There is no run " + part.toStdString() + ".", "runs",
                     "Choose a run from the table."};
    m_selected = part;
    std::vector<RunsModel::Entry> one;
    one.push_back(RunsModel::makeEntry(found->front(), m_context.experiments()));
    m_model->addEntries(std::move(one));
    select(part);
    return {};
}

QString RunsPage::part() const
{
    return m_selected;
}

void RunsPage::reload()
{
    if (!m_context.store())
        return updateState();
    ++m_loading;
    loadRuns(*m_context.store(), {}, m_context.experiments(), this,
             [this](auto entries) { take(std::move(entries), true); });
}

void RunsPage::loadNewest()
{
    // A sweep stores row after row; a request that is under way will be followed by one more, not by one a row.
    if (m_loading > 0) {
        m_again = true;
        return;
    }
    ++m_loading;
    record::RunFilter newest;
    newest.limit = 256;
    loadRuns(*m_context.store(), newest, m_context.experiments(), this,
             [this](auto entries) { take(std::move(entries), false); });
}

void RunsPage::take(Result<std::vector<RunsModel::Entry>> entries, bool replace)
{
    --m_loading;
    if (!entries)
        Q_EMIT m_context.notice(QString::fromStdString(toText(entries.error())), true);
    else if (replace)
        m_model->setEntries(std::move(entries.value()));
    else
        m_model->addEntries(std::move(entries.value()));
    refreshFilters();
    updateState();
    if (m_again) {
        m_again = false;
        loadNewest();
    }
    Q_EMIT readyChanged();
}

void RunsPage::refreshFilters()
{
    const auto fill = [this](QComboBox* box, const QString& all, RunsModel::Column column) {
        const QString chosen = box->currentData().toString();
        box->clear();
        box->addItem(all, QString());
        for (const QString& value : m_model->values(column))
            box->addItem(value, value);
        box->setCurrentIndex(std::max(0, box->findData(chosen)));
    };
    fill(m_experiment, tr("All experiments"), RunsModel::Experiment);
    fill(m_target, tr("All targets"), RunsModel::Target);
    fill(m_lesson, tr("All lessons"), RunsModel::Lesson);
}

void RunsPage::applyQuery()
{
    m_model->setQuery({m_text->text(), m_experiment->currentData().toString(), m_target->currentData().toString(),
                       m_lesson->currentData().toString()});
    updateState();
}

void RunsPage::updateState()
{
    m_stack->setCurrentIndex(m_model->total() > 0 ? 1 : 0);
    m_count->setText(m_model->shown() == m_model->total() ? tr("%1 runs").arg(m_model->total())
                                                          : tr("%1 of %2").arg(m_model->shown()).arg(m_model->total()));
    Q_EMIT commandsChanged();
}

void RunsPage::select(const QString& runId)
{
    const QModelIndex index = m_model->indexOf(runId);
    m_restoring = true;
    if (index.isValid()) {
        m_view->selectionModel()->select(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
        m_view->selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
        m_view->scrollTo(index);
    }
    m_restoring = false;
    if (index.isValid())
        showSelection();
    else if (m_model->shown() == 0)
        m_detail->showNothing();
}

void RunsPage::showSelection()
{
    if (m_restoring)
        return;
    std::vector<record::RunRow> chosen;
    for (const QModelIndex& index : m_view->selectionModel()->selectedRows())
        for (record::RunRow& run : m_model->runs(index))
            chosen.push_back(std::move(run));
    if (!chosen.empty())
        m_selected = QString::fromStdString(chosen.front().id);
    m_detail->showRuns(std::move(chosen));
    Q_EMIT commandsChanged();
}

bool RunsPage::can(Command command) const
{
    return (command == Command::Find || command == Command::Export) && m_model->total() > 0;
}

void RunsPage::perform(Command command)
{
    if (command == Command::Find)
        m_text->setFocus(Qt::ShortcutFocusReason);
    else if (command == Command::Export)
        chooseExport();
}

QList<QWidget*> RunsPage::panes() const
{
    if (m_stack->currentIndex() == 0)
        return {};
    return {m_view, m_text, m_detail};
}

std::vector<record::RunRow> RunsPage::runsInView() const
{
    return m_detail->runs();
}

bool RunsPage::hasRunsInView() const
{
    return !m_detail->runs().empty();
}

Result<void> RunsPage::exportTo(const QString& path) const
{
    std::vector<record::RunRow> runs = m_detail->runs();
    if (runs.empty())
        runs = m_model->shownRuns();
    const std::filesystem::path file(path.toStdString());
    if (path.endsWith(QLatin1String(".json"), Qt::CaseInsensitive))
        return writeFile(file, runsToJson(runs).dump(2) + "\n");
    return writeFile(file, runsToCsv(runs).toStdString());
}

void RunsPage::chooseExport()
{
    auto* dialog = new QFileDialog(this, tr("Export runs"), {}, tr("CSV table (*.csv);;JSON (*.json)"));
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    dialog->selectFile(QStringLiteral("ridgepoint-runs.csv"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        const auto written = exportTo(path);
        Q_EMIT m_context.notice(written ? tr("Exported %1").arg(path) : QString::fromStdString(toText(written.error())),
                                !written);
    });
    dialog->open();
}

} // namespace ridge::app
