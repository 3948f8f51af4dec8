// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/lane_trace.h"
#include "tests/support/generic_traces.h"

#include <QtTest>
#include <limits>

using namespace ridge;

class TestLaneTrace : public QObject {
    Q_OBJECT

    static QByteArray codeOf(const std::string& bytes)
    {
        const auto read = decodeLaneTrace(bytes);
        return read ? QByteArray("ok") : QByteArray::fromStdString(read.error().code);
    }

private Q_SLOTS:
    void roundTrip()
    {
        for (const LaneTrace& trace : {ridge::testing::dramLanes(), ridge::testing::batchLanes(40, 4)}) {
            const auto back = decodeLaneTrace(encodeLaneTrace(trace));
            QVERIFY2(back.ok(), back.ok() ? "" : toText(back.error()).c_str());
            QVERIFY(*back == trace);
        }
    }

    void theOrderOfCallsDoesNotMatter()
    {
        LaneTraceBuilder lanes("l", "ns");
        const auto busy = lanes.state("busy", TraceColor::Series1);
        const auto a = lanes.lane("a"), b = lanes.lane("b");
        const auto late = lanes.span(b, 7, 9, busy, "late"), early = lanes.span(a, 3, 4, busy, "early");
        lanes.span(a, 1, 2, busy, "first");
        lanes.arrow(early, late);
        const auto level = lanes.counter(b, "level");
        lanes.sample(level, 1, 5);
        lanes.sample(level, 2, 5); // nothing new
        lanes.sample(level, 3, 6);
        const LaneTrace trace = lanes.take();
        QCOMPARE(trace.texts[trace.spans[0].label], std::string("first"));
        QCOMPARE(trace.texts[trace.spans[trace.arrows[0].from].label], std::string("early"));
        QCOMPARE(trace.texts[trace.spans[trace.arrows[0].to].label], std::string("late"));
        QCOMPARE(trace.end, 9.0);
        QCOMPARE(trace.counters[0].at, (std::vector<double>{1, 3}));
    }

    void mistakesOfAnEngineAreSaid()
    {
        LaneTraceBuilder lanes("l", "ns");
        QVERIFY_THROWS_EXCEPTION(std::logic_error, lanes.span(0, 0, 1, 0));
        const auto busy = lanes.state("busy", TraceColor::Series1);
        const auto lane = lanes.lane("a");
        QVERIFY_THROWS_EXCEPTION(std::logic_error, lanes.span(lane, 2, 1, busy));
        QVERIFY_THROWS_EXCEPTION(std::logic_error, lanes.span(lane, -1, 1, busy));
        QVERIFY_THROWS_EXCEPTION(std::logic_error, lanes.arrow(0, 1));
        QVERIFY_THROWS_EXCEPTION(std::logic_error, lanes.counter(4, "c"));
        lanes.arrow(LaneTraceBuilder::kNone, 0); // of a span that was not kept: nothing
        QVERIFY(lanes.take().arrows.empty());
    }

    void whatOverlapsIsStacked()
    {
        LaneTraceBuilder lanes("l", "ns");
        const auto busy = lanes.state("busy", TraceColor::Series1);
        const auto a = lanes.lane("a"), b = lanes.lane("b");
        for (int at = 0; at < 12; ++at)
            lanes.span(a, at, at + 3, busy, std::to_string(at)); // three at a time
        for (int at = 0; at < 20; ++at)
            lanes.span(b, 0, 100, busy); // more than there is room for
        const LaneIndex index(std::make_shared<const LaneTrace>(lanes.take()));
        QCOMPARE(index.firstRow(1) - index.firstRow(0), std::size_t{3});
        QCOMPARE(index.firstRow(2) - index.firstRow(1), LaneIndex::kMostRows);
        for (std::size_t row = 0; row < 3; ++row)
            for (std::size_t at = 1; at < index.rows()[row].spans.size(); ++at)
                QVERIFY(index.trace().spans[index.rows()[row].spans[at]].begin >=
                        index.trace().spans[index.rows()[row].spans[at - 1]].end);
        const LaneSpan& span = index.trace().spans[index.at(index.rows()[0], 4.5)];
        QVERIFY(span.begin <= 4.5 && span.end > 4.5);
        QCOMPARE(index.at(index.rows()[0], 500), LaneTraceBuilder::kNone);
    }

    /// What the index says of a stretch is what a walk over all of it says.
    void stretchesAgreeWithAWalk()
    {
        const LaneIndex index(std::make_shared<const LaneTrace>(ridge::testing::dramLanes(8, 400)));
        const LaneTrace& trace = index.trace();
        const LaneCounter& counter = trace.counters[0];
        Rng rng(9);
        for (int look = 0; look < 200; ++look) {
            const double from = index.end() * static_cast<double>(rng.next() % 1000) / 1000;
            const double to = from + index.end() * static_cast<double>(rng.next() % 300) / 1000;
            double least = 1e9, largest = -1e9;
            for (std::size_t at = 0; at < counter.at.size(); ++at)
                if (counter.at[at] < to && (at + 1 == counter.at.size() || counter.at[at + 1] > from)) {
                    least = std::min(least, counter.values[at]);
                    largest = std::max(largest, counter.values[at]);
                }
            const LaneIndex::Extent extent = index.extent(0, from, to);
            if (to > from && extent.any) {
                QCOMPARE(extent.least, least);
                QCOMPARE(extent.largest, largest);
            }
            bool crowded = false;
            const auto arrows = index.arrowsIn(from, to, 1'000'000, crowded);
            std::size_t wanted = 0;
            for (const LaneArrow& arrow : trace.arrows) {
                const double a = trace.spans[arrow.from].end, b = trace.spans[arrow.to].begin;
                wanted += std::min(a, b) < to && std::max(a, b) >= from ? 1 : 0;
            }
            QVERIFY(!crowded);
            QCOMPARE(arrows.size(), wanted);
        }
        bool crowded = false;
        QVERIFY(index.arrowsIn(0, index.end(), 5, crowded).empty());
        QVERIFY(crowded);
        QVERIFY(index.sameId(1, 100).size() >= 2);
        QVERIFY(index.sameId(0, 100).empty());
    }

    void damageIsRefused()
    {
        const std::string bytes = encodeLaneTrace(ridge::testing::dramLanes(4, 12));
        for (std::size_t size = 0; size < bytes.size(); ++size)
            QCOMPARE(codeOf(bytes.substr(0, size)), QByteArray("bad-trace"));
        Rng rng(3);
        for (int i = 0; i < 2000; ++i) {
            std::string damaged = bytes;
            damaged[rng.next() % damaged.size()] ^= static_cast<char>(1u << (rng.next() % 8));
            QVERIFY(codeOf(damaged) != "ok");
        }
        std::string newer = bytes;
        newer[4] = 9;
        QCOMPARE(codeOf(newer), QByteArray("newer-trace"));
        QCOMPARE(codeOf(std::string(LaneTrace::kMostBytes + 1, 'x')), QByteArray("bad-trace"));
    }

    void nonsenseIsRefused()
    {
        QCOMPARE(codeOf(frameTrace("RLAN", 1, "")), QByteArray("bad-trace"));
        QCOMPARE(codeOf(frameTrace("RLAN", 1, std::string(200, '\xff'))), QByteArray("bad-trace"));
        const auto broken = [](const std::function<void(LaneTrace&)>& breakIt) {
            LaneTrace trace = ridge::testing::dramLanes(4, 12);
            breakIt(trace);
            return codeOf(encodeLaneTrace(trace));
        };
        const double nan = std::numeric_limits<double>::quiet_NaN();
        QCOMPARE(broken([](auto&) {}), QByteArray("ok"));
        QCOMPARE(broken([](auto& t) { t.lanes.clear(); }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.lanes.resize(5000); }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.states.clear(); }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.end = -1; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.spans[1].lane = 99; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.spans[1].state = 99; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.spans[1].label = 9999; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.spans[1].end = t.spans[1].begin - 1; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.spans[1].end = t.end + 1; }), QByteArray("bad-trace"));
        QCOMPARE(broken([&](auto& t) { t.spans[1].begin = nan; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { std::swap(t.spans.front(), t.spans.back()); }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.spansInAll = 1; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.arrows[0].to = 9999; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.instants[0].at = t.end + 1; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.counters[0].lane = 99; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { std::swap(t.counters[0].at.front(), t.counters[0].at.back()); }),
                 QByteArray("bad-trace"));
        QCOMPARE(broken([&](auto& t) { t.counters[0].values[0] = nan; }), QByteArray("bad-trace"));
    }
};

QTEST_APPLESS_MAIN(TestLaneTrace)
#include "tst_lane_trace.moc"
