// SPDX-License-Identifier: GPL-3.0-or-later
// A plan of calibration, its runs through a worker, and what is read back from the store.
#include "worker_support.h"

#include "base/json.h"
#include "record/calibrator.h"

using namespace ridge;
using namespace ridge::record;
using namespace ridge::test;

namespace {

CalibrationPlan planOf(const char* json)
{
    const auto plan = CalibrationPlan::fromJson(Json::parse(json));
    if (!plan)
        qFatal("%s", toText(plan.error()).c_str());
    return *plan;
}

const char* const kPlan = R"({"steps": {"sim": [
    {"quantity": "first", "title": "First", "roof": "dram", "experiment": "normal", "set": {"stride": 1}, "metric": "answer"},
    {"quantity": "broken", "title": "Broken", "experiment": "fails", "set": {"stride": 1}, "metric": "question"},
    {"quantity": "second", "title": "Second", "experiment": "normal", "set": {"stride": 2}, "metric": "answer"},
    {"quantity": "again", "title": "Same point", "experiment": "normal", "set": {"stride": 2}, "metric": "answer"}]}})";

RunRow rowOf(std::int64_t stride, double answer, const std::string& validity, const std::string& uuid)
{
    RunRow row;
    row.experiment = "normal";
    row.target = "sim:fake";
    row.params = {{"stride", stride}, {"more", std::int64_t{5}}};
    row.metrics["answer"] = {answer, "GB/s", Provenance::Measured};
    row.validity = validity;
    row.status = "finished";
    row.fingerprint = Json{{"target", {{"uuid", uuid}, {"driver", answer}}}};
    return row;
}

} // namespace

class TestCalibrator : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_store = Store::open(pathOf(*m_folder)).value();
    }
    void cleanup() { m_store.reset(); }
    void badPlansAreRefused_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QByteArray>("place");
        QTest::newRow("no steps") << QByteArray("{}") << QByteArray("calibration");
        QTest::newRow("no list") << QByteArray(R"({"steps": {"gpu": 3}})") << QByteArray("steps.gpu");
        QTest::newRow("no metric") << QByteArray(
                                          R"({"steps": {"gpu": [{"quantity": "a", "title": "A", "experiment": "x"}]}})")
                                   << QByteArray("steps.gpu[0]");
        QTest::newRow("twice") << QByteArray(R"({"steps": {"gpu": [
            {"quantity": "a", "title": "A", "experiment": "x", "metric": "m"},
            {"quantity": "a", "title": "B", "experiment": "x", "metric": "m"}]}})")
                               << QByteArray("steps.gpu");
    }
    void badPlansAreRefused()
    {
        QFETCH(QByteArray, json);
        QFETCH(QByteArray, place);
        const auto plan = CalibrationPlan::fromJson(Json::parse(json.constData()));
        QCOMPARE(codeOf(plan), QByteArray("bad-calibration"));
        QVERIFY2(plan.error().place.starts_with(place.constData()), plan.error().place.c_str());
    }

    void onePointIsRunOnce()
    {
        const CalibrationPlan plan = planOf(kPlan);
        const auto requests = plan.requests("sim:fake");
        QCOMPARE(requests.size(), std::size_t{3});
        QCOMPARE(requests[0].experiment, std::string("normal"));
        QCOMPARE(requests[1].experiment, std::string("fails"));
        const std::vector<ParamSet> second{{{"stride", std::int64_t{2}}}};
        QVERIFY(requests[2].points == second);
        QVERIFY(plan.requests("gpu:0").empty());
    }

    void runsAreStoredAndReadBack()
    {
        const CalibrationPlan plan = planOf(kPlan);
        Calibrator calibrator(*m_store, fakeWorker(), plan, "sim:fake");
        QSignalSpy done(&calibrator, &Calibrator::done), progress(&calibrator, &Calibrator::progress);
        QStringList skipped;
        connect(&calibrator, &Calibrator::skipped, this, [&](const QString& experiment, const Error& why) {
            skipped << experiment + QLatin1Char(' ') + QString::fromStdString(why.code);
        });
        calibrator.start();
        calibrator.start(); // once is enough
        QVERIFY(calibrator.running());
        QTRY_COMPARE(done.count(), 1);
        QVERIFY(!calibrator.running());
        QCOMPARE(skipped, QStringList{QStringLiteral("fails out-of-memory")});
        QCOMPARE(progress.last().at(1).toInt(), 3);
        const auto stored = storedCalibration(*m_store, plan, "sim:fake");
        R_VERIFY(stored);
        QCOMPARE(stored->figures.size(), std::size_t{3});
        QCOMPARE(stored->find("first")->value.value, 42.0);
        QCOMPARE(stored->find("second")->value.value, 42.0);
        QCOMPARE(stored->find("again")->run, stored->find("second")->run);
        QVERIFY(stored->find("broken") == nullptr);
        QCOMPARE(toJson(*stored).at("figures").size(), std::size_t{3});
    }

    void cancelEndsIt()
    {
        const CalibrationPlan plan = planOf(R"({"steps": {"sim": [
            {"quantity": "a", "title": "A", "experiment": "polite", "set": {"stride": 1}, "metric": "answer"},
            {"quantity": "b", "title": "B", "experiment": "normal", "set": {"stride": 1}, "metric": "answer"}]}})");
        Calibrator calibrator(*m_store, fakeWorker(), plan, "sim:fake");
        QSignalSpy done(&calibrator, &Calibrator::done), skipped(&calibrator, &Calibrator::skipped);
        calibrator.start();
        calibrator.cancel();
        QTRY_COMPARE(done.count(), 1);
        QCOMPARE(skipped.count(), 0);
        QVERIFY(storedCalibration(*m_store, plan, "sim:fake")->figures.empty());
    }

    void theNewestValidRunOfTheNewestMachineCounts()
    {
        const CalibrationPlan plan = planOf(kPlan);
        R_VERIFY(durable(m_store->append(rowOf(2, 1, "valid", "old card"))));
        R_VERIFY(durable(m_store->append(rowOf(1, 2.9, "valid", "new card"))));
        R_VERIFY(durable(m_store->append(rowOf(1, 3, "valid", "new card"))));
        R_VERIFY(durable(m_store->append(rowOf(1, 4, "throttled", "new card"))));
        auto failed = rowOf(1, 5, "valid", "new card");
        failed.status = "failed";
        failed.error = Error{"out-of-memory", "no", "here", "less"};
        R_VERIFY(durable(m_store->append(failed)));
        const auto stored = storedCalibration(*m_store, plan, "sim:fake");
        R_VERIFY(stored);
        QCOMPARE(stored->figures.size(), std::size_t{1});
        QCOMPARE(stored->figures[0].value.value, 3.0);
        QCOMPARE(stored->figures[0].validity, std::string("valid"));
    }

    void whatIsNotFoundAgainIsUnstable()
    {
        const CalibrationPlan plan = planOf(kPlan);
        const auto verdict = [&]() -> std::string {
            const auto stored = storedCalibration(*m_store, plan, "sim:fake");
            return stored && !stored->figures.empty() ? stored->figures[0].validity : std::string();
        };
        R_VERIFY(durable(m_store->append(rowOf(1, 100, "valid", "card"))));
        QCOMPARE(verdict(), std::string("valid"));
        R_VERIFY(durable(m_store->append(rowOf(1, 104.9, "valid", "card"))));
        QCOMPARE(verdict(), std::string("valid"));
        R_VERIFY(durable(m_store->append(rowOf(1, 90, "valid", "card"))));
        QCOMPARE(verdict(), std::string("unstable: 14 % off the time before"));
        R_VERIFY(durable(m_store->append(rowOf(1, 10, "throttled", "card")))); // tells nothing
        QCOMPARE(verdict(), std::string("unstable: 14 % off the time before"));
        R_VERIFY(durable(m_store->append(rowOf(1, 91, "valid", "card"))));
        QCOMPARE(verdict(), std::string("valid"));
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Store> m_store;
};

QTEST_GUILESS_MAIN(TestCalibrator)
#include "tst_calibrator.moc"
