// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/hls.h"
#include "base/seed.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::accelerator;

class TestHls : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void handCounts();
    void partitions();
    void replays();
    void refusals();
};

void TestHls::handCounts()
{
    HlsDesign d; // 16 cubed, nothing unrolled: read 2, multiply 3, sum 1
    const auto plain = scheduleHls(d);
    QCOMPARE(plain->ii, 1u);
    QCOMPARE(plain->depth, 6u);
    QCOMPARE(plain->latency, 4095u + 6);
    QCOMPARE(plain->dsp, 1u);
    d.pipeline = false;
    QCOMPARE(scheduleHls(d)->latency, 4096u * 6);
    d.pipeline = true;
    d.sumCycles = 4; // floating-point: the sum before must be there
    QCOMPARE(scheduleHls(d)->ii, 4u);
    d.sumCycles = 1;
    d.unroll = 8;
    d.partition = HlsPartition::Cyclic;
    d.factor = 4; // 8 reads from 4 banks of 2 ports
    const auto cut = scheduleHls(d);
    QCOMPARE(cut->ii, 1u);
    QCOMPARE(cut->depth, 2u + 3 + 3 + 1); // a tree of three levels
    QCOMPARE(cut->latency, 16u * 16 * 2 - 1 + 9);
    QCOMPARE(cut->dsp, 8u);
    d.dspLimit = 2;
    QCOMPARE(scheduleHls(d)->ii, 4u);
    QCOMPARE(scheduleHls(d)->dsp, 2u);
}

void TestHls::partitions()
{
    // Unrolling without banks: as many cycles as before.
    HlsDesign d;
    d.unroll = 8;
    const auto one = scheduleHls(d);
    QCOMPARE(one->ii, 4u);
    d.partition = HlsPartition::Block; // neighbours lie in one bank
    d.factor = 2;
    QCOMPARE(scheduleHls(d)->ii, 4u);
    d.partition = HlsPartition::Cyclic;
    QCOMPARE(scheduleHls(d)->ii, 2u);
    d.partition = HlsPartition::Complete;
    QCOMPARE(scheduleHls(d)->ii, 1u);
    d.loop = HlsLoop::J; // one value of A for all, eight sums
    QCOMPARE(scheduleHls(d)->ii, 1u);
    d.partition = HlsPartition::None;
    QCOMPARE(scheduleHls(d)->ii, 4u);
}

void TestHls::replays()
{
    Rng rng(5);
    for (int round = 0; round < 1000; ++round) {
        const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(rng.next() % n); };
        HlsDesign d;
        d.m = 1 + below(6);
        d.n = 1 + below(20);
        d.k = 1 + below(40);
        d.loop = below(2) ? HlsLoop::K : HlsLoop::J;
        d.unroll = 1 + below(d.loop == HlsLoop::K ? d.k : d.n);
        d.partition = static_cast<HlsPartition>(below(4));
        d.factor = 1 + below(8);
        d.pipeline = below(4) != 0;
        d.ports = 1 + below(2);
        d.dspLimit = below(6);
        d.sumCycles = 1 + below(5);
        const auto report = scheduleHls(d);
        QVERIFY(report.ok());
        const auto end = replayHls(d, *report);
        if (!end)
            qWarning("%s", end.error().message.c_str());
        QVERIFY(end.ok());
        QCOMPARE(*end, report->latency);
    }
}

void TestHls::refusals()
{
    HlsDesign d;
    d.unroll = 17;
    QCOMPARE(scheduleHls(d).error().code, std::string("bad-design"));
    d.unroll = 1;
    d.m = 0;
    QCOMPARE(scheduleHls(d).error().code, std::string("bad-design"));
}

QTEST_APPLESS_MAIN(TestHls)
#include "tst_hls.moc"
