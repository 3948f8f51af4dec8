// SPDX-License-Identifier: GPL-3.0-or-later
// What every kind of chart promises: the twin has the picture's numbers, marks stand where the numbers say, the
// sentence is one, keys work, and bad data end in a plain sentence.
#include "app/drawing/charts/chart_canvas.h"
#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/plot_chart.h"
#include "app/drawing/charts/plot_paint.h"
#include "app/drawing/charts/sweep_chart.h"
#include "app/theme/color_science.h"
#include "plots.h"
#include "tests/support/pace.h"

#include <QAbstractItemModelTester>
#include <QtTest>
#include <QtWidgets>
#include <limits>
#include <numeric>

using namespace ridge;
using namespace ridge::app;
using plots::s;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::shared_ptr<Plot> tracePlot(std::size_t n)
{
    auto samples = std::make_shared<MinMaxPyramid>();
    samples->append(plots::power(n));
    return std::make_shared<TracePlot>(plots::traceInfo(), samples);
}

std::vector<std::pair<const char*, std::shared_ptr<Plot>>> allPlots()
{
    return {{"roofline", std::make_shared<RooflinePlot>(plots::roofline())},
            {"ladder", std::make_shared<LadderPlot>(plots::ladder())},
            {"heat map", std::make_shared<HeatMapPlot>(plots::heatMap())},
            {"histogram", std::make_shared<HistogramPlot>(plots::histogram())},
            {"cost", std::make_shared<CostPlot>(plots::cost())},
            {"gantt", std::make_shared<GanttPlot>(plots::gantt())},
            {"trace", tracePlot(5000)}};
}

double cell(const ChartTable& table, std::size_t row, std::size_t column)
{
    return std::get<double>(table.rows.at(row).at(column));
}

} // namespace

class PlotsTest : public QObject {
    Q_OBJECT
    Theme m_theme;

    /// A chart on the screen with the focus.
    std::unique_ptr<PlotChart> shown(std::shared_ptr<Plot> plot, QSize size = {680, 400})
    {
        auto chart = std::make_unique<PlotChart>(m_theme);
        chart->setPlot(std::move(plot));
        chart->resize(size);
        chart->show();
        if (!QTest::qWaitForWindowActive(chart.get()))
            qFatal("no window");
        chart->setFocus();
        return chart;
    }

private Q_SLOTS:
    void init()
    {
        m_theme.setTextScale(1);
        QVERIFY(m_theme.load(QStringLiteral("light")).ok());
    }

    void everySummaryIsOneSentence()
    {
        for (const auto& [name, plot] : allPlots()) {
            const QString text = plot->summary();
            QVERIFY2(text.endsWith(QLatin1Char('.')) && text.count(s(". ")) == 0, qPrintable(text));
            QCOMPARE(text.left(1), text.left(1).toUpper());
            QVERIFY2(text.contains(QRegularExpression(s("MEASURED|SIMULATED|MODELLED"))), qPrintable(text));
        }
    }

    void twinsAreModelsWithUnits()
    {
        for (const auto& [name, plot] : allPlots()) {
            PlotChart chart(m_theme);
            QAbstractItemModelTester tester(chart.table(), QAbstractItemModelTester::FailureReportingMode::QtTest);
            chart.setPlot(plot);
            const ChartTable table = plot->table();
            QCOMPARE(chart.table()->rowCount(), static_cast<int>(table.rows.size()));
            QVERIFY2(!table.rows.empty(), name);
            for (const auto& row : table.rows)
                QCOMPARE(row.size(), table.columns.size());
            QVERIFY(!chart.accessibleName().isEmpty() && !chart.canvas()->accessibleName().isEmpty());
            QCOMPARE(chart.accessibleDescription(), plot->summary());
            QCOMPARE(QAccessible::queryAccessibleInterface(chart.canvas())->role(), QAccessible::Chart);
        }
    }

    void ridgePointIsPeakOverBandwidth()
    {
        const RooflineData data = plots::roofline();
        QCOMPARE(ridgeOf(data.roofs[0], data.ceilings[0]), 6.69e13 / 3.35e12);
        QCOMPARE(*roofAbove(data, MemoryLevel::Hbm, 1), 3.0e12);    // below the ridge: intensity × bandwidth
        QCOMPARE(*roofAbove(data, MemoryLevel::Hbm, 1000), 5.9e13); // beyond it: the ceiling, measured first
        QCOMPARE(*roofAbove(data, MemoryLevel::L1, 1), 2.6e13);
        QVERIFY(!roofAbove({}, MemoryLevel::L1, 1));
        const RooflinePlot plot(data);
        bool found = false;
        for (const auto& row : plot.table().rows)
            if (const QString* item = std::get_if<QString>(&row[0]); item && item->startsWith(s("ridge point"))) {
                QCOMPARE(std::get<double>(row[2]), std::get<double>(row[3]) / std::get<double>(row[4]));
                found = true;
            }
        QVERIFY(found);
    }

    void dotsStandWhereTheNumbersSay()
    {
        const auto chart = shown(std::make_shared<RooflinePlot>(plots::roofline()));
        const PlotFrame& frame = chart->canvas()->frame();
        const Plot& plot = *chart->plot();
        // A decade is as long on either axis, so that a bandwidth is a line of 45 degrees.
        const double right = frame.placeX(10) - frame.placeX(1), up = frame.placeY(1e12) - frame.placeY(1e13);
        QVERIFY2(std::abs(right - up) < 0.01, qPrintable(s("%1 %2").arg(right).arg(up)));
        // The dots of a kernel share a height; x moves by decades of intensity.
        const QPointF l1 = plot.outline(frame, {0, 0})->center(), hbm = plot.outline(frame, {0, 2})->center();
        QVERIFY(std::abs(l1.y() - hbm.y()) < 1e-6);
        QVERIFY(std::abs((hbm.x() - l1.x()) / right - std::log10(3.9 / 0.25)) < 1e-6);
        const QPointF other = plot.outline(frame, {1, 2})->center();
        QVERIFY(std::abs((hbm.y() - other.y()) / up - std::log10(2.9e12 / 3.1e11)) < 1e-6);
    }

    void headroomIsTold()
    {
        const RooflinePlot plot(plots::roofline());
        const QString text = plot.pointText({0, 2});
        // 3.9 FLOP/B × 3 TB/s over 0.31 TFLOP/s.
        QVERIFY2(text.contains(s("37.7× below the roof")), qPrintable(text));
        QVERIFY2(text.contains(s("3.9 FLOP/B of HBM")) && text.contains(s("SIMULATED")), qPrintable(text));
    }

    void ladderHasBothPercentages()
    {
        const LadderPlot plot(plots::ladder());
        const ChartTable table = plot.table();
        for (std::size_t i = 0; i < plot.data().rungs.size(); ++i) {
            QCOMPARE(cell(table, i, 1), plot.data().rungs[i].value);
            QCOMPARE(cell(table, i, 4), 100 * plot.data().rungs[i].value / 66.9e12);
            QCOMPARE(cell(table, i, 5), 100 * plot.data().rungs[i].value / 52.1e12);
        }
        QVERIFY(plot.summary().contains(s("71 % of FP32 peak")) && plot.summary().contains(s("91 % of cuBLAS")));
        const auto chart = shown(std::make_shared<LadderPlot>(plots::ladder()));
        const PlotFrame& frame = chart->canvas()->frame();
        // Bars start at zero and end at their value; the limit is where 100 % stands.
        for (int i = 0; i < 6; ++i) {
            const QRectF bar = *chart->plot()->outline(frame, {i, 0});
            QCOMPARE(bar.left(), frame.plot.left());
            QVERIFY(std::abs(bar.width() / (frame.placeX(66.9e12) - frame.plot.left()) -
                             plot.data().rungs[static_cast<std::size_t>(i)].value / 66.9e12) < 1e-9);
        }
        QCOMPARE(frame.x.min, 0.0);
        for (const Tick& tick : frame.xTicks)
            if (tick.label == s("100 %"))
                QCOMPARE(tick.value, 66.9e12);
    }

    void barsDoNotZoom()
    {
        const auto chart = shown(std::make_shared<LadderPlot>(plots::ladder()));
        QTest::keyClick(chart->canvas(), Qt::Key_Plus);
        QVERIFY(!chart->canvas()->zoomed());
        QCOMPARE(chart->canvas()->property("announcement").toString(),
                 s("Bars start at zero and are always shown whole."));
    }

    void heatMapCellsAreTheTwins()
    {
        const auto chart = shown(std::make_shared<HeatMapPlot>(plots::heatMap()));
        const auto& plot = dynamic_cast<const HeatMapPlot&>(*chart->plot());
        const ChartTable table = plot.table();
        QCOMPARE(table.rows.size(), std::size_t{48});
        for (std::size_t i = 0; i < 48; ++i) {
            QCOMPARE(cell(table, i, 2), *plot.data().cells[i]);
            QCOMPARE(cell(table, i, 0), plot.data().xs[i % 8]);
            QCOMPARE(cell(table, i, 1), plot.data().ys[i / 8]);
        }
        // The highest number has the lightest colour, the lowest the darkest; first row at the bottom.
        const QImage image = chart->canvas()->grab().toImage();
        const auto colorAt = [&](int row, int column) {
            return image.pixelColor(
                (plot.outline(chart->canvas()->frame(), {5 - row, column})->topLeft() + QPointF(4, 4)).toPoint());
        };
        QCOMPARE(colorAt(0, 0), m_theme.color(Role::Map6));
        QCOMPARE(colorAt(0, 7), m_theme.color(Role::Map1));
        QCOMPARE(plot.hit(chart->canvas()->frame(), plot.outline(chart->canvas()->frame(), {2, 3})->center()),
                 (PlotCursor{2, 3}));
    }

    void quartilesAreThoseOfTheTextbook()
    {
        // R: quantile(1:10) gives 3.25, 5.5, 7.75; quantile(1:10, .95) gives 9.55.
        std::vector<double> samples;
        for (int i = 10; i >= 1; --i)
            samples.push_back(i);
        const HistogramStats stats = histogramOf(samples);
        QCOMPARE(stats.q1, 3.25);
        QCOMPARE(stats.median, 5.5);
        QCOMPARE(stats.q3, 7.75);
        QCOMPARE(stats.p95, 9.55);
        QCOMPARE(std::accumulate(stats.counts.begin(), stats.counts.end(), std::size_t{0}), std::size_t{10});
        const HistogramStats many = histogramOf(plots::histogram().samples);
        QCOMPARE(std::accumulate(many.counts.begin(), many.counts.end(), std::size_t{0}), many.n);
        QCOMPARE(many.edges.size(), many.counts.size() + 1);
        QVERIFY(std::is_sorted(many.edges.begin(), many.edges.end()));
    }

    void costSegmentsAddUp()
    {
        const auto chart = shown(std::make_shared<CostPlot>(plots::warpStates()));
        const PlotFrame& frame = chart->canvas()->frame();
        for (int bar = 0; bar < 2; ++bar) {
            double end = frame.plot.left();
            for (int part = 0; part < chart->plot()->groups()[0]; ++part)
                if (const auto rect = chart->plot()->outline(frame, {bar, part})) {
                    QVERIFY(std::abs(rect->left() - end) < 1e-6); // each begins where the last one ends
                    end = rect->right();
                }
            QVERIFY(std::abs(end - frame.placeX(100)) < 1e-6);
        }
        // Nine states that occur need nine colours: the two smallest share one, and the twin still has all eleven.
        QCOMPARE(chart->plot()->groups()[0], 8);
        QCOMPARE(chart->plot()->table().rows.size(), std::size_t{22});
        QVERIFY(QString::fromStdString(chart->describe()["layout"]["key"].dump()).contains(s("2 others")));
    }

    void ganttFindsSpansAndZooms()
    {
        const auto chart = shown(std::make_shared<GanttPlot>(plots::gantt()));
        const Plot& plot = *chart->plot();
        const QRectF second = *plot.outline(chart->canvas()->frame(), {0, 1});
        QCOMPARE(plot.hit(chart->canvas()->frame(), second.center()), (PlotCursor{0, 1}));
        QTest::mouseClick(chart->canvas()->viewport(), Qt::LeftButton, {}, second.center().toPoint());
        QCOMPARE(chart->canvas()->cursor(), (PlotCursor{0, 1}));
        const double before = chart->canvas()->frame().x.max - chart->canvas()->frame().x.min;
        QTest::keyClick(chart->canvas(), Qt::Key_Plus);
        const PlotFrame& frame = chart->canvas()->frame();
        QVERIFY(std::abs((frame.x.max - frame.x.min) * 2 - before) < before * 1e-9);
        QVERIFY2(chart->canvas()->property("announcement").toString().startsWith(s("Zoomed 2×: time (µs) from")),
                 qPrintable(chart->canvas()->property("announcement").toString()));
        // The point that was chosen stays where it was.
        QVERIFY(std::abs(plot.outline(frame, {0, 1})->center().x() - second.center().x()) < 1);
        QTest::keyClick(chart->canvas(), Qt::Key_PageDown);
        QVERIFY(frame.x.min > 0);
        QTest::keyClick(chart->canvas(), Qt::Key_Home);
        QVERIFY(!chart->canvas()->zoomed());
    }

    void thousandsOfSpansCostPixels()
    {
        const auto chart = shown(std::make_shared<GanttPlot>(plots::gantt(30000)), {900, 400});
        chart->grab();
        const test::PacedClock clock;
        for (int round = 0; round < 10; ++round)
            chart->grab();
        const double took = clock.ms();
        const auto painted = chart->describe()["layout"]["painted"].get<int>();
        QVERIFY2(painted > 500 && painted <= 900 * 4, qPrintable(QString::number(painted))); // of 90 000
        QVERIFY2(took < 3000, qPrintable(QString::number(took)));
    }

    void arrowsGoThroughGroups()
    {
        const auto chart = shown(std::make_shared<RooflinePlot>(plots::roofline()));
        ChartCanvas* canvas = chart->canvas();
        QList<PlotCursor> seen;
        connect(chart.get(), &PlotChart::cursorMoved, this, [&](PlotCursor at) { seen << at; });
        for (const auto key : {Qt::Key_Right, Qt::Key_Right, Qt::Key_Down, Qt::Key_End, Qt::Key_Up, Qt::Key_Home})
            QTest::keyClick(canvas, key);
        QCOMPARE(seen, (QList<PlotCursor>{{0, 0}, {0, 1}, {1, 1}, {1, 2}, {0, 2}, {0, 0}}));
        QCOMPARE(canvas->accessibleDescription(), chart->plot()->pointText({0, 0}));
        const auto ladder = shown(std::make_shared<LadderPlot>(plots::ladder()));
        for (const auto key : {Qt::Key_Down, Qt::Key_Down, Qt::Key_Right})
            QTest::keyClick(ladder->canvas(), key);
        QCOMPARE(ladder->canvas()->cursor(), (PlotCursor{2, 0}));
        QTest::keyClick(ladder->canvas(), Qt::Key_Return);
        QVERIFY(ladder->canvas()->property("announcement").toString().contains(s("3 shared memory: 5.4 TFLOP/s")));
    }

    /// Nothing lies between two names: each has its limit, and no line joins them.
    void limitsOfNamesAreNotJoined()
    {
        SweepChartData data;
        data.title = data.xTitle = data.yTitle = data.limitTitle = QStringLiteral("t");
        data.limitKind = QStringLiteral("upper");
        data.xNames = {QStringLiteral("one"), QStringLiteral("other"), QStringLiteral("third")};
        data.series = {{QStringLiteral("A"), Provenance::Simulated, {{1, 5, 10.0}, {2, 20, 40.0}}},
                       {QStringLiteral("B"), Provenance::Simulated, {{3, 30, 80.0}}}};
        SweepChart chart(m_theme);
        chart.setData(data);
        const QImage picture = chart.canvas()->image({680, 380}, 1);
        const auto inked = [&](QPointF at) { // by the line's own ink, which the grid does not have
            for (int x = -2; x <= 2; ++x)
                for (int y = -2; y <= 2; ++y)
                    if (const QColor ink = picture.pixelColor((at + QPointF(x, y)).toPoint());
                        ink.lightness() < 130 || ink.hslSaturation() > 100)
                        return true;
            return false;
        };
        const PlotFrame& frame = chart.canvas()->frame();
        const QPointF one = frame.place(1, 10), other = frame.place(2, 40);
        for (const double part : {0.6, 0.7, 0.8})
            QVERIFY2(!inked(one + part * (other - one)), qPrintable(QString::number(part)));
        QVERIFY(inked(other + QPointF(5, 0)));
        QVERIFY(inked(frame.place(3, 80) + QPointF(5, 0))); // whoever ran it
    }

    void textOnDataColoursCanBeRead_data()
    {
        QTest::addColumn<QString>("theme");
        for (const QString& name : Theme::names())
            QTest::newRow(qPrintable(name)) << name;
    }
    void textOnDataColoursCanBeRead()
    {
        QFETCH(QString, theme);
        QVERIFY(m_theme.load(theme).ok());
        for (int i = 0; i <= 256; ++i) {
            const QColor ground = cividis(m_theme, i / 256.0);
            QVERIFY(contrastRatio(inkOn(m_theme, ground), ground) >= 4.5);
        }
        for (int i = 0; i < 8; ++i)
            QVERIFY(contrastRatio(inkOn(m_theme, m_theme.series(i)), m_theme.series(i)) >= 4.5);
        // Neighbouring anchors differ for every kind of eye.
        for (const Vision vision : {Vision::Normal, Vision::Protan, Vision::Deutan, Vision::Tritan})
            for (int i = 0; i < 5; ++i)
                QVERIFY(colorDifference(simulateVision(cividis(m_theme, i / 5.0), vision),
                                        simulateVision(cividis(m_theme, (i + 1) / 5.0), vision)) > 8);
    }

    void nothingAndNonsense_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<bool>("drawn");
        QTest::addColumn<int>("which");
        for (int kind = 0; kind < 6; ++kind)
            for (const auto& [which, name] :
                 {std::pair(0, "nothing"), std::pair(1, "one"), std::pair(2, "NaN"), std::pair(3, "huge")})
                QTest::addRow("%d %s", kind, name) << kind << (which == 1 || which == 3) << which;
    }
    void nothingAndNonsense()
    {
        QFETCH(int, kind);
        QFETCH(bool, drawn);
        QFETCH(int, which);
        QTest::failOnWarning(QRegularExpression(s("NaN|invalid range")));
        // Nothing at all, one number, none that is a number, and a range no screen can show.
        const std::vector<double> numbers =
            which == 0   ? std::vector<double>{}
            : which == 1 ? std::vector<double>{3.5}
            : which == 2 ? std::vector<double>{kNaN, -kNaN, std::numeric_limits<double>::infinity()}
                         : std::vector<double>{1e-290, 1, 1e290, kNaN};
        std::shared_ptr<Plot> plot;
        const auto first = [&](std::size_t i) { return numbers[i % numbers.size()]; };
        if (kind == 0) {
            RooflineData data;
            for (const double number : numbers)
                data.kernels.push_back({s("k"), {}, Provenance::Measured, number, {{MemoryLevel::Hbm, number}}});
            plot = std::make_shared<RooflinePlot>(data);
        } else if (kind == 1) {
            LadderData data;
            for (const double number : numbers)
                data.rungs.push_back({s("r"), number, {}, {}, Provenance::Measured});
            plot = std::make_shared<LadderPlot>(data);
        } else if (kind == 2) {
            HeatMapData data;
            data.xs = {1};
            for (std::size_t i = 0; i < numbers.size(); ++i) {
                data.ys.push_back(static_cast<double>(i));
                data.cells.emplace_back(first(i));
            }
            plot = std::make_shared<HeatMapPlot>(data);
        } else if (kind == 3) {
            HistogramData data;
            data.samples = numbers;
            plot = std::make_shared<HistogramPlot>(data);
        } else if (kind == 4) {
            CostData data;
            data.parts = {s("a")};
            for (const double number : numbers)
                data.bars.push_back({s("b"), Provenance::Measured, {number}});
            plot = std::make_shared<CostPlot>(data);
        } else {
            GanttData data;
            data.lanes = {s("l")};
            for (const double number : numbers)
                data.spans.push_back({0, 0, number, number, s("x")});
            plot = std::make_shared<GanttPlot>(data);
        }
        QCOMPARE(plot->empty(), !drawn);
        QVERIFY(!plot->summary().isEmpty());
        const auto chart = shown(plot);
        for (const auto key : {Qt::Key_Right, Qt::Key_Plus, Qt::Key_Plus, Qt::Key_Down, Qt::Key_Minus, Qt::Key_Home})
            QTest::keyClick(chart->canvas(), key);
        QVERIFY(!chart->grab().toImage().isNull());
        QVERIFY(!tableCsv(plot->table()).isEmpty() && !tableJson(plot->table()).dump().empty());
        if (!drawn)
            QCOMPARE(plot->summary(), plot->text().emptyText);
    }

    void everyTextSizeKeepsItsPlot()
    {
        for (const double scale : {0.8, 1.5, 2.0}) {
            m_theme.setTextScale(scale);
            for (const auto& [name, plot] : allPlots()) {
                const auto chart = shown(plot, {720, m_theme.scaled(380)});
                const QRectF area = chart->canvas()->frame().plot;
                QVERIFY2(area.width() > 180 && area.height() > 110 && QRectF(chart->rect()).contains(area), name);
            }
        }
    }
};

QTEST_MAIN(PlotsTest)
#include "tst_plots.moc"
