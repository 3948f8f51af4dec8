// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/schedule_trace.h"

#include <QtTest>
#include <limits>

using namespace ridge;

namespace {

ScheduleTrace example()
{
    ScheduleTrace trace;
    trace.title = "2 chunks on 2 streams, pinned";
    trace.device = "a device";
    trace.provenance = "MODELLED";
    trace.seconds = 3e-3;
    trace.wallSeconds = 3.1e-3;
    trace.operations = {{"in 0", "copy in", 0, 4096, 0, 1e-3, 0, 2e-6},
                        {"work 0", "kernel", 0, 0, 1e-3, 2e-3, 2e-6, 4e-6},
                        {"out 0", "copy out", 63, std::uint64_t{1} << 40, 2e-3, 3e-3, 4e-6, 3.1e-3}};
    return trace;
}

} // namespace

class TestScheduleTrace : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void roundTrip();
    void cutOrDamagedIsRefused();
    void timesMustRunForward();
};

void TestScheduleTrace::roundTrip()
{
    const ScheduleTrace trace = example();
    const auto back = decodeScheduleTrace(encodeScheduleTrace(trace));
    QVERIFY(back.ok());
    QVERIFY(*back == trace);
    const auto empty = decodeScheduleTrace(encodeScheduleTrace({}));
    QVERIFY(empty.ok() && *empty == ScheduleTrace{});
}

void TestScheduleTrace::cutOrDamagedIsRefused()
{
    const std::string bytes = encodeScheduleTrace(example());
    for (std::size_t length = 0; length < bytes.size(); ++length)
        QCOMPARE(decodeScheduleTrace(std::string_view(bytes).substr(0, length)).error().code, std::string("bad-trace"));
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        QVERIFY(!decodeScheduleTrace(damaged).ok());
    }
    QVERIFY(!decodeScheduleTrace(bytes + "x").ok());
}

void TestScheduleTrace::timesMustRunForward()
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double bad : {nan, -1.0, std::numeric_limits<double>::infinity()}) {
        ScheduleTrace trace = example();
        trace.operations[1].begin = bad;
        QVERIFY(!decodeScheduleTrace(encodeScheduleTrace(trace)).ok());
        trace = example();
        trace.seconds = bad;
        QVERIFY(!decodeScheduleTrace(encodeScheduleTrace(trace)).ok());
    }
    ScheduleTrace backwards = example();
    backwards.operations[0].end = -0.0;
    backwards.operations[0].begin = 1e-9;
    QVERIFY(!decodeScheduleTrace(encodeScheduleTrace(backwards)).ok());
}

QTEST_GUILESS_MAIN(TestScheduleTrace)
#include "tst_schedule_trace.moc"
