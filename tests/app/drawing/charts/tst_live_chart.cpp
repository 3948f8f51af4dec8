// SPDX-License-Identifier: GPL-3.0-or-later
// A million samples: the pyramid is exact, the picture keeps up, and the event loop never waits for either.
#include "app/drawing/charts/chart_canvas.h"
#include "app/drawing/charts/label_place.h"
#include "app/drawing/charts/live_chart.h"
#include "plots.h"
#include "tests/support/heartbeat.h"

#include <QtTest>
#include <QtWidgets>
#include <atomic>
#include <limits>
#include <thread>

using namespace ridge;
using namespace ridge::app;
using plots::s;
using ridge::test::Heartbeat;

class LiveChartTest : public QObject {
    Q_OBJECT
    Theme m_theme;

private Q_SLOTS:
    void initTestCase() { QVERIFY(m_theme.load(QStringLiteral("light")).ok()); }

    void pyramidIsExact_data()
    {
        QTest::addColumn<int>("chunk");
        for (const int chunk : {1, 7, 16, 1000, 100000})
            QTest::newRow(qPrintable(QString::number(chunk))) << chunk;
    }
    void pyramidIsExact()
    {
        QFETCH(int, chunk);
        const std::vector<float> samples = plots::power(50'003);
        MinMaxPyramid pyramid;
        for (std::size_t at = 0; at < samples.size(); at += static_cast<std::size_t>(chunk))
            pyramid.append(std::span(samples).subspan(
                at, std::min<std::size_t>(static_cast<std::size_t>(chunk), samples.size() - at)));
        QCOMPARE(pyramid.size(), samples.size());
        for (const auto& [first, last, columns] : {std::tuple<std::size_t, std::size_t, std::size_t>{0, 50'003, 700},
                                                   {1, 50'002, 13},
                                                   {333, 40'000, 1},
                                                   {17, 90, 1000}}) {
            const auto parts = pyramid.parts(first, last, columns);
            QCOMPARE(parts.size(), std::min(columns, last - first));
            std::size_t next = first;
            for (const MinMax& part : parts) {
                QCOMPARE(part.first, next);
                next += part.count;
                const auto begin = samples.begin() + static_cast<std::ptrdiff_t>(part.first);
                const auto [low, high] = std::minmax_element(begin, begin + static_cast<std::ptrdiff_t>(part.count));
                QCOMPARE(part.low, *low);
                QCOMPARE(part.high, *high);
            }
            QCOMPARE(next, last);
        }
    }

    void gapsStayGaps()
    {
        MinMaxPyramid pyramid;
        std::vector<float> samples(64, std::numeric_limits<float>::quiet_NaN());
        samples[40] = 3;
        pyramid.append(samples);
        QVERIFY(!pyramid.parts(0, 16, 1)[0].any());
        QCOMPARE(pyramid.parts(0, 64, 1)[0].low, 3.0F);
        QVERIFY(pyramid.parts(5, 5, 10).empty() && pyramid.parts(70, 90, 3).empty());
        QVERIFY(!MinMaxPyramid().all().any());
    }

    void pictureAndTwinShowTheSameExtremes()
    {
        auto samples = std::make_shared<MinMaxPyramid>();
        samples->append(plots::power(200'000));
        PlotChart chart(m_theme);
        const auto plot = std::make_shared<TracePlot>(plots::traceInfo(), samples);
        chart.setPlot(plot);
        chart.resize(700, 400);
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        const auto curve = plot->curves(chart.canvas()->frame()).front();
        QVERIFY(curve.points.size() <= 2 * static_cast<qsizetype>(chart.canvas()->frame().plot.width()));
        const auto [low, high] = std::minmax_element(curve.points.begin(), curve.points.end(),
                                                     [](QPointF a, QPointF b) { return a.y() < b.y(); });
        double tableLow = 1e9, tableHigh = -1e9, count = 0;
        for (const auto& row : plot->table().rows) {
            count += std::get<double>(row[1]);
            tableLow = std::min(tableLow, std::get<double>(row[2]));
            tableHigh = std::max(tableHigh, std::get<double>(row[3]));
        }
        QCOMPARE(count, 200'000.0);
        QCOMPARE(low->y(), tableLow);
        QCOMPARE(high->y(), tableHigh);
        QCOMPARE(static_cast<float>(high->y()), samples->all().high);
        // Deep in, single samples are drawn.
        for (int i = 0; i < 12; ++i)
            QTest::keyClick(chart.canvas(), Qt::Key_Plus);
        QVERIFY(std::all_of(plot->shown().begin(), plot->shown().end(),
                            [](const MinMax& part) { return part.count == 1; }));
        QVERIFY(plot->shown().size() > 20);
    }

    /// No gap of the event loop over 50 ms at a million samples a second, for all that this thread computes; on a
    /// shared machine it may also wait for the processor. The figures it prints stand in docs/benchmarks.md.
    void aMillionSamplesASecondLeaveTheLoopFree()
    {
        auto stream = std::make_shared<SampleStream>();
        LiveChart chart(m_theme, plots::traceInfo(), stream);
        chart.resize(1000, 500);
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        constexpr std::size_t kAll = 1'000'000, kChunk = 1000;
        const std::vector<float> samples = plots::power(kAll);
        std::atomic<bool> sent{false};
        Heartbeat heart;
        std::thread producer([&] {
            const auto start = std::chrono::steady_clock::now();
            for (std::size_t at = 0; at < kAll; at += kChunk) {
                stream->push(std::span(samples).subspan(at, kChunk));
                // The rate is what is tested: one chunk a millisecond.
                std::this_thread::sleep_until(start + std::chrono::microseconds(at + kChunk));
            }
            sent = true;
        });
        const bool all = QTest::qWaitFor([&] { return sent && chart.samples().size() == kAll; }, 20000);
        producer.join();
        QVERIFY(all);
        qInfo("longest gap of the event loop at 1 M samples/s: %d ms, of which it computed %.0f ms", heart.worst(),
              heart.worstBusy());
        QVERIFY2(heart.worstBusy() < 50, qPrintable(QString::number(heart.worstBusy())));
        QVERIFY2(heart.worst() < 4000, "the event loop stood still");
        QCOMPARE(chart.samples().all().high, *std::max_element(samples.begin(), samples.end()));
    }

    /// Panning over a million points: at most two points a pixel are read, laid out and painted.
    void panningAMillionPointsIsFluent()
    {
        auto samples = std::make_shared<MinMaxPyramid>();
        samples->append(plots::power(1'000'000));
        PlotChart chart(m_theme);
        chart.setPlot(std::make_shared<TracePlot>(plots::traceInfo(), samples));
        chart.resize(1000, 500);
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        chart.canvas()->zoomBy(4, chart.canvas()->frame().plot.center());
        chart.grab();
        constexpr int kSteps = 60;
        const test::PacedClock clock;
        for (int step = 0; step < kSteps; ++step) {
            chart.canvas()->pan({step < kSteps / 2 ? 0.02 : -0.02, 0});
            chart.grab();
        }
        const double each = clock.ms() / kSteps;
        qInfo("pan of 1e6 points: %.1f ms a picture", each);
        QVERIFY2(each < 100, qPrintable(QString::number(each)));
    }

    void aZoomedViewStandsStillWhileSamplesCome()
    {
        auto stream = std::make_shared<SampleStream>();
        LiveChart chart(m_theme, plots::traceInfo(), stream);
        chart.resize(800, 400);
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        stream->push(plots::power(10'000));
        chart.drain();
        chart.canvas()->zoomBy(4, chart.canvas()->frame().plot.center());
        const double from = chart.canvas()->frame().x.min, to = chart.canvas()->frame().x.max;
        stream->push(plots::power(30'000, 10'000));
        chart.drain();
        QVERIFY(std::abs(chart.canvas()->frame().x.min - from) < (to - from) * 1e-6);
        QVERIFY(std::abs(chart.canvas()->frame().x.max - to) < (to - from) * 1e-6);
        chart.canvas()->resetZoom();
        QVERIFY(chart.canvas()->frame().x.max > 3 * to);
    }

    void labelsNeverCoverEachOther()
    {
        std::vector<LabelWish> wishes;
        std::vector<QRectF> marks;
        for (int i = 0; i < 14; ++i) {
            const QPointF at(200 + (i * 37) % 120, 150 + (i * 53) % 90);
            wishes.push_back({at, QSizeF(60, 16), 8});
            marks.emplace_back(at - QPointF(5, 5), QSizeF(10, 10));
        }
        const QRectF bounds(0, 0, 500, 380);
        const auto placed = placeLabels(wishes, bounds, marks, {});
        int stood = 0;
        for (std::size_t i = 0; i < placed.size(); ++i) {
            if (placed[i].rect.isNull())
                continue;
            ++stood;
            QVERIFY(bounds.contains(placed[i].rect));
            for (const QRectF& mark : marks)
                QVERIFY(!placed[i].rect.intersects(mark));
            for (std::size_t j = i + 1; j < placed.size(); ++j)
                QVERIFY(placed[j].rect.isNull() || !placed[i].rect.intersects(placed[j].rect));
        }
        QVERIFY2(stood >= 10, qPrintable(QString::number(stood)));
        // Where nothing is in the way a label stands right beside its point, and with no room at all nowhere.
        QCOMPARE(placeLabels({{QPointF(100, 100), QSizeF(40, 10), 5}}, bounds, {}, {}).front().rect,
                 QRectF(105, 95, 40, 10));
        QVERIFY(
            placeLabels({{QPointF(5, 5), QSizeF(400, 40), 5}}, QRectF(0, 0, 100, 30), {}, {}).front().rect.isNull());
        QVERIFY(crosses(QRectF(0, 0, 10, 10), {-5, 5}, {15, 6}) && !crosses(QRectF(0, 0, 10, 10), {-5, 15}, {15, 11}));
    }

    void intervalsAreSpreadApart()
    {
        const auto places = spreadApart({10, 12, 90}, {20, 20, 20}, 0, 100);
        QCOMPARE(places, (std::vector<double>{10, 30, 80}));
        const auto order = spreadApart({50, 40}, {30, 30}, 0, 100);
        QVERIFY(order[1] + 30 <= order[0]);
    }
};

QTEST_MAIN(LiveChartTest)
#include "tst_live_chart.moc"
