// SPDX-License-Identifier: GPL-3.0-or-later
// What other machines gave, laid over a chart: which points, in which words, and never without the machine's card.
#include "tests/app/window/shell_fixture.h"
#include "tests/golden/golden.h"

#include "app/drawing/charts/chart_text.h"
#include "app/runs/compare/pin_sources.h"
#include "app/runs/lab/lab_page.h"
#include "app/runs/overlays/overlay_bar.h"
#include "app/theme/kept_units.h"
#include "app/ui/panels.h"
#include "app/window/settler.h"

#include <QCheckBox>
#include <QComboBox>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

ExperimentInfo copyInfo()
{
    ExperimentInfo info;
    info.id = "copy";
    const auto add = [&](const char* name, ParamType type) {
        ParamSpec spec;
        spec.name = spec.title = name;
        spec.type = type;
        if (type == ParamType::Choice)
            spec.choices = {std::string("read"), std::string("write")};
        info.parameters.push_back(spec);
    };
    add("bytes", ParamType::Integer);
    add("loads", ParamType::Integer);
    add("kind", ParamType::Choice);
    info.metrics = {{"bandwidth", "Bandwidth", "GB/s", ""}, {"delay", "Delay", "s", ""}};
    info.charts = {{"c", "Bandwidth over bytes", "bytes", "bandwidth"}};
    return info;
}

record::RunRow copyRun(std::int64_t bytes, std::int64_t loads, const char* kind, double value, double limit = 0)
{
    record::RunRow row;
    row.experiment = "copy";
    row.target = "sim:x";
    row.status = "finished";
    row.validity = "valid";
    row.params = {{"bytes", bytes}, {"loads", loads}, {"kind", std::string(kind)}};
    row.metrics["bandwidth"] = {value, "GB/s", Provenance::Simulated};
    if (limit > 0)
        row.limits["bandwidth"] = {limit, "upper"};
    return row;
}

record::BaselineLibrary oneMachine(std::vector<record::RunRow> rows)
{
    record::Baseline baseline;
    baseline.id = "m";
    baseline.machine = "Machine M";
    baseline.source = "A test";
    baseline.fingerprint = Json{{"gpu", "M"}};
    for (record::RunRow& row : rows) {
        row.target = "recorded:m";
        row.provenance = Provenance::Recorded;
        row.metrics["bandwidth"].provenance = Provenance::Recorded;
        baseline.points.push_back({row, "noted"});
    }
    return {{baseline}, {}};
}

std::vector<const record::RunRow*> pointers(const std::vector<record::RunRow>& rows)
{
    std::vector<const record::RunRow*> all;
    for (const record::RunRow& row : rows)
        all.push_back(&row);
    return all;
}

SweepChartData chartWith(double y, std::optional<double> limit)
{
    SweepChartData data;
    data.limitKind = s("upper");
    data.series.push_back({s("here"), Provenance::Simulated, {{1, y, limit}}});
    return data;
}

} // namespace

class Overlays : public QObject {
    Q_OBJECT
    std::unique_ptr<Workplace> m_place;
    LabPage* m_lab = nullptr;

    /// The Lab with three runs of the chase, as a run gives them.
    void openLatency(const char* theme = "light")
    {
        m_place = std::make_unique<Workplace>();
        QVERIFY(m_place->theme.load(s(theme)).ok());
        QVERIFY(m_place->loadCatalogue());
        m_place->makeWindow().resize(1280, 800);
        QVERIFY(m_place->window->open(s("lab/latency")).ok());
        m_lab = qobject_cast<LabPage*>(m_place->window->page());
        QVERIFY(m_lab);
        m_lab->results()->begin(*m_place->context->experiment("latency"), s("working_set"));
        for (const auto& [set, cycles] : {std::pair(16384, 32.0), {4194304, 281.0}, {1073741824, 640.0}}) {
            record::RunRow row;
            row.experiment = "latency";
            row.target = "sim:h100-sxm";
            row.status = "finished";
            row.validity = "valid";
            row.params = {{"working_set", std::int64_t{set}},
                          {"stride", std::int64_t{128}},
                          {"load", std::string("ca")},
                          {"loads", std::int64_t{512}}};
            row.metrics["cycles_per_load"] = {cycles, "cycles", Provenance::Simulated};
            row.metrics["ns_per_load"] = {cycles / 1.98, "ns", Provenance::Simulated};
            m_lab->results()->addRow(row);
        }
        QTRY_COMPARE(m_lab->results()->chart()->data().series.size(), 1u);
        QTRY_VERIFY(bar()->isVisible());
    }

    /// The Lab with a roofline whose points came with their limit.
    void openRoofline()
    {
        m_place = std::make_unique<Workplace>();
        QVERIFY(m_place->loadCatalogue());
        m_place->makeWindow().resize(1280, 800);
        QVERIFY(m_place->window->open(s("lab/roofline")).ok());
        m_lab = qobject_cast<LabPage*>(m_place->window->page());
        m_lab->results()->begin(*m_place->context->experiment("roofline"), s("fma_per_16"));
        for (const auto& [fma, rate, limit] :
             {std::tuple(8, 630.0, 837.5), {64, 4951.0, 6700.0}, {1024, 45951.0, 66900.0}}) {
            record::RunRow row;
            row.experiment = "roofline";
            row.target = "sim:h100-sxm";
            row.status = "finished";
            row.validity = "valid";
            row.params = {
                {"fma_per_16", std::int64_t{fma}}, {"type", std::string("fp32")}, {"level", std::string("hbm")}};
            row.metrics["rate"] = {rate, "GFLOP/s", Provenance::Simulated};
            row.limits["rate"] = {limit, "upper"};
            m_lab->results()->addRow(row);
        }
        QTRY_COMPARE(m_lab->results()->chart()->data().series.size(), 1u);
        QTRY_VERIFY(bar()->isVisible());
    }

    OverlayBar* bar() const { return m_lab->results()->overlays(); }

    QStringList cards() const
    {
        QStringList names;
        for (const Card* card : bar()->findChildren<Card*>())
            if (card->isVisible())
                names << card->accessibleName();
        return names;
    }

private Q_SLOTS:
    void cleanup() { m_place.reset(); }

    void onlyTheSameMeasurementIsOffered()
    {
        const ExperimentInfo info = copyInfo();
        const std::vector<record::RunRow> here = {copyRun(1024, 8, "read", 10)};
        const auto runs = pointers(here);
        const auto offered = [&](std::vector<record::RunRow> there) {
            const auto library = oneMachine(std::move(there));
            std::size_t points = 0;
            for (const MachineOverlay& overlay : overlaysFor(library, info, info.charts[0], runs))
                points += overlay.points.size();
            return points;
        };
        QCOMPARE(offered({copyRun(1024, 8, "read", 1), copyRun(4096, 8, "read", 2)}), 2u);
        QCOMPARE(offered({copyRun(1024, 8, "write", 1)}), 0u);                              // another operation
        QCOMPARE(offered({copyRun(1024, 64, "read", 1)}), 1u);                              // told, not hidden
        QCOMPARE(offered({copyRun(1024, 8, "read", 1), copyRun(1024, 64, "read", 2)}), 1u); // swept there, not here
        const auto library = oneMachine({copyRun(1024, 64, "read", 1)});
        const auto overlays = overlaysFor(library, info, info.charts[0], runs);
        QCOMPARE(overlays.front().differs, QStringList{s("loads: 8 here, 64 there")});
        QCOMPARE(overlays.front().notes, QStringList{s("noted")});
        ChartSpec other = info.charts[0];
        other.y = "delay";
        QVERIFY(overlaysFor(library, info, other, runs).empty());
        ExperimentInfo newer = info;
        newer.version = 2;
        QVERIFY(overlaysFor(library, newer, info.charts[0], runs).empty());
    }

    void aCurveBringsItsMachineAlong()
    {
        const ExperimentInfo info = copyInfo();
        const std::vector<record::RunRow> here = {copyRun(1024, 8, "read", 10, 40)};
        const auto library = oneMachine({copyRun(4096, 8, "read", 2, 4), copyRun(1024, 8, "read", 1, 4)});
        SweepChartData data = chartWith(10, 40);
        addOverlay(data, info, info.charts[0], overlaysFor(library, info, info.charts[0], pointers(here)).front());
        QCOMPARE(data.series.size(), 2u);
        QVERIFY(data.series[1].provenance == Provenance::Recorded);
        QCOMPARE(data.series[1].points[0].x, 1024.0); // in order
        QVERIFY(data.caption.contains(s("Machine M")));
        QCOMPARE(data.origin.fingerprint->at("recorded").at("m").at("source").get<std::string>(),
                 std::string("A test"));
        const ChartTable table = sweepTable(data);
        QCOMPARE(table.rows.size(), 3u);
        const QString csv = tableCsv(table);
        QVERIFY2(csv.contains(s("RECORDED")) && csv.contains(s("recorded on Machine M (A test)")), qPrintable(csv));
    }

    void percentOfTheOwnRoofline()
    {
        SweepChartData data = chartWith(10, 40);
        data.series.push_back({s("there"), Provenance::Recorded, {{1, 3, 4.0}, {2, 5, {}}}});
        data.predictions.push_back({1, 20, 10, 40, 10});
        QVERIFY(hasLimits(data));
        const SweepChartData share = ofOwnRoofline(data);
        QCOMPARE(share.series[0].points[0].y, 25.0);
        QCOMPARE(share.series[1].points.size(), 1u);
        QCOMPARE(share.series[1].points[0].y, 75.0);
        QCOMPARE(share.predictions[0].point, 50.0);
        QCOMPARE(*share.predictions[0].result, 25.0);
        QVERIFY(share.yUnit.contains(s("own roofline")) && share.caption.contains(s("no limit")));
        data.limitKind = s("lower"); // a time: the limit over the value
        const SweepChartData lower = ofOwnRoofline(data);
        QCOMPARE(lower.series[0].points[0].y, 400.0);
        QVERIFY(lower.predictions[0].low <= lower.predictions[0].high);
        QVERIFY(!hasLimits(chartWith(10, {})));
    }

    void aRunIsHeldAgainstItsOwnPoint()
    {
        const ExperimentInfo info = copyInfo();
        const record::RunRow own = copyRun(1024, 8, "read", 10);
        const auto at = [&](std::vector<record::RunRow> there) {
            const auto library = oneMachine(std::move(there));
            const auto overlays = overlaysAt(library, info, own);
            return overlays.empty() ? -1.0 : overlays.front().points.front()->run.metrics.at("bandwidth").value;
        };
        QCOMPARE(at({copyRun(2048, 8, "read", 1), copyRun(1024, 8, "read", 2)}), 2.0);
        QCOMPARE(at({copyRun(1024, 64, "read", 1)}), -1.0);
        record::RunRow untold = copyRun(1024, 8, "read", 3);
        untold.params.erase("loads");
        QCOMPARE(at({untold}), 3.0);
        record::RunRow timed = own;
        timed.metrics = {{"delay", {1, "s", Provenance::Simulated}}}; // nothing that was told there, too
        const auto library = oneMachine({copyRun(1024, 8, "read", 3)});
        QVERIFY(overlaysAt(library, info, timed).empty());
        record::RunRow more = copyRun(1024, 8, "read", 4);
        more.metrics["delay"] = {2e-6, "s", Provenance::Recorded};
        const auto lines = besideOwn(info, more, own);
        QCOMPARE(lines.size(), 2u);
        QCOMPARE(withoutJoiners(lines[0].recorded), s("4 GB/s"));
        QCOMPARE(withoutJoiners(lines[0].own), s("here 10 GB/s"));
        QVERIFY(lines[1].own.isEmpty());
    }

    void aMachineIsShownWithItsCardOnly()
    {
        openLatency();
        QStringList offered;
        for (const QString& id : bar()->offered())
            offered << id;
        QVERIFY2(offered.contains(s("gh200-rrze")) && offered.contains(s("v100-rrze")), qPrintable(offered.join(u' ')));
        QVERIFY(!offered.contains(s("epyc-vm"))); // a processor has no cycles of an SM
        QVERIFY(cards().isEmpty());
        auto* machine = bar()->findChild<QCheckBox*>(s("gh200-rrze"));
        machine->setFocus();
        QTest::keyClick(machine, Qt::Key_Space); // by keyboard alone
        QCOMPARE(m_lab->results()->chart()->data().series.size(), 2u);
        QTRY_COMPARE(cards(), QStringList{s("Recorded on GH200, RRZE")});
        QString words;
        for (const QLabel* label : bar()->findChildren<QLabel*>())
            words += label->text() + u'\n';
        for (const char* word : {"1980", "Published by others", "gpu-benches", "driver, CUDA, host"})
            QVERIFY2(words.contains(s(word)), word);
        bar()->setShown(s("v100-rrze"), true);
        QTRY_COMPARE(cards().size(), 2);
        // Another metric that they have keeps them; one that they have not takes curve and card away together.
        QComboBox* metric = nullptr;
        for (auto* box : m_lab->results()->findChildren<QComboBox*>())
            if (box->accessibleName() == s("Metric"))
                metric = box;
        QVERIFY(metric);
        const auto choose = [&](const char* name) {
            metric->setCurrentIndex(metric->findData(s(name)));
            Q_EMIT metric->activated(metric->currentIndex());
        };
        choose("ns_per_load");
        QCOMPARE(m_lab->results()->chart()->data().series.size(), 3u);
        QTRY_COMPARE(cards().size(), 2);
        QVERIFY(std::ranges::count(bar()->offered(), s("epyc-vm")) == 1);
        choose("chase_bandwidth");
        QTRY_VERIFY(cards().isEmpty());
        choose("cycles_per_load");
        QTRY_COMPARE(cards().size(), 2);
        bar()->setShown(s("gh200-rrze"), false);
        QCOMPARE(m_lab->results()->chart()->data().series.size(), 2u);
        QTRY_COMPARE(cards(), QStringList{s("Recorded on V100, RRZE")});
        // Pinned it can be compared, and comes back under its key.
        QTest::mouseClick(bar()->findChild<Card*>()->findChild<QPushButton*>(), Qt::LeftButton);
        QCOMPARE(m_place->context->pins().pins().size(), 1u);
        const QString key = m_place->context->pins().pins().front().key;
        m_place->context->pins().clear();
        QVERIFY(pinByKey(*m_place->context, key).ok());
        QVERIFY(m_place->context->pins().pins().front().runs.front().provenance == Provenance::Recorded);
        QVERIFY(!pinByKey(*m_place->context, s("baseline:none/latency")).ok());
    }

    void aBadFileIsToldInPlace()
    {
        namespace fs = std::filesystem;
        QTemporaryDir data;
        const fs::path root = data.path().toStdString();
        fs::create_directory_symlink(*dataFolder() / "curriculum", root / "curriculum");
        fs::create_directories(root / "assets/baselines");
        for (const auto& entry : fs::directory_iterator(*dataFolder() / "assets"))
            if (entry.path().filename() != "baselines")
                fs::create_symlink(entry.path(), root / "assets" / entry.path().filename());
        QVERIFY(writeFile(root / "assets/baselines/half.json", R"({"schema": "ridge-baseline/1")").ok());
        Theme theme;
        QVERIFY(theme.load(s("light")).ok());
        ActionRegistry actions;
        AppContext context(theme, actions, nullptr, root);
        OverlayBar lab(context, true);
        const ExperimentInfo info = copyInfo();
        const std::vector<record::RunRow> here = {copyRun(1024, 8, "read", 10)};
        lab.setChart(info, info.charts[0], pointers(here));
        QString words;
        for (const QLabel* label : lab.findChildren<QLabel*>())
            words += label->text() + u'\n';
        QVERIFY2(words.contains(s("half.json")) && words.contains(s("cannot be read")), qPrintable(words));
        QVERIFY(!lab.isHidden());
    }

    void lookAsDrawn_data()
    {
        QTest::addColumn<QString>("theme");
        QTest::newRow("light") << s("light");
        QTest::newRow("dark") << s("dark");
        QTest::newRow("share") << s("light");
    }
    void lookAsDrawn()
    {
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QFETCH(QString, theme);
        const bool share = QTest::currentDataTag() == std::string_view("share");
        if (share)
            openRoofline();
        else
            openLatency(theme.toLatin1().constData());
        bar()->setShown(share ? s("h200-rrze") : s("gh200-rrze"), true);
        bar()->setOfRoofline(share);
        m_place->window->setFocus();
        Settler settler(*m_place->window, false, 20000);
        QSignalSpy settled(&settler, &Settler::settled);
        settler.start();
        QVERIFY(settled.wait(60000));
        const QString wrong =
            golden::checkView(s("lab_overlay_") + QString::fromLatin1(QTest::currentDataTag()), *m_lab);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
};

QTEST_MAIN(Overlays)
#include "tst_overlays.moc"
