// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/grid_trace.h"
#include "tests/support/generic_traces.h"

#include <QtTest>
#include <limits>

using namespace ridge;

class TestGridTrace : public QObject {
    Q_OBJECT

    static QByteArray codeOf(const std::string& bytes)
    {
        const auto read = decodeGridTrace(bytes);
        return read ? QByteArray("ok") : QByteArray::fromStdString(read.error().code);
    }

private Q_SLOTS:
    void roundTrip()
    {
        for (const GridTrace& trace :
             {ridge::testing::cacheGrid(), ridge::testing::systolicGrid(16, 4), ridge::testing::cacheGrid(1, 1, 1)}) {
            const auto back = decodeGridTrace(encodeGridTrace(trace));
            QVERIFY2(back.ok(), back.ok() ? "" : toText(back.error()).c_str());
            QVERIFY(*back == trace);
            QCOMPARE(encodeGridTrace(*back), encodeGridTrace(trace));
        }
    }

    void aLargeGridWithFewChangesIsSmall()
    {
        GridTraceBuilder grid("wafer", 1024, 1024);
        grid.state("idle", TraceColor::Idle);
        const auto busy = grid.state("busy", TraceColor::Series1);
        for (std::uint32_t step = 0; step < 1000; ++step) {
            grid.step();
            grid.set(step, step * 7 % 1024, {.state = busy});
        }
        const std::string bytes = encodeGridTrace(grid.take());
        QVERIFY2(bytes.size() < 12'000, qPrintable(QString::number(bytes.size())));
        QCOMPARE(codeOf(bytes), QByteArray("ok"));
    }

    void onlyWhatChangesIsKept()
    {
        GridTraceBuilder grid("g", 2, 2);
        grid.state("empty", TraceColor::Idle);
        const auto full = grid.state("full", TraceColor::Good);
        grid.step("first");
        grid.set(0, 1, {.state = full});
        grid.set(0, 1, {.state = full});
        grid.set(0, 0, {});
        grid.step();
        grid.set(0, 1, {.state = full, .note = "again"});
        const GridTrace trace = grid.take();
        QCOMPARE(trace.changes.size(), std::size_t{2});
        QCOMPARE(trace.steps[0].end, 1U);
        QCOMPARE(trace.steps[1].end, 2U);
        QCOMPARE(trace.texts[trace.changes[1].note], std::string("again"));
        QCOMPARE(trace.states[full].letter, std::string("F"));
        QVERIFY(trace.states[0].letter.empty());
    }

    void mistakesOfAnEngineAreSaid()
    {
        GridTraceBuilder grid("g", 2, 2);
        grid.state("empty", TraceColor::Idle);
        QVERIFY_THROWS_EXCEPTION(std::logic_error, grid.set(2, 0, {}));
        QVERIFY_THROWS_EXCEPTION(std::logic_error, grid.set(0, 0, {.state = 9}));
        QVERIFY_THROWS_EXCEPTION(std::logic_error, grid.set(0, 0, {.value = std::numeric_limits<float>::infinity()}));
        QVERIFY_THROWS_EXCEPTION(std::logic_error, grid.rowNames({"one"}));
        grid.step({}, {}, 5);
        QVERIFY_THROWS_EXCEPTION(std::logic_error, grid.step({}, {}, 4));
        QVERIFY_THROWS_EXCEPTION(std::logic_error, GridTraceBuilder("g", 0, 3));
        QVERIFY_THROWS_EXCEPTION(std::logic_error, GridTraceBuilder("g", 1 << 16, 1 << 16));
        QVERIFY_THROWS_EXCEPTION(std::logic_error, GridTraceBuilder("g", 1, 1).take());
    }

    void stepsBeyondTheBoundAreCounted()
    {
        GridTraceBuilder grid("g", 1, 1);
        grid.values("v", "");
        for (std::size_t step = 0; step < GridTrace::kMostSteps + 10; ++step)
            grid.step();
        QVERIFY(grid.full());
        const GridTrace trace = grid.take();
        QCOMPARE(trace.steps.size(), GridTrace::kMostSteps);
        QCOMPARE(trace.stepsInAll, std::uint64_t{GridTrace::kMostSteps + 10});
        QCOMPARE(codeOf(encodeGridTrace(trace)), QByteArray("ok"));
    }

    /// At any step, in any order, what a walk from the first step gives.
    void anyStepIsTheWalkToIt()
    {
        const auto trace = std::make_shared<const GridTrace>(ridge::testing::systolicGrid(40, 3));
        const GridHistory history(trace);
        std::vector<float> values(trace->cells(), 0);
        std::vector<std::vector<float>> walk;
        for (std::size_t step = 0; step < trace->steps.size(); ++step) {
            for (std::uint32_t at = trace->firstChange(step); at < trace->steps[step].end; ++at) {
                values[trace->changes[at].cell] = trace->changes[at].value;
                QCOMPARE(history.stepOf(at), step);
            }
            walk.push_back(values);
        }
        Rng rng(2);
        for (int look = 0; look < 60; ++look) {
            const std::size_t step = rng.next() % walk.size();
            QVERIFY(history.at(step).values == walk[step]);
        }
        QVERIFY(history.at(1'000'000).values == walk.back());
    }

    void theRangeIsThatOfTheData()
    {
        GridTraceBuilder grid("g", 1, 2);
        grid.values("v", "V");
        grid.set(0, 0, {.value = -3});
        grid.set(0, 1, {.value = 8});
        const GridHistory history(std::make_shared<const GridTrace>(grid.take()));
        QCOMPARE(history.low(), -3.0);
        QCOMPARE(history.high(), 8.0);
    }

    void damageIsRefused()
    {
        const std::string bytes = encodeGridTrace(ridge::testing::cacheGrid(8, 2, 40));
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
        QCOMPARE(codeOf(std::string(GridTrace::kMostBytes + 1, 'x')), QByteArray("bad-trace"));
    }

    /// Behind a checksum that fits: sizes and counts larger than anything, and what points nowhere.
    void nonsenseIsRefused()
    {
        QCOMPARE(codeOf(frameTrace("RGRD", 1, "")), QByteArray("bad-trace"));
        QCOMPARE(codeOf(frameTrace("RGRD", 1, std::string(200, '\xff'))), QByteArray("bad-trace"));
        const auto broken = [](const std::function<void(GridTrace&)>& breakIt) {
            GridTrace trace = ridge::testing::cacheGrid(8, 2, 40);
            breakIt(trace);
            return codeOf(encodeGridTrace(trace));
        };
        QCOMPARE(broken([](auto&) {}), QByteArray("ok"));
        QCOMPARE(broken([](auto& t) { t.rows = 0; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.rows = 1u << 30; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.rows = t.columns = 1025; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.columns = 7; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.rowNames = {"one"}; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.cellNames = {"one"}; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.states.clear(); }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.states.resize(200, t.states[0]); }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.states[0].color = static_cast<TraceColor>(99); }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.changes[3].state = 99; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.changes[3].cell = 99; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.changes[3].note = 99'999; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.changes[3].value = std::numeric_limits<float>::quiet_NaN(); }),
                 QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.texts.clear(); }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.texts.push_back(std::string(5000, 'x')); }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.stepsInAll = 1; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.value = GridValue{"v", "", 2, 1}; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.steps.clear(), t.changes.clear(); }), QByteArray("bad-trace"));
    }
};

QTEST_APPLESS_MAIN(TestGridTrace)
#include "tst_grid_trace.moc"
