// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/failure/failures.h"
#include "cluster/failure/interruptions.h"
#include "tests/support/pace.h"

#include <QtTest>

#include <cmath>

using namespace ridge;
using namespace ridge::cluster;

namespace {

FailureSetting job(double mtbf, double save, double stall)
{
    FailureSetting s;
    s.mtbf = mtbf;
    s.save = save;
    s.stall = stall;
    s.interval = bestInterval(costOf(s));
    s.duration = 2e4 * mtbf;
    return s;
}

double parts(const FailureRun& r)
{
    return r.useful + r.saving + r.lost + r.stalled + r.waiting + r.missing;
}

} // namespace

class tst_failures : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void simulationMeetsTheClosedForm()
    {
        Rng rng(1);
        for (const double mtbf : {2e3, 11124.0, 1e5})
            for (const double save : {1.0, 30.0, 200.0})
                for (const double stall : {0.0, 300.0}) {
                    FailureSetting s = job(mtbf, save, stall);
                    for (const double off : {0.5, 1.0, 2.0}) {
                        s.interval = off * bestInterval(costOf(s));
                        const FailureRun run = runFailures(s, rng);
                        const double formula = usefulShare(costOf(s), s.interval);
                        QVERIFY2(std::abs(run.goodput - formula) < 0.01,
                                 qPrintable(QStringLiteral("%1, not %2").arg(run.goodput).arg(formula)));
                        QVERIFY(std::abs(parts(run) / s.duration - 1) < 1e-9);
                    }
                }
    }

    void dalyIsTheOptimum() // his formula, the exact one and the lowest point of simulated jobs
    {
        Rng rng(2);
        for (const double save : {20.0, 60.0, 300.0}) {
            const FailureSetting s = job(11124, save, 600);
            const CheckpointCost cost = costOf(s);
            QVERIFY(std::abs(dalyInterval(cost) / bestInterval(cost) - 1) < 1e-3);
            QVERIFY(std::abs(simulatedOptimum(s, 5e4, rng) / dalyInterval(cost) - 1) < 0.01);
            for (const double off : {0.97, 1.03})
                QVERIFY(usefulShare(cost, bestInterval(cost)) > usefulShare(cost, off * bestInterval(cost)));
        }
        QVERIFY(std::abs(youngInterval({11124, 60, 0, 0}) - std::sqrt(2 * 60 * 11124.0)) < 1e-9);
        QCOMPARE(dalyInterval({100, 300, 0, 0}), 100.0); // saving takes longer than jobs live
    }

    void modes()
    {
        Rng rng(3);
        FailureSetting s = job(11124, 120, 300);
        const double sync = runFailures(s, rng).goodput;
        s.copy = 5;
        s.mode = SaveMode::Async;
        s.interval = std::max(120.0, bestInterval(costOf(s)));
        const FailureRun async = runFailures(s, rng);
        QVERIFY(std::abs(async.goodput - usefulShare(costOf(s), s.interval)) < 0.01);
        s.mode = SaveMode::Memory;
        s.interval = bestInterval(costOf(s));
        const double memory = runFailures(s, rng).goodput;
        QVERIFY(sync < async.goodput && async.goodput < memory);
        s.mode = SaveMode::Sharded;
        s.replicas = 24;
        QCOMPARE(costOf(s).pause, 5.0);
        s.mode = SaveMode::Hsdp;
        const FailureRun hsdp = runFailures(s, rng);
        QCOMPARE(hsdp.lost, 0.0);
        QVERIFY(std::abs(parts(hsdp) / s.duration - 1) < 1e-9);
    }

    void sparesRunOut() // no spare, no stall: the job works where nothing is in repair (M/G/inf)
    {
        Rng rng(4);
        FailureSetting s = job(1e4, 1e-3, 0);
        s.spares = 0;
        s.repair = 5e3;
        s.duration = 1e9;
        QVERIFY(std::abs(runFailures(s, rng).waiting / s.duration - (1 - std::exp(-0.5))) < 0.01);
        s.spares = 50;
        QVERIFY(runFailures(s, rng).waiting / s.duration < 1e-6);
    }

    void bunchesAreKinder() // the same mean, in bunches: fewer long stretches are cut
    {
        Rng rng(5);
        FailureSetting s = job(1e4, 60, 0);
        const double even = runFailures(s, rng).goodput;
        s.shape = 0.5;
        const FailureRun run = runFailures(s, rng);
        QVERIFY(run.goodput > even);
        QVERIFY(std::abs(double(run.failures) / 2e4 - 1) < 0.05);
    }

    void rates()
    {
        QVERIFY(std::abs(jobMtbf(16384, 8, 6.5) / 3600 - 1.8) < 0.01);
        QVERIFY(std::abs(jobMtbf(131072, 8, 6.5) / 3600 - 0.23) < 0.006);
        QVERIFY(std::abs(jobMtbf(1024, 8, 6.5) / 3600 - 28.8) < 0.1);
        int sum = 0;
        for (const Interruption& each : llama3Interruptions())
            sum += each.count;
        QCOMPARE(sum, kUnexpected);
    }

    void aRunIsShort() // 16,384 GPUs, 54 days: below a second, and the picture's stretches do not overlap
    {
        Rng rng(6);
        FailureSetting s = job(jobMtbf(16384, 8, 3.8), 60, 600);
        s.duration = 54 * 86400;
        const test::PacedClock clock;
        const FailureRun run = runFailures(s, rng, 100000);
        const double took = clock.ms();
        QVERIFY2(took < 1000, qPrintable(QString::number(took)));
        QVERIFY(run.failures > 300 && run.failures < 550);
        for (std::size_t i = 1; i < run.spans.size(); ++i)
            QVERIFY(run.spans[i].begin >= run.spans[i - 1].end - 1e-6);
        QVERIFY(std::abs(run.spans.back().end - s.duration) < 1e-3);
    }

    void refusals()
    {
        FailureSetting s = job(1e4, 60, 0);
        s.interval = 0;
        QVERIFY(!checkFailures(s).ok());
        s = job(1e4, 60, 0);
        s.mtbf = 0;
        QVERIFY(!checkFailures(s).ok());
        s = job(1e4, 60, 0);
        s.duration = 1e15;
        QCOMPARE(QString::fromStdString(checkFailures(s).error().code), QStringLiteral("too-large"));
    }
};

QTEST_APPLESS_MAIN(tst_failures)
#include "tst_failures.moc"
