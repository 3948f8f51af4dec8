// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/journal_view.h"

#include "app/portfolio/remove_row.h"
#include "app/portfolio/run_picker.h"
#include "app/runs/table/run_data.h"
#include "app/runs/table/run_loader.h"
#include "app/ui/filter_bar.h"
#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"
#include "base/hash.h"
#include "base/json.h"
#include "record/worker/when_done.h"

#include <QComboBox>
#include <QHeaderView>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTreeView>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

enum Right { Nothing, Form };

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

} // namespace

JournalView::JournalView(AppContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_model(new JournalModel(this))
{
    setAccessibleName(tr("Journal"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->setAccessibleName(tr("Entries and entry"));
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(1);
    splitter->addWidget(makeList());
    splitter->addWidget(makeForm());
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({560, 560});
    layout->addWidget(splitter);
    connect(&m_undo, &QUndoStack::indexChanged, this, &JournalView::changed);
    if (record::Store* store = context.store())
        connect(store, &record::Store::changed, this, [this](const QString& kind) {
            if (kind == QLatin1String("journal"))
                reload();
        });
    reload();
}

QWidget* JournalView::makeList()
{
    auto* pane = new QWidget;
    pane->setAccessibleName(tr("Entries"));
    auto* column = new QVBoxLayout(pane);
    column->setContentsMargins(0, 0, space::m, 0);
    column->setSpacing(space::m);
    m_filters = new FilterBar(m_context.theme(), tr("Filter the journal by text"), tr("Filter by any word"));
    m_filterKind = m_filters->addPicker(tr("Kind of entry"), tr("Failures and decisions"));
    m_filters->fill(m_filterKind,
                    {{tr("Failures"), QStringLiteral("failure")}, {tr("Decisions"), QStringLiteral("decision")}});
    column->addWidget(m_filters);
    m_view = new QTreeView;
    m_view->setModel(m_model);
    m_view->setAccessibleName(tr("Journal"));
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->header()->setAccessibleName(tr("Columns"));
    m_view->header()->setStretchLastSection(false);
    m_view->header()->setSectionResizeMode(JournalModel::Title, QHeaderView::Stretch);
    useRowHeight(m_context.theme(), m_view);
    const auto fit = [this] {
        for (const auto& [shown, width] : {std::pair{JournalModel::Kind, 84},
                                           {JournalModel::Lesson, 64},
                                           {JournalModel::Runs, 56},
                                           {JournalModel::When, 140}})
            m_view->setColumnWidth(shown, m_context.theme().scaled(width));
    };
    fit();
    connect(&m_context.theme(), &Theme::changed, m_view, fit);
    m_stack = new QStackedWidget;
    m_stack->setAccessibleName(tr("Entries"));
    m_stack->addWidget(m_view);
    auto* empty = new EmptyState(m_context.theme(), tr("Nothing noted yet"),
                                 tr("A failure says what went wrong and what it cost to find. A decision says what you "
                                    "chose, among what, and why. Both belong into a report."),
                                 tr("Note a decision"));
    connect(empty, &EmptyState::clicked, this,
            [this] { Q_EMIT m_context.openRequested(QStringLiteral("portfolio/journal/decision")); });
    m_stack->addWidget(empty);
    column->addWidget(m_stack, 1);
    connect(m_filters, &FilterBar::changed, this, [this] {
        m_model->setQuery(m_filters->text()->text(), m_filterKind->currentData().toString());
        updateState();
    });
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
        if (index.isValid() && !m_filling)
            showEntry(m_model->entry(index.row()), false);
    });
    return pane;
}

QWidget* JournalView::makeForm()
{
    Theme& theme = m_context.theme();
    m_right = new QStackedWidget;
    m_right->setAccessibleName(tr("Entry"));
    QLabel* none =
        makeText(theme, tr("Choose an entry to read or change it."), TextStyle::Body, QStringLiteral("hint"));
    none->setContentsMargins(space::l, space::s, space::l, space::l);
    none->setAlignment(Qt::AlignTop | Qt::AlignHCenter);
    m_right->addWidget(none);
    m_form = new ColumnScroll(720, tr("Entry"));
    m_form->widget()->layout()->setContentsMargins(space::l, 0, space::l, space::l);
    QVBoxLayout* column = m_form->column();
    column->setSpacing(space::xs);
    const auto head = [&](const QString& title) {
        column->addSpacing(space::s);
        column->addWidget(makeLabel(theme, title, TextStyle::Strong));
    };
    auto* bar = new QWidget;
    bar->setAccessibleName(tr("What can be done with the entry"));
    auto* buttons = new FlowLayout(bar);
    m_save = makeButton(tr("Save the entry"), tr("Keeps it in the record (Ctrl+Enter)"), true);
    m_save->setObjectName(QStringLiteral("saveEntry"));
    connect(m_save, &QPushButton::clicked, this, [this] {
        if (const auto done = save(); !done)
            Q_EMIT m_context.notice(text(toText(done.error())), true);
    });
    buttons->addWidget(m_save);
    m_remove = makeButton(tr("Take it away"), tr("It can be brought back (Ctrl+Z)"));
    connect(m_remove, &QPushButton::clicked, this, &JournalView::remove);
    buttons->addWidget(m_remove);
    column->addWidget(bar);
    head(tr("Kind"));
    m_kind = new QComboBox;
    m_kind->setAccessibleName(tr("Failure or decision"));
    m_kind->addItem(tr("Failure: what went wrong"), QStringLiteral("failure"));
    m_kind->addItem(tr("Decision: what was chosen, and why"), QStringLiteral("decision"));
    connect(m_kind, &QComboBox::activated, this, &JournalView::keepDraft);
    column->addWidget(m_kind);
    head(tr("Title"));
    m_title = new QLineEdit;
    m_title->setAccessibleName(tr("Title of the entry"));
    connect(m_title, &QLineEdit::textEdited, this, &JournalView::keepDraft);
    column->addWidget(m_title);
    head(tr("What happened, or what was decided and why"));
    m_text = new GrowingEdit(theme, tr("Text of the entry"), 6);
    m_text->useOwnUndo();
    connect(m_text, &QPlainTextEdit::textChanged, this, &JournalView::keepDraft);
    column->addWidget(m_text);
    head(tr("Lesson"));
    m_lesson = new QLineEdit;
    m_lesson->setAccessibleName(tr("Lesson it belongs to"));
    m_lesson->setPlaceholderText(tr("None"));
    connect(m_lesson, &QLineEdit::textEdited, this, &JournalView::keepDraft);
    column->addWidget(m_lesson);
    head(tr("Runs"));
    m_runs = new EntryList(theme, tr("Runs of the entry"), tr("None. The runs that show it."));
    connect(m_runs, &EntryList::removed, this, [this](int index) {
        m_entry.runIds.erase(m_entry.runIds.begin() + index);
        showRuns();
        keepDraft();
    });
    column->addWidget(m_runs);
    QPushButton* add = makeButton(tr("Add runs…"), tr("Chooses among the stored runs"));
    connect(add, &QPushButton::clicked, this, [this] {
        auto* picker = new RunPicker(m_context, tr("Runs of the entry"), this);
        connect(picker, &RunPicker::picked, this, [this](const std::vector<std::string>& ids) {
            for (const std::string& id : ids)
                if (std::ranges::find(m_entry.runIds, id) == m_entry.runIds.end())
                    m_entry.runIds.push_back(id);
            showRuns();
            keepDraft();
        });
        picker->open();
    });
    auto* row = new QHBoxLayout;
    row->addWidget(add);
    row->addStretch(1);
    column->addLayout(row);
    head(tr("Artifacts"));
    m_artifacts =
        new EntryList(theme, tr("Artifacts that name the entry"), tr("None names it. An artifact's editor adds it."));
    column->addWidget(m_artifacts);
    column->addStretch(1);
    m_right->addWidget(m_form);
    return m_right;
}

QWidget* JournalView::filterField() const
{
    return m_filters->text();
}

void JournalView::reload()
{
    if (!m_context.store())
        return;
    auto entries = m_context.store()->journal();
    if (!entries)
        return Q_EMIT m_context.notice(text(toText(entries.error())), true);
    m_filling = true;
    m_model->setEntries(std::move(*entries));
    if (const QModelIndex here = m_model->indexOf(m_entry.entryId); here.isValid())
        m_view->setCurrentIndex(here);
    m_filling = false;
    updateState();
}

void JournalView::updateState()
{
    m_stack->setCurrentIndex(m_model->total() > 0 ? 0 : 1);
    // Where nothing can be chosen, nothing asks for it.
    m_right->setVisible(m_model->total() > 0 || m_right->currentIndex() == Form);
    m_filters->setCount(m_model->rowCount() == m_model->total()
                            ? tr("%1 entries").arg(m_model->total())
                            : tr("%1 of %2").arg(m_model->rowCount()).arg(m_model->total()));
    Q_EMIT changed();
}

Result<void> JournalView::open(const QString& part)
{
    m_part = part;
    if (!m_context.store())
        return {};
    if (part == QLatin1String("decision") || part == QLatin1String("failure")) {
        record::JournalRow fresh;
        fresh.kind = part.toStdString();
        showEntry(std::move(fresh), true);
        m_title->setFocus(Qt::OtherFocusReason);
        return {};
    }
    if (part.isEmpty())
        return {};
    auto entries = m_context.store()->journal();
    if (!entries)
        return entries.error();
    const auto found = std::ranges::find(*entries, part.toStdString(), &record::JournalRow::entryId);
    if (found == entries->end())
        return Error{"unknown-page", "There is no entry " + part.toStdString() + " in the journal.", "journal",
                     "Choose one from the list."};
    m_filling = true;
    m_filters->clear();
    m_view->setCurrentIndex(m_model->indexOf(found->entryId));
    m_filling = false;
    showEntry(*found, false);
    return {};
}

void JournalView::showEntry(record::JournalRow entry, bool fresh)
{
    const std::string name = fresh ? "new-" + entry.kind : entry.entryId;
    m_part = text(fresh ? entry.kind : entry.entryId);
    m_draft.reset(); // what was typed into the last one is on disk before another is shown
    m_draft = std::make_unique<DraftFile>(m_context.store()->folder(), "journal", name);
    connect(m_draft.get(), &DraftFile::saveFailed, this,
            [this](const QString& message) { Q_EMIT m_context.notice(message, true); });
    const Json draft = m_draft->load();
    const auto typed = [&draft](const char* field, std::string& value) {
        if (const auto found = draft.find(field); found != draft.end() && found->is_string())
            value = found->get<std::string>();
    };
    typed("kind", entry.kind);
    typed("title", entry.title);
    typed("text", entry.text);
    typed("lesson", entry.lesson);
    if (const auto runs = draft.find("run_ids"); runs != draft.end() && runs->is_array()) {
        entry.runIds.clear();
        for (const Json& id : *runs)
            if (id.is_string())
                entry.runIds.push_back(id.get<std::string>());
    }
    m_entry = std::move(entry);
    m_filling = true;
    m_kind->setCurrentIndex(std::max(0, m_kind->findData(text(m_entry.kind))));
    m_title->setText(text(m_entry.title));
    m_text->show(text(m_entry.text));
    m_lesson->setText(text(m_entry.lesson));
    m_filling = false;
    m_remove->setVisible(!m_entry.entryId.empty());
    showRuns();
    m_right->setCurrentIndex(Form);
    m_right->show();
    Q_EMIT changed();
}

void JournalView::showRuns()
{
    std::vector<EntryList::Entry> entries;
    const auto rows = readRows(*m_context.store(), m_entry.runIds);
    for (const std::string& id : m_entry.runIds) {
        QString line = text(id);
        if (rows)
            if (const auto run = std::ranges::find(*rows, id, &record::RunRow::id); run != rows->end())
                line =
                    QStringLiteral("%1, %2, %3%4")
                        .arg(text(run->experiment), parameterText(run->params, m_context.experiment(run->experiment)),
                             text(run->target), run->status == "failed" ? tr(", failed") : QString());
        entries.push_back({line, tr("Take out this run"),
                           [this, id] { Q_EMIT m_context.openRequested(QStringLiteral("runs/") + text(id)); },
                           nullptr});
    }
    m_runs->show(std::move(entries));
    std::vector<EntryList::Entry> artifacts;
    if (const auto all = m_context.store()->artifacts(); all && !m_entry.entryId.empty())
        for (const record::ArtifactRow& row : *all)
            if (std::ranges::find(row.journalIds, m_entry.entryId) != row.journalIds.end())
                artifacts.push_back({text(row.title),
                                     {},
                                     [this, id = row.artifactId] {
                                         Q_EMIT m_context.openRequested(QStringLiteral("artifact/") + text(id));
                                     },
                                     nullptr});
    m_artifacts->show(std::move(artifacts));
}

void JournalView::keepDraft()
{
    if (m_filling || !m_draft)
        return;
    m_draft->keep(Json{{"kind", m_kind->currentData().toString().toStdString()},
                       {"title", m_title->text().toStdString()},
                       {"text", m_text->toPlainText().toStdString()},
                       {"lesson", m_lesson->text().toStdString()},
                       {"run_ids", m_entry.runIds}});
}

Result<void> JournalView::save()
{
    if (!m_context.store() || !m_draft)
        return Error{"no-store", "No entry is open.", {}, {}};
    if (m_title->text().simplified().isEmpty()) {
        m_title->setFocus(Qt::OtherFocusReason);
        return Error{"no-title", "The entry has no title yet", "title", "Give it one, then save again"};
    }
    record::JournalRow row;
    row.entryId = m_entry.entryId.empty() ? newUuid7() : m_entry.entryId;
    row.kind = m_kind->currentData().toString().toStdString();
    row.title = m_title->text().simplified().toStdString();
    row.text = m_text->toPlainText().toStdString();
    row.lesson = m_lesson->text().simplified().toStdString();
    row.runIds = m_entry.runIds;
    const QString page = QStringLiteral("portfolio/journal/") + text(row.entryId);
    record::whenDone(m_context.store()->append(row), this, [this, page, row](const Result<std::string>& stored) {
        if (!stored)
            return Q_EMIT m_context.notice(text(toText(stored.error())), true);
        if (m_draft)
            m_draft->remove();
        m_entry = row;
        Q_EMIT m_context.notice(tr("Saved: %1").arg(text(row.title)), false);
        Q_EMIT m_context.openRequested(page);
    });
    return {};
}

void JournalView::remove()
{
    if (m_entry.entryId.empty() || !m_context.store())
        return;
    if (m_draft) // none where another entry was opened while this one was being saved
        m_draft->remove();
    m_draft.reset();
    m_right->setCurrentIndex(Nothing);
    m_undo.push(new RemoveRow(*m_context.store(), std::exchange(m_entry, {}), tr("Take away an entry")));
    m_part.clear();
    Q_EMIT changed();
}

} // namespace ridge::app

#include "moc_journal_view.cpp"
