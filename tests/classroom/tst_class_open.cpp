// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that were handed in and cannot be run again: they count nothing, and are told, until somebody decides.
#include "base/json.h"
#include "base/paths.h"
#include "classroom/decide.h"
#include "classroom/feedback.h"
#include "classroom/generated_learner.h"
#include "classroom/handed_in_runs.h"
#include "classroom/regrade.h"
#include "classroom/submission.h"
#include "record/worker/worker_run.h"
#include "tests/record/record_support.h"

using namespace ridge;
using namespace ridge::classroom;
using namespace ridge::test;

namespace {

using RowChange = std::function<void(std::map<std::string, QVariant>& columns)>;

void setJson(QVariant& column, const std::function<void(Json&)>& change)
{
    Json json = Json::parse(column.toString().toStdString());
    change(json);
    column = QString::fromStdString(json.dump());
}

QVariant words(const char* text)
{
    return QString::fromUtf8(text);
}

} // namespace

Q_DECLARE_METATYPE(RowChange)

class TestClassOpen : public QObject {
    Q_OBJECT
    QTemporaryDir m_dir;
    lessons::Curriculum m_curriculum;
    std::vector<ExperimentInfo> m_catalogue;
    MadeAssignment m_made;
    std::uint64_t m_seed = 0; ///< of a learner who gets everything right
    int m_classes = 0;
    std::map<std::string, Executed> m_known;

    fs::path folder(const std::string& name) const { return pathOf(m_dir) / name; }

    /// Answers of the worker, each request executed once for all tests.
    Execute remembered()
    {
        return [this](const RunRequest& request, const std::string& compiler) -> Result<Executed> {
            const std::string key = compiler + toJson(request).dump();
            if (const auto known = m_known.find(key); known != m_known.end())
                return known->second;
            const auto executed = workerExecutor()(request, compiler);
            if (executed)
                m_known[key] = *executed;
            return executed;
        };
    }

    /// Hands in into a folder of its own. Who knows the format makes digests and chain whole again.
    Result<fs::path> handedIn(std::uint64_t seed, const RowChange& change)
    {
        GeneratedLearner learner(seed, 0, 1772442000000);
        const Execute execute = remembered();
        SharedRuns runs(execute, m_catalogue);
        if (auto taken = learner.take(m_curriculum, *lessons::loadLesson(m_curriculum, "2.4"), runs); !taken)
            return taken.error();
        auto rows = record::parseRowLines(learner.rows());
        if (!rows)
            return rows.error();
        std::sort(rows->begin(), rows->end(), [](const auto& a, const auto& b) { return a.stamp.seq < b.stamp.seq; });
        std::string lines;
        for (std::size_t i = 0; i < rows->size(); ++i) {
            record::RowLine& row = (*rows)[i];
            if (row.kind == QLatin1String("run")) {
                std::map<std::string, QVariant> columns;
                for (const record::Column& column : row.columns)
                    columns[column.name] = column.value;
                change(columns);
                for (record::Column& column : row.columns)
                    column.value = columns[column.name];
            }
            row.stamp.previous = i == 0 ? QStringLiteral("") : (*rows)[i - 1].digest;
            row.digest = record::rowDigest(row.kind, row.stamp, row.columns);
            lines += toLine(row);
        }
        SubmissionOptions how;
        how.createdAt = "2026-03-02T12:00:00.000Z";
        const auto written = writeSubmission(m_made.assignment, learner.identity(),
                                             {lines, {learner.origin()}, learner.files(), {}}, how);
        if (!written)
            return written.error();
        const fs::path place = folder("in" + std::to_string(m_classes));
        fs::create_directories(place);
        writeBytes(place / "x.ridgesubmission", written->bytes);
        return place;
    }

    Result<OpenClass> freshClass()
    {
        NewAssignment wanted;
        wanted.name = "Class " + std::to_string(++m_classes);
        const auto made = adoptAssignment(folder("home"), wanted, m_made.bytes, "assignment.ridgeclass");
        return made ? openClass(made->place) : Result<OpenClass>(made.error());
    }

    double grade(OpenClass& open) { return report(open, m_curriculum)->learners.at(0).grade; }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("RIDGE_WORKER", qgetenv("RIDGE_BIN") + "/ridge-worker");
        m_curriculum = lessons::loadCurriculum(*dataFolder() / "curriculum").curriculum;
        const auto described = record::queryWorker({record::defaultWorkerProgram(), {}}, QStringLiteral("describe"));
        R_VERIFY(described);
        m_catalogue = *catalogueFromJson(*described);
        NewAssignment wanted;
        wanted.name = "First";
        wanted.lessons = {"2.4"};
        wanted.teacher = "R. Hopper";
        wanted.sealed = false; // every class here has keys of its own
        auto made = makeAssignment(folder("home"), m_curriculum, wanted);
        R_VERIFY(made);
        m_made = std::move(*made);
        while (m_seed < 100) {
            auto open = freshClass();
            R_VERIFY(open);
            const auto place = handedIn(++m_seed, [](auto&) {});
            R_VERIFY(place);
            R_VERIFY(collect(*open, m_curriculum, *place));
            if (grade(*open) == 100)
                break;
        }
        QVERIFY(m_seed < 100);
    }

    void rowsSayWhatTheyAre_data()
    {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("provenance");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* target, const char* provenance, const char* says) {
            QTest::addRow("%s %s", target, provenance)
                << QString::fromUtf8(target) << QString::fromUtf8(provenance) << QString::fromUtf8(says);
        };
        row("sim:t4", "SIMULATED", "");
        row("lab:sim:t4", "SIMULATED", "");
        row("model", "MODELLED", "");
        row("gpu:0", "MEASURED", "");
        row("lab:gpu:0", "MEASURED", "");
        row("cpu", "MEASURED", "");
        row("sim:t4", "MEASURED", "says MEASURED");
        row("sim:t4", "RECORDED", "says RECORDED");
        row("gpu:0", "SIMULATED", "says SIMULATED");
        row("gpu:0", "RECORDED", "says RECORDED");
        row("model", "MEASURED", "says MEASURED");
        row("abacus", "MEASURED", "no target");
        row("", "SIMULATED", "no target");
    }
    void rowsSayWhatTheyAre()
    {
        QFETCH(QString, target);
        QFETCH(QString, provenance);
        QFETCH(QString, says);
        record::RunRow run;
        run.status = "finished";
        run.target = target.toStdString();
        run.provenance = *provenanceFromText(provenance.toStdString());
        run.fingerprint = Json::object();
        const std::string found = contradictionOf(run);
        QCOMPARE(found.empty(), says.isEmpty());
        QVERIFY2(found.find(says.toStdString()) != std::string::npos, found.c_str());
        QCOMPARE(isRepeatable(run) || isMeasured(run), says.isEmpty());
        if (run.provenance != Provenance::Measured || !says.isEmpty())
            return;
        run.fingerprint = Json{{"target", {{"simulator", "simt"}}}};
        QVERIFY(!contradictionOf(run).empty());
        run.fingerprint = Json{{"target", {{"name", "NVIDIA L4"}}}};
        QVERIFY(contradictionOf(run).empty());
        run.metrics["time"] = {1, "s", Provenance::Modelled};
        QVERIFY(contradictionOf(run).empty());
        run.metrics["cycles"] = {1, "cycles", Provenance::Simulated};
        QVERIFY(!contradictionOf(run).empty());
    }

    void honestRunsStand()
    {
        auto open = freshClass();
        R_VERIFY(open);
        const auto place = handedIn(m_seed, [](auto&) {});
        R_VERIFY(place);
        R_VERIFY(collect(*open, m_curriculum, *place));
        const auto again = regrade(*open, m_curriculum, remembered());
        R_VERIFY(again);
        QVERIFY(again->open.empty() && !again->isUndecided());
        QCOMPARE(again->notRepeated, 0);
        QCOMPARE(grade(*open), 100.0);
    }

    /// A row of another seed in the same sweep is a request of its own, and not one that nobody looks at.
    void noRowOfASweepIsPassedOver()
    {
        std::vector<record::RunRow> runs(3);
        for (std::size_t i = 0; i < runs.size(); ++i) {
            runs[i].id = std::to_string(i);
            runs[i].sweepId = "one";
            runs[i].status = "finished";
            runs[i].experiment = "coalescing";
            runs[i].target = i == 2 ? "sim:l4" : "sim:t4";
            runs[i].provenance = Provenance::Simulated;
            runs[i].seed = i;
            runs[i].fingerprint = Json::object();
        }
        std::size_t rows = 0;
        for (const Sequence& sequence : sequencesOf(runs))
            rows += sequence.rows.size();
        QCOMPARE(sequencesOf(runs).size(), std::size_t{3});
        QCOMPARE(rows, runs.size());
    }

    void whatCannotBeRunAgainCountsNothing_data()
    {
        QTest::addColumn<RowChange>("change");
        QTest::addColumn<QString>("why");
        QTest::newRow("a chip that there is not")
            << RowChange([](auto& run) { run["target"] = words("sim:nochip"); }) << QStringLiteral("(unknown-target)");
        QTest::newRow("a parameter that there is not")
            << RowChange([](auto& run) { setJson(run["params"], [](Json& params) { params["luck"] = 7; }); })
            << QStringLiteral("(unknown-parameter)");
        QTest::newRow("measured by a simulator")
            << RowChange([](auto& run) { run["provenance"] = words("MEASURED"); })
            << QStringLiteral("the record says MEASURED, and such a target is SIMULATED");
        QTest::newRow("recorded elsewhere") << RowChange([](auto& run) { run["provenance"] = words("RECORDED"); })
                                            << QStringLiteral("the record says RECORDED");
        QTest::newRow("a GPU that is a simulator") << RowChange([](auto& run) {
            run["target"] = words("gpu:0");
            run["provenance"] = words("MEASURED");
        }) << QStringLiteral("its machine is a simulator");
        QTest::newRow("simulated figures of a GPU") << RowChange([](auto& run) {
            run["target"] = words("gpu:0");
            run["provenance"] = words("MEASURED");
            setJson(run["fingerprint"], [](Json& fingerprint) { fingerprint["target"] = Json{{"name", "L4"}}; });
        }) << QStringLiteral("is SIMULATED");
    }
    void whatCannotBeRunAgainCountsNothing()
    {
        QFETCH(RowChange, change);
        QFETCH(QString, why);
        auto open = freshClass();
        R_VERIFY(open);
        const auto place = handedIn(m_seed, change);
        R_VERIFY(place);
        const auto collected = collect(*open, m_curriculum, *place);
        R_VERIFY(collected);
        QCOMPARE(collected->merged, 1);
        const auto again = regrade(*open, m_curriculum, remembered());
        R_VERIFY(again);
        QVERIFY(again->isUndecided());
        QVERIFY(again->notRepeated > 10);
        QCOMPARE(again->open.size(), std::size_t{1});
        const OpenWork& work = again->open[0].work;
        QVERIFY2(reasonsText(work).find(why.toStdString()) != std::string::npos, reasonsText(work).c_str());
        QCOMPARE(work.points, 100 - grade(*open));
        QVERIFY2(work.points >= 50, std::to_string(work.points).c_str());
        QVERIFY(!report(*open, m_curriculum)->learners[0].steps.at("2.4").ran);
        const std::string learner = again->open[0].who.learner;

        const auto left = decide(*open, {{}, learner, "2.4", false, {}});
        R_VERIFY(left);
        QCOMPARE(left->by, std::string("R. Hopper")); // the teacher of the assignment
        QCOMPARE(left->points, 100 - work.points);
        QVERIFY(!regrade(*open, m_curriculum, remembered())->isUndecided());
        QCOMPARE(grade(*open), 100 - work.points);
        const auto accepted = decide(*open, {{}, learner, "2.4", true, "Another"});
        R_VERIFY(accepted);
        QCOMPARE(accepted->points, 100.0);
        QVERIFY(!regrade(*open, m_curriculum, remembered())->isUndecided());
        QCOMPARE(grade(*open), 100.0);
        QCOMPARE(report(*open, m_curriculum)->open.at(0).work.decidedBy, std::string("Another"));
    }
};

QTEST_GUILESS_MAIN(TestClassOpen)
#include "tst_class_open.moc"
