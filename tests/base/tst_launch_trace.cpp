// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/launch_trace.h"
#include "base/seed.h"
#include "base/trace_bytes.h"
#include "tests/support/small_launch.h"

#include <QtTest>

using namespace ridge;

class TestLaunchTrace : public QObject {
    Q_OBJECT

    static QByteArray codeOf(const std::string& bytes)
    {
        const auto read = decodeLaunchTrace(bytes);
        return read ? QByteArray("ok") : QByteArray::fromStdString(read.error().code);
    }

private Q_SLOTS:
    void roundTrip()
    {
        const LaunchTrace trace = testing::smallLaunch();
        const auto back = decodeLaunchTrace(encodeLaunchTrace(trace));
        QVERIFY2(back.ok(), back.ok() ? "" : toText(back.error()).c_str());
        QVERIFY(*back == trace);
        QCOMPARE(encodeLaunchTrace(*back), encodeLaunchTrace(trace));
    }

    void intervalsAreSmall()
    {
        LaunchTrace trace = testing::smallLaunch();
        const std::size_t before = encodeLaunchTrace(trace).size();
        for (int copy = 0; copy < 1000; ++copy)
            trace.warps.push_back(trace.warps[0]);
        const std::size_t each = (encodeLaunchTrace(trace).size() - before) / (1000 * trace.warps[0].intervals.size());
        QVERIFY2(each <= 5, qPrintable(QString::number(each)));
    }

    void everyTruncationIsRefused()
    {
        const std::string bytes = encodeLaunchTrace(testing::smallLaunch());
        for (std::size_t size = 0; size < bytes.size(); ++size)
            QCOMPARE(codeOf(bytes.substr(0, size)), QByteArray("bad-trace"));
    }

    void everyFlippedBitIsRefused()
    {
        const std::string bytes = encodeLaunchTrace(testing::smallLaunch());
        Rng rng(3);
        for (int i = 0; i < 4000; ++i) {
            std::string damaged = bytes;
            damaged[rng.next() % damaged.size()] ^= static_cast<char>(1u << (rng.next() % 8));
            QVERIFY(codeOf(damaged) != "ok");
        }
    }

    void newerVersionIsNamed()
    {
        std::string bytes = encodeLaunchTrace(testing::smallLaunch());
        bytes[4] = 9;
        const auto read = decodeLaunchTrace(bytes);
        QCOMPARE(codeOf(bytes), QByteArray("newer-trace"));
        QVERIFY(read.error().message.find('9') != std::string::npos);
    }

    /// Behind a checksum that fits: counts larger than the trace, and what points nowhere.
    void nonsenseIsRefused()
    {
        QCOMPARE(codeOf(frameTrace("RLTR", 1, "")), QByteArray("bad-trace"));
        QCOMPARE(codeOf(frameTrace("RLTR", 1, std::string(200, '\xff'))), QByteArray("bad-trace"));
        const auto broken = [](const std::function<void(LaunchTrace&)>& breakIt) {
            LaunchTrace trace = testing::smallLaunch();
            breakIt(trace);
            return codeOf(encodeLaunchTrace(trace));
        };
        QCOMPARE(broken([](auto&) {}), QByteArray("ok"));
        QCOMPARE(broken([](auto& t) { t.chip.sms = 0; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.chip.sms = 1u << 20; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.states.clear(); }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.sms.values.pop_back(); }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.warps[0].intervals[0].op = 99; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.warps[0].intervals[0].state = 99; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.warps[0].intervals.clear(); }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.warps[0].sm = 3; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.blocks[0].sm = 77; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.blocks[0].end = 0, t.blocks[0].begin = 5; }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.lines[0].stateCycles.clear(); }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.grid.clear(); }), QByteArray("bad-trace"));
        QCOMPARE(broken([](auto& t) { t.chip.clockHz = 1 / (t.chip.clockHz * 0); }), QByteArray("bad-trace"));
        QCOMPARE(codeOf(std::string(LaunchTrace::kMostBytes + 1, 'x')), QByteArray("bad-trace"));
    }

    void aFileHoldsSeveral()
    {
        MemoryTrace memory;
        memory.kernel = "k";
        const std::string launch = encodeLaunchTrace(testing::smallLaunch());
        // Kinds of a later version among them: who reads them says what it knows.
        const std::string file = encodeTrace(memory) + frameTrace("RXYZ", 3, "later") + launch;
        const auto parts = splitTraces(file);
        QVERIFY(parts.ok());
        QCOMPARE(parts->size(), std::size_t{3});
        QCOMPARE(decodeTrace((*parts)[0])->kernel, std::string("k"));
        QVERIFY((*parts)[1].substr(0, 4) == "RXYZ");
        QCOMPARE(decodeLaunchTrace((*parts)[2])->kernel, std::string("halves"));
        for (const std::string& bad : {std::string(), std::string("rubbish"), launch + "x", launch.substr(0, 40),
                                       encodeTrace(memory) + launch.substr(0, launch.size() - 1)}) {
            const auto read = splitTraces(bad);
            QVERIFY(!read.ok());
            QCOMPARE(read.error().code, std::string("bad-trace"));
            QVERIFY(!read.error().fix.empty());
        }
    }
};

QTEST_APPLESS_MAIN(TestLaunchTrace)
#include "tst_launch_trace.moc"
