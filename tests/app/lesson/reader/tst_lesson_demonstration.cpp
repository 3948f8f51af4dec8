// SPDX-License-Identifier: GPL-3.0-or-later
// An instructor shows a lesson without a prediction: it runs, it is stored as what it was, and nothing counts it.
#include "reader_support.h"

#include "app/session/demonstration_mode.h"
#include "classroom/assignment.h"
#include "evidence/demonstration.h"
#include "evidence/evidence.h"

#include <QLabel>
#include <QPushButton>

using namespace ridge;
using namespace ridge::app;
using test::Bench;

class TestLessonDemonstration : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingIsOfferedUntilItIsSwitchedOn()
    {
        Bench bench;
        bench.loadCatalogue();
        bench.openPage();
        QVERIFY(!DemonstrationMode::of(bench.app()).isOn());
        QVERIFY(!bench.part("guess", "demonstrate")->isVisible());
        QVERIFY(!bench.part("once", "runButton")->isEnabled());
        DemonstrationMode::of(bench.app()).set(true);
        QVERIFY(bench.part("guess", "demonstrate")->isVisible());
        QVERIFY(bench.part("once", "runButton")->isEnabled());
        QVERIFY(bench.part("curve", "runButton")->isEnabled());
        DemonstrationMode::of(bench.app()).set(false);
        QVERIFY(!bench.part("guess", "demonstrate")->isVisible());
        QVERIFY(!bench.part("once", "runButton")->isEnabled());
    }

    void whatRunsIsStoredAsADemonstrationAndCountsForNothing()
    {
        Bench bench;
        bench.loadCatalogue();
        bench.openPage();
        DemonstrationMode::of(bench.app()).set(true);
        QVERIFY(bench.click("guess", "demonstrate"));
        QVERIFY(bench.waitForIdle());
        QTRY_VERIFY(bench.part("guess", "demonstrated")->isVisible());
        const QString said = bench.part<QLabel>("guess", "demonstrated")->text();
        QVERIFY2(said.contains(QStringLiteral("gave 8")) && said.contains(QStringLiteral("SIMULATED")) &&
                     said.contains(QStringLiteral("without a prediction")),
                 qPrintable(said));
        QVERIFY(bench.click("once", "runButton"));
        QVERIFY(bench.waitForIdle());
        QTRY_COMPARE(bench.store().runs({.lesson = "2.1"})->size(), 2u);
        QVERIFY(bench.store().predictions("2.1")->empty());
        const auto runs = bench.store().runs({.lesson = "2.1"});
        for (const record::RunRow& run : *runs) {
            QVERIFY(isDemonstration(run));
            QVERIFY(run.predictionId.empty());
        }
        QCOMPARE(bench.store().runs({.lesson = "2.1", .block = "demonstration:guess"})->size(), 1u);
        QCOMPARE(bench.store().runs({.lesson = "2.1", .block = "demonstration:once"})->size(), 1u);
        QVERIFY(bench.store().runs({.lesson = "2.1", .eligible = true})->empty());
        const auto evidence = evidenceFromStore(bench.store(), "2.1");
        QVERIFY(evidence && evidence->runs.empty());

        // The prediction is still open; with it the block runs as for anybody, and the demonstration steps back.
        QVERIFY(bench.part("guess", "point")->isVisible());
        DemonstrationMode::of(bench.app()).set(false);
        QVERIFY(bench.commitAndRun());
        QVERIFY(!bench.part("guess", "demonstrated")->isVisible());
        QCOMPARE(bench.store().runs({.lesson = "2.1", .block = "guess"})->size(), 1u);
        QCOMPARE(evidenceFromStore(bench.store(), "2.1")->runs.size(), 1u);
    }

    void aLessonOfAnAcceptedAssignmentIsPredictedFirst()
    {
        Bench bench;
        bench.loadCatalogue();
        bench.openPage();
        DemonstrationMode& mode = DemonstrationMode::of(bench.app());
        mode.set(true);
        QVERIFY(mode.holdsFor("2.1"));
        classroom::Assignment assignment;
        assignment.id = "0190a1b2-0000-7000-8000-000000000001";
        assignment.title = "Week 1";
        assignment.createdAt = "2026-01-01T00:00:10.000Z";
        assignment.lessons = {{"2.1", "Fixture", "# Fixture", {}}};
        const auto keys = classroom::classKeysFromSeed(std::string(32, 'k'));
        QVERIFY(keys.ok());
        const auto written = classroom::createAssignment(assignment, *keys);
        QVERIFY2(written.ok(), written ? "" : toText(written.error()).c_str());
        const auto accepted = classroom::acceptAssignment(bench.storeFolder(), written->bytes, "week.ridgeclass");
        QVERIFY2(accepted.ok(), accepted ? "" : toText(accepted.error()).c_str());
        bench.app().feedback().reload();
        QVERIFY(mode.isOn() && !mode.holdsFor("2.1"));
        QVERIFY(mode.holdsFor("1.1"));
        QVERIFY(!bench.part("guess", "demonstrate")->isVisible());
        QVERIFY(!bench.part("once", "runButton")->isEnabled());
    }
};

QTEST_MAIN(TestLessonDemonstration)
#include "tst_lesson_demonstration.moc"
