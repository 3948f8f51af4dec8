// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/codesign.h"
#include "base/seed.h"

#include <QtTest>

#include <algorithm>

using namespace ridge;
using namespace ridge::accelerator;

class TestCodesign : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void law();
    void oneDesign();
    void front();
};

void TestCodesign::law()
{
    // NVDLA's primer: multipliers, KiB, mm2 at 16 nm, peak W at 1 GHz.
    const double rows[4][4] = {
        {2048, 512, 3.3, 0.766}, {512, 256, 1.4, 0.210}, {128, 256, 0.84, 0.082}, {32, 128, 0.51, 0.045}};
    CodesignCosts costs;
    costs.dramJoulesPerByte = 0;
    const std::vector<CodesignLayer> layers{{{64, 64, 64}, 1}};
    for (const auto& row : rows) {
        const CodesignPoint point{{static_cast<std::uint32_t>(row[0]), 1}, static_cast<std::uint32_t>(row[1]), 1e9};
        const auto result = evaluateDesign(point, costs, layers);
        QVERIFY(std::abs(result.area / row[2] - 1) < 0.09);
        QVERIFY(std::abs(result.watts / row[3] - 1) < 0.025);
    }
}

void TestCodesign::oneDesign()
{
    // 72 folds of 196 rows and 94 cycles to fill; DRAM no bound.
    const std::vector<CodesignLayer> layers{{{196, 192, 384}, 1}};
    const auto result = evaluateDesign({{32, 32}, 1 << 20, 1e21}, {}, layers);
    QVERIFY(std::abs(result.time - 14208e-9) < 1e-12); // and a cycle each for the first and the last transfer
    QVERIFY(std::abs(result.utilization - 196.0 * 192 * 384 / 1024 / 14208) < 1e-9);
    QCOMPARE(evaluateDesign({{32, 32}, 1 << 20, 1e21}, {}, std::vector<CodesignLayer>{{{196, 192, 384}, 3}}).time,
             3 * result.time);
}

void TestCodesign::front()
{
    Rng rng(2);
    std::vector<CodesignResult> results(400);
    for (auto& each : results) {
        each.time = double(rng.next() % 50);
        each.area = double(rng.next() % 50);
        each.watts = double(rng.next() % 50);
    }
    const auto found = designFront(results, 40, 45);
    const auto inside = [&](const CodesignResult& r) { return r.area <= 40 && r.watts <= 45; };
    const auto beats = [](const CodesignResult& a, const CodesignResult& b) {
        return a.time <= b.time && a.area <= b.area && a.watts <= b.watts &&
               (a.time < b.time || a.area < b.area || a.watts < b.watts);
    };
    for (std::size_t i = 0; i < results.size(); ++i) {
        const bool best = inside(results[i]) && std::none_of(results.begin(), results.end(), [&](const auto& other) {
                              return inside(other) && beats(other, results[i]);
                          });
        const bool listed = std::find(found.begin(), found.end(), i) != found.end();
        if (listed)
            QVERIFY(best);
        else if (best) // of equals one is listed
            QVERIFY(std::any_of(found.begin(), found.end(), [&](std::size_t f) {
                return results[f].time == results[i].time && results[f].area == results[i].area &&
                       results[f].watts == results[i].watts;
            }));
    }
    QCOMPARE(designGrid().size(), std::size_t{10816});
}

QTEST_APPLESS_MAIN(TestCodesign)
#include "tst_codesign.moc"
