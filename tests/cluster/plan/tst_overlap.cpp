// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/plan/overlap.h"

#include "base/seed.h"

#include <QtTest>

#include <cmath>

using namespace ridge;
using namespace ridge::cluster;

namespace {

double line(double bytes) // 1 s and 10 bytes/s
{
    return 1 + bytes / 10;
}

} // namespace

class tst_overlap : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void byHand()
    {
        const std::vector<LayerGradient> layers{{2, 30}, {2, 30}, {2, 30}};
        // Buckets of 30 at 2, 4 and 6 s, 4 s each: 2-6, 6-10, 10-14.
        auto run = runOverlap(layers, 30, true, line);
        QVERIFY(run.ok());
        QCOMPARE(run->buckets.size(), std::size_t(3));
        QCOMPARE(run->end, 14.0);
        QCOMPARE(run->exposed(), 8.0);
        // One bucket of all 90: 10 s, after the backward pass.
        run = runOverlap(layers, 1e9, true, line);
        QCOMPARE(run->end, 16.0);
        QCOMPARE(run->buckets.size(), std::size_t(1));
        // Nothing overlaps: three times 4 s after it.
        QCOMPARE(runOverlap(layers, 30, false, line)->exposed(), 12.0);
    }

    void noByteIsLost()
    {
        Rng rng(5);
        for (int round = 0; round < 300; ++round) {
            std::vector<LayerGradient> layers;
            double all = 0, backward = 0;
            const int count = 1 + int(rng.next() % 50);
            for (int i = 0; i < count; ++i) {
                layers.push_back({rng.uniform(), 1000 * rng.uniform()});
                all += layers.back().bytes;
                backward += layers.back().seconds;
            }
            const auto run = runOverlap(layers, 1 + 3000 * rng.uniform(), true, line);
            double bytes = 0, reduction = 0, end = 0;
            for (const Bucket& bucket : run->buckets) {
                bytes += bucket.bytes;
                reduction += bucket.end - bucket.begin;
                QVERIFY(bucket.begin >= bucket.ready && bucket.begin >= end);
                end = bucket.end;
            }
            QVERIFY(std::abs(bytes / all - 1) < 1e-9);
            QVERIFY(std::abs(run->backward - backward) < 1e-9);
            QVERIFY(std::abs(run->reduction - reduction) < 1e-6);
            QVERIFY(run->exposed() <= run->reduction + 1e-9 && run->exposed() >= 0);
        }
    }

    void refusals()
    {
        const std::vector<LayerGradient> layers{{1, 1e12}};
        QVERIFY(!runOverlap(layers, 0, true, line).ok());
        QVERIFY(!runOverlap(layers, NAN, true, line).ok());
        QCOMPARE(QString::fromStdString(runOverlap(layers, 1, true, line).error().code), QStringLiteral("too-large"));
        QCOMPARE(runOverlap({}, 1, true, line)->end, 0.0);
    }
};

QTEST_APPLESS_MAIN(tst_overlap)
#include "tst_overlap.moc"
