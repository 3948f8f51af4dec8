// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of the window: what the registry feeds to menus, palette, shortcuts and the cheat sheet.
#include "app/session/demonstration_mode.h"
#include "app/window/command_palette.h"
#include "app/window/learn/learn_page.h"
#include "app/window/main_window.h"
#include "app/window/opened_files.h"
#include "app/window/recent_places.h"
#include "app/window/run_watch.h"
#include "app/window/search_overlay.h"
#include "app/window/settings.h"
#include "app/window/shortcut_editor.h"
#include "app/window/shortcut_sheet.h"
#include "app/window/status_strip.h"
#include "app/window/window_docks.h"
#include "app/window/window_pins.h"
#include "base/hash.h"

#include <QActionGroup>
#include <QDesktopServices>
#include <QFileDialog>
#include <QMenu>
#include <QMenuBar>
#include <QToolButton>
#include <QUrl>

namespace ridge::app {
namespace {

QKeySequence keys(const char* text)
{
    return QKeySequence(QLatin1String(text));
}

} // namespace

void MainWindow::addActions()
{
    addFileActions();
    addRecordActions();
    addViewActions();
    addGoActions();
    addRunActions();
    addClassActions();
    addKernelActions();
    addHelpActions();
    buildMenus();
    menuBar()->setCornerWidget(makeCorner(), Qt::TopRightCorner);
    updateActions();
}

void MainWindow::addFileActions()
{
    ActionRegistry& actions = m_context.actions();
    actions.add({QStringLiteral("file.open"),
                 tr("File"),
                 tr("&Open…"),
                 tr("Opens an assignment of your teacher, exported runs, or what another tool wrote"),
                 {keys("Ctrl+O")}},
                [this] { m_files->choose(false); });
    actions.add({QStringLiteral("file.import"),
                 tr("File"),
                 tr("&Import a file…"),
                 tr("Makes an artifact of what a profiler, benchmark or synthesis tool wrote, with its figures"),
                 {keys("Ctrl+I")}},
                [this] { m_files->choose(true); });
    addPageAction({QStringLiteral("file.export"),
                   tr("File"),
                   tr("&Export…"),
                   tr("Saves what the page shows: runs, a result or an artifact"),
                   {keys("Ctrl+E")}},
                  Page::Command::Export);
    actions.add({QStringLiteral("file.openRuns"),
                 tr("File"),
                 tr("&Compare with the results of another machine…"),
                 tr("Pins runs that were exported elsewhere, to compare them with yours"),
                 {}},
                [this] { m_files->chooseRuns(); });
    actions.add({QStringLiteral("file.storeFolder"),
                 tr("File"),
                 tr("Open the &store folder"),
                 tr("Shows the folder in which everything is kept"),
                 {}},
                [this] {
                    if (const record::Store* store = m_context.store())
                        QDesktopServices::openUrl(
                            QUrl::fromLocalFile(QString::fromStdString(store->folder().string())));
                });
    actions.add({QStringLiteral("file.data"),
                 tr("File"),
                 tr("Your &data…"),
                 tr("What is kept about you; take it along or delete it"),
                 {}},
                [this] { chooseDestination(QStringLiteral("data")); });
    actions.add({QStringLiteral("file.quit"),
                 tr("File"),
                 tr("&Quit"),
                 tr("Closes Ridgepoint; what runs is stopped, what is stored stays"),
                 {keys("Ctrl+Q")}},
                [this] { close(); });
    actions.add({QStringLiteral("edit.palette"),
                 tr("Edit"),
                 tr("&Search or do…"),
                 tr("Every command, lesson, term, experiment and recent run by name"),
                 {keys("Ctrl+K"), keys("Ctrl+Shift+P")}},
                [this] { m_palette->open(); });
    actions.add({QStringLiteral("edit.search"),
                 tr("Edit"),
                 tr("Search &everywhere…"),
                 tr("Words in lessons, terms, runs, notes and artifacts"),
                 {keys("Ctrl+Shift+F")}},
                [this] { m_search->open(); });
    addPageAction({QStringLiteral("edit.undo"),
                   tr("Edit"),
                   tr("&Undo"),
                   tr("Takes back the last change to parameters, tags, a draft or the journal"),
                   {keys("Ctrl+Z")}},
                  Page::Command::Undo);
    addPageAction({QStringLiteral("edit.redo"),
                   tr("Edit"),
                   tr("&Redo"),
                   tr("Makes the change again that was taken back"),
                   {keys("Ctrl+Shift+Z"), keys("Ctrl+Y")}},
                  Page::Command::Redo);
    addPageAction({QStringLiteral("edit.find"),
                   tr("Edit"),
                   tr("&Find on this page"),
                   tr("Goes to the filter or the first choice of the page"),
                   {keys("Ctrl+F")}},
                  Page::Command::Find);
    addPageAction({QStringLiteral("edit.note"),
                   tr("Edit"),
                   tr("&Note in the margin"),
                   tr("Notes the selected words of a lesson, or the paragraph being read"),
                   {keys("Ctrl+Shift+N")}},
                  Page::Command::Note);
}

void MainWindow::addRecordActions()
{
    ActionRegistry& actions = m_context.actions();
    actions.add({QStringLiteral("file.newArtifact"),
                 tr("File"),
                 tr("&New artifact"),
                 tr("Starts an artifact of your own, without a lesson"),
                 {keys("Ctrl+N")}},
                [this] {
                    Q_EMIT m_context.openRequested(QStringLiteral("portfolio/edit/") +
                                                   QString::fromStdString(newUuid7()));
                });
    addPageAction({QStringLiteral("edit.artifact"),
                   tr("Edit"),
                   tr("Edit the &artifact"),
                   tr("Opens a draft of a new version; what was shipped stays as it is"),
                   {keys("Ctrl+Shift+E")}},
                  Page::Command::EditArtifact);
    addPageAction({QStringLiteral("edit.tag"),
                   tr("Edit"),
                   tr("&Tag…"),
                   tr("Puts a label on the chosen runs, sweeps or the artifact"),
                   {keys("Ctrl+T")}},
                  Page::Command::Tag);
    addPageAction({QStringLiteral("edit.failure"),
                   tr("Edit"),
                   tr("Note the fa&ilure"),
                   tr("Opens an entry of the journal with what went wrong in the chosen runs"),
                   {keys("Ctrl+J")}},
                  Page::Command::NoteFailure);
    actions.add({QStringLiteral("edit.decision"),
                 tr("Edit"),
                 tr("Note a &decision"),
                 tr("Opens an entry of the journal for what you decide and why"),
                 {keys("Ctrl+Shift+J")}},
                [this] { Q_EMIT m_context.openRequested(QStringLiteral("portfolio/journal/decision")); });
    actions.add({QStringLiteral("go.journal"),
                 tr("Go"),
                 tr("&Journal"),
                 tr("Failures and decisions, with the runs they are about"),
                 {}},
                [this] { Q_EMIT m_context.openRequested(QStringLiteral("portfolio/journal")); });
}

void MainWindow::addViewActions()
{
    ActionRegistry& actions = m_context.actions();
    auto* themes = new QActionGroup(this);
    const std::array<std::pair<const char*, QString>, 4> choices = {{{"light", tr("&Light theme")},
                                                                     {"dark", tr("&Dark theme")},
                                                                     {"contrast", tr("High &contrast theme")},
                                                                     {"system", tr("Theme of the s&ystem")}}};
    for (const auto& [name, text] : choices) {
        const QString setting = QLatin1String(name);
        QAction* action = actions.add({QStringLiteral("view.theme.") + setting,
                                       tr("View"),
                                       text,
                                       tr("Changes the colours of the whole program"),
                                       {}},
                                      [this, setting] { setThemeName(setting); });
        action->setCheckable(true);
        themes->addAction(action);
    }
    actions.add({QStringLiteral("view.larger"),
                 tr("View"),
                 tr("La&rger text"),
                 tr("Makes all text larger, up to 200 %"),
                 {keys("Ctrl++"), keys("Ctrl+=")}},
                [this] { scaleText(1.1); });
    actions.add({QStringLiteral("view.smaller"),
                 tr("View"),
                 tr("S&maller text"),
                 tr("Makes all text smaller, down to 80 %"),
                 {keys("Ctrl+-")}},
                [this] { scaleText(1 / 1.1); });
    actions.add(
        {QStringLiteral("view.normalText"), tr("View"), tr("&Normal text size"), tr("Text at 100 %"), {keys("Ctrl+0")}},
        [this] { scaleText(0); });
    actions
        .add({QStringLiteral("view.outline"),
              tr("View"),
              tr("&Outline of lessons"),
              tr("Shows the modules and lessons beside the lesson"),
              {keys("Ctrl+B")}},
             [this] {
                 m_outlineShown = !m_outlineShown;
                 if (auto* learn = qobject_cast<LearnPage*>(m_pages.value(QStringLiteral("learn"))))
                     learn->setOutlineShown(m_outlineShown);
                 updateActions();
             })
        ->setCheckable(true);
    actions
        .add({QStringLiteral("view.reducedMotion"),
              tr("View"),
              tr("Reduce mot&ion"),
              tr("Animations become cuts; stepping by hand stays"),
              {}},
             [this] {
                 m_context.theme().setReducedMotion(!m_context.theme().reducedMotion());
                 if (m_options.remember)
                     saveReducedMotion(m_context.theme().reducedMotion());
                 updateActions();
             })
        ->setCheckable(true);
    actions.add({QStringLiteral("view.nextPane"),
                 tr("View"),
                 tr("Next &pane"),
                 tr("Moves the focus to the next part of the window"),
                 {keys("F6")}},
                [this] { cyclePane(1); });
    actions.add({QStringLiteral("view.previousPane"),
                 tr("View"),
                 tr("Pre&vious pane"),
                 tr("Moves the focus to the part before"),
                 {keys("Shift+F6")}},
                [this] { cyclePane(-1); });
    actions
        .add({QStringLiteral("view.fullScreen"), tr("View"), tr("&Full screen"), tr("Fills the screen"), {keys("F11")}},
             [this] {
                 setWindowState(windowState() ^ Qt::WindowFullScreen);
                 updateActions();
             })
        ->setCheckable(true);
}

void MainWindow::addGoActions()
{
    ActionRegistry& actions = m_context.actions();
    const std::array<std::pair<QString, QString>, 6> texts = {
        {{tr("&Home"), tr("Where to go on, what was shipped last, this machine")},
         {tr("&Learn"), tr("Modules and lessons")},
         {tr("L&ab"), tr("Any experiment, every parameter")},
         {tr("&Runs"), tr("Everything that was run")},
         {tr("&Portfolio"), tr("What you have shipped")},
         {tr("&Class"), tr("Assignments you were given, classes you teach")}}};
    const QStringList names = destinations();
    for (qsizetype i = 0; i < names.size(); ++i)
        actions.add({QStringLiteral("go.") + names[i],
                     tr("Go"),
                     texts[static_cast<std::size_t>(i)].first,
                     texts[static_cast<std::size_t>(i)].second,
                     {QKeySequence(QStringLiteral("Ctrl+%1").arg(i + 1))}},
                    [this, name = names[i]] { chooseDestination(name); });
    actions.add({QStringLiteral("go.gallery"),
                 tr("Go"),
                 tr("&Gallery"),
                 tr("Experiments, tasks and kernels as cards, with their last runs"),
                 {}},
                [this] { chooseDestination(QStringLiteral("gallery")); });
    actions.add({QStringLiteral("go.catalogue"),
                 tr("Go"),
                 tr("GP&U catalogue"),
                 tr("All chips with their published figures, two to four of them side by side"),
                 {}},
                [this] { chooseDestination(QStringLiteral("catalogue")); });
    actions.add({QStringLiteral("go.parity"),
                 tr("Go"),
                 tr("Measure&d and modelled"),
                 tr("What others measured beside what the engines say, with errors and sources"),
                 {}},
                [this] { chooseDestination(QStringLiteral("parity")); });
    actions.add(
        {QStringLiteral("go.explorer"),
         tr("Go"),
         tr("Workload e&xplorer"),
         tr("Any model operator by operator: launches, traffic, what bounds each and the lesson that explains it"),
         {}},
        [this] { chooseDestination(QStringLiteral("explorer")); });
    actions.add({QStringLiteral("go.stack"),
                 tr("Go"),
                 tr("One &matmul through the stack"),
                 tr("Y = XW + b from the graph through kernel, SM and memory to the die, with a number at every stop"),
                 {}},
                [this] { chooseDestination(QStringLiteral("stack")); });
    actions.add({QStringLiteral("go.review"),
                 tr("Go"),
                 tr("Re&view"),
                 tr("Predictions that are due to be made again, mixed over lessons"),
                 {}},
                [this] { chooseDestination(QStringLiteral("review")); });
    actions.add({QStringLiteral("go.insight"),
                 tr("Go"),
                 tr("Ho&w I predict"),
                 tr("Every prediction beside its result, how firmly each lesson is known"),
                 {}},
                [this] { chooseDestination(QStringLiteral("insight")); });
    actions.add({QStringLiteral("go.placement"),
                 tr("Go"),
                 tr("Where &to begin"),
                 tr("A few predictions from each area; the answers tell which lesson comes first"),
                 {}},
                [this] { chooseDestination(QStringLiteral("placement")); });
    actions.add(
        {QStringLiteral("go.paths"),
         tr("Go"),
         tr("Paths, &stack and companions"),
         tr("Paths and roles, what builds on what, code to read, a book's chapters with their cost, labs elsewhere"),
         {}},
        [this] { chooseDestination(QStringLiteral("paths")); });
    actions.add({QStringLiteral("go.back"), tr("Go"), tr("&Back"), tr("To the page before"), {keys("Alt+Left")}},
                [this] { goBack(); });
    actions.add({QStringLiteral("go.forward"), tr("Go"), tr("&Forward"), tr("To the page after"), {keys("Alt+Right")}},
                [this] { goForward(); });
    addPageAction({QStringLiteral("go.nextBlock"),
                   tr("Go"),
                   tr("&Next block"),
                   tr("The next block of the lesson"),
                   {keys("J")},
                   true},
                  Page::Command::NextBlock);
    addPageAction({QStringLiteral("go.previousBlock"),
                   tr("Go"),
                   tr("Previous bloc&k"),
                   tr("The block before"),
                   {keys("K")},
                   true},
                  Page::Command::PreviousBlock);
    addPageAction({QStringLiteral("go.prediction"),
                   tr("Go"),
                   tr("Pred&iction"),
                   tr("To the prediction to be made"),
                   {keys("P")},
                   true},
                  Page::Command::Prediction);
}

void MainWindow::addRunActions()
{
    ActionRegistry& actions = m_context.actions();
    addPageAction({QStringLiteral("run.run"),
                   tr("Run"),
                   tr("&Run"),
                   tr("Runs the experiment in view; in a lesson commits its prediction first"),
                   {keys("F5")}},
                  Page::Command::Run);
    actions.add({QStringLiteral("run.stop"),
                 tr("Run"),
                 tr("&Stop"),
                 tr("Stops all runs and forgets what waits; points already stored stay"),
                 {keys("Shift+F5")}},
                [this] { stopEverything(); });
    actions
        .add({QStringLiteral("run.notify"),
              tr("Run"),
              tr("Te&ll the desktop"),
              tr("Shows how runs go in the taskbar, and a message when they end behind another window"),
              {}},
             [this] {
                 saveNotify(!notifySetting());
                 updateActions();
             })
        ->setCheckable(true);
    addPageAction({QStringLiteral("run.commit"),
                   tr("Run"),
                   tr("&Commit the prediction and run"),
                   tr("Locks the prediction in view and runs what answers it"),
                   {keys("Ctrl+Return"), keys("Ctrl+Enter")}},
                  Page::Command::Commit);
    actions.add({QStringLiteral("run.target"),
                 tr("Run"),
                 tr("Choose the &target…"),
                 tr("What executes experiments, and why something cannot"),
                 {keys("Ctrl+Shift+T")}},
                [this] {
                    QToolButton* button = m_status->targetButton();
                    const int height = button->menu()->sizeHint().height();
                    button->menu()->popup(button->mapToGlobal(QPoint(0, -height)));
                });
    actions.add({QStringLiteral("run.pin"),
                 tr("Run"),
                 tr("&Pin these runs"),
                 tr("Puts the runs in view aside to be compared, up to eight"),
                 {keys("Ctrl+D")}},
                [this] { m_pins->pin(page() ? page()->runsInView() : std::vector<record::RunRow>()); });
    actions.add({QStringLiteral("run.compare"),
                 tr("Run"),
                 tr("C&ompare what is pinned"),
                 tr("One chart, side by side, or a table of what differs"),
                 {keys("Ctrl+Shift+C")}},
                [this] { (void)open(QStringLiteral("compare")); });
    addPageAction({QStringLiteral("run.ship"),
                   tr("Run"),
                   tr("S&hip the artifact"),
                   tr("Puts the claim, its runs and your reflection into the portfolio"),
                   {keys("Ctrl+Shift+A")}},
                  Page::Command::Ship);
    addPageAction({QStringLiteral("run.reproduce"),
                   tr("Run"),
                   tr("R&eproduce the artifact"),
                   tr("Runs everything behind the artifact again and sets old beside new"),
                   {keys("Ctrl+R")}},
                  Page::Command::Reproduce);
}

void MainWindow::addPageAction(const ActionSpec& spec, Page::Command command)
{
    m_pageActions.insert(spec.id, command);
    m_context.actions().add(spec, [this, command] {
        if (page() && page()->can(command))
            page()->perform(command);
    });
}

void MainWindow::addRecentMenu()
{
    auto* menu = new RecentMenu(this);
    m_menus.value(tr("Go"))->addSeparator();
    m_menus.value(tr("Go"))->addMenu(menu);
    connect(menu, &RecentMenu::chosen, this, [this](const QString& page) {
        if (const auto opened = open(page); !opened) {
            forgetRecentPlace(page);
            Q_EMIT m_context.notice(QString::fromStdString(toText(opened.error())), true);
        }
    });
    connect(this, &MainWindow::pageShown, this, [this](const QString& shown) {
        if (m_options.remember)
            noteRecentPlace(shown, page()->title());
    });
}

void MainWindow::buildMenus()
{
    for (const QString& title :
         {tr("File"), tr("Edit"), tr("View"), tr("Go"), tr("Run"), tr("Class"), tr("Window"), tr("Help")}) {
        QMenu* menu = menuBar()->addMenu(QLatin1Char('&') + title);
        menu->setAccessibleName(title);
        m_menus.insert(title, menu);
    }
    for (const ActionSpec& spec : m_context.actions().specs())
        placeAction(spec);
    addRecentMenu();
    connect(&m_context.actions(), &ActionRegistry::added, this, [this](const QString& id) {
        for (const ActionSpec& spec : m_context.actions().specs())
            if (spec.id == id)
                placeAction(spec);
    });
}

void MainWindow::placeAction(const ActionSpec& spec)
{
    QAction* action = m_context.actions().find(spec.id);
    QMenu* menu = m_menus.value(spec.menu, m_menus.value(tr("Help")));
    // A line where the kind of command changes: view.theme.* from view.larger.
    const QStringList breaks = {
        QStringLiteral("file.quit"),      QStringLiteral("view.larger"),      QStringLiteral("file.export"),
        QStringLiteral("view.outline"),   QStringLiteral("view.nextPane"),    QStringLiteral("go.back"),
        QStringLiteral("go.nextBlock"),   QStringLiteral("run.target"),       QStringLiteral("run.pin"),
        QStringLiteral("run.ship"),       QStringLiteral("file.storeFolder"), QStringLiteral("class.collect"),
        QStringLiteral("class.projector")};
    // To quit is the last of its menu, whatever registers after it.
    QAction* quit = m_context.actions().find(QStringLiteral("file.quit"));
    const auto actions = menu->actions();
    QAction* before = spec.id != QLatin1String("file.quit") && actions.contains(quit) && actions.size() > 1
                          ? actions[actions.indexOf(quit) - 1]
                          : nullptr;
    if (breaks.contains(spec.id))
        menu->insertSeparator(before);
    menu->insertAction(before, action);
    addAction(action);
}

void MainWindow::updateActions()
{
    const ActionRegistry& actions = m_context.actions();
    const auto enable = [&actions](const char* id, bool on) { actions.find(QLatin1String(id))->setEnabled(on); };
    for (auto at = m_pageActions.cbegin(); at != m_pageActions.cend(); ++at)
        actions.find(at.key())->setEnabled(page() && page()->can(at.value()));
    enable("go.back", m_history.canGoBack());
    enable("go.forward", m_history.canGoForward());
    updateKernelActions();
    enable("run.stop", m_runs->running() > 0 || (page() && page()->runningJobs() > 0));
    enable("run.pin", page() && page()->hasRunsInView());
    enable("file.storeFolder", m_context.store() != nullptr);
    const QString theme = QStringLiteral("view.theme.") + m_themeSetting;
    if (QAction* chosen = actions.find(theme))
        chosen->setChecked(true);
    actions.find(QStringLiteral("view.outline"))->setChecked(m_outlineShown);
    if (QAction* layout = actions.find(QStringLiteral("window.layout.") + m_layout))
        layout->setChecked(true);
    actions.find(QStringLiteral("view.reducedMotion"))->setChecked(m_context.theme().reducedMotion());
    actions.find(QStringLiteral("run.notify"))->setChecked(notifySetting());
    actions.find(QStringLiteral("class.demonstrate"))->setChecked(DemonstrationMode::of(m_context).isOn());
    actions.find(QStringLiteral("view.fullScreen"))->setChecked(windowState() & Qt::WindowFullScreen);
}

} // namespace ridge::app
