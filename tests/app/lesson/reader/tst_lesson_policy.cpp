// SPDX-License-Identifier: GPL-3.0-or-later
// The feedback policy of an assignment in a lesson: nothing that it keeps back is on the page, all of it is stored, and
// it comes when its time has come. Each test shows first that it is there without an assignment.
#include "reader_support.h"

#include "app/drawing/charts/prediction_mark.h"
#include "app/drawing/charts/sweep_chart.h"
#include "app/drawing/scenes/scene_view.h"

#include <QLineEdit>
#include <QPushButton>

using namespace ridge;
using namespace ridge::app;
using classroom::FeedbackWhen;
using test::Bench;

namespace {

const std::string kLater = "2098-03-08T18:00:00.000Z";

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

/// Gives the lesson of the bench out with a policy, as another edition of the same assignment each time.
class Desk {
public:
    void assign(Bench& bench, std::map<std::string, FeedbackWhen> feedback, const std::string& deadline = kLater)
    {
        classroom::Assignment assignment;
        assignment.id = "0190a1b2-0000-7000-8000-000000000001";
        assignment.title = "Week 1";
        assignment.createdAt =
            QStringLiteral("2026-01-01T00:00:%1.000Z").arg(m_edition++, 2, 10, QLatin1Char('0')).toStdString();
        assignment.deadline = deadline;
        assignment.feedback = std::move(feedback);
        assignment.lessons = {{"2.1", "Fixture", "# Fixture", {}}};
        const auto written = classroom::createAssignment(assignment, m_keys);
        QVERIFY2(written.ok(), written ? "" : toText(written.error()).c_str());
        const auto accepted = classroom::acceptAssignment(bench.storeFolder(), written->bytes, "week.ridgeclass");
        QVERIFY2(accepted.ok(), accepted ? "" : toText(accepted.error()).c_str());
        bench.app().feedback().reload();
    }

private:
    classroom::ClassKeys m_keys = classroom::classKeysFromSeed(std::string(32, 'k')).value();
    int m_edition = 10;
};

/// Every word that the page shows or says.
QString words(QWidget* from)
{
    QString all;
    for (const QWidget* each : from->findChildren<QWidget*>()) {
        if (!each->isVisibleTo(from))
            continue;
        all += each->accessibleName() + QLatin1Char('\n') + each->accessibleDescription() + QLatin1Char('\n') +
               each->toolTip() + QLatin1Char('\n');
        if (const auto* label = qobject_cast<const QLabel*>(each))
            all += label->text() + QLatin1Char('\n');
    }
    return all;
}

} // namespace

class TestLessonPolicy : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aPredictionKeepsItsRevealBack();
    void resultsAreKeptBackAndStored();
    void checksAndAnswersAreKeptBack();
    void aReasonIsTakenWithoutAWord();
    void exploringIsFree();
    void aDeadlineOpensThePage();
};

void TestLessonPolicy::aPredictionKeepsItsRevealBack()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(bench.commitAndRun());
    auto* headline = bench.part<QLabel>("guess", "factor");
    auto* held = bench.part<QLabel>("guess", "held");
    auto* bar = bench.block("guess")->findChild<RevealBar*>();
    QVERIFY(headline->isVisible() && !held->isVisible());
    QVERIFY(bar->summary().contains(s("The result is 8")));

    Desk desk;
    desk.assign(bench, {{"predicted", FeedbackWhen::Deadline}});
    QVERIFY(!headline->isVisible());
    QVERIFY(!bar->summary().contains(s("The result")));
    QVERIFY(held->isVisible());
    QVERIFY2(held->text().contains(s("Your run gave 8")), qPrintable(held->text())); // "ran" is not kept back
    QVERIFY2(held->text().contains(s("8 March 2098, 18:00")), qPrintable(held->text()));
    QVERIFY(!words(bench.block("guess")).contains(s("share it"))); // nor the mechanism
    QVERIFY(!bench.part("guess", "runButton")->isVisible());       // it was run; once is enough
    QVERIFY(bench.part("guess", "reason:each")->isVisible());      // the learner's own step goes on
    QCOMPARE(bench.block("curve")->findChild<SweepChart*>()->data().predictions.size(), 0u);

    desk.assign(bench, {{"predicted", FeedbackWhen::Never}});
    QVERIFY2(held->text().contains(s("does not show")), qPrintable(held->text()));
    desk.assign(bench, {});
    QVERIFY(headline->isVisible() && !held->isVisible());
    QVERIFY(bar->summary().contains(s("The result is 8")));
}

void TestLessonPolicy::resultsAreKeptBackAndStored()
{
    Bench bench;
    Desk desk;
    desk.assign(bench, {{"ran", FeedbackWhen::Deadline}});
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(bench.click("guess", "runButton"));
    QTRY_COMPARE(bench.store().runs({.lesson = "2.1", .block = "guess"})->size(), 1u);
    QVERIFY(bench.waitForIdle());
    QVERIFY(bench.click("once", "runButton"));
    QTRY_COMPARE(bench.store().runs({.lesson = "2.1", .block = "once"})->size(), 1u);
    QVERIFY(bench.waitForIdle());
    QVERIFY(bench.runSweep());
    // Stored at once, whole.
    const auto stored = bench.store().runs({.lesson = "2.1"});
    for (const record::RunRow& run : *stored)
        QVERIFY(run.metrics.contains("sectors_per_request"));
    auto* chart = bench.block("curve")->findChild<SweepChart*>();
    for (const auto& series : chart->data().series)
        QVERIFY(series.points.empty());
    for (const char* block : {"guess", "once", "curve"}) {
        auto* held = bench.part<QLabel>(block, "held");
        QTRY_VERIFY2(held->isVisible(), block);
        QVERIFY2(held->text().contains(s("stored")) && held->text().contains(s("Week 1")), qPrintable(held->text()));
        QVERIFY2(!words(bench.block(block)).contains(s("8 sectors")), qPrintable(words(bench.block(block))));
    }
    QVERIFY(!bench.part<QLabel>("guess", "factor")->isVisible());
    QVERIFY(bench.part("lanes", "sceneEmpty")->isVisible());

    desk.assign(bench, {});
    QTRY_COMPARE(chart->data().series.size(), 1u);
    QCOMPARE(chart->data().series[0].points.size(), 6u);
    QVERIFY(bench.part<QLabel>("guess", "factor")->isVisible());
    QTRY_VERIFY(words(bench.block("once")).contains(s("8 sectors")));
    for (const char* block : {"guess", "once", "curve"})
        QVERIFY2(!bench.part(block, "held")->isVisible(), block);
    QTRY_VERIFY(!bench.part("lanes", "sceneEmpty")->isVisible());
}

void TestLessonPolicy::checksAndAnswersAreKeptBack()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(bench.commitAndRun());
    auto* field = bench.part("count", "number");
    bench.type(field, s("12"));
    QTest::keyClick(field, Qt::Key_Return);
    auto* verdict = bench.part<QLabel>("count", "verdict");
    QTRY_VERIFY(verdict->isVisible());
    QVERIFY(verdict->text().startsWith(s("Right")));
    const auto met = [&] { return bench.page().findChildren<QLabel*>(s("checksMet")).front()->text(); };
    QTRY_COMPARE(met(), s("2 of 4 checks met"));

    Desk desk;
    desk.assign(bench, {{"passed", FeedbackWhen::Deadline}});
    QVERIFY(!verdict->isVisible());
    QVERIFY2(bench.part<QLabel>("count", "held")->text().contains(s("Your answer is stored.")),
             qPrintable(bench.part<QLabel>("count", "held")->text()));
    QCOMPARE(met(), s("1 of 2 checks met, 2 shown later")); // that it was predicted, and is not shipped, is no secret
    QTRY_VERIFY(words(&bench.page()).contains(s("Shown later: You can count an odd stride")));
    const QString page = words(&bench.page());
    QVERIFY(!page.contains(s("Met: You can count an odd stride")));
    QTRY_VERIFY(words(&bench.page()).contains(s("Met: You committed a number")));
    QVERIFY(!page.contains(s("12 sectors"))); // the question's explanation
    auto* prove = bench.part<QLabel>("prove", "verdict");
    QVERIFY(!prove->isVisible());
    // Another attempt is stored as ever, and nothing tells how it went.
    bench.type(field, s("3"));
    QTest::keyClick(field, Qt::Key_Return);
    QTRY_COMPARE(bench.store().answers("2.1")->size(), 2u);
    QVERIFY(!verdict->isVisible() && !bench.part("count", "misconception")->isVisible());
    // Results of runs are another step.
    QVERIFY(bench.part<QLabel>("guess", "factor")->isVisible());

    desk.assign(bench, {});
    QVERIFY(verdict->isVisible() && verdict->text().startsWith(s("Not yet")));
    QCOMPARE(met(), s("2 of 4 checks met"));
}

void TestLessonPolicy::aReasonIsTakenWithoutAWord()
{
    Bench bench;
    Desk desk;
    desk.assign(bench, {{"explained", FeedbackWhen::Never}});
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(bench.commitAndRun());
    QVERIFY(bench.click("guess", "reason:each"));
    auto* explains = bench.part<QLabel>("guess", "reasonExplains");
    QTRY_VERIFY(explains->isVisible());
    QVERIFY2(!explains->text().contains(s("Four lanes")), qPrintable(explains->text()));
    QVERIFY(explains->text().contains(s("Your reason is stored.")));
    QCOMPARE(bench.store().reasons(bench.store().predictions("2.1")->front().id)->size(), 1u);
    bench.closePage();
    desk.assign(bench, {});
    bench.openPage();
    QTRY_VERIFY(bench.part<QLabel>("guess", "reasonExplains")->text().contains(s("Four lanes")));
}

/// An explore block runs nothing and stores nothing: no step's policy speaks of it.
void TestLessonPolicy::exploringIsFree()
{
    Bench bench;
    Desk desk;
    desk.assign(bench, {{"predicted", FeedbackWhen::Never},
                        {"ran", FeedbackWhen::Never},
                        {"passed", FeedbackWhen::Never},
                        {"shipped", FeedbackWhen::Never},
                        {"explained", FeedbackWhen::Never}});
    bench.openPage();
    auto* view = bench.block("play")->findChild<SceneView*>();
    QVERIFY2(view->drawing().summary.contains(s("4 sectors")), qPrintable(view->drawing().summary));
}

/// The page that is open shows it when the deadline comes; nobody has to start again.
void TestLessonPolicy::aDeadlineOpensThePage()
{
    Bench bench;
    Desk desk;
    const std::string soon = QDateTime::currentDateTimeUtc().addMSecs(6000).toString(Qt::ISODateWithMs).toStdString();
    desk.assign(bench, {{"predicted", FeedbackWhen::Deadline}}, soon);
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(bench.commitAndRun());
    if (QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs).toStdString() < soon)
        QVERIFY(!bench.part("guess", "factor")->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(bench.part("guess", "factor")->isVisible(), 15000);
}

QTEST_MAIN(TestLessonPolicy)
#include "tst_lesson_policy.moc"
