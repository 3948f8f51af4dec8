// SPDX-License-Identifier: GPL-3.0-or-later
#include "silicon/chip_catalogue.h"
#include "silicon/occupancy.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::silicon;

namespace {

struct Row {
    int major, minor;
    std::uint32_t threads, registers, shared;
    std::uint32_t blocks;
    const char* limiters; ///< w warps, r registers, s shared memory, b blocks, k barriers
    std::uint32_t allocatedRegisters, allocatedShared;
};

/// Answers of NVIDIA's cuda_occupancy.h (CUDA 13.0) for the limits of the chip table with the largest carveout; made
/// once by compiling that header, kept here as numbers.
constexpr Row kRows[] = {
#include "occupancy_rows.inc"
};

std::string letters(const std::vector<Limiter>& limiters)
{
    std::string out;
    for (const Limiter limiter : limiters)
        out += "wrsbk"[static_cast<int>(limiter)];
    return out;
}

} // namespace

class TestOccupancy : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void agreesWithTheVendorsCalculator();
    void hopperWithTwelveKilobytesABlock();
    void limitersAreNamed();
    void impossibleBlocksNameTheLegalValue_data();
    void impossibleBlocksNameTheLegalValue();
    void moreOfAnythingNeverRaisesOccupancy();

private:
    Catalogue m_catalogue;
};

void TestOccupancy::initTestCase()
{
    const Result<Catalogue> shipped = shippedCatalogue();
    QVERIFY2(shipped.ok(), shipped.ok() ? "" : toText(shipped.error()).c_str());
    m_catalogue = *shipped;
}

void TestOccupancy::agreesWithTheVendorsCalculator()
{
    for (const Row& row : kRows) {
        const ChipLimits limits = *m_catalogue.limits(row.major, row.minor);
        const Result<Occupancy> got = occupancy(limits, row.threads, row.registers, row.shared);
        const std::string where = std::to_string(row.major) + "." + std::to_string(row.minor) + " " +
                                  std::to_string(row.threads) + " threads " + std::to_string(row.registers) +
                                  " registers " + std::to_string(row.shared) + " B";
        QVERIFY2(got.ok(), where.c_str());
        QVERIFY2(got->blocksPerSm == row.blocks, where.c_str());
        QVERIFY2(letters(got->limiters) == row.limiters, (where + ": " + letters(got->limiters)).c_str());
        QVERIFY2(got->allocatedRegistersPerBlock == row.allocatedRegisters, where.c_str());
        QVERIFY2(got->allocatedSharedBytesPerBlock == row.allocatedShared, where.c_str());
    }
    QVERIFY(std::size(kRows) >= 150);
}

void TestOccupancy::hopperWithTwelveKilobytesABlock()
{
    const ChipLimits h100 = *m_catalogue.limits(9, 0);
    // 228 KB over 12 KB: 19 blocks if the block's 12 KB hold the system's 1 KB, 17 if they come on top of it.
    const Result<Occupancy> inclusive = occupancy(h100, 64, 32, 11 * 1024);
    QCOMPARE(inclusive->blocksPerSm, 19u);
    QCOMPARE(letters(inclusive->limiters), std::string("s"));
    QCOMPARE(occupancy(h100, 64, 32, 12 * 1024)->blocksPerSm, 17u);
    // At 128 threads the warp slots (16 blocks) bind before shared memory does.
    QCOMPARE(occupancy(h100, 128, 16, 11 * 1024)->blocksPerSm, 16u);
}

void TestOccupancy::limitersAreNamed()
{
    QCOMPARE(toText(Limiter::SharedMemory), std::string_view("shared memory"));
    const ChipLimits turing = *m_catalogue.limits(7, 5);
    const Result<Occupancy> full = occupancy(turing, 64, 32, 0);
    QCOMPARE(full->fraction, 1.0);
    QCOMPARE(full->warpsPerSm, 32u);
    QCOMPARE(occupancy(turing, 32, 32, 0)->fraction, 0.5);
    const Result<Occupancy> barriers = occupancy(*m_catalogue.limits(8, 9), 32, 16, 0, 3);
    QCOMPARE(barriers->blocksPerSm, 8u);
    QCOMPARE(letters(barriers->limiters), std::string("k"));
}

void TestOccupancy::impossibleBlocksNameTheLegalValue_data()
{
    QTest::addColumn<unsigned>("threads");
    QTest::addColumn<unsigned>("registers");
    QTest::addColumn<unsigned>("shared");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("legal");
    QTest::newRow("none") << 0u << 32u << 0u << "threads per block"
                          << "1024";
    QTest::newRow("threads") << 1025u << 32u << 0u << "threads per block"
                             << "1024";
    QTest::newRow("registers a thread") << 32u << 256u << 0u << "registers per thread"
                                        << "255";
    QTest::newRow("registers a block") << 1024u << 65u << 0u << "registers per block"
                                       << "65536";
    QTest::newRow("shared") << 32u << 32u << 232449u << "shared memory per block in bytes"
                            << "232448";
}

void TestOccupancy::impossibleBlocksNameTheLegalValue()
{
    QFETCH(unsigned, threads);
    QFETCH(unsigned, registers);
    QFETCH(unsigned, shared);
    QFETCH(QString, place);
    QFETCH(QString, legal);
    const Result<Occupancy> got = occupancy(*m_catalogue.limits(9, 0), threads, registers, shared);
    QVERIFY(!got.ok());
    QCOMPARE(got.error().code, std::string("bad-launch"));
    QCOMPARE(got.error().place, place.toStdString());
    QVERIFY2(got.error().fix.find(legal.toStdString()) != std::string::npos, got.error().fix.c_str());
}

void TestOccupancy::moreOfAnythingNeverRaisesOccupancy()
{
    const ChipLimits ada = *m_catalogue.limits(8, 9);
    std::uint32_t last = ~0u;
    for (std::uint32_t registers = 1; registers <= 255; ++registers) {
        const std::uint32_t blocks = occupancy(ada, 128, registers, 0)->blocksPerSm;
        QVERIFY(blocks <= last);
        last = blocks;
    }
    last = ~0u;
    for (std::uint32_t shared = 0; shared <= ada.sharedBytesPerBlockOptin; shared += 64) {
        const std::uint32_t blocks = occupancy(ada, 128, 32, shared)->blocksPerSm;
        QVERIFY(blocks <= last && blocks >= 1);
        last = blocks;
    }
}

QTEST_APPLESS_MAIN(TestOccupancy)
#include "tst_occupancy.moc"
