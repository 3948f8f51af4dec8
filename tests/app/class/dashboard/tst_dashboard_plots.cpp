// SPDX-License-Identifier: GPL-3.0-or-later
// The pictures of the dashboard as data: fronts, ratios, bins, and what a thousand learners cost.
#include "app/class/dashboard/bins_plot.h"
#include "app/class/dashboard/class_dashboard.h"
#include "app/class/dashboard/machine_plot.h"
#include "app/class/dashboard/steps_matrix.h"
#include "app/class/dashboard/work_plot.h"
#include "app/drawing/charts/chart_canvas.h"
#include "app/drawing/charts/plot_chart.h"
#include "base/json.h"
#include "record/chart_runs.h"
#include "tests/app/class/dashboard/class_reports.h"

#include <QElapsedTimer>
#include <QScrollBar>
#include <algorithm>
#include <cmath>
#include <ctime>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

/// The definition, O(n²): nobody is at least as good on both and better on one.
std::vector<std::size_t> frontByDefinition(const std::vector<std::pair<double, double>>& points, bool moreX, bool moreY)
{
    const auto better = [](double a, double b, bool more) { return more ? a > b : a < b; };
    std::vector<std::size_t> front;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const bool beaten = std::ranges::any_of(points, [&](const auto& other) {
            const bool worse =
                better(points[i].first, other.first, moreX) || better(points[i].second, other.second, moreY);
            return !worse && other != points[i];
        });
        if (!beaten)
            front.push_back(i);
    }
    return front;
}

/// Of this program's own computing: what other jobs take does not count.
double millisecondsSince(std::clock_t began)
{
    return 1e3 * static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
}

double median(std::vector<double> times)
{
    std::ranges::sort(times);
    return times[times.size() / 2];
}

} // namespace

class TestDashboardPlots : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theFrontIsWhatItsDefinitionSays()
    {
        classes::Dice dice;
        for (int round = 0; round < 60; ++round) {
            std::vector<std::pair<double, double>> points;
            for (int i = 0; i < 1 + round; ++i) // few values, so that many are equal
                points.emplace_back(dice.below(9), dice.below(9));
            for (const bool moreX : {false, true})
                for (const bool moreY : {false, true}) {
                    auto front = record::paretoFront(points, moreX, moreY);
                    std::ranges::sort(front);
                    QCOMPARE(front, frontByDefinition(points, moreX, moreY));
                }
        }
        QVERIFY(record::paretoFront({}, true, false).empty());
    }

    void theFrontOfAClassCountsPeopleAndNamesNone()
    {
        std::vector<classroom::WorkPoint> work = {{80, 2.0, 4.0}, {80, 2.0, 4.0}, {60, 1.2, 8.0},
                                                  {90, 4.0, 2.0}, {70, 4.0, 4.0}, {50, {}, 2.0}};
        const WorkPlot plot(work, WorkAxis::Interval, WorkAxis::Factor);
        QVERIFY(!plot.empty());
        QCOMPARE(plot.marks().size(), std::size_t(4)); // two have the same figures, one has no factor
        QVERIFY(plot.summary().startsWith(s("5 learners")));
        QVERIFY2(plot.summary().contains(s("4 of them stand on the Pareto front")), qPrintable(plot.summary()));
        const ChartTable table = plot.table();
        QCOMPARE(table.rows.size(), std::size_t(4));
        for (const ChartColumn& column : table.columns)
            QVERIFY(!column.title.contains(s("name"), Qt::CaseInsensitive));
        work.resize(4);
        QVERIFY(WorkPlot(work, WorkAxis::Points, WorkAxis::Factor).empty());
    }

    /// The mark of a median over mixed numbers never looks firmer than the weakest of them.
    void aMedianOfMixedNumbersLooksLikeTheWeakest()
    {
        Theme theme;
        QVERIFY(theme.load(s("light")).ok());
        const auto ink = [&theme](const char* provenance) { // of the mark's middle, and of how much of its edge
            BinsData data;
            data.bins = {{1, 4, 3}, {4, 16, 5}, {16, 64, 2}};
            data.result = BinsResult{8, 8, 8, s(provenance)};
            PlotChart chart(theme);
            chart.setPlot(std::make_shared<BinsPlot>(data));
            const QImage picture = chart.canvas()->image({680, 400}, 4);
            const PlotFrame& frame = chart.canvas()->frame();
            const QPointF centre(std::round(frame.placeX(8)), frame.plot.top() - 6);
            int dark = 0;
            for (int angle = 0; angle < 360; ++angle) {
                const double turn = angle * M_PI / 180;
                const QPointF at = (centre + 4.1 * QPointF(std::cos(turn), std::sin(turn))) * 4;
                dark += picture.pixelColor(at.toPoint()).lightness() < 128;
            }
            return std::pair(picture.pixelColor((centre * 4).toPoint()).lightness() < 128, dark);
        };
        const auto measured = ink("MEASURED"), simulated = ink("MEASURED, SIMULATED");
        const auto modelled = ink("MEASURED, MODELLED, SIMULATED"), recorded = ink("MEASURED, RECORDED");
        QVERIFY(measured.first && recorded.first);
        QVERIFY(!simulated.first && !modelled.first);
        QVERIFY2(modelled.second < simulated.second, qPrintable(s("%1 %2").arg(modelled.second).arg(simulated.second)));
        QCOMPARE(ink("MODELLED"), modelled);
        QCOMPARE(ink("SIMULATED"), simulated);
    }

    void everyLearnerStandsInOneBin()
    {
        classroom::ClassReport report = classes::report(200);
        report.work[0].factor = std::numeric_limits<double>::infinity(); // no factor at all
        report.work[1].factor = 1e9;
        report.work[2].factor = 1;
        report.work[3].interval.reset();
        for (const WorkAxis axis : kWorkAxes) {
            const BinsData bins = workBins(report, axis);
            int sum = 0;
            for (std::size_t i = 0; i < bins.bins.size(); ++i) {
                sum += bins.bins[i].count;
                QVERIFY(bins.bins[i].high > bins.bins[i].low);
                if (i > 0)
                    QCOMPARE(bins.bins[i].low, bins.bins[i - 1].high);
            }
            QCOMPARE(sum, axis == WorkAxis::Points ? 200 : 199);
        }
    }

    void machinesStandOverTheClassesMedian()
    {
        const classroom::ClassReport report = classes::report(40);
        const MachineData data = machineData(report, {});
        QCOMPARE(data.rows.size(), std::size_t(3));
        QCOMPARE(data.points.size(), qsizetype(6));
        QCOMPARE(data.agreeing, 3); // a count is the same everywhere
        const MachineRow& laptop = data.rows[0];
        QVERIFY(laptop.name.contains(s("4060")));
        for (const MachineMark& mark : laptop.marks) {
            QCOMPARE(mark.provenance, Provenance::Measured);
            QVERIFY(mark.point % 2 == 0 ? mark.ratio == 1 : mark.low < mark.ratio && mark.ratio < mark.high);
        }
        const MachineData one = machineData(report, "1.2");
        QCOMPARE(one.points.size(), qsizetype(2));
        const MachinePlot plot(one);
        QVERIFY2(plot.summary().contains(s("at 1 of them all found the same")), qPrintable(plot.summary()));
        QCOMPARE(plot.table().rows.size(), std::size_t(6));
        QVERIFY(plot.text().caption.contains(s("MEASURED")) && plot.text().caption.contains(s("SIMULATED")));
    }

    void resultsWithoutARatioAreCounted()
    {
        classroom::ClassReport report;
        report.hardware = {{"t4 (simulated)", 3}};
        report.spread = {{"1.1", "a", "conflicts", "1", "sim:t4", "SIMULATED", 3, 0, 0, 0, "t4 (simulated)", 0}};
        const MachineData data = machineData(report, {});
        QCOMPARE(data.leftOut, 1);
        const MachinePlot plot(data);
        QVERIFY(plot.empty());
        QCOMPARE(plot.table().rows.size(), std::size_t(1)); // the machine and who used it
    }

    /// Prints what stands in docs/benchmarks.md; nothing here fails for being slow.
    void aThousandLearners()
    {
        Classroom room;
        ClassDashboard dashboard(*room.context);
        dashboard.resize(1280, 800);
        dashboard.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dashboard));
        const classroom::ClassReport report = classes::report(1000, 56);
        QElapsedTimer timer;
        timer.start();
        std::clock_t began = std::clock();
        dashboard.setReport(report);
        const double set = static_cast<double>(timer.nsecsElapsed()) / 1e6, setComputed = millisecondsSince(began);
        timer.start();
        began = std::clock();
        dashboard.grab();
        const double first = static_cast<double>(timer.nsecsElapsed()) / 1e6, firstComputed = millisecondsSince(began);
        auto* matrix = dashboard.findChild<StepsMatrix*>();
        QCOMPARE(matrix->model()->rowCount(), 1002);
        QCOMPARE(matrix->model()->lessons(), 56);
        QScrollBar* down = matrix->table()->verticalScrollBar();
        QScrollBar* right = matrix->table()->horizontalScrollBar();
        QVERIFY(down->maximum() > 20000 && right->maximum() > 3000);
        std::vector<double> pictures, computed;
        QImage canvas(matrix->table()->size(), QImage::Format_ARGB32_Premultiplied);
        for (int i = 0; i < 120; ++i) {
            timer.start();
            const std::clock_t before = std::clock();
            down->setValue(i * down->maximum() / 120);
            right->setValue(i * right->maximum() / 120);
            matrix->table()->render(&canvas);
            computed.push_back(millisecondsSince(before));
            pictures.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
        }
        qInfo("1,000 learners × 56 lessons: setReport %.0f ms of computing (%.0f by the clock), first picture %.0f "
              "(%.0f), "
              "a picture while scrolling %.1f (%.1f), slowest %.1f",
              setComputed, set, firstComputed, first, median(computed), median(pictures),
              *std::ranges::max_element(computed));
    }
};

QTEST_MAIN(TestDashboardPlots)
#include "tst_dashboard_plots.moc"
