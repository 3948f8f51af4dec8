// SPDX-License-Identifier: GPL-3.0-or-later
// The small models behind the lessons' figures: transfers, the CPU-GPU crossover, published latencies.
#include "silicon/chip_catalogue.h"
#include "silicon/crossover.h"
#include "silicon/published_latency.h"
#include "silicon/transfer.h"

#include <QtTest>

#include <cmath>

using namespace ridge::silicon;

class TestExploreModels : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void linksAreThePublishedOnes_data();
    void linksAreThePublishedOnes();
    void linksAgreeWithTheChips();
    void transferFollowsItsLine();
    void crossoverFollowsItsParts();
    void crossoversAreWhereTheTimesMeet();
    void constantsAgreeWithTheChipTable();
    void latenciesAreThePublishedOnes_data();
    void latenciesAreThePublishedOnes();
    void staircaseStepsAtTheCapacities();
};

void TestExploreModels::linksAreThePublishedOnes_data()
{
    QTest::addColumn<QString>("id");
    QTest::addColumn<double>("oneWay");
    // Curriculum section 8, one direction, GB/s; PCIe 3 from its lanes.
    QTest::newRow("pcie3") << "pcie3" << 15.75;
    QTest::newRow("pcie4") << "pcie4" << 31.5;
    QTest::newRow("pcie5") << "pcie5" << 63.0;
    QTest::newRow("nvlink3") << "nvlink3" << 300.0;
    QTest::newRow("nvlink4") << "nvlink4" << 450.0;
    QTest::newRow("nvlink5") << "nvlink5" << 900.0;
}

void TestExploreModels::linksAreThePublishedOnes()
{
    QFETCH(QString, id);
    QFETCH(double, oneWay);
    const TransferLink* link = transferLink(id.toStdString());
    QVERIFY(link);
    QVERIFY(std::abs(link->nominal / (oneWay * 1e9) - 1) < 0.001);
    QVERIFY(link->reached <= link->nominal && link->reached > 0.8 * link->nominal);
    QCOMPARE(link->reachedKnown, link->reached < link->nominal);
    QVERIFY(!link->source.empty());
    QVERIFY(!transferLink(id.toStdString() + "0"));
}

void TestExploreModels::linksAgreeWithTheChips()
{
    const Catalogue catalogue = *ridge::silicon::shippedCatalogue();
    for (const auto& [link, chip] : {std::pair{"nvlink3", "a100-sxm-80"}, {"nvlink4", "h100-sxm"}, {"nvlink5", "b200"}})
        QCOMPARE(transferLink(link)->nominal, *catalogue.find(chip)->gpuLink->bytesPerSecond.value / 2);
    for (const auto& [link, chip] : {std::pair{"pcie4", "a100-sxm-80"}, {"pcie5", "h100-sxm"}})
        QVERIFY(std::abs(transferLink(link)->nominal / *catalogue.find(chip)->pcie->bytesPerSecond.value - 1) < 0.002);
}

void TestExploreModels::transferFollowsItsLine()
{
    const double a = 10e-6, b = 26e9;
    QCOMPARE(transferSeconds(a, b, 0), a);
    QCOMPARE(transferSeconds(a, b, 26e9), 1 + a);
    QCOMPARE(transferRate(a, b, 0), 0.0);
    const double half = halfBandwidthBytes(a, b);
    QCOMPARE(half, 260e3);
    QCOMPARE(transferRate(a, b, half), b / 2);
    QCOMPARE(transferSeconds(a, b, half), 2 * a);
    QVERIFY(transferRate(a, b, 1e12) > 0.999 * b && transferRate(a, b, 1e12) < b);
}

void TestExploreModels::crossoverFollowsItsParts()
{
    QCOMPARE(crossoverBytes(CrossoverWork::Saxpy, 100), 1200.0);
    QCOMPARE(crossoverFlop(CrossoverWork::Saxpy, 100), 200.0);
    QCOMPARE(crossoverBytes(CrossoverWork::Sgemm, 100), 120000.0);
    QCOMPARE(crossoverFlop(CrossoverWork::Sgemm, 100), 2e6);
    const CrossoverTime resident = gpuTime(CrossoverWork::Saxpy, 1 << 20, false);
    const CrossoverTime copied = gpuTime(CrossoverWork::Saxpy, 1 << 20, true);
    QCOMPARE(resident.copySeconds, 0.0);
    QCOMPARE(copied.copySeconds, 3 * 6e-6 + 12.0 * (1 << 20) / 52e9);
    QCOMPARE(copied.total() - resident.total(), copied.copySeconds);
    QCOMPARE(resident.total(), 5e-6 + 12.0 * (1 << 20) / 3350e9);
    QVERIFY(resident.memoryBound());
    QVERIFY(!gpuTime(CrossoverWork::Sgemm, 4096, false).memoryBound());
    QVERIFY(gpuTime(CrossoverWork::Sgemm, 64, false).memoryBound());
    QCOMPARE(cpuTime(CrossoverWork::Sgemm, 1024).total(), 1e-6 + 2 * std::pow(1024.0, 3) / 1.024e12);
}

void TestExploreModels::crossoversAreWhereTheTimesMeet()
{
    // Closed form for SAXPY: launch - start = 12 n (1 / CPU bandwidth - 1 / GPU bandwidth).
    const double n = 4e-6 / (12 * (1 / 89.6e9 - 1 / 3350e9));
    QVERIFY(std::abs(*crossover(CrossoverWork::Saxpy, false) / n - 1) < 1e-9);
    // The link is slower than the CPU's memory: copying never pays for itself.
    QVERIFY(!crossover(CrossoverWork::Saxpy, true));
    for (const bool copies : {false, true}) {
        const double order = *crossover(CrossoverWork::Sgemm, copies);
        QVERIFY(std::abs(gpuTime(CrossoverWork::Sgemm, order, copies).total() /
                             cpuTime(CrossoverWork::Sgemm, order).total() -
                         1) < 1e-9);
        QVERIFY(gpuTime(CrossoverWork::Sgemm, order / 2, copies).total() >
                cpuTime(CrossoverWork::Sgemm, order / 2).total());
    }
    QVERIFY(*crossover(CrossoverWork::Sgemm, true) > *crossover(CrossoverWork::Sgemm, false));
}

void TestExploreModels::constantsAgreeWithTheChipTable()
{
    const Chip h100 = *ridge::silicon::shippedCatalogue()->find("h100-sxm");
    QCOMPARE(kGpuFlops.value, *h100.peakFlopsPerSecond.at(Precision::Fp32).value);
    QCOMPARE(kGpuBandwidth.value, *h100.memoryBytesPerSecond.value);
    QCOMPARE(kCopyRate.value, transferLink("pcie5")->reached);
    QCOMPARE(crossoverConstants().size(), std::size_t(8));
    for (const CrossoverConstant* constant : crossoverConstants())
        QVERIFY(constant->value > 0 && *constant->meaning && *constant->unit);
}

void TestExploreModels::latenciesAreThePublishedOnes_data()
{
    QTest::addColumn<QString>("id");
    QTest::addColumn<double>("l1");
    QTest::addColumn<double>("l2");
    QTest::addColumn<double>("dram");
    QTest::addColumn<double>("dramNs");
    // Curriculum 1.3, from RRZE gpu-benches.
    QTest::newRow("v100") << "v100" << 28.0 << 212.0 << 434.0 << 314.0;
    QTest::newRow("a100") << "a100" << 33.0 << 206.0 << 552.0 << 392.0;
    QTest::newRow("gh200") << "gh200" << 32.0 << 281.0 << 689.0 << 348.0;
    QTest::newRow("l40") << "l40" << 34.0 << 274.0 << 625.0 << 251.0;
}

void TestExploreModels::latenciesAreThePublishedOnes()
{
    QFETCH(QString, id);
    const PublishedLatency* chip = publishedLatency(id.toStdString());
    QVERIFY(chip);
    QTEST(chip->l1Cycles, "l1");
    QTEST(chip->l2Cycles, "l2");
    QTEST(chip->dramCycles, "dram");
    QFETCH(double, dramNs);
    // The published nanoseconds come from cycles before rounding.
    QVERIFY(std::abs(latencySeconds(*chip, chip->dramCycles) * 1e9 - dramNs) < 0.6);
    QVERIFY(!publishedLatency(id.toStdString() + "x"));
}

void TestExploreModels::staircaseStepsAtTheCapacities()
{
    for (const PublishedLatency& chip : publishedLatencies()) {
        QCOMPARE(latencyCycles(chip, chip.l1Bytes), chip.l1Cycles);
        QCOMPARE(latencyCycles(chip, chip.l1Bytes + 1), chip.l2Cycles);
        QCOMPARE(latencyCycles(chip, chip.l2Bytes), chip.l2Cycles);
        QCOMPARE(latencyCycles(chip, chip.l2Bytes + 1), chip.dramCycles);
    }
}

QTEST_APPLESS_MAIN(TestExploreModels)
#include "tst_explore_models.moc"
