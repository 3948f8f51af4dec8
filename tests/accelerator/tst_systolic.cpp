// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/array_abi.h"
#include "accelerator/eyeriss.h"
#include "accelerator/systolic_values.h"
#include "base/seed.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::accelerator;

namespace {

constexpr Dataflow kAll[] = {Dataflow::OutputStationary, Dataflow::WeightStationary, Dataflow::InputStationary};

/// Six nested loops over an image, none over a matrix.
std::vector<std::int32_t> plainConv(const Conv& conv, const std::vector<std::int8_t>& image,
                                    const std::vector<std::int8_t>& filters)
{
    std::vector<std::int32_t> out;
    for (std::uint32_t y = 0; y < conv.outH(); ++y)
        for (std::uint32_t x = 0; x < conv.outW(); ++x)
            for (std::uint32_t f = 0; f < conv.filters; ++f) {
                std::int32_t sum = 0;
                for (std::uint32_t r = 0; r < conv.kernelH; ++r)
                    for (std::uint32_t s = 0; s < conv.kernelW; ++s)
                        for (std::uint32_t c = 0; c < conv.channels; ++c) {
                            const std::uint32_t iy = y * conv.strideH + r, ix = x * conv.strideW + s;
                            if (iy < conv.inH && ix < conv.inW)
                                sum += image[(iy * conv.inW + ix) * conv.channels + c] *
                                       filters[((f * conv.kernelH + r) * conv.kernelW + s) * conv.channels + c];
                        }
                out.push_back(sum);
            }
    return out;
}

std::vector<std::int8_t> noise(std::size_t count, std::uint64_t seed)
{
    Rng rng(seed);
    std::vector<std::int8_t> values(count);
    for (std::int8_t& value : values)
        value = static_cast<std::int8_t>(rng.next());
    return values;
}

} // namespace

class TestSystolic : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void closedForm();
    void utilisationOfTheLesson();
    void overlapped();
    void formsAgree_data();
    void formsAgree();
    void convolutions();
    void shapesThatCannotBe();
    void eyeriss();
    void fromC();
};

void TestSystolic::closedForm()
{
    // ViT-S layer 0 on 32 x 32, by hand: 7 x 6 folds of 446 cycles, 12 x 6 of 290.
    const Gemm gemm{196, 192, 384};
    const Array array{32, 32};
    QCOMPARE(foldingOf(array, Dataflow::OutputStationary, gemm).cycles(), 42u * 446);
    QCOMPARE(foldingOf(array, Dataflow::WeightStationary, gemm).cycles(), 72u * 290);
    const SramCounts ws = sramCounts(array, Dataflow::WeightStationary, gemm);
    QCOMPARE(ws, (SramCounts{451584, 73728, 451584}));
    QCOMPARE(sramCounts(array, Dataflow::InputStationary, gemm),
             (SramCounts{196 * 384, 384 * 192 * 7, 196 * 192 * 12}));
    QCOMPARE(sramCounts(array, Dataflow::OutputStationary, gemm).writes, 196u * 192);
}

void TestSystolic::utilisationOfTheLesson()
{
    // Lesson 3.1: sums stay, k = 4096, as many columns as the array has.
    const auto share = [](std::uint32_t side, const Gemm& gemm) {
        const Array array{side, side};
        return 100.0 * static_cast<double>(gemm.macs()) / static_cast<double>(array.elements()) /
               static_cast<double>(foldingOf(array, Dataflow::OutputStationary, gemm).cycles());
    };
    QVERIFY(qAbs(share(128, {1, 128, 4096}) - 0.7) < 0.05);
    QVERIFY(qAbs(share(128, {128, 128, 4096}) - 94) < 0.5);
    QVERIFY(qAbs(share(256, {128, 256, 4096}) - 44) < 0.5);
    QVERIFY(qAbs(share(256, {100, 100, 100}) - 2.5) < 0.05);
    // A batch of one: 48,640 cycles and 1 % in use (ws), 18,368 (os), 17,504 (is); silicon.md 3.1
    const Gemm one{1, 1000, 512};
    const Array array{32, 32};
    QCOMPARE(foldingOf(array, Dataflow::WeightStationary, one).cycles(), 48640u);
    QCOMPARE(foldingOf(array, Dataflow::OutputStationary, one).cycles(), 18368u);
    QCOMPARE(foldingOf(array, Dataflow::InputStationary, one).cycles(), 17504u);
}

void TestSystolic::overlapped()
{
    // Weights loaded behind the fold before: 72 x 196 + 94 cycles.
    RealArray real;
    real.dramWordsPerCycle = 0;
    const RealRun run = runReal({32, 32}, Dataflow::WeightStationary, {196, 192, 384}, real);
    QCOMPARE(run.cycles, 14206u);
    QCOMPARE(run.stalls, 0u);
    // Fewer rows than the array has: a fold cannot be shorter than the next one's load.
    QCOMPARE(runReal({32, 32}, Dataflow::WeightStationary, {8, 64, 32}, real).compute, 32u + 8 + 64 + 32 - 2);
    // More bandwidth never takes longer, and a slow DRAM is the bound.
    real.dramWordsPerCycle = 1;
    std::uint64_t last = runReal({32, 32}, Dataflow::OutputStationary, {256, 128, 256}, real).cycles;
    QVERIFY(last >= 256u * 256 + 256 * 128 + 256 * 128);
    for (double words = 2; words < 1000; words *= 1.5) {
        real.dramWordsPerCycle = words;
        const std::uint64_t cycles = runReal({32, 32}, Dataflow::OutputStationary, {256, 128, 256}, real).cycles;
        QVERIFY(cycles <= last);
        last = cycles;
    }
}

void TestSystolic::formsAgree_data()
{
    QTest::addColumn<int>("seed");
    for (int seed = 0; seed < 60; ++seed)
        QTest::addRow("%d", seed) << seed;
}

/// The engine that steps, the state at a cycle and the closed form, cycle by cycle, PE by PE.
void TestSystolic::formsAgree()
{
    QFETCH(int, seed);
    Rng rng(static_cast<std::uint64_t>(seed));
    const auto upTo = [&](std::uint64_t most) { return 1 + rng.next() % most; };
    const Array array{static_cast<std::uint32_t>(upTo(9)), static_cast<std::uint32_t>(upTo(40))};
    const Gemm gemm{upTo(40), upTo(70), upTo(30)};
    const Dataflow dataflow = kAll[seed % 3];
    const Operands operands = randomOperands(gemm, rng.next());
    auto engine = ArrayEngine::make(array, dataflow, operands);
    auto view = ArrayView::make(array, dataflow, operands);
    QVERIFY(engine.ok() && view.ok());
    QCOMPARE(engine->cycles(), foldingOf(array, dataflow, gemm).cycles());
    ArrayMoment moment;
    std::uint64_t active = 0;
    while (!engine->done()) {
        view->at(engine->cycle(), moment);
        engine->step();
        active += moment.activeCount;
        for (std::uint32_t r = 0; r < array.rows; ++r)
            for (std::uint32_t c = 0; c < array.cols; ++c) {
                QCOMPARE(moment.sum[r * array.cols + c], engine->sum(r, c));
                QCOMPARE(moment.held[r * array.cols + c], engine->held(r, c));
            }
    }
    QCOMPARE(active, gemm.macs()); // every multiplication happens once
    QCOMPARE(engine->product(), plainProduct(operands));
    // Backwards, and in any stride.
    view->at(0, moment);
    auto again = ArrayEngine::make(array, dataflow, operands);
    while (!again->done())
        again->step(upTo(50));
    QCOMPARE(again->product(), engine->product());
}

void TestSystolic::convolutions()
{
    for (const Conv& conv :
         {Conv{7, 9, 3, 2, 4, 5, 1, 1}, Conv{11, 8, 3, 3, 2, 6, 2, 3}, Conv{5, 5, 5, 5, 3, 2, 1, 1}}) {
        const auto image = noise(std::size_t{conv.inH} * conv.inW * conv.channels, 1);
        const auto filters = noise(conv.window() * conv.filters, 2);
        const Operands operands = operandsOf(conv, image, filters);
        const auto expected = plainConv(conv, image, filters);
        for (const Dataflow dataflow : kAll) {
            auto engine = ArrayEngine::make({4, 3}, dataflow, operands);
            engine->step(engine->cycles());
            QCOMPARE(engine->product(), expected);
        }
    }
}

void TestSystolic::shapesThatCannotBe()
{
    QCOMPARE(checkArray({0, 0}).error().code, "bad-array");
    QCOMPARE(checkArray({1000000, 1000000}).error().code, "bad-array");
    QCOMPARE(checkGemm({0, 1, 1}).error().code, "bad-layer");
    QCOMPARE(checkGemm({1u << 24, 1u << 24, 1u << 24}).error().code, "bad-layer");
    QCOMPARE(checkConv({5, 5, 6, 1, 1, 1, 1, 1}).error().code, "bad-layer");
    QCOMPARE(ArrayView::make({65536, 65536}, kAll[0], randomOperands({1, 1, 1}, 0)).error().code, "too-large");
    QCOMPARE(ArrayEngine::make({4, 4}, kAll[0], Operands{{2, 2, 2}, {}, {}}).error().code, "bad-layer");
    // The largest allowed ones do not overflow.
    QVERIFY(foldingOf({1, 1}, kAll[1], {1u << 24, 1u << 24, 256}).cycles() > std::uint64_t{1} << 55);
    QVERIFY(foldingOf({65536, 65536}, kAll[1], {1u << 24, 1u << 24, 256}).cycles() > 0);
}

void TestSystolic::eyeriss()
{
    // AlexNet, batch 4: active PEs are exact, time, buffer and DRAM within the errors of docs/validation.md.
    struct Row {
        RowStationaryLayer layer;
        std::uint64_t active;
        double ms, bufferMb, dramMb;
    };
    const Row rows[] = {{{{227, 227, 11, 11, 3, 96, 4, 4}, 1, 0, 0, 4, 0, 0.387}, 154, 16.5, 18.5, 5.0},
                        {{{15, 15, 3, 3, 256, 384, 1, 1}, 1, 1, 1, 4, 0.725, 0.793}, 156, 21.8, 50.2, 3.0},
                        {{{15, 15, 3, 3, 192, 128, 1, 1}, 2, 1, 1, 4, 0.776, 0.776}, 156, 10.0, 24.9, 1.3}};
    for (const Row& row : rows) {
        const auto run = runRowStationary({}, row.layer);
        QVERIFY(run.ok());
        QCOMPARE(run->mapping.activeElements, row.active);
        QVERIFY(qAbs(static_cast<double>(run->cycles) / 200e3 / row.ms - 1) < 0.065);
        QVERIFY(qAbs(static_cast<double>(run->bufferWords()) * 2e-6 / row.bufferMb - 1) < 0.01);
        QVERIFY(qAbs(run->dramBytes() * 1e-6 / row.dramMb - 1) < 0.13);
    }
    RowStationaryLayer huge{{65536, 65536, 1, 1, 1, 1, 1, 1}, 1, 0, 0, 1, 0, 0};
    QCOMPARE(runRowStationary({}, huge).error().code, "bad-layer");
}

/// The library as another language calls it.
void TestSystolic::fromC()
{
    const Operands one = randomOperands({8, 8, 8}, 5), many = randomOperands({13, 20, 11}, 6);
    QCOMPARE(ridge_array_shape(8, 8), 0);
    std::vector<std::int32_t> c(64, 1000), d(64), right = plainProduct(one);
    QCOMPARE(ridge_array_mma(one.a.data(), one.b.data(), c.data(), d.data()), 0);
    for (std::size_t i = 0; i < right.size(); ++i)
        QCOMPARE(d[i], right[i] + 1000);
    QCOMPARE(ridge_array_mma(one.a.data(), one.b.data(), d.data(), d.data()), 0); // a sum in its own place
    QCOMPARE(d[63], 2 * right[63] + 1000);
    QCOMPARE(ridge_array_products(), std::uint64_t{2});
    QCOMPARE(ridge_array_cycles(), std::uint64_t{2 * (2 * 8 + 8 + 8 - 2)});
    QCOMPARE(ridge_array_macs(), std::uint64_t{2 * 512});
    QCOMPARE(ridge_array_bytes(), std::uint64_t{2 * (64 + 64 + 4 * 64)});
    // Without a compiler: folds of any product, as the closed form counts them.
    QCOMPARE(ridge_array_shape(4, 6), 0);
    std::vector<std::int32_t> whole(13 * 20);
    QCOMPARE(ridge_array_gemm(13, 20, 11, many.a.data(), many.b.data(), whole.data()), 0);
    QCOMPARE(whole, plainProduct(many));
    QCOMPARE(ridge_array_cycles(), foldingOf({4, 6}, Dataflow::WeightStationary, many.gemm).cycles());
    // What is refused says why and changes nothing.
    QVERIFY(ridge_array_shape(0, 8) != 0);
    QVERIFY(std::string(ridge_array_error()).find("array") != std::string::npos);
    QVERIFY(ridge_array_gemm(0, 20, 11, many.a.data(), many.b.data(), whole.data()) != 0);
    QVERIFY(ridge_array_gemm(1, 1, 1, nullptr, many.b.data(), whole.data()) != 0);
    QVERIFY(ridge_array_mma(one.a.data(), one.b.data(), nullptr, d.data()) != 0);
    QCOMPARE(ridge_array_products(), std::uint64_t{1});
}

QTEST_APPLESS_MAIN(TestSystolic)
#include "tst_systolic.moc"
