// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/plan/stragglers.h"

#include <QtTest>

#include <cmath>

using namespace ridge;
using namespace ridge::cluster;

class tst_stragglers : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void harmonicNumbers()
    {
        QCOMPARE(harmonic(1), 1.0);
        QVERIFY(std::abs(harmonic(4) - 25.0 / 12) < 1e-14);
        double sum = 0;
        for (int i = 5000; i >= 1; --i)
            sum += 1.0 / i;
        QVERIFY(std::abs(harmonic(5000) - sum) < 1e-11);
    }

    void largestOfNormals() // means of the largest of n standard normal numbers, Tippett 1925
    {
        const auto largest = [](double n) { return expectedLongest({Jitter::Normal, 1, 0, 1}, n) - 1; };
        QVERIFY(std::abs(largest(1)) < 1e-9);
        QVERIFY(std::abs(largest(2) - 1 / std::sqrt(M_PI)) < 1e-7);
        QVERIFY(std::abs(largest(3) - 1.5 / std::sqrt(M_PI)) < 1e-7);
        QVERIFY(std::abs(largest(10) - 1.53875) < 1e-5);
        QVERIFY(std::abs(largest(100) - 2.50759) < 1e-5);
        QVERIFY(std::abs(largest(1000) - 3.24144) < 1e-5);
        QVERIFY(largest(1e6) > 4.8 && largest(1e6) < 4.9);
    }

    void drawnMeetsTheClosedForm()
    {
        Rng rng(9);
        for (const JitterSetting& j :
             {JitterSetting{Jitter::None, 0, 0, 1}, JitterSetting{Jitter::Normal, 0.05, 0, 1},
              JitterSetting{Jitter::Exponential, 0.05, 0, 1}, JitterSetting{Jitter::Straggler, 0, 0.01, 2}})
            for (const std::uint64_t ranks : {1u, 2u, 7u, 64u, 4096u}) {
                double error = 0;
                const double drawn = simulatedLongest(j, ranks, 2000, rng, &error);
                QVERIFY2(std::abs(drawn - expectedLongest(j, double(ranks))) <=
                             5 * error + 5e-3 * (j.factor - 1) + 1e-12,
                         qPrintable(QStringLiteral("kind %1, %2 ranks: %3, not %4")
                                        .arg(int(j.kind))
                                        .arg(ranks)
                                        .arg(drawn)
                                        .arg(expectedLongest(j, double(ranks)))));
            }
    }
};

QTEST_APPLESS_MAIN(tst_stragglers)
#include "tst_stragglers.moc"
