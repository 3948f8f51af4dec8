// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks in which the reader works something out: what is given is kept, and nothing is told before its time.
#include "reader_support.h"
#include "tests/golden/golden.h"

#include "app/drawing/charts/chart_canvas.h"
#include "app/lesson/reader/blocks/compare_block.h"
#include "app/lesson/reader/blocks/draw_block.h"
#include "app/lesson/reader/blocks/rtl_block.h"
#include "app/lesson/reader/blocks/view_blocks.h"
#include "base/hash.h"
#include "evidence/evidence.h"

#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <fstream>

using namespace ridge;
using namespace ridge::app;
using test::Bench;

namespace {

const char* const kBlocks = R"(
```draw
id: sketch
question: Draw the sectors of a request over the stride.
experiment: coalescing
metric: sectors_per_request
unit: sectors/request
set: {element_bytes: 4}
sweep: "stride=1..32:log2"
min: 1
max: 64
mechanism: The span grows with the stride until every lane has a sector of its own.
again: [{element_bytes: 8}]
```

```sweep
id: drawn
experiment: coalescing
after: sketch
set: {element_bytes: 4}
sweep: ["stride=1..32:log2"]
chart: sectors_over_stride
caption: Both curves.
```

```worksheet
id: sheet
title: What {{users}} warps move
vars: {users: [2, 8]}
given:
  - {name: width, label: Bytes a sector, unit: B, value: 32}
  - {name: sectors, label: Sectors a request, value: 8}
cells:
  - name: one
    label: One request
    unit: B
    formula: width * sectors
    hint: Every sector moves whole.
  - name: all
    label: All warps
    unit: B
    formula: one * users
```

```compare
id: three
experiment: coalescing
after: guess
metric: sectors_per_request
at: {stride: 2, element_bytes: 4}
caption: Three machines.
```

```scene
id: point
scene: lanes_sectors
of: drawn
at: {stride: 8}
ask: Point at a lane that reads the second sector.
answer: [lane.1]
explains: At stride 8 each lane has a sector of its own.
```

```kernel
id: write
task: saxpy
caption: Write it here.
```

```explain
id: why
question: Why does the count end at 32?
model: >-
  One aligned load of four bytes touches one sector, and a warp has thirty-two lanes, so thirty-two sectors are the most that
  one request can touch, however wide the stride grows.
```
)";

void addBlocks(const Bench& bench)
{
    const auto text = readFile(bench.lessonFile());
    std::string lesson = *text;
    lesson.insert(lesson.find("\n## Ship it"), kBlocks);
    std::ofstream(bench.lessonFile()) << lesson;
}

} // namespace

class TestWorkedPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anExplanationIsKeptBeforeTheModelShows();
    void aSheetIsFilledCellByCell();
    void shownNumbersDoNotCount();
    void aCurveIsDrawnAndCompared();
    void curvesAreDrawnWithTheKeyboardAlone();
    void machinesAreComparedAfterThePrediction();
    void aThingIsPointedAt();
    void aKernelIsEditedInThePage();
    void aDesignIsMendedInThePage();
    void withoutTheSimulatorTheEngineIsShown();
    void pictures_data();
    void pictures();

private:
    /// A lesson with a design that has a bug, and the design beside it.
    static void openDesign(Bench& bench, QSize size = QSize(1180, 900))
    {
        const auto folder = bench.data() / "labs" / "rtl";
        std::filesystem::create_directories(folder);
        std::filesystem::copy_file(std::filesystem::path(qgetenv("RIDGE_SOURCE").toStdString()) / "labs/rtl/array.sv",
                                   folder / "array.sv");
        std::string lesson = *readFile(bench.lessonFile());
        lesson.insert(lesson.find("\n## Ship it"),
                      "\n```rtl\nid: mend\nfile: array.sv\nbug: narrow_sum\nhighlight: [32]\ncaption: Mend it.\n```\n");
        std::ofstream(bench.lessonFile()) << lesson;
        bench.loadCatalogue();
        bench.openPage(size);
    }
    static void open(Bench& bench, QSize size = QSize(1180, 900))
    {
        addBlocks(bench);
        bench.loadCatalogue();
        bench.openPage(size);
    }
    /// In the order in which they were given.
    static std::vector<record::AnswerRow> answers(Bench& bench, const char* block)
    {
        auto all = *bench.store().answers("2.1");
        std::ranges::reverse(all);
        std::erase_if(all, [&](const record::AnswerRow& row) { return row.block != block; });
        return all;
    }
};

void TestWorkedPage::anExplanationIsKeptBeforeTheModelShows()
{
    Bench bench;
    open(bench);
    auto* text = bench.part<QPlainTextEdit>("why", "explanation");
    text->setPlainText(QStringLiteral("It ends there."));
    QVERIFY2(!bench.click("why", "keepAnswer"), "three words are no explanation");
    text->setPlainText(QStringLiteral("Every lane touches one sector, and there are 32 lanes."));
    QVERIFY(!bench.part("why", "rate:yes")->isVisible());
    QVERIFY(bench.click("why", "keepAnswer"));
    QTRY_VERIFY(bench.part("why", "rate:yes")->isVisible());
    QVERIFY(!text->isVisible());
    QCOMPARE(answers(bench, "why").size(), 1u);
    QVERIFY(bench.click("why", "rate:no"));
    QTRY_VERIFY(bench.part("why", "writeAgain")->isVisible());
    QCOMPARE(answers(bench, "why").back().answer->value("rating", ""), std::string("no"));
    QVERIFY(!answers(bench, "why").back().correct);
    QVERIFY(bench.click("why", "writeAgain"));
    QVERIFY(text->isVisible());
    text->setPlainText(QStringLiteral("One load touches one sector at most, so 32 lanes touch 32."));
    QVERIFY(bench.click("why", "keepAnswer"));
    QTRY_VERIFY(bench.part("why", "rate:partly")->isVisible());
    QVERIFY(bench.click("why", "rate:partly"));
    QTRY_VERIFY(bench.part("why", "verdict")->isVisible());
    QVERIFY(answers(bench, "why").back().correct);
    bench.openPage();
    QVERIFY(bench.part<QLabel>("why", "ownAnswer")->text().startsWith(QStringLiteral("One load")));
}

void TestWorkedPage::aSheetIsFilledCellByCell()
{
    Bench bench;
    open(bench);
    auto* one = bench.part<QLineEdit>("sheet", "cell:one");
    auto* all = bench.part<QLineEdit>("sheet", "cell:all");
    QVERIFY(one->isEnabled() && !all->isEnabled());
    bench.type(one, QStringLiteral("128"));
    QVERIFY(bench.click("sheet", "checkButton"));
    QTRY_VERIFY(bench.part("sheet", "hint")->isVisible());
    QVERIFY(!all->isEnabled());
    bench.type(one, QStringLiteral("256 B"));
    QVERIFY(bench.click("sheet", "checkButton"));
    QTRY_VERIFY(all->isEnabled());
    QVERIFY(!one->isEnabled() && !bench.part("sheet", "hint")->isVisible());
    bench.type(all, QStringLiteral("512"));
    QTest::keyClick(all, Qt::Key_Return);
    QTRY_VERIFY(bench.part("sheet", "verdict")->isVisible());
    const auto rows = answers(bench, "sheet");
    QCOMPARE(rows.size(), 3u);
    QVERIFY(!rows[0].correct && !rows[1].correct && rows[2].correct);
    bench.openPage();
    QCOMPARE(bench.part<QLineEdit>("sheet", "cell:all")->text(), QStringLiteral("512 B"));
    QVERIFY(bench.click("sheet", "newNumbers"));
    QVERIFY(bench.part<QLineEdit>("sheet", "cell:one")->text().isEmpty());
}

void TestWorkedPage::shownNumbersDoNotCount()
{
    Bench bench;
    open(bench);
    QVERIFY2(!bench.click("sheet", "showMe"), "nobody is shown what they have not tried");
    bench.type(bench.part("sheet", "cell:one"), QStringLiteral("1"));
    QVERIFY(bench.click("sheet", "checkButton"));
    QTRY_VERIFY(bench.part("sheet", "showMe")->isVisible());
    QVERIFY(bench.click("sheet", "showMe"));
    QTRY_COMPARE(bench.part<QLineEdit>("sheet", "cell:all")->text(), QStringLiteral("512 B"));
    QVERIFY(!answers(bench, "sheet").back().correct);
    QVERIFY(bench.click("sheet", "newNumbers"));
    bench.type(bench.part("sheet", "cell:one"), QStringLiteral("256"));
    QVERIFY(bench.click("sheet", "checkButton"));
    QTRY_VERIFY(bench.part("sheet", "cell:all")->isEnabled());
    bench.type(bench.part("sheet", "cell:all"), QStringLiteral("2048"));
    QVERIFY(bench.click("sheet", "checkButton"));
    QTRY_VERIFY(answers(bench, "sheet").back().correct);
}

void TestWorkedPage::aCurveIsDrawnAndCompared()
{
    Bench bench;
    open(bench);
    auto* draw = static_cast<DrawBlockWidget*>(bench.block("sketch"));
    QCOMPARE(draw->curve().size(), 6u);
    QVERIFY2(!bench.click("sketch", "commitCurve"), "an untouched line is no curve");
    QVERIFY(!bench.part("drawn", "runButton")->isEnabled());
    for (std::size_t i = 0; i < 6; ++i)
        draw->setPoint(i, std::min(32.0, 4.0 * double(1 << i)));
    draw->setPoint(5, 16); // off by two at the last one
    QVERIFY(bench.click("sketch", "commitCurve"));
    QTRY_COMPARE(answers(bench, "sketch").size(), 1u);
    QCOMPARE(answers(bench, "sketch").front().answer->at("curve").size(), 6u);
    QTRY_VERIFY(!bench.part("sketch", "commitCurve")->isVisible()); // the page knows of what is stored
    draw->setPoint(0, 1);
    QCOMPARE(draw->curve().front().second, 4.0); // it stays
    QTRY_VERIFY(bench.part("drawn", "runButton")->isEnabled());
    QVERIFY(bench.click("drawn", "runButton"));
    QVERIFY(bench.waitForIdle());
    auto* headline = bench.part<QLabel>("sketch", "curveError");
    QTRY_VERIFY(headline->isVisible());
    // One of six is off by 2: 2^(1/6) = 1.12.
    QTRY_COMPARE(headline->text(), QStringLiteral("Off by a factor of 1.12 on average"));
    QCOMPARE(draw->chart()->table()->rowCount(), 6);
    // The second curve is asked for at the other setting, and so runs the sweep below it.
    QVERIFY(bench.click("sketch", "drawAgain"));
    draw->setPoint(0, 8);
    QVERIFY(bench.click("sketch", "commitCurve"));
    QTRY_COMPARE(answers(bench, "sketch").size(), 2u);
    QCOMPARE(answers(bench, "sketch").back().answer->value("instance", 0), 1);
    QTRY_VERIFY(!bench.part("sketch", "commitCurve")->isVisible()); // the page knows it too
    QVERIFY(bench.click("drawn", "runButton"));
    QVERIFY(bench.waitForIdle());
    const auto newest = [&] {
        const auto rows = bench.store().runs({.lesson = "2.1", .block = "drawn", .limit = 1});
        return rows->empty() ? 0.0 : asNumber(rows->front().params.at("element_bytes")).value_or(0);
    };
    QTRY_COMPARE_WITH_TIMEOUT(newest(), 8.0, 30000);
}

void TestWorkedPage::curvesAreDrawnWithTheKeyboardAlone()
{
    Bench bench;
    open(bench);
    auto* draw = static_cast<DrawBlockWidget*>(bench.block("sketch"));
    draw->focusInput();
    QWidget* canvas = draw->chart()->canvas();
    const double before = draw->curve()[1].second;
    QTest::keyClick(canvas, Qt::Key_Right);
    QTest::keyClick(canvas, Qt::Key_Up);
    QVERIFY(draw->curve()[1].second > before);
    QCOMPARE(draw->curve()[0].second, before);
    QTest::keyClick(canvas, Qt::Key_PageDown);
    QVERIFY(draw->curve()[1].second < before);
    auto* value = bench.part<QLineEdit>("sketch", "drawnValue");
    bench.type(value, QStringLiteral("12"));
    QTest::keyClick(value, Qt::Key_Return);
    QCOMPARE(draw->curve()[1].second, 12.0);
    QVERIFY(draw->canActivate());
}

void TestWorkedPage::machinesAreComparedAfterThePrediction()
{
    Bench bench;
    open(bench);
    auto* compare = static_cast<CompareBlockWidget*>(bench.block("three"));
    QVERIFY(!compare->chart()->isVisible());
    QVERIFY(bench.part("three", "compareEmpty")->isVisible());
    QVERIFY(bench.commitAndRun());
    if (bench.part("three", "runButton")->isVisible()) {
        QVERIFY(bench.click("three", "runButton"));
        QVERIFY(bench.waitForIdle());
    }
    QTRY_VERIFY(compare->chart()->isVisible());
    QVERIFY2(compare->chart()->summary().contains(QStringLiteral("8 sectors/request")),
             qPrintable(compare->chart()->summary()));
}

void TestWorkedPage::aThingIsPointedAt()
{
    Bench bench;
    open(bench);
    auto* draw = static_cast<DrawBlockWidget*>(bench.block("sketch"));
    draw->setPoint(0, 4);
    QVERIFY(bench.click("sketch", "commitCurve"));
    QTRY_VERIFY(bench.part("drawn", "runButton")->isEnabled());
    QVERIFY(bench.click("drawn", "runButton"));
    QVERIFY(bench.waitForIdle());
    auto* things = bench.part<QComboBox>("point", "things");
    QTRY_VERIFY(things->isVisible() && things->count() == 32);
    QVERIFY(!bench.part("point", "answerButton")->isEnabled());
    things->setEditText(QStringLiteral("lane 7"));
    QVERIFY(bench.click("point", "answerButton"));
    QTRY_VERIFY(bench.part("point", "verdict")->isVisible());
    QVERIFY(!answers(bench, "point").back().correct);
    Q_EMIT static_cast<SceneBlockWidget*>(bench.block("point"))->view()->pointed(QStringLiteral("lane.1"));
    QCOMPARE(things->currentText(), QStringLiteral("lane 1"));
    QVERIFY(bench.click("point", "answerButton"));
    QTRY_VERIFY(answers(bench, "point").size() == 2 && answers(bench, "point").back().correct);
    QCOMPARE(answers(bench, "point").back().answer->value("item", ""), std::string("lane.1"));
}

void TestWorkedPage::aKernelIsEditedInThePage()
{
    Bench bench;
    std::string wanted;
    bench.app().setKernelEditor([&](const AppContext::KernelWish& wish, QWidget* parent) -> QWidget* {
        wanted = wish.task;
        return new QPlainTextEdit(parent);
    });
    open(bench);
    QVERIFY(bench.click("write", "editKernel"));
    QCOMPARE(wanted, std::string("saxpy"));
    QTRY_VERIFY(static_cast<KernelBlockWidget*>(bench.block("write"))->editor()->isVisible());
    QVERIFY(!bench.part("write", "editKernel")->isVisible());
}

void TestWorkedPage::aDesignIsMendedInThePage()
{
    Bench bench("rtl");
    openDesign(bench);
    auto* block = static_cast<RtlBlockWidget*>(bench.block("mend"));
    KernelEditor* editor = block->editor();
    QVERIFY(editor->toPlainText().contains(QStringLiteral("16'(")));
    QCOMPARE(editor->currentLine(), 32);
    QVERIFY(bench.click("mend", "runButton"));
    auto* verdict = bench.part<QLabel>("mend", "verdict");
    QTRY_VERIFY(verdict->isVisible());
    QVERIFY2(verdict->text().contains(QStringLiteral("40 of 1,536")), qPrintable(verdict->text()));
    QVERIFY(verdict->text().contains(QStringLiteral("column 2")));
    // The version that ran is kept; its path is in the run.
    const auto runs = *bench.store().runs({});
    const auto file = std::get<std::string>(runs.front().params.at("design"));
    QCOMPARE(*readFile(file), editor->toPlainText().toStdString());

    // A mistake is told once, at its line, and the keyboard goes there.
    const QString wrong = editor->toPlainText().replace(QStringLiteral("if (load)"), QStringLiteral("if (w_oad)"));
    editor->setPlainText(wrong);
    QTest::keyClick(editor, Qt::Key_Return, Qt::ControlModifier);
    auto* problems = bench.part<QListWidget>("mend", "rtlProblems");
    QTRY_COMPARE(problems->count(), 1);
    QCOMPARE(problems->item(0)->text(), QStringLiteral("Line 29: oh"));
    QCOMPARE(editor->notes().size(), std::size_t{1});
    QCOMPARE(editor->currentLine(), 29);
    QVERIFY(!verdict->isVisible());
    editor->goToLine(1);
    Q_EMIT problems->itemActivated(problems->item(0));
    QCOMPARE(editor->currentLine(), 29);
    QVERIFY(bench.waitForIdle());

    // The shipped design takes its place and can be taken back; it runs without a file of its own.
    bench.part<QComboBox>("mend", "startFrom")->setCurrentIndex(0);
    QVERIFY(bench.click("mend", "loadDesign"));
    QVERIFY(!editor->toPlainText().contains(QStringLiteral("w_oad")) && problems->count() == 0);
    editor->undo();
    QCOMPARE(editor->toPlainText(), wrong);
    editor->redo();
    QVERIFY(bench.click("mend", "runButton"));
    QTRY_VERIFY(verdict->isVisible() && verdict->text().startsWith(QStringLiteral("Bit-exact: 1,536")));
    QVERIFY(verdict->text().contains(QStringLiteral("Cycle-exact: 456")));
    QVERIFY(bench.waitForIdle());

    // On an FPGA the same design is placed, no larger than the chip holds.
    editor->setPlainText(wrong);
    QVERIFY(bench.click("mend", "timingButton"));
    QTRY_VERIFY2(verdict->text().startsWith(QStringLiteral("4 × 4 PEs run at 68.8 MHz in 3,732 logic cells")),
                 qPrintable(verdict->text()));
    QVERIFY2(verdict->text().contains(QStringLiteral("14.53 ns, 50 % of it in wires")), qPrintable(verdict->text()));
    QVERIFY(bench.waitForIdle());

    // What is shipped: both runs, and as files the design that was tested, the one that was placed and the report.
    const auto parsed = lessons::parseLesson(*readFile(bench.lessonFile()), bench.lessonFile());
    QVERIFY(parsed.lesson);
    QVERIFY(bench.commitAndRun() && bench.runSweep() && bench.click("once", "runButton") && bench.waitForIdle());
    const auto row = composeArtifact(bench.store(), *parsed.lesson, bench.app().experiments(), "");
    QVERIFY2(row.ok(), row.ok() ? "" : toText(row.error()).c_str());
    std::map<std::string, std::string> files;
    for (const record::ArtifactCode& one : row->files)
        files[one.name] = *bench.store().file(one.sha256);
    QCOMPARE(files["array.sv"], *readFile(bench.data() / "labs" / "rtl" / "array.sv"));
    QCOMPARE(files["placed-array.sv"], wrong.toStdString());
    QVERIFY2(files["fpga-timing-report.txt"].find("6.88e+07 Hz") != std::string::npos,
             files["fpga-timing-report.txt"].c_str());
    QVERIFY(files["fpga-timing-report.txt"].find(sha256Hex(wrong.toStdString())) != std::string::npos);
    QVERIFY(files["fpga-timing-report.txt"].find("rtl_timing, SIMULATED") != std::string::npos);
    std::set<std::string> shipped;
    const auto all = *bench.store().runs({});
    for (const record::RunRow& run : all)
        if (std::ranges::find(row->runIds, run.id) != row->runIds.end())
            shipped.insert(run.experiment);
    QVERIFY(shipped.contains("rtl_array") && shipped.contains("rtl_timing"));

    // What is being written outlasts the page.
    editor->setPlainText(QStringLiteral("module array; endmodule"));
    bench.openPage();
    QCOMPARE(static_cast<RtlBlockWidget*>(bench.block("mend"))->editor()->toPlainText(),
             QStringLiteral("module array; endmodule"));
    QTRY_VERIFY(bench.part("mend", "verdict")->isVisible());
}

void TestWorkedPage::withoutTheSimulatorTheEngineIsShown()
{
    Bench bench("no-iverilog");
    openDesign(bench);
    QVERIFY(!bench.part("mend", "engineButton")->isVisible());
    QVERIFY(bench.click("mend", "runButton"));
    QTRY_VERIFY(bench.part("mend", "engineButton")->isVisible());
    QVERIFY(bench.waitForIdle());
    QVERIFY(bench.click("mend", "engineButton"));
    auto* verdict = bench.part<QLabel>("mend", "verdict");
    QTRY_VERIFY(verdict->isVisible());
    QVERIFY2(verdict->text().startsWith(QStringLiteral("The array in C++")), qPrintable(verdict->text()));
    QVERIFY(bench.waitForIdle());

    // The tools of the FPGA are missing, too: told with what installs them, and the lesson ships without a report.
    QVERIFY(bench.click("mend", "timingButton"));
    const auto told = [&] {
        return std::ranges::any_of(bench.block("mend")->findChildren<QLabel*>(), [](const QLabel* label) {
            return label->isVisible() && label->text().contains(QStringLiteral("apt install yosys"));
        });
    };
    QTRY_VERIFY(told());
    QVERIFY(bench.waitForIdle());
    const auto parsed = lessons::parseLesson(*readFile(bench.lessonFile()), bench.lessonFile());
    QVERIFY(parsed.lesson);
    QVERIFY(bench.commitAndRun() && bench.runSweep() && bench.click("once", "runButton") && bench.waitForIdle());
    const auto row = composeArtifact(bench.store(), *parsed.lesson, bench.app().experiments(), "");
    QVERIFY2(row.ok(), row.ok() ? "" : toText(row.error()).c_str());
    QVERIFY(std::ranges::none_of(row->files, [](const auto& file) { return file.name.ends_with("report.txt"); }));
}

void TestWorkedPage::pictures_data()
{
    QTest::addColumn<QString>("theme");
    for (const char* theme : {"light", "dark"})
        QTest::newRow(theme) << QString::fromLatin1(theme);
}

void TestWorkedPage::pictures()
{
    if (const QString why = golden::whyNotComparable(); !why.isEmpty())
        QSKIP(qPrintable(why));
    QFETCH(QString, theme);
    // With a record of its own: the sweep below would give the predicted point away.
    Bench other;
    QVERIFY(other.app().theme().load(theme).ok());
    open(other, QSize(900, 900));
    QVERIFY(other.commitAndRun());
    if (other.part("three", "runButton")->isVisible()) {
        QVERIFY(other.click("three", "runButton"));
        QVERIFY(other.waitForIdle());
    }
    Bench bench;
    QVERIFY(bench.app().theme().load(theme).ok());
    open(bench, QSize(900, 900));
    auto* draw = static_cast<DrawBlockWidget*>(bench.block("sketch"));
    for (std::size_t i = 0; i < 6; ++i)
        draw->setPoint(i, std::min(48.0, 3.0 * double(1 << i)));
    QStringList wrong;
    const auto checkIn = [&](Bench& in, const char* name, const char* block) {
        if (QWidget* focused = QApplication::focusWidget())
            focused->clearFocus(); // a focus ring is no part of the picture
        for (const char* timed : {"runStatus", "committed"})
            for (QLabel* label : in.block(block)->findChildren<QLabel*>(QLatin1String(timed)))
                label->setText(QStringLiteral("finished"));
        QCoreApplication::processEvents();
        const QString found =
            golden::checkView(QStringLiteral("block_%1_%2").arg(QLatin1String(name), theme), *in.block(block));
        if (!found.isEmpty())
            wrong << found;
    };
    const auto check = [&](const char* name, const char* block) { checkIn(bench, name, block); };
    checkIn(other, "compare", "three");
    // A design that ran: the verdict and the table of its figures.
    Bench designed("rtl");
    QVERIFY(designed.app().theme().load(theme).ok());
    openDesign(designed, QSize(900, 900));
    QVERIFY(designed.click("mend", "runButton"));
    QTRY_VERIFY(designed.part("mend", "verdict")->isVisible());
    QVERIFY(designed.waitForIdle());
    // What has come into sight below the editor is laid out by then.
    QWidget* mend = designed.block("mend");
    const auto fits = [&] {
        const auto* table = mend->findChild<ResultTable*>(); // it fills a turn after the verdict
        return table && table->isVisible() && table->minimumSizeHint().height() > 0 &&
               mend->height() >= mend->layout()->totalHeightForWidth(mend->width()) &&
               mend->height() >= mend->layout()->totalSizeHint().height();
    };
    QTRY_VERIFY2(
        fits(),
        qPrintable(
            QStringLiteral("%1 of %2").arg(mend->height()).arg(mend->layout()->totalHeightForWidth(mend->width()))));
    checkIn(designed, "rtl", "mend");
    check("draw_open", "sketch");
    check("explain_open", "why");
    check("worksheet_open", "sheet");
    QVERIFY(bench.click("sketch", "commitCurve"));
    QTRY_VERIFY(bench.part("drawn", "runButton")->isEnabled());
    QVERIFY(bench.click("drawn", "runButton"));
    QVERIFY(bench.waitForIdle());
    QTRY_VERIFY(bench.part("sketch", "curveError")->isVisible());
    bench.part<QPlainTextEdit>("why", "explanation")
        ->setPlainText(QStringLiteral("Every lane touches one sector, and there are 32 lanes."));
    QVERIFY(bench.click("why", "keepAnswer"));
    bench.type(bench.part("sheet", "cell:one"), QStringLiteral("128"));
    QVERIFY(bench.click("sheet", "checkButton"));
    QTRY_VERIFY(bench.part("sheet", "hint")->isVisible());
    QTRY_VERIFY(bench.part("why", "rate:yes")->isVisible());
    QTRY_VERIFY(bench.part("point", "things")->isVisible());
    QTest::qWait(200);
    check("draw", "sketch");
    check("explain", "why");
    check("worksheet", "sheet");
    check("pointing", "point");
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
}

QTEST_MAIN(TestWorkedPage)
#include "tst_worked_page.moc"
