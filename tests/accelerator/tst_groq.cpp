// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/groq.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::accelerator;

class TestGroq : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void handCount();
    void schedules();
    void collisions();
    void jitter();
    void chips();
    void refusals();
};

void TestGroq::handCount()
{
    // A read at place 40 leaves after 5 cycles, crosses 40 places to the array at 0, leaves it after 12, crosses 46:
    // VXM begins at 5 + 40 + 12 + 46 = 103 and is through 4 + 20 + 10 - 1 later.
    const std::vector<LpuOp> ops{{"read", 40, 10, 5, true, {}},
                                 {"product", 0, 10, 12, false, {0}},
                                 {"sum", LpuChip::kVector, 10, 4, false, {1}}};
    const auto schedule = scheduleLpu(ops, 32);
    QVERIFY(schedule.ok());
    QCOMPARE(schedule->ops[1].begin, 45u);
    QCOMPARE(schedule->ops[2].begin, 103u);
    QCOMPARE(schedule->cycles, 103u + 4 + 20 + 9);
    QCOMPARE(runLpu(ops, nullptr, nullptr), schedule->cycles);
}

void TestGroq::schedules()
{
    for (std::uint32_t layers : {1u, 3u, 12u})
        for (std::uint32_t planes : {1u, 2u, 4u})
            for (std::uint32_t vectors : {1u, 40u, 200u}) {
                const auto ops = lpuNetwork(layers, planes, vectors);
                QCOMPARE(ops.size(), std::size_t{layers} * (3 * planes + 2));
                std::uint64_t before = 0;
                for (std::uint32_t streams : {32u, 4u, 1u}) {
                    const auto schedule = scheduleLpu(ops, streams);
                    QVERIFY(schedule.ok());
                    QCOMPARE(QString::fromStdString(checkLpu(ops, *schedule)), QString());
                    QVERIFY(before == 0 || schedule->cycles * 4 >= before * 3); // list schedules: fewer streams, slower
                    before = schedule->cycles;
                }
            }
}

void TestGroq::collisions()
{
    // Two reads that send east on one stream: the second passes the first's slice just when its vectors leave.
    const std::vector<LpuOp> ops{
        {"a", 50, 4, 5, true, {}}, {"b", 48, 4, 5, true, {}}, {"use", 92, 4, 12, false, {0, 1}}};
    LpuSchedule schedule;
    schedule.ops = {{2, 0}, {0, 0}, {60, 1}};
    QVERIFY(checkLpu(ops, schedule).find("collide on stream 0") != std::string::npos);
    schedule.ops[1].stream = 2;
    QVERIFY(checkLpu(ops, schedule).empty());
    schedule.ops[1] = {3, 0}; // out at 8 from 48: diagonal -40, the last of a's
    QVERIFY(checkLpu(ops, schedule).find("collide") != std::string::npos);
    schedule.ops[1] = {4, 0};
    QVERIFY(checkLpu(ops, schedule).empty());
    schedule.ops[2].begin = 40;
    QVERIFY(checkLpu(ops, schedule).find("arrives") != std::string::npos);
}

void TestGroq::jitter()
{
    const auto ops = lpuNetwork(8, 4, 32);
    const std::uint64_t still = runLpu(ops, nullptr, nullptr);
    Rng rng(1);
    SharedMemory always{1, 0, 500, 0, 0};
    for (int i = 0; i < 20; ++i)
        QCOMPARE(runLpu(ops, &always, &rng), still); // a cache that always hits and is alone is the static machine
    SharedMemory memory;
    std::uint64_t least = UINT64_MAX, most = 0;
    for (int i = 0; i < 200; ++i) {
        const std::uint64_t cycles = runLpu(ops, &memory, &rng);
        least = std::min(least, cycles);
        most = std::max(most, cycles);
    }
    QVERIFY(least >= still);
    QVERIFY(most > least);
    // One read, one sharer that always wants the port: half of the runs wait for `vectors` cycles.
    const std::vector<LpuOp> one{{"read", 40, 7, 5, true, {}}};
    SharedMemory fair{1, 0, 0, 1, 1};
    double sum = 0;
    for (int i = 0; i < 20000; ++i)
        sum += double(runLpu(one, &fair, &rng) - (5 + 20 + 6));
    QVERIFY(std::abs(sum / 20000 - 3.5) < 0.1);
}

void TestGroq::chips()
{
    LpuChip chip;
    QCOMPARE(lpuChips(chip, 140e9), 609.0);
    QCOMPARE(lpuChips(chip, 70e9), 305.0);
    chip.sramBytes = 230686720; // 220 MiB
    QCOMPARE(lpuChips(chip, 140e9), 607.0);
    QVERIFY(std::abs(lpuTokenSeconds(chip, 70e9, 1, 0, 0) - 7.6e-3) < 0.01e-3);
    QVERIFY(std::abs(lpuTokenSeconds(chip, 70e9, 8, 0, 0) - 0.95e-3) < 0.005e-3);
    // 3200 x 3200 pieces: 100 folds over 4 planes, 64 rows each.
    QCOMPARE(lpuProduct(chip, {64, 3200, 3200}, 1).cycles, 100.0 * 64 / 4 + 138);
    QCOMPARE(lpuProduct(chip, {1, 3200, 3200}, 1).cycles, 25.0 * 40 + 138); // installing the weights is slower
}

void TestGroq::refusals()
{
    QCOMPARE(scheduleLpu({{"late", 1, 1, 1, false, {0}}}, 4).error().code, std::string("bad-program"));
    QCOMPARE(scheduleLpu({{"far", 93, 1, 1, false, {}}}, 4).error().code, std::string("bad-program"));
    QCOMPARE(scheduleLpu({}, 0).error().code, std::string("bad-program"));
}

QTEST_APPLESS_MAIN(TestGroq)
#include "tst_groq.moc"
