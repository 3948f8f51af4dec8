// SPDX-License-Identifier: GPL-3.0-or-later
// The window as a learner drives it: commands, navigation, palette, themes, names, failures, session.
#include "shell_fixture.h"

#include "app/lesson/reader/lesson_page.h"
#include "app/runs/lab/lab_page.h"
#include "app/runs/lab/lab_results.h"
#include "app/runs/lab/sweep_editor.h"
#include "app/ui/learner_choices.h"
#include "app/ui/panels.h"
#include "app/window/command_palette.h"
#include "app/window/home/home_page.h"
#include "app/window/learn/learn_page.h"
#include "app/window/learn/outline.h"
#include "app/window/recent_places.h"
#include "app/window/run_watch.h"
#include "app/window/shortcut_sheet.h"
#include "app/window/status_strip.h"
#include "base/paths.h"
#include "record/backups.h"
#include "tests/support/pace.h"

#include <QAccessible>
#include <QLineEdit>
#include <QMap>
#include <QMenuBar>
#include <QPushButton>
#include <QToolButton>
#include <fstream>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

QSet<QString> menuActions(const MainWindow& window)
{
    QSet<QString> ids;
    for (const QAction* top : window.menuBar()->actions())
        if (top->menu())
            for (const QAction* action : top->menu()->actions())
                if (!action->isSeparator())
                    ids.insert(action->objectName());
    return ids;
}

/// Everything a keyboard or a pointer can act on, and every view, must be called something.
QStringList nameless(QWidget* root)
{
    QStringList found;
    for (QWidget* widget : root->findChildren<QWidget*>()) {
        QAccessibleInterface* face = QAccessible::queryAccessibleInterface(widget);
        if (!face || !widget->isVisibleTo(root) || widget->focusProxy())
            continue;
        const QSet<QAccessible::Role> spoken = {
            QAccessible::Button,       QAccessible::CheckBox,    QAccessible::ComboBox,   QAccessible::Slider,
            QAccessible::Tree,         QAccessible::Table,       QAccessible::List,       QAccessible::Graphic,
            QAccessible::EditableText, QAccessible::ProgressBar, QAccessible::RadioButton};
        if (widget->focusPolicy() == Qt::NoFocus && !spoken.contains(face->role()))
            continue;
        if (face->text(QAccessible::Name).trimmed().isEmpty())
            found << QStringLiteral("%1 in %2")
                         .arg(QString::fromLatin1(widget->metaObject()->className()),
                              QString::fromLatin1(
                                  widget->parentWidget() ? widget->parentWidget()->metaObject()->className() : ""));
    }
    return found;
}

} // namespace

class TestMainWindow : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyCommandIsInMenuPaletteAndWithoutConflict()
    {
        Workplace place;
        MainWindow& window = place.makeWindow();
        QVERIFY2(place.actions->conflicts().isEmpty(), qPrintable(place.actions->conflicts().join(s("; "))));
        const QSet<QString> inMenus = menuActions(window);
        QSet<QString> inPalette;
        for (const PaletteEntry& entry : paletteEntries(*place.context, {}))
            if (entry.kind == PaletteEntry::Kind::Action)
                inPalette.insert(entry.target);
        for (const ActionSpec& spec : place.actions->specs()) {
            QVERIFY2(inMenus.contains(spec.id), qPrintable(spec.id));
            QVERIFY2(inPalette.contains(spec.id), qPrintable(spec.id));
            QVERIFY2(!spec.help.isEmpty(), qPrintable(spec.id));
            QVERIFY2(window.actions().contains(place.actions->find(spec.id)), qPrintable(spec.id));
        }
        // One letter a menu entry, or Alt would stop at the first.
        for (const QAction* top : window.menuBar()->actions()) {
            QSet<QChar> letters;
            for (const QAction* action : top->menu()->actions()) {
                const qsizetype at = action->text().indexOf(QLatin1Char('&'));
                if (action->isSeparator() || at < 0)
                    continue;
                const QChar letter = action->text().at(at + 1).toLower();
                QVERIFY2(!letters.contains(letter), qPrintable(action->text()));
                letters.insert(letter);
            }
        }
        place.actions->add({s("late.one"), s("Run"), s("Late"), s("Added by a page"), {}}, [] {});
        QVERIFY(menuActions(window).contains(s("late.one")));
    }

    void whatWasOpenedLastIsInAMenu()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        const auto menu = [&place] { return place.window->findChild<RecentMenu*>(); };
        const auto titles = [&menu] {
            menu()->popup(QPoint(0, 0));
            QStringList all;
            for (const QAction* action : menu()->actions())
                all << action->text();
            menu()->close();
            return all;
        };
        place.makeWindow();
        QCOMPARE(titles().size(), 1);
        QVERIFY(!menu()->actions().constFirst()->isEnabled());
        for (const char* page : {"lesson/1.3", "lab/coalescing", "lesson/2.4", "runs", "home", "lesson/1.3#measure-it"})
            QVERIFY2(place.window->open(s(page)).ok(), page);
        QCOMPARE(recentPlaces().size(), 2); // destinations are in the rail
        QVERIFY(titles()[0].startsWith(s("&1  ")) && titles()[0].contains(s("Memory hierarchy")));
        QVERIFY(titles()[1].startsWith(s("&2  ")) && titles()[1].contains(s("Coalescing")));
        place.restart();
        place.makeWindow();
        QVERIFY(place.window->open(s("home")).ok());
        (void)titles();
        menu()->actions()[1]->trigger();
        QCOMPARE(place.window->currentPage(), s("lesson/2.4"));
        QCOMPARE(recentPlaces()[0].page, s("lesson/2.4"));
        // What is gone is said to be, and leaves the list.
        noteRecentPlace(s("lesson/9.9"), s("A & B"));
        QCOMPARE(titles()[0], s("&1  A && B"));
        menu()->actions()[0]->trigger();
        QCOMPARE(place.window->currentPage(), s("lesson/2.4"));
        QVERIFY(recentPlaces()[0].page != s("lesson/9.9"));
        for (int i = 0; i < 20; ++i)
            noteRecentPlace(s("artifact/%1").arg(i), s("Artifact %1").arg(i));
        QCOMPARE(recentPlaces().size(), 12);
        QCOMPARE(recentPlaces()[0].page, s("artifact/19"));
        (void)titles();
        menu()->actions().constLast()->trigger();
        QVERIFY(recentPlaces().isEmpty());
    }

    void destinationsBackAndForward()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("home")).ok());
        for (int i = 0; i < 6; ++i) {
            place.actions->find(s("go.") + MainWindow::destinations()[i])->trigger();
            QVERIFY2(window.currentPage().startsWith(MainWindow::destinations()[i]), qPrintable(window.currentPage()));
        }
        window.goBack();
        QCOMPARE(window.currentPage(), s("portfolio"));
        window.goBack();
        window.goForward();
        QCOMPARE(window.currentPage(), s("portfolio"));
        QVERIFY(window.open(s("lesson/2.4")).ok());
        QVERIFY(window.open(s("home")).ok());
        place.actions->find(s("go.learn"))->trigger(); // back to where Learn was left
        QCOMPARE(window.currentPage(), s("lesson/2.4"));
        place.actions->find(s("go.learn"))->trigger(); // and up from there
        QCOMPARE(window.currentPage(), s("learn"));
    }

    void unknownPagesLeaveOneWhereOneWas_data()
    {
        QTest::addColumn<QString>("page");
        for (const char* page : {"nowhere", "lesson/9.9", "lesson", "artifact/x", "artifact", "runs/x", "lab/x", ""})
            QTest::newRow(*page ? page : "empty") << s(page);
    }
    void unknownPagesLeaveOneWhereOneWas()
    {
        QFETCH(QString, page);
        Workplace place;
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("home")).ok());
        const auto opened = window.open(page);
        QVERIFY(!opened.ok());
        QVERIFY(!opened.error().fix.empty());
        QCOMPARE(window.currentPage(), s("home"));
        QVERIFY(qobject_cast<HomePage*>(window.page()));
        // Through a link it is said in the status line.
        Q_EMIT place.context->openRequested(page);
        QVERIFY(!window.status()->notice().isEmpty());
    }

    void everyWidgetHasAName_data()
    {
        QTest::addColumn<QString>("page");
        for (const char* page : {"home", "learn", "lesson/2.4", "lab", "runs", "portfolio", "artifact"})
            QTest::newRow(page) << s(page);
    }
    void everyWidgetHasAName()
    {
        QFETCH(QString, page);
        Workplace place;
        QVERIFY(place.loadCatalogue());
        const QString artifact = QString::fromStdString(place.storeArtifact());
        MainWindow& window = place.makeWindow();
        const auto opened = window.open(page == s("artifact") ? page + QLatin1Char('/') + artifact : page);
        QVERIFY2(opened.ok(), opened.ok() ? "" : toText(opened.error()).c_str());
        QTRY_VERIFY_WITH_TIMEOUT(window.page()->ready(), 10000);
        const QStringList found = nameless(&window);
        QVERIFY2(found.isEmpty(), qPrintable(found.join(s("\n"))));
    }

    void enterAloneReachesTheLesson()
    {
        Workplace place;
        MainWindow& window = place.makeWindow();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.restoreSession();
        QCOMPARE(window.currentPage(), s("home"));
        auto* home = qobject_cast<HomePage*>(window.page());
        QVERIFY(home->firstRun());
        QTRY_COMPARE(QApplication::focusWidget(), static_cast<QWidget*>(home->continueButton()));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        QVERIFY2(window.currentPage().startsWith(s("lesson/")), qPrintable(window.currentPage()));
        // Opened once, it is no longer the first run.
        QVERIFY(window.open(s("home")).ok());
        QVERIFY(!home->firstRun());
    }

    void paletteFindsAndDoes()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        place.store(Workplace::run(16));
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("home")).ok());
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QTest::keyClick(&window, Qt::Key_K, Qt::ControlModifier);
        CommandPalette* palette = window.commandPalette();
        QVERIFY(palette->isOpen());
        QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(palette->field()));
        QTest::keyClicks(palette->field(), s("runs"));
        QCOMPARE(palette->model()->data(palette->model()->index(0), Qt::DisplayRole).toString(), s("Runs"));
        QTest::keyClick(palette->field(), Qt::Key_Return);
        QVERIFY(!palette->isOpen());
        QCOMPARE(window.currentPage(), s("runs"));

        const auto first = [&](const char* pattern, PaletteEntry::Kind kind) {
            palette->openWith(s(pattern));
            for (int row = 0; row < palette->model()->rowCount(); ++row)
                if (palette->model()->entry(palette->model()->index(row))->kind == kind)
                    return true;
            return false;
        };
        QVERIFY(first("coalesc", PaletteEntry::Kind::Lesson));
        QVERIFY(first("coalesc", PaletteEntry::Kind::Experiment));
        QVERIFY(first("stride 16", PaletteEntry::Kind::Run));
        if (!place.context->curriculum().terms.empty())
            QVERIFY(first(place.context->curriculum().terms.front().name.c_str(), PaletteEntry::Kind::Term));
        palette->openWith(s("qqqzzz"));
        QCOMPARE(palette->model()->rowCount(), 0);
        QTest::keyClick(palette->field(), Qt::Key_Return); // nothing to choose, nothing happens
        QVERIFY(palette->isOpen());
        QTest::keyClick(palette->field(), Qt::Key_Escape);
        QVERIFY(!palette->isOpen());
    }

    void paletteIsInstant()
    {
        Workplace place;
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("home")).ok());
        std::vector<PaletteEntry> many = paletteEntries(*place.context, {});
        for (int i = 0; i < 5000; ++i)
            many.push_back({PaletteEntry::Kind::Run, s("coalescing run %1").arg(i), s("stride %1").arg(i), {}, {}});
        PaletteModel model;
        model.setEntries(many);
        const test::PacedClock clock;
        model.setPattern(s("coal 499"));
        const double took = clock.ms();
        QVERIFY2(took < 100, qPrintable(QString::number(took)));
        QVERIFY(model.rowCount() > 0);
    }

    void shortcutSheetListsThem()
    {
        Workplace place;
        MainWindow& window = place.makeWindow();
        place.actions->find(s("help.shortcuts"))->trigger();
        QVERIFY(window.shortcutSheet()->isOpen());
        QVERIFY(window.shortcutSheet()->lines().filter(s("F6")).size() >= 1);
        QTest::keyClick(window.shortcutSheet(), Qt::Key_Escape);
        QVERIFY(!window.shortcutSheet()->isOpen());
    }

    void panesAreReachedByF6()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("lab")).ok());
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QSet<QWidget*> seen;
        for (int i = 0; i < 6; ++i) {
            place.actions->find(s("view.nextPane"))->trigger();
            QVERIFY(QApplication::focusWidget());
            seen.insert(QApplication::focusWidget());
        }
        QVERIFY(seen.contains(window.status()->targetButton()));
        QVERIFY(seen.size() >= 3);
    }

    void themesAndTextSizeChangeAndAreKept()
    {
        Workplace place;
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("home")).ok());
        const QColor before = QApplication::palette().color(QPalette::Window);
        place.actions->find(s("view.theme.dark"))->trigger();
        QVERIFY(QApplication::palette().color(QPalette::Window) != before);
        QCOMPARE(themeSetting(), s("dark"));
        place.actions->find(s("view.larger"))->trigger();
        QVERIFY(place.theme.textScale() > 1.05);
        QCOMPARE(textScaleSetting(), place.theme.textScale());
        for (int i = 0; i < 30; ++i)
            place.actions->find(s("view.larger"))->trigger();
        QCOMPARE(place.theme.textScale(), 2.0);
        place.actions->find(s("view.normalText"))->trigger();
        QCOMPARE(place.theme.textScale(), 1.0);
        place.actions->find(s("view.theme.system"))->trigger();
        QCOMPARE(place.theme.name(), s("light"));
    }

    void labRunsWhileTheThemeChanges()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("lab/coalescing")).ok());
        auto* lab = qobject_cast<LabPage*>(window.page());
        lab->sweep()->setAxis(0, s("stride"), s("1,2,4,8"));
        QVERIFY(lab->request().ok());
        QCOMPARE(lab->request()->points.size(), std::size_t{4});
        QSignalSpy done(lab->controller(), &RunController::done);
        place.actions->find(s("run.run"))->trigger();
        QVERIFY(window.runs()->running() == 1);
        QVERIFY(window.status()->runShown());
        place.actions->find(s("view.theme.dark"))->trigger();
        place.actions->find(s("view.theme.contrast"))->trigger();
        QVERIFY(done.wait(60000));
        QCOMPARE(lab->results()->rows().size(), std::size_t{4});
        QTRY_COMPARE(lab->results()->chart()->data().series.size(), std::size_t{1});
        QTRY_COMPARE(lab->results()->chart()->data().series[0].points.size(), std::size_t{4});
        QTRY_VERIFY(!window.status()->runShown());
        for (const char* name : {"/result.csv", "/result.json", "/result.png"}) {
            const QString path = place.home() + s(name);
            QVERIFY2(lab->results()->exportTo(path).ok(), name);
            QVERIFY2(QFileInfo(path).size() > 100, name);
        }
        QVERIFY(!lab->results()->exportTo(s("/no/such/folder/x.csv")).ok());
        lab->sweep()->setAxis(0, s("stride"), s("1..100000"));
        QVERIFY(!lab->request().ok());
        QVERIFY(!lab->can(Page::Command::Run));
    }

    void closingWhileRunningStopsFirst()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("lab/coalescing")).ok());
        auto* lab = qobject_cast<LabPage*>(window.page());
        lab->sweep()->setAxis(0, s("stride"), s("1..128"));
        place.actions->find(s("run.run"))->trigger();
        QVERIFY(window.runs()->running() == 1);
        QVERIFY(!window.close()); // not yet, and nothing is asked
        QVERIFY(window.isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(!window.isVisible(), 6000);
        QCOMPARE(window.runs()->running(), 0);
    }

    void withoutAStoreLessonsStayReadable()
    {
        Workplace place(false);
        place.context->setStoreError({"store-damaged", "The store is damaged", "/x/ridgepoint.db", "Restore a backup"});
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        QVERIFY(window.storeBanner()->isVisible());
        QVERIFY(window.storeBanner()->text().contains(s("The store is damaged")));
        QVERIFY(window.storeBanner()->text().contains(s("Restore a backup")));
        for (const char* page : {"home", "learn", "lesson/2.4", "lab", "runs", "portfolio"}) {
            QVERIFY2(window.open(s(page)).ok(), page);
            QVERIFY2(window.storeBanner()->isVisible(), page);
        }
        QVERIFY(window.open(s("lesson/2.4")).ok());
        QVERIFY(!qobject_cast<LearnPage*>(window.page())->lesson()->title().isEmpty());
        QCOMPARE(window.status()->savedText(), s("Not saved"));
        QVERIFY(!window.open(s("artifact/x")).ok());
        QVERIFY(window.open(s("lab")).ok());
        QVERIFY(!window.page()->can(Page::Command::Run));
    }

    void damagedRecordIsRestoredFromItsMessage()
    {
        Workplace place(false);
        {
            auto store = record::Store::open(homeFolder()).value();
            QVERIFY(store->backup("by the test").ok());
        }
        std::ofstream(homeFolder() / record::kDatabaseName) << std::string(5000, 'x');
        auto opened = record::Store::open(homeFolder());
        QVERIFY(!opened.ok());
        place.context->setStoreError(opened.error());
        MainWindow& window = place.makeWindow();
        QVERIFY(window.storeBanner()->text().contains(s("ridge store restore")));
        QPushButton* restore = window.storeBanner()->action();
        QVERIFY(restore && restore->isVisible());
        QSignalSpy restored(&window, &MainWindow::recordRestored);
        restore->click();
        QCOMPARE(restored.count(), 1);
        QVERIFY(!window.isVisible());
        QVERIFY(record::Store::open(homeFolder()).ok());
    }

    void withoutAWorkerTheWindowSaysSo()
    {
        Workplace place;
        qputenv("RIDGE_WORKER", "/no/such/ridge-worker");
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("home")).ok());
        QSignalSpy failed(place.context.get(), &AppContext::catalogueFailed);
        place.context->loadCatalogue();
        QVERIFY(failed.count() > 0 || failed.wait(60000));
        QVERIFY(window.workerBanner()->isVisible());
        QVERIFY(window.page()->ready()); // a page that can never get its catalogue does not wait for it
        for (const char* page : {"learn", "lesson/2.4", "lab", "runs", "portfolio"})
            QVERIFY2(window.open(s(page)).ok(), page);
    }

    void sessionIsRestored()
    {
        Workplace place;
        {
            MainWindow& window = place.makeWindow();
            window.restoreSession();
            QVERIFY(window.open(s("lesson/2.4")).ok());
            window.resize(1010, 650);
            place.actions->find(s("view.outline"))->trigger();
            place.actions->find(s("view.theme.dark"))->trigger();
        }
        place.restart();
        MainWindow& window = place.makeWindow();
        window.restoreSession();
        QCOMPARE(window.currentPage(), s("lesson/2.4"));
        QCOMPARE(window.size(), QSize(1010, 650));
        QVERIFY(!qobject_cast<LearnPage*>(window.page())->outlineShown());
        QCOMPARE(themeSetting(), s("dark"));
        // A page that is gone is no reason not to start.
        window.close();
        saveWindowState({{}, s("lesson/9.9"), true, {}});
        place.restart();
        MainWindow& again = place.makeWindow();
        again.restoreSession();
        QCOMPARE(again.currentPage(), s("home"));
    }

    void outlineShowsUnwrittenModulesHonestly()
    {
        Workplace place;
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("lesson/2.4")).ok());
        auto* outline = window.findChild<LessonOutline*>();
        QVERIFY(outline->isVisible());
        const auto& curriculum = place.context->curriculum();
        // All lessons of the path in its order, behind the way to the modules; those to come cannot be chosen.
        QVERIFY(outline->topLevelItemCount() >= 2);
        const QTreeWidgetItem* path = outline->topLevelItem(1);
        const std::vector<std::string> ids = lessonsOf(curriculum, learnerChoices());
        QCOMPARE(path->childCount(), static_cast<int>(ids.size()));
        for (int i = 0; i < path->childCount(); ++i) {
            const QTreeWidgetItem* item = path->child(i);
            const std::string& id = ids[static_cast<std::size_t>(i)];
            QVERIFY(item->text(0).startsWith(QString::fromStdString(id)));
            QCOMPARE(bool(item->flags() & Qt::ItemIsEnabled), curriculum.head(id) != nullptr);
        }
    }

    void eventLoopNeverStallsWhileGoingRound()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        for (const QString& page : MainWindow::destinations())
            QVERIFY(window.open(page).ok()); // made once, with its cost
        QMap<QString, double> least;
        for (int round = 0; round < 3; ++round)
            for (const QString& page : MainWindow::destinations()) {
                const test::PacedClock clock;
                QVERIFY(window.open(page).ok());
                QCoreApplication::processEvents();
                const double took = clock.ms();
                least[page] = std::min(least.value(page, took), took);
            }
        for (auto each = least.cbegin(); each != least.cend(); ++each)
            QVERIFY2(each.value() < 100, qPrintable(s("%1: %2").arg(each.key()).arg(each.value())));
    }
};

QTEST_MAIN(TestMainWindow)
#include "tst_main_window.moc"
