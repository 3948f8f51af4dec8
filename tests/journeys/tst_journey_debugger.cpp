// SPDX-License-Identifier: GPL-3.0-or-later
// A kernel stepped through with the keyboard alone: from the palette to a breakpoint, a watch and the reason why a warp
// waits. Every key goes to whatever has the focus.
#include "app/kernels/debug_panel.h"
#include "app/kernels/kernel_bench.h"
#include "app/kernels/kernel_page.h"
#include "app/kernels/shelf_view.h"
#include "app/ui/targets.h"
#include "app/window/settings.h"
#include "keyboard_person.h"

#include <QSettings>
#include <QTabBar>
#include <QTabWidget>
#include <QTreeWidget>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

bool hasCompiler(const AppContext& context)
{
    const auto compilers = compilersOf(context);
    return std::any_of(compilers.begin(), compilers.end(),
                       [](const CompilerInfo& each) { return each.available && each.id != s("shipped"); });
}

} // namespace

class TestJourneyDebugger : public QObject {
    Q_OBJECT
    QTemporaryDir m_home, m_settings;

private Q_SLOTS:
    void initTestCase()
    {
        QCoreApplication::setOrganizationName(s("ridge-test"));
        QCoreApplication::setApplicationName(s("keyboard-debugger"));
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_settings.path());
    }

    void fromThePaletteToTheReason()
    {
        Person person(m_home.path());
        QVERIFY(person.start());
        if (!hasCompiler(*person.context))
            QSKIP("no compiler here");

        // Open: the palette leads to the kernels, F6 to the examples, Enter copies one.
        person.command(Qt::Key_K, Qt::ControlModifier);
        person.type(s("kernels of your own"));
        person.command(Qt::Key_Return);
        QTRY_COMPARE(person.window->currentPage(), s("kernel"));
        auto* shelf = qobject_cast<KernelPage*>(person.window->page())->shelf();
        auto* examples = shelf->examples();
        QTabBar* const sources = shelf->sources()->tabBar();
        for (int panes = 0; panes < 8 && !sources->hasFocus(); ++panes)
            person.move(Qt::Key_F6);
        QVERIFY(sources->hasFocus());
        person.move(Qt::Key_Right);
        for (int panes = 0; panes < 8 && !examples->hasFocus(); ++panes)
            person.move(Qt::Key_F6);
        QVERIFY(examples->hasFocus());
        const auto chosen = [&] { return examples->currentItem() ? examples->currentItem()->text(0) : QString(); };
        person.move(Qt::Key_Home);
        for (int rows = 0; rows < 20 && chosen() != s("Racy reduction"); ++rows)
            person.move(Qt::Key_Down);
        QVERIFY2(chosen() == s("Racy reduction"), qPrintable(chosen()));
        person.command(Qt::Key_Return);
        QTRY_VERIFY(person.window->currentPage().startsWith(s("kernel/racy_reduction")));
        KernelBench* bench = qobject_cast<KernelPage*>(person.window->page())->bench();
        DebugPanel* debugger = bench->debugger();

        // A breakpoint, on the line of the cursor.
        for (int panes = 0; panes < 8 && !bench->editor()->hasFocus(); ++panes)
            person.move(Qt::Key_F6);
        QVERIFY(bench->editor()->hasFocus());
        person.move(Qt::Key_Home, Qt::ControlModifier);
        const auto line = [&] { return bench->editor()->textCursor().block().text(); };
        for (int rows = 0; rows < 60 && !line().contains(s("part[t] +=")); ++rows)
            person.move(Qt::Key_Down);
        const int stop = bench->editor()->currentLine();
        person.command(Qt::Key_F9);
        QCOMPARE(debugger->breakpoints().size(), std::size_t{1});
        person.move(Qt::Key_Escape); // out of the editor

        // Another block than the first; Enter in its field records it.
        QTRY_VERIFY_WITH_TIMEOUT(bench->canRecord(), kRunMs);
        QTabBar* const below = person.window->findChild<QTabWidget*>(s("kernelBelow"))->tabBar();
        for (int panes = 0; panes < 8 && !below->hasFocus(); ++panes)
            person.move(Qt::Key_F6);
        QVERIFY(below->hasFocus());
        person.move(Qt::Key_Right);
        QVERIFY(person.tabToNamed(s("Block to be recorded")));
        person.move(Qt::Key_A, Qt::ControlModifier);
        person.type(s("3"));
        QSignalSpy recorded(debugger, &DebugPanel::recorded);
        person.command(Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(recorded.count(), 1, kRunMs);
        QVERIFY2(debugger->positionText().contains(s("block (3, 0, 0)")), qPrintable(debugger->positionText()));

        // Steps, on and back.
        const StepReader& reader = debugger->session()->reader();
        person.command(Qt::Key_F7);
        person.command(Qt::Key_F7);
        QCOMPARE(reader.position(), std::size_t{2});
        person.command(Qt::Key_F7, Qt::ShiftModifier);
        QCOMPARE(reader.position(), std::size_t{1});

        // To the barrier and past it: the first warp waits for the others, and the panel says so.
        person.command(Qt::Key_F9, Qt::ShiftModifier);
        QVERIFY(reader.next() && reader.trace().code[reader.next()->instruction].isBarrier);
        QVERIFY(person.tabToNamed(s("Step"))); // the scrub bar: letters are commands here
        person.move(Qt::Key_Period);
        while (debugger->session()->warp() != 0)
            person.move(Qt::Key_BracketLeft);
        QVERIFY2(debugger->standingText().startsWith(s("Warp 0 waits at the barrier in line ")),
                 qPrintable(debugger->standingText()));
        QVERIFY2(debugger->standingText().contains(s("for warps 1, 2, 3, 4, 5, 6")),
                 qPrintable(debugger->standingText()));
        person.move(Qt::Key_BracketRight);
        QVERIFY(debugger->standingText().startsWith(s("Warp 1 ")));
        const std::size_t before = reader.position();
        person.move(Qt::Key_Period);
        QCOMPARE(reader.position(), before + 1);
        person.move(Qt::Key_Comma);
        QCOMPARE(reader.position(), before);

        // A watch.
        QVERIFY(person.tabToNamed(s("State of the warp")));
        for (int tabs = 0; tabs < 8 && debugger->views()->tabText(debugger->views()->currentIndex()) != s("Watches");
             ++tabs)
            person.move(Qt::Key_Right);
        QVERIFY(person.tabToNamed(s("Expression to watch")));
        person.type(s("threadIdx.x + 1"));
        person.command(Qt::Key_Return);
        QCOMPARE(debugger->watches()->rowCount(), 1);

        // On to the breakpoint, from within the field; back again.
        person.command(Qt::Key_F8, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(!debugger->running(), kRunMs);
        QCOMPARE(debugger->session()->line(), stop);
        const int warp = debugger->session()->warp();
        QCOMPARE(debugger->watches()->index(0, 6).data().toString(), QString::number(32 * warp + 6));
        person.command(Qt::Key_F8, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(!debugger->running(), kRunMs);
        QCOMPARE(reader.position(), std::size_t{0}); // there was no breakpoint before

        // Nothing was hidden from the keys: the access that was done last, its picture and its table.
        for (int back = 0; back < 10 && person.focus()->accessibleName() != s("State of the warp"); ++back)
            person.move(Qt::Key_Backtab, Qt::ShiftModifier);
        for (int tabs = 0;
             tabs < 8 && debugger->views()->tabText(debugger->views()->currentIndex()) != s("Last access"); ++tabs)
            person.move(Qt::Key_Left);
        QCOMPARE(debugger->views()->tabText(debugger->views()->currentIndex()), s("Last access"));
        QVERIFY2(person.commands <= 12, qPrintable(QString::number(person.commands)));
        person.window->close();
        QTRY_VERIFY(!person.window->isVisible());
    }
};

QTEST_MAIN(TestJourneyDebugger)
#include "tst_journey_debugger.moc"
