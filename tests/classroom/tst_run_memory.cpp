// SPDX-License-Identifier: GPL-3.0-or-later
// What re-checking a class need not run again: answers of the same worker, and data that no seed changes.
#include "classroom/run_memory.h"

#include "base/json.h"
#include "base/paths.h"
#include "base/seedless.h"
#include "classroom/collect.h"
#include "classroom/generate.h"
#include "classroom/regrade.h"
#include "record/worker/worker_run.h"
#include "tests/record/record_support.h"

using namespace ridge;
using namespace ridge::classroom;
using namespace ridge::test;

namespace {

/// A worker that fills in a parameter and counts how often it is asked.
struct Counted {
    int asked = 0;
    Execute execute()
    {
        return [this](const RunRequest& request, const std::string&) -> Result<Executed> {
            ++asked;
            Executed executed;
            executed.started = {
                request.experiment,   3, request.target, Provenance::Simulated, Json{{"kernels", Json::array()}},
                request.points.size()};
            for (std::size_t i = 0; i < request.points.size(); ++i) {
                SampleEvent sample;
                sample.index = i;
                sample.params = request.points[i];
                sample.params.insert({"bytes", std::int64_t{4}});
                sample.metrics["rate"] = {0.1 + static_cast<double>(i), "GB/s", Provenance::Simulated};
                sample.validity = "valid";
                executed.samples.push_back(std::move(sample));
            }
            return executed;
        };
    }
};

RunRequest wanted(const std::string& target = "sim:h100-sxm", std::uint64_t seed = 1)
{
    const std::int64_t four = 4;
    return {
        "coalescing", target,
        seed,         {{{"stride", std::int64_t{1}}, {"bytes", four}}, {{"stride", std::int64_t{2}}, {"bytes", four}}},
        false,        {60, 0}};
}

} // namespace

class TestRunMemory : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatRanIsAnsweredFromTheFolder()
    {
        QTemporaryDir dir;
        Counted worker;
        const auto memory = [&](const char* identity) {
            return rememberedRuns(worker.execute(), pathOf(dir) / "runs",
                                  [identity]() -> Result<std::string> { return std::string(identity); });
        };
        const auto first = memory("a")(wanted(), "shipped");
        R_VERIFY(first);
        QVERIFY(!first->remembered);
        RunRequest patient = wanted();
        patient.limits.seconds = 600;
        const auto again = memory("a")(patient, "shipped");
        R_VERIFY(again);
        QVERIFY(again->remembered);
        QCOMPARE(worker.asked, 1);
        QCOMPARE(again->started.version, 3);
        QVERIFY(*again->started.fingerprint == *first->started.fingerprint);
        QCOMPARE(again->samples.size(), std::size_t{2});
        for (std::size_t i = 0; i < 2; ++i) {
            QVERIFY(again->samples[i].params == first->samples[i].params);
            QVERIFY(again->samples[i].metrics == first->samples[i].metrics);
        }
        // Everything that decides over the bits is asked for.
        QVERIFY(!memory("a")(wanted(), "clang")->remembered);
        QVERIFY(!memory("a")(wanted("sim:h100-sxm", 2), "shipped")->remembered);
        QVERIFY(!memory("a")(wanted("sim:t4"), "shipped")->remembered);
        QCOMPARE(worker.asked, 4);
        // Another worker starts anew, and what the first left is gone.
        QVERIFY(!memory("b")(wanted(), "shipped")->remembered);
        QVERIFY(!memory("a")(wanted(), "shipped")->remembered);
    }

    void aRequestIsKnownAgainAsRowsHaveIt()
    {
        QTemporaryDir dir;
        Counted worker;
        const Execute memory = rememberedRuns(worker.execute(), pathOf(dir) / "runs",
                                              []() -> Result<std::string> { return std::string("a"); });
        RunRequest partial = wanted();
        for (ParamSet& point : partial.points)
            point.erase("bytes");
        R_VERIFY(memory(partial, "shipped"));
        QVERIFY(memory(wanted(), "shipped")->remembered);
    }

    void nothingIsRememberedThatIsNotSure_data()
    {
        QTest::addColumn<QString>("target");
        QTest::addColumn<bool>("known");
        QTest::newRow("measured") << QStringLiteral("gpu:0") << true;
        QTest::newRow("processor") << QStringLiteral("cpu") << true;
        QTest::newRow("another machine's simulator") << QStringLiteral("lab:sim:t4") << true;
        QTest::newRow("a worker that does not say what it is") << QStringLiteral("sim:t4") << false;
    }
    void nothingIsRememberedThatIsNotSure()
    {
        QFETCH(QString, target);
        QFETCH(bool, known);
        QTemporaryDir dir;
        Counted worker;
        const auto identity = [known]() -> Result<std::string> {
            return known ? Result<std::string>(std::string("a")) : Error{"worker-missing", "There is none", "", ""};
        };
        for (int i = 1; i <= 2; ++i) {
            const auto ran =
                rememberedRuns(worker.execute(), pathOf(dir) / "runs", identity)(wanted(target.toStdString()), "");
            R_VERIFY(ran);
            QVERIFY(!ran->remembered);
            QCOMPARE(worker.asked, i);
        }
        QVERIFY(!fs::exists(pathOf(dir) / "runs") || contentOf(pathOf(dir) / "runs").empty());
    }

    void aDamagedAnswerIsRunAgain_data()
    {
        QTest::addColumn<int>("how");
        QTest::newRow("a digit") << 0;
        QTest::newRow("cut short") << 1;
        QTest::newRow("empty") << 2;
    }
    void aDamagedAnswerIsRunAgain()
    {
        QFETCH(int, how);
        QTemporaryDir dir;
        Counted worker;
        const auto identity = []() -> Result<std::string> { return std::string("a"); };
        R_VERIFY(rememberedRuns(worker.execute(), pathOf(dir), identity)(wanted(), ""));
        fs::path file;
        for (const auto& entry : fs::recursive_directory_iterator(pathOf(dir)))
            if (entry.is_regular_file())
                file = entry.path();
        std::string bytes = bytesOf(file);
        const std::size_t digit = bytes.find("1.1");
        QVERIFY(digit != std::string::npos);
        bytes[digit] = '9';
        writeBytes(file, how == 0 ? bytes : how == 1 ? bytes.substr(0, bytes.size() / 2) : std::string());
        const auto again = rememberedRuns(worker.execute(), pathOf(dir), identity)(wanted(), "");
        R_VERIFY(again);
        QVERIFY(!again->remembered);
        QCOMPARE(worker.asked, 2);
        QVERIFY(rememberedRuns(worker.execute(), pathOf(dir), identity)(wanted(), "")->remembered);
    }

    /// With the real worker: a second re-check runs nothing and comes to the same grades; and where the worker says
    /// that another seed gives the same, nobody has a hidden case, since it would be what was handed in.
    void aSecondRecheckRunsNothing()
    {
        qputenv("RIDGE_WORKER", qgetenv("RIDGE_BIN") + "/ridge-worker");
        QTemporaryDir dir;
        const auto data = dataFolder();
        R_VERIFY(data);
        const auto curriculum = lessons::loadCurriculum(*data / "curriculum").curriculum;
        const auto described = record::queryWorker({record::defaultWorkerProgram(), {}}, QStringLiteral("describe"));
        R_VERIFY(described);
        const auto catalogue = catalogueFromJson(*described);
        R_VERIFY(catalogue);
        const auto assignment = generatedAssignment(curriculum, {"2.4"}, 5);
        R_VERIFY(assignment);
        GenerateOptions options;
        options.learners = 1;
        options.seed = 7; // who gets everything right
        R_VERIFY(generateLearners(assignment->assignment, curriculum, *catalogue, workerExecutor(), options,
                                  pathOf(dir) / "made"));
        NewAssignment made;
        made.name = "Memory";
        const auto adopted = adoptAssignment(pathOf(dir) / "home", made, assignment->bytes, "assignment.ridgeclass");
        R_VERIFY(adopted);
        auto open = openClass(adopted->place);
        R_VERIFY(open);
        R_VERIFY(collect(*open, curriculum, pathOf(dir) / "made"));
        const auto check = [&](Execute execute) {
            return regrade(*open, curriculum, rememberedRuns(std::move(execute), runMemoryOf(open->place)));
        };
        const auto first = check(workerExecutor());
        R_VERIFY(first);
        QVERIFY(first->executed > 0 && first->hidden > 0);
        QCOMPARE(first->remembered, 0);
        const auto second = check([](const RunRequest& request, const std::string&) -> Result<Executed> {
            return Error{"worker-missing", "Nothing is run a second time", request.experiment, ""};
        });
        R_VERIFY(second);
        QCOMPARE(second->executed, 0);
        QCOMPARE(second->remembered, first->executed);
        QVERIFY(second->trouble.empty());
        for (auto count : {&RegradeReport::runs, &RegradeReport::same, &RegradeReport::rebuilt, &RegradeReport::hidden,
                           &RegradeReport::hiddenFailed})
            QCOMPARE(*second.*count, *first.*count);

        // Values that come out otherwise: of the same build they were invented, of another one nobody can say so.
        const Execute memory = rememberedRuns(workerExecutor(), runMemoryOf(open->place));
        for (const bool sameBuild : {true, false}) {
            const auto otherwise = regrade(*open, curriculum, [&](const RunRequest& request, const std::string& how) {
                auto executed = memory(request, how);
                if (executed && !sameBuild)
                    (*executed->started.fingerprint)["target"]["build"] = "another";
                if (executed)
                    for (SampleEvent& sample : executed->samples)
                        for (auto& [name, value] : sample.metrics)
                            value.value += 1;
                return executed;
            });
            R_VERIFY(otherwise);
            QCOMPARE(otherwise->same, 0);
            QCOMPARE(otherwise->rebuilt, sameBuild ? 0 : otherwise->runs);
            QCOMPARE(otherwise->different.front().refused, sameBuild);
        }

        std::set<std::uint64_t> seeds;
        const auto seedless = regrade(*open, curriculum, [&](const RunRequest& request, const std::string& compiler) {
            seeds.insert(request.seed);
            auto executed = workerExecutor()(request, compiler);
            if (executed)
                (*executed->started.fingerprint)["data"] = kSameForEverySeed;
            return executed;
        });
        R_VERIFY(seedless);
        QCOMPARE(seedless->same, first->same);
        QCOMPARE(seeds, std::set<std::uint64_t>{1});
        QVERIFY2(seedless->hidden < first->hidden, QByteArray::number(seedless->hidden).constData());
    }
};

QTEST_GUILESS_MAIN(TestRunMemory)
#include "tst_run_memory.moc"
