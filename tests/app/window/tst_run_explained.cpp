// SPDX-License-Identifier: GPL-3.0-or-later
// The three questions about a run, over the figures of runs of the simulator (ridge run … --target sim:h100-sxm,
// 2026-11-22).
#include "app/drawing/scenes/warp_state_look.h"
#include "app/runs/table/run_data.h"
#include "app/runs/table/run_explained.h"
#include "base/json.h"

#include <QtTest>
#include <filesystem>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

/// `reduction`: 1174 GB/s, 70 % of its warp-cycles in “long scoreboard”.
record::RunRow reduction()
{
    record::RunRow run;
    run.experiment = "reduction";
    run.status = "finished";
    run.metrics["bandwidth"] = {1174, "GB/s", Provenance::Simulated};
    run.limits["bandwidth"] = {3352, "upper"};
    run.metrics["stall_long_scoreboard"] = {70, "%", Provenance::Simulated};
    run.metrics["stall_wait"] = {9, "%", Provenance::Simulated};
    run.metrics["stall_selected"] = {80, "%", Provenance::Simulated}; // issuing is no wait
    return run;
}

Json recordedRuns()
{
    const auto bytes =
        readFile(std::filesystem::path(qgetenv("RIDGE_SOURCE").toStdString()) / "tests/app/window/explained_runs.json");
    const auto json = bytes ? parseJson(*bytes, "explained_runs.json") : Result<Json>(bytes.error());
    if (!json)
        qFatal("%s", toText(json.error()).c_str());
    return *json;
}

record::RunRow recorded(const Json& json)
{
    record::RunRow run;
    run.status = "finished";
    for (const auto& [name, metric] : json.at("metrics").items())
        run.metrics[name] = {metric.at(0).get<double>(), metric.at(1).get<std::string>(), Provenance::Simulated};
    for (const auto& [name, limit] : json.at("limits").items())
        run.limits[name] = {limit.at(0).get<double>(), limit.at(1).get<std::string>()};
    return run;
}

ExperimentInfo info()
{
    ExperimentInfo made;
    made.metrics = {{"bandwidth", "Bandwidth", "GB/s", {}},
                    {"sectors_per_request", "Sectors a request", "sectors/request", {}}};
    return made;
}

} // namespace

class TestRunExplained : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void waitingKernelsAreToldWhatFor()
    {
        const auto told = explainRun(reduction(), nullptr);
        QVERIFY(told);
        QVERIFY2(told->saturates.startsWith(s("Nothing: bandwidth, the nearest to its limit, is at 35 %.")),
                 qPrintable(told->saturates));
        QVERIFY(told->saturates.endsWith(s("70 % of their cycles for “%1”.").arg(stateText("long_scoreboard"))));
        QCOMPARE(told->roof, s("1.17 TB/s, where 3.35 TB/s is the limit: at most 2.9 times as fast."));
        QVERIFY(told->change.startsWith(stateAdvice("long_scoreboard")));
        // Without the wait 3.3 times, but the limit allows no more than 2.9.
        QVERIFY2(told->change.endsWith(s("Without that wait at most 2.9 times as fast.")), qPrintable(told->change));
        record::RunRow shorter = reduction();
        shorter.metrics["stall_long_scoreboard"].value = 50;
        QVERIFY(explainRun(shorter, nullptr)->change.endsWith(s("at most 2 times as fast.")));
    }

    /// Runs of the simulator that were kept, each with the one in which what the rule names was mended: it became
    /// faster, and never by more than the rule had said.
    void theGainIsNeverMoreThanWasSaid_data()
    {
        QTest::addColumn<int>("pair");
        const Json runs = recordedRuns();
        for (std::size_t i = 0; i < runs.at("pairs").size(); ++i)
            QTest::addRow("%s", runs.at("pairs").at(i).at("experiment").get<std::string>().c_str()) << int(i);
    }
    void theGainIsNeverMoreThanWasSaid()
    {
        QFETCH(int, pair);
        const Json runs = recordedRuns();
        const Json& both = runs.at("pairs").at(std::size_t(pair));
        const record::RunRow before = recorded(both.at("before")), after = recorded(both.at("after"));
        const auto told = explainRun(before, nullptr);
        QVERIFY(told && told->gain > 1);
        const std::string rule = both.at("rule").get<std::string>();
        constexpr std::string_view wait = "stall_";
        QVERIFY2(told->change.contains(rule.starts_with(wait) ? stateAdvice(rule.substr(wait.size()))
                                                              : QString::fromStdString(rule)),
                 qPrintable(told->change));
        // What it named is less now.
        const auto value = [&](const record::RunRow& run, const std::string& name) {
            const auto found = run.metrics.find(name);
            return found == run.metrics.end() ? 0.0 : found->second.value;
        };
        QVERIFY(value(after, rule) < value(before, rule) || rule.starts_with(wait));
        const double gained = value(before, "time") / value(after, "time");
        QVERIFY2(gained > 1 && gained <= told->gain, qPrintable(QString::number(gained)));
        // Loads that waste nothing and warps that fill the SM are no reason why it is not faster.
        const auto then = explainRun(after, nullptr);
        QVERIFY(then && !then->saturates.contains(s("efficiency")) && !then->saturates.contains(s("occupancy")));
    }
    /// One warp is at its limit, which is what its bytes in flight allow: more warps have a higher one.
    void aLimitMayBeRaised()
    {
        const Json runs = recordedRuns();
        const auto told = explainRun(recorded(runs.at("raised").at("before")), nullptr);
        QVERIFY(told && told->gain == 0);
        QVERIFY2(told->change.contains(s("a setting that raises the limit")), qPrintable(told->change));
        QVERIFY(recorded(runs.at("raised").at("after")).metrics.at("time").value <
                recorded(runs.at("raised").at("before")).metrics.at("time").value / 8);
    }

    void wasteComesFirst()
    {
        record::RunRow run = reduction();
        run.metrics["sectors_per_request"] = {32, "sectors/request", Provenance::Simulated};
        run.limits["sectors_per_request"] = {4, "lower"};
        const ExperimentInfo about = info();
        const auto told = explainRun(run, &about);
        QCOMPARE(
            told->change,
            s("Less for the same: Sectors a request is 32 sectors/request, and 4 sectors/request would do. As far as "
              "that sets the pace, up to 8 times."));
        QVERIFY(told->roof.contains(s("3.35 TB/s")));
        run.metrics["sectors_per_request"].value = 6; // not twice the least: the waits are the greater matter
        QVERIFY(explainRun(run, &about)->change.startsWith(stateAdvice("long_scoreboard")));
    }

    void aLimitThatIsReachedIsTheAnswer()
    {
        record::RunRow run = reduction();
        run.metrics["bandwidth"].value = 3100;
        const ExperimentInfo about = info();
        const auto told = explainRun(run, &about);
        QCOMPARE(told->saturates, s("Bandwidth is at 92 % of its limit: that holds it back."));
        QVERIFY(told->change.contains(s("only asking for less")));
        run.metrics["bandwidth"].value = 5000; // faster than the limit allows
        QVERIFY(explainRun(run, &about)->roof.contains(s("how it was timed")));
        run.metrics["bandwidth"].value = 2300;
        QVERIFY(explainRun(run, &about)->saturates.startsWith(s("Nothing quite: Bandwidth comes nearest, at 69 %")));
    }

    /// "Share of the limit is at 88 % of its limit" would say nothing.
    void aShareIsNoShareOfItsLimit()
    {
        record::RunRow run;
        run.status = "finished";
        run.metrics["share"] = {88, "%", Provenance::Simulated};
        run.limits["share"] = {100, "upper"};
        QCOMPARE(explainRun(run, nullptr)->saturates, s("share: 88 %. That holds it back."));
        run.metrics["share"].value = 60;
        QCOMPARE(explainRun(run, nullptr)->saturates, s("Nothing quite. What comes nearest is share: 60 %."));
    }

    void factsOfAMachineHaveTheirUnits()
    {
        const auto rows = readableJson(Json{{"target", {{"clock_hz", 1.98e9}, {"memory_bytes", 8e9}, {"sms", 132}}}});
        QCOMPARE(rows.size(), std::size_t{3});
        QVERIFY(rows[0] == std::pair(s("Target · Clock"), s("1.98 GHz")));
        QVERIFY2(rows[1].first == s("Target · Memory") && rows[1].second.endsWith(s("B")), qPrintable(rows[1].second));
        QVERIFY(rows[2] == std::pair(s("Target · Sms"), s("132")));
    }

    void timesHaveALeast()
    {
        record::RunRow run;
        run.status = "finished";
        run.metrics["time"] = {4e-6, "s", Provenance::Modelled};
        run.limits["time"] = {2e-6, "lower"};
        const auto told = explainRun(run, nullptr);
        QVERIFY2(told->roof.endsWith(s("is the limit: at most 2 times as fast.")), qPrintable(told->roof));
        QVERIFY(told->change.isEmpty()); // no rule knows
    }

    void nothingToGoByIsNothingSaid()
    {
        record::RunRow run;
        run.status = "finished";
        run.metrics["answer"] = {42, "1", Provenance::Modelled};
        QVERIFY(!explainRun(run, nullptr));
        run.limits["answer"] = {0, "upper"}; // a limit of nothing is none
        QVERIFY(!explainRun(run, nullptr));
        run = reduction();
        run.status = "failed";
        QVERIFY(!explainRun(run, nullptr));
        run = reduction();
        run.limits.clear();
        QVERIFY(explainRun(run, nullptr)->roof.isEmpty());
        run.metrics["stall_long_scoreboard"].value = 100; // a wait of all the time: no factor to tell
        QCOMPARE(explainRun(run, nullptr)->change, stateAdvice("long_scoreboard"));
    }
};

QTEST_MAIN(TestRunExplained)
#include "tst_run_explained.moc"
