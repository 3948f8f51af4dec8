// SPDX-License-Identifier: GPL-3.0-or-later
// What an assignment keeps back is kept back outside the lesson too: on Home, the module's page, "How I predict" and
// its export, the review, the runs, the comparison and the portfolio. Each test shows first that it is there without
// one.
#include "assignment_support.h"

#include "app/lesson/insight/insight_card.h"
#include "app/lesson/insight/insight_page.h"
#include "app/lesson/insight/review_page.h"
#include "app/portfolio/artifact_card.h"
#include "app/portfolio/artifact_editor.h"
#include "app/portfolio/artifact_view.h"
#include "app/portfolio/assemble_list.h"
#include "app/portfolio/assemble_page.h"
#include "app/portfolio/portfolio_page.h"
#include "app/runs/compare/pin_sources.h"
#include "app/runs/table/runs_page.h"
#include "app/ui/learner_choices.h"
#include "app/window/learn/module_story.h"
#include "app/window/search_overlay.h"

#include <QListView>
#include <QPlainTextEdit>
#include <QTableWidget>
#include <QTreeView>

using namespace ridge;
using namespace ridge::app;

namespace {

const std::map<std::string, FeedbackWhen> kNothing = {};
const std::map<std::string, FeedbackWhen> kAllLater = {{"predicted", FeedbackWhen::Deadline},
                                                       {"ran", FeedbackWhen::Deadline},
                                                       {"passed", FeedbackWhen::Deadline},
                                                       {"shipped", FeedbackWhen::Deadline},
                                                       {"explained", FeedbackWhen::Deadline}};
const std::string kPast = "2026-01-02T00:00:00.000Z";

struct Visit {
    Workplace place{true, Workplace::Lessons::Small};
    Teacher teacher{place.context->curriculum()};

    Visit()
    {
        noteLearnerAsked();
        if (!place.loadCatalogue())
            qFatal("no catalogue");
    }
    /// Work in 1.1 and an artifact of it, whose claim has a number of its run.
    std::string ship()
    {
        workOn(place, "1.1");
        record::ArtifactRow artifact;
        artifact.lesson = "1.1";
        artifact.kind = "profile";
        artifact.title = "A note on one load";
        artifact.claim = "At stride 2 the load touches 8 sectors.";
        artifact.reflection = "I had counted lines.";
        artifact.runIds = {place.context->store()->runs({.lesson = "1.1"})->front().id};
        artifact.predictionIds = {place.context->store()->predictions("1.1")->front().id};
        artifact.charts = Json::array({Json{{"experiment", "coalescing"}, {"chart", ""}, {"caption", ""}}});
        artifact.fingerprint = Json::object();
        return place.store(artifact);
    }
    MainWindow& open(const char* page)
    {
        MainWindow& window = place.window ? *place.window : place.makeWindow();
        (void)window.open(s(page));
        return window;
    }
};

/// The cell of a table that has this in its first column.
QString cell(QWidget* page, const QString& table, const QString& row, int column)
{
    for (QTableWidget* each : page->findChildren<QTableWidget*>())
        if (each->accessibleName() == table)
            for (int r = 0; r < each->rowCount(); ++r)
                if (each->item(r, 0)->text() == row)
                    return each->item(r, column)->text();
    return s("no such cell");
}

} // namespace

class TestPolicyWindow : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void homeTellsNoCalibration();
    void theModulesPageTellsNoChecks();
    void howIPredictAndItsExport();
    void nothingToReviewThatWouldTell();
    void runsHaveNoResults();
    void anArtifactIsShownWithoutItsOutcome();
    void aDraftKeepsItsClaimAndDoesNotShowIt();
    void anExportedFolderHasNoResult();
    void aPortfolioIsAssembledWithoutThem();
    void theSearchDoesNotFindTheClaim();
    void everyAssignmentHasToAllowIt();
};

void TestPolicyWindow::homeTellsNoCalibration()
{
    Visit visit;
    workOn(visit.place, "1.1");
    MainWindow& window = visit.open("home");
    const auto card = [&] { return window.page()->findChild<InsightCard*>(); };
    QVERIFY(card());
    visit.teacher.give(visit.place, {{"predicted", FeedbackWhen::Deadline}});
    QTRY_VERIFY(!card());
    // What the learner did is no outcome.
    QTRY_VERIFY2(wordsOf(window.page()).contains(s("Predicted and ran")), qPrintable(wordsOf(window.page())));
    visit.teacher.give(visit.place, {{"predicted", FeedbackWhen::Deadline}}, kPast);
    QTRY_VERIFY(card());
}

void TestPolicyWindow::theModulesPageTellsNoChecks()
{
    Visit visit;
    workOn(visit.place, "1.1");
    const auto step = [&] { return moduleStory(*visit.place.context, 1)->steps.front(); };
    QCOMPARE(step().passed, 1);
    QVERIFY2(stepText(step()).contains(s("1 of 2 checks pass")), qPrintable(stepText(step())));
    visit.teacher.give(visit.place, {{"passed", FeedbackWhen::Never}});
    QCOMPARE(step().passed, 0);
    QVERIFY(!step().allPassed() && step().held.contains(s("does not show")));
    QVERIFY2(stepText(step()).contains(s("checks shown later")), qPrintable(stepText(step())));
    visit.teacher.give(visit.place, kNothing);
    QCOMPARE(step().passed, 1);
}

void TestPolicyWindow::howIPredictAndItsExport()
{
    Visit visit;
    workOn(visit.place, "1.1");
    record::OutcomeRow passed; // as the lesson stores it when all its checks pass
    passed.lesson = "1.1";
    passed.state = "passed";
    passed.context = "lesson";
    passed.factor = 1.5;
    visit.place.store(passed);
    MainWindow& window = visit.open("insight");
    auto* page = qobject_cast<InsightPage*>(window.page());
    QVERIFY(page->findChild<CalibrationLine*>());
    QCOMPARE(cell(page, s("Lessons"), s("1.1"), 2), s("Solid"));

    visit.teacher.give(visit.place, kAllLater);
    QTRY_VERIFY(!page->findChild<CalibrationLine*>());
    QVERIFY(page->findChild<QLabel*>(s("held")) && page->findChild<QLabel*>(s("heldLessons")));
    QVERIFY(page->findChild<QLabel*>(s("held"))->text().contains(s("8 March 2098, 18:00")));
    for (const int column : {2, 3, 6, 8})
        QCOMPARE(cell(page, s("Lessons"), s("1.1"), column), s("later"));
    QCOMPARE(cell(page, s("Lessons"), s("1.1"), 4), s("yes"));     // it was predicted
    QCOMPARE(cell(page, s("Lessons"), s("2.1"), 2), s("Not yet")); // not assigned
    const QString file = visit.place.home() + s("/progress.json");
    QVERIFY(page->exportTo(file).ok());
    const auto json = parseJson(*readFile(file.toStdString()), "progress");
    QVERIFY(json.ok());
    const Json& lesson = (*json)["lessons"][0];
    QVERIFY(lesson["passed"].is_null() && lesson["mastery"].is_null() && lesson["explained"].is_null());
    QCOMPARE(lesson["predicted"].get<bool>(), true);
    QCOMPARE((*json)["calibration"]["predictions"].get<int>(), 0);
    QCOMPARE((*json)["held"].size(), std::size_t{1});

    visit.teacher.give(visit.place, kAllLater, kPast);
    QVERIFY(page->findChild<CalibrationLine*>());
    QTRY_COMPARE(cell(page, s("Lessons"), s("1.1"), 2), s("Solid"));
    QTRY_VERIFY(!page->findChild<QLabel*>(s("held")));
}

/// That a question comes back says that its prediction missed.
void TestPolicyWindow::nothingToReviewThatWouldTell()
{
    Visit visit;
    record::PredictionRow prediction;
    prediction.lesson = "1.1";
    prediction.block = "guess";
    prediction.experiment = "coalescing";
    prediction.metric = "sectors_per_request";
    prediction.unit = "sectors/request";
    prediction.params = {{"stride", std::int64_t{2}}};
    prediction.point = 100;
    prediction.low = 90;
    prediction.high = 110;
    prediction.createdAt = "2026-01-01T10:00:00.000Z";
    const std::string id = visit.place.store(prediction);
    record::RunRow run = Workplace::run(2, "s1", "1.1");
    run.block = "guess";
    run.predictionId = id;
    visit.place.store(run);
    const auto questions = [&] {
        ReviewPage page(*visit.place.context);
        (void)page.open({});
        return page.questions();
    };
    QCOMPARE(questions(), 1);
    visit.teacher.give(visit.place, {{"predicted", FeedbackWhen::Deadline}});
    QCOMPARE(questions(), 0);
    visit.teacher.give(visit.place, kNothing);
    QCOMPARE(questions(), 1);
}

void TestPolicyWindow::runsHaveNoResults()
{
    Visit visit;
    workOn(visit.place, "1.1");
    record::RunRow free = Workplace::run(4, "s2"); // in the Lab: no lesson, no policy
    visit.place.store(free);
    MainWindow& window = visit.open("runs");
    auto* table = window.page()->findChild<QTreeView*>();
    const auto results = [&] {
        QStringList all;
        for (int row = 0; row < table->model()->rowCount(); ++row)
            all << table->model()->index(row, RunsModel::Result).data().toString();
        all.sort();
        return all;
    };
    QTRY_COMPARE(results().size(), 2);
    QTRY_COMPARE(results(), (QStringList{s("16 sectors/request"), s("8 sectors/request")}));
    visit.teacher.give(visit.place, {{"ran", FeedbackWhen::Deadline}});
    QTRY_COMPARE(results(), (QStringList{s("16 sectors/request"), s("shown later")}));

    const auto stored = visit.place.context->store()->runs({.lesson = "1.1"});
    QCOMPARE(stored->front().metrics.at("sectors_per_request").value, 8.0); // nothing is lost
    const QString id = QString::fromStdString(stored->front().id);
    QVERIFY(window.open(s("runs/") + id).ok());
    QTRY_VERIFY2(wordsOf(window.page()).contains(s("What it gave is stored. Week 1")),
                 qPrintable(wordsOf(window.page())));
    QVERIFY(!wordsOf(window.page()).contains(s("8 sectors")));
    QVERIFY(pinByKey(*visit.place.context, s("run:") + id).ok());
    QVERIFY(visit.place.context->pins().pins().front().runs.front().metrics.empty());
    const QString csv = visit.place.home() + s("/runs.csv");
    QVERIFY(qobject_cast<RunsPage*>(window.page())->exportTo(csv).ok());
    QVERIFY(!QString::fromStdString(*readFile(csv.toStdString())).contains(s(",8,")));

    visit.teacher.give(visit.place, kNothing);
    QTRY_COMPARE(results(), (QStringList{s("16 sectors/request"), s("8 sectors/request")}));
    const auto pinned = [&] { return visit.place.context->pins().pins().front().runs.front().metrics.size(); };
    QCOMPARE(pinned(), std::size_t{1}); // pins are read anew
    visit.teacher.give(visit.place, {{"ran", FeedbackWhen::Deadline}});
    QCOMPARE(pinned(), std::size_t{0});
}

void TestPolicyWindow::anArtifactIsShownWithoutItsOutcome()
{
    Visit visit;
    const QString place = s("artifact/") + QString::fromStdString(visit.ship());
    MainWindow& window = visit.open("portfolio");
    QVERIFY(window.open(place).ok());
    auto* page = qobject_cast<PortfolioPage*>(window.page());
    // A number keeps its unit on its line by a space of its own.
    const auto said = [&] { return wordsOf(page->view()).replace(QChar::Nbsp, QLatin1Char(' ')); };
    QTRY_VERIFY(said().contains(s("touches 8 sectors")) && said().contains(s("Trust T1")));
    const auto cards = [&] { return page->findChild<ArtifactCard*>()->accessibleName(); };
    QVERIFY2(cards().contains(s("result 8")), qPrintable(cards()));

    visit.teacher.give(visit.place, kAllLater);
    QTRY_VERIFY2(said().contains(s("The claim is stored. Week 1")), qPrintable(said()));
    QVERIFY2(!said().contains(s("8 sectors")), qPrintable(said()));
    QVERIFY(!said().contains(s("Trust T1.")));
    QVERIFY(said().contains(s("I had counted lines."))); // the learner's own words
    QVERIFY2(!cards().contains(s("result")) && !cards().contains(s("8 sectors")), qPrintable(cards()));
    QCOMPARE(visit.place.context->store()->artifacts()->front().claim,
             std::string("At stride 2 the load touches 8 sectors."));

    visit.teacher.give(visit.place, kAllLater, kPast);
    QTRY_VERIFY(said().contains(s("touches 8 sectors")));
}

void TestPolicyWindow::aDraftKeepsItsClaimAndDoesNotShowIt()
{
    Visit visit;
    const std::string id = visit.ship();
    MainWindow& window = visit.open("portfolio");
    QVERIFY(window.open(s("portfolio/edit/") + QString::fromStdString(id)).ok());
    auto* page = qobject_cast<PortfolioPage*>(window.page());
    ArtifactEditor* editor = page->editor();
    auto* claim = qobject_cast<QPlainTextEdit*>(editor->field(s("claim")));
    auto* held = editor->findChild<QLabel*>(s("heldClaim"));
    const auto result = [editor] {
        return editor->findChild<QTreeView*>()->model()->index(0, RunsModel::Result).data().toString();
    };
    QVERIFY(claim->isVisible() && !held->isVisible());
    QCOMPARE(result(), s("8 sectors/request"));
    QVERIFY(!wordsOf(editor->hints()).contains(s("Week 1")));

    visit.teacher.give(visit.place, kAllLater);
    QTRY_VERIFY(held->isVisible() && !claim->isVisible());
    QVERIFY2(held->text().contains(s("The claim is stored. Week 1")), qPrintable(held->text()));
    QCOMPARE(result(), s("shown later"));
    QTRY_VERIFY(wordsOf(editor->hints()).contains(s("Week 1")));
    QCOMPARE(editor->hints()->hints(), 0);
    QVERIFY2(!wordsOf(editor).contains(s("8 sectors")), qPrintable(wordsOf(editor)));
    // What is written meanwhile is saved with the claim as it was.
    QTest::keyClicks(editor->field(s("method")), s("Counted."));
    QSignalSpy saved(editor, &ArtifactEditor::saved);
    QVERIFY(editor->save().ok());
    QTRY_COMPARE(saved.count(), 1);
    const auto stored = visit.place.context->store()->artifact(id);
    QCOMPARE(stored->claim, std::string("At stride 2 the load touches 8 sectors."));
    QCOMPARE(stored->sections.at("method"), std::string("Counted."));

    // Who writes an artifact without a claim writes it here; it is the writer's own.
    QVERIFY(window.open(s("portfolio/new")).ok());
    QVERIFY(claim->isVisible());
    visit.teacher.give(visit.place, kAllLater, kPast);
    QVERIFY(window.open(s("portfolio/edit/") + QString::fromStdString(id)).ok());
    QVERIFY(claim->isVisible() && claim->toPlainText().contains(s("8 sectors")));
    QCOMPARE(result(), s("8 sectors/request"));
}

void TestPolicyWindow::anExportedFolderHasNoResult()
{
    Visit visit;
    const std::string id = visit.ship();
    const auto written = [&](const char* name) {
        const auto folder = exportArtifact(*visit.place.context->store(), id, visit.place.context->experiments(),
                                           (visit.place.home() + QLatin1Char('/') + s(name)).toStdString(),
                                           withholdingNow(visit.place.context->feedback()));
        if (!folder)
            qFatal("%s", toText(folder.error()).c_str());
        return QString::fromStdString(folder->string());
    };
    const auto readme = [](const QString& folder) {
        return QString::fromStdString(*readFile((folder + s("/README.md")).toStdString()));
    };
    const QString open = written("open");
    QVERIFY(readme(open).contains(s("touches 8 sectors")) && QFile::exists(open + s("/chart-1.png")));
    visit.teacher.give(visit.place, kAllLater);
    const QString held = written("held");
    QVERIFY2(!readme(held).contains(s("8 sectors")), qPrintable(readme(held)));
    QVERIFY(readme(held).contains(s("The claim is stored. Week 1")));
    QVERIFY(!QFile::exists(held + s("/chart-1.png")));
    visit.teacher.give(visit.place, kNothing);
    QCOMPARE(readme(written("released")), readme(open));
}

void TestPolicyWindow::aPortfolioIsAssembledWithoutThem()
{
    Visit visit;
    visit.ship();
    visit.teacher.give(visit.place, kAllLater);
    MainWindow& window = visit.open("assemble/job");
    auto* list = window.page()->findChild<AssembleList*>();
    QVERIFY(list && list->count() == 1);
    QVERIFY2(list->item(0)->toolTip().contains(s("The claim is stored. Week 1")), qPrintable(list->item(0)->toolTip()));
    QVERIFY(!list->item(0)->data(Qt::AccessibleTextRole).toString().contains(s("8 sectors")));
    list->item(0)->setCheckState(Qt::Checked);
    auto* page = qobject_cast<AssemblePage*>(window.page());
    const QString out = visit.place.home() + s("/folio");
    const auto request = page->request(out);
    QVERIFY(!request.options.held.result("1.1").empty());
    QVERIFY(request.options.held.result("2.1").empty());
    visit.teacher.give(visit.place, kNothing);
    QVERIFY(list->item(0)->toolTip().contains(s("8 sectors")));
}

void TestPolicyWindow::theSearchDoesNotFindTheClaim()
{
    Visit visit;
    visit.ship();
    MainWindow& window = visit.open("home");
    SearchOverlay* overlay = window.searchOverlay();
    const auto artifacts = [&] {
        int found = 0;
        for (int row = 0; row < overlay->list()->model()->rowCount(); ++row) {
            const QString all = overlay->list()->model()->index(row, 0).data(Qt::AccessibleTextRole).toString();
            found += all.contains(s("touches 8 sectors"));
        }
        return found;
    };
    overlay->openWith(s("touches sectors note"));
    QTRY_COMPARE(artifacts(), 1);
    visit.teacher.give(visit.place, kAllLater);
    QTRY_COMPARE(artifacts(), 0);
    visit.teacher.give(visit.place, kNothing);
    QTRY_COMPARE(artifacts(), 1);
}

void TestPolicyWindow::everyAssignmentHasToAllowIt()
{
    Visit visit;
    const FeedbackWatch& feedback = visit.place.context->feedback();
    QVERIFY(feedback.mayShow("1.1", Outcome::Check));
    visit.teacher.give(visit.place, {{"passed", FeedbackWhen::Deadline}});
    Teacher second(visit.place.context->curriculum(), {"1.1"});
    second.assignment.id = "0190a1b2-0000-7000-8000-000000000002";
    second.assignment.title = "Retake";
    second.give(visit.place, {{"passed", FeedbackWhen::Never}});
    QCOMPARE(feedback.why("1.1", Outcome::Check), s("Retake (Dr. R. Hopper) does not show this."));
    QVERIFY(feedback.why("1.2", Outcome::Check).contains(s("Week 1"))); // of one assignment alone
    QVERIFY(feedback.why("2.1", Outcome::Check).isEmpty());             // of none
    second.give(visit.place, kNothing);
    QVERIFY(feedback.why("1.1", Outcome::Check).contains(s("8 March 2098, 18:00")));
}

QTEST_MAIN(TestPolicyWindow)
#include "tst_policy_window.moc"
