// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/lesson/reader/reader_support.h"

#include "app/session/run_controller.h"
#include "tests/support/heartbeat.h"

using namespace ridge;
using namespace ridge::app;
using app::test::Bench;

class TestRunController : public QObject {
    Q_OBJECT

private:
    static RunRequest sweep(int points)
    {
        RunRequest request{
            .experiment = "coalescing", .target = "sim:h100-sxm", .seed = 1, .points = {}, .trace = true, .limits = {}};
        for (int i = 0; i < points; ++i)
            request.points.push_back({{"stride", std::int64_t(1) << i}});
        return request;
    }

private Q_SLOTS:
    void sweepIsDurableWhenDone();
    void secondStartIsRefused();
    void cancelEndsWithItsRows();
    void killedWorkerFailsOnce();
    void withoutStoreItDoesNotStart();
    void canStartAgainFromItsOwnSignal();
    void eventLoopKeepsTurning();
};

void TestRunController::sweepIsDurableWhenDone()
{
    Bench bench;
    RunController run(bench.app());
    QSignalSpy done(&run, &RunController::done), samples(&run, &RunController::sampleArrived),
        traces(&run, &RunController::traceArrived), rows(&run, &RunController::rowStored);
    QVERIFY(run.start(sweep(4), {"2.1", "curve", ""}).ok());
    QCOMPARE(run.state(), RunState::Running);
    QCOMPARE(run.expectedPoints(), 4u);
    QVERIFY(done.wait(60000));
    QCOMPARE(samples.size(), 4);
    QCOMPARE(traces.size(), 8); // memory and launch of each point
    QCOMPARE(rows.size(), 4);
    QCOMPARE(run.state(), RunState::Finished);
    QCOMPARE(run.fraction(), 1.0);
    const auto stored = bench.store().runs({.lesson = "2.1", .block = "curve"});
    QCOMPARE(stored->size(), 4u);
    QVERIFY(!stored->front().traceSha256.empty());
    QCOMPARE(done.size(), 1);
}

void TestRunController::secondStartIsRefused()
{
    Bench bench("slow");
    RunController run(bench.app());
    QVERIFY(run.start(sweep(3), {"2.1", "curve", ""}).ok());
    const auto second = run.start(sweep(3), {"2.1", "curve", ""});
    QVERIFY(!second);
    QCOMPARE(second.error().code, std::string("already-running"));
    QSignalSpy done(&run, &RunController::done);
    run.cancel();
    QVERIFY(done.wait(60000));
    QVERIFY(run.start(sweep(1), {"2.1", "curve", ""}).ok());
    QVERIFY(done.wait(60000));
}

void TestRunController::cancelEndsWithItsRows()
{
    Bench bench("slow");
    RunController run(bench.app());
    QSignalSpy rows(&run, &RunController::rowStored), failed(&run, &RunController::failed),
        done(&run, &RunController::done);
    QVERIFY(run.start(sweep(4), {"2.1", "curve", ""}).ok());
    QTRY_VERIFY(!rows.isEmpty());
    run.cancel();
    QCOMPARE(run.state(), RunState::Cancelling);
    QVERIFY(done.wait(60000));
    QCOMPARE(failed.size(), 1);
    QCOMPARE(failed.front().front().value<Error>().code, std::string("cancelled"));
    const auto stored = bench.store().runs({.lesson = "2.1"});
    QVERIFY(std::ranges::count(*stored, std::string("finished"), &record::RunRow::status) == 1);
}

void TestRunController::killedWorkerFailsOnce()
{
    Bench bench("die");
    RunController run(bench.app());
    QSignalSpy failed(&run, &RunController::failed), done(&run, &RunController::done);
    QVERIFY(run.start(sweep(5), {"2.1", "curve", ""}).ok());
    QVERIFY(done.wait(60000));
    QCOMPARE(failed.size(), 1);
    QCOMPARE(failed.front().front().value<Error>().code, std::string("worker-crashed"));
    QCOMPARE(run.state(), RunState::Failed);
    const auto stored = bench.store().runs({.lesson = "2.1"});
    QCOMPARE(std::ranges::count(*stored, std::string("finished"), &record::RunRow::status), 2);
}

void TestRunController::withoutStoreItDoesNotStart()
{
    Bench bench;
    bench.start(false);
    RunController run(bench.app());
    const auto started = run.start(sweep(1), {"2.1", "curve", ""});
    QVERIFY(!started);
    QCOMPARE(started.error().code, std::string("store-damaged"));
    QCOMPARE(run.state(), RunState::Idle);
}

void TestRunController::canStartAgainFromItsOwnSignal()
{
    Bench bench;
    RunController run(bench.app());
    int runs = 0;
    connect(&run, &RunController::done, this, [&] {
        if (++runs < 3)
            QVERIFY(run.start(sweep(1), {"2.1", "curve", ""}).ok());
    });
    QVERIFY(run.start(sweep(1), {"2.1", "curve", ""}).ok());
    QTRY_COMPARE(runs, 3);
    QCOMPARE(bench.store().runs({.lesson = "2.1"})->size(), 3u);
}

void TestRunController::eventLoopKeepsTurning()
{
    Bench bench;
    RunController run(bench.app());
    QSignalSpy done(&run, &RunController::done);
    RunRequest many = sweep(1);
    for (int i = 0; i < 400; ++i)
        many.points.push_back({{"stride", std::int64_t(1 + i % 100)}});
    ridge::test::Heartbeat heart;
    QVERIFY(run.start(many, {"2.1", "curve", ""}).ok());
    QVERIFY(done.wait(60000));
    QVERIFY2(heart.worstBusy() < 100, qPrintable(QString::number(heart.worstBusy())));
    QVERIFY2(heart.worst() < 4000, "the event loop stood still");
}

QTEST_MAIN(TestRunController)
#include "tst_run_controller.moc"
