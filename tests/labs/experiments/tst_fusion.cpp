// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/bfloat16.h"
#include "clock_device.h"
#include "labs/4-kernel-optimization/fusion_info.h"
#include "labs/4-kernel-optimization/fusion_reference.h"
#include "sim_point.h"

#include <cmath>
#include <limits>

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

ParamSet chain(const char* rung, std::int64_t operators, std::int64_t columns, std::int64_t elements,
               const char* dtype = "fp32", const char* input = "uniform")
{
    return {{"rung", std::string(rung)},   {"ops", operators},           {"columns", columns}, {"elements", elements},
            {"dtype", std::string(dtype)}, {"input", std::string(input)}};
}

void verifyChecked(const Point& point, const std::string& what)
{
    QVERIFY2(!point.checks.empty(), what.c_str());
    for (const CheckResult& check : point.checks)
        QVERIFY2(check.passed, (what + ": " + check.name + ": " + check.detail).c_str());
    QVERIFY2(point.withinLimits(), what.c_str());
}

FusionShape shapeOf(std::size_t rung, std::uint32_t operators, std::uint64_t columns, std::uint64_t rows)
{
    FusionShape shape;
    shape.rung = rung;
    shape.operators = operators;
    shape.columns = columns;
    shape.rows = rows;
    return shape;
}

} // namespace

/// The chain of operators, fused and not: the ledger by hand, the bits of one way against the others, and the CPU's
/// reference against results that are wrong.
class TestFusion : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ledgerByHand();
    void groupsBreakAtTheNorm();
    void everyChainIsRight();
    void everyWidthIsRight();
    void numbersThatAreNonePassThrough();
    void longRowsAreReadAgain();
    void bf16RoundsLessWhenFused();
    void countsWhatTheLedgerSays();
    void referenceFindsAWrongResult();
    void takesTurnsWithTheOperators();
};

void TestFusion::ledgerByHand()
{
    constexpr double kTensor = 4 * 64 * 100, kVector = 4 * 64;
    const auto bytes = [](std::size_t rung, std::uint32_t operators) {
        return fusionTotal(fusionLedger(shapeOf(rung, operators, 64, 100))).bytes();
    };
    // Tensors that a kernel for each operator, neighbours and one kernel move; the operands come on top.
    const double tensors[][3] = {{2, 2, 2},  {4, 2, 2},  {6, 2, 2},  {9, 3, 3},
                                 {11, 5, 3}, {13, 7, 3}, {15, 7, 3}, {17, 7, 3}};
    for (std::uint32_t operators = 1; operators <= 8; ++operators)
        for (const std::size_t rung : {kFusionOperators, kFusionElementwise, kFusionOne})
            QCOMPARE(bytes(rung, operators),
                     tensors[operators - 1][rung] * kTensor + (operators < 5 ? 1 : 3) * kVector);
    // 65536 columns: a quarter is in registers, the rest is read twice more, x and residual where they are fused.
    const FusionShape shape = shapeOf(kFusionOne, 5, 65536, 2);
    const double tensor = 4.0 * 65536 * 2, vector = 4.0 * 65536;
    QCOMPARE(fusionTotal(fusionLedger(shape)).bytes(), (3 + 2 * 2 * 0.75) * tensor + 3 * vector);
    QCOMPARE(fusionTotal(fusionLedger(shape.with(kFusionOperators))).bytes(), (11 + 2 * 0.75) * tensor + 3 * vector);
    QCOMPARE(fusionUseful(shape).all(), 3 * tensor + 3 * vector);
    // Operations: as many whatever is fused, more where operators run again.
    QCOMPARE(fusionTotal(fusionLedger(shapeOf(kFusionOne, 8, 64, 10))).flops, 24.0 * 640);
    QCOMPARE(fusionTotal(fusionLedger(shapeOf(kFusionOperators, 8, 64, 10))).flops, 24.0 * 640);
    QCOMPARE(fusionTotal(fusionLedger(shape)).flops, (12 * 2.5 + 8) * 65536 * 2);
    QCOMPARE(fusionTotal(fusionLedger(shape.with(kFusionOperators))).flops, 20.0 * 65536 * 2);
}

void TestFusion::groupsBreakAtTheNorm()
{
    using Groups = std::vector<FusionGroup>;
    QCOMPARE(shapeOf(kFusionElementwise, 8, 1, 1).groups(), (Groups{{1, 4}, {5, 5}, {6, 8}}));
    QCOMPARE(shapeOf(kFusionElementwise, 3, 1, 1).groups(), (Groups{{1, 3}}));
    QCOMPARE(shapeOf(kFusionOne, 6, 1, 1).groups(), (Groups{{1, 6}}));
    QCOMPARE(shapeOf(kFusionOperators, 2, 1, 1).groups(), (Groups{{1, 1}, {2, 2}}));
}

void TestFusion::everyChainIsRight()
{
    SimRuns runs(makeFusion(), "sim:t4");
    for (const char* dtype : {"fp32", "bf16"})
        for (std::int64_t operators = 1; operators <= 8; ++operators)
            for (const char* rung : {"operators", "elementwise", "one"}) {
                const auto point = runs.at(chain(rung, operators, 96, 960, dtype));
                verifyChecked(point, std::string(rung) + " " + dtype + " " + std::to_string(operators));
                if (dtype == std::string("fp32") && operators > 1 && rung != std::string("operators"))
                    QCOMPARE(point.metrics.at("differing"), 0.0);
            }
}

void TestFusion::everyWidthIsRight()
{
    SimRuns runs(makeFusion(), "sim:h200-sxm");
    for (const char* dtype : {"fp32", "bf16"})
        for (const std::int64_t columns : {1, 3, 17, 515, 4100, 20001}) // also what no vector divides
            for (const char* rung : {"elementwise", "one"})
                verifyChecked(runs.at(chain(rung, 8, columns, std::max<std::int64_t>(40, 2 * columns), dtype)),
                              std::string(rung) + " " + dtype + " " + std::to_string(columns));
    for (const char* input : {"offset", "equal"})
        verifyChecked(runs.at(chain("one", 5, 130, 1300, "fp32", input)), input);
}

void TestFusion::numbersThatAreNonePassThrough()
{
    SimRuns runs(makeFusion(), "sim:t4");
    for (const char* dtype : {"fp32", "bf16"})
        for (const std::int64_t operators : {2, 4, 8})
            for (const char* rung : {"operators", "elementwise", "one"})
                for (const std::int64_t columns : {32, 33})
                    verifyChecked(runs.at(chain(rung, operators, columns, 16 * columns, dtype, "specials")),
                                  std::string(rung) + " " + dtype + " specials " + std::to_string(operators));
    // Three rows of four have one element each that is no finite number after GELU, or, with the norm, none that is.
    FusionData data{shapeOf(kFusionOne, 2, 32, 16), "specials", 7};
    FusionReference few(data);
    std::size_t finite = 0;
    for (std::uint64_t i = 0; i < 512; ++i)
        finite += std::isfinite(few.value(i)) ? 1 : 0;
    QCOMPARE(finite, std::size_t{512 - 12});
    data.shape.operators = 5;
    FusionReference rows(data);
    finite = 0;
    for (std::uint64_t i = 0; i < 512; ++i)
        finite += std::isfinite(rows.value(i)) ? 1 : 0;
    QCOMPARE(finite, std::size_t{4 * 32});
}

void TestFusion::longRowsAreReadAgain()
{
    SimRuns runs(makeFusion(), "sim:t4");
    // 40 SMs at once hold 21 MB of rows, L2 4 MB of them: what is read again comes from DRAM.
    auto point = runs.at(chain("one", 5, 65536, 40 * 65536));
    verifyChecked(point, "long rows");
    const double counted = point.metrics.at("counted_bytes"), ledger = point.metrics.at("ledger_bytes");
    QVERIFY2(std::fabs(counted / ledger - 1) < 0.05, std::to_string(counted / ledger).c_str());
    QVERIFY(point.metrics.at("flops_per_element") == 12 * 2.5 + 8);
}

void TestFusion::bf16RoundsLessWhenFused()
{
    SimRuns runs(makeFusion(), "sim:t4");
    const auto apart = runs.at(chain("operators", 5, 1024, 65536, "bf16")).metrics;
    const auto fused = runs.at(chain("one", 5, 1024, 65536, "bf16")).metrics;
    QVERIFY(fused.at("rms_error") < 0.8 * apart.at("rms_error"));
    QVERIFY(fused.at("differing") > 10);
}

void TestFusion::countsWhatTheLedgerSays()
{
    SimRuns runs(makeFusion(), "sim:h200-sxm");
    for (const char* rung : {"operators", "elementwise", "one"}) {
        auto metrics = runs.at(chain(rung, 8, 1024, 262144)).metrics;
        QCOMPARE(metrics.at("counted_bytes"), metrics.at("ledger_bytes"));
    }
}

void TestFusion::referenceFindsAWrongResult()
{
    for (const bool bf16 : {false, true})
        for (std::uint32_t operators = 1; operators <= 8; ++operators) {
            FusionData data{shapeOf(kFusionOperators, operators, 48, 4), "uniform", 3};
            data.shape.bf16 = bf16;
            FusionReference reference(data);
            for (std::uint64_t i = 0; i < data.shape.elements(); ++i) {
                const double wanted = reference.value(i);
                QVERIFY(reference.right(i, wanted));
                // What is wrong by a few steps of the format, 16 times as much once the chain has multiplied by 16.
                const double off = (bf16 ? 0.5 : 1e-4) * (operators > 5 ? 16 : 1);
                QVERIFY(!reference.right(i, wanted + (operators == 8 ? std::max(2.0, std::ceil(off)) : off)));
                QVERIFY(!reference.right(i, std::numeric_limits<double>::quiet_NaN()));
                if (!bf16 && operators < 5)
                    QVERIFY(!reference.right(i, wanted + 4e-6)); // values below 4, whose step is 2e-7
            }
        }
    QCOMPARE(toBf16(1.00390625f), std::uint16_t{0x3f80}); // halfway, to even
    QVERIFY(std::isnan(fromBf16(toBf16(std::numeric_limits<float>::quiet_NaN()))));
    QVERIFY(std::isinf(fromBf16(toBf16(std::numeric_limits<float>::infinity()))));
}

void TestFusion::takesTurnsWithTheOperators()
{
    const auto experiment = makeFusion();
    ClockDevice device;
    device.seconds = 1e-4;
    device.pairs = gpu::PairedRatio{3.3, 0.1, 40};
    device.carryOut = [](const gpu::Launch&) { return true; }; // writes nothing
    Point point(device, experiment->info(), gpu::CompilerChoice::Shipped);
    const auto result = experiment->run(complete(experiment->info(), chain("one", 5, 1024, 1 << 20)), point);
    QVERIFY2(result.ok(), result.ok() ? "" : toText(result.error()).c_str());
    QVERIFY2(!point.checks.front().passed, "results that nobody wrote are wrong");
    QCOMPARE(device.timed.size(), std::size_t{2});
    QCOMPARE(device.timed[0].size(), std::size_t{2}); // 12.6 MB each, twice a cache of 8 MB
    QCOMPARE(device.timed[1].size(), std::size_t{2});
    QCOMPARE(device.timed[0][0].size(), std::size_t{1});
    QCOMPARE(device.timed[1][0].size(), std::size_t{5});
    QCOMPARE(device.timed[1][1][4].launch.kernel, std::string("fusion_norm_fp32"));
    QCOMPARE(point.metrics.at("speedup"), 3.3);
    QCOMPARE(point.metrics.at("speedup_pairs"), 40.0);
    QCOMPARE(point.metrics.at("of_ledger"), 100 * 3.3 / point.metrics.at("ledger_ratio"));
    QVERIFY(point.provenance.at("speedup") == Provenance::Measured && !point.metrics.contains("counted_bytes"));
    QCOMPARE(point.limits.at("time"), (3.0 * 4 * (1 << 20) + 3 * 4 * 1024) / 1e12);
}

QTEST_GUILESS_MAIN(TestFusion)
#include "tst_fusion.moc"
