// SPDX-License-Identifier: GPL-3.0-or-later
// The pictures that an experiment declares beside the line: counted by hand.
#include "app/drawing/charts/plot_chart.h"
#include "app/runs/table/chart_kinds.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::app;

namespace {

ExperimentInfo experiment()
{
    ExperimentInfo info;
    info.id = "e";
    ParamSpec batch;
    batch.name = "batch";
    batch.title = "Batch";
    batch.type = ParamType::Integer;
    ParamSpec seed = batch;
    seed.name = "seed";
    seed.title = "Seed";
    info.parameters = {batch, seed};
    info.metrics = {{"time", "Time", "s", ""}, {"wait", "Waiting", "s", ""}, {"cost", "Cost", "1", ""}};
    info.limits = {{"time", "the least", "lower", "", ""}};
    return info;
}

record::RunRow run(std::int64_t batch, double time, double wait = 0, double cost = 1, std::int64_t seed = 1)
{
    static std::int64_t seq = 0;
    record::RunRow row;
    row.experiment = "e";
    row.status = "finished";
    row.target = "model";
    row.validity = "valid";
    row.seq = ++seq;
    row.params = {{"batch", batch}, {"seed", seed}};
    row.metrics["time"] = {time, "s", Provenance::Modelled};
    row.metrics["wait"] = {wait, "s", Provenance::Modelled};
    row.metrics["cost"] = {cost, "1", Provenance::Modelled};
    row.limits["time"] = {0.5, "lower"};
    return row;
}

ChartRuns pointers(const std::vector<record::RunRow>& rows)
{
    ChartRuns runs;
    for (const record::RunRow& row : rows)
        runs.push_back(&row);
    return runs;
}

ChartSpec chart(const char* kind)
{
    ChartSpec spec{"c", "Title", "batch", "time"};
    spec.kind = kind;
    return spec;
}

} // namespace

class TestChartKinds : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void percentilesAreNearestRanks();
    void frontsHoldWhatNoneBeats();
    void costsAreStackedByPlace();
    void laddersCarryLimitAndReference();
    void distributionsMarkThreePercentiles();
    void bandsHoldLeastMedianAndMost();
    void seriesHaveALineEach();
    void rooflinesBendAtTheRidge();
    void everyKindHasAPlotAndAnEmptyText();
    void specsSurviveTheWire();
};

void TestChartKinds::percentilesAreNearestRanks()
{
    std::vector<double> hundred;
    for (int i = 1; i <= 100; ++i)
        hundred.push_back(i);
    QCOMPARE(record::nearestRank(hundred, 0.5), 50.0);
    QCOMPARE(record::nearestRank(hundred, 0.99), 99.0);
    QCOMPARE(record::nearestRank(hundred, 1), 100.0);
    QCOMPARE(record::nearestRank({7}, 0.5), 7.0);
    QCOMPARE(record::nearestRank({1, 2, 3}, 0.34), 2.0);
}

void TestChartKinds::frontsHoldWhatNoneBeats()
{
    const std::vector<std::pair<double, double>> points = {{1, 9}, {2, 5}, {3, 7}, {4, 1}, {4, 3}, {2, 5}};
    QCOMPARE(record::paretoFront(points, false, false), (std::vector<std::size_t>{0, 1, 5, 3}));
    QCOMPARE(record::paretoFront(points, false, true), (std::vector<std::size_t>{0}));
    QCOMPARE(record::paretoFront(points, true, false), (std::vector<std::size_t>{3}));
    QCOMPARE(record::paretoFront(points, true, true), (std::vector<std::size_t>{0, 2, 4}));
    // Whatever the points: none of the front is beaten, and everything else is.
    std::vector<std::pair<double, double>> many;
    unsigned state = 7;
    for (int i = 0; i < 200; ++i) {
        state = state * 1664525u + 1013904223u;
        many.emplace_back(state >> 24, (state >> 16) & 255u);
    }
    const auto front = record::paretoFront(many, false, false);
    for (std::size_t i = 0; i < many.size(); ++i) {
        const bool beaten = std::ranges::any_of(many, [&](const auto& other) {
            return other.first <= many[i].first && other.second <= many[i].second && other != many[i];
        });
        const bool kept = std::ranges::any_of(front, [&](std::size_t at) { return many[at] == many[i]; });
        QCOMPARE(kept, !beaten);
    }
}

void TestChartKinds::costsAreStackedByPlace()
{
    ChartSpec spec = chart("cost");
    spec.parts = {"wait", "time"};
    const std::vector<record::RunRow> rows = {run(2, 3, 1), run(1, 5, 2), run(2, 4, 2)};
    const CostData data = costOfRuns(pointers(rows), experiment(), spec);
    QCOMPARE(data.bars.size(), 2u);
    QCOMPARE(data.bars[0].values, (std::vector<double>{2, 5}));
    QCOMPARE(data.bars[1].values, (std::vector<double>{2, 4})); // the newest at batch 2
    QCOMPARE(data.parts.size(), 2u);
    // A part that a run does not have is nothing to it, and one that none has is not named.
    ExperimentInfo info = experiment();
    info.metrics.push_back({"later", "Later", "s", ""});
    info.metrics.push_back({"never", "Never", "s", ""});
    spec.parts = {"wait", "later", "never"};
    std::vector<record::RunRow> some = rows;
    some[1].metrics["later"] = {7, "s", Provenance::Simulated};
    const CostData partly = costOfRuns(pointers(some), info, spec);
    QCOMPARE(partly.parts, (std::vector<QString>{QStringLiteral("waiting"), QStringLiteral("later")}));
    QCOMPARE(partly.bars[0].values, (std::vector<double>{2, 7}));
    QCOMPARE(partly.bars[1].values, (std::vector<double>{2, 0}));
    spec.parts = {"never"};
    QVERIFY(costOfRuns(pointers(some), info, spec).bars.empty());
}

void TestChartKinds::laddersCarryLimitAndReference()
{
    ChartSpec spec = chart("ladder");
    spec.parts = {"cost"};
    std::vector<record::RunRow> rows = {run(1, 5, 0, 9), run(2, 3, 0, 8)};
    const LadderData data = ladderOfRuns(pointers(rows), experiment(), spec);
    QCOMPARE(data.rungs.size(), 2u);
    QCOMPARE(data.rungs[1].value, 3.0);
    QCOMPARE(data.limit, std::optional<double>(0.5));
    QCOMPARE(data.reference, std::optional<double>(8));
    rows[0].limits["time"].value = 0.7;
    QVERIFY2(!ladderOfRuns(pointers(rows), experiment(), spec).limit,
             "rungs of different work have no limit in common");
}

void TestChartKinds::distributionsMarkThreePercentiles()
{
    std::vector<record::RunRow> rows;
    for (int i = 20; i >= 1; --i)
        rows.push_back(run(i, i));
    const FigureData data = distributionOfRuns(pointers(rows), experiment(), chart("cdf"));
    QCOMPARE(data.marks.size(), 3u);
    QCOMPARE(data.marks[0].at.x(), 10.0);
    QCOMPARE(data.marks[1].at.x(), 19.0);
    QCOMPARE(data.marks[2].at.x(), 20.0);
    QCOMPARE(data.table.rows.size(), 20u);
    QCOMPARE(std::get<double>(data.table.rows.back()[0]), 100.0);
    const auto& points = data.lines.front().points;
    for (qsizetype i = 1; i < points.size(); ++i)
        QVERIFY(points[i].x() >= points[i - 1].x() && points[i].y() >= points[i - 1].y());
}

void TestChartKinds::bandsHoldLeastMedianAndMost()
{
    const std::vector<record::RunRow> rows = {run(1, 4, 0, 1, 1), run(1, 1, 0, 1, 2), run(1, 2, 0, 1, 3),
                                              run(2, 8, 0, 1, 1), run(2, 6, 0, 1, 2)};
    const FigureData data = bandOfRuns(pointers(rows), experiment(), chart("band"));
    QCOMPARE(data.bands.size(), 1u);
    QCOMPARE(data.bands[0].low, (QList<QPointF>{{1, 1}, {2, 6}}));
    QCOMPARE(data.bands[0].high, (QList<QPointF>{{1, 4}, {2, 8}}));
    QCOMPARE(data.lines[0].points, (QList<QPointF>{{1, 2}, {2, 7}}));
    QCOMPARE(std::get<double>(data.table.rows[0][4]), 3.0);
}

void TestChartKinds::seriesHaveALineEach()
{
    ChartSpec spec = chart("series");
    spec.parts = {"wait"};
    const std::vector<record::RunRow> rows = {run(1, 5, 2), run(2, 3, 1)};
    const FigureData data = seriesOfRuns(pointers(rows), experiment(), spec);
    QCOMPARE(data.lines.size(), 2u);
    QCOMPARE(data.lines[1].points, (QList<QPointF>{{1, 2}, {2, 1}}));
    QVERIFY(!data.yTitle.isEmpty());
    // A number without a unit is no title, and what spans many doublings is read in powers of ten.
    ExperimentInfo info = experiment();
    for (MetricSpec& metric : info.metrics)
        metric.unit = "1";
    spec.yScale = ParamScale::Log2;
    QVERIFY(seriesOfRuns(pointers(rows), info, spec).yTitle.isEmpty());
    QVERIFY(!seriesOfRuns(pointers(rows), info, spec).axes.y.scale.decades);
    const std::vector<record::RunRow> wide = {run(1, 1e-4, 1e-5), run(2, 1e-12, 1e-15)};
    QVERIFY(seriesOfRuns(pointers(wide), info, spec).axes.y.scale.decades);
}

void TestChartKinds::rooflinesBendAtTheRidge()
{
    // cost is the intensity, time the rate, wait the bandwidth, and a metric of its own the peak
    ExperimentInfo info = experiment();
    info.metrics.push_back({"peak", "Peak", "s", ""});
    std::vector<record::RunRow> rows = {run(1, 2, 2, 1), run(2, 12, 2, 100), run(1, 3, 2, 2), run(3, 1, 2, 0)};
    for (record::RunRow& row : rows)
        row.metrics["peak"] = {16, "s", Provenance::Modelled};
    ChartSpec spec = chart("roofline");
    spec.x = "cost";
    spec.parts = {"peak", "wait"};
    const FigureData data = rooflineOfRuns(pointers(rows), info, spec);
    QCOMPARE(data.lines.size(), 1u);
    QCOMPARE(data.lines[0].points, (QList<QPointF>{{2, 4}, {8, 16}, {100, 16}}));
    // The first run was repeated by the third, and the fourth computes nothing.
    QCOMPARE(data.marks.size(), 2u);
    QCOMPARE(data.marks[0].at, QPointF(100, 12));
    QCOMPARE(data.marks[1].at, QPointF(2, 3));
    QCOMPARE(std::get<double>(data.table.rows[0][3]), 75.0);
    QCOMPARE(std::get<QString>(data.table.rows[0][4]), QStringLiteral("compute"));
    QCOMPARE(std::get<double>(data.table.rows[1][3]), 75.0);
    QCOMPARE(std::get<QString>(data.table.rows[1][4]), QStringLiteral("memory"));
    spec.parts.pop_back();
    QVERIFY(!rooflineOfRuns(pointers(rows), info, spec).emptyText.isEmpty());
}

void TestChartKinds::everyKindHasAPlotAndAnEmptyText()
{
    for (const std::string_view kind : kChartKinds) {
        ChartSpec spec = chart(std::string(kind).c_str());
        if (kind == "pareto" || kind == "roofline")
            spec.x = "cost";
        spec.parts = {"wait"};
        if (kind == "roofline")
            spec.parts.emplace_back("cost");
        const auto none = plotOfChart({}, experiment(), spec);
        QCOMPARE(none == nullptr, kind == "curve");
        if (!none)
            continue;
        QVERIFY2(none->empty() && !none->text().emptyText.isEmpty(), std::string(kind).c_str());
        const std::vector<record::RunRow> rows = {run(1, 5, 2, 3), run(2, 3, 1, 4), run(4, 2, 1, 9)};
        const auto some = plotOfChart(pointers(rows), experiment(), spec);
        QVERIFY2(!some->empty() && !some->summary().isEmpty() && !some->table().rows.empty(),
                 std::string(kind).c_str());
        // Without a run that has the metric it is empty again, and nothing falls over.
        std::vector<record::RunRow> bare = rows;
        for (record::RunRow& row : bare)
            row.metrics.clear();
        QVERIFY(plotOfChart(pointers(bare), experiment(), spec)->empty());
    }
}

void TestChartKinds::specsSurviveTheWire()
{
    ExperimentInfo info = experiment();
    info.title = "E";
    info.module = 1;
    info.targets = {"model"};
    ChartSpec spec = chart("pareto");
    spec.parts = {"wait"};
    spec.leastY = false;
    info.charts = {chart("curve"), spec};
    const auto back = experimentInfoFromJson(ridge::toJson(info));
    QVERIFY2(back.ok(), back.ok() ? "" : toText(back.error()).c_str());
    QCOMPARE(back->charts[0].kind, std::string("curve"));
    QCOMPARE(back->charts[1].kind, std::string("pareto"));
    QCOMPARE(back->charts[1].parts, (std::vector<std::string>{"wait"}));
    QVERIFY(back->charts[1].leastX && !back->charts[1].leastY);
}

QTEST_MAIN(TestChartKinds)
#include "tst_chart_kinds.moc"
