// SPDX-License-Identifier: GPL-3.0-or-later
// A run that has spent its time stands still in the window: Run lets it go on, Stop ends it there.
#include "kernel_person.h"

#include "app/kernels/kernel_results.h"

#include <QPushButton>

using namespace ridge;
using namespace ridge::app;

class TestKernelPause : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void itGoesOnAndIsEndedThere()
    {
        Person person("vector_add.cu");
        if (!hasCompiler(*person.place.context))
            QSKIP("no compiler here");
        KernelBench* bench = person.bench();
        bench->editor()->selectAll();
        bench->editor()->insertPlainText(s(
            "__global__ void vectorAdd(const float* a, const float* b, float* c, int n)\n{\n"
            "    volatile float* p = c; int x = n;\n"
            "    while (x != 0) { p[threadIdx.x] = float(x); x = x * 1664525 + 1013904223; if (x == 0) x = 1; }\n}\n"));
        QVERIFY(person.compiled());
        LaunchSettings launch = bench->form()->launch();
        launch.seconds = 1;
        launch.check = false;
        bench->form()->setLaunch(launch);
        QSignalSpy paused(bench->runJob(), &KernelJob::pausedFor), ended(bench->runJob(), &KernelJob::done);
        auto* start = qobject_cast<QPushButton*>(bench->panes().back());
        person.place.actions->find(s("run.run"))->trigger();
        QVERIFY(!bench->canRun());
        QVERIFY(paused.wait(kRunMs));
        QCOMPARE(paused.front().front().value<Error>().code, std::string("time-limit"));
        QVERIFY(bench->running() && bench->canRun());
        QCOMPARE(start->text(), s("Go on"));
        person.shot("paused");
        person.place.actions->find(s("run.run"))->trigger();
        QVERIFY(bench->running() && !bench->canRun());
        QCOMPARE(start->text(), s("Run"));
        QVERIFY(paused.wait(kRunMs));
        QVERIFY(ended.empty());
        person.place.actions->find(s("run.stop"))->trigger();
        QVERIFY(ended.wait(kRunMs));
        QCOMPARE(paused.size(), 2);
        QCOMPARE(start->text(), s("Run"));
        QVERIFY(!bench->running());
        QVERIFY(!bench->editor()->notes().empty()); // where it stood
    }
};

QTEST_MAIN(TestKernelPause)
#include "tst_kernel_pause.moc"
