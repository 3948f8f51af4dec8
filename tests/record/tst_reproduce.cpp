// SPDX-License-Identifier: GPL-3.0-or-later
// Old runs beside new ones in closed form, trust levels from the rows, and the reproducer with a worker.
#include "worker_support.h"

#include "base/hash.h"
#include "base/json.h"
#include "record/backups.h"
#include "record/reproduce.h"
#include "record/sqlite.h"
#include "record/trust.h"

using namespace ridge;
using namespace ridge::record;
using namespace ridge::test;

namespace {

constexpr Provenance kMeasured = Provenance::Measured, kSimulated = Provenance::Simulated;

/// A GPU run that moved data in `time`, with the spread of its samples as a share of it.
RunRow gpuRun(double time, double spread, const std::string& gpu = "RTX 4060", double watts = 60)
{
    RunRow run = someRun();
    run.id = newUuid7();
    run.target = "gpu:0";
    run.provenance = kMeasured;
    run.limits.clear();
    run.metrics = {{"time", {time, "s", kMeasured}},
                   {"bandwidth", {100 / time, "GB/s", kMeasured}},
                   {"power", {watts / 2, "W", kMeasured}}};
    if (spread > 0) {
        run.metrics["time_min"] = {time * (1 - spread / 2), "s", kMeasured};
        run.metrics["time_p95"] = {time * (1 + spread / 2), "s", kMeasured};
    }
    run.fingerprint = Json{{"app", "0.1.0"}, {"target", {{"name", gpu}, {"power_limit_w", watts}, {"driver", "550"}}}};
    return run;
}

RunRow simRun(double value, int version = 3, const std::string& chip = "h100-sxm")
{
    RunRow run = someRun();
    run.id = newUuid7();
    run.version = version;
    run.metrics = {{"cycles", {value, "cycles", kSimulated}}, {"stall_wait", {1, "%", kSimulated}}};
    run.fingerprint = Json{{"app", "0.1.0"}, {"target", {{"chip", chip}}}};
    return run;
}

Comparison compared(const RunRow& before, const RunRow& now, const Headline& headline = {})
{
    const RepeatedRun run{before, now};
    return compareRuns({&run, 1}, headline);
}

std::string verdictOf(const RunRow& before, const RunRow& now, const std::string& metric)
{
    for (const ReproductionPair& pair : compared(before, now).pairs)
        if (pair.metric == metric)
            return pair.verdict;
    return "not compared";
}

/// Runs and an artifact of them, as another learner's store has them; gives the artifact's id.
std::string ship(Store& store, const std::vector<RunRow>& runs)
{
    ArtifactRow artifact;
    artifact.lesson = "2.4";
    artifact.kind = "benchmark report";
    artifact.title = "Sectors";
    artifact.fingerprint = Json::object();
    for (RunRow run : runs) {
        run.id.clear();
        artifact.runIds.push_back(durable(store.append(run)).value());
    }
    return durable(store.append(artifact)).value();
}

/// What a Reproducer would leave, with these runs for the artifact's.
void repeat(Store& store, const std::string& artifactId, std::vector<RunRow> runs, const char* claimed)
{
    const ArtifactRow artifact = store.artifact(artifactId).value();
    ReproductionRow row;
    row.artifactId = artifactId;
    row.target = runs.front().target;
    row.verdict = claimed;
    row.by = artifact.origin == store.origin() ? "self" : "other";
    for (std::size_t i = 0; i < runs.size(); ++i) {
        runs[i].id.clear();
        row.pairs.push_back(
            {artifact.runIds.at(i), durable(store.append(runs[i])).value(), "time", "s", 1, 1, 1, claimed});
    }
    R_VERIFY(durable(store.append(row)));
}

std::string trustIn(const Store& store, const std::string& artifactId)
{
    const auto trust = trustOf(store, store.artifact(artifactId).value());
    return trust ? std::string(toText(trust->level)) : trust.error().message;
}

} // namespace

class TestReproduce : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_store = Store::open(pathOf(*m_folder) / "mine").value();
    }
    void cleanup() { m_store.reset(); }

    void simulatedRunsOfOneVersionHaveNoNoise()
    {
        QCOMPARE(relativeNoise(simRun(100), simRun(100), "cycles"), 0.0);
        QCOMPARE(compared(simRun(100), simRun(100)).verdict, std::string("reproduced"));
        const Comparison off = compared(simRun(100), simRun(100.0000001));
        QCOMPARE(off.verdict, std::string("not reproduced"));
        QCOMPARE(off.pairs.size(), 2u); // every metric, whatever the headline is
        QCOMPARE(compared(simRun(100), simRun(101), {{"coalescing", {"stall_wait"}}}).pairs.size(), 2u);
    }

    void simulatedRunsOfAnotherVersionAreAllowedFivePercent()
    {
        const Comparison near = compared(simRun(100), simRun(104, 4));
        QCOMPARE(near.verdict, std::string("within noise"));
        QCOMPARE(near.notes.size(), 1u);
        QCOMPARE(near.notes[0], std::string("version of the experiment coalescing: 3 then, 4 now"));
        QCOMPARE(compared(simRun(100), simRun(106, 4)).verdict, std::string("not reproduced"));
        RunRow newer = simRun(103);
        newer.fingerprint = Json{{"app", "0.2.0"}, {"target", {{"chip", "h100-sxm"}}}};
        QCOMPARE(compared(simRun(100), newer).verdict, std::string("within noise"));
        QCOMPARE(compared(simRun(100), newer).notes[0], std::string("program: 0.1.0 then, 0.2.0 now"));
    }

    void measuredNoiseIsTheWiderSpread()
    {
        QCOMPARE(relativeNoise(gpuRun(1, 0), gpuRun(1, 0), "time"), 0.05);
        QCOMPARE(relativeNoise(gpuRun(1, 0.04), gpuRun(1, 0.125), "time"), 0.125);
        QCOMPARE(relativeNoise(gpuRun(1, 0.125), gpuRun(1, 0.04), "bandwidth"), 0.125); // spreads as its time does
        QCOMPARE(relativeNoise(gpuRun(1, 0.001), gpuRun(1, 0.001), "time"), 0.01);
        RunRow quartiles = gpuRun(1, 0.5);
        quartiles.metrics["bandwidth_iqr"] = {3, "GB/s", kMeasured};
        QCOMPARE(relativeNoise(quartiles, gpuRun(1, 0), "bandwidth"), 0.03);
        QCOMPARE(verdictOf(gpuRun(1, 0), gpuRun(1.04, 0), "time"), std::string("within noise"));
        QCOMPARE(verdictOf(gpuRun(1, 0), gpuRun(1.06, 0), "time"), std::string("not reproduced"));
        QCOMPARE(verdictOf(gpuRun(1, 0.125), gpuRun(1.06, 0), "time"), std::string("within noise"));
        // Circumstances are not what an artifact claims.
        QCOMPARE(verdictOf(gpuRun(1, 0.1), gpuRun(1, 0.2), "time_p95"), std::string("not compared"));
        QCOMPARE(verdictOf(gpuRun(1, 0.1), gpuRun(1, 0.2), "power"), std::string("not compared"));
        const Comparison named = compared(gpuRun(1, 0), gpuRun(1.2, 0), {{"coalescing", {"bandwidth"}}});
        QCOMPARE(named.pairs.size(), 1u);
        QCOMPARE(named.pairs[0].metric, std::string("bandwidth"));
        QCOMPARE(named.pairs[0].factor.value(), 1 / 1.2);
    }

    void otherHardwareIsSaidSo()
    {
        QVERIFY(sameHardware(gpuRun(1, 0), gpuRun(2, 0)));
        QVERIFY(!sameHardware(gpuRun(1, 0), gpuRun(1, 0, "RTX 4090")));
        QVERIFY(!sameHardware(gpuRun(1, 0, "RTX 4060", 60), gpuRun(1, 0, "RTX 4060", 140)));
        const Comparison other = compared(gpuRun(1, 0), gpuRun(0.5, 0, "RTX 4090"));
        QCOMPARE(other.verdict, std::string("different hardware"));
        QCOMPARE(other.notes[0], std::string("name: RTX 4060 then, RTX 4090 now"));
        QCOMPARE(compared(simRun(100), simRun(100, 3, "t4")).verdict, std::string("reproduced")); // a count is a count
        QCOMPARE(compared(simRun(100), simRun(90, 3, "t4")).verdict, std::string("different hardware"));
    }

    void whatGaveNoResultIsNotReproduced()
    {
        RunRow failed = simRun(0);
        failed.status = "failed";
        failed.error = Error{"out-of-memory", "No memory", "gpu:0", {}};
        const Comparison broken = compared(simRun(100), failed);
        QCOMPARE(broken.verdict, std::string("not reproduced"));
        QCOMPARE(broken.pairs.at(0).newRun, failed.id);
        QCOMPARE(broken.notes[0], std::string("a run of coalescing failed: No memory"));
        RunRow spoilt = gpuRun(1, 0);
        spoilt.validity = "throttled";
        QCOMPARE(compared(gpuRun(1, 0), spoilt).verdict, std::string("not reproduced"));
        const std::vector<RepeatedRun> half{{simRun(1), simRun(1)}, {simRun(2), {}}};
        QCOMPARE(compareRuns(half, {}).verdict, std::string("not reproduced"));
        QCOMPARE(compareRuns({}, {}).verdict, std::string("not reproduced"));
    }

    void ratiosAreSetAgainstTheFirstRun()
    {
        const auto ratio = [](double before, double now) {
            const std::vector<RepeatedRun> runs{{gpuRun(1, 0), gpuRun(0.5, 0, "RTX 4090")},
                                                {gpuRun(1 / before, 0), gpuRun(0.5 / now, 0, "RTX 4090")}};
            return sameRatios(runs, {{"coalescing", {"bandwidth"}}});
        };
        QCOMPARE(ratio(3, 2.5), std::optional(true));
        QCOMPARE(ratio(3, 1.9), std::optional(false)); // another conclusion: 3 is more than 1.5 times 1.9
        QCOMPARE(ratio(1.2, 0.9), std::optional(false));
        QCOMPARE(ratio(1.02, 0.98), std::optional(true)); // no difference on either
        QCOMPARE(ratio(1.2, 1.02), std::optional(false));
        const RepeatedRun alone{gpuRun(1, 0), gpuRun(2, 0)};
        QVERIFY(!sameRatios({&alone, 1}, {}).has_value());
    }

    void trustComesFromTheRows()
    {
        const std::string none = ship(*m_store, {});
        QCOMPARE(trustIn(*m_store, none), std::string("T0"));
        RunRow recorded = gpuRun(1, 0);
        recorded.provenance = Provenance::Recorded;
        QCOMPARE(trustIn(*m_store, ship(*m_store, {recorded})), std::string("T0"));
        const std::string artifact = ship(*m_store, {gpuRun(1, 0), gpuRun(3, 0)});
        QCOMPARE(trustIn(*m_store, artifact), std::string("T1"));
        // One's own repetition, whatever it claims, raises nothing.
        repeat(*m_store, artifact, {gpuRun(1, 0), gpuRun(3, 0)}, "reproduced");
        QCOMPARE(trustIn(*m_store, artifact), std::string("T1"));
    }

    void somebodyElseRaisesIt_data()
    {
        QTest::addColumn<double>("first");
        QTest::addColumn<double>("second");
        QTest::addColumn<QString>("gpu");
        QTest::addColumn<QString>("claimed");
        QTest::addColumn<QString>("level");
        const auto row = [](const char* name, double first, double second, const char* gpu, const char* claimed,
                            const char* level) {
            QTest::newRow(name) << first << second << QString::fromLatin1(gpu) << QString::fromLatin1(claimed)
                                << QString::fromLatin1(level);
        };
        row("within noise", 1.03, 3.05, "RTX 4060", "within noise", "T2");
        row("the claim is not believed", 2, 3, "RTX 4060", "reproduced", "T1");
        row("other GPU, same ratio", 0.5, 1.4, "RTX 4090", "different hardware", "T3");
        row("other GPU, other ratio", 0.5, 0.5, "RTX 4090", "different hardware", "T1");
    }
    void somebodyElseRaisesIt()
    {
        QFETCH(double, first);
        QFETCH(double, second);
        QFETCH(QString, gpu);
        QFETCH(QString, claimed);
        QFETCH(QString, level);
        const std::string artifact = ship(*m_store, {gpuRun(1, 0), gpuRun(3, 0)});
        const fs::path folder = pathOf(*m_folder) / "theirs";
        {
            m_store->flush();
            auto theirs = Store::open(folder).value();
            R_VERIFY(theirs->mergeFrom(m_store->folder()));
            repeat(*theirs, artifact, {gpuRun(first, 0, gpu.toStdString()), gpuRun(second, 0, gpu.toStdString())},
                   claimed.toLatin1().constData());
        }
        R_VERIFY(m_store->mergeFrom(folder));
        QCOMPARE(QString::fromStdString(trustIn(*m_store, artifact)), level);
    }

    void changedRunTakesTrustAway()
    {
        const std::string artifact = ship(*m_store, {gpuRun(1, 0)});
        m_store.reset();
        {
            auto connection =
                Connection::open(pathOf(*m_folder) / "mine" / kDatabaseName, Connection::Mode::ReadWrite).value();
            R_VERIFY(connection->exec(QStringLiteral("DROP TRIGGER run_no_update")));
            R_VERIFY(connection->exec(QStringLiteral("UPDATE run SET validity = 'better'")));
        }
        m_store = Store::open(pathOf(*m_folder) / "mine").value();
        QCOMPARE(trustIn(*m_store, artifact), std::string("T0"));
        QVERIFY(trustOf(*m_store, m_store->artifact(artifact).value())->why.find("changed") != std::string::npos);
    }

    void reproducerRunsStoresAndCompares()
    {
        // The fake worker answers 42 for a request's first point, 43 for its second …
        std::vector<RunRow> runs;
        for (int i = 0; i < 3; ++i) {
            RunRow run = someRun(i);
            run.experiment = "normal";
            run.version = 7;
            run.target = "sim:fake";
            run.seed = 11;
            run.metrics = {{"answer", {42.0 + i, "1", kSimulated}}};
            run.fingerprint = Json{{"machine", "fake"}};
            runs.push_back(run);
        }
        // Cited in another order than they ran, and not all of them: they are run as they were.
        std::string artifact;
        {
            ArtifactRow row = m_store->artifact(ship(*m_store, runs)).value();
            row.runIds = {row.runIds[2], row.runIds[1]};
            row.id = row.artifactId = row.createdAt = row.origin = {};
            row.seq = 0;
            artifact = durable(m_store->append(row)).value();
        }
        Reproducer again(*m_store, fakeWorker(), m_store->artifact(artifact).value());
        QSignalSpy done(&again, &Reproducer::done), failed(&again, &Reproducer::failed);
        again.start();
        QTRY_COMPARE(done.count() + failed.count(), 1);
        QCOMPARE(done.count(), 1);
        QVERIFY(!again.running());
        const auto row = done.at(0).at(0).value<ReproductionRow>();
        QCOMPARE(row.verdict, std::string("reproduced"));
        QCOMPARE(row.by, std::string("self"));
        QCOMPARE(row.target, std::string("sim:fake"));
        QCOMPARE(row.pairs.size(), 2u);
        QCOMPARE(row.pairs.at(0).now, 44.0);
        QCOMPARE(m_store->reproductions(artifact)->at(0).id, row.id);
        QCOMPARE(m_store->runs({})->size(), 6u);
        // The new runs belong to no lesson, so that they change no lesson's state.
        RunFilter filter;
        filter.lesson = "2.4";
        QCOMPARE(m_store->runs(filter)->size(), 3u);
        R_VERIFY(m_store->verify());
    }

    void whatCannotStartLeavesNoVerdict()
    {
        const std::string artifact = ship(*m_store, {someRun()});
        Reproducer again(*m_store, {program("no-such-worker"), {}}, m_store->artifact(artifact).value());
        QSignalSpy done(&again, &Reproducer::done), failed(&again, &Reproducer::failed);
        again.start();
        QTRY_COMPARE(done.count() + failed.count(), 1);
        QCOMPARE(failed.at(0).at(0).value<Error>().code, std::string("worker-missing"));
        Reproducer nothing(*m_store, fakeWorker(), m_store->artifact(ship(*m_store, {})).value());
        QSignalSpy refused(&nothing, &Reproducer::failed);
        nothing.start();
        QTRY_COMPARE(refused.count(), 1);
        QCOMPARE(refused.at(0).at(0).value<Error>().code, std::string("no-runs"));
        QVERIFY(m_store->reproductions()->empty());
    }

    void whatFailsAfterItBeganIsAResult()
    {
        RunRow run = someRun();
        run.experiment = "fails";
        const std::string artifact = ship(*m_store, {run, run});
        Reproducer again(*m_store, fakeWorker(), m_store->artifact(artifact).value());
        QSignalSpy done(&again, &Reproducer::done);
        again.start();
        QTRY_COMPARE(done.count(), 1);
        QCOMPARE(done.at(0).at(0).value<ReproductionRow>().verdict, std::string("not reproduced"));
        QVERIFY(done.at(0).at(1).toStringList().join(QLatin1Char(' ')).contains(QLatin1String("No memory")));
    }

    void cancelKeepsWhatIsFinishedAndNoVerdict()
    {
        RunRow run = someRun();
        run.experiment = "polite";
        const std::string artifact = ship(*m_store, {run, run});
        Reproducer again(*m_store, fakeWorker(), m_store->artifact(artifact).value());
        QSignalSpy progress(&again, &Reproducer::progress), failed(&again, &Reproducer::failed);
        again.start();
        QTRY_VERIFY(progress.count() >= 2);
        again.cancel();
        QTRY_COMPARE(failed.count(), 1);
        QCOMPARE(failed.at(0).at(0).value<Error>().code, std::string("cancelled"));
        QVERIFY(m_store->reproductions()->empty());
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Store> m_store;
};

QTEST_GUILESS_MAIN(TestReproduce)
#include "tst_reproduce.moc"
