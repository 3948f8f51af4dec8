// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/unified.h"

#include <QtTest>

#include <list>

using namespace ridge;
using namespace ridge::accelerator;

namespace {

/// Faults of a memory of `held` pages that drops the one not read for longest, pages read in order.
double leastRecentlyUsed(int pages, int held, int passes)
{
    std::list<int> memory;
    int faults = 0;
    for (int pass = 0; pass < passes; ++pass)
        for (int page = 0; page < pages; ++page) {
            const auto at = std::find(memory.begin(), memory.end(), page);
            if (at == memory.end()) {
                ++faults;
                if (int(memory.size()) == held)
                    memory.pop_front();
            } else
                memory.erase(at);
            memory.push_back(page);
        }
    return faults;
}

} // namespace

class TestUnified : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sharing();
    void pages();
    void decoding();
    void refusals();
};

void TestUnified::sharing()
{
    const MemorySystem card{24e9, 1e12, 25e9}, pool{64e9, 400e9, 0};
    const SharedUse once{1e9, 1, 0}, often{1e9, 100, 0};
    // 1 GB over 25 GB/s is 40 ms, reading it 1 ms.
    QVERIFY(std::abs(shareMemory(card, Sharing::Copy, once)->time - 0.041) < 1e-12);
    QVERIFY(std::abs(shareMemory(card, Sharing::ZeroCopy, once)->time - 0.040) < 1e-12);
    QVERIFY(std::abs(shareMemory(card, Sharing::ZeroCopy, often)->time - 4) < 1e-9);
    QVERIFY(std::abs(shareMemory(card, Sharing::Copy, often)->time - 0.14) < 1e-9);
    QVERIFY(std::abs(shareMemory(pool, Sharing::ZeroCopy, once)->time - 2.5e-3) < 1e-12);
    QVERIFY(std::abs(shareMemory(pool, Sharing::Copy, once)->time - 7.5e-3) < 1e-12); // reads and writes it
    QVERIFY(!shareMemory(card, Sharing::Copy, {25e9, 1, 0})->fits);
    QVERIFY(!shareMemory(pool, Sharing::Copy, {33e9, 1, 0})->fits); // twice in one memory
}

void TestUnified::pages()
{
    for (int pages : {3, 8, 9, 20})
        for (int passes : {1, 2, 5}) {
            MemorySystem card{8 * 65536, 1e12, 25e9};
            const auto cost = shareMemory(card, Sharing::Managed, {pages * 65536.0, double(passes), 0});
            QCOMPARE(cost->faultCount, leastRecentlyUsed(pages, 8, passes));
        }
}

void TestUnified::decoding()
{
    const MemorySystem card{24e9, 1e12, 25e9}, pool{128e9, 400e9, 0};
    QVERIFY(std::abs(decodeToken(card, 24e9, 0).seconds - 0.024) < 1e-12);
    QVERIFY(std::abs(decodeToken(card, 49e9, 0).seconds - 1.024) < 1e-12);
    QVERIFY(!decodeToken(pool, 140e9, 0).possible);
    const double at = crossoverBytes(card, pool);
    QVERIFY(at > 24e9);
    QVERIFY(std::abs(decodeToken(card, at, 0).seconds - decodeToken(pool, at, 0).seconds) < 1e-12);
    QCOMPARE(crossoverBytes(pool, card), 0.0);
}

void TestUnified::refusals()
{
    QCOMPARE(shareMemory({}, Sharing::Copy, {0, 1, 0}).error().code, std::string("bad-use"));
}

QTEST_APPLESS_MAIN(TestUnified)
#include "tst_unified.moc"
