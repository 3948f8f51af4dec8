// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/main_window.h"
#include "app/kernels/lesson_kernel.h"

#include "app/runs/lab/lab_page.h"
#include "app/session/background.h"
#include "app/theme/announce.h"
#include "app/ui/icons.h"
#include "app/ui/panels.h"
#include "app/window/command_line.h"
#include "app/window/command_palette.h"
#include "app/window/folder_memory.h"
#include "app/window/learn/learn_page.h"
#include "app/window/opened_files.h"
#include "app/window/page_places.h"
#include "app/window/rail.h"
#include "app/window/run_watch.h"
#include "app/window/search_overlay.h"
#include "app/window/settings.h"
#include "app/window/shortcut_editor.h"
#include "app/window/shortcut_sheet.h"
#include "app/window/status_strip.h"
#include "app/window/window_docks.h"
#include "app/window/window_pins.h"
#include "base/paths.h"
#include "record/backups.h"
#include "record/restore.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDropEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMenuBar>
#include <QMimeData>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTimer>
#include <QToolButton>
#include <QUrl>
#include <QWhatsThis>

namespace ridge::app {
namespace {

/// A run that is told to stop has this long (the worker client kills it after two seconds) before the window goes.
constexpr int kLeaveMilliseconds = 4000;

QStringList filesOf(const QMimeData& data)
{
    QStringList paths;
    for (const QUrl& url : data.urls())
        if (url.isLocalFile())
            paths << url.toLocalFile();
    return paths;
}

} // namespace

QStringList MainWindow::destinations()
{
    return {QStringLiteral("home"), QStringLiteral("learn"),     QStringLiteral("lab"),
            QStringLiteral("runs"), QStringLiteral("portfolio"), QStringLiteral("class")};
}

MainWindow::MainWindow(AppContext& context, Options options)
    : m_context(context), m_options(options), m_themeSetting(options.theme)
{
    setAccessibleName(tr("Ridgepoint"));
    setWindowIcon(programIcon(context.theme()));
    new FolderMemory(this);
    m_runs = new RunWatch(this);
    m_pins = new WindowPins(context, this);
    m_ownTextScale = context.theme().textScale();
    offerLessonKernels(context);
    buildBody();
    m_docks = new WindowDocks(context, *m_runs, *this);
    addActions();
    m_palette = new CommandPalette(context, this);
    m_search = new SearchOverlay(context, this);
    m_search->prepareSoon();
    m_sheet = new ShortcutSheet(context.theme(), context.actions(), this);
    m_editor = new ShortcutEditor(context.theme(), context.actions(), this);
    if (m_options.remember) {
        loadShortcuts(context.actions());
        connect(&context.actions(), &ActionRegistry::shortcutsChanged, this,
                [this] { saveShortcuts(m_context.actions()); });
    }

    connect(&context, &AppContext::openRequested, this, [this](const QString& page) {
        if (auto opened = open(page); !opened)
            Q_EMIT m_context.notice(QString::fromStdString(toText(opened.error())), true);
    });
    connect(&context, &AppContext::catalogueFailed, this, [this](const Error& error) {
        m_workerBanner->setError(error);
        m_workerBanner->show();
    });
    connect(&context, &AppContext::catalogueReady, m_workerBanner, &QWidget::hide);
    connect(m_runs, &RunWatch::changed, this, &MainWindow::updateActions);
    connect(&context.pins(), &PinBoard::changed, this, &MainWindow::updateActions);
    connect(m_docks, &WindowDocks::changed, this, &MainWindow::updateActions);
    connect(m_runs, &RunWatch::allDone, this, [this] {
        if (m_leaving)
            leaveWhenDone();
    });
    if (record::Store* store = context.store())
        connect(store, &record::Store::writeFailed, this, [this](const QString& message) {
            m_storeBanner->setMessage(message,
                                      tr("What was stored before is safe. Free some space or mend the folder, "
                                         "then repeat the last step."),
                                      false);
            m_storeBanner->setClosable(true);
            m_storeBanner->show();
        });
    showStoreState();
    resize(1280, 800);
    setMinimumSize(720, 480);
    setAcceptDrops(true);
}

MainWindow::~MainWindow()
{
    Background::of(m_context).stop();
    // While everything they may still call stands.
    delete m_runs;
    m_runs = nullptr;
    delete m_docks;
    m_docks = nullptr;
    for (Page* each : std::as_const(m_pages)) {
        each->disconnect(this);
        delete each;
    }
    m_context.disconnect(this);
}

void MainWindow::buildBody()
{
    auto* body = new QWidget;
    body->setAccessibleName(tr("Ridgepoint"));
    auto* row = new QHBoxLayout(body);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    m_rail = new Rail(m_context.theme());
    const auto add = [this](const char* page, const QString& text, const QString& help) {
        const QString name = QLatin1String(page);
        const qsizetype number = destinations().indexOf(name) + 1;
        m_rail->addDestination(name, name, text, QStringLiteral("%1 (Ctrl+%2)").arg(help).arg(number));
    };
    add("home", tr("Home"), tr("Where to go on"));
    add("learn", tr("Learn"), tr("Modules and lessons"));
    add("lab", tr("Lab"), tr("Any experiment, every parameter"));
    add("runs", tr("Runs"), tr("Everything that was run"));
    add("portfolio", tr("Portfolio"), tr("What you have shipped"));
    add("class", tr("Class"), tr("Assignments, yours and those you give"));
    m_rail->setShown(QStringLiteral("class"), classUsed());
    connect(m_rail, &Rail::chosen, this, &MainWindow::chooseDestination);
    row->addWidget(m_rail);

    auto* column = new QVBoxLayout;
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    Banner* files = nullptr;
    for (Banner** banner : {&m_storeBanner, &m_workerBanner, &files, &m_closing}) {
        *banner = new Banner(m_context.theme());
        (*banner)->setClosable(false);
        column->addWidget(*banner);
    }
    m_files = new OpenedFiles(m_context, *this, *files, *column);
    connect(m_files, &OpenedFiles::kernelCame, this, &MainWindow::addKernelFile);
    m_stack = new QStackedWidget;
    m_stack->setAccessibleName(tr("Page"));
    column->addWidget(m_stack, 1);
    row->addLayout(column, 1);
    setCentralWidget(body);

    m_status = new StatusStrip(m_context, *m_runs);
    auto* bar = new QStatusBar;
    bar->setAccessibleName(tr("Status"));
    bar->setSizeGripEnabled(false);
    bar->setContentsMargins(0, 0, 0, 0);
    bar->addPermanentWidget(m_status, 1); // what is announced does not cover it
    setStatusBar(bar);
    menuBar()->setAccessibleName(tr("Menus"));
    menuBar()->setNativeMenuBar(false);
    const auto centreMenus = [this] {
        // The corner is as high as a control; the menus stand in its middle.
        const int room = m_context.theme().scaled(28) + 2 * space::xs - menuBar()->fontMetrics().height();
        menuBar()->setStyleSheet(QStringLiteral("QMenuBar::item { padding: %1px 8px; }").arg(std::max(4, room / 2)));
    };
    centreMenus();
    connect(&m_context.theme(), &Theme::changed, this, centreMenus);
}

QWidget* MainWindow::makeCorner()
{
    auto* corner = new QWidget;
    corner->setAccessibleName(tr("Back, forward and search"));
    auto* row = new QHBoxLayout(corner);
    row->setContentsMargins(0, 2, space::s, 2);
    row->setSpacing(2);
    const auto button = [&](const char* action, const char* icon) {
        auto* tool = new QToolButton;
        QAction* owner = m_context.actions().find(QLatin1String(action));
        setThemedIcon(m_context.theme(), tool, QLatin1String(icon));
        tool->setAccessibleName(QString(owner->text()).remove(QLatin1Char('&')));
        tool->setToolTip(owner->toolTip());
        tool->setEnabled(owner->isEnabled());
        tool->setFocusPolicy(Qt::TabFocus);
        connect(tool, &QToolButton::clicked, owner, &QAction::trigger);
        connect(owner, &QAction::changed, tool, [tool, owner] { tool->setEnabled(owner->isEnabled()); });
        row->addWidget(tool);
        return tool;
    };
    button("go.back", "back");
    button("go.forward", "forward");
    QToolButton* search = button("edit.palette", "search");
    search->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    search->setText(tr("Search or do   Ctrl+K"));
    return corner;
}

Page* MainWindow::pageFor(const QString& destination)
{
    if (Page* known = m_pages.value(destination))
        return known;
    Page* made = makePage(destination, m_context, m_stack);
    if (!made)
        return nullptr;
    if (auto* learn = qobject_cast<LearnPage*>(made))
        learn->setOutlineShown(m_outlineShown);
    m_pages.insert(destination, made);
    m_stack->addWidget(made);
    m_runs->look();
    connect(made, &Page::commandsChanged, this, &MainWindow::followPage);
    connect(made, &Page::titleChanged, this, &MainWindow::updateTitle);
    return made;
}

bool MainWindow::busyBehind() const
{
    return Background::of(m_context).busy();
}

Page* MainWindow::page() const
{
    return qobject_cast<Page*>(m_stack->currentWidget());
}

Result<void> MainWindow::open(const QString& page)
{
    Page* const before = this->page();
    const double scrolled = before ? before->scrollFraction() : 0;
    if (auto shown = showPage(page); !shown)
        return shown;
    if (before)
        m_history.noteScroll(scrolled);
    m_history.visit(page);
    focusPage();
    followPage();
    Q_EMIT pageShown(page);
    return {};
}

Result<void> MainWindow::showPage(const QString& page)
{
    const QString destination = destinationOf(page);
    // Learn serves lessons by their id and Portfolio artifacts by theirs; module pages and the journal keep their name.
    const bool named =
        page.startsWith(QLatin1String("module/")) || page.section(QLatin1Char('/'), 0, 0) == QLatin1String("journal");
    const QString part = named ? page : page.section(QLatin1Char('/'), 1);
    Page* target = pageFor(destination);
    const bool needsPart = page.startsWith(QLatin1String("lesson")) || page.startsWith(QLatin1String("artifact")) ||
                           page.startsWith(QLatin1String("module"));
    if (!target || (needsPart && part.isEmpty()))
        return Error{"unknown-page", "There is no page " + page.toStdString() + ".", "--open",
                     "Pages are " + pageNames().join(QLatin1String(", ")).toStdString() + "."};
    if (auto opened = target->open(part); !opened)
        return opened;
    m_stack->setCurrentWidget(target);
    if (railOf(destination) == QLatin1String("class"))
        noteClassUsed();
    m_rail->setCurrent(railOf(destination));
    m_docks->setBenchAway(railOf(destination) == QLatin1String("lab"));
    m_lastPages.insert(destination, page);
    updateTitle();
    return {};
}

void MainWindow::goTo(const History::Place& place)
{
    if (auto shown = showPage(place.page); !shown) {
        Q_EMIT m_context.notice(QString::fromStdString(toText(shown.error())), true);
        return;
    }
    focusPage();
    followPage();
    // The page lays itself out first; its scroll range is not known before.
    QTimer::singleShot(0, page(), [target = page(), at = place.scroll] { target->setScrollFraction(at); });
    Q_EMIT pageShown(place.page);
}

void MainWindow::followPage()
{
    updateActions();
    if (page())
        m_docks->propose(page()->benchProposal());
}

void MainWindow::explainFocus()
{
    QWidget* focused = focusWidget();
    if (!focused || focused->toolTip().isEmpty())
        return m_palette->open();
    // Stays until the next key or click, and is read aloud; a tool tip would go by itself.
    QWhatsThis::showText(focused->mapToGlobal(QPoint(focused->width() / 2, focused->height())), focused->toolTip(),
                         focused);
    announce(m_status, focused->toolTip());
}

void MainWindow::goBack()
{
    if (!m_history.canGoBack())
        return;
    if (page())
        m_history.noteScroll(page()->scrollFraction());
    goTo(m_history.back());
}

void MainWindow::goForward()
{
    if (!m_history.canGoForward())
        return;
    if (page())
        m_history.noteScroll(page()->scrollFraction());
    goTo(m_history.forward());
}

void MainWindow::chooseDestination(const QString& destination)
{
    // From elsewhere one comes back to where one was; a second click leads to the top of the destination.
    const bool here = destinationOf(currentPage()) == destination;
    const QString wanted = here ? destination : m_lastPages.value(destination, destination);
    if (auto opened = open(wanted); !opened)
        Q_EMIT m_context.notice(QString::fromStdString(toText(opened.error())), true);
}

void MainWindow::focusPage()
{
    const QList<QWidget*> panes = page() ? page()->panes() : QList<QWidget*>();
    const bool covered = m_palette->isOpen() || m_sheet->isOpen() || m_editor->isOpen();
    if (panes.isEmpty() || covered || currentPage().contains(QLatin1Char('#')))
        return;
    for (QWidget* at = panes.first();;) {
        if ((at->focusPolicy() & Qt::TabFocus) && at->isEnabled() && !at->isHidden()) {
            at->setFocus(Qt::OtherFocusReason);
            return;
        }
        at = at->nextInFocusChain();
        if (!panes.first()->isAncestorOf(at))
            return;
    }
}

void MainWindow::cyclePane(int step)
{
    QList<QWidget*> panes = {m_rail->current()};
    if (page())
        panes += page()->panes();
    panes += m_docks->panes();
    panes << m_status->targetButton();
    QWidget* const focus = QApplication::focusWidget();
    qsizetype at = 0;
    for (qsizetype i = 0; i < panes.size(); ++i)
        if (panes[i] && focus && (panes[i] == focus || panes[i]->isAncestorOf(focus)))
            at = i;
    for (qsizetype tried = 0; tried < panes.size(); ++tried) {
        at = (at + step + panes.size()) % panes.size();
        QWidget* const pane = panes[at];
        for (QWidget* into = pane; into; into = into->nextInFocusChain()) {
            if (into != pane && !pane->isAncestorOf(into))
                break;
            if ((into->focusPolicy() & Qt::TabFocus) && into->isVisible() && into->isEnabled()) {
                into->setFocus(Qt::ShortcutFocusReason);
                return;
            }
        }
    }
}

void MainWindow::setThemeName(const QString& setting)
{
    const QString name = resolveTheme(setting, m_options.systemIsDark);
    if (auto loaded = m_context.theme().load(name); !loaded) {
        Q_EMIT m_context.notice(QString::fromStdString(toText(loaded.error())), true);
        return;
    }
    m_themeSetting = setting;
    setWindowIcon(programIcon(m_context.theme()));
    if (m_options.remember)
        saveThemeSetting(setting);
    updateActions();
}

void MainWindow::scaleText(double factor)
{
    Theme& theme = m_context.theme();
    const double scale = factor == 0 ? 1.0 : std::clamp(theme.textScale() * factor, 0.8, 2.0);
    theme.setTextScale(std::abs(scale - 1.0) < 0.02 ? 1.0 : scale);
    m_ownTextScale = std::clamp(theme.textScale() / windowLayout(m_layout).text, 0.8, 2.0);
    if (m_options.remember)
        saveTextScale(m_ownTextScale);
}

void MainWindow::showStoreState()
{
    if (!m_context.storeError())
        return;
    m_storeBanner->setError(*m_context.storeError());
    m_storeBanner->show();
    if (m_context.storeError()->code != "store-damaged")
        return;
    if (const auto backup = record::bestBackup(homeFolder())) {
        const QString file = QString::fromStdString(backup->file.path.filename().string());
        connect(m_storeBanner->setAction(tr("Restore the backup"),
                                         tr("Puts %1 in place and begins afresh; the damaged file is kept").arg(file)),
                &QPushButton::clicked, this, &MainWindow::restoreRecord);
    }
}

void MainWindow::restoreRecord()
{
    if (const auto done = record::restoreRecord(homeFolder()); !done) {
        m_storeBanner->setError(done.error());
        announce(m_storeBanner, m_storeBanner->text());
        return;
    }
    Q_EMIT recordRestored();
    close();
}

void MainWindow::updateTitle()
{
    const QString title = page() ? tr("%1 — Ridgepoint").arg(page()->title()) : tr("Ridgepoint");
    setWindowTitle(m_titleMark.isEmpty() ? title : tr("%1 · %2").arg(m_titleMark, title));
}

void MainWindow::setTitleMark(const QString& mark)
{
    if (std::exchange(m_titleMark, mark) != mark)
        updateTitle();
}

void MainWindow::restoreSession()
{
    const WindowState state = loadWindowState();
    if (!state.geometry.isEmpty())
        restoreGeometry(state.geometry);
    m_layout = windowLayout(savedLayout()).id;
    applyLayout(false);
    m_outlineShown = state.outline; // as it was left, whatever the layout begins with
    m_pins->restore(state.pins);
    if (auto* learn = qobject_cast<LearnPage*>(m_pages.value(QStringLiteral("learn"))))
        learn->setOutlineShown(state.outline);
    // What was open may be gone, a lesson renamed or a store moved: then it starts at home.
    if (currentPage().isEmpty() && !open(state.page))
        (void)open(QStringLiteral("home"));
    updateActions();
}

void MainWindow::saveSession()
{
    if (!m_options.remember)
        return;
    keepLayout();
    saveLayout(m_layout);
    // The scroll position is kept; a place that was searched for is not looked for again.
    saveWindowState({saveGeometry(), currentPage().section(QLatin1Char('#'), 0, 0), m_outlineShown, m_pins->keys()});
}

void MainWindow::openFiles(const QStringList& paths)
{
    m_files->read(paths);
}

/// Esc that no widget wanted for itself.
void MainWindow::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_files->stop())
        return;
    if (event->key() == Qt::Key_Escape && m_layout == QLatin1String("present"))
        return setLayoutName(QStringLiteral("read")); // no menu is there to lead back
    QMainWindow::keyPressEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    // A chart of ours that is pulled over the window is not meant for it.
    if (!event->source() && !filesOf(*event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    openFiles(filesOf(*event->mimeData()));
    event->acceptProposedAction();
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    saveSession();
    if (m_runs->running() == 0 || m_leaveNow) {
        if (m_context.store())
            m_context.store()->flush();
        event->accept();
        return;
    }
    event->ignore();
    if (m_leaving)
        return;
    m_leaving = true;
    m_closing->setMessage(tr("Stopping what runs, then closing …"), tr("Points already stored stay."), true);
    m_closing->show();
    QTimer::singleShot(kLeaveMilliseconds, this, &MainWindow::leaveWhenDone);
    stopEverything();
}

void MainWindow::stopEverything()
{
    for (Page* each : std::as_const(m_pages))
        each->cancelRuns(); // what waits too
    m_docks->cancelRuns();
    m_runs->cancelAll();
}

void MainWindow::leaveWhenDone()
{
    m_leaveNow = true;
    QMetaObject::invokeMethod(this, &QWidget::close, Qt::QueuedConnection);
}

bool MainWindow::event(QEvent* event)
{
    // Hovered menu entries say their sentence in the one line there is for it.
    if (event->type() == QEvent::StatusTip) {
        m_status->showNotice(static_cast<QStatusTipEvent*>(event)->tip(), false);
        return true;
    }
    return QMainWindow::event(event);
}

} // namespace ridge::app

#include "moc_main_window.cpp"
