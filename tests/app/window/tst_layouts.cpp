// SPDX-License-Identifier: GPL-3.0-or-later
// Layouts, docks, log, shortcuts of one's own and the queue of the bench, in the real window.
#include "shell_fixture.h"

#include "app/runs/lab/lab_page.h"
#include "app/window/layouts.h"
#include "app/window/log_panel.h"
#include "app/window/shortcut_editor.h"
#include "app/window/status_strip.h"
#include "app/window/window_docks.h"

#include <QDockWidget>
#include <QKeySequenceEdit>
#include <QLineEdit>
#include <QStatusBar>
#include <QToolButton>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

} // namespace

class TestLayouts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyLayoutShowsWhatItSays()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        for (const WindowLayout& layout : windowLayouts()) {
            place.actions->find(s("window.layout.") + layout.id)->trigger();
            QCOMPARE(window.layoutName(), layout.id);
            QCOMPARE(!window.docks()->bench()->isHidden(), layout.bench);
            QCOMPARE(!window.docks()->pins()->isHidden(), layout.pins);
            QCOMPARE(!window.docks()->log()->isHidden(), layout.log);
            QCOMPARE(!window.statusBar()->isHidden(), layout.chrome);
            QCOMPARE(place.theme.textScale(), layout.text);
            QVERIFY(place.actions->find(s("window.layout.") + layout.id)->isChecked());
        }
        window.setLayoutName(s("no such layout"));
        QCOMPARE(window.layoutName(), s("present"));
        window.resetLayout(); // a way out that needs no menu
        QCOMPARE(window.layoutName(), s("read"));
        QCOMPARE(place.theme.textScale(), 1.0);
    }

    /// In the layout for reading both are away, and open as wide as they can be used.
    void aDockOpensAtAUsableWidth()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("lesson/1.6")).ok());
        for (const auto& [dock, shown] : {std::pair("window.dock.bench", window.docks()->bench()),
                                          std::pair("window.dock.pins", window.docks()->pins())}) {
            place.actions->find(s(dock))->trigger();
            QTRY_VERIFY2(shown->width() >= 300, qPrintable(QString::number(shown->width())));
            place.actions->find(s(dock))->trigger();
            QVERIFY(shown->isHidden());
        }
    }

    void aLayoutIsKeptAsItWasLeft()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        place.makeWindow();
        place.window->setLayoutName(s("lab"));
        place.window->docks()->pins()->hide();
        place.window->setLayoutName(s("read"));
        place.window->setLayoutName(s("lab"));
        QVERIFY(place.window->docks()->pins()->isHidden());
        QVERIFY(!place.window->docks()->bench()->isHidden());
        place.restart();
        QVERIFY(place.loadCatalogue());
        place.makeWindow().restoreSession();
        QCOMPARE(place.window->layoutName(), s("lab"));
        QVERIFY(place.window->docks()->pins()->isHidden());
        place.window->resetLayout();
        QVERIFY(!place.window->docks()->pins()->isHidden());
    }

    void theBlockInViewDrivesTheBench()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("lesson/2.4")).ok());
        window.setLayoutName(s("lab"));
        QTRY_VERIFY(window.page()->ready());
        QVERIFY(window.page()->scrollToBlock(s("guess-sectors")));
        QTRY_VERIFY(window.page()->benchProposal().has_value());
        LabPage* lab = window.docks()->lab();
        QVERIFY(lab);
        QCOMPARE(lab->part(), s("coalescing"));
        const auto request = lab->request();
        QVERIFY2(request.ok(), request.ok() ? "" : toText(request.error()).c_str());
        QCOMPARE(request->points.size(), 1U);
        QCOMPARE(toText(request->points.front().at("stride")), std::string("2"));
    }

    void besideTheLabStandsNoSecondBench()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        const auto shown = [&] { return !place.window->docks()->bench()->isHidden(); };
        MainWindow& window = place.makeWindow();
        window.restoreSession();
        window.setLayoutName(s("lab"));
        QVERIFY(window.open(s("lesson/2.4")).ok());
        QVERIFY(shown());
        for (const char* page : {"lab/coalescing", "kernel"}) {
            QVERIFY(window.open(s(page)).ok());
            QVERIFY2(!shown(), page);
        }
        QVERIFY(window.open(s("runs")).ok());
        QVERIFY(shown());
        // Left in the Lab, it is there again beside a lesson.
        QVERIFY(window.open(s("lab/coalescing")).ok());
        place.restart();
        MainWindow& again = place.makeWindow();
        again.restoreSession();
        QCOMPARE(again.layoutName(), s("lab"));
        QVERIFY(again.currentPage().startsWith(s("lab")));
        QVERIFY(!shown());
        QVERIFY(again.open(s("lesson/2.4")).ok());
        QVERIFY(shown());
        // Closed by hand it stays so.
        place.actions->find(s("window.dock.bench"))->trigger();
        QVERIFY(again.open(s("lab")).ok());
        QVERIFY(again.open(s("lesson/2.4")).ok());
        QVERIFY(!shown());
    }

    void theBenchQueuesWhatIsAskedForWhileItRuns()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("lab/coalescing")).ok());
        auto* lab = qobject_cast<LabPage*>(window.page());
        QSignalSpy finished(lab->queue(), &RunQueue::finished);
        lab->perform(Page::Command::Run);
        QVERIFY(lab->queue()->busy());
        QVERIFY(lab->can(Page::Command::Run)); // more can be asked for
        lab->perform(Page::Command::Run);
        lab->perform(Page::Command::Run);
        QCOMPARE(lab->queue()->waiting().size(), 2U);
        lab->queue()->remove(1);
        QCOMPARE(lab->queue()->waiting().size(), 1U);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
        const auto runs = place.context->store()->runs({});
        QCOMPARE(runs->size(), 16U); // two sweeps of eight, one after the other
        QVERIFY(runs->front().sweepId != runs->back().sweepId);
        // Stopping everything forgets what waits.
        lab->perform(Page::Command::Run);
        lab->perform(Page::Command::Run);
        place.actions->find(s("run.stop"))->trigger();
        QCOMPARE(lab->queue()->waiting().size(), 0U);
        QTRY_VERIFY_WITH_TIMEOUT(!lab->queue()->busy(), 20000);
        // So does the button of the status line, which says that it stops all runs.
        lab->perform(Page::Command::Run);
        lab->perform(Page::Command::Run);
        for (auto* button : window.status()->findChildren<QToolButton*>())
            if (button->accessibleName() == s("Stop all runs"))
                button->click();
        QCOMPARE(lab->queue()->waiting().size(), 0U);
        QTRY_VERIFY_WITH_TIMEOUT(!lab->queue()->busy(), 20000);
        const QString log = window.docks()->logPanel()->lines().join(u'\n');
        QVERIFY2(log.contains(s("coalescing on sim:h100-sxm: started, 8 points")), qPrintable(log));
        QVERIFY2(log.contains(s("finished")), qPrintable(log));
    }

    void theLogKeepsItsLastLines()
    {
        Workplace place;
        MainWindow& window = place.makeWindow();
        LogPanel* log = window.docks()->logPanel();
        for (int i = 0; i < LogPanel::kMaxLines + 10; ++i)
            log->add(QString::number(i), i % 2 == 0);
        QCOMPARE(log->lines().size(), LogPanel::kMaxLines);
        QVERIFY(log->lines().last().endsWith(QString::number(LogPanel::kMaxLines + 9)));
        Q_EMIT place.context->notice(s("the disk is full"), true);
        QVERIFY(log->lines().last().contains(s("the disk is full")));
    }

    void shortcutsAreChangedAndKept()
    {
        Workplace place;
        place.makeWindow();
        QAction* pin = place.actions->find(s("run.pin"));
        ShortcutEditor* editor = place.window->shortcutEditor();
        place.actions->find(s("help.editShortcuts"))->trigger();
        QVERIFY(editor->isOpen());
        ShortcutField* field = editor->field(s("run.pin"));
        QVERIFY(field && !field->accessibleName().isEmpty());
        field->setFocus();
        QTest::keyClick(field, Qt::Key_U, Qt::ControlModifier);
        QCOMPARE(pin->shortcut(), QKeySequence(s("Ctrl+U")));
        QVERIFY(pin->toolTip().contains(s("Ctrl+U")));
        // Keys of another command are refused with its name and nothing changes.
        QTest::keyClick(field, Qt::Key_K, Qt::ControlModifier);
        QCOMPARE(pin->shortcut(), QKeySequence(s("Ctrl+U")));
        QCOMPARE(field->keySequence(), QKeySequence(s("Ctrl+U")));
        QVERIFY2(editor->message().contains(s("Search or do")), qPrintable(editor->message()));
        // None at all.
        ShortcutField* quit = editor->field(s("file.quit"));
        QTest::keyClick(quit, Qt::Key_Backspace);
        QVERIFY(place.actions->find(s("file.quit"))->shortcuts().isEmpty());
        place.actions->setPlainKeys(false);
        QVERIFY(place.actions->find(s("go.nextBlock"))->shortcuts().isEmpty());

        place.restart();
        place.makeWindow();
        QCOMPARE(place.actions->find(s("run.pin"))->shortcut(), QKeySequence(s("Ctrl+U")));
        QVERIFY(place.actions->find(s("file.quit"))->shortcuts().isEmpty());
        QVERIFY(!place.actions->plainKeys());
        place.actions->resetShortcuts();
        place.actions->setPlainKeys(true);
        QCOMPARE(place.actions->find(s("run.pin"))->shortcut(), QKeySequence(s("Ctrl+D")));
        QVERIFY(place.actions->conflicts().isEmpty());
        QSettings settings;
        settings.beginGroup(s("shortcuts"));
        QVERIFY(settings.childKeys().isEmpty()); // only what differs is kept
    }

    void theEditorFindsByNameAndKey()
    {
        Workplace place;
        place.makeWindow();
        ShortcutEditor* editor = place.window->shortcutEditor();
        editor->open();
        editor->filter()->setText(s("ctrl+k"));
        QVERIFY(editor->field(s("edit.palette"))->isVisible());
        QVERIFY(!editor->field(s("run.pin"))->isVisible());
        editor->filter()->setText(s("pin these"));
        QVERIFY(editor->field(s("run.pin"))->isVisible());
        QTest::keyClick(editor->filter(), Qt::Key_Escape);
        QVERIFY(!editor->isOpen());
    }
};

QTEST_MAIN(TestLayouts)
#include "tst_layouts.moc"
