// SPDX-License-Identifier: GPL-3.0-or-later
// Remote targets through a real Slurm of one node.
#include "remote/daemons.h"
#include "remote/remote_support.h"

#include "record/worker/slurm_source.h"

#include <QProcess>

using namespace ridge;
using namespace ridge::record;
using namespace ridge::test;

namespace {

QByteArray queue()
{
    QProcess squeue;
    squeue.start(s("squeue"), {s("-h"), s("-r"), s("-o"), s("%i %T")});
    squeue.waitForFinished(60000);
    return squeue.readAllStandardOutput().trimmed();
}

} // namespace

class TestRemoteSlurm : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void singleRunGoesThroughSrun();
    void sweepIsOneArrayJob();
    void failedPointsAreReported();
    void endedTaskIsReported_data();
    void endedTaskIsReported();
    void cancelEndsTheJob();
    void cancelOfASingleRun();
    void refusedJobIsSaid();

private:
    WorkerOptions options() const;
    Slurm m_slurm;
    RemoteTarget m_target;
};

void TestRemoteSlurm::initTestCase()
{
    if (const QString why = m_slurm.start(); !why.isEmpty())
        QSKIP(qPrintable(why));
    qputenv("RIDGE_CACHE", m_slurm.path("cache").toUtf8());
    qputenv("RIDGE_SIM_THREADS", "1");
    auto outcome = setUpRemote(realWorker(), remoteTarget(s("q"), s("srun -p main")), [](const QString&) {});
    R_VERIFY(outcome);
    QVERIFY(outcome->copied);
    QCOMPARE(outcome->target.words, LauncherWords::OneByOne);
    m_target = outcome->target;
}

WorkerOptions TestRemoteSlurm::options() const
{
    WorkerOptions all = realWorker();
    all.remote = m_target;
    all.times.queueLook = 0.5;
    return all;
}

void TestRemoteSlurm::singleRunGoesThroughSrun()
{
    WholeRun here(realWorker(), sweepOn("sim:t4", 1));
    QVERIFY(here.toEnd());
    WholeRun there(options(), sweepOn("q:sim:t4", 1));
    QVERIFY(there.toEnd());
    VERIFY_ENDED_WELL(there);
    QCOMPARE(there.samples(), here.samples());
    QVERIFY(there.traces() == here.traces());
    QCOMPARE(there.told.started[0][0].value<StartedEvent>().target, std::string("q:sim:t4"));
}

void TestRemoteSlurm::sweepIsOneArrayJob()
{
    constexpr int points = 8;
    const RunRequest request = sweepOn("q:sim:t4", points);
    // Each task is a process of its own, so that is what it is compared with.
    QStringList expected;
    QByteArray traces;
    for (int point = 0; point < points; ++point) {
        RunRequest one = sweepOn("sim:t4", 1);
        one.points[0] = request.points[static_cast<std::size_t>(point)];
        WholeRun here(realWorker(), one);
        QVERIFY(here.toEnd());
        VERIFY_ENDED_WELL(here);
        expected << QString::number(point) + here.samples().front().mid(1);
        traces += here.traces();
    }
    WholeRun there(options(), request);
    int open = 0; ///< tasks that Slurm still had when the first result was here
    QObject::connect(&there.run, &WorkerRun::sample, [&](const SampleEvent&) {
        if (there.told.sample.count() <= 1)
            open = static_cast<int>(queue().split('\n').size());
    });
    QVERIFY(there.toEnd());
    VERIFY_ENDED_WELL(there);
    QVERIFY2(there.links.join(QString()).contains(s("an array of 8 tasks")),
             qPrintable(there.links.join(QLatin1Char('\n'))));
    QVERIFY2(open > 1, "the results came at the end and not as they were made");
    QStringList came = there.samples();
    std::ranges::sort(came);
    QCOMPARE(came, expected);
    QCOMPARE(there.traces().size(), traces.size());
    QCOMPARE(there.told.check.count(), 1);
    QVERIFY(there.told.check[0][0].value<CheckResult>().detail.find("8 of 8 points") != std::string::npos);
    QCOMPARE(QDir(m_slurm.path("cache/runs")).entryList(QDir::Dirs | QDir::NoDotAndDotDot), QStringList());
}

void TestRemoteSlurm::failedPointsAreReported()
{
    // Two points ask for more memory than the whole request may have.
    RunRequest request = sweepOn("q:sim:t4", 4);
    request.points[1] = {{"stride", std::int64_t(1000)}};
    request.points[3] = {{"stride", std::int64_t(2000)}};
    QTemporaryDir home;
    auto store = Store::open(home.path().toStdString());
    R_VERIFY(store);
    WholeRun whole(options(), request);
    Recorder recorder(**store, whole.run, {});
    QSignalSpy done(&recorder, &Recorder::done);
    QVERIFY(whole.toEnd());
    QCOMPARE(whole.told.error().code, std::string("points-failed"));
    QVERIFY2(whole.told.error().message.find("2 of 4 points failed (1, 3)") != std::string::npos,
             whole.told.error().message.c_str());
    QCOMPARE(whole.told.sample.count(), 2);
    QCOMPARE(whole.failedPoints.size(), std::size_t(2));
    for (const auto& [index, error] : whole.failedPoints) {
        QVERIFY(index == 1 || index == 3);
        QCOMPARE(error.code, std::string("out-of-range"));
        QVERIFY(error.place.find("point " + std::to_string(index)) == 0);
    }
    QVERIFY(!done.isEmpty() || done.wait(60000));
    const auto rows = (*store)->runs({});
    R_VERIFY(rows);
    QCOMPARE(rows->size(), std::size_t(4));
    for (const RunRow& row : *rows) {
        const bool failed = std::get<std::int64_t>(row.params.at("stride")) >= 1000;
        QCOMPARE(row.status, std::string(failed ? "failed" : "finished"));
        QCOMPARE(row.target, std::string("q:sim:t4"));
    }
}

/// Slurm ends a task from outside, as its time limit does: politely, or so that the task leaves no word.
void TestRemoteSlurm::endedTaskIsReported_data()
{
    QTest::addColumn<QStringList>("how");
    QTest::newRow("politely") << QStringList();
    QTest::newRow("without a word") << QStringList{s("--signal=KILL"), s("--full")};
}

void TestRemoteSlurm::endedTaskIsReported()
{
    QFETCH(QStringList, how);
    RunRequest request = sweepOn("q:sim:h100-sxm", 2);
    request.points[1] = {{"stride", std::int64_t(1)}, {"elements", std::int64_t(1) << 24}};
    request.limits.seconds = 600;
    WholeRun whole(options(), request);
    QObject::connect(&whole.run, &WorkerRun::sample, [&](const SampleEvent&) {
        // The first task may still be on its way out of the queue.
        QByteArray second;
        for (const QByteArray& line : queue().split('\n'))
            if (const QByteArray id = line.split(' ').front(); id.endsWith("_1"))
                second = id;
        QProcess::execute(s("scancel"), how + QStringList{QString::fromUtf8(second)});
    });
    QVERIFY(whole.toEnd());
    QCOMPARE(whole.told.error().code, std::string("points-failed"));
    QCOMPARE(whole.failedPoints.size(), std::size_t(1));
    QCOMPARE(whole.failedPoints[0].first, std::size_t(1));
    QVERIFY2(whole.failedPoints[0].second.message.find("Slurm ended the task") != std::string::npos,
             whole.failedPoints[0].second.message.c_str());
}

void TestRemoteSlurm::cancelEndsTheJob()
{
    WholeRun whole(options(), sweepOn("q:sim:h100-sxm", 60));
    QObject::connect(&whole.run, &WorkerRun::sample, [&](const SampleEvent&) { whole.run.cancel(); });
    QVERIFY(whole.toEnd());
    QCOMPARE(whole.told.error().code, std::string("cancelled"));
    QVERIFY(whole.told.sample.count() < 60);
    QTRY_COMPARE_WITH_TIMEOUT(queue(), QByteArray(), 30000);
}

void TestRemoteSlurm::cancelOfASingleRun()
{
    RunRequest request = sweepOn("q:sim:h100-sxm", 1);
    request.points[0]["elements"] = std::int64_t(1) << 24;
    WholeRun whole(options(), request);
    QObject::connect(&whole.run, &WorkerRun::progress, [&](const ProgressEvent&) { whole.run.cancel(); });
    QVERIFY(whole.toEnd());
    QCOMPARE(whole.told.error().code, std::string("cancelled"));
    QTRY_COMPARE_WITH_TIMEOUT(queue(), QByteArray(), 30000);
}

void TestRemoteSlurm::refusedJobIsSaid()
{
    WorkerOptions with = options();
    with.remote->launcher = "srun -p nowhere";
    for (const int points : {1, 2}) {
        WholeRun whole(with, sweepOn("q:sim:t4", points));
        QVERIFY(whole.toEnd());
        QCOMPARE(whole.told.error().code, std::string("target-unreachable"));
        QVERIFY2(whole.told.error().message.find("no such partition") != std::string::npos,
                 whole.told.error().message.c_str());
    }
}

QTEST_GUILESS_MAIN(TestRemoteSlurm)
#include "tst_remote_slurm.moc"
