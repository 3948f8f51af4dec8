// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/axis_ticks.h"
#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/decimate.h"
#include "app/drawing/charts/schedule_gantt.h"

#include <QtTest>
#include <cmath>

using namespace ridge;
using namespace ridge::app;

class ChartParts : public QObject {
    Q_OBJECT
    static QString labels(const std::vector<Tick>& ticks)
    {
        QStringList list;
        for (const Tick& tick : ticks)
            list << tick.label;
        return list.join(QLatin1Char(' '));
    }

private Q_SLOTS:
    /// One mark tells no scale, whatever an axis spans.
    void everyAxisHasTicks_data()
    {
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        for (const auto& [low, high] :
             {std::pair{45.0, 90.0}, {30.0, 100.0}, {0.9, 1.1}, {1.0, 128.0}, {0.0019, 1.0}, {1e4, 3e4}, {70.0, 71.0}})
            QTest::addRow("%g to %g", low, high) << low << high;
    }
    void everyAxisHasTicks()
    {
        QFETCH(double, low);
        QFETCH(double, high);
        for (const bool decades : {false, true})
            for (const int most : {4, 8}) {
                const std::vector<Tick> ticks = makeTicks({true, decades, low, high}, most);
                QVERIFY2(ticks.size() >= 2, qPrintable(QString::number(ticks.size())));
                QSet<QString> labels;
                for (const Tick& tick : ticks) {
                    QVERIFY(tick.value >= low * (1 - 1e-6) && tick.value <= high * (1 + 1e-6));
                    labels << tick.label;
                }
                QCOMPARE(std::size_t(labels.size()), ticks.size());
            }
    }
    void partsAreWrittenAsParts()
    {
        const std::vector<Tick> ticks = makeTicks({true, false, 1 / 512.0, 1}, 16);
        QCOMPARE(ticks.front().label, QStringLiteral("1/512"));
        QCOMPARE(ticks.back().label, QStringLiteral("1"));
    }

    void ticks_data()
    {
        QTest::addColumn<int>("scale");
        QTest::addColumn<QList<double>>("values");
        QTest::addColumn<bool>("fromZero");
        QTest::addColumn<int>("most");
        QTest::addColumn<QString>("expected");
        const int log = static_cast<int>(ParamScale::Log2), linear = static_cast<int>(ParamScale::Linear),
                  list = static_cast<int>(ParamScale::List);
        QTest::newRow("strides") << log << QList<double>{1, 128} << false << 12
                                 << QStringLiteral("1 2 4 8 16 32 64 128");
        QTest::newRow("thinned") << log << QList<double>{1, 128} << false << 4 << QStringLiteral("1 4 16 64");
        QTest::newRow("binary prefixes") << log << QList<double>{4096, 1 << 22} << false << 4
                                         << QStringLiteral("4096 32 Ki 256 Ki 2 Mi");
        QTest::newRow("below one") << log << QList<double>{0.25, 2} << false << 8 << QStringLiteral("0.25 0.5 1 2");
        QTest::newRow("from zero") << linear << QList<double>{4, 32} << true << 6 << QStringLiteral("0 10 20 30 40");
        QTest::newRow("fractions") << linear << QList<double>{0, 1} << true << 8
                                   << QStringLiteral("0.0 0.2 0.4 0.6 0.8 1.0 1.2");
        QTest::newRow("thousands") << linear << QList<double>{0, 400000} << true << 6
                                   << QStringLiteral("0 100 k 200 k 300 k 400 k 500 k");
        QTest::newRow("negative") << linear << QList<double>{-10, 10} << true << 6 << QStringLiteral("-10 -5 0 5 10");
        QTest::newRow("doubling list") << list << QList<double>{4, 8, 16} << false << 8 << QStringLiteral("4 8 16");
        QTest::newRow("one value") << log << QList<double>{8} << false << 8 << QStringLiteral("4 8 16");
        QTest::newRow("nothing") << linear << QList<double>{} << true << 3 << QStringLiteral("0.0 0.5 1.0");
    }
    void ticks()
    {
        QFETCH(int, scale);
        QFETCH(QList<double>, values);
        QFETCH(bool, fromZero);
        QFETCH(int, most);
        const AxisScale axis = makeScale(static_cast<ParamScale>(scale), {values.begin(), values.end()}, fromZero);
        QTEST(labels(makeTicks(axis, most)), "expected");
    }

    void everyValueIsInside()
    {
        for (const ParamScale scale : {ParamScale::Linear, ParamScale::Log2})
            for (const double high : {1.0, 3.0, 9.99, 32.0, 1000.0, 3352.0, 1e9}) {
                const AxisScale axis = makeScale(scale, {high / 7, high}, true);
                QVERIFY(axis.fraction(high / 7) > 0 && axis.fraction(high) < 1);
                QVERIFY(std::abs(axis.fraction(axis.min)) < 1e-9 && std::abs(axis.fraction(axis.max) - 1) < 1e-9);
                QVERIFY(makeTicks(axis, 6).size() >= 2);
            }
    }

    void nonsenseIsLeftOut()
    {
        const AxisScale axis = makeScale(ParamScale::Log2, {0, -4, std::nan(""), INFINITY, 2, 8}, false);
        QVERIFY(!axis.accepts(0) && !axis.accepts(-1) && !axis.accepts(std::nan("")) && axis.accepts(1));
        QVERIFY(axis.min > 1 && axis.max < 16);
    }

    void decimationKeepsExtremes()
    {
        QList<QPointF> points;
        for (int i = 0; i < 100000; ++i)
            points.append({static_cast<double>(i), std::sin(i * 0.01)});
        points[54321].setY(99);
        points[12345].setY(-99);
        const QList<QPointF> kept = decimate(points, 500);
        QVERIFY(kept.size() <= 1000);
        QVERIFY(kept.contains(points[54321]) && kept.contains(points[12345]));
        QVERIFY(std::is_sorted(kept.begin(), kept.end(), [](QPointF a, QPointF b) { return a.x() < b.x(); }));
        for (const QPointF& point : kept)
            QCOMPARE(point, points[static_cast<qsizetype>(point.x())]); // a choice of points, never new ones
    }

    void fewPointsStay()
    {
        const QList<QPointF> points = {{1, 2}, {2, 3}, {4, 5}};
        QCOMPARE(decimate(points, 100), points);
        QCOMPARE(decimate({}, 10), QList<QPointF>());
        const QList<QPointF> vertical(50, QPointF(1, 1));
        QCOMPARE(decimate(vertical, 10), vertical);
    }
    void aScheduleIsAGantt()
    {
        ScheduleTrace trace;
        trace.title = "two chunks";
        trace.provenance = "MODELLED";
        trace.operations = {{"in 0", "copy in", 4, 64, 0, 2, 0, 0.5},
                            {"", "event", 4, 0, 2, 2, 0.5, 0.5},
                            {"work 0", "kernel", 4, 0, 2, 5, 0.5, 1},
                            {"in 1", "copy in", 1, 64, 2, 4, 1, 1.5}};
        GanttData data = ganttOf(trace, {});
        QCOMPARE(data.lanes.size(), std::size_t{3}); // calls, stream 1, stream 4
        QCOMPARE(data.lanes[1], QStringLiteral("stream 1"));
        QVERIFY((data.kinds == std::vector<QString>{QStringLiteral("copy in"), QStringLiteral("kernel")}));
        QVERIFY(data.provenance == Provenance::Modelled);
        QCOMPARE(data.spans.size(), std::size_t{6}); // an event has no length
        const auto kernel = std::ranges::find(data.spans, 3.0, &GanttSpan::length);
        QVERIFY(kernel != data.spans.end() && kernel->lane == 2 && kernel->kind == 1 && kernel->start == 2);
        QCOMPARE(kernel->name, QStringLiteral("work 0"));
        for (TracedOperation& operation : trace.operations)
            operation.called = operation.returned = 0; // a graph
        data = ganttOf(trace, {});
        QCOMPARE(data.lanes.size(), std::size_t{2});
        QCOMPARE(data.spans.size(), std::size_t{3});
    }

    void titlesInSentencesKeepTheirNames()
    {
        QCOMPARE(inSentence(QStringLiteral("Bytes per SM")), QStringLiteral("bytes per SM"));
        QCOMPARE(inSentence(QStringLiteral("FMAs per 16 loads")), QStringLiteral("FMAs per 16 loads"));
        QCOMPARE(inSentence(QStringLiteral("L2 hit rate")), QStringLiteral("L2 hit rate"));
        QCOMPARE(inSentence(QString()), QString());
    }
};

QTEST_GUILESS_MAIN(ChartParts)
#include "tst_chart_parts.moc"
