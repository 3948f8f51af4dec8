// SPDX-License-Identifier: GPL-3.0-or-later
// Atomics by which a whole warp means one word: what a missing lane changes, and what combining saves.
#include "timing_lab.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

/// %rd5: a lane's own address; %rd0 is one for all.
std::string kernel(const std::string& atomic)
{
    return handWritten("mul.wide.u32 %rd4, %r0, 4; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r5, [%rd5];" + atomic +
                       "st.global.u32 [%rd5], %r6;");
}

const std::string kScan = "atom.global.add.u32 %r6, [%rd0], %r5;";   // combined in full warps
const std::string kEach = "atom.global.min.u32 %r6, [%rd0], %r5;";   // never
const std::string kCount = "atom.global.add.u32 %r6, [%rd0], 3;";    // combined in any
const std::string kSpread = "atom.global.min.u32 %r6, [%rd5], %r5;"; // no two in one word

struct Timed {
    std::uint64_t cycles = 0;
    std::uint64_t issued = 0;
    std::vector<std::uint32_t> sum;
};

Timed timed(const std::string& atomic, std::uint32_t blocks, std::uint32_t threads)
{
    TimedLab lab(shippedChip("a100-sxm-80"));
    if (!lab.load(kernel(atomic)))
        return {};
    const DevicePtr word = lab.put(std::vector<std::uint32_t>(64), "word");
    const DevicePtr values = lab.put(std::vector<std::uint32_t>(std::size_t{blocks} * threads, 1), "values");
    if (!lab.time("k", {blocks}, {threads}, {word, values, word}))
        return {};
    return {lab.timing.cycles, lab.timing.counters.instIssued, lab.get<std::uint32_t>(word, 1)};
}

} // namespace

class TestTimingAtomics : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aScanIsLeftOutWhereALaneIsMissing()
    {
        const Timed full = timed(kScan, 1, 32), partial = timed(kScan, 1, 31), two = timed(kScan, 1, 33);
        QCOMPARE(full.sum, std::vector<std::uint32_t>{32});
        QCOMPARE(partial.sum, std::vector<std::uint32_t>{31});
        QCOMPARE(full.issued - partial.issued, std::uint64_t{22}); // 5 × (shuffle, copy, sum), and what ends it
        QCOMPARE(two.issued, full.issued + partial.issued);
    }

    /// What was left out would have waited for the lanes' own accesses; what comes after it still does.
    void theirOwnAccessesAreWaitedFor()
    {
        const Timed partial = timed(kScan, 1, 31), each = timed(kEach, 1, 31);
        QVERIFY2(partial.cycles >= each.cycles && partial.cycles < each.cycles + 60,
                 qPrintable(QStringLiteral("%1 and %2").arg(partial.cycles).arg(each.cycles)));
    }

    /// L2 adds to one word once a clock: 31 lanes of 64 warps take as long as they are many, one of each does not.
    void oneLaneIsFasterThanAll()
    {
        const Timed full = timed(kScan, 64, 32), partial = timed(kScan, 64, 31);
        const Timed each = timed(kEach, 64, 32), count = timed(kCount, 64, 31), spread = timed(kSpread, 64, 32);
        const auto saved = [](const Timed& slow, const Timed& fast) {
            return static_cast<double>(slow.cycles) - static_cast<double>(fast.cycles);
        };
        const auto text = [&] {
            return QStringLiteral("scan %1, 31 lanes %2, each %3, counted %4, spread %5")
                .arg(full.cycles)
                .arg(partial.cycles)
                .arg(each.cycles)
                .arg(count.cycles)
                .arg(spread.cycles);
        };
        QVERIFY2(saved(each, full) > 64 * 31 * 0.7, qPrintable(text()));
        QVERIFY2(saved(partial, full) > 64 * 30 * 0.7, qPrintable(text()));
        QVERIFY2(saved(each, count) > 64 * 31 * 0.8, qPrintable(text()));
        QVERIFY2(saved(each, spread) > 64 * 31 * 0.5, qPrintable(text()));
    }
};

QTEST_APPLESS_MAIN(TestTimingAtomics)
#include "tst_timing_atomics.moc"
