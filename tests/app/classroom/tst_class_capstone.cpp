// SPDX-License-Identifier: GPL-3.0-or-later
// A generated class of thirty that hands in a capstone, with the real worker: its runs are made once, on the chip that
// the capstone is about, however many learners stand behind them.
#include "app/classroom/collect.h"
#include "app/classroom/generate.h"
#include "app/classroom/report.h"
#include "base/json.h"
#include "base/paths.h"
#include "record/worker_run.h"
#include "tests/record/support.h"

#include <fmt/format.h>

using namespace ridge;
using namespace ridge::classroom;
using namespace ridge::test;

class TestClassCapstone : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void thirtyHandInOneSetOfRuns()
    {
        constexpr int kLearners = 30;
        const std::string kLesson = "1.capstone";
        qputenv("RIDGE_WORKER", qgetenv("RIDGE_BIN") + "/ridge-worker");
        QTemporaryDir dir;
        const auto data = dataFolder();
        R_VERIFY(data);
        const auto curriculum = lessons::loadCurriculum(*data / "curriculum").curriculum;
        const auto described = record::queryWorker({record::defaultWorkerProgram(), {}}, QStringLiteral("describe"));
        R_VERIFY(described);
        const auto catalogue = catalogueFromJson(*described);
        R_VERIFY(catalogue);
        const auto lesson = lessons::loadLesson(curriculum, kLesson);
        R_VERIFY(lesson);
        QVERIFY(!lesson->target.empty());
        const auto assignment = generatedAssignment(curriculum, {kLesson}, 3);
        R_VERIFY(assignment);

        std::vector<std::string> requests;
        std::set<std::string> targets;
        const Execute counted = [&](const RunRequest& request, const std::string& compiler) {
            requests.push_back(toJson(request).dump());
            targets.insert(request.target);
            return workerExecutor()(request, compiler);
        };
        GenerateOptions options;
        options.learners = kLearners;
        options.seed = 3;
        const auto made =
            generateLearners(assignment->assignment, curriculum, *catalogue, counted, options, pathOf(dir) / "made");
        R_VERIFY(made);
        QCOMPARE(made->files, kLearners);
        QCOMPARE(targets, std::set<std::string>{lesson->target});
        QCOMPARE(made->executed, static_cast<int>(requests.size()));
        QCOMPARE(std::set<std::string>(requests.begin(), requests.end()).size(), requests.size());
        QVERIFY2(requests.size() < 10, std::to_string(requests.size()).c_str());
        QVERIFY(made->rows > 10u * kLearners);

        NewAssignment wanted;
        wanted.name = "Capstone";
        wanted.roster = bytesOf(made->roster);
        wanted.rosterPlace = "roster.csv";
        const auto adopted = adoptAssignment(pathOf(dir) / "home", wanted, assignment->bytes, "assignment.ridgeclass");
        R_VERIFY(adopted);
        auto open = openClass(adopted->place);
        R_VERIFY(open);
        const auto collected = collect(*open, curriculum, pathOf(dir) / "made");
        R_VERIFY(collected);
        QCOMPARE(collected->merged, kLearners);
        QVERIFY(collected->odd.empty());
        const auto told = report(*open, curriculum);
        R_VERIFY(told);
        int shipped = 0, unlike = 0;
        double best = 0;
        for (const LearnerLine& line : told->learners) {
            QVERIFY(line.hardware.size() <= 1); // none: stopped before the first run
            const double points = line.points.at(kLesson);
            shipped += line.steps.at(kLesson).shipped;
            best = std::max(best, points);
            unlike += points > 0 && points < 100;
        }
        QVERIFY2(shipped >= 10 && unlike >= 5 && best >= 80,
                 fmt::format("{} shipped, {} between, best {}", shipped, unlike, best).c_str());
        QVERIFY(!told->histograms.empty());
    }
};

QTEST_GUILESS_MAIN(TestClassCapstone)
#include "tst_class_capstone.moc"
