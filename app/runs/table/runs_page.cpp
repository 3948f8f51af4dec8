// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/table/runs_page.h"

#include "app/runs/table/run_detail.h"
#include "app/runs/table/run_loader.h"
#include "app/runs/table/tag_field.h"
#include "app/session/background.h"
#include "app/ui/filter_bar.h"
#include "app/ui/panels.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QScrollBar>
#include <QSet>
#include <QSplitter>
#include <QStackedWidget>
#include <QTreeView>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

/// Read and shown at once when the page opens; the rest follows.
constexpr int kFirstRows = 256;
/// Taken in between two turns of the event loop.
constexpr int kMoreRows = 8000;
/// Rows of a choice that are read while the window waits: a sweep of a lesson.
constexpr std::size_t kRowsAtOnce = 64;
/// Rows of a choice that are shown at all; exporting takes every one.
constexpr std::size_t kRowsShown = 2000;
constexpr int kNarrowTable = 980; ///< width at 100 % text below which columns make room for the parameters

using Widths = std::array<int, RunsModel::ColumnCount>;
constexpr Widths kWide = {0, 120, 0, 152, 116, 72, 68, 92, 60}, kNarrow = {0, 120, 0, 150, 116, 70, 66, 80, 56};
constexpr int kTitle = 240;           ///< the longest titles
constexpr int kLeastParameters = 150; ///< rather than less, the table goes sideways

/// Tells when it has another width: the window's or the splitter's doing.
class RunTable : public QTreeView {
public:
    std::function<void()> resized;
    bool narrow = false;
    int title = 0; ///< width given to the experiment; another one was pulled

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        QTreeView::resizeEvent(event);
        if (resized && event->size().width() != event->oldSize().width())
            resized();
    }
};

enum View { Empty, Table };

} // namespace

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
    splitter->addWidget(makeDetail());
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(1);
    splitter->setSizes({900, 340});
    column->addWidget(splitter, 1);
    m_stack->addWidget(body);

    connect(m_detail, &RunDetail::exportRequested, this, &RunsPage::chooseExport);
    connect(m_detail, &RunDetail::artifactRequested, this, &RunsPage::makeArtifact);
    connect(m_detail, &RunDetail::failureRequested, this, &RunsPage::noteFailure);
    connect(&context, &AppContext::catalogueReady, this, &RunsPage::reload);
    connect(&context.feedback(), &FeedbackWatch::changed, this, &RunsPage::reload);
    connect(&m_undo, &QUndoStack::indexChanged, this, &RunsPage::commandsChanged);
    if (record::Store* store = context.store())
        connect(store, &record::Store::changed, this, [this](const QString& kind) {
            if (kind == QLatin1String("run"))
                loadNewest();
            else if (kind == QLatin1String("tag"))
                refreshTags();
        });
    refreshTags();
    reload();
}

QWidget* RunsPage::makeFilterBar()
{
    m_filters =
        new FilterBar(m_context.theme(), tr("Filter runs by text"), tr("Filter by any word: stride 8, h100, failed …"));
    m_experiment = m_filters->addPicker(tr("Experiment"), tr("All experiments"));
    m_target = m_filters->addPicker(tr("Target"), tr("All targets"));
    m_lesson = m_filters->addPicker(tr("Lesson"), tr("All lessons"));
    m_tag = m_filters->addPicker(tr("Tag"), tr("All tags"));
    m_group = new QCheckBox(tr("Group by sweep"));
    m_group->setAccessibleName(tr("Group by sweep"));
    m_filters->addControl(m_group);
    connect(m_filters, &FilterBar::changed, this, &RunsPage::applyQuery);
    connect(m_group, &QCheckBox::toggled, this, [this](bool on) {
        keepView([this, on] { m_model->setGrouped(on); });
        m_view->setRootIsDecorated(on);
    });
    return m_filters;
}

QWidget* RunsPage::makeTable()
{
    auto* table = new RunTable;
    m_view = table;
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
    // A result stands beside what it is worth: in a narrow table other columns go out of sight first.
    m_view->header()->moveSection(RunsModel::Source, RunsModel::Result + 1);
    m_view->header()->moveSection(RunsModel::Verdict, RunsModel::Result + 2);
    m_view->header()->setTextElideMode(Qt::ElideRight);
    m_view->header()->setAccessibleName(tr("Columns"));
    useRowHeight(m_context.theme(), m_view);
    m_view->header()->setMinimumSectionSize(m_context.theme().scaled(56));
    // Parameters tell runs apart: they get what the others leave, in a narrow table without those out of sight, and
    // leave some of it to the experiment's title.
    const auto share = [this, table] {
        const std::initializer_list<int> last = {RunsModel::Target, RunsModel::Lesson, RunsModel::Tags};
        const bool pulled = m_view->columnWidth(RunsModel::Experiment) != table->title;
        int left = m_view->viewport()->width();
        for (int column = 0; column < RunsModel::ColumnCount; ++column)
            if (column != RunsModel::Parameters && (column != RunsModel::Experiment || pulled) &&
                (!table->narrow || std::find(last.begin(), last.end(), column) == last.end()))
                left -= m_view->columnWidth(column);
        if (!pulled) {
            const Theme& theme = m_context.theme();
            table->title = std::clamp(left * 2 / 5, theme.scaled(kNarrow[RunsModel::Experiment]), theme.scaled(kTitle));
            m_view->setColumnWidth(RunsModel::Experiment, table->title);
            left -= table->title;
        }
        m_view->setColumnWidth(RunsModel::Parameters, std::max(m_context.theme().scaled(kLeastParameters), left));
    };
    const auto fit = [this, table, share] {
        table->narrow = table->viewport()->width() < m_context.theme().scaled(kNarrowTable);
        const Widths& widths = table->narrow ? kNarrow : kWide;
        for (int column = 0; column < RunsModel::ColumnCount; ++column)
            if (const int width = widths[static_cast<std::size_t>(column)]; width > 0)
                m_view->setColumnWidth(column, m_context.theme().scaled(width));
        m_view->setColumnWidth(RunsModel::When, timeColumnWidth(m_context.theme()));
        table->title = m_view->columnWidth(RunsModel::Experiment);
        share();
    };
    fit();
    table->resized = [this, table, fit,
                      share] { // a width that somebody pulled stays until the table becomes another one
        const bool narrow = table->viewport()->width() < m_context.theme().scaled(kNarrowTable);
        narrow == table->narrow ? share() : fit();
    };
    connect(&m_context.theme(), &Theme::changed, m_view, fit);
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RunsPage::showSelection);
    m_tableStack = new QStackedWidget;
    m_tableStack->setAccessibleName(tr("Runs"));
    m_tableStack->addWidget(m_view);
    auto* none = new EmptyState(m_context.theme(), tr("No run matches"), tr("No stored run fits all of these filters."),
                                tr("Clear the filters"));
    connect(none, &EmptyState::clicked, m_filters, &FilterBar::clear);
    m_tableStack->addWidget(none);
    return m_tableStack;
}

QWidget* RunsPage::makeDetail()
{
    auto* pane = new QWidget;
    pane->setAccessibleName(tr("Tags and detail"));
    const auto fit = [this, pane] { pane->setMinimumWidth(std::clamp(m_context.theme().scaled(340), 340, 460)); };
    fit();
    connect(&m_context.theme(), &Theme::changed, pane, fit);
    auto* column = new QVBoxLayout(pane);
    column->setContentsMargins(space::l, 0, 0, 0);
    column->setSpacing(space::s);
    m_tags = new TagField(m_context.theme());
    m_tags->setSubject({});
    column->addWidget(m_tags);
    column->addWidget(m_detail, 1);
    connect(m_tags, &TagField::added, this, [this](const QString& label) { tag(label, false); });
    connect(m_tags, &TagField::removed, this, [this](const QString& label) { tag(label, true); });
    return pane;
}

Result<void> RunsPage::open(const QString& part)
{
    if (part.isEmpty() || !m_context.store())
        return {};
    const auto found = m_context.store()->runs({.ids = {part.toStdString()}, .limit = 1});
    if (!found)
        return found.error();
    if (found->empty())
        return Error{"unknown-page", "There is no run " + part.toStdString() + ".", "runs",
                     "Choose a run from the table."};
    m_selected = part;
    std::vector<RunsModel::Entry> one;
    one.push_back(RunsModel::makeEntry(found->front(), m_context.experiments(),
                                       !m_context.feedback().mayShow(found->front().lesson, Outcome::Result)));
    m_model->addEntries(std::move(one));
    updateState();
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
    record::RunHeadFilter newest;
    newest.limit = kFirstRows;
    m_maker = std::make_shared<EntryMaker>(m_context.experiments(), m_context.feedback().withheld(Outcome::Result));
    loadEntries(Background::of(m_context), *m_context.store(), newest, m_maker, this,
                [this, generation = ++m_generation](auto entries) {
                    if (generation != m_generation) { // the catalogue came in between: its texts are on the way
                        --m_loading;
                        return;
                    }
                    const bool more = entries && entries->size() == static_cast<std::size_t>(kFirstRows);
                    const std::int64_t oldest = more ? entries->back().position : 0;
                    if (more)
                        loadOlder(oldest);
                    take(std::move(entries), true);
                });
}

void RunsPage::loadOlder(std::int64_t before)
{
    ++m_loading;
    record::RunHeadFilter older;
    older.before = before;
    older.limit = kMoreRows;
    loadEntries(Background::of(m_context), *m_context.store(), older, m_maker, this,
                [this, generation = m_generation](auto entries) {
                    if (generation != m_generation) {
                        --m_loading;
                        return;
                    }
                    const bool more = entries && entries->size() == static_cast<std::size_t>(kMoreRows);
                    const std::int64_t oldest = more ? entries->back().position : 0;
                    if (more)
                        loadOlder(oldest);
                    take(std::move(entries), false);
                });
}

void RunsPage::loadNewest()
{
    // A sweep stores row after row; a request that is under way will be followed by one more, not by one a row.
    if (m_loading > 0) {
        m_again = true;
        return;
    }
    ++m_loading;
    record::RunHeadFilter newest;
    newest.after = m_model->newestPosition();
    loadEntries(Background::of(m_context), *m_context.store(), newest, m_maker, this,
                [this](auto entries) { take(std::move(entries), false); });
}

void RunsPage::take(Result<std::vector<RunsModel::Entry>> entries, bool replace)
{
    --m_loading;
    if (!entries)
        Q_EMIT m_context.notice(QString::fromStdString(toText(entries.error())), true);
    else if (!replace && m_model->goesBehind(*entries))
        m_model->addEntries(std::move(entries.value()));
    else
        keepView(
            [&] {
                if (replace)
                    m_model->setEntries(std::move(entries.value()));
                else
                    m_model->addEntries(std::move(entries.value()));
            },
            replace);
    refreshFilters();
    updateState();
    if (m_again && m_loading == 0) {
        m_again = false;
        loadNewest();
    }
    Q_EMIT readyChanged();
}

void RunsPage::keepView(const std::function<void()>& change, bool refresh)
{
    QSet<QString> sweeps;
    QSet<QByteArray> runs;
    for (const QModelIndex& index : m_view->selectionModel()->selectedRows())
        if (const QString sweep = m_model->sweep(index); !sweep.isEmpty())
            sweeps.insert(sweep);
        else if (const RunsModel::Entry* run = m_model->run(index))
            runs.insert(QByteArray::fromStdString(run->id));
    const int scroll = m_view->verticalScrollBar()->value();
    change();
    if (sweeps.isEmpty() && runs.size() <= 1)
        return select(m_selected, refresh);
    QItemSelection selection;
    const auto look = [&](const QModelIndex& index) {
        const RunsModel::Entry* run = m_model->run(index);
        if (run ? runs.contains(QByteArray::fromStdString(run->id)) || sweeps.contains(run->sweep)
                : sweeps.contains(m_model->sweep(index)))
            selection.append(QItemSelectionRange(index));
    };
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const QModelIndex top = m_model->index(row, 0);
        look(top);
        if (!runs.isEmpty() && m_model->grouped())
            for (int child = 0; child < m_model->rowCount(top); ++child)
                look(m_model->index(child, 0, top));
    }
    m_restoring = true;
    m_view->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    m_view->verticalScrollBar()->setValue(scroll);
    m_restoring = false;
    if (refresh)
        showSelection();
    else
        showTags();
}

void RunsPage::refreshFilters()
{
    m_filters->fill(m_experiment, m_model->values(RunsModel::Experiment));
    m_filters->fill(m_target, m_model->values(RunsModel::Target));
    m_filters->fill(m_lesson, m_model->values(RunsModel::Lesson));
    m_filters->fill(m_tag, m_model->values(RunsModel::Tags));
}

void RunsPage::refreshTags()
{
    if (!m_context.store())
        return;
    auto maps = readTags(*m_context.store());
    if (!maps)
        return Q_EMIT m_context.notice(QString::fromStdString(toText(maps.error())), true);
    m_tagMaps = std::move(*maps);
    keepView([this] { m_model->setTags(m_tagMaps.runs, m_tagMaps.sweeps); });
    m_filters->fill(m_tag, m_model->values(RunsModel::Tags));
    updateState();
    showTags();
}

void RunsPage::applyQuery()
{
    keepView([this] {
        m_model->setQuery({m_filters->text()->text(), m_experiment->currentData().toString(),
                           m_target->currentData().toString(), m_lesson->currentData().toString(),
                           m_tag->currentData().toString()});
    });
    updateState();
}

void RunsPage::updateState()
{
    m_stack->setCurrentIndex(m_model->total() > 0 ? Table : Empty);
    m_tableStack->setCurrentIndex(m_model->shown() > 0 ? 0 : 1);
    const QLocale locale(QLocale::English); // as the words around the numbers
    m_filters->setCount(m_model->shown() == m_model->total()
                            ? tr("%1 runs").arg(locale.toString(m_model->total()))
                            : tr("%1 of %2").arg(locale.toString(m_model->shown()), locale.toString(m_model->total())));
    Q_EMIT commandsChanged();
}

void RunsPage::select(const QString& runId, bool refresh)
{
    const QModelIndex index = m_model->indexOf(runId);
    const bool shown = m_detail->runs().size() == 1 && m_detail->runs().front().id == runId.toStdString();
    m_restoring = true;
    if (index.isValid()) {
        m_view->selectionModel()->select(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
        m_view->selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
        m_view->scrollTo(index);
    }
    m_restoring = false;
    if (index.isValid() && shown && !refresh) {
        showTags();
    } else if (index.isValid()) {
        showSelection();
    } else if (m_model->shown() == 0) {
        ++m_chosen;
        m_detail->showNothing();
        showTags();
    }
}

void RunsPage::showSelection()
{
    if (m_restoring)
        return;
    std::vector<std::string> ids;
    for (const QModelIndex& index : m_view->selectionModel()->selectedRows())
        for (const RunsModel::Entry* run : m_model->runs(index))
            ids.push_back(run->id);
    showTags();
    ++m_chosen;
    m_waitsForRows = false;
    if (ids.empty())
        return;
    m_selected = QString::fromStdString(ids.front());
    m_detail->setChosen(ids.size());
    if (ids.size() > kRowsShown)
        ids.resize(kRowsShown);
    if (ids.size() <= kRowsAtOnce) {
        auto rows = readRows(*m_context.store(), ids);
        if (!rows)
            return Q_EMIT m_context.notice(QString::fromStdString(toText(rows.error())), true);
        return showRows(std::move(*rows));
    }
    m_waitsForRows = true;
    loadRows(Background::of(m_context), *m_context.store(), std::move(ids), this, [this, chosen = m_chosen](auto rows) {
        if (chosen != m_chosen)
            return;
        m_waitsForRows = false;
        if (rows)
            showRows(std::move(*rows));
        else
            Q_EMIT m_context.notice(QString::fromStdString(toText(rows.error())), true);
        Q_EMIT readyChanged();
    });
}

void RunsPage::showRows(std::vector<record::RunRow> rows)
{
    m_context.feedback().withhold(rows);
    m_detail->showRuns(std::move(rows));
    Q_EMIT commandsChanged();
}

} // namespace ridge::app

#include "moc_runs_page.cpp"
