// SPDX-License-Identifier: GPL-3.0-or-later
// What goes wrong around a lesson is named in its place, and reading goes on.
#include "reader_support.h"

#include "app/drawing/charts/sweep_chart.h"
#include "app/ui/themed_label.h"

#include <QPushButton>
#include <fstream>

using namespace ridge;
using namespace ridge::app;
using test::Bench;

class TestLessonTrouble : public QObject {
    Q_OBJECT

private:
    static QString textOf(QWidget* widget)
    {
        QStringList texts;
        for (const QLabel* label : widget->findChildren<QLabel*>())
            if (label->isVisible())
                texts += label->text();
        return texts.join(QLatin1Char(' '));
    }

    static bool saysValid(QWidget* widget)
    {
        const auto badges = widget->findChildren<Badge*>();
        return std::ranges::any_of(badges, [](const Badge* badge) {
            return badge->toolTip().contains(QStringLiteral("Nothing spoiled this number"));
        });
    }

private Q_SLOTS:
    void withoutStoreReadingWorks();
    void withoutWorkerBlocksSayWhy();
    void malformedLessonNamesFileAndLine();
    void unknownLessonNamesTheKnownOnes();
    void workerDiesMidSweep();
    void workerReportsAnErrorAndRetryWorks();
    void targetThatCannotRun();
    void targetThatIsNotListed();
    void targetThatGivesCountsOnly();
    void runsThatLackWhatWasAskedFor();
    void missingKernelSource();
};

void TestLessonTrouble::withoutStoreReadingWorks()
{
    Bench bench;
    bench.start(false);
    bench.loadCatalogue();
    bench.openPage();
    auto* notice = bench.page().findChild<QWidget*>(QStringLiteral("storeNotice"));
    QVERIFY(notice->isVisible());
    QVERIFY(textOf(notice).contains(QStringLiteral("Your record is damaged")));
    QVERIFY(textOf(notice).contains(QStringLiteral("Restore the backup")));
    for (const char* id : {"guess", "once", "curve", "prove"}) {
        QVERIFY(!bench.part(id, "runButton")->isEnabled());
        QVERIFY(bench.status(id).contains(QStringLiteral("damaged")));
    }
    QVERIFY(!bench.part("choose", "checkButton")->isEnabled());
    QVERIFY(!bench.part("note", "shipButton")->isEnabled());
    bench.page().commitAndRun();                               // nothing to do, nothing to fall over
    QVERIFY(bench.part("play", "slider:stride")->isEnabled()); // what needs no run still answers
}

void TestLessonTrouble::withoutWorkerBlocksSayWhy()
{
    Bench bench("no-catalogue");
    bench.loadCatalogue();
    bench.openPage();
    auto* notice = bench.page().findChild<QWidget*>(QStringLiteral("workerNotice"));
    QVERIFY(notice->isVisible());
    QVERIFY(!bench.app().catalogueError()->fix.empty());
    QVERIFY(textOf(notice).contains(QString::fromStdString(bench.app().catalogueError()->fix)));
    QVERIFY(!bench.part("guess", "runButton")->isEnabled());
    QVERIFY(bench.status("guess").contains(QString::fromStdString(bench.app().catalogueError()->message)));
    qputenv("RIDGE_FAKE", "");
    QVERIFY(bench.click(notice->findChild<QPushButton*>()));
    QTRY_VERIFY(bench.part("guess", "runButton")->isEnabled());
    QVERIFY(!notice->isVisible());
}

void TestLessonTrouble::malformedLessonNamesFileAndLine()
{
    Bench bench;
    const auto file = bench.lessonFile();
    auto text = *readFile(file);
    const auto at = text.find("metric: sectors_per_request\nunit");
    QVERIFY(at != std::string::npos);
    text.replace(at, 6, "metrik");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    QVERIFY(writeFile(file, text).ok());
    bench.start();
    bench.openPage();
    const QString shown = textOf(&bench.page());
    QVERIFY2(shown.contains(QStringLiteral("01-fixture.md:")), qPrintable(shown));
    QVERIFY2(shown.contains(QStringLiteral("'metric'")), qPrintable(shown));
    QVERIFY(!bench.page().blockWidget(QStringLiteral("guess")));
    bench.page().nextBlock();
    bench.page().commitAndRun();
    bench.page().shipArtifact();
    QCOMPARE(bench.page().runningJobs(), 0);
}

void TestLessonTrouble::unknownLessonNamesTheKnownOnes()
{
    Bench bench;
    LessonPage page(bench.app(), QStringLiteral("9.9"));
    page.show();
    QVERIFY(textOf(&page).contains(QStringLiteral("9.9")));
    QVERIFY(textOf(&page).contains(QStringLiteral("2.1")));
}

void TestLessonTrouble::workerDiesMidSweep()
{
    Bench bench("die");
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(bench.commitAndRun());
    QVERIFY(bench.click("curve", "runButton"));
    auto* card = bench.part("curve", "errorCard");
    QTRY_VERIFY(card->isVisible());
    QVERIFY(bench.waitForIdle());
    QVERIFY2(textOf(card).contains(QStringLiteral("SIGKILL")) || textOf(card).contains(QStringLiteral("9")),
             qPrintable(textOf(card)));
    auto* chart = bench.block("curve")->findChild<SweepChart*>();
    QTRY_COMPARE(chart->data().series.size(), 1u);
    QTRY_COMPARE(chart->data().series.at(0).points.size(), 2u); // what arrived stays
    QCOMPARE(bench.part("lanes", "sceneEmpty")->isVisible(), false);
    qputenv("RIDGE_FAKE", "");
    QVERIFY(bench.click(card->findChild<QPushButton*>()));
    QTRY_COMPARE(chart->data().series.at(0).points.size(), 6u);
    QVERIFY(bench.waitForIdle());
    QVERIFY(!card->isVisible());
}

void TestLessonTrouble::workerReportsAnErrorAndRetryWorks()
{
    Bench bench("fail");
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(bench.click("guess", "runButton"));
    auto* card = bench.part("guess", "errorCard");
    QTRY_VERIFY(card->isVisible());
    QVERIFY(bench.waitForIdle());
    for (const char* piece : {"asks for 90 GB", "elements", "Ask for fewer elements"})
        QVERIFY2(textOf(card).contains(QLatin1String(piece)), piece);
    qputenv("RIDGE_FAKE", "");
    QVERIFY(bench.click(card->findChild<QPushButton*>()));
    QTRY_VERIFY(bench.part("guess", "factor")->isVisible());
    QCOMPARE(bench.store().predictions("2.1")->size(), 1u); // the retry ran, it did not predict again
}

void TestLessonTrouble::targetThatCannotRun()
{
    Bench bench("no-target");
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(!bench.part("guess", "runButton")->isEnabled());
    QVERIFY2(bench.status("guess").contains(QStringLiteral("shipped PTX is missing")),
             qPrintable(bench.status("guess")));
    QVERIFY(bench.status("guess").contains(QStringLiteral("Reinstall")));
}

void TestLessonTrouble::targetThatIsNotListed()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(bench.part("guess", "runButton")->isEnabled());
    bench.app().setTarget(QStringLiteral("sim:abacus"));
    QVERIFY(!bench.part("guess", "runButton")->isEnabled());
    QVERIFY(bench.status("guess").contains(QStringLiteral("sim:abacus")));
    bench.app().setTarget(QStringLiteral("sim:h100-sxm"));
    QVERIFY(bench.part("guess", "runButton")->isEnabled());
}

void TestLessonTrouble::targetThatGivesCountsOnly()
{
    Bench bench("counts-only");
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(!bench.part("guess", "runButton")->isEnabled());
    QVERIFY2(bench.status("guess").contains(QStringLiteral("gives counts only")), qPrintable(bench.status("guess")));
    QVERIFY2(bench.status("guess").contains(QStringLiteral("Choose t4 (simulated), the nearest chip that can")),
             qPrintable(bench.status("guess")));
    bench.page().commitAndRun();
    QVERIFY(bench.waitForIdle());
    QVERIFY2(bench.store().predictions("2.1")->empty(), "a prediction that nothing can answer was spent");
    bench.shoot(QStringLiteral("counts-only"));
    bench.app().setTarget(QStringLiteral("sim:t4"));
    QVERIFY2(bench.part("guess", "runButton")->isEnabled(), qPrintable(bench.status("guess")));
    QVERIFY(bench.click("guess", "runButton"));
    QTRY_COMPARE_WITH_TIMEOUT(bench.store().predictions("2.1")->size(), std::size_t(1), 30000);
    QVERIFY(bench.waitForIdle());
}

void TestLessonTrouble::runsThatLackWhatWasAskedFor()
{
    Bench bench("no-metric");
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(bench.click("guess", "runButton"));
    QTRY_VERIFY(!bench.store().runs({.lesson = "2.1", .block = "guess"})->empty());
    QVERIFY(bench.waitForIdle());
    const QString said = bench.status("guess");
    QVERIFY2(said.contains(QStringLiteral("gave no")), qPrintable(said));
    QVERIFY(!bench.part("guess", "runButton")->isEnabled());
    QVERIFY(!saysValid(bench.block("guess")));
    bench.runSweep();
    QVERIFY(bench.waitForIdle());
    QVERIFY(bench.part("curve", "lacking")->isVisible());
    QVERIFY(!saysValid(bench.block("curve")));
    bench.shoot(QStringLiteral("no-metric"));
}

void TestLessonTrouble::missingKernelSource()
{
    Bench bench;
    std::filesystem::remove(bench.data() / "kernels");
    bench.openPage();
    bool said = false;
    for (BlockWidget* block : bench.page().findChildren<BlockWidget*>())
        said |= block->block().kind == "kernel" && textOf(block).contains(QStringLiteral("01_strided_read.cu"));
    QVERIFY(said);
}

QTEST_MAIN(TestLessonTrouble)
#include "tst_lesson_trouble.moc"
