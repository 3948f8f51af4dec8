// SPDX-License-Identifier: GPL-3.0-or-later
// What a report says about machines and about work, over the class that ships with the program.
#include "base/json.h"
#include "base/paths.h"
#include "classroom/class_report.h"
#include "classroom/regrade.h"
#include "classroom/sample.h"

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>

using namespace ridge;
using namespace ridge::classroom;

class TestClassReport : public QObject {
    Q_OBJECT
    QTemporaryDir m_dir;
    ClassReport m_told;

private Q_SLOTS:
    void initTestCase()
    {
        const auto data = dataFolder();
        QVERIFY(data.ok());
        const auto curriculum = lessons::loadCurriculum(*data / "curriculum").curriculum;
        auto open = openSample(*data / "assets/samples/class", m_dir.path().toStdString(), curriculum);
        QVERIFY2(open.ok(), open ? "" : toText(open.error()).c_str());
        auto told = report(*open, curriculum);
        QVERIFY2(told.ok(), told ? "" : toText(told.error()).c_str());
        m_told = std::move(*told);
        QVERIFY(m_told.learners.size() >= 10);
    }

    void resultsStandByMachine()
    {
        QVERIFY(!m_told.spread.empty());
        std::set<std::string> machines;
        for (const HardwareSpread& one : m_told.spread) {
            QVERIFY2(one.hardware.ends_with(" (simulated)"), one.hardware.c_str());
            machines.insert(one.hardware);
            const auto at = std::ranges::find_if(m_told.histograms, [&](const PredictionHistogram& histogram) {
                return histogram.lesson == one.lesson && histogram.block == one.block;
            });
            QVERIFY(at != m_told.histograms.end());
            QCOMPARE(one.classMedian, *at->result);
            QVERIFY(*at->resultLow <= one.low && one.low <= one.median);
            QVERIFY(one.median <= one.high && one.high <= *at->resultHigh);
            QVERIFY(at->provenance.find(one.provenance) != std::string::npos);
        }
        QVERIFY2(machines.size() > 1, "a class on one machine shows no spread");
        for (const Outlier& one : m_told.outliers)
            QVERIFY(machines.contains(one.hardware));
    }

    /// One point a learner, in the order of the figures and with nothing that tells whose it is.
    void workStandsByNobody()
    {
        QCOMPARE(m_told.work.size(), m_told.learners.size());
        std::vector<double> points, grades;
        int predicted = 0;
        for (const WorkPoint& one : m_told.work) {
            points.push_back(one.points);
            QVERIFY(!one.factor || *one.factor >= 1);
            QVERIFY(!one.interval || *one.interval >= 1);
            predicted += one.factor && one.interval;
        }
        QVERIFY(predicted > 5);
        QVERIFY(std::ranges::is_sorted(points));
        for (const LearnerLine& line : m_told.learners)
            grades.push_back(line.grade);
        std::ranges::sort(grades);
        QCOMPARE(points, grades);
        const Json first = toJson(m_told)["work"][0];
        for (const auto& [key, value] : first.items())
            QVERIFY2(key == "points" || key == "factor" || key == "interval", key.c_str());
    }

    /// The newest words of each learner, with their rating, under their question; none where nobody is named.
    void explanationsStandByQuestion()
    {
        QVERIFY(m_told.explanations.empty()); // the sample was made before there were such questions
        QTemporaryDir dir;
        const auto data = dataFolder();
        const auto curriculum = lessons::loadCurriculum(*data / "curriculum").curriculum;
        auto open = openSample(*data / "assets/samples/class", dir.path().toStdString(), curriculum);
        QVERIFY2(open.ok(), open ? "" : toText(open.error()).c_str());
        const auto assignment = open->assignment({});
        QVERIFY(assignment.ok());
        const std::string id = m_told.lessons.front();
        const auto lesson = lessons::loadLesson(curriculum, id);
        QVERIFY(lesson.ok());
        const lessons::Block* asked = nullptr;
        for (const lessons::Block* block : lesson->blocks())
            if (block->kind == "explain" && asked == nullptr)
                asked = block;
        QVERIFY(asked != nullptr);
        const auto grades = open->school->grades((*assignment)->id);
        QVERIFY(grades.ok());
        const std::array<std::pair<const char*, const char*>, 3> written = {{{"Sectors are fetched whole.", "yes"},
                                                                             {"It is the cache <b>line</b>.", "no"},
                                                                             {"I do not know yet.", ""}}};
        std::vector<record::GradeRow> rows;
        std::map<std::string, std::size_t> who;
        for (const record::GradeRow& row : *grades) {
            if (row.lesson != id || rows.size() == written.size())
                continue;
            LessonGrade grade = gradeOf(row);
            Finding finding;
            finding.kind = "explanation";
            finding.block = asked->id;
            finding.text = written[rows.size()].first;
            finding.rating = written[rows.size()].second;
            grade.findings.push_back(finding);
            record::GradeRow next = toRow(grade);
            next.assignmentId = row.assignmentId;
            next.submissionId = row.submissionId;
            next.learner = row.learner;
            next.how = row.how;
            next.execution = row.execution;
            who[row.learner] = rows.size();
            rows.push_back(std::move(next));
        }
        QCOMPARE(rows.size(), written.size());
        const auto stored = open->school->append(std::move(rows));
        QVERIFY2(stored.ok(), stored ? "" : toText(stored.error()).c_str());
        const auto told = report(*open, curriculum);
        QVERIFY2(told.ok(), told ? "" : toText(told.error()).c_str());
        QCOMPARE(told->explanations.size(), std::size_t{1});
        const ExplanationList& list = told->explanations.front();
        const auto& explain = std::get<lessons::ExplainBlock>(asked->body);
        QCOMPARE(list.block, asked->id);
        QCOMPARE(list.question, explain.question);
        QCOMPARE(list.model, explain.model);
        QCOMPARE(list.lines.size(), written.size());
        for (const ExplanationList::Line& line : list.lines) {
            const auto& own = written[who.at(line.who.learner)];
            QCOMPARE(line.text, std::string(own.first));
            QCOMPARE(line.rating, std::string(own.second));
        }
        const Json json = toJson(*told)["explanations"];
        QCOMPARE(json[0]["learners"].size(), written.size());
        const auto hidden = report(*open, curriculum, {.hideNames = true});
        QVERIFY(hidden.ok() && hidden->explanations.empty());
        QCOMPARE(hidden->learners.size(), told->learners.size());
        const std::string words = toJson(*hidden).dump();
        for (const auto& [text, rating] : written)
            QVERIFY2(words.find(text) == std::string::npos, text);
    }

    void jsonCarriesWhatWasAdded()
    {
        const Json json = toJson(m_told);
        QCOMPARE(json["spread"].size(), m_told.spread.size());
        QCOMPARE(json["spread"][0]["hardware"].get<std::string>(), m_told.spread[0].hardware);
        QCOMPARE(json["spread"][0]["class_median"].get<double>(), m_told.spread[0].classMedian);
        bool any = false;
        for (const Json& one : json["histograms"])
            any = any || (one["result"].is_number() && !one["provenance"].get<std::string>().empty());
        QVERIFY(any);
    }

    /// A hidden setting that falls on a run which the check never reads proves nothing.
    void checksLookAtSomeRunsAlone()
    {
        record::RunRow run;
        run.experiment = "coalescing";
        run.metrics["load_efficiency"] = {12.5, "%"};
        run.params = {{"stride", std::int64_t{8}}, {"element_bytes", std::int64_t{4}}, {"offset", std::int64_t{3}}};
        lessons::CheckSpec check;
        check.experiment = "coalescing";
        check.metric = "load_efficiency";
        QVERIFY(looksAt(check, run));
        check.where = {{"stride", std::int64_t{1}}};
        QVERIFY(!looksAt(check, run));
        check.where = {{"stride", std::int64_t{8}}};
        QVERIFY(looksAt(check, run));
        check.where.clear();
        check.at = {{"stride", std::int64_t{4}}};
        check.over = {{"stride", std::int64_t{1}}};
        QVERIFY(!looksAt(check, run));
        check.over = {{"stride", std::int64_t{8}}};
        QVERIFY(looksAt(check, run));
        check.metric = "sectors_per_request";
        QVERIFY(!looksAt(check, run));
        check.metric = "load_efficiency";
        check.experiment = "bank_conflicts";
        QVERIFY(!looksAt(check, run));
        check.experiment.clear();
        QVERIFY(!looksAt(check, run));
    }

    /// Graded again the sample gives what it says: to the bit where the simulator is the one that made it, else within
    /// what a repetition by another build may differ.
    void theSampleIsOfThisSimulator()
    {
        qputenv("RIDGE_WORKER", qgetenv("RIDGE_BIN") + "/ridge-worker");
        const auto data = dataFolder();
        const auto curriculum = lessons::loadCurriculum(*data / "curriculum").curriculum;
        QTemporaryDir scratch;
        auto open = openSample(*data / "assets/samples/class", scratch.path().toStdString(), curriculum);
        QVERIFY(open.ok());
        const auto again = regrade(*open, curriculum, workerExecutor());
        QVERIFY2(again.ok(), again ? "" : toText(again.error()).c_str());
        QVERIFY(again->runs > 100 && again->trouble.empty());
        qInfo("%d of %d runs gave the same bits", again->same, again->runs);
        const std::string fix =
            " is not what today's simulator gives: make assets/samples/class again, its README says how";
        for (const DifferentRun& run : again->different)
            QVERIFY2(!run.refused && std::abs(run.again - run.handedIn) <= 0.05 * std::abs(run.handedIn),
                     (run.metric + " of run " + run.run + fix).c_str());
    }
};

QTEST_GUILESS_MAIN(TestClassReport)
#include "tst_class_report.moc"
