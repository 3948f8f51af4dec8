// SPDX-License-Identifier: GPL-3.0-or-later
// An experiment is a pure function of kernel, parameters, seed and target: on a simulator a point may not know what
// ran before it.
#include "labs/catalogue.h"
#include "labs/worker/execute.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::labs;

namespace {

using Metrics = std::map<std::string, MetricValue>;

struct Reply {
    std::vector<Metrics> samples;
    std::vector<std::string> traces; ///< of all points, in order
    bool finished = false;
};

Reply executed(const std::string& experiment, const std::string& target, std::vector<ParamSet> points)
{
    RunRequest request;
    request.experiment = experiment;
    request.target = target;
    request.points = std::move(points);
    request.trace = true;
    Reply reply;
    const EventSink sink = [&](const Event& event) {
        if (const auto* sample = std::get_if<SampleEvent>(&event))
            reply.samples.push_back(sample->metrics);
        else if (const auto* trace = std::get_if<TraceEvent>(&event))
            reply.traces.push_back(trace->bytes);
    };
    reply.finished = execute(makeCatalogue(), request, sink, {}, [] { return Error{}; });
    return reply;
}

std::vector<ParamSet> valuesOf(const std::string& parameter, const std::vector<ParamValue>& values,
                               const ParamSet& others)
{
    std::vector<ParamSet> points;
    for (const ParamValue& value : values) {
        ParamSet point = others;
        point[parameter] = value;
        points.push_back(point);
    }
    return points;
}

} // namespace

class TestPointAlone : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void givesWhatItGivesInASweep_data();
    void givesWhatItGivesInASweep();
};

void TestPointAlone::givesWhatItGivesInASweep_data()
{
    QTest::addColumn<std::string>("experiment");
    QTest::addColumn<std::string>("target");
    QTest::addColumn<std::vector<ParamSet>>("points");
    // Addresses: cache slices and banks are chosen by them.
    QTest::newRow("strides") << std::string("coalescing") << std::string("sim:t4")
                             << valuesOf("stride", {std::int64_t{1}, std::int64_t{2}, std::int64_t{32}},
                                         {{"elements", std::int64_t{16384}}});
    // A kernel of its own at each point, one of which keeps a counter in a variable of the program.
    QTest::newRow("rungs") << std::string("reduction") << std::string("sim:a100-sxm-80")
                           << valuesOf("rung",
                                       {std::string("atomic"), std::string("last_block"), std::string("shuffle"),
                                        std::string("last_block")},
                                       {{"elements", std::int64_t{16384}}});
    QTest::newRow("scans") << std::string("scan") << std::string("sim:h100-sxm")
                           << valuesOf("rung",
                                       {std::string("look_back"), std::string("shuffle"), std::string("look_back")},
                                       {{"elements", std::int64_t{16384}}});
}

void TestPointAlone::givesWhatItGivesInASweep()
{
    QFETCH(const std::string, experiment);
    QFETCH(const std::string, target);
    QFETCH(const std::vector<ParamSet>, points);
    const Reply sweep = executed(experiment, target, points);
    QVERIFY(sweep.finished);
    QCOMPARE(sweep.samples.size(), points.size());
    std::vector<std::string> traces;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Reply alone = executed(experiment, target, {points[i]});
        QVERIFY(alone.finished);
        QCOMPARE(alone.samples.size(), std::size_t{1});
        QCOMPARE(alone.samples[0].size(), sweep.samples[i].size());
        for (const auto& [name, value] : alone.samples[0]) {
            const double other = sweep.samples[i].at(name).value;
            QVERIFY2(value.value == other, (name + " at point " + std::to_string(i) + ": " +
                                            std::to_string(value.value) + " alone, " + std::to_string(other))
                                               .c_str());
        }
        traces.insert(traces.end(), alone.traces.begin(), alone.traces.end());
    }
    QVERIFY(!traces.empty());
    QVERIFY(traces == sweep.traces);
}

QTEST_GUILESS_MAIN(TestPointAlone)
#include "tst_point_alone.moc"
