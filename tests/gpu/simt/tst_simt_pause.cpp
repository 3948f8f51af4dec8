// SPDX-License-Identifier: GPL-3.0-or-later
// A launch that has spent its instructions, cycles or time stands still and goes on where it was, as if there had been
// no limit; or it ends there, as without anybody to ask.
#include "simt_lab.h"

#include <thread>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

using Words = std::vector<std::uint32_t>;

/// Each thread goes round 2000 times and stores what it has counted.
const char* const kLong =
    "mov.u32 %r4, 0; mov.u32 %r5, 0;\n"
    "L: mad.lo.u32 %r5, %r5, 5, %r0; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 2000; @%p1 bra L;\n"
    "mul.wide.u32 %rd5, %r0, 4; add.u64 %rd3, %rd0, %rd5; st.global.u32 [%rd3], %r5;";

struct Outcome {
    Words out;
    std::uint64_t instructions = 0, cycles = 0, hash = 0;
    std::string error;
    std::vector<std::string> asked;
};

Outcome runWith(LaunchOptions options, int yes, double seconds = 60, const std::string& body = kLong)
{
    Outcome result;
    DeviceOptions device;
    device.launchSeconds = seconds;
    device.goOn = [&](const Error& why) {
        result.asked.push_back(why.code);
        return static_cast<int>(result.asked.size()) <= yes;
    };
    DeviceInfo info;
    info.target = "sim:test";
    info.computeMajor = 9;
    info.smCount = 132;
    Lab lab;
    lab.device = std::move(*openSimtDevice(info, {}, device, *readChipTiming(RIDGE_SIMT_CHIPS, "h200-sxm")));
    if (!lab.load(handWritten(body)))
        qFatal("%s", lab.why().constData());
    const DevicePtr a = lab.put(Words(40 * 64), "a");
    auto report = lab.device->launch(*lab.program, {"k", {40}, {64}, 0, {a, a, a}}, options);
    result.out = lab.get<std::uint32_t>(a, 40 * 64);
    if (!report) {
        result.error = report.error().code;
        return result;
    }
    result.instructions = report->counters->instExecuted;
    result.cycles = report->timing ? report->timing->cycles : 0;
    result.hash = report->timing ? report->timing->hash : 0;
    return result;
}

} // namespace

class TestSimtPause : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void goingOnIsAsIfThereWereNoLimit_data()
    {
        QTest::addColumn<bool>("timing");
        QTest::addColumn<bool>("check");
        QTest::addColumn<QString>("code");
        QTest::newRow("instructions") << false << false << QStringLiteral("instruction-limit");
        QTest::newRow("instructions, watched") << false << true << QStringLiteral("instruction-limit");
        QTest::newRow("instructions, with the clock") << true << false << QStringLiteral("instruction-limit");
        QTest::newRow("cycles") << true << false << QStringLiteral("cycle-limit");
    }
    void goingOnIsAsIfThereWereNoLimit()
    {
        QFETCH(bool, timing);
        QFETCH(bool, check);
        QFETCH(QString, code);
        LaunchOptions options;
        options.timing = timing;
        options.check = check;
        options.timingOptions.threads = 2;
        const Outcome whole = runWith(options, 0);
        QCOMPARE(whole.error, std::string());
        QVERIFY(whole.asked.empty());
        if (code == QStringLiteral("cycle-limit"))
            options.mostCycles = whole.cycles / 4;
        else
            options.mostInstructions = whole.instructions / 4;
        const Outcome paused = runWith(options, 100);
        QCOMPARE(paused.error, std::string());
        QVERIFY2(paused.asked.size() >= 2 && paused.asked.size() <= 4,
                 QByteArray::number(paused.asked.size()).constData());
        QCOMPARE(paused.asked.front(), code.toStdString());
        QVERIFY(paused.out == whole.out);
        QCOMPARE(paused.instructions, whole.instructions);
        QCOMPARE(paused.cycles, whole.cycles);
        QCOMPARE(paused.hash, whole.hash);
        const Outcome ended = runWith(options, 1);
        QCOMPARE(ended.asked.size(), std::size_t{2});
        QCOMPARE(ended.error, code.toStdString());
    }

    void timeDoesNotRunWhileItStandsStill()
    {
        // Without end in any way that could be proved; each answer takes longer than the whole launch may.
        const std::string counts = "L: add.u64 %rd3, %rd3, 1; setp.ne.u64 %p1, %rd3, 0; @%p1 bra L;";
        for (const bool timing : {false, true}) {
            int asked = 0;
            DeviceOptions device;
            device.launchSeconds = 0.1;
            std::vector<std::chrono::steady_clock::time_point> times;
            device.goOn = [&](const Error& why) {
                times.push_back(std::chrono::steady_clock::now());
                std::this_thread::sleep_for(std::chrono::milliseconds(150)); // somebody who thinks it over
                times.push_back(std::chrono::steady_clock::now());
                return why.code == "time-limit" && ++asked < 3;
            };
            Lab lab;
            DeviceInfo info;
            info.target = "sim:test";
            info.computeMajor = 9;
            info.smCount = 132;
            lab.device = std::move(*openSimtDevice(info, {}, device, *readChipTiming(RIDGE_SIMT_CHIPS, "h200-sxm")));
            QVERIFY2(lab.load(handWritten(counts)), lab.why());
            const DevicePtr a = lab.put(Words(4), "a");
            LaunchOptions options;
            options.timing = timing;
            QVERIFY(!lab.run("k", {1}, {32}, {a, a, a}, 0, options));
            QCOMPARE(lab.code(), std::string("time-limit"));
            QCOMPARE(times.size(), std::size_t{6});
            for (const std::size_t at : {1u, 3u})
                QVERIFY(times[at + 1] - times[at] >= std::chrono::milliseconds(95));
        }
    }

    void whatIsNoLimitIsNotAsked()
    {
        const Outcome fault = runWith({}, 100, 60, "mov.u64 %rd3, 0; st.global.u32 [%rd3], %r0;");
        QVERIFY(!fault.error.empty());
        QVERIFY(fault.asked.empty());
        const Outcome endless = runWith({}, 100, 60, "L: bra L;");
        QCOMPARE(endless.error, std::string("endless-loop"));
        QVERIFY(endless.asked.empty());
    }
};

QTEST_APPLESS_MAIN(TestSimtPause)
#include "tst_simt_pause.moc"
