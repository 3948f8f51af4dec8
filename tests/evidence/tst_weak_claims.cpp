// SPDX-License-Identifier: GPL-3.0-or-later
// What a reader could hold against a report, and which level its evidence supports.
#include "evidence/weak_claims.h"

#include "base/json.h"

#include <QTest>
#include <algorithm>

using namespace ridge;
using namespace ridge::app;

namespace {

record::RunRow run(std::int64_t stride, Provenance provenance = Provenance::Simulated)
{
    record::RunRow row;
    row.id = "run-" + std::to_string(stride);
    row.experiment = "coalescing";
    row.target = "sim:h100-sxm";
    row.provenance = provenance;
    row.params = {{"stride", stride}};
    row.metrics["time"] = {1e-5, "s", provenance};
    row.status = "finished";
    row.fingerprint = Json{{"chip", "h100-sxm"}};
    return row;
}

struct Report {
    record::ArtifactRow artifact;
    std::vector<record::RunRow> runs;
    std::vector<record::ReproductionRow> reproductions;

    Report()
    {
        artifact.title = "Copy";
        artifact.origin = "mine";
        artifact.fingerprint = Json::object();
    }
    ClaimBasis basis() const { return {artifact, runs, reproductions}; }
    bool has(ClaimWeakness weakness) const
    {
        const auto hints = weakClaims(basis());
        return std::any_of(hints.begin(), hints.end(),
                           [weakness](const ClaimHint& hint) { return hint.weakness == weakness; });
    }
    int level() const { return supportedLevel(ladder(basis())); }
};

/// Numbers with units, a baseline, a spread, a machine.
Report good()
{
    Report report;
    report.artifact.claim = "The copy moves 1.9 TB/s at stride 1 and 240 GB/s at stride 8, a factor of 7.9×.";
    report.artifact.reflection = "I had counted lines, not sectors.";
    report.runs = {run(1), run(8)};
    return report;
}

} // namespace

class TestWeakClaims : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aGoodReportHasNoHint()
    {
        const auto hints = weakClaims(good().basis());
        QVERIFY2(hints.empty(), hints.empty() ? "" : hints.front().says.c_str());
    }

    void oneRunAloneHasNoBaseline()
    {
        Report report = good();
        report.runs = {run(1)};
        report.artifact.claim = "The copy moves 1.9 TB/s.";
        QVERIFY(report.has(ClaimWeakness::NoBaseline));
        report.runs.push_back(run(8));
        QVERIFY(!report.has(ClaimWeakness::NoBaseline));
        report.runs.pop_back();
        report.runs[0].limits["time"] = {1e-6, "lower"};
        QVERIFY(!report.has(ClaimWeakness::NoBaseline)); // set against a physical limit
        report.runs[0].limits.clear();
        report.artifact.sections["method"] = "The baseline is cudaMemcpy.";
        QVERIFY(!report.has(ClaimWeakness::NoBaseline));
    }

    void aFailedRunIsNoBaseline()
    {
        Report report = good();
        report.artifact.claim = "The copy moves 1.9 TB/s.";
        report.runs[1].status = "failed";
        QVERIFY(report.has(ClaimWeakness::NoBaseline));
    }

    void bareNumbers_data()
    {
        QTest::addColumn<QString>("claim");
        QTest::addColumn<bool>("bare");
        QTest::newRow("unit") << QStringLiteral("It takes 12 ms.") << false;
        QTest::newRow("glued unit") << QStringLiteral("It takes 12ms.") << false;
        QTest::newRow("nothing behind") << QStringLiteral("The kernel takes 12.") << true;
        QTest::newRow("filler behind") << QStringLiteral("It reaches 1.9 at best.") << true;
        QTest::newRow("things") << QStringLiteral("A warp fetches 8 sectors.") << false;
        QTest::newRow("range") << QStringLiteral("From 4 to 8 sectors a warp.") << false;
        QTest::newRow("bare range") << QStringLiteral("It rises from 4 to 8.") << true;
        QTest::newRow("part of a whole") << QStringLiteral("It got 93.4 of 100 points.") << false;
        QTest::newRow("bare part of a whole") << QStringLiteral("It got 93.4 of 100.") << true;
        QTest::newRow("dash") << QStringLiteral("Between 4-8 sectors.") << false;
        QTest::newRow("parameter") << QStringLiteral("Eight sectors at stride 2.") << false;
        QTest::newRow("names") << QStringLiteral("An H100 runs FP16 on sm_90 as lesson 2.4 says.") << false;
        QTest::newRow("percent") << QStringLiteral("It reaches 91 % of the peak.") << false;
        QTest::newRow("micro") << QStringLiteral("It takes 3.4 µs.") << false;
        QTest::newRow("power") << QStringLiteral("It moves 1.2e9 B/s.") << false;
        QTest::newRow("none") << QStringLiteral("It is bound by memory.") << false;
    }
    void bareNumbers()
    {
        QFETCH(QString, claim);
        QFETCH(bool, bare);
        Report report = good();
        report.artifact.claim = claim.toStdString();
        QCOMPARE(report.has(ClaimWeakness::NoUnits), bare);
    }

    /// What the program itself writes about a kernel that it graded is not held against its author.
    void theProgramsOwnSentenceAboutAGradedKernel()
    {
        Report report;
        report.artifact.kind = "kernel";
        report.artifact.lesson = "kernel-saxpy";
        report.artifact.code = {{"saxpy.cu", std::string(64, 'a')}};
        report.artifact.fingerprint = Json{{"graded_on", "gpu:0"}};
        report.artifact.figures = Json::array(
            {Json{{"name", "points"}, {"value", 93.4}, {"unit", "points"}, {"source", "ridge kernel grade"}}});
        report.artifact.claim = "Accepted with 93.4 of 100 points on gpu:0";
        report.artifact.sections["result"] = report.artifact.claim;
        const auto hints = weakClaims(report.basis());
        QVERIFY2(hints.empty(), hints.empty() ? "" : hints.front().says.c_str());
        report.artifact.claim = "It takes 12."; // the author's own words are
        QVERIFY(report.has(ClaimWeakness::NoUnits));
    }

    void measuredTimesNeedASpread()
    {
        Report report = good();
        report.runs = {run(1, Provenance::Measured), run(8, Provenance::Measured)};
        QVERIFY(report.has(ClaimWeakness::NoSpread));
        report.runs[0].metrics["time_p95"] = {2e-5, "s", Provenance::Measured};
        QVERIFY(!report.has(ClaimWeakness::NoSpread));
        report.runs[0].metrics.erase("time_p95");
        report.artifact.sections["result"] = "The median of 20 samples is 10 µs.";
        QVERIFY(!report.has(ClaimWeakness::NoSpread));
        // The simulator gives the same number each time.
        QVERIFY(!good().has(ClaimWeakness::NoSpread));
    }

    void numbersWithoutARunNeedAMachine()
    {
        Report report = good();
        report.runs.clear();
        QVERIFY(report.has(ClaimWeakness::NoEnvironment));
        report.artifact.fingerprint = Json{{"gpu", "T4"}};
        QVERIFY(!report.has(ClaimWeakness::NoEnvironment));
    }

    void aRatioAloneIsWeak()
    {
        Report report = good();
        report.artifact.claim = "The tiled kernel is 7.9× faster.";
        QVERIFY(report.has(ClaimWeakness::OnlySpeedUp));
        report.artifact.claim = "The tiled kernel is 2.6x faster: 12 ms instead of 31 ms.";
        QVERIFY(!report.has(ClaimWeakness::OnlySpeedUp));
        report.artifact.claim = "40 % less time.";
        QVERIFY(report.has(ClaimWeakness::OnlySpeedUp));
        report.artifact.sections["result"] = "31 ms before, 19 ms after.";
        QVERIFY(!report.has(ClaimWeakness::OnlySpeedUp));
    }

    void aMemoWithoutNumbersIsLeftAlone()
    {
        Report memo;
        memo.artifact.kind = "decision memo";
        memo.artifact.claim = "We rent before we buy.";
        QVERIFY(weakClaims(memo.basis()).empty());
    }

    void ladderClimbsWithTheEvidence()
    {
        Report report;
        QCOMPARE(report.level(), 0);
        report.artifact.claim = "Stride costs sectors.";
        QCOMPARE(report.level(), 1);
        report.artifact.code = {{"copy.cu", std::string(64, 'a')}};
        QCOMPARE(report.level(), 2);
        report.runs = {run(1)};
        QCOMPARE(report.level(), 3);
        QVERIFY(!ladder(report.basis())[3].missing.empty());
        QCOMPARE(ladder(report.basis())[3].field, std::string("result"));
        report.artifact.reflection = "Sectors, not lines.";
        QCOMPARE(report.level(), 4);
        QCOMPARE(ladder(report.basis())[4].field, std::string("reproduce"));
        record::ReproductionRow again;
        again.verdict = "reproduced";
        again.origin = "mine";
        report.reproductions = {again};
        QCOMPARE(report.level(), 4); // the same machine does not count
        report.reproductions[0].origin = "another";
        QCOMPARE(report.level(), 5);
        report.reproductions[0].verdict = "not reproduced";
        QCOMPARE(report.level(), 4);
        report.reproductions[0].verdict = "within noise";
        QCOMPARE(report.level(), 5);
    }

    void aFailedRunIsNoSpecification()
    {
        Report report;
        report.artifact.claim = "It runs out of memory.";
        report.runs = {run(1)};
        report.runs[0].status = "failed";
        QVERIFY(report.level() < 3);
    }

    void anImportedLogIsRawDataOnlyWithItsFile()
    {
        Report report = good();
        report.runs.clear();
        report.artifact.figures = Json::array({Json{{"name", "busbw"}, {"value", 380}, {"unit", "GB/s"}}});
        QCOMPARE(ladder(report.basis())[3].field, std::string("runs"));
        report.artifact.files = {{"nccl.log", std::string(64, 'b')}};
        QVERIFY(ladder(report.basis())[3].missing.empty());
    }
};

QTEST_APPLESS_MAIN(TestWeakClaims)
#include "tst_weak_claims.moc"
