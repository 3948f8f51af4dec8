// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/mapping.h"
#include "accelerator/network.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::accelerator;

namespace {

MappingLevel level(std::vector<MappingLoop> loops, std::array<bool, 3> keeps = {true, true, true})
{
    MappingLevel result;
    result.name = "level";
    result.loops = std::move(loops);
    result.keeps = keeps;
    return result;
}

} // namespace

class TestMapping : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void exercises();
    void handCounts();
    void refusals();
    void networks();
};

void TestMapping::exercises()
{
    const auto ws = runMapping({level({}), level({{Dim::R, 3, false}, {Dim::P, 16, false}})}, 0);
    QVERIFY(ws.ok());
    QCOMPARE(ws->cycles, 48u);
    const LevelCounts& buffer = ws->levels[1];
    QCOMPARE(buffer.reads, (std::array<std::uint64_t, 3>{48, 48, 32}));
    QCOMPARE(buffer.fills, (std::array<std::uint64_t, 3>{3, 18, 0}));
    QCOMPARE(buffer.updates[2], 48u);
    QCOMPARE(buffer.drains[2], 16u);
    QCOMPARE(ws->levels[0].updates[2], 16u);
}

void TestMapping::handCounts()
{
    // Four outputs at a time, a filter of 3: windows of 6 inputs that share 2 with the one before, 6 + 3 x 4.
    const auto slid = runMapping({level({{Dim::P, 4, false}}), level({{Dim::P, 4, false}, {Dim::R, 3, false}})}, 0);
    QCOMPARE(slid->levels[1].fills[1], 18u);
    QCOMPARE(slid->levels[1].fills[0], 3u);
    // Channels side by side on four PEs: weights differ, the sum is added up on the way, so that the buffer is updated
    // once.
    const auto spread = runMapping({level({{Dim::P, 8, false}, {Dim::C, 4, true}})}, 0);
    QCOMPARE(spread->computes, 32u);
    QCOMPARE(spread->cycles, 8u);
    QCOMPARE(spread->levels[0].updates[2], 8u);
    QCOMPARE(spread->levels[0].reads[2], 0u);
    // Filters side by side: one input for all four.
    const auto shared = runMapping({level({{Dim::P, 8, false}, {Dim::K, 4, true}})}, 0);
    QCOMPARE(shared->levels[0].reads[1], 8u);
    QCOMPARE(shared->levels[0].reads[0], 32u);
    // A level that a tensor bypasses sees nothing of it.
    const auto past = runMapping({level({{Dim::P, 8, false}}), level({{Dim::R, 3, false}}, {false, true, true})}, 0);
    QCOMPARE(past->levels[1].reads[0], 0u);
    QCOMPARE(past->levels[0].reads[0], 24u);
}

void TestMapping::refusals()
{
    QCOMPARE(runMapping({}, 0).error().code, "bad-mapping");
    QCOMPARE(runMapping({level({{Dim::P, 0, false}})}, 0).error().code, "bad-mapping");
    QCOMPARE(runMapping({level({}, {false, true, true})}, 0).error().code, "bad-mapping");
    QCOMPARE(runMapping({level({{Dim::P, 1u << 30, false}})}, 0).error().code, "too-large");
}

void TestMapping::networks()
{
    const auto sums = [](const char* name) {
        std::uint64_t macs = 0, weights = 0;
        const auto layers = networkNamed(name);
        for (const NetworkLayer& layer : *layers) {
            macs += layer.macs();
            weights += layer.weights();
        }
        return std::pair{macs, weights};
    };
    // Published sizes: 25.56 M of ResNet-50 are weights of convolutions and the product, 53,120 of norms and 1,000
    // biases.
    QCOMPARE(sums("resnet50").second, 25557032u - 53120 - 1000);
    QCOMPARE(sums("vgg16").second, 138357544u - 4224 - 9192);
    QCOMPARE(sums("alexnet").second, 60954656u);
    QVERIFY(qAbs(static_cast<double>(sums("resnet50").first) / 4.09e9 - 1) < 0.001);
    QVERIFY(qAbs(static_cast<double>(sums("resnet152").first) / 11.51e9 - 1) < 0.001);
    QCOMPARE(networkNamed("lenet").error().code, "unknown-workload");
}

QTEST_APPLESS_MAIN(TestMapping)
#include "tst_mapping.moc"
