// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/lesson/reader/reader_support.h"

#include "app/ui/target_box.h"
#include "app/ui/targets.h"

#include <QLineEdit>
#include <QMenu>

using namespace ridge;
using namespace ridge::app;
using test::Bench;

class TestAppContext : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void catalogueComesWithoutBlocking();
    void brokenWorkerIsNamed();
    void missingWorkerIsNamed();
    void chosenTargetIsKept();
    void machinesAnswerForTheirEngineAlone();
    void lessonRunsOnTheMachineItIsAbout();
    void lessonRunsOnTheChipItIsAbout();
    void manyChipsAreGroupedAndSearched();
    void curriculumProblemsAreKept();
    void evidenceCountsValidRunsAndRoughTimes();
};

void TestAppContext::catalogueComesWithoutBlocking()
{
    Bench bench;
    QSignalSpy ready(&bench.app(), &AppContext::catalogueReady);
    bench.app().loadCatalogue();
    QVERIFY(!bench.app().hasCatalogue()); // it did not wait for the worker
    QVERIFY(ready.wait(60000));
    QVERIFY(bench.app().experiment("coalescing"));
    QVERIFY(!bench.app().experiment("nothing"));
    QCOMPARE(bench.app().target(), QStringLiteral("sim:h100-sxm")); // gpu:0 is listed but not available
    QVERIFY(bench.app().targetInfo(bench.app().target()).available);
    QVERIFY(!bench.app().targetInfo(QStringLiteral("gpu:0")).available);
    QCOMPARE(bench.app().targetInfo(QStringLiteral("gpu:0")).reason, QStringLiteral("no driver"));
    QCOMPARE(AppContext::targetClass(QStringLiteral("sim:h100-sxm")), std::string("sim"));
}

void TestAppContext::brokenWorkerIsNamed()
{
    Bench bench("no-catalogue");
    QSignalSpy failed(&bench.app(), &AppContext::catalogueFailed);
    QSignalSpy notice(&bench.app(), &AppContext::notice);
    bench.app().loadCatalogue();
    QVERIFY(failed.wait(60000));
    QVERIFY(bench.app().catalogueError());
    QVERIFY(!bench.app().hasCatalogue());
    QVERIFY(notice.size() == 1 && notice.front().at(1).toBool());
    qputenv("RIDGE_FAKE", "");
    QTRY_VERIFY([&] {
        bench.app().loadCatalogue();
        return QTest::qWaitFor([&] { return bench.app().hasCatalogue(); }, 3000);
    }());
    QVERIFY(!bench.app().catalogueError());
}

void TestAppContext::missingWorkerIsNamed()
{
    Bench bench;
    qputenv("RIDGE_WORKER", "/nowhere/ridge-worker");
    QSignalSpy failed(&bench.app(), &AppContext::catalogueFailed);
    bench.app().loadCatalogue();
    QTRY_VERIFY(!failed.isEmpty());
    QCOMPARE(bench.app().catalogueError()->code, std::string("worker-missing"));
    QVERIFY(toText(*bench.app().catalogueError()).find("/nowhere/ridge-worker") != std::string::npos);
}

void TestAppContext::chosenTargetIsKept()
{
    Bench bench;
    QSignalSpy changed(&bench.app(), &AppContext::targetChanged);
    bench.app().setTarget(QStringLiteral("sim:a100"));
    bench.app().setTarget(QStringLiteral("sim:a100"));
    QCOMPARE(changed.size(), 1);
    bench.start();
    QCOMPARE(bench.app().target(), QStringLiteral("sim:a100"));
    bench.loadCatalogue(); // not among the worker's targets: kept, and said
    QCOMPARE(bench.app().target(), QStringLiteral("sim:a100"));
    QVERIFY(!bench.app().targetInfo(bench.app().target()).available);
}

void TestAppContext::lessonRunsOnTheMachineItIsAbout()
{
    Bench bench("machines");
    bench.loadCatalogue();
    AppContext& app = bench.app();
    lessons::Lesson lesson;
    lesson.id = "9.1";
    lesson.target = "machine:big";
    LessonState state(app, lesson);
    QCOMPARE(app.targetOf("cache"), QStringLiteral("machine:small"));
    QCOMPARE(state.targetOf("cache"), QStringLiteral("machine:big"));
    QCOMPARE(state.targetOf("coalescing"), QStringLiteral("sim:h100-sxm"));
    app.setTarget(QStringLiteral("machine:hbm3")); // of another engine
    QCOMPARE(state.targetOf("cache"), QStringLiteral("machine:big"));
    app.setTarget(QStringLiteral("machine:small"));
    QCOMPARE(state.targetOf("cache"), QStringLiteral("machine:small"));
    // What was chosen before a lesson is opened does not count in it.
    QCOMPARE(LessonState(app, lesson).targetOf("cache"), QStringLiteral("machine:big"));
    lesson.target.clear();
    QCOMPARE(LessonState(app, lesson).targetOf("cache"), QStringLiteral("machine:small"));
}

void TestAppContext::lessonRunsOnTheChipItIsAbout()
{
    Bench bench("machines");
    bench.loadCatalogue();
    AppContext& app = bench.app();
    lessons::Lesson lesson;
    lesson.id = "9.1";
    lesson.target = "sim:t4";
    LessonState state(app, lesson);
    QCOMPARE(app.targetOf("coalescing"), QStringLiteral("sim:h100-sxm"));
    QCOMPARE(state.targetOf("coalescing"), QStringLiteral("sim:t4"));
    QCOMPARE(state.targetOf("cache"), QStringLiteral("machine:small"));
    app.setTarget(QStringLiteral("sim:h100-sxm")); // on this page
    QCOMPARE(state.targetOf("coalescing"), QStringLiteral("sim:h100-sxm"));
    app.setTarget(QStringLiteral("sim:v100-sxm2-32"));
    QCOMPARE(state.targetOf("coalescing"), QStringLiteral("sim:v100-sxm2-32"));
    QCOMPARE(LessonState(app, lesson).targetOf("coalescing"), QStringLiteral("sim:v100-sxm2-32"));
}

void TestAppContext::machinesAnswerForTheirEngineAlone()
{
    Bench bench("machines");
    bench.loadCatalogue();
    AppContext& app = bench.app();
    QCOMPARE(app.target(), QStringLiteral("sim:h100-sxm"));
    QCOMPARE(app.targetOf("cache"), QStringLiteral("machine:small"));
    QCOMPARE(app.targetOf("coalescing"), QStringLiteral("sim:h100-sxm"));
    QSignalSpy changed(&app, &AppContext::targetChanged);
    app.setTarget(QStringLiteral("machine:big"));
    QCOMPARE(changed.size(), 1);
    QCOMPARE(app.target(), QStringLiteral("sim:h100-sxm"));
    QCOMPARE(app.targetOf("cache"), QStringLiteral("machine:big"));
    QCOMPARE(app.targetOf("coalescing"), QStringLiteral("sim:h100-sxm"));
    app.setTarget(QStringLiteral("machine:hbm3")); // of another engine
    QCOMPARE(app.targetOf("cache"), QStringLiteral("machine:big"));
    QVERIFY(app.isChosen(QStringLiteral("machine:big")) && app.isChosen(QStringLiteral("sim:h100-sxm")));
    QVERIFY(!app.isChosen(QStringLiteral("machine:small")));

    QMenu menu;
    fillTargetMenu(&menu, app);
    QStringList beside, own;
    for (const QAction* action : menu.actions())
        if (action->isEnabled() && !action->menu() && !action->isSeparator())
            beside << action->toolTip();
    auto* machines = menu.findChild<QMenu*>(QStringLiteral("machines"));
    QVERIFY(machines);
    for (const QAction* action : machines->actions())
        own << action->toolTip() + (action->isChecked() ? QStringLiteral("!") : QString());
    QCOMPARE(beside, QStringList{QStringLiteral("sim:h100-sxm")});
    QCOMPARE(own, QStringList({QStringLiteral("machine:big!"), QStringLiteral("machine:hbm3"),
                               QStringLiteral("machine:small")}));

    bench.start(); // the choice is kept
    bench.loadCatalogue();
    QCOMPARE(bench.app().targetOf("cache"), QStringLiteral("machine:big"));
}

void TestAppContext::manyChipsAreGroupedAndSearched()
{
    Bench bench("counts-only");
    bench.loadCatalogue();
    QMenu menu;
    fillTargetMenu(&menu, bench.app());
    const auto shown = [](const QMenu* of) {
        QStringList texts;
        for (const QAction* action : of->actions())
            if (action->isVisible() && !action->isSeparator() && !action->text().isEmpty())
                texts << action->text();
        return texts;
    };
    // What is of this machine, the chosen chip, and a menu for each group of the 15 chips.
    const QStringList before = shown(&menu);
    QVERIFY2(before.contains(QStringLiteral("H100 SXM5 80GB (simulated)\tcounts only")),
             qPrintable(before.join(u'\n')));
    for (const char* group : {"Data centre (2)", "Desktop (12)", "Laptop (1)"})
        QVERIFY2(before.contains(QString::fromLatin1(group)), group);
    QVERIFY(before.size() < 9);
    const auto* laptops = menu.findChild<QMenu*>(QStringLiteral("group-Laptop"));
    QVERIFY(laptops);
    QCOMPARE(shown(laptops), QStringList{QStringLiteral("rtx3050-laptop (simulated)\ttimes and counts")});
    QVERIFY(laptops->actions().front()->toolTip().contains(QStringLiteral("derived by rule from a40")));

    auto* search = menu.findChild<QLineEdit*>(QStringLiteral("targetSearch"));
    QVERIFY(search);
    search->setText(QStringLiteral("3050"));
    QVERIFY(shown(&menu).contains(QStringLiteral("rtx3050-laptop (simulated)\ttimes and counts")));
    QVERIFY(!shown(&menu).contains(QStringLiteral("Laptop (1)")));
    search->setText(QStringLiteral("nothing like it"));
    QVERIFY(!shown(&menu).filter(QStringLiteral("nothing like it")).isEmpty());
    search->clear();
    QCOMPARE(shown(&menu), before);
    search->setText(QStringLiteral("laptop 30"));
    QTest::keyClick(search, Qt::Key_Return);
    QCOMPARE(bench.app().target(), QStringLiteral("sim:rtx3050-laptop"));

    QCOMPARE(countsOnlyNote(bench.app(), QStringLiteral("sim:rtx3050-laptop")), QString());
    QCOMPARE(countsOnlyNote(bench.app(), QStringLiteral("sim:h100-sxm")),
             QStringLiteral("H100 SXM5 80GB (simulated) gives counts only, no times. The nearest chip that gives times "
                            "is t4 (simulated)."));
    TargetBox box(bench.app());
    box.addTargets([](const std::string& id) { return id.starts_with("sim:"); });
    QCOMPARE(box.count(), 15);
    QCOMPARE(box.itemText(0), QStringLiteral("H100 SXM5 80GB (simulated), counts only"));
    QCOMPARE(box.itemData(14).toString(), QStringLiteral("sim:rtx3050-laptop")); // laptops come after desktops
    QSignalSpy activated(&box, &QComboBox::activated);
    box.show();
    box.showPopup();
    auto* popup = box.findChild<QMenu*>(QStringLiteral("targetMenu"));
    QVERIFY(popup);
    popup->findChild<QLineEdit*>(QStringLiteral("targetSearch"))->setText(QStringLiteral("desk11"));
    QTest::keyClick(popup->findChild<QLineEdit*>(QStringLiteral("targetSearch")), Qt::Key_Return);
    QCOMPARE(activated.size(), 1);
    QCOMPARE(box.currentData().toString(), QStringLiteral("sim:desk11"));
}

void TestAppContext::curriculumProblemsAreKept()
{
    Bench bench;
    QVERIFY(bench.app().curriculumProblems().empty());
    QVERIFY(writeFile(bench.data() / "curriculum" / "claims.yaml", "x: [").ok());
    bench.start();
    QVERIFY(!bench.app().curriculumProblems().empty());
    QCOMPARE(bench.app().curriculumProblems().front().at.file, std::string("claims.yaml"));
    QCOMPARE(bench.app().curriculum().heads.size(), 1u);
}

void TestAppContext::evidenceCountsValidRunsAndRoughTimes()
{
    Bench bench;
    const auto keep = [&](const char* status, const char* validity) {
        record::RunRow row;
        row.lesson = "2.1";
        row.block = "curve";
        row.experiment = "coalescing";
        row.target = "sim:h100-sxm";
        row.status = status;
        row.validity = validity;
        row.sweepId = "s";
        row.fingerprint = Json::object();
        if (std::string_view(status) == "failed")
            row.error = Error{"x", "y", "", ""};
        auto stored = bench.store().append(std::move(row));
        stored.waitForFinished();
        return stored.result().ok();
    };
    QVERIFY(keep("finished", "valid"));
    QVERIFY(keep("finished", "throttled"));
    QVERIFY(keep("failed", ""));
    QVERIFY(keep("finished", "contended (3 processes)")); // of a GPU
    QCOMPARE(bench.app().evidence("2.1").runs.size(), 1u);
    QVERIFY(keep("finished", "contended")); // of this machine's processor
    QVERIFY(keep("finished", "on battery"));
    QVERIFY(keep("failed", "on battery"));
    QCOMPARE(bench.app().evidence("2.1").runs.size(), 3u);
    QVERIFY(bench.app().evidence("2.2").runs.empty());
}

QTEST_MAIN(TestAppContext)
#include "tst_app_context.moc"
