// SPDX-License-Identifier: GPL-3.0-or-later
// Closing the program and opening it again: everything the learner did is where it was.
#include "reader_support.h"

#include "app/drawing/charts/prediction_mark.h"
#include "app/drawing/charts/sweep_chart.h"
#include "app/drawing/scenes/scene_view.h"
#include "app/lesson/reader/blocks/answer_blocks.h"

#include <QLineEdit>
#include <QPlainTextEdit>
#include <QRadioButton>
#include <set>

using namespace ridge;
using namespace ridge::app;
using test::Bench;

class TestLessonRestart : public QObject {
    Q_OBJECT

private:
    void restart(Bench& bench)
    {
        bench.stop();
        bench.start();
        bench.loadCatalogue();
        bench.openPage();
    }

private Q_SLOTS:
    void predictionResultAndReasonComeBack();
    void committedWithoutRunCanStillRun();
    void chartAndTracesComeBack();
    void damagedTracesSayWhy();
    void aStoppedSweepGoesOn();
    void answersComeBack();
    void draftIsOnDiskWithinTwoSeconds();
    void draftSurvivesTheEnd();
    void shippedArtifactComesBack();
    void scrollPositionComesBack();
};

void TestLessonRestart::predictionResultAndReasonComeBack()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    bench.type(bench.part("guess", "point"), QStringLiteral("32"));
    QVERIFY(bench.commitAndRun());
    QVERIFY(bench.click("guess", "reason:each"));
    QTRY_VERIFY(bench.part("guess", "reasonExplains")->isVisible());
    restart(bench);
    QCOMPARE(bench.part<QLabel>("guess", "factor")->text(), QStringLiteral("4.0× too pessimistic"));
    QVERIFY(bench.block("guess")->findChild<RevealBar*>()->summary().contains(QStringLiteral("32 sectors/request")));
    QVERIFY(bench.part<QRadioButton>("guess", "reason:each")->isChecked());
    QVERIFY(bench.part("guess", "reasonExplains")->isVisible());
    QVERIFY(bench.part("once", "runButton")->isEnabled());
}

void TestLessonRestart::committedWithoutRunCanStillRun()
{
    Bench bench("fail");
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(bench.click("guess", "runButton"));
    QTRY_VERIFY(bench.part("guess", "errorCard")->isVisible());
    QVERIFY(bench.waitForIdle());
    qputenv("RIDGE_FAKE", "");
    restart(bench);
    QVERIFY(bench.part("guess", "committed")->isVisible());
    QVERIFY(!bench.part("guess", "point")->isVisible());
    QVERIFY(bench.click("guess", "runButton"));
    QTRY_VERIFY(bench.part("guess", "factor")->isVisible());
    QCOMPARE(bench.store().predictions("2.1")->size(), 1u);
}

void TestLessonRestart::chartAndTracesComeBack()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(bench.commitAndRun());
    QVERIFY(bench.runSweep());
    QTRY_COMPARE(bench.block("lanes")->findChild<SceneView*>()->frames().size(), 6u);
    const auto before = bench.block("lanes")->findChild<SceneView*>()->drawing();
    restart(bench);
    auto* chart = bench.block("curve")->findChild<SweepChart*>();
    QCOMPARE(chart->data().series.at(0).points.size(), 6u);
    auto* view = bench.block("lanes")->findChild<SceneView*>();
    QTRY_VERIFY(view->isVisible());
    QTRY_COMPARE(view->drawing().summary, before.summary);
    view->stepFrame(100);
    QCOMPARE(view->state().frame, 5u);
}

void TestLessonRestart::damagedTracesSayWhy()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(bench.commitAndRun());
    QVERIFY(bench.runSweep());
    QTRY_COMPARE(bench.block("lanes")->findChild<SceneView*>()->frames().size(), 6u);
    const auto runs = bench.store().runs({});
    QVERIFY(runs.ok());
    bench.closePage();
    bench.stop();
    int damaged = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(bench.storeFolder()))
        for (const record::RunRow& run : *runs)
            if (entry.is_regular_file() && !run.traceSha256.empty() &&
                entry.path().parent_path().filename().string() + entry.path().filename().string() == run.traceSha256) {
                std::filesystem::permissions(entry.path(), std::filesystem::perms::owner_all);
                std::filesystem::resize_file(entry.path(), entry.file_size() / 2);
                ++damaged;
                break;
            }
    QVERIFY(damaged > 0);
    bench.start();
    bench.loadCatalogue();
    bench.openPage();
    auto* view = bench.block("lanes")->findChild<SceneView*>();
    QTRY_COMPARE(view->frames().size(), 6u);
    QTRY_VERIFY2(view->summary().contains(QStringLiteral("cannot be drawn")), qPrintable(view->summary()));
    // The numbers are all there.
    QCOMPARE(bench.block("curve")->findChild<SweepChart*>()->data().series.at(0).points.size(), 6u);
}

void TestLessonRestart::aStoppedSweepGoesOn()
{
    Bench bench("die");
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(bench.commitAndRun());
    QVERIFY(bench.click("curve", "runButton"));
    QTRY_VERIFY(bench.part("curve", "errorCard")->isVisible());
    QVERIFY(bench.waitForIdle());
    QTRY_COMPARE(bench.part<QPushButton>("curve", "runButton")->text(), QStringLiteral("Run the other 4 points"));
    qputenv("RIDGE_FAKE", "");
    restart(bench);
    QCOMPARE(bench.part<QPushButton>("curve", "runButton")->text(), QStringLiteral("Run the other 4 points"));
    auto* chart = bench.block("curve")->findChild<SweepChart*>();
    QCOMPARE(chart->data().series.at(0).points.size(), 2u);
    QVERIFY(bench.click("curve", "runButton"));
    QTRY_COMPARE(chart->data().series.at(0).points.size(), 6u);
    QVERIFY(bench.waitForIdle());
    QTRY_COMPARE(bench.part<QPushButton>("curve", "runButton")->text(), QStringLiteral("Run sweep again"));
    std::set<std::string> sweeps;
    std::vector<ParamSet> points;
    const auto rows = bench.store().runs({.block = "curve"});
    for (const record::RunRow& row : *rows)
        if (row.status == "finished") {
            sweeps.insert(row.sweepId);
            points.push_back(row.params);
        }
    QCOMPARE(sweeps.size(), 1u);
    QCOMPARE(points.size(), 6u); // none of them twice
    // The traces of both parts are one row of pictures, in the order of the sweep.
    auto* view = bench.block("lanes")->findChild<SceneView*>();
    QTRY_COMPARE(view->frames().size(), 6u);
    const auto before = [&] {
        QStringList titles;
        for (const auto& frame : view->frames())
            titles << frame.title;
        return titles;
    };
    const QStringList shown = before();
    QCOMPARE(QSet<QString>(shown.begin(), shown.end()).size(), 6);
    restart(bench);
    view = bench.block("lanes")->findChild<SceneView*>();
    QTRY_COMPARE(view->frames().size(), 6u);
    QCOMPARE(before(), shown);
}

void TestLessonRestart::answersComeBack()
{
    Bench bench;
    bench.openPage();
    bench.type(bench.part("count", "number"), QStringLiteral("3"));
    QTest::keyClick(bench.part("count", "number"), Qt::Key_Return);
    QVERIFY(bench.click("choose", "choice:1"));
    QVERIFY(bench.click("choose", "checkButton"));
    QVERIFY(bench.click("path", "checkButton"));
    QTRY_COMPARE(bench.store().answers("2.1")->size(), 3u);
    const auto order = static_cast<OrderBlockWidget*>(bench.block("path"))->order();
    restart(bench);
    QVERIFY(bench.part("count", "misconception")->isVisible());
    QVERIFY(bench.part<QRadioButton>("choose", "choice:1")->isChecked());
    QVERIFY(bench.part<QLabel>("choose", "verdict")->text().startsWith(QStringLiteral("Right")));
    QCOMPARE(static_cast<OrderBlockWidget*>(bench.block("path"))->order(), order);
    QVERIFY(bench.part("path", "verdict")->isVisible());
}

void TestLessonRestart::draftIsOnDiskWithinTwoSeconds()
{
    Bench bench;
    bench.openPage();
    bench.type(bench.part("note", "reflection:1"), QStringLiteral("half a thou"));
    const auto file = bench.storeFolder() / "drafts" / "2.1" / "note.json";
    QVERIFY(QTest::qWaitFor([&] { return std::filesystem::exists(file); }, 2000));
    QVERIFY(readFile(file)->find("half a thou") != std::string::npos);
}

void TestLessonRestart::draftSurvivesTheEnd()
{
    Bench bench;
    bench.openPage();
    bench.type(bench.part("note", "reflection:0"), QStringLiteral("I expected 4"));
    restart(bench); // at once: the draft's own timer has not run
    QCOMPARE(bench.part<QPlainTextEdit>("note", "reflection:0")->toPlainText(), QStringLiteral("I expected 4"));
}

void TestLessonRestart::shippedArtifactComesBack()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(bench.commitAndRun());
    QVERIFY(bench.click("once", "runButton"));
    QTRY_COMPARE(bench.store().runs({.lesson = "2.1", .block = "once"})->size(), 1u);
    QVERIFY(bench.waitForIdle());
    QVERIFY(bench.runSweep());
    bench.type(bench.part("note", "reflection:0"), QStringLiteral("The first."));
    bench.type(bench.part("note", "reflection:1"), QStringLiteral("The second."));
    QTRY_VERIFY(bench.part("note", "shipButton")->isEnabled());
    bench.page().shipArtifact();
    QTRY_VERIFY(bench.part("note", "shipped")->isVisible());
    restart(bench);
    QVERIFY(bench.part("note", "shipped")->isVisible());
    QVERIFY(bench.part<QLabel>("note", "shipped")->text().contains(QStringLiteral("stride 8")));
    QVERIFY(!std::filesystem::exists(bench.storeFolder() / "drafts" / "2.1" / "note.json"));
}

void TestLessonRestart::scrollPositionComesBack()
{
    Bench bench;
    bench.openPage();
    bench.page().scrollToBlock(QStringLiteral("curve"));
    const double there = bench.page().scrollFraction();
    QVERIFY(there > 0.2);
    restart(bench);
    QVERIFY2(std::abs(bench.page().scrollFraction() - there) < 0.03,
             qPrintable(QStringLiteral("%1 %2").arg(there).arg(bench.page().scrollFraction())));
}

QTEST_MAIN(TestLessonRestart)
#include "tst_lesson_restart.moc"
