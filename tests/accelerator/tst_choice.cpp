// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/choice.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::accelerator;

class TestChoice : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void floors_data();
    void floors();
    void kinds();
    void refusals();
};

void TestChoice::floors_data()
{
    // 140 GB of weights at batch 1: chips that hold them, all bandwidth at once (accelerator datasheets).
    QTest::addColumn<double>("peak");
    QTest::addColumn<double>("bandwidth");
    QTest::addColumn<double>("memory");
    QTest::addColumn<double>("chips");
    QTest::addColumn<double>("ms");
    QTest::addColumn<double>("ridge");
    QTest::newRow("tpu v5e") << 197e12 << 819e9 << 16e9 << 9.0 << 19.0 << 241.0;
    QTest::newRow("trainium") << 190e12 << 820e9 << 34359738368.0 << 5.0 << 34.1 << 232.0;
    QTest::newRow("trainium2") << 667e12 << 2900e9 << 103079215104.0 << 2.0 << 24.1 << 230.0;
    QTest::newRow("gaudi2") << 432e12 << 2460e9 << 96e9 << 2.0 << 28.5 << 176.0;
    QTest::newRow("gaudi3") << 1835e12 << 3670e9 << 128e9 << 2.0 << 19.1 << 500.0;
}

void TestChoice::floors()
{
    QFETCH(double, peak);
    QFETCH(double, bandwidth);
    QFETCH(double, memory);
    QFETCH(double, chips);
    QFETCH(double, ms);
    QFETCH(double, ridge);
    ChoiceMachine machine{"m", "m", ChoiceKind::Memory, peak, bandwidth, memory, 0, 0, 0, true};
    const ChoiceWork work{140e9, 140e9, 0, 0, 0, 1};
    const auto run = runChoice(machine, work, 1, 1, 0);
    QCOMPARE(run->chips, chips);
    QVERIFY(std::abs(run->time * 1e3 - ms) < 0.06);
    QVERIFY(std::abs(run->breakEvenFlopsPerByte - ridge) < 1);
    QVERIFY(run->bound == ChoiceBound::Memory);
    // At the ridge both take the same; twice as much is bound by arithmetic.
    ChoiceWork large = work;
    large.flops = 2 * 140e9 * run->breakEvenFlopsPerByte;
    QVERIFY(runChoice(machine, large, 1, 1, 0)->bound == ChoiceBound::Compute);
}

void TestChoice::kinds()
{
    ChoiceMachine wafer{"w", "w", ChoiceKind::Wafer, 7.5e15, 20e15, 40e9, 150e9, 0, 15000, true};
    const ChoiceWork decode{140e9, 140e9, 0, 0, 0, 1};
    const auto streamed = runChoice(wafer, decode, 1, 1, 0);
    QVERIFY(std::abs(streamed->time - 140.0 / 150) < 1e-9);
    QVERIFY(streamed->bound == ChoiceBound::Link);
    const auto resident = runChoice(wafer, decode, 4, 1, 0);
    QCOMPARE(resident->chips, 4.0);
    QVERIFY(resident->time < 1e-4);
    ChoiceMachine lpu{"l", "l", ChoiceKind::Lpu, 750e12, 10240 * 0.9e9, 230e6, 0, 0, 0, true};
    const auto chain = runChoice(lpu, {140e9, 70e9, 0, 0, 0, 1}, 1, 1, 0);
    QCOMPARE(chain->chips, 305.0);
    QVERIFY(std::abs(chain->time - 7.6e-3) < 0.01e-3);
    ChoiceMachine laptop{"a", "a", ChoiceKind::Memory, 13.6e12, 400e9, 72e9, 0, 0, 0, false};
    QVERIFY(!runChoice(laptop, decode, 1, 1, 0)->possible);
}

void TestChoice::refusals()
{
    QCOMPARE(runChoice({}, {}, 1, 1, 0).error().code, std::string("bad-machine"));
}

QTEST_APPLESS_MAIN(TestChoice)
#include "tst_choice.moc"
