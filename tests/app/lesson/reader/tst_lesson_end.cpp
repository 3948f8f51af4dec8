// SPDX-License-Identifier: GPL-3.0-or-later
// What a press leads to: the page stays where it is, the focus is on what came of it, and the end of a lesson says how
// it stands and where it goes on. What a block's outcome says comes after the outcome.
#include "reader_support.h"

#include "app/drawing/charts/prediction_mark.h"
#include "app/drawing/charts/sweep_chart.h"
#include "app/lesson/reader/lesson_end.h"
#include "app/ui/still_scroll.h"
#include "base/kernel_task.h"

#include <QDirIterator>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>

using namespace ridge;
using namespace ridge::app;
using test::Bench;

namespace {

/// Where a block stands in the window.
int topOf(Bench& bench, const char* block)
{
    return bench.block(block)->mapTo(&bench.page(), QPoint(0, 0)).y();
}

QString focused(Bench& bench)
{
    const QWidget* focus = bench.page().focusWidget();
    return focus ? focus->objectName() : QString();
}

bool isInView(Bench& bench, const QWidget* part)
{
    const QRect seen(part->mapTo(&bench.page(), QPoint(0, 0)), part->size());
    return part->isVisible() && bench.page().rect().contains(seen);
}

/// Until nothing moves: what scrolls does so in a turn of its own, and pictures of a run come after it.
void settle(Bench& bench)
{
    const auto* area = bench.page().findChild<StillScroll*>();
    std::pair<int, int> before{-1, -1};
    for (int still = 0; still < 10;) {
        QTest::qWait(30);
        const std::pair now{area->widget()->height(), area->verticalScrollBar()->value()};
        still = now == before ? still + 1 : 0;
        before = now;
    }
}

} // namespace

class TestLessonEnd : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aPartThatGoesDoesNotMoveThePage_data();
    void aPartThatGoesDoesNotMoveThePage();
    void tabGoesOnWhereThePartWas();
    void anAreaThatGoesHandsTheFocusOn_data();
    void anAreaThatGoesHandsTheFocusOn();
    void everyScrollAreaStays();
    void aRevealStays();
    void keepingStays();
    void shippingStays();
    void captionsComeAfterTheOutcome();
    void theEndSaysHowTheLessonStands();
};

void TestLessonEnd::aPartThatGoesDoesNotMoveThePage_data()
{
    QTest::addColumn<QString>("how");
    for (const char* how : {"hide", "disable", "hide around"})
        QTest::newRow(how) << QString::fromLatin1(how);
}

void TestLessonEnd::aPartThatGoesDoesNotMoveThePage()
{
    QFETCH(QString, how);
    StillScroll area;
    auto* body = new QWidget;
    auto* column = new QVBoxLayout(body);
    auto* first = new QPushButton(QStringLiteral("first"));
    auto* holder = new QWidget;
    auto* inner = new QVBoxLayout(holder);
    auto* pressed = new QPushButton(QStringLiteral("pressed"));
    inner->addWidget(pressed);
    auto* far = new QPushButton(QStringLiteral("far away"));
    column->addWidget(first);
    column->addWidget(holder);
    column->addSpacing(3000);
    column->addWidget(far);
    area.setWidget(body);
    area.setWidgetResizable(true);
    area.resize(300, 300);
    area.show();
    area.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&area));
    pressed->setFocus();
    const int before = area.verticalScrollBar()->value();
    if (how == QLatin1String("disable"))
        pressed->setEnabled(false);
    else
        (how == QLatin1String("hide") ? pressed : holder)->hide();
    QCOMPARE(area.verticalScrollBar()->value(), before);
    QVERIFY(!far->hasFocus());
    QVERIFY(area.hasFocus());
    QTest::keyClick(&area, Qt::Key_Tab); // the next part is the one after it
    QVERIFY(far->hasFocus());
    QVERIFY(area.verticalScrollBar()->value() > before); // and Tab shows where it goes, as ever
}

void TestLessonEnd::anAreaThatGoesHandsTheFocusOn_data()
{
    QTest::addColumn<bool>("hidden");
    QTest::newRow("hidden") << true;
    QTest::newRow("greyed") << false;
}

/// The area itself had the focus, as after a press beside all its parts.
void TestLessonEnd::anAreaThatGoesHandsTheFocusOn()
{
    QFETCH(bool, hidden);
    QWidget window;
    auto* beside = new QPushButton(QStringLiteral("beside"));
    auto* area = new StillScroll;
    area->setWidget(new QPushButton(QStringLiteral("inside")));
    auto* column = new QVBoxLayout(&window);
    column->addWidget(area);
    column->addWidget(beside);
    window.show();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    area->setFocus();
    QVERIFY(area->hasFocus());
    if (hidden) {
        area->hide();
        QVERIFY(beside->hasFocus());
    } else {
        area->setEnabled(false); // Qt tries the button inside, greys it too, and leaves the focus nowhere
        QVERIFY(!area->isAncestorOf(QApplication::focusWidget()));
    }
}

void TestLessonEnd::tabGoesOnWhereThePartWas()
{
    StillScroll area;
    auto* body = new QWidget;
    auto* column = new QVBoxLayout(body);
    std::vector<QPushButton*> buttons;
    for (int i = 0; i < 4; ++i)
        column->addWidget(buttons.emplace_back(new QPushButton(QString::number(i))));
    area.setWidget(body);
    area.show();
    area.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&area));
    buttons[2]->setFocus();
    buttons[2]->setEnabled(false);
    buttons[2]->setEnabled(true); // it was greyed for a moment only
    QTest::keyClick(&area, Qt::Key_Tab);
    QVERIFY(buttons[2]->hasFocus());
    buttons[2]->hide();
    QTest::keyClick(&area, Qt::Key_Tab, Qt::ShiftModifier);
    QVERIFY(buttons[1]->hasFocus());
}

/// A page that is made of another kind of scroll area would jump again.
void TestLessonEnd::everyScrollAreaStays()
{
    QStringList bare;
    QDirIterator files(qEnvironmentVariable("RIDGE_SOURCE") + QStringLiteral("/app"),
                       {QStringLiteral("*.cpp"), QStringLiteral("*.h")}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        if (text.contains("new QScrollArea") ||
            (text.contains(": public QScrollArea") && !text.contains("class StillScroll")))
            bare << file.fileName();
    }
    QVERIFY2(bare.isEmpty(), qPrintable(QStringLiteral("use StillScroll: ") + bare.join(QLatin1Char(' '))));
}

void TestLessonEnd::aRevealStays()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    bench.page().scrollToBlock(QStringLiteral("guess"));
    const int before = topOf(bench, "guess");
    QVERIFY(bench.commitAndRun());
    settle(bench);
    QCOMPARE(topOf(bench, "guess"), before);
    QCOMPARE(bench.page().focusedBlock(), QStringLiteral("guess"));
    QVERIFY(isInView(bench, bench.block("guess")->findChild<RevealBar*>()));
    // The same keys once more start nothing.
    const std::size_t runs = bench.store().runs({.lesson = "2.1"})->size();
    QTest::keyClick(bench.page().focusWidget(), Qt::Key_Return, Qt::ControlModifier);
    bench.page().commitAndRun();
    settle(bench);
    QVERIFY(bench.waitForIdle());
    QCOMPARE(bench.store().runs({.lesson = "2.1"})->size(), runs);
}

void TestLessonEnd::keepingStays()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(bench.commitAndRun());
    auto* keep = bench.part<QPushButton>("guess", "keep");
    QVERIFY(!bench.part("guess", "kept")->isVisible());
    bench.page().scrollToBlock(QStringLiteral("guess"));
    QVERIFY(isInView(bench, keep));
    const int before = topOf(bench, "guess");
    QVERIFY(bench.click(keep));
    QTRY_VERIFY(bench.part("guess", "kept")->isVisible());
    settle(bench);
    QCOMPARE(topOf(bench, "guess"), before);
    QCOMPARE(focused(bench), QStringLiteral("keep"));
    const auto kept = bench.store().artifacts()->front();
    QVERIFY2(kept.title.ends_with("(sim:h100-sxm, SIMULATED)"), kept.title.c_str());
    QVERIFY2(kept.claim.find("(sim:h100-sxm, SIMULATED)") != std::string::npos, kept.claim.c_str());
}

void TestLessonEnd::shippingStays()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage(QSize(1180, 600));
    QVERIFY(bench.commitAndRun());
    QVERIFY(bench.click("once", "runButton"));
    QTRY_COMPARE(bench.store().runs({.lesson = "2.1", .block = "once"})->size(), 1u);
    QVERIFY(bench.waitForIdle());
    settle(bench);
    QVERIFY(bench.runSweep());
    bench.type(bench.part("note", "reflection:0"), QStringLiteral("Four sectors."));
    bench.type(bench.part("note", "reflection:1"), QStringLiteral("The index."));
    QTRY_VERIFY(bench.part("note", "shipButton")->isEnabled());
    settle(bench); // the pictures of the sweep above grow until then
    bench.page().scrollToBlock(QStringLiteral("note"));
    settle(bench);
    const int before = topOf(bench, "note");
    bench.part("note", "shipButton")->setFocus();
    QVERIFY(bench.click("note", "shipButton"));
    QTRY_VERIFY(bench.part("note", "shippedTitle")->isVisible());
    settle(bench);
    QCOMPARE(topOf(bench, "note"), before);
    QCOMPARE(focused(bench), QStringLiteral("openShipped"));
    QVERIFY(isInView(bench, bench.part("note", "openShipped")));
    QVERIFY(isInView(bench, bench.part("note", "shippedTitle")));
}

void TestLessonEnd::captionsComeAfterTheOutcome()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    const std::vector<const char*> told = {"once", "curve", "lanes", "efficiency"};
    for (const char* id : told)
        QVERIFY2(!bench.part(id, "caption")->isVisibleTo(bench.block(id)), id);
    QVERIFY(bench.part("play", "caption")->isVisible()); // answers at once: there is nothing to wait for
    QVERIFY(bench.commitAndRun());
    for (const char* id : {"once", "curve", "lanes"})
        QVERIFY2(!bench.part(id, "caption")->isVisibleTo(bench.block(id)), id);
    QVERIFY(bench.click("once", "runButton"));
    QTRY_VERIFY(bench.part("once", "caption")->isVisible());
    QVERIFY(bench.waitForIdle());
    QVERIFY(bench.runSweep());
    for (const char* id : told)
        QTRY_VERIFY2(bench.part(id, "caption")->isVisible(), id);
    bench.openPage(); // and it stays
    for (const char* id : told)
        QVERIFY2(bench.part(id, "caption")->isVisible(), id);
}

void TestLessonEnd::theEndSaysHowTheLessonStands()
{
    Bench bench;
    {
        QFile lesson(QString::fromStdString(bench.lessonFile().string()));
        QVERIFY(lesson.open(QIODevice::ReadOnly));
        QByteArray text = lesson.readAll();
        text.replace("id: \"2.1\"", "id: \"2.2\"").replace("Twelve blocks on one page", "The one after it");
        QFile second(QString::fromStdString((bench.lessonFile().parent_path() / "02-second.md").string()));
        QVERIFY(second.open(QIODevice::WriteOnly) && second.write(text) > 0);
    }
    bench.start();
    bench.loadCatalogue();
    bench.openPage();
    auto* end = bench.page().findChild<LessonEnd*>(QStringLiteral("lessonEnd"));
    QVERIFY(end);
    const auto said = [&](const char* name) { return end->findChild<QLabel*>(QLatin1String(name))->text(); };
    const auto button = [&](const char* name) { return end->findChild<QPushButton*>(QLatin1String(name)); };
    QCOMPARE(said("standing"), QStringLiteral("0 of 4 checks are met."));
    QVERIFY(said("stillOpen").contains(QStringLiteral("You committed a number before you saw it")));
    QVERIFY(!button("nextLesson")->isVisibleTo(end));
    QVERIFY(!button("openArtifact")->isVisibleTo(end));
    // The way to what is open.
    QVERIFY(bench.click(button("goToOpen")));
    QCOMPARE(bench.page().focusedBlock(), QStringLiteral("guess"));
    QVERIFY(bench.commitAndRun());
    QTRY_COMPARE(said("standing"), QStringLiteral("1 of 4 checks are met."));
    QVERIFY(bench.click(button("goToOpen")));
    QCOMPARE(bench.page().focusedBlock(), QStringLiteral("prove"));
    QVERIFY(bench.click("once", "runButton"));
    QTRY_COMPARE(bench.store().runs({.lesson = "2.1", .block = "once"})->size(), 1u);
    QVERIFY(bench.waitForIdle());
    QVERIFY(bench.runSweep());
    QTRY_COMPARE(said("standing"), QStringLiteral("2 of 4 checks are met."));
    QVERIFY(bench.click(button("goToOpen")));
    QCOMPARE(bench.page().focusedBlock(), QStringLiteral("count"));
    bench.type(bench.part("count", "number"), QStringLiteral("12"));
    QVERIFY(bench.click("count", "checkButton"));
    QTRY_COMPARE(said("standing"), QStringLiteral("3 of 4 checks are met."));
    QVERIFY(bench.click(button("goToOpen")));
    QCOMPARE(bench.page().focusedBlock(), QStringLiteral("note"));
    bench.type(bench.part("note", "reflection:0"), QStringLiteral("Four sectors."));
    bench.type(bench.part("note", "reflection:1"), QStringLiteral("The index."));
    QTRY_VERIFY(bench.part("note", "shipButton")->isEnabled());
    QVERIFY(bench.click("note", "shipButton"));
    QTRY_COMPARE(said("standing"), QStringLiteral("2.1 is met."));
    QVERIFY(!button("goToOpen")->isVisibleTo(end));
    QSignalSpy opened(&bench.app(), &AppContext::openRequested);
    // The kernel tasks that go with lesson 2.1, by their files.
    const auto tasks = shippedTasks();
    QVERIFY(tasks.ok());
    int offered = 0;
    for (const KernelTask& task : *tasks) {
        auto* open = button(("task-" + task.id).c_str());
        QCOMPARE(open != nullptr, task.lesson == "2.1");
        if (!open)
            continue;
        open->click();
        QCOMPARE(opened.takeFirst().first().toString(),
                 QStringLiteral("kernel/task/") + QString::fromStdString(task.id));
        ++offered;
    }
    QVERIFY(offered > 0);
    QVERIFY(button("openArtifact")->isVisibleTo(end));
    button("openArtifact")->click();
    QCOMPARE(opened.takeFirst().first().toString().left(9), QStringLiteral("artifact/"));
    // Where it was shipped the same is said, without a second button to the artifact.
    auto* shipped = bench.page().findChild<LessonEnd*>(QStringLiteral("shippedEnd"));
    QTRY_COMPARE(shipped->findChild<QLabel*>(QStringLiteral("standing"))->text(), QStringLiteral("2.1 is met."));
    QVERIFY(!shipped->findChild<QPushButton*>(QStringLiteral("openArtifact"))->isVisibleTo(shipped));
    for (LessonEnd* one : {end, shipped}) {
        auto* next = one->findChild<QPushButton*>(QStringLiteral("nextLesson"));
        QVERIFY(next->isVisibleTo(one));
        QCOMPARE(next->text(), QStringLiteral("Next: 2.2 The one after it"));
        next->click();
        QCOMPARE(opened.takeFirst().first().toString(), QStringLiteral("lesson/2.2"));
    }
}

QTEST_MAIN(TestLessonEnd)
#include "tst_lesson_end.moc"
