// SPDX-License-Identifier: GPL-3.0-or-later
// Dies, yields and operations against figures that others publish or a hand can count.
#include "silicon/chip_catalogue.h"
#include "silicon/die.h"

#include <QtTest>

using namespace ridge::silicon;

class TestDie : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void diesOfAWafer()
    {
        // 100 mm2 on 300 mm: 706.86 whole areas less 66.64 on the edge.
        QVERIFY(std::abs(diesPerWafer(100) - 640.2) < 0.1);
        // A die of H100's size: 86.8 less 23.4.
        QVERIFY(std::abs(diesPerWafer(814) - 63.5) < 0.1);
        QCOMPARE(diesPerWafer(0), 0.0);
        QCOMPARE(diesPerWafer(1e6), 0.0); // larger than the wafer
        QVERIFY(diesPerWafer(100, 200) < diesPerWafer(100));
    }
    void yields()
    {
        // One defect a die on average: Poisson 1/e, Murphy (1 - 1/e)^2.
        QCOMPARE(poissonYield(100, 1), std::exp(-1.0));
        QVERIFY(std::abs(murphyYield(100, 1) - 0.39958) < 1e-5);
        QCOMPARE(murphyYield(814, 0), 1.0);
        for (const double area : {50.0, 400.0, 814.0})
            for (const double defects : {0.05, 0.1, 0.5}) {
                QVERIFY(murphyYield(area, defects) > poissonYield(area, defects)); // defects that cluster spare dies
                QVERIFY(murphyYield(area, defects) < 1);
            }
        QVERIFY(std::abs(murphyYield(1, 1e-12) - 1) < 1e-9);
    }
    void diesThatAreKnown()
    {
        const auto catalogue = shippedCatalogue();
        QVERIFY(catalogue.ok());
        for (const KnownDie& die : knownDies()) {
            bool there = false;
            for (const Chip& chip : catalogue->chips())
                there = there || chip.id == die.chip;
            QVERIFY2(there, std::string(die.chip).c_str());
            QVERIFY(die.areaMm2 < kReticleMm2);
        }
    }
    void operationsOfHorowitz()
    {
        QCOMPARE(operationCosts()[6].name, std::string_view("fp16 multiply"));
        QCOMPARE(operationCosts()[3].name, std::string_view("fp32 add"));
        QCOMPARE(macAreaUm2(), 1640.0 + 4184.0);
        // A multiplier grows with the square of its width: 8 to 32 bits is 16 times, about.
        QVERIFY(operationCosts()[5].areaUm2 / operationCosts()[4].areaUm2 > 10);
    }
};

QTEST_APPLESS_MAIN(TestDie)
#include "tst_die.moc"
