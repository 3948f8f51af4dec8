// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/portfolio_page.h"

#include "app/portfolio/artifact_card.h"
#include "app/portfolio/artifact_editor.h"
#include "app/portfolio/artifact_view.h"
#include "app/portfolio/assemble_start.h"
#include "app/portfolio/journal_view.h"
#include "app/portfolio/remove_row.h"
#include "app/portfolio/reproduce_panel.h"
#include "app/runs/table/tag_field.h"
#include "app/theme/drags.h"
#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"
#include "base/hash.h"
#include "evidence/artifact_draft.h"

#include <QFileDialog>
#include <QGridLayout>
#include <QLineEdit>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QTreeView>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

constexpr int kOverviewWidth = 3840; ///< cards fill the window, under the buttons of the head
enum Tab { Artifacts, Journal };

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

} // namespace

PortfolioPage::PortfolioPage(AppContext& context, QWidget* parent)
    : Page(parent), m_context(context), m_reproduce(new ReproduceRun(context, this)), m_stack(new QStackedWidget(this)),
      m_view(new ArtifactView(context, *m_reproduce, m_stack)), m_editor(new ArtifactEditor(context, m_stack)),
      m_journal(new JournalView(context))
{
    setAccessibleName(tr("Portfolio"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);
    m_stack->addWidget(makeOverview());
    m_stack->addWidget(m_view);
    m_stack->addWidget(m_editor);
    connectViews();
    reload();
}

QWidget* PortfolioPage::makeOverview()
{
    auto* pane = new QWidget(m_stack);
    pane->setAccessibleName(tr("Portfolio"));
    auto* column = new QVBoxLayout(pane);
    column->setContentsMargins(space::l, space::l, space::l, space::l);
    column->setSpacing(space::m);
    auto* head = new QWidget;
    head->setAccessibleName(tr("Portfolio"));
    auto* row = new FlowLayout(head);
    row->addWidget(makeLabel(m_context.theme(), tr("Portfolio"), TextStyle::ReadH1));
    m_count = makeLabel(m_context.theme(), {}, TextStyle::Body, QStringLiteral("muted"));
    const auto button = [&](const char* action, const QString& label, bool primary) {
        QAction* found = m_context.actions().find(QLatin1String(action));
        QPushButton* made = makeButton(label, found ? found->toolTip() : label, primary);
        made->setEnabled(m_context.store() != nullptr);
        row->addWidget(made);
        return made;
    };
    connect(button("file.newArtifact", tr("New artifact"), true), &QPushButton::clicked, this,
            [this] { Q_EMIT m_context.openRequested(QStringLiteral("portfolio/edit/") + text(newUuid7())); });
    connect(button("edit.decision", tr("Note a decision"), false), &QPushButton::clicked, this,
            [this] { Q_EMIT m_context.openRequested(QStringLiteral("portfolio/journal/decision")); });
    connect(button("edit.failure", tr("Note a failure"), false), &QPushButton::clicked, this,
            [this] { Q_EMIT m_context.openRequested(QStringLiteral("portfolio/journal/failure")); });
    row->addWidget(m_count);
    column->addWidget(head);
    m_start = new AssembleStart(m_context);
    column->addWidget(m_start);
    m_tabs = new QTabWidget;
    column->addWidget(m_tabs, 1); // before there is anything in it: what joins is styled anew
    m_tabs->setAccessibleName(tr("Portfolio"));
    m_tabs->setDocumentMode(true);
    m_tabs->tabBar()->setDrawBase(false);
    m_tabs->tabBar()->setAccessibleName(tr("Artifacts or journal"));
    m_tabs->addTab(makeArtifacts(), tr("Artifacts"));
    m_tabs->addTab(m_journal, tr("Journal"));
    return pane;
}

QWidget* PortfolioPage::makeArtifacts()
{
    const bool open = m_context.store() != nullptr;
    m_gridStack = new QStackedWidget;
    m_gridStack->setAccessibleName(tr("Artifacts"));
    auto* empty = new EmptyState(
        m_context.theme(), open ? tr("Nothing shipped yet") : tr("The store is not open"),
        open ? tr("An artifact is a claim you can defend: your question, your prediction, the runs that answered it, "
                  "the code and the machine. Each lesson ends with one, and any runs can become one.")
             : tr("Artifacts cannot be read until the message above is dealt with. Lessons can still be read."),
        open ? tr("Go to the lessons") : QString());
    connect(empty, &EmptyState::clicked, this, [this] { Q_EMIT m_context.openRequested(QStringLiteral("learn")); });
    m_gridStack->addWidget(empty);
    m_scroll = new ColumnScroll(kOverviewWidth, tr("Portfolio"));
    m_scroll->widget()->layout()->setContentsMargins(0, space::m, 0, 0);
    m_scroll->column()->setSpacing(space::l);
    auto* drafts = new Card(tr("Drafts"));
    drafts->column()->addWidget(makeLabel(m_context.theme(), tr("Drafts"), TextStyle::Strong));
    m_drafts = new EntryList(m_context.theme(), tr("Drafts"), {});
    drafts->column()->addWidget(m_drafts);
    m_draftsCard = drafts;
    m_scroll->column()->addWidget(drafts);
    auto* holder = new QWidget;
    holder->setAccessibleName(tr("Artifacts"));
    m_grid = new QGridLayout(holder);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(space::l);
    m_grid->setAlignment(Qt::AlignTop);
    m_scroll->column()->addWidget(holder);
    m_scroll->column()->addStretch(1);
    m_gridStack->addWidget(m_scroll);
    return m_gridStack;
}

void PortfolioPage::connectViews()
{
    connect(m_view, &ArtifactView::exportRequested, this, &PortfolioPage::chooseExport);
    connect(m_view, &ArtifactView::editRequested, this, [this] { perform(Command::EditArtifact); });
    connect(m_view, &ArtifactView::removeRequested, this, &PortfolioPage::removeArtifact);
    connect(m_view, &ArtifactView::tagAdded, this, [this](const QString& label) { tag(label, false); });
    connect(m_view, &ArtifactView::tagRemoved, this, [this](const QString& label) { tag(label, true); });
    connect(m_editor, &ArtifactEditor::changed, this, [this] {
        Q_EMIT titleChanged();
        Q_EMIT commandsChanged();
    });
    connect(m_editor, &ArtifactEditor::saved, this,
            [this](const QString& id) { Q_EMIT m_context.openRequested(QStringLiteral("artifact/") + id); });
    connect(m_editor, &ArtifactEditor::discarded, this,
            [this] { Q_EMIT m_context.openRequested(QStringLiteral("portfolio")); });
    connect(m_journal, &JournalView::changed, this, &PortfolioPage::commandsChanged);
    connect(&m_undo, &QUndoStack::indexChanged, this, &PortfolioPage::commandsChanged);
    connect(m_reproduce, &ReproduceRun::changed, this, &PortfolioPage::commandsChanged);
    connect(m_tabs, &QTabWidget::currentChanged, this, [this](int tab) {
        if (shown() == Overview)
            m_part = tab == Journal ? QStringLiteral("journal") : QString();
        Q_EMIT commandsChanged();
    });
    const auto showAgain = [this] {
        if (shown() == Detail && !showArtifact(m_part, true))
            m_stack->setCurrentIndex(Overview);
    };
    connect(&m_context, &AppContext::catalogueReady, this, showAgain);
    connect(&m_context.feedback(), &FeedbackWatch::changed, this, showAgain);
    connect(&m_context.feedback(), &FeedbackWatch::changed, this, &PortfolioPage::reload);
    connect(m_reproduce, &ReproduceRun::ended, this, [this, showAgain] {
        const bool near = m_view->focusOnReproduction();
        showAgain();
        if (near && shown() == Detail)
            m_view->showReproduction();
    });
    m_soon->setSingleShot(true);
    connect(m_soon, &QTimer::timeout, this, &PortfolioPage::reload);
    if (record::Store* store = m_context.store())
        connect(store, &record::Store::changed, this, [this](const QString& kind) {
            if (kind == QLatin1String("artifact"))
                m_soon->start(); // in a turn of its own: whoever stored it may open its page in this one
            else if (kind == QLatin1String("tag"))
                showTags();
        });
}

PortfolioPage::View PortfolioPage::shown() const
{
    return static_cast<View>(m_stack->currentIndex());
}

bool PortfolioPage::showsJournal() const
{
    return shown() == Overview && m_tabs->currentIndex() == Journal;
}

void PortfolioPage::reload()
{
    for (ArtifactCard* card : m_cards)
        card->deleteLater();
    m_cards.clear();
    m_columns = 0;
    std::vector<record::ArtifactRow> noArtifacts;
    if (const record::Store* store = m_context.store()) {
        auto rows = store->artifacts();
        if (!rows)
            Q_EMIT m_context.notice(text(toText(rows.error())), true);
        for (record::ArtifactRow& row : rows ? *rows : noArtifacts) {
            row.figures = {}; // no card shows them, and an import has thousands
            auto bundle = linkedRows(*store, row);
            if (bundle)
                withhold(m_context.feedback(), *bundle);
            auto* card = new ArtifactCard(m_context.theme(), bundle ? bundle->row : row,
                                          bundle ? markOf(*bundle) : std::optional<ArtifactCard::Mark>());
            connect(card, &ArtifactCard::clicked, this,
                    [this, card] { Q_EMIT m_context.openRequested(QStringLiteral("artifact/") + card->artifactId()); });
            connect(card, &ArtifactCard::pulled, this, [this, card] {
                const QPixmap picture = card->grab();
                Drags::ofApplication().start(*card, {std::unique_ptr<QMimeData>(artifactDragMime(
                                                         *m_context.store(), card->row(), m_context.experiments(),
                                                         withholdingNow(m_context.feedback()), picture.toImage())),
                                                     picture.scaledToWidth(200, Qt::SmoothTransformation),
                                                     Qt::CopyAction,
                                                     {}});
            });
            m_cards.push_back(card);
        }
    }
    m_count->setText(m_cards.size() == 1 ? tr("1 artifact") : tr("%1 artifacts").arg(m_cards.size()));
    m_start->setArtifacts(static_cast<int>(m_cards.size()));
    reloadDrafts();
    arrange();
    Q_EMIT commandsChanged();
}

void PortfolioPage::reloadDrafts()
{
    std::vector<EntryList::Entry> entries;
    if (const record::Store* store = m_context.store())
        for (const DraftHead& draft : drafts(store->folder()))
            entries.push_back({draft.title.empty() ? tr("Without a title") : text(draft.title),
                               {},
                               [this, id = draft.id] {
                                   Q_EMIT m_context.openRequested(QStringLiteral("portfolio/edit/") + text(id));
                               },
                               nullptr});
    const bool any = !entries.empty();
    m_drafts->show(std::move(entries));
    m_draftsCard->setVisible(any);
    m_gridStack->setCurrentIndex(m_cards.empty() && !any ? 0 : 1);
}

void PortfolioPage::arrange()
{
    const int room = std::min(width() - 2 * space::l, kOverviewWidth) - space::l;
    const int each = m_context.theme().scaled(ArtifactCard::kWidth) + space::l;
    const int columns = std::max(1, (room + space::l) / each);
    if (columns == m_columns)
        return;
    for (int column = 0; column < std::max(columns, m_grid->columnCount()); ++column)
        m_grid->setColumnStretch(column, column < columns ? 1 : 0);
    m_columns = columns;
    for (std::size_t i = 0; i < m_cards.size(); ++i)
        m_grid->addWidget(m_cards[i], static_cast<int>(i) / columns, static_cast<int>(i) % columns);
}

void PortfolioPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    arrange();
}

Result<void> PortfolioPage::open(const QString& part)
{
    if (auto done = showPart(part); !done)
        return done;
    Q_EMIT titleChanged();
    Q_EMIT commandsChanged();
    return {};
}

Result<void> PortfolioPage::showPart(const QString& part)
{
    const QString first = part.section(QLatin1Char('/'), 0, 0);
    if (part.isEmpty()) {
        reloadDrafts();
        m_stack->setCurrentIndex(Overview);
        m_tabs->setCurrentIndex(Artifacts);
        m_part.clear();
        return {};
    }
    if (first == QLatin1String("journal")) {
        if (auto opened = m_journal->open(part.section(QLatin1Char('/'), 1)); !opened)
            return opened;
        m_stack->setCurrentIndex(Overview);
        m_tabs->setCurrentIndex(Journal);
        m_part = part;
        return {};
    }
    if (first == QLatin1String("edit") || part == QLatin1String("new")) {
        const std::string named = part.section(QLatin1Char('/'), 1).toStdString();
        const std::string id = named.empty() ? newUuid7() : named;
        if (auto opened = m_editor->open(id); !opened)
            return opened;
        m_stack->setCurrentIndex(Editor);
        m_part = QStringLiteral("edit/") + text(id);
        return {};
    }
    if (auto shownArtifact = showArtifact(part); !shownArtifact)
        return shownArtifact;
    m_part = part;
    m_stack->setCurrentIndex(Detail);
    return {};
}

Result<void> PortfolioPage::showArtifact(const QString& part, bool stay)
{
    if (!m_context.store())
        return m_context.storeError().value_or(Error{"no-store", "The store is not open.", {}, {}});
    auto bundle = loadArtifact(*m_context.store(), part.toStdString());
    if (!bundle)
        return bundle.error();
    withhold(m_context.feedback(), *bundle);
    m_view->setArtifact(std::move(bundle.value()), stay);
    showTags();
    return {};
}

QString PortfolioPage::title() const
{
    if (shown() == Detail)
        return text(m_view->bundle().row.title);
    if (shown() == Editor && m_editor->document()) {
        const QString name = text(m_editor->document()->row().title);
        return name.isEmpty() ? tr("New artifact") : tr("%1 (draft)").arg(name);
    }
    return showsJournal() ? tr("Journal") : tr("Portfolio");
}

QUndoStack* PortfolioPage::undoStack() const
{
    if (shown() == Editor)
        return m_editor->document() ? &m_editor->document()->undoStack() : nullptr;
    return showsJournal() ? &m_journal->undoStack() : &m_undo;
}

bool PortfolioPage::can(Command command) const
{
    const bool detail = shown() == Detail;
    switch (command) {
    case Command::Export:
    case Command::EditArtifact:
    case Command::Tag:
        return detail;
    case Command::Reproduce:
        return detail && !m_reproduce->running() && canRepeat(m_view->bundle());
    case Command::Ship:
        return shown() == Editor && m_editor->document();
    case Command::Commit:
        return showsJournal() && !m_journal->part().isEmpty();
    case Command::Find:
        return showsJournal();
    case Command::Undo:
        return undoStack() && undoStack()->canUndo();
    case Command::Redo:
        return undoStack() && undoStack()->canRedo();
    default:
        return false;
    }
}

void PortfolioPage::perform(Command command)
{
    const auto tell = [this](const Result<void>& done) {
        if (!done)
            Q_EMIT m_context.notice(text(toText(done.error())), true);
    };
    switch (command) {
    case Command::Export:
        chooseExport();
        break;
    case Command::EditArtifact:
        Q_EMIT m_context.openRequested(QStringLiteral("portfolio/edit/") + text(m_view->bundle().row.artifactId));
        break;
    case Command::Tag:
        m_view->tags()->startTyping();
        break;
    case Command::Reproduce:
        m_reproduce->start(m_view->bundle().row);
        break;
    case Command::Ship:
        tell(m_editor->save());
        break;
    case Command::Commit:
        tell(m_journal->save());
        break;
    case Command::Find:
        m_journal->filterField()->setFocus(Qt::ShortcutFocusReason);
        break;
    case Command::Undo:
        undoStack()->undo();
        break;
    case Command::Redo:
        undoStack()->redo();
        break;
    default:
        break;
    }
}

QList<QWidget*> PortfolioPage::panes() const
{
    if (shown() == Detail)
        return {m_view->scroll()};
    if (shown() == Editor)
        return {m_editor->field(QStringLiteral("title")), m_editor->hints()};
    if (showsJournal())
        return {m_journal->view(), m_journal->filterField(), m_journal->titleField(), m_tabs->tabBar()};
    QList<QWidget*> all;
    if (!m_cards.empty())
        all << m_cards.front();
    return all << m_tabs->tabBar();
}

double PortfolioPage::scrollFraction() const
{
    return app::scrollFraction(shown() == Detail   ? m_view->scroll()
                               : shown() == Editor ? m_editor->scroll()
                                                   : m_scroll);
}

void PortfolioPage::setScrollFraction(double fraction)
{
    app::setScrollFraction(shown() == Detail   ? m_view->scroll()
                           : shown() == Editor ? m_editor->scroll()
                                               : m_scroll,
                           fraction);
}

int PortfolioPage::runningJobs() const
{
    return m_reproduce->running() ? 1 : 0;
}

void PortfolioPage::cancelRuns()
{
    m_reproduce->cancel();
}

std::vector<record::RunRow> PortfolioPage::runsInView() const
{
    return shown() == Detail ? m_view->bundle().runs : std::vector<record::RunRow>();
}

bool PortfolioPage::hasRunsInView() const
{
    return shown() == Detail && !m_view->bundle().runs.empty();
}

void PortfolioPage::removeArtifact()
{
    if (!m_context.store() || shown() != Detail)
        return;
    const record::ArtifactRow row =
        m_view->bundle().versions.empty() ? m_view->bundle().row : m_view->bundle().versions.front();
    m_undo.push(new RemoveRow(*m_context.store(), row,
                              tr("Take %1 out of the portfolio").arg(QString::fromStdString(row.title))));
    Q_EMIT m_context.notice(tr("%1 is taken out; Ctrl+Z brings it back").arg(text(row.title)), false);
    Q_EMIT m_context.openRequested(QStringLiteral("portfolio"));
}

void PortfolioPage::tag(const QString& label, bool remove)
{
    if (m_context.store())
        m_undo.push(new TagCommand(*m_context.store(), {{"artifact", m_view->bundle().row.artifactId}}, label, remove));
}

void PortfolioPage::showTags()
{
    if (!m_context.store())
        return;
    const auto maps = readTags(*m_context.store());
    if (maps)
        m_view->setTags(maps->artifacts.value(text(m_view->bundle().row.artifactId)), maps->known);
    else
        Q_EMIT m_context.notice(text(toText(maps.error())), true);
}

void PortfolioPage::chooseExport()
{
    auto* dialog = new QFileDialog(this, tr("Export the artifact into a new folder below"));
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& folder) {
        const auto exported = exportArtifact(*m_context.store(), m_view->bundle().row.id, m_context.experiments(),
                                             folder.toStdString(), withholdingNow(m_context.feedback()));
        Q_EMIT m_context.notice(
            exported ? tr("Exported to %1").arg(text(exported->string())) : text(toText(exported.error())), !exported);
    });
    dialog->open();
}

} // namespace ridge::app

#include "moc_portfolio_page.cpp"
