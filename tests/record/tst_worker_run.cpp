// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/heartbeat.h"
#include "worker_support.h"

#include <QProcess>
#include <QTimer>
#include <csignal>

using namespace ridge;
using namespace ridge::record;
using namespace ridge::test;

class TestWorkerRun : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void wholeRunInOrder();
    void tracesArriveWhole();
    void failures_data();
    void failures();
    void missingProgramIsNamed();
    void missingLauncherIsNamed();
    void launcherGoesInFront();
    void crashBehindALauncher();
    void silenceEndsTheRun();
    void slowIsNotSilent();
    void aStoppedWorkerIsNoticed();
    void pauseIsNotSilence();
    void politeCancel();
    void deafWorkerIsKilled();
    void cancelWhilePausedStillEnds();
    void killedByNumberNine();
    void lingeringWorkerIsStopped_data();
    void lingeringWorkerIsStopped();
    void destroyingKills();
    void deletingFromASlot_data();
    void deletingFromASlot();
    void workerDiesWithTheProgram();
    void pausedRunLetsTheWorkerWait();
    void floodNeverStallsTheLoop();
};

void TestWorkerRun::wholeRunInOrder()
{
    WorkerRun run(fakeWorker(), requestFor("normal"));
    Told told(run);
    QVERIFY(!run.running());
    run.start();
    QVERIFY(run.running());
    QTRY_VERIFY(told.started.count() == 1);
    QTRY_VERIFY(told.over());
    QVERIFY2(told.failed.isEmpty(), toText(told.error()).c_str());
    QVERIFY(!run.running());
    QCOMPARE(run.processId(), 0);
    const auto started = told.started[0][0].value<StartedEvent>();
    QCOMPARE(started.version, 7);
    QCOMPARE(started.points, 4u);
    QCOMPARE(told.sample.count(), 4);
    for (std::size_t i = 0; i < 4; ++i) {
        const auto sample = told.sample[static_cast<int>(i)][0].value<SampleEvent>();
        QCOMPARE(sample.index, i);
        QCOMPARE(sample.metrics.at("answer").value, 42.0 + static_cast<double>(i));
        QVERIFY(sample.params == run.request().points[i]);
    }
    QCOMPARE(told.progress.count(), 4);
    QCOMPARE(told.check.count(), 1);
    QCOMPARE(told.log[0][0].toString(), QStringLiteral("done"));
    QCOMPARE(told.finished[0][0].value<FinishedEvent>().seconds, 0.5);
}

void TestWorkerRun::tracesArriveWhole()
{
    WorkerRun run(fakeWorker(), requestFor("traced"));
    Told told(run);
    run.start();
    QTRY_VERIFY(told.over());
    QCOMPARE(told.finished.count(), 1);
    QCOMPARE(told.trace.count(), 4);
    QCOMPARE(told.trace[3][0].value<TraceEvent>().kind, std::string("teapot"));
    const auto trace = told.trace[1][0].value<TraceEvent>();
    QCOMPARE(trace.index, 2u);
    QCOMPARE(trace.bytes, "trace of 2" + std::string("\n\0{\n", 4));
}

void TestWorkerRun::failures_data()
{
    QTest::addColumn<std::string>("code");
    QTest::addColumn<std::string>("says");
    QTest::addColumn<int>("samples");
    const auto add = [](const char* how, const char* code, const char* says, int samples = 1) {
        QTest::newRow(how) << std::string(code) << std::string(says) << samples;
    };
    add("garbage", "bad-protocol", "");
    add("half line", "worker-ended", "status 0");
    add("half trace", "worker-ended", "status 0");
    add("huge line", "bad-protocol", "");
    add("after the end", "bad-protocol", "after its last event");
    add("half after the end", "bad-protocol", "after its last event");
    add("wrong point", "bad-protocol", "1000 of 4");
    add("rude", "bad-protocol", "begin with 'started'", 0);
    add("never starts", "bad-protocol", "begin with 'started'", 0);
    add("crash", "worker-crashed", "SIGSEGV");
    add("abort", "worker-crashed", "about to fall");
    add("exit", "worker-ended", "no more");
    add("nothing special", "worker-ended", "status 0");
    add("fails", "out-of-memory", "No memory");
}

void TestWorkerRun::failures()
{
    QFETCH(std::string, code);
    QFETCH(std::string, says);
    QFETCH(int, samples);
    WorkerRun run(fakeWorker(), requestFor(QTest::currentDataTag()));
    Told told(run);
    run.start();
    QTRY_VERIFY_WITH_TIMEOUT(told.over(), 15000);
    QCOMPARE(told.failed.count(), 1);
    QCOMPARE(told.finished.count(), 0);
    QCOMPARE(QByteArray::fromStdString(told.error().code), QByteArray::fromStdString(code));
    QVERIFY2(told.error().message.find(says) != std::string::npos, told.error().message.c_str());
    QVERIFY(!told.error().message.empty() && !told.error().place.empty() && !told.error().fix.empty());
    QCOMPARE(told.sample.count(), samples);
    QVERIFY(!run.running());
}

void TestWorkerRun::missingProgramIsNamed()
{
    WorkerRun run({QStringLiteral("/nowhere/ridge-worker"), {}}, requestFor("normal"));
    run.start();
    Told told(run); // connecting after start() is early enough
    QTRY_VERIFY(told.over());
    QCOMPARE(told.error().code, std::string("worker-missing"));
    QVERIFY(told.error().message.find("/nowhere/ridge-worker") != std::string::npos);
    QVERIFY(told.error().fix.find("RIDGE_WORKER") != std::string::npos);
    QVERIFY(!run.running());
}

void TestWorkerRun::missingLauncherIsNamed()
{
    WorkerOptions options = fakeWorker();
    options.launcher = {QStringLiteral("/nowhere/ssh"), QStringLiteral("gpu01")};
    WorkerRun run(options, requestFor("normal"));
    Told told(run);
    run.start();
    QTRY_VERIFY(told.over());
    QCOMPARE(told.error().code, std::string("worker-missing"));
    QVERIFY(told.error().message.find("/nowhere/ssh") != std::string::npos);
}

void TestWorkerRun::launcherGoesInFront()
{
    WorkerOptions options = fakeWorker();
    options.launcher = {QStringLiteral("/usr/bin/env"), QStringLiteral("RIDGE_FAKE_SAMPLES=3")};
    WorkerRun run(options, requestFor("flood"));
    Told told(run);
    run.start();
    QTRY_VERIFY(told.over());
    QCOMPARE(told.finished.count(), 1);
    QCOMPARE(told.sample.count(), 3);
}

void TestWorkerRun::crashBehindALauncher()
{
    WorkerOptions options = fakeWorker();
    options.launcher = {QStringLiteral("/usr/bin/env")};
    WorkerRun run(options, requestFor("shell crash"));
    Told told(run);
    run.start();
    QTRY_VERIFY(told.over());
    QCOMPARE(told.error().code, std::string("worker-crashed"));
    QVERIFY(told.error().message.find("SIGSEGV") != std::string::npos);
}

void TestWorkerRun::silenceEndsTheRun()
{
    WorkerOptions options = fakeWorker();
    options.silenceSeconds = 0.2;
    WorkerRun run(options, requestFor("hang"));
    Told told(run);
    run.start();
    QTRY_COMPARE(told.sample.count(), 1);
    const qint64 pid = run.processId();
    QTRY_VERIFY(told.over());
    QCOMPARE(told.error().code, std::string("worker-hung"));
    QVERIFY(told.error().message.find("0.2 s") != std::string::npos);
    QVERIFY(isGone(pid));
}

/// It prepares for twice as long as silence may last, and says so 40 times as often.
void TestWorkerRun::slowIsNotSilent()
{
    WorkerOptions options = fakeWorker();
    options.silenceSeconds = 2;
    WorkerRun run(options, requestFor("prepares"));
    Told told(run);
    run.start();
    QTRY_VERIFY(told.progress.count() > 0);
    QCOMPARE(told.started.count(), 0);
    QCOMPARE(told.progress[0][0].value<ProgressEvent>().message, std::string("preparing"));
    QTRY_VERIFY_WITH_TIMEOUT(told.over(), 60000);
    QVERIFY2(told.finished.count() == 1, toText(told.error()).c_str());
    QCOMPARE(told.started.count(), 1);
    QCOMPARE(told.sample.count(), 4);
}

/// A stopped process says nothing, whichever of its threads would.
void TestWorkerRun::aStoppedWorkerIsNoticed()
{
    WorkerOptions options = fakeWorker();
    options.silenceSeconds = 1;
    WorkerRun run(options, requestFor("prepares for ever"));
    Told told(run);
    run.start();
    QTRY_VERIFY(told.progress.count() > 2);
    const qint64 pid = run.processId();
    ::kill(static_cast<pid_t>(pid), SIGSTOP);
    QTRY_VERIFY(told.over());
    QCOMPARE(told.error().code, std::string("worker-hung"));
    QVERIFY(isGone(pid));
}

void TestWorkerRun::pauseIsNotSilence()
{
    WorkerOptions options = fakeWorker();
    options.silenceSeconds = 0.2;
    WorkerRun run(options, requestFor("traced"));
    Told told(run);
    connect(&run, &WorkerRun::started, &run, [&] {
        run.setPaused(true);
        QTimer::singleShot(600, &run, [&] { run.setPaused(false); });
    });
    run.start();
    QTRY_VERIFY(told.over());
    QVERIFY2(told.finished.count() == 1, toText(told.error()).c_str());
    QCOMPARE(told.sample.count(), 4);
}

void TestWorkerRun::politeCancel()
{
    WorkerRun run(fakeWorker(), requestFor("polite"));
    Told told(run);
    run.start();
    QTRY_COMPARE(told.progress.count(), 1);
    run.cancel();
    run.cancel(); // impatience changes nothing
    QTRY_VERIFY(told.over());
    QCOMPARE(told.error().code, std::string("cancelled"));
    QCOMPARE(told.error().message, std::string("Cancelled by the test"));
    QCOMPARE(told.sample.count(), 1);
}

void TestWorkerRun::deafWorkerIsKilled()
{
    WorkerOptions options = fakeWorker();
    options.cancelGraceSeconds = 0.2;
    WorkerRun run(options, requestFor("deaf"));
    Told told(run);
    run.start();
    QTRY_COMPARE(told.progress.count(), 1);
    const qint64 pid = run.processId();
    QElapsedTimer clock;
    clock.start();
    run.cancel();
    QTRY_VERIFY(told.over());
    QVERIFY(clock.elapsed() >= 200);
    QCOMPARE(told.error().code, std::string("cancelled"));
    QVERIFY(told.error().message.find("did not answer") != std::string::npos);
    QVERIFY(isGone(pid));
}

void TestWorkerRun::cancelWhilePausedStillEnds()
{
    WorkerRun run(fakeWorker(), requestFor("flood"));
    Told told(run);
    connect(&run, &WorkerRun::started, &run, [&] { run.setPaused(true); });
    run.start();
    QTRY_COMPARE(told.started.count(), 1);
    run.cancel();
    QTRY_VERIFY(told.over());
    QCOMPARE(told.error().code, std::string("cancelled"));
}

void TestWorkerRun::killedByNumberNine()
{
    WorkerRun run(fakeWorker(), requestFor("hang"));
    Told told(run);
    run.start();
    QTRY_COMPARE(told.progress.count(), 1);
    ::kill(static_cast<pid_t>(run.processId()), SIGKILL);
    QTRY_VERIFY(told.over());
    QCOMPARE(told.error().code, std::string("worker-crashed"));
    QVERIFY(told.error().message.find("SIGKILL") != std::string::npos);
    QVERIFY(told.error().message.find("memory") != std::string::npos);
    QCOMPARE(told.sample.count(), 1);
}

void TestWorkerRun::lingeringWorkerIsStopped_data()
{
    QTest::addColumn<QString>("how");
    QTest::newRow("idle") << QStringLiteral("linger");
    QTest::newRow("deaf") << QStringLiteral("linger deaf");
}

void TestWorkerRun::lingeringWorkerIsStopped()
{
    QFETCH(QString, how);
    WorkerOptions options = fakeWorker();
    options.cancelGraceSeconds = 0.2;
    WorkerRun run(options, requestFor(how.toStdString()));
    Told told(run);
    run.start();
    QTRY_VERIFY(told.over());
    QCOMPARE(told.finished.count(), 1); // what it said stands
}

void TestWorkerRun::destroyingKills()
{
    auto run = std::make_unique<WorkerRun>(fakeWorker(), requestFor("deaf"));
    Told told(*run);
    run->start();
    QTRY_COMPARE(told.progress.count(), 1);
    const qint64 pid = run->processId();
    QVERIFY(!isGone(pid));
    run.reset();
    QVERIFY(isGone(pid));
}

void TestWorkerRun::deletingFromASlot_data()
{
    QTest::addColumn<int>("when");
    QTest::newRow("started") << 0;
    QTest::newRow("sample") << 1;
    QTest::newRow("finished") << 2;
}

void TestWorkerRun::deletingFromASlot()
{
    QFETCH(int, when);
    auto* run = new WorkerRun(fakeWorker(), requestFor("normal"));
    const auto remove = [&] {
        delete run;
        run = nullptr;
    };
    if (when == 0)
        connect(run, &WorkerRun::started, this, remove);
    else if (when == 1)
        connect(run, &WorkerRun::sample, this, remove);
    else
        connect(run, &WorkerRun::finished, this, remove);
    run->start();
    QTRY_VERIFY(!run);
}

void TestWorkerRun::workerDiesWithTheProgram()
{
    QProcess parent;
    parent.start(program("record-child"), {QStringLiteral("run"), program("fake-worker")});
    QTRY_VERIFY(parent.canReadLine());
    const qint64 worker = parent.readLine().trimmed().toLongLong();
    QVERIFY(worker > 0 && !isGone(worker));
    parent.kill();
    QVERIFY(parent.waitForFinished());
    QTRY_VERIFY(isGone(worker));
}

void TestWorkerRun::pausedRunLetsTheWorkerWait()
{
    const QTemporaryDir folder;
    const fs::path counter = pathOf(folder) / "written";
    qputenv("RIDGE_FAKE_COUNTER", QByteArray::fromStdString(counter.string()));
    qputenv("RIDGE_FAKE_SAMPLES", "20000");
    const auto written = [&] {
        std::uint64_t count = 0;
        const std::string bytes = bytesOf(counter);
        if (bytes.size() == sizeof count)
            std::memcpy(&count, bytes.data(), sizeof count);
        return count;
    };
    WorkerRun run(fakeWorker(), requestFor("flood"));
    int seen = 0;
    bool inOrder = true;
    connect(&run, &WorkerRun::sample, &run, [&](const SampleEvent& sample) {
        inOrder = inOrder && sample.index == static_cast<std::size_t>(seen) % 4;
        if (++seen == 10)
            run.setPaused(true);
    });
    Told told(run);
    run.start();
    QTRY_COMPARE(seen, 10);
    // The pipe fills and the worker stops: the count comes to rest far below the whole.
    std::uint64_t last = 0;
    QTRY_VERIFY_WITH_TIMEOUT((std::exchange(last, written()) == written() && last > 10), 10000);
    QTest::qWait(300); // time in which a worker that is not held back writes all the rest
    QVERIFY2(written() < 5000, QByteArray::number(qulonglong(written())).constData());
    QCOMPARE(seen, 10);
    QVERIFY(!told.over());
    run.setPaused(false);
    QTRY_VERIFY_WITH_TIMEOUT(told.over(), 20000);
    qunsetenv("RIDGE_FAKE_COUNTER");
    qunsetenv("RIDGE_FAKE_SAMPLES");
    QCOMPARE(told.finished.count(), 1);
    QCOMPARE(seen, 20000);
    QVERIFY(inOrder);
}

void TestWorkerRun::floodNeverStallsTheLoop()
{
    const int wanted = 200000 / sanitizerFactor();
    qputenv("RIDGE_FAKE_SAMPLES", QByteArray::number(wanted));
    WorkerRun run(fakeWorker(), requestFor("flood"));
    int samples = 0;
    bool over = false, good = false;
    connect(&run, &WorkerRun::sample, &run, [&] { ++samples; });
    connect(&run, &WorkerRun::finished, &run, [&] { over = good = true; });
    connect(&run, &WorkerRun::failed, &run, [&] { over = true; });
    qint64 beats = 0, most = 0;
    QTimer look;
    connect(&look, &QTimer::timeout, &look, [&] {
        most = std::max(most, residentKiB());
        ++beats;
    });
    const qint64 before = residentKiB();
    look.start(5);
    test::Heartbeat heart;
    run.start();
    QTRY_VERIFY_WITH_TIMEOUT(over, 60000);
    qunsetenv("RIDGE_FAKE_SAMPLES");
    QVERIFY(good);
    QCOMPARE(samples, wanted);
    QVERIFY(beats > 20);
    QVERIFY2(heart.worstBusy() <= 100 * sanitizerFactor(), QByteArray::number(heart.worstBusy()).constData());
    if (sanitizerFactor() == 1) // their shadow memory is not ours
        QVERIFY2(most - before < 32 * 1024, QByteArray::number(most - before).constData());
}

QTEST_GUILESS_MAIN(TestWorkerRun)
#include "tst_worker_run.moc"
