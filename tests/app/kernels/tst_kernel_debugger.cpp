// SPDX-License-Identifier: GPL-3.0-or-later
// The debugger of the kernel editor in the real window, with the real worker.
#include "kernel_person.h"

#include "app/drawing/scenes/scene_view.h"
#include "app/kernels/access_picture.h"
#include "app/kernels/debug_panel.h"
#include "app/kernels/lane_strip.h"
#include "tests/golden/golden.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QTabWidget>
#include <QToolButton>

using namespace ridge;
using namespace ridge::app;

class TestKernelDebugger : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theDebuggerStepsBothWays()
    {
        Person person("racy_reduction.cu");
        if (!hasCompiler(*person.place.context))
            QSKIP("no compiler here");
        QVERIFY(person.compiled());
        KernelBench* bench = person.bench();
        DebugPanel* debugger = bench->debugger();
        QSignalSpy recorded(debugger, &DebugPanel::recorded);
        person.place.actions->find(s("debug.record"))->trigger();
        QVERIFY(recorded.wait(kRunMs));
        QVERIFY(debugger->hasSteps());
        StepReader& reader = debugger->session()->reader();
        const auto trigger = [&](const char* id) { person.place.actions->find(s(id))->trigger(); };
        trigger("debug.into");
        trigger("debug.into");
        const auto there = reader.position();
        QVERIFY(there > 0);
        debugger->views()->setCurrentIndex(1);
        QVERIFY(debugger->registers()->rowCount() > 0);
        // The register that the last step wrote stands first and is marked in every lane that took part.
        QVERIFY(debugger->registers()->index(0, 1).data().toString().startsWith(s("• ")));
        trigger("debug.back");
        trigger("debug.into");
        QCOMPARE(reader.position(), there);
        trigger("debug.over");
        QVERIFY(bench->editor()->textCursor().blockNumber() + 1 == debugger->session()->line());
        // Back is the inverse of each step forwards, also where the next step is another warp's.
        using Place = std::pair<std::size_t, std::uint16_t>;
        const auto place = [&] { return Place(reader.position(), debugger->session()->warp()); };
        std::vector<Place> trail;
        bool changedWarp = false;
        for (int step = 0; step < 200 && !(changedWarp && step > 3) && !reader.atEnd(); ++step) {
            trail.push_back(place());
            trigger("debug.over");
            changedWarp = changedWarp || place().second != trail.back().second;
        }
        QVERIFY(changedWarp);
        for (; !trail.empty(); trail.pop_back()) {
            trigger("debug.back");
            QCOMPARE(place(), trail.back());
        }
        // A change of the text is said for as long as it is another one.
        auto* outdated = debugger->findChild<QLabel*>(s("outdated"));
        QVERIFY(outdated && outdated->isHidden());
        bench->editor()->moveCursor(QTextCursor::Start);
        bench->editor()->insertPlainText(s("\n"));
        QVERIFY(outdated->isVisible());
        person.shot("kernel_debug_outdated");
        bench->editor()->undo();
        QVERIFY(outdated->isHidden());
        trigger("debug.barrier");
        QVERIFY(reader.next() && reader.trace().code[reader.next()->instruction].isBarrier);
        // Shared memory holds what was stored: ones, to begin with.
        QVERIFY(debugger->shared()->index(0, 1).data().toString().endsWith(s("1")));
        // The tree: a breakpoint in the loop with a condition.
        const int line = bench->editor()->document()->find(s("part[t] +=")).blockNumber() + 1;
        QVERIFY(debugger->setBreakpoint(line, s("lane == 5 && warp == 1")).ok());
        QVERIFY(!debugger->setBreakpoint(line, s("nothing > 2")).ok());
        trigger("debug.continue");
        QTRY_VERIFY_WITH_TIMEOUT(!debugger->running(), kRunMs);
        QCOMPARE(debugger->session()->warp(), std::uint16_t{1});
        QCOMPARE(debugger->session()->line(), line);
        trigger("debug.over");
        QVERIFY(debugger->access()->rowCount() > 0);
        QVERIFY(debugger->watches()->add("lane * 2").ok());
        QCOMPARE(debugger->watches()->index(0, 6).data().toString(), s("10"));
        person.shot("kernel_debug");
        trigger("debug.scrubFarOn");
        trigger("debug.scrubBack");
        trigger("debug.nextWarp");
        QVERIFY(debugger->lanes()->sentence().contains(s("lanes execute")));
        debugger->views()->setCurrentIndex(2);
        person.shot("kernel_debug_shared");
        debugger->seek(int(reader.size()));
        QVERIFY(reader.atEnd());
        trigger("debug.reverse");
        QTRY_VERIFY_WITH_TIMEOUT(!debugger->running(), kRunMs);
        QCOMPARE(debugger->session()->line(), line);
    }

    /// Debug information says which register is which variable, where the compiler gives it.
    void variablesHaveTheirNames()
    {
        Person person("racy_reduction.cu");
        if (!hasCompiler(*person.place.context))
            QSKIP("no compiler here");
        QVERIFY(person.compiled());
        KernelBench* bench = person.bench();
        DebugPanel* debugger = bench->debugger();
        const auto record = [&] {
            QSignalSpy recorded(debugger, &DebugPanel::recorded);
            person.place.actions->find(s("debug.record"))->trigger();
            return (recorded.count() == 1 || recorded.wait(kRunMs)) &&
                   QTest::qWaitFor([&] { return !bench->running(); }, kRunMs);
        };
        QVERIFY(record());
        const QString first = debugger->views()->tabText(debugger->views()->currentIndex());
        if (!bench->namesVariables()) { // clang: it says so, and shows registers
            QCOMPARE(first, s("Registers"));
            QVERIFY(!debugger->session()->hasVariables());
            return;
        }
        QCOMPARE(first, s("Variables"));
        const int line = bench->editor()->document()->find(s("part[t] +=")).blockNumber() + 1;
        QVERIFY(debugger->setBreakpoint(line, s("warp == 1")).ok());
        debugger->go(DebugPanel::Move::Continue);
        QTRY_VERIFY_WITH_TIMEOUT(!debugger->running(), kRunMs);
        const auto valueOf = [&](const char* name, int lane) {
            for (int row = 0; row < debugger->variables()->rowCount(); ++row)
                if (debugger->variables()->index(row, 0).data().toString() == s(name))
                    return debugger->variables()->index(row, lane + 1).data().toString().remove(s("• "));
            return s("absent");
        };
        QCOMPARE(valueOf("t", 5), s("37")); // the fifth thread of warp 1
        QCOMPARE(valueOf("in", 5), s("argument 1 + 0"));
        person.shot("kernel_debug_variables");
        person.window->resize(1280, 720);
        person.shot("kernel_debug_small");
        // There is room for code and state at this size: launch and results come back when they are asked for.
        QVERIFY(!bench->side()->isVisible());
        QVERIFY2(debugger->views()->height() >= 180, qPrintable(QString::number(debugger->views()->height())));
        QVERIFY(bench->editor()->height() >= 5 * bench->editor()->fontMetrics().lineSpacing());
        auto* side = bench->findChild<QToolButton*>(s("sideShown"));
        QVERIFY(side && side->isVisible());
        side->click();
        QVERIFY(bench->side()->isVisible());
        // Within a function that is called, its own.
        bench->editor()->setPlainText(
            s("__noinline__ __device__ float twice(float value) {\n    float both = value + value;\n"
              "    return both;\n}\n__global__ void k(float* out) {\n"
              "    float value = threadIdx.x;\n    out[threadIdx.x] = twice(value + 1);\n}\n"));
        QVERIFY(person.compiled());
        QVERIFY(record());
        QVERIFY(debugger->setBreakpoint(3, {}).ok());
        debugger->go(DebugPanel::Move::Continue);
        QTRY_VERIFY_WITH_TIMEOUT(!debugger->running(), kRunMs);
        QCOMPARE(debugger->session()->line(), 3);
        QCOMPARE(valueOf("value", 5), s("6"));
        QCOMPARE(valueOf("both", 5), s("12"));
        QCOMPARE(valueOf("out", 5), s("absent"));
        QVERIFY(bench->side()->isVisible()); // whoever has chosen keeps it
        // The steps of the build that Run takes, when they are wanted.
        const auto steps = debugger->session()->reader().size();
        debugger->namesWanted()->setChecked(false);
        QVERIFY(record());
        QVERIFY(!debugger->session()->hasVariables());
        QCOMPARE(debugger->views()->tabText(debugger->views()->currentIndex()), s("Registers"));
        QVERIFY(debugger->session()->reader().size() < steps);
    }

    /// What a run's detectors found is where the debugger can stop.
    void itStopsWhereADetectorFoundSomething()
    {
        Person person("racy_reduction.cu");
        if (!hasCompiler(*person.place.context))
            QSKIP("no compiler here");
        QVERIFY(person.compiled());
        KernelBench* bench = person.bench();
        DebugPanel* debugger = bench->debugger();
        const auto record = [&] {
            QSignalSpy recorded(debugger, &DebugPanel::recorded);
            person.place.actions->find(s("debug.record"))->trigger();
            return recorded.count() == 1 || recorded.wait(kRunMs);
        };
        QVERIFY(record());
        QVERIFY(!debugger->reportStop()->isEnabled()); // it was not run yet
        QVERIFY(person.ran());
        QTRY_VERIFY_WITH_TIMEOUT(debugger->reportStop()->isEnabled(), kRunMs);
        const int line = bench->editor()->document()->find(s("part[t] +=")).blockNumber() + 1;
        debugger->reportStop()->setChecked(true);
        QVERIFY(debugger->breakpoints().empty());
        debugger->seek(0);
        debugger->go(DebugPanel::Move::Continue);
        QTRY_VERIFY_WITH_TIMEOUT(!debugger->running(), kRunMs);
        QVERIFY(!debugger->session()->reader().atEnd());
        QCOMPARE(debugger->session()->line(), line);
        // Of another text nothing is known.
        bench->editor()->insertPlainText(s("// another\n"));
        QVERIFY(person.compiled());
        QVERIFY(record());
        QVERIFY(!debugger->reportStop()->isEnabled());
        debugger->seek(0);
        debugger->go(DebugPanel::Move::Continue);
        QTRY_VERIFY_WITH_TIMEOUT(!debugger->running(), kRunMs);
        QVERIFY(debugger->session()->reader().atEnd());
    }

    void anyBlockIsRecorded()
    {
        Person person("racy_reduction.cu");
        if (!hasCompiler(*person.place.context))
            QSKIP("no compiler here");
        QVERIFY(person.compiled());
        DebugPanel* debugger = person.bench()->debugger();
        QSignalSpy recorded(debugger, &DebugPanel::recorded);
        debugger->blockField()->setText(s("16"));
        person.place.actions->find(s("debug.record"))->trigger();
        QVERIFY(!person.bench()->running());
        QVERIFY2(debugger->messageText().contains(s("numbered 0 to 15")), qPrintable(debugger->messageText()));
        debugger->blockField()->setText(s("3"));
        QTest::keyClick(debugger->blockField(), Qt::Key_Return);
        QVERIFY(recorded.wait(kRunMs));
        QVERIFY(debugger->messageText().isEmpty());
        QVERIFY2(debugger->positionText().contains(s("block (3, 0, 0)")), qPrintable(debugger->positionText()));
        QVERIFY(debugger->watches()->add("blockIdx.x * blockDim.x + threadIdx.x").ok());
        QCOMPARE(debugger->watches()->index(0, 6).data().toString(), s("773"));
        // The access, as a table and as a picture, says whose it is.
        debugger->views()->setCurrentWidget(debugger->picture());
        QVERIFY(!debugger->picture()->message().isEmpty());
        while (!debugger->access()->step() && !debugger->session()->reader().atEnd())
            debugger->go(DebugPanel::Move::Into);
        QVERIFY(debugger->access()->summary().startsWith(s("What warp 0 of block (3, 0, 0) did last, in line")));
        QVERIFY(debugger->access()->summary().contains(s(" Load: ld.")));
        // The instruction above the lanes is another one: the next.
        QVERIFY(debugger->picture()->heading().contains(s("did last")));
        QVERIFY(debugger->picture()->message().isEmpty());
        QVERIFY(debugger->picture()->view()->frames().front().title.startsWith(s("last access: block (3, 0, 0)")));
        QVERIFY(debugger->picture()->view()->summary().contains(s("4 sectors")));
        person.shot("kernel_debug_picture");
    }

    void pictures_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("theme");
        QTest::addColumn<int>("textPercent");
        for (const char* theme : {"light", "dark"})
            for (const char* what : {"variables", "registers", "shared", "access", "picture", "watches", "breakpoints"})
                QTest::addRow("%s %s", what, theme) << s(what) << s(theme) << 100;
        QTest::newRow("variables 200") << s("variables") << s("light") << 200;
    }
    void pictures()
    {
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QFETCH(QString, what);
        QFETCH(QString, theme);
        QFETCH(int, textPercent);
        Person person("racy_reduction.cu");
        // Another compiler makes other instructions, and other numbers.
        if (!hasCompiler(*person.place.context, s("nvrtc"), s("13.0")))
            QSKIP("the picture is that of NVRTC 13.0");
        QVERIFY(person.place.theme.load(theme).ok());
        person.place.theme.setTextScale(textPercent / 100.0);
        QVERIFY(person.compiled());
        QVERIFY(stepsInto(person));
        DebugPanel* debugger = person.bench()->debugger();
        const QStringList views = {s("variables"), s("registers"), s("shared"),     s("access"),
                                   s("picture"),   s("watches"),   s("breakpoints")};
        QCOMPARE(debugger->views()->count(), views.size());
        debugger->views()->setCurrentIndex(int(views.indexOf(what)));
        person.hideMachine();
        const QString name = s("kernel_debug_%1_%2").arg(what, theme);
        const QString wrong = textPercent == 100 ? golden::checkView(name, *person.page)
                                                 : golden::checkImage(name + s("_200"), person.page->grab().toImage());
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        const QString other = golden::checkStructure(s("kernel_debug"), debugger->describe());
        QVERIFY2(other.isEmpty(), qPrintable(other));
    }

private:
    /// Halfway into the tree of block 2: lanes have parted, shared memory is filled.
    static bool stepsInto(const Person& person)
    {
        DebugPanel* debugger = person.bench()->debugger();
        QSignalSpy recorded(debugger, &DebugPanel::recorded);
        debugger->blockField()->setText(s("2"));
        person.place.actions->find(s("debug.record"))->trigger();
        if (!recorded.wait(kRunMs) || !QTest::qWaitFor([&] { return !person.bench()->running(); }, kRunMs))
            return false;
        const int line = person.bench()->editor()->document()->find(s("part[t] +=")).blockNumber() + 1;
        if (!debugger->setBreakpoint(line, s("threadIdx.x == 37")) || !debugger->watches()->add("r2 + 1"))
            return false;
        debugger->go(DebugPanel::Move::Continue);
        if (!QTest::qWaitFor([&] { return !debugger->running(); }, kRunMs))
            return false;
        for (int each = 0; each < 6; ++each)
            debugger->go(DebugPanel::Move::Into);
        return debugger->session()->warp() == 1;
    }
};

QTEST_MAIN(TestKernelDebugger)
#include "tst_kernel_debugger.moc"
