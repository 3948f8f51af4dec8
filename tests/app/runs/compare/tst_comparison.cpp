// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/sweep_plot.h"
#include "app/runs/compare/comparison.h"
#include "app/runs/table/run_document.h"
#include "base/hash.h"
#include "base/json.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace ridge;
using namespace ridge::app;

namespace {

ExperimentInfo info()
{
    ExperimentInfo experiment;
    experiment.id = "copy";
    experiment.title = "Copy";
    ParamSpec stride;
    stride.name = "stride";
    stride.title = "Stride";
    stride.scale = ParamScale::Log2;
    ParamSpec access;
    access.name = "access";
    access.title = "Access";
    access.unit = "B";
    experiment.parameters = {stride, access};
    experiment.metrics = {{"time", "Time", "s", "How long it took"}, {"bandwidth", "Bandwidth", "B/s", {}}};
    experiment.limits = {{"bandwidth", "pin bandwidth", "upper", {}, {}},
                         {"time", "bytes ÷ bandwidth", "lower", {}, {}}};
    return experiment;
}

record::RunRow run(int stride, double time, double bandwidth, const std::string& chip = "a", double limit = 1e12)
{
    record::RunRow row;
    row.id = newUuid7();
    row.sweepId = "s-" + chip;
    row.experiment = "copy";
    row.target = "sim:" + chip;
    row.params = {{"stride", std::int64_t{stride}}, {"access", std::int64_t{4}}};
    row.metrics["time"] = {time, "s", Provenance::Simulated};
    row.metrics["bandwidth"] = {bandwidth, "B/s", Provenance::Simulated};
    row.limits["bandwidth"] = {limit, "upper"};
    row.limits["time"] = {1e-3, "lower"};
    row.fingerprint = Json{{"cpu", "EPYC"},
                           {"target", {{"chip", chip}, {"timing_assumptions", Json::array({"x", "y"})}}},
                           {"kernels", Json::array({{{"name", "copy.cu"},
                                                     {"compiler", "nvrtc"},
                                                     {"version", "13.0"},
                                                     {"arch", "sm_90"},
                                                     {"source_sha256", "0123456789abcdef"}}})}};
    row.status = "finished";
    row.validity = "valid";
    row.createdAt = "2026-11-21T10:00:00.000Z";
    return row;
}

Pin pin(const QString& key, const QString& letter, std::vector<record::RunRow> runs)
{
    Pin made;
    made.key = key;
    made.letter = letter;
    made.name = QStringLiteral("Copy ") + letter;
    made.runs = std::move(runs);
    return made;
}

const ComparedRow* row(const Comparison& comparison, const QString& name)
{
    for (const ComparedRow& each : comparison.rows)
        if (each.name == name)
            return &each;
    return nullptr;
}

} // namespace

class TestComparison : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatDiffersIsFoundAndWhatDoesNotIsNot();
    void aSweepIsComparedAtAPointOrByItsMedian();
    void changesAreFactorsOfTheBaseline();
    void onlyCommonPointsAreOffered();
    void whatWasSweptIsFound();
    void percentOfTheLimitTurnsALowerLimitRound();
    void sideBySideSharesItsAxes();
    void aChoiceAlongTheBottomHasTheNamesThatAPinHas();
    void aPinWithoutTheMetricIsNamed();
    void theBoardHoldsEightAndKeepsLetters();
    void aGrownSweepReplacesItself();
    void aDocumentOfAnotherMachineIsRecorded();
    void aBadDocumentSaysWhatIsWrong_data();
    void aBadDocumentSaysWhatIsWrong();
};

void TestComparison::whatDiffersIsFoundAndWhatDoesNotIsNot()
{
    record::RunRow other = run(8, 2e-3, 5e11, "b");
    (*other.fingerprint)["kernels"][0]["compiler"] = "clang";
    const std::vector<Pin> pins = {pin(QStringLiteral("1"), QStringLiteral("A"), {run(8, 1e-3, 1e12)}),
                                   pin(QStringLiteral("2"), QStringLiteral("B"), {other})};
    const std::vector<ExperimentInfo> experiments = {info()};
    const Comparison result = compare(pins, experiments, {});
    QVERIFY(row(result, QStringLiteral("Time"))->differs);
    QVERIFY(!row(result, QStringLiteral("Stride"))->differs);
    QVERIFY(!row(result, QStringLiteral("Access"))->differs);
    QCOMPARE(row(result, QStringLiteral("Access"))->cells[0].text, QStringLiteral("4 B"));
    QVERIFY(row(result, QStringLiteral("Compiler of copy.cu"))->differs);
    QVERIFY(!row(result, QStringLiteral("Source of copy.cu"))->differs);
    QVERIFY(row(result, QStringLiteral("Target"))->differs);
    QVERIFY(!row(result, QStringLiteral("CPU"))->differs);
    QCOMPARE(row(result, QStringLiteral("Target · Timing assumptions"))->cells[0].text, QStringLiteral("2 values"));
    QVERIFY2(result.summary.contains(QStringLiteral("the code, the machine")), qPrintable(result.summary));
    QVERIFY2(!result.summary.contains(QStringLiteral("parameter")), qPrintable(result.summary));
    QVERIFY2(result.summary.contains(QStringLiteral("time of B is ×2 that of A")), qPrintable(result.summary));
    const QString asked = compare(pins, experiments, {}, "bandwidth").summary;
    QVERIFY2(asked.contains(QStringLiteral("bandwidth of B is ×0.5 that of A")), qPrintable(asked));
    // Groups stand together, results first.
    auto group = ComparedRow::Group::Result;
    for (const ComparedRow& each : result.rows) {
        QVERIFY(each.group >= group);
        group = each.group;
    }
}

void TestComparison::aSweepIsComparedAtAPointOrByItsMedian()
{
    const std::vector<Pin> pins = {
        pin(QStringLiteral("1"), QStringLiteral("A"), {run(1, 1, 1), run(2, 2, 1), run(4, 6, 1)}),
        pin(QStringLiteral("2"), QStringLiteral("B"), {run(2, 8, 1, "b")})};
    const std::vector<ExperimentInfo> experiments = {info()};
    const Comparison whole = compare(pins, experiments, {});
    QCOMPARE(row(whole, QStringLiteral("Time"))->cells[0].value, std::optional<double>(2));
    QVERIFY(row(whole, QStringLiteral("Time"))->cells[0].text.contains(QStringLiteral("median of 3")));
    QCOMPARE(row(whole, QStringLiteral("Stride"))->cells[0].text, QStringLiteral("1 … 4 (3 values)"));
    const Comparison at = compare(pins, experiments, ComparedPoint{"stride", std::int64_t{4}});
    QCOMPARE(row(at, QStringLiteral("Time"))->cells[0].value, std::optional<double>(6));
    QVERIFY(row(at, QStringLiteral("Time"))->cells[1].text.isEmpty());
    QVERIFY(!row(at, QStringLiteral("Time"))->cells[1].value);
}

void TestComparison::changesAreFactorsOfTheBaseline()
{
    const std::vector<Pin> pins = {pin(QStringLiteral("1"), QStringLiteral("A"), {run(1, 2, 0)}),
                                   pin(QStringLiteral("2"), QStringLiteral("B"), {run(1, 3, 5)}),
                                   pin(QStringLiteral("3"), QStringLiteral("C"), {run(1, 2, 0)})};
    const std::vector<ExperimentInfo> experiments = {info()};
    const Comparison result = compare(pins, experiments, {});
    QCOMPARE(row(result, QStringLiteral("Time"))->cells[0].change, QString());
    QCOMPARE(row(result, QStringLiteral("Time"))->cells[1].change, QStringLiteral("×1.5"));
    QCOMPARE(row(result, QStringLiteral("Time"))->cells[2].change, QString());
    QCOMPARE(row(result, QStringLiteral("Bandwidth"))->cells[1].change,
             QStringLiteral("+5")); // nothing is a multiple of zero
}

void TestComparison::onlyCommonPointsAreOffered()
{
    const std::vector<Pin> pins = {
        pin(QStringLiteral("1"), QStringLiteral("A"), {run(1, 1, 1), run(2, 1, 1), run(8, 1, 1)}),
        pin(QStringLiteral("2"), QStringLiteral("B"), {run(8, 1, 1), run(2, 1, 1), run(4, 1, 1)})};
    QCOMPARE(commonPoints(pins, "stride"), (std::vector<ParamValue>{std::int64_t{2}, std::int64_t{8}}));
    QVERIFY(commonPoints(pins, "nothing").empty());
}

void TestComparison::whatWasSweptIsFound()
{
    std::vector<ParamSpec> specs(3);
    specs[0].name = "width";
    specs[1].name = "rung";
    specs[2].name = "warps";
    const auto at = [](std::int64_t width, const char* rung, std::int64_t warps) {
        record::RunRow row;
        row.params = {{"width", width}, {"rung", std::string(rung)}, {"warps", warps}};
        return row;
    };
    const std::vector<Pin> swept = {
        pin(QStringLiteral("sweep:1"), QStringLiteral("A"),
            {at(64, "naive", 4), at(64, "tiled", 4), at(64, "wide", 4)}),
        pin(QStringLiteral("sweep:2"), QStringLiteral("B"), {at(128, "naive", 4), at(128, "tiled", 4)})};
    QCOMPARE(sweptParameter(swept, specs, "width"), std::string("rung")); // the width is one in each of them
    QCOMPARE(sweptParameter(swept, specs, "rung"), std::string("rung"));
    const std::vector<Pin> both = {pin(QStringLiteral("sweep:3"), QStringLiteral("A"),
                                       {at(64, "naive", 4), at(128, "tiled", 4), at(64, "wide", 4)})};
    QCOMPARE(sweptParameter(both, specs, "width"), std::string("width")); // the experiment's own, where it varies
    const std::vector<Pin> single = {pin(QStringLiteral("run:1"), QStringLiteral("A"), {at(64, "naive", 4)}),
                                     pin(QStringLiteral("run:2"), QStringLiteral("B"), {at(64, "naive", 8)})};
    QCOMPARE(sweptParameter(single, specs, "width"), std::string("warps"));
    QCOMPARE(sweptParameter(std::span(single).first(1), specs, "width"), std::string("width"));
}

void TestComparison::percentOfTheLimitTurnsALowerLimitRound()
{
    const std::vector<Pin> pins = {pin(QStringLiteral("1"), QStringLiteral("A"), {run(1, 2e-3, 5e11, "a", 1e12)}),
                                   pin(QStringLiteral("2"), QStringLiteral("B"), {run(1, 4e-3, 5e11, "b", 2e12)})};
    const std::vector<ExperimentInfo> experiments = {info()};
    ChartSpec chart;
    chart.x = "stride";
    chart.y = "bandwidth";
    SweepChartData data = overlayChart(pins, experiments, chart, true);
    QCOMPARE(data.series.size(), 2U);
    QCOMPARE(data.series[0].points[0].y, 50.0);
    QCOMPARE(data.series[1].points[0].y, 25.0);
    QCOMPARE(data.series[1].points[0].limit, std::optional<double>(100));
    QVERIFY(data.yUnit.contains(QLatin1Char('%')));
    chart.y = "time";
    data = overlayChart(pins, experiments, chart, true);
    QCOMPARE(data.series[0].points[0].y, 50.0); // twice as long as it must take
    QCOMPARE(data.series[1].points[0].y, 25.0);
    QCOMPARE(overlayChart(pins, experiments, chart, false).series[1].points[0].y, 4e-3);
}

void TestComparison::sideBySideSharesItsAxes()
{
    const std::vector<Pin> pins = {pin(QStringLiteral("1"), QStringLiteral("A"), {run(1, 1, 1), run(4, 2, 1)}),
                                   pin(QStringLiteral("2"), QStringLiteral("B"), {run(16, 9, 1, "b")})};
    const std::vector<ExperimentInfo> experiments = {info()};
    ChartSpec chart;
    chart.x = "stride";
    chart.y = "time";
    const auto charts = chartsSideBySide(pins, experiments, chart, false);
    QCOMPARE(charts.size(), 2U);
    for (const SweepChartData& data : charts) {
        QCOMPARE(data.xMin, std::optional<double>(1));
        QCOMPARE(data.xMax, std::optional<double>(16));
        QCOMPARE(data.yMin, std::optional<double>(1e-3)); // the limit belongs to the picture
        QCOMPARE(data.yMax, std::optional<double>(9));
        QCOMPARE(data.series.size(), 1U);
    }
}

void TestComparison::aChoiceAlongTheBottomHasTheNamesThatAPinHas()
{
    ExperimentInfo experiment = info();
    ParamSpec rung;
    rung.name = "rung";
    rung.title = "Rung";
    rung.type = ParamType::Choice;
    rung.choices = {std::string("naive"), std::string("tiled"), std::string("vector"), std::string("tma")};
    rung.choiceTitles = {"1 naive", "2 tiled", "3 vector", "4 TMA"};
    experiment.parameters.push_back(rung);
    const auto at = [](const char* name, double time, const char* chip) {
        record::RunRow row = run(1, time, 1, chip);
        row.params["rung"] = std::string(name);
        return row;
    };
    const std::vector<Pin> pins = {
        pin(QStringLiteral("1"), QStringLiteral("A"), {at("vector", 1, "a"), at("naive", 4, "a")}),
        pin(QStringLiteral("2"), QStringLiteral("B"), {at("tma", 2, "b"), at("naive", 8, "b")})};
    const std::vector<ExperimentInfo> experiments = {experiment};
    ChartSpec chart;
    chart.x = "rung";
    chart.y = "time";
    const QStringList names = {QStringLiteral("1 naive"), QStringLiteral("3 vector"), QStringLiteral("4 TMA")};
    const SweepChartData overlay = overlayChart(pins, experiments, chart, false);
    QCOMPARE(overlay.xNames, names); // nobody ran the tiled one
    QCOMPARE(overlay.series.size(), 2U);
    QCOMPARE(overlay.series[0].points.size(), 2U);
    QCOMPARE(overlay.series[0].points[1].x, 2.0);
    QCOMPARE(overlay.series[1].points[1].x, 3.0);
    for (const SweepChartData& data : chartsSideBySide(pins, experiments, chart, false)) {
        QCOMPARE(data.xNames, names); // also what the other one ran: the same place is the same rung
        const PlotAxes axes = SweepPlot(data).axes();
        QCOMPARE(axes.x.ticks.size(), 3U);
        QVERIFY(axes.x.scale.min < 1 && axes.x.scale.max > 3);
    }
    QCOMPARE(commonPoints(pins, "rung"), (std::vector<ParamValue>{std::string("naive")}));
    const Comparison table = compare(pins, experiments, ComparedPoint{"rung", std::string("naive")});
    QCOMPARE(row(table, QStringLiteral("Time"))->cells[1].change, QStringLiteral("×2"));
}

void TestComparison::aPinWithoutTheMetricIsNamed()
{
    record::RunRow other = run(1, 1, 1, "b");
    other.experiment = "else";
    other.metrics.erase("time");
    const std::vector<Pin> pins = {pin(QStringLiteral("1"), QStringLiteral("A"), {run(1, 1, 1)}),
                                   pin(QStringLiteral("2"), QStringLiteral("B"), {other})};
    const std::vector<ExperimentInfo> experiments = {info()};
    ChartSpec chart;
    chart.x = "stride";
    chart.y = "time";
    const SweepChartData data = overlayChart(pins, experiments, chart, false);
    QCOMPARE(data.series.size(), 1U);
    QVERIFY2(data.caption.contains(QStringLiteral("B: has no such result")), qPrintable(data.caption));
    QVERIFY2(data.caption.contains(QStringLiteral("sim:a")),
             qPrintable(data.caption)); // never without where it comes from
}

void TestComparison::theBoardHoldsEightAndKeepsLetters()
{
    PinBoard board;
    QSignalSpy changed(&board, &PinBoard::changed);
    for (int i = 0; i < 8; ++i)
        QVERIFY(board.add(pin(QString::number(i), {}, {run(1, 1, 1)})).ok());
    QCOMPARE(board.pins().back().letter, QStringLiteral("H"));
    const auto ninth = board.add(pin(QStringLiteral("9"), {}, {run(1, 1, 1)}));
    QVERIFY(!ninth);
    QCOMPARE(QString::fromStdString(ninth.error().code), QStringLiteral("pins-full"));
    board.remove(QStringLiteral("2"));
    QVERIFY(board.add(pin(QStringLiteral("9"), {}, {run(1, 1, 1)})).ok());
    QCOMPARE(board.pins().back().letter, QStringLiteral("C")); // the free one; the others keep theirs
    board.setBaseline(QStringLiteral("9"));
    QCOMPARE(board.pins().front().key, QStringLiteral("9"));
    QCOMPARE(board.pins()[1].letter, QStringLiteral("A"));
    QCOMPARE(changed.count(), 11);
    board.clear();
    QVERIFY(board.pins().empty());
}

void TestComparison::aGrownSweepReplacesItself()
{
    PinBoard board;
    record::RunRow failed = run(4, 1, 1);
    failed.status = "failed";
    QVERIFY(board.add(pin(QStringLiteral("s"), {}, {run(1, 1, 1), failed})).ok());
    QCOMPARE(board.pins().front().runs.size(), 1U); // failed runs have nothing to compare
    QVERIFY(board.add(pin(QStringLiteral("s"), {}, {run(1, 1, 1), run(2, 1, 1)})).ok());
    QCOMPARE(board.pins().size(), 1U);
    QCOMPARE(board.pins().front().runs.size(), 2U);
    QCOMPARE(QString::fromStdString(board.add(pin(QStringLiteral("t"), {}, {failed})).error().code),
             QStringLiteral("nothing-to-pin"));
}

void TestComparison::aDocumentOfAnotherMachineIsRecorded()
{
    const std::string text = R"({"experiment": "copy", "version": 2, "target": "gpu:0", "provenance": "MEASURED",
        "fingerprint": {"cpu": "Xeon"}, "checks": [], "validity": "valid", "samples": [
        {"params": {"stride": 1}, "validity": "valid", "limits": {"time": {"value": 1, "kind": "lower"}},
         "metrics": {"time": {"value": 2.5, "unit": "s", "provenance": "MEASURED"},
                     "sectors": {"value": 4, "unit": "1", "provenance": "SIMULATED"}}}]})";
    const auto runs = parseRunDocument(text, "other.json");
    QVERIFY2(runs.ok(), runs.ok() ? "" : toText(runs.error()).c_str());
    QCOMPARE(runs->size(), 1U);
    const record::RunRow& row = runs->front();
    QCOMPARE(row.version, 2);
    QCOMPARE(row.provenance, Provenance::Recorded);
    QCOMPARE(row.metrics.at("time").provenance, Provenance::Recorded); // measured, but not here
    QCOMPARE(row.metrics.at("sectors").provenance, Provenance::Simulated);
    QCOMPARE(row.metrics.at("time").value, 2.5);
    QCOMPARE(row.limits.at("time").value, 1.0);
    QVERIFY(!row.id.empty());
}

void TestComparison::aBadDocumentSaysWhatIsWrong_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("says");
    QTest::newRow("no json") << QByteArray("{\"samples\": [") << QStringLiteral("x.json");
    QTest::newRow("something else") << QByteArray("[1, 2]") << QStringLiteral("neither \"samples\" nor \"runs\"");
    QTest::newRow("no experiment") << QByteArray("{\"samples\": [{}], \"target\": \"gpu:0\"}")
                                   << QStringLiteral("\"experiment\"");
    QTest::newRow("bad provenance")
        << QByteArray("{\"samples\": [], \"experiment\": \"a\", \"target\": \"t\", \"provenance\": \"GUESSED\"}")
        << QStringLiteral("GUESSED");
    QTest::newRow("no metrics")
        << QByteArray("{\"samples\": [{\"params\": {}, \"metrics\": {}}], \"experiment\": \"a\", \"target\": \"t\", "
                      "\"provenance\": \"MEASURED\"}")
        << QStringLiteral("sample 1");
    QTest::newRow("metric without value")
        << QByteArray("{\"samples\": [{\"params\": {}, \"metrics\": {\"a\": {}}}], \"experiment\": \"a\", "
                      "\"target\": \"t\", \"provenance\": \"MEASURED\"}")
        << QStringLiteral("x.json");
    QTest::newRow("nothing in it") << QByteArray("{\"runs\": []}") << QStringLiteral("no finished run");
}

void TestComparison::aBadDocumentSaysWhatIsWrong()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, says);
    const auto runs = parseRunDocument(text.toStdString(), "x.json");
    QVERIFY(!runs);
    const QString error = QString::fromStdString(toText(runs.error()));
    QVERIFY2(error.contains(says), qPrintable(error));
    QVERIFY2(error.contains(QStringLiteral("x.json")), qPrintable(error));
}

QTEST_APPLESS_MAIN(TestComparison)
#include "tst_comparison.moc"
