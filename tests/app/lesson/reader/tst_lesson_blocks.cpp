// SPDX-License-Identifier: GPL-3.0-or-later
// The journey through a lesson, block by block: what the learner does is kept, in the right order, and shown.
#include "reader_support.h"

#include "app/drawing/charts/prediction_mark.h"
#include "app/drawing/charts/sweep_chart.h"
#include "app/lesson/reader/blocks/answer_blocks.h"
#include "app/lesson/reader/blocks/view_blocks.h"

#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QSlider>
#include <QTextBlock>
#include <fstream>

using namespace ridge;
using namespace ridge::app;
using test::Bench;

class TestLessonBlocks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void predictionIsDurableBeforeItsRun();
    void committedPredictionIsLocked();
    void blocksWaitForThePrediction();
    void theQuestionMovesWhenItsPointIsRunElsewhere();
    void intervalMustHoldTheEstimate();
    void reasonIsStoredAndExplained();
    void aResultIsKeptAtOneClick();
    void sweepFillsChartAndScene();
    void sceneAndChartFollowEachOther();
    void quizExplainsOnlyAfterAnAttempt();
    void numericQuizNamesTheMisconception();
    void orderIsCheckedByKeyboard();
    void orderShowsStepsOfSeveralLines();
    void exploreAnswersAtOnce();
    void challengeIsMetByRuns();
    void oneTryRunsSeveralValues();
    void challengeKeepsItsSolution();
    void sweepSaysWhatItGoesOver_data();
    void sweepSaysWhatItGoesOver();
    void longKernelOpensAtItsMarkedLines();
    void artifactNeedsEverything();
    void artifactShips();
    void cancelKeepsWhatArrived();
};

void TestLessonBlocks::predictionIsDurableBeforeItsRun()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    bench.type(bench.part("guess", "point"), QStringLiteral("16 sectors/request"));
    bench.type(bench.part("guess", "low"), QStringLiteral("4"));
    QVERIFY(bench.commitAndRun());
    const auto predictions = bench.store().predictions("2.1");
    const auto runs = bench.store().runs({.lesson = "2.1", .block = "guess"});
    QVERIFY(predictions && runs);
    QCOMPARE(predictions->size(), 1u);
    QCOMPARE(runs->size(), 1u);
    QCOMPARE(predictions->front().point, 16.0);
    QCOMPARE(predictions->front().low, 4.0);
    QCOMPARE(predictions->front().high, 32.0); // twice the estimate where nobody said otherwise
    QVERIFY(predictions->front().seq < runs->front().seq);
    QCOMPARE(runs->front().predictionId, predictions->front().id);
    QCOMPARE(runs->front().metrics.at("sectors_per_request").value, 8.0);
    QCOMPARE(bench.part<QLabel>("guess", "factor")->text(), QStringLiteral("2.0× too pessimistic"));
    QVERIFY(bench.block("guess")->findChild<RevealBar*>()->summary().contains(QStringLiteral("The result is 8")));
}

void TestLessonBlocks::committedPredictionIsLocked()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(bench.commitAndRun());
    QVERIFY(!bench.part("guess", "point")->isVisible());
    QVERIFY(!bench.part("guess", "runButton")->isVisible());
    QVERIFY(bench.part("guess", "committed")->isVisible());
    QVERIFY(!bench.block("guess")->canActivate());
    bench.block("guess")->activate(); // neither a second prediction nor a second run
    QTest::qWait(50);
    QCOMPARE(bench.store().predictions("2.1")->size(), 1u);
    QCOMPARE(bench.store().runs({.lesson = "2.1"})->size(), 1u);
}

void TestLessonBlocks::blocksWaitForThePrediction()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    for (const char* id : {"once", "curve"}) {
        QVERIFY(!bench.part("once", "runButton")->isEnabled());
        QVERIFY2(bench.status(id).contains(QStringLiteral("prediction")), qPrintable(bench.status(id)));
    }
    QVERIFY(bench.part("guess", "runButton")->isEnabled());
    QVERIFY(bench.part("prove", "runButton")->isEnabled()); // has no prediction in front of it
    QVERIFY(bench.commitAndRun());
    QVERIFY(bench.part("once", "runButton")->isEnabled());
    QVERIFY(bench.part("curve", "runButton")->isEnabled());
}

/// Another block has run the point that is asked about: the question moves on by itself, not under the press.
void TestLessonBlocks::theQuestionMovesWhenItsPointIsRunElsewhere()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    auto* moved = bench.part("guess", "moved");
    QVERIFY(!moved->isVisible());
    auto* field = bench.part("prove", "param:stride");
    bench.type(field, QStringLiteral("2"));
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(bench.click("prove", "runButton"));
    QVERIFY(bench.waitForIdle());
    QTRY_VERIFY(moved->isVisible());
}

void TestLessonBlocks::intervalMustHoldTheEstimate()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    bench.type(bench.part("guess", "point"), QStringLiteral("16"));
    // The picture is of numbers that can be committed, and says whose they are.
    auto* picture = bench.block("guess")->findChild<RevealBar*>();
    QVERIFY(picture && picture->isVisible());
    QVERIFY2(picture->summary().startsWith(QStringLiteral("Your prediction: ")), qPrintable(picture->summary()));
    bench.type(bench.part("guess", "low"), QStringLiteral("20"));
    QVERIFY(!bench.part("guess", "runButton")->isEnabled());
    QVERIFY(bench.status("guess").contains(QStringLiteral("contain your estimate")));
    QVERIFY(!picture->isVisible());
    bench.type(bench.part("guess", "high"), QStringLiteral("10"));
    QVERIFY(bench.status("guess").contains(QStringLiteral("smaller number first")));
    bench.type(bench.part("guess", "high"), QStringLiteral("64"));
    bench.type(bench.part("guess", "low"), QStringLiteral("nonsense"));
    QVERIFY(!bench.part("guess", "runButton")->isEnabled());
    bench.type(bench.part("guess", "low"), QStringLiteral("8"));
    QVERIFY(bench.part("guess", "runButton")->isEnabled());
    QVERIFY(picture->isVisible());
    auto* slider = bench.part<QSlider>("guess", "pointSlider");
    slider->setValue(slider->maximum());
    QCOMPARE(bench.part<QLineEdit>("guess", "point")->text(), QStringLiteral("130")); // two digits of 128
    QCOMPARE(bench.part<QLineEdit>("guess", "low")->text(), QStringLiteral("8"));     // was set by hand
}

void TestLessonBlocks::reasonIsStoredAndExplained()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(bench.commitAndRun());
    auto* explains = bench.part<QLabel>("guess", "reasonExplains");
    QVERIFY(!explains->isVisible());
    QVERIFY(bench.click("guess", "reason:each"));
    QTRY_VERIFY(explains->isVisible());
    QVERIFY(explains->text().contains(QStringLiteral("Four lanes")));
    const auto prediction = bench.store().predictions("2.1")->front();
    const auto reasons = bench.store().reasons(prediction.id);
    QCOMPARE(reasons->size(), 1u);
    QCOMPARE(reasons->front().choice, std::string("each"));
    QVERIFY(bench.click("guess", "reason:other"));
    bench.type(bench.part("guess", "otherReason"), QStringLiteral("I mixed up words and bytes"));
    QTest::keyClick(bench.part("guess", "otherReason"), Qt::Key_Return);
    QTRY_COMPARE(bench.store().reasons(prediction.id)->size(), 2u);
    QTRY_VERIFY(!explains->isVisible());
}

void TestLessonBlocks::aResultIsKeptAtOneClick()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    auto* keep = bench.part<QPushButton>("guess", "keep");
    QVERIFY(!keep->isVisible()); // there is nothing yet
    QVERIFY(bench.commitAndRun());
    QTRY_VERIFY(keep->isVisible());
    QVERIFY(bench.click("guess", "keep"));
    QTRY_COMPARE(bench.store().artifacts()->size(), 1u);
    const auto row = bench.store().artifacts()->front();
    const auto run = bench.store().runs({.lesson = "2.1", .block = "guess"})->front();
    QCOMPARE(row.runIds, std::vector{run.id});
    QCOMPARE(row.predictionIds, std::vector{run.predictionId});
    QCOMPARE(row.trust, std::string("T1"));
    QVERIFY2(row.claim.find("the result is 8 sectors/request (sim:h100-sxm, SIMULATED)") != std::string::npos,
             row.claim.c_str());
    QVERIFY(bench.store().artifacts("2.1")->empty()); // what the lesson asks for is still to be shipped
    QTRY_COMPARE(keep->text(), QStringLiteral("Open in portfolio"));
    QSignalSpy opened(&bench.app(), &AppContext::openRequested);
    QVERIFY(bench.click("guess", "keep"));
    QCOMPARE(opened.count(), 1);
    QCOMPARE(opened.first().first().toString(), QStringLiteral("artifact/") + QString::fromStdString(row.id));
    QCOMPARE(bench.store().artifacts()->size(), 1u);
    bench.start();
    bench.loadCatalogue();
    bench.openPage();
    QTRY_COMPARE(bench.part<QPushButton>("guess", "keep")->text(), QStringLiteral("Open in portfolio"));
}

void TestLessonBlocks::sweepFillsChartAndScene()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(bench.commitAndRun());
    QVERIFY(bench.part("lanes", "sceneEmpty")->isVisible());
    QVERIFY(bench.runSweep());
    auto* chart = bench.block("curve")->findChild<SweepChart*>();
    QVERIFY(chart);
    const auto& data = chart->data();
    QTRY_COMPARE(data.series.size(), 1u);
    QTRY_COMPARE(data.series[0].points.size(), 6u);
    const std::vector<double> wanted{4, 8, 16, 32, 32, 32};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        QCOMPARE(data.series[0].points[i].y, wanted[i]);
        QCOMPARE(data.series[0].points[i].limit.value_or(0), 4.0);
    }
    QCOMPARE(data.predictions.size(), 1u);
    QCOMPARE(data.predictions[0].x, 2.0);
    QCOMPARE(data.predictions[0].result.value_or(0), 8.0);
    auto* view = bench.block("lanes")->findChild<SceneView*>();
    QVERIFY(view && view->isVisible());
    QVERIFY(!bench.part("lanes", "sceneEmpty")->isVisible());
    view->stepFrame(100);
    QCOMPARE(view->state().frame, 5u);
}

void TestLessonBlocks::sceneAndChartFollowEachOther()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(bench.commitAndRun());
    QVERIFY(bench.runSweep());
    auto* view = bench.block("lanes")->findChild<SceneView*>();
    auto* chart = bench.block("curve")->findChild<SweepChart*>();
    QTRY_COMPARE(view->frames().size(), 6u);
    Q_EMIT chart->pointSelected(8);
    QCOMPARE(view->state().frame, 3u);
    Q_EMIT chart->pointSelected(1);
    QCOMPARE(view->state().frame, 0u);
    auto& state = const_cast<LessonState&>(*bench.page().findChild<LessonState*>());
    QSignalSpy selected(&state, &LessonState::pointSelected);
    view->stepFrame(2);
    QCOMPARE(selected.size(), 1);
    const auto params = selected.front().at(1).value<ParamSet>();
    QCOMPARE(asNumber(params.at("stride")).value_or(0), 4.0);
}

void TestLessonBlocks::quizExplainsOnlyAfterAnAttempt()
{
    Bench bench;
    bench.openPage();
    QVERIFY(!bench.part("choose", "checkButton")->isEnabled());
    const auto texts = bench.block("choose")->findChildren<ProseView*>();
    QVERIFY(texts.size() >= 2 && !texts.last()->isVisible());
    QVERIFY(bench.click("choose", "choice:0"));
    QVERIFY(bench.click("choose", "checkButton"));
    auto* verdict = bench.part<QLabel>("choose", "verdict");
    QTRY_VERIFY(verdict->text().startsWith(QStringLiteral("Not yet")));
    QVERIFY(!texts.last()->isVisible()); // the solution waits for a right answer
    QVERIFY(verdict->isVisible());
    QVERIFY(bench.click("choose", "choice:1"));
    QVERIFY(!verdict->isVisible()); // it was said of the other one
    QVERIFY(bench.click("choose", "checkButton"));
    QTRY_VERIFY(verdict->isVisible() && verdict->text().startsWith(QStringLiteral("Right")));
    const auto answers = bench.store().answers("2.1");
    QCOMPARE(answers->size(), 2u);
    QVERIFY(answers->front().correct != answers->back().correct);
}

void TestLessonBlocks::numericQuizNamesTheMisconception()
{
    Bench bench;
    bench.openPage();
    auto* field = bench.part("count", "number");
    bench.type(field, QStringLiteral("3"));
    QTest::keyClick(field, Qt::Key_Return);
    auto* note = bench.part<QLabel>("count", "misconception");
    QTRY_VERIFY(note->isVisible());
    QVERIFY(note->text().contains(QStringLiteral("already costs four")));
    bench.type(field, QStringLiteral("twelve"));
    QVERIFY(bench.click("count", "checkButton"));
    QCOMPARE(bench.store().answers("2.1")->size(), 1u); // not a number: no attempt
    bench.type(field, QStringLiteral("12 sectors"));
    QVERIFY(bench.click("count", "checkButton"));
    QTRY_VERIFY(bench.part<QLabel>("count", "verdict")->text().startsWith(QStringLiteral("Right")));
    QVERIFY(!note->isVisible());
}

void TestLessonBlocks::orderIsCheckedByKeyboard()
{
    Bench bench;
    bench.openPage();
    auto* block = static_cast<OrderBlockWidget*>(bench.block("path"));
    auto* list = bench.part<QListWidget>("path", "steps");
    QVERIFY(block->order() != std::vector<int>({0, 1, 2}));
    for (int row = 0; row < list->count(); ++row) // a step that is dropped on another would take its place
        QVERIFY(!list->item(row)->flags().testFlag(Qt::ItemIsDropEnabled));
    list->setFocus();
    for (int pass = 0; pass < 2; ++pass) {
        for (int row = 0; row < 2; ++row) {
            list->setCurrentRow(row);
            if (block->order()[std::size_t(row)] > block->order()[std::size_t(row) + 1])
                QTest::keyClick(list, Qt::Key_Down, Qt::AltModifier);
        }
    }
    QCOMPARE(block->order(), std::vector<int>({0, 1, 2}));
    QVERIFY(bench.click("path", "checkButton"));
    QTRY_COMPARE(bench.part<QLabel>("path", "verdict")->text(), QStringLiteral("Right."));
    list->setCurrentRow(0);
    QTest::keyClick(list, Qt::Key_Down, Qt::AltModifier);
    QVERIFY(bench.click("path", "checkButton"));
    QTRY_VERIFY(bench.part<QLabel>("path", "verdict")->text().contains(QStringLiteral("1 of 3")));
}

void TestLessonBlocks::orderShowsStepsOfSeveralLines()
{
    Bench bench;
    bench.openPage();
    auto* list = bench.part<QListWidget>("path", "steps");
    const int wide = list->height();
    list->setFixedWidth(140);
    QTRY_VERIFY(list->height() > wide);
    QVERIFY(list->viewport()->rect().contains(list->visualItemRect(list->item(list->count() - 1))));
}

void TestLessonBlocks::exploreAnswersAtOnce()
{
    Bench bench;
    bench.openPage();
    auto* view = bench.block("play")->findChild<SceneView*>();
    QVERIFY(view);
    QVERIFY2(view->drawing().summary.contains(QStringLiteral("4 sectors")), qPrintable(view->drawing().summary));
    bench.part<QSlider>("play", "slider:stride")->setValue(2); // the third step: stride 3
    QVERIFY2(view->drawing().summary.contains(QStringLiteral("12 sectors")), qPrintable(view->drawing().summary));
    QCOMPARE(bench.page().runningJobs(), 0);
    QVERIFY(!view->drawing().quads.empty());
}

void TestLessonBlocks::challengeIsMetByRuns()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    auto* verdict = bench.part<QLabel>("prove", "verdict");
    QVERIFY(verdict->text().startsWith(QStringLiteral("Open")));
    auto* field = bench.part("prove", "param:stride");
    QVERIFY(field);
    for (const char* stride : {"1", "3", "8", "9"}) {
        bench.type(field, QString::fromLatin1(stride));
        QTest::keyClick(field, Qt::Key_Return);
        const auto before = bench.store().runs({.lesson = "2.1"})->size();
        QVERIFY(bench.click("prove", "runButton"));
        QTRY_COMPARE(bench.store().runs({.lesson = "2.1"})->size(), before + 1);
        QVERIFY(bench.waitForIdle());
    }
    QTRY_VERIFY2(verdict->text().startsWith(QStringLiteral("Met")), qPrintable(verdict->text()));
}

/// The fixture's lesson with other words in one place.
void rewrite(Bench& bench, const std::string& from, const std::string& to)
{
    auto text = readFile(bench.lessonFile());
    QVERIFY(text.ok());
    const auto at = text->find(from);
    QVERIFY2(at != std::string::npos, from.c_str());
    text->replace(at, from.size(), to);
    std::ofstream(bench.lessonFile(), std::ios::trunc) << *text;
    bench.start();
}

void TestLessonBlocks::oneTryRunsSeveralValues()
{
    Bench bench;
    rewrite(bench, "controls: [stride]\nset: {element_bytes: 4}\ncheck",
            "controls: [\"stride=1\"]\nset: {element_bytes: 4}\ncheck");
    bench.loadCatalogue();
    bench.openPage();
    const auto runs = [&] { return bench.store().runs({.lesson = "2.1"})->size(); };
    auto* field = bench.part("prove", "several:stride");
    QVERIFY(field);
    bench.type(field, QStringLiteral("1, three"));
    QVERIFY(bench.click("prove", "runButton"));
    QCOMPARE(runs(), std::size_t{0}); // what is no number is told, and nothing runs
    bench.type(field, QStringLiteral("1, 3, 8, 9"));
    QVERIFY(bench.click("prove", "runButton"));
    QTRY_COMPARE(runs(), std::size_t{4});
    QVERIFY(bench.waitForIdle());
    auto* verdict = bench.part<QLabel>("prove", "verdict");
    QTRY_VERIFY2(verdict->text().startsWith(QStringLiteral("Met")), qPrintable(verdict->text()));
    auto* chart = bench.block("prove")->findChild<SweepChart*>();
    QVERIFY(chart && chart->isVisibleTo(bench.block("prove")));
    // What was chosen is there when the lesson is opened again.
    bench.closePage();
    bench.openPage();
    QCOMPARE(bench.part<QLineEdit>("prove", "several:stride")->text(), QStringLiteral("1, 3, 8, 9"));
}

/// A check that names its points would tell the challenge's solution where it says what is missing.
void TestLessonBlocks::challengeKeepsItsSolution()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(bench.part<QLabel>("prove", "verdict")->text().contains(QStringLiteral("0 points of 4")));
    bench.closePage();
    rewrite(bench,
            "kind: metric_formula\n    experiment: coalescing\n    metric: sectors_per_request\n"
            "    formula: min(32, 4 * stride)\n    points: 4\n    where: {element_bytes: 4}",
            "kind: metric_ratio\n    experiment: coalescing\n    metric: sectors_per_request\n"
            "    at: {stride: 3}\n    over: {stride: 1}\n    min: 3");
    bench.loadCatalogue();
    bench.openPage();
    QCOMPARE(bench.part<QLabel>("prove", "verdict")->text(),
             QStringLiteral("Open: Sectors follow the law at four strides or more."));
}

void TestLessonBlocks::sweepSaysWhatItGoesOver_data()
{
    QTest::addColumn<std::string>("sweep");
    QTest::addColumn<QString>("says");
    QTest::newRow("range") << std::string("stride=1..32:log2") << QStringLiteral("stride from 1 to 32: 6 points");
    QTest::newRow("one value") << std::string("stride=4") << QStringLiteral("stride = 4: one point");
}

void TestLessonBlocks::sweepSaysWhatItGoesOver()
{
    QFETCH(std::string, sweep);
    QFETCH(QString, says);
    Bench bench;
    rewrite(bench, "sweep: [\"stride=1..32:log2\"]", "sweep: [\"" + sweep + "\"]");
    bench.loadCatalogue();
    bench.openPage();
    const auto labels = bench.block("curve")->findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(labels, [&](const QLabel* label) { return label->text() == says; }));
}

void TestLessonBlocks::longKernelOpensAtItsMarkedLines()
{
    Bench bench;
    rewrite(bench, "file: coalescing/01_strided_read.cu\nhighlight: [19]",
            "file: latency/01_pointer_chase.cu\nhighlight: [49]");
    bench.openPage();
    auto* code = bench.block("kernel-1")->findChild<CodeView*>();
    auto* button = bench.block("kernel-1")->findChild<QPushButton*>();
    QVERIFY(code && button);
    const auto marked = [&] {
        return code->extraSelections().size() == 1 ? code->extraSelections().front().cursor.block().text().trimmed()
                                                   : QString();
    };
    QCOMPARE(code->document()->blockCount(), 25); // twelve lines to each side
    QCOMPARE(marked(), QStringLiteral("at = load<Cached>(at);"));
    const int low = code->sizeHint().height();
    QVERIFY(bench.click(button));
    QVERIFY(code->toPlainText().contains(QStringLiteral("SPDX-License-Identifier")) && code->sizeHint().height() > low);
    QCOMPARE(marked(), QStringLiteral("at = load<Cached>(at);"));
    QVERIFY(bench.click(button));
    QCOMPARE(code->document()->blockCount(), 25);
}

void TestLessonBlocks::artifactNeedsEverything()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    auto* missing = bench.part<QLabel>("note", "missing");
    QVERIFY(!bench.part("note", "shipButton")->isEnabled());
    for (const char* thing : {"once", "curve", "2 prompts"})
        QVERIFY2(missing->text().contains(QLatin1String(thing)), qPrintable(missing->text()));
    QVERIFY(bench.commitAndRun());
    QVERIFY(bench.runSweep());
    QTRY_VERIFY(!missing->text().contains(QStringLiteral("curve")));
    QVERIFY(missing->text().contains(QStringLiteral("once")));
    bench.page().shipArtifact(); // is refused, quietly
    QTest::qWait(30);
    QVERIFY(bench.store().artifacts("2.1")->empty());
}

void TestLessonBlocks::artifactShips()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(bench.commitAndRun());
    QVERIFY(bench.click("once", "runButton"));
    QTRY_COMPARE(bench.store().runs({.lesson = "2.1", .block = "once"})->size(), 1u);
    QVERIFY(bench.waitForIdle());
    QVERIFY(bench.runSweep());
    bench.type(bench.part("note", "reflection:0"), QStringLiteral("I"));
    bench.type(bench.part("note", "reflection:1"), QStringLiteral("The index expression."));
    QTRY_VERIFY(bench.part<QLabel>("note", "missing")->text().contains(QStringLiteral("in a sentence")));
    QVERIFY(!bench.part("note", "shipButton")->isEnabled()); // a letter is no reflection
    bench.type(bench.part("note", "reflection:0"), QStringLiteral("I expected 4, it was 8."));
    bench.type(bench.part("note", "reflection:1"), QStringLiteral("The index expression."));
    QTRY_VERIFY(bench.part("note", "shipButton")->isEnabled());
    const auto* claim = bench.part<ProseView>("note", "claim");
    QTRY_VERIFY2(claim->toPlainText().contains(QStringLiteral("stride 8 it touches 32")),
                 qPrintable(claim->toPlainText()));
    QVERIFY(bench.click("note", "shipButton"));
    QTRY_COMPARE(bench.store().artifacts("2.1")->size(), 1u);
    const auto artifact = bench.store().artifacts("2.1")->front();
    QCOMPARE(artifact.predictionIds.size(), 1u);
    QVERIFY(artifact.runIds.size() >= 7);
    QCOMPARE(artifact.reflection, std::string("What did you expect, and what was it?\n\nI expected 4, it was 8.\n\n"
                                              "What will you look for in the next kernel?\n\nThe index expression."));
    QCOMPARE(artifact.title, std::string("A note on one strided load (sim:h100-sxm, SIMULATED)"));
    QVERIFY(artifact.claim.ends_with("Numbers from sim:h100-sxm, SIMULATED."));
    QVERIFY(artifact.claim.find("32") != std::string::npos);
    QCOMPARE(artifact.provenance, Provenance::Simulated);
    QCOMPARE(artifact.trust, std::string("T1"));
    QVERIFY(!artifact.code.empty() && bench.store().file(artifact.code.front().sha256));
    QCOMPARE(artifact.charts->size(), 1u);
    QTRY_VERIFY(bench.part("note", "shipped")->isVisible());
    QVERIFY(!bench.part("note", "shipButton")->isVisible());
}

void TestLessonBlocks::cancelKeepsWhatArrived()
{
    Bench bench("slow");
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(bench.commitAndRun());
    QVERIFY(bench.click("curve", "runButton"));
    QTRY_COMPARE(bench.store().runs({.lesson = "2.1", .block = "curve"})->size(), 1u);
    QCOMPARE(bench.page().runningJobs(), 1);
    QTest::keyClick(bench.part("curve", "cancelButton"), Qt::Key_Escape);
    QVERIFY(bench.waitForIdle());
    auto* chart = bench.block("curve")->findChild<SweepChart*>();
    QTRY_COMPARE(chart->data().series.size(), 1u);
    QTRY_COMPARE(chart->data().series.at(0).points.size(), 1u);
    QVERIFY(bench.part("curve", "runButton")->isEnabled());
    QVERIFY(!bench.part("curve", "errorCard")->isVisible()); // the learner stopped it: no error
}

QTEST_MAIN(TestLessonBlocks)
#include "tst_lesson_blocks.moc"
