// SPDX-License-Identifier: GPL-3.0-or-later
// A worker's samples on their way into the store.
#include "full_disk.h"
#include "worker_support.h"

#include "record/recorder.h"

#include <csignal>

using namespace ridge;
using namespace ridge::record;
using namespace ridge::test;

class TestRecorder : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_store = Store::open(pathOf(*m_folder)).value();
    }
    void cleanup()
    {
        freeDisk();
        m_store.reset();
    }
    void predictionComesBeforeItsRuns();
    void tracesBelongToTheirSamples();
    void samplesAreDurableWhileTheRunGoesOn();
    void failureBecomesARow_data();
    void failureBecomesARow();
    void refusedPointsOfATableAreNotStored();
    void killedWorkerKeepsItsSamples();
    void floodIsHeldBackAndComplete();
    void fullDiskIsToldAndTheRunEnds();
    void storeGoneBeforeTheEnd();

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Store> m_store;
};

void TestRecorder::predictionComesBeforeItsRuns()
{
    const std::string prediction = durable(m_store->append(somePrediction())).value();
    WorkerRun run(fakeWorker(), requestFor("normal"));
    Recorder recorder(*m_store, run, {"2.4", "run-stride", prediction});
    QSignalSpy stored(&recorder, &Recorder::stored), done(&recorder, &Recorder::done),
        failed(&recorder, &Recorder::storeFailed);
    run.start();
    QTRY_COMPARE(done.count(), 1);
    QCOMPARE(stored.count(), 4);
    QVERIFY(failed.isEmpty());
    const auto rows = m_store->runs({.sweepId = recorder.sweepId()}).value();
    QCOMPARE(rows.size(), 4u);
    const std::int64_t predicted = m_store->predictions("2.4").value().at(0).seq;
    for (std::size_t i = 0; i < 4; ++i) {
        const RunRow& row = rows[3 - i];
        QVERIFY(predicted < row.seq);
        QCOMPARE(row.predictionId, prediction);
        QCOMPARE(row.lesson, std::string("2.4"));
        QCOMPARE(row.block, std::string("run-stride"));
        QCOMPARE(row.experiment, std::string("normal"));
        QCOMPARE(row.version, 7);
        QCOMPARE(row.target, std::string("sim:fake"));
        QCOMPARE(row.seed, 11u);
        QCOMPARE(row.status, std::string("finished"));
        QVERIFY(row.params == run.request().points[i]);
        QCOMPARE(row.metrics.at("answer").value, 42.0 + static_cast<double>(i));
        QCOMPARE(row.limits.at("answer").kind, std::string("lower"));
        QVERIFY(row.checks.at(0).passed);
        QCOMPARE((*row.fingerprint)["machine"], Json("fake"));
        QVERIFY(row.traceSha256.empty());
        QCOMPARE(stored[static_cast<int>(i)][0].value<RunRow>().id, row.id);
        QCOMPARE(stored[static_cast<int>(i)][0].value<RunRow>().seq, row.seq);
    }
}

void TestRecorder::tracesBelongToTheirSamples()
{
    WorkerRun run(fakeWorker(), requestFor("traced"));
    Recorder recorder(*m_store, run, {});
    QSignalSpy done(&recorder, &Recorder::done);
    run.start();
    QTRY_COMPARE(done.count(), 1);
    const auto rows = m_store->runs({}).value();
    QCOMPARE(rows.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
        const RunRow& row = rows[3 - i];
        QVERIFY(row.params == run.request().points[i]);
        QCOMPARE(row.traceSha256.empty(), i % 2 == 1);
        if (i % 2 == 0)
            QCOMPARE(m_store->file(row.traceSha256).value(), "trace of " + std::to_string(i) +
                                                                 std::string("\n\0{\n", 4) +
                                                                 (i == 2 ? "and its launch and tea" : ""));
    }
    R_VERIFY(m_store->verify());
}

void TestRecorder::samplesAreDurableWhileTheRunGoesOn()
{
    WorkerRun run(fakeWorker(), requestFor("hang"));
    Recorder recorder(*m_store, run, {});
    QSignalSpy stored(&recorder, &Recorder::stored);
    run.start();
    QTRY_COMPARE(stored.count(), 1);
    QVERIFY(run.running());
    auto reader = Store::openReadOnly(pathOf(*m_folder));
    QCOMPARE((*reader)->runs({}).value().size(), 1u);
}

void TestRecorder::failureBecomesARow_data()
{
    QTest::addColumn<std::string>("code");
    QTest::addColumn<int>("samples");
    QTest::newRow("garbage") << std::string("bad-protocol") << 1;
    QTest::newRow("crash") << std::string("worker-crashed") << 1;
    QTest::newRow("exit") << std::string("worker-ended") << 1;
    QTest::newRow("rude") << std::string("bad-protocol") << 0;
    QTest::newRow("fails") << std::string("out-of-memory") << 1;
}

void TestRecorder::failureBecomesARow()
{
    QFETCH(std::string, code);
    QFETCH(int, samples);
    WorkerRun run(fakeWorker(), requestFor(QTest::currentDataTag()));
    Recorder recorder(*m_store, run, {});
    QSignalSpy done(&recorder, &Recorder::done), stored(&recorder, &Recorder::stored);
    run.start();
    QTRY_COMPARE(done.count(), 1);
    QCOMPARE(stored.count(), samples + 1);
    const auto rows = m_store->runs({}).value();
    QCOMPARE(rows.size(), static_cast<std::size_t>(samples + 1));
    QCOMPARE(rows[0].status, std::string("failed"));
    QCOMPARE(rows[0].error->code, code);
    QVERIFY(rows[0].metrics.empty());
    QVERIFY(rows[0].params == run.request().points[static_cast<std::size_t>(samples)]); // the point under way
    if (samples > 0)
        QCOMPARE(rows[1].status, std::string("finished"));
}

/// Who asks to keep going has the errors in the table; neither those nor a worker's end become runs.
void TestRecorder::refusedPointsOfATableAreNotStored()
{
    for (const char* how : {"refuses", "crash"}) {
        RunRequest request = requestFor(how);
        request.keepGoing = true;
        WorkerRun run(fakeWorker(), request);
        Recorder recorder(*m_store, run, {});
        QSignalSpy done(&recorder, &Recorder::done);
        run.start();
        QTRY_COMPARE(done.count(), 1);
    }
    const auto rows = m_store->runs({}).value();
    QCOMPARE(rows.size(), std::size_t{3}); // points 0 and 2, and the one before the crash
    for (const RunRow& row : rows)
        QCOMPARE(row.status, std::string("finished"));
}

void TestRecorder::killedWorkerKeepsItsSamples()
{
    WorkerRun run(fakeWorker(), requestFor("hang"));
    Recorder recorder(*m_store, run, {});
    QSignalSpy done(&recorder, &Recorder::done), stored(&recorder, &Recorder::stored);
    run.start();
    QTRY_COMPARE(stored.count(), 1);
    ::kill(static_cast<pid_t>(run.processId()), SIGKILL);
    QTRY_COMPARE(done.count(), 1);
    const auto rows = m_store->runs({}).value();
    QCOMPARE(rows.size(), 2u);
    QCOMPARE(rows[0].error->code, std::string("worker-crashed"));
}

void TestRecorder::floodIsHeldBackAndComplete()
{
    qputenv("RIDGE_FAKE_SAMPLES", "6000");
    RunRequest request = requestFor("flood");
    WorkerRun run(fakeWorker(), request);
    Recorder recorder(*m_store, run, {});
    QSignalSpy done(&recorder, &Recorder::done);
    int stored = 0, most = 0;
    connect(&recorder, &Recorder::stored, this, [&] {
        ++stored;
        most = std::max(most, m_store->pendingWrites());
    });
    connect(&run, &WorkerRun::sample, this, [&] { most = std::max(most, m_store->pendingWrites()); });
    run.start();
    QTRY_COMPARE_WITH_TIMEOUT(done.count(), 1, 60000);
    qunsetenv("RIDGE_FAKE_SAMPLES");
    QCOMPARE(stored, 6000);
    // Reading pauses at 1024 rows; what one read of 64 KiB had brought by then still comes, at 128 B a sample or more.
    QVERIFY2(most <= 1024 + 512, QByteArray::number(most).constData());
    QVERIFY(most > 0);
    const auto newest = m_store->runs({.limit = 1}).value().at(0);
    QCOMPARE(newest.seq, 6000);
    QVERIFY(newest.params == request.points[5999 % 4]);
}

void TestRecorder::fullDiskIsToldAndTheRunEnds()
{
    WorkerRun run(fakeWorker(), requestFor("normal"));
    Recorder recorder(*m_store, run, {});
    Told told(run);
    QSignalSpy done(&recorder, &Recorder::done), failed(&recorder, &Recorder::storeFailed);
    fillDisk(m_folder->path().toStdString(), 0);
    run.start();
    QTRY_COMPARE(done.count(), 1);
    QCOMPARE(told.finished.count(), 1);
    QCOMPARE(failed.count(), 4);
    QCOMPARE(failed[0][0].value<Error>().code, std::string("disk-full"));
    freeDisk();
    QVERIFY(m_store->runs({}).value().empty());
}

void TestRecorder::storeGoneBeforeTheEnd()
{
    WorkerRun run(fakeWorker(), requestFor("hang"));
    Recorder recorder(*m_store, run, {});
    QSignalSpy stored(&recorder, &Recorder::stored), done(&recorder, &Recorder::done);
    run.start();
    QTRY_COMPARE(stored.count(), 1);
    m_store.reset();
    run.cancel();
    QTRY_COMPARE(done.count(), 1);
}

QTEST_GUILESS_MAIN(TestRecorder)
#include "tst_recorder.moc"
