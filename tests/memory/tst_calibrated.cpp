// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/calibrated.h"
#include "memory/dense.h"
#include "memory/samples.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace ridge;
using namespace ridge::memory;

namespace {

QuantScheme schemeOf(Method method, const char* format = "int4", Granularity granularity = Granularity::Group,
                     std::uint32_t group = 32, Scaling scaling = Scaling::Absmax)
{
    return {findQuantFormat(format), granularity, group, scaling, method};
}

std::vector<double> restored(const QuantizedLayer& layer)
{
    std::vector<double> out(layer.weights.count);
    restoreWeights(layer, out);
    return out;
}

std::vector<float> floats(std::size_t count, std::uint64_t seed)
{
    const auto values = drawSamples(Distribution::Normal, count, seed);
    return {values.begin(), values.end()};
}

/// Inverse of a symmetric positive definite matrix by Gauss and Jordan.
std::vector<double> inverse(std::vector<double> a, std::size_t n)
{
    std::vector<double> out(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i)
        out[i * n + i] = 1;
    for (std::size_t c = 0; c < n; ++c) {
        const double pivot = a[c * n + c];
        for (std::size_t j = 0; j < n; ++j) {
            a[c * n + j] /= pivot;
            out[c * n + j] /= pivot;
        }
        for (std::size_t i = 0; i < n; ++i) {
            const double factor = i == c ? 0 : a[i * n + c];
            for (std::size_t j = 0; j < n; ++j) {
                a[i * n + j] -= factor * a[c * n + j];
                out[i * n + j] -= factor * out[c * n + j];
            }
        }
    }
    return out;
}

/// Optimal brain quantization in a fixed order, as its papers have it (Frantar and Alistarh 2022, eq. 3 and 4): each
/// weight is rounded, the rest moves by -e H^-1[c][rest] / H^-1[c][c], and row and column c leave H^-1. In doubles and
/// without the Cholesky factor that the fast one relies on.
std::vector<double> slowly(std::span<const double> weights, const LayerInputs& inputs, std::uint32_t group,
                           bool ordered)
{
    const std::size_t n = inputs.columns, rows = weights.size() / n;
    std::vector<double> h(n * n, 0.0);
    for (std::size_t t = 0; t < inputs.tokens(); ++t)
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                h[i * n + j] += double{inputs.values[t * n + i]} * inputs.values[t * n + j];
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i)
        mean += h[i * n + i] / static_cast<double>(n);
    std::vector<std::size_t> order(n);
    for (std::size_t i = 0; i < n; ++i)
        order[i] = i;
    if (ordered)
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return h[a * n + a] > h[b * n + b]; });
    for (std::size_t i = 0; i < n; ++i)
        h[i * n + i] += 0.01 * mean;
    std::vector<double> w(weights.begin(), weights.end()), out(w.size()), left = inverse(h, n);
    std::vector<double> scales(rows * (n / group));
    const auto scaleOf = [&](std::size_t row, std::size_t number) {
        double most = 0;
        for (std::size_t j = number * group; j < (number + 1) * group; ++j)
            most = std::max(most, std::fabs(w[row * n + j]));
        scales[row * (n / group) + number] = most / 7;
    };
    for (std::size_t row = 0; ordered && row < rows; ++row)
        for (std::size_t number = 0; number < n / group; ++number)
            scaleOf(row, number);
    for (const std::size_t c : order) {
        for (std::size_t row = 0; row < rows; ++row) {
            if (!ordered && c % group == 0)
                scaleOf(row, c / group);
            const double scale = scales[row * (n / group) + c / group];
            const double wanted = w[row * n + c];
            const double q = std::clamp(std::nearbyint(wanted / scale), -7.0, 7.0) * scale;
            out[row * n + c] = q;
            for (std::size_t j = 0; j < n; ++j)
                w[row * n + j] -= (wanted - q) * left[c * n + j] / left[c * n + c];
        }
        const std::vector<double> before = left;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                left[i * n + j] -= before[i * n + c] * before[c * n + j] / before[c * n + c];
    }
    return out;
}

} // namespace

class TestCalibrated : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void products_data();
    void products();
    void widthsOfVectorsGiveTheSameBits();
    void factors();
    void gptqIsTheTextbookOne_data();
    void gptqIsTheTextbookOne();
    void gptqOfUnrelatedInputsIsRtn();
    void methodsHelpTheOutput();
    void outliersNeedSmoothing();
    void awqLeavesTheBestOfItsSearch();
    void smoothScales();
    void outputErrorsAreThoseOfTheProduct();
    void formats_data();
    void formats();
    void refusals();
};

void TestCalibrated::products_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("depth");
    QTest::addColumn<int>("columns");
    for (const auto& [rows, depth, columns] :
         {std::array{1, 1, 1}, {3, 5, 7}, {8, 256, 32}, {9, 257, 33}, {130, 300, 70}, {5, 0, 4}, {2, 3, 2050}})
        QTest::addRow("%dx%dx%d", rows, depth, columns) << rows << depth << columns;
}

void TestCalibrated::products()
{
    QFETCH(int, rows);
    QFETCH(int, depth);
    QFETCH(int, columns);
    const auto m = static_cast<std::size_t>(rows), k = static_cast<std::size_t>(depth),
               n = static_cast<std::size_t>(columns);
    const auto a = floats(m * k + 1, 1), b = floats(k * n + 1, 2), c = floats(m * n, 3);
    std::vector<float> turned(k * n + 1);
    for (std::size_t i = 0; i < k; ++i)
        for (std::size_t j = 0; j < n; ++j)
            turned[j * k + i] = b[i * n + j];
    for (const float sign : {1.0f, -1.0f}) {
        auto plain = c, other = c;
        addProduct({a.data(), m, k, k}, {b.data(), k, n, n}, Transposed::No, plain.data(), n, sign);
        addProduct({a.data(), m, k, k}, {turned.data(), n, k, k}, Transposed::Yes, other.data(), n, sign);
        QCOMPARE(plain, other);
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                volatile float sum = c[i * n + j]; // volatile: no fused multiply-add, no wider sums
                for (std::size_t p = 0; p < k; ++p) {
                    volatile float product = a[i * k + p] * (sign * b[p * n + j]);
                    sum = sum + product;
                }
                QCOMPARE(plain[i * n + j], float{sum});
            }
    }
}

void TestCalibrated::widthsOfVectorsGiveTheSameBits()
{
    // 8 x 32, which is whole tiles of every width
    constexpr std::size_t rows = 8, columns = 32, depth = 100;
    const auto a = floats(rows * depth, 1), b = floats(depth * columns, 2);
    std::vector<std::vector<float>> results;
    std::vector<const dense::Loops*> all{&dense::kBaseline};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        all.push_back(&dense::kAvx2);
    if (__builtin_cpu_supports("avx512f"))
        all.push_back(&dense::kAvx512);
#endif
    for (const dense::Loops* loop : all) {
        std::vector<float> c(rows * columns, 0.25f), packed(depth * loop->columns);
        for (std::size_t column = 0; column < columns; column += loop->columns) {
            for (std::size_t i = 0; i < depth; ++i)
                std::copy_n(b.data() + i * columns + column, loop->columns, packed.data() + i * loop->columns);
            for (std::size_t row = 0; row < rows; row += loop->rows)
                loop->tile(a.data() + row * depth, depth, packed.data(), depth, c.data() + row * columns + column,
                           columns);
        }
        loop->axpy(c.data(), b.data(), 0.3f, rows * columns - 3);
        results.push_back(c);
    }
    for (const auto& result : results)
        QCOMPARE(result, results.front());
}

void TestCalibrated::factors()
{
    for (const std::size_t n : {1u, 2u, 127u, 128u, 129u, 300u}) {
        const auto x = floats(n * (n + 5), 4);
        std::vector<float> h(n * n, 0.0f);
        addProduct({x.data(), n, n + 5, n + 5}, {x.data(), n, n + 5, n + 5}, Transposed::Yes, h.data(), n);
        auto u = h;
        QVERIFY(factorUpper(u, n));
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                double sum = 0;
                for (std::size_t k = std::max(i, j); k < n; ++k)
                    sum += double{u[i * n + k]} * u[j * n + k];
                QVERIFY2(std::fabs(sum - h[i * n + j]) < 2e-5 * h[0] + 1e-3, QByteArray::number(sum - h[i * n + j]));
                if (j < i)
                    QCOMPARE(u[i * n + j], 0.0f);
            }
    }
    std::vector<float> indefinite{1, 2, 2, 1}, nothing{0};
    QVERIFY(!factorUpper(indefinite, 2));
    QVERIFY(!factorUpper(nothing, 1));
}

void TestCalibrated::gptqIsTheTextbookOne_data()
{
    QTest::addColumn<int>("group");
    QTest::addColumn<bool>("ordered");
    for (const int group : {16, 32, 96, 192})
        for (const bool ordered : {false, true})
            QTest::addRow("%d %s", group, ordered ? "ordered" : "plain") << group << ordered;
}

void TestCalibrated::gptqIsTheTextbookOne()
{
    QFETCH(int, group);
    QFETCH(bool, ordered);
    constexpr std::size_t columns = 192, rows = 24; // more than a block of columns
    const auto weights = drawSamples(Distribution::Laplace, rows * columns, 5);
    const auto x = drawInputs(400, columns, 0.7, 0.02, 10, 6);
    const LayerInputs inputs{x, columns};
    const auto wanted = slowly(weights, inputs, static_cast<std::uint32_t>(group), ordered);
    const auto layer = quantizeLayer(weights, inputs,
                                     schemeOf(ordered ? Method::GptqOrdered : Method::Gptq, "int4", Granularity::Group,
                                              static_cast<std::uint32_t>(group)));
    QVERIFY(layer);
    const auto got = restored(*layer);
    std::size_t other = 0;
    for (std::size_t i = 0; i < got.size(); ++i)
        other += std::fabs(got[i] - wanted[i]) > 1e-4 * (std::fabs(wanted[i]) + 1);
    // A weight that lies between two numbers may fall to the other side in floats, and moves its row's after it.
    QVERIFY2(other <= got.size() / 50, QByteArray::number(static_cast<int>(other)));
    const double mine = outputErrorOf(weights, got, inputs, inputs.values).sqnr();
    const double theirs = outputErrorOf(weights, wanted, inputs, inputs.values).sqnr();
    QVERIFY2(std::fabs(mine - theirs) < 0.05, QByteArray::number(mine - theirs));
}

void TestCalibrated::gptqOfUnrelatedInputsIsRtn()
{
    constexpr std::size_t n = 160;
    std::vector<float> x(n * n, 0.0f); // one input at a time: the Hessian is diagonal
    for (std::size_t i = 0; i < n; ++i)
        x[i * n + i] = static_cast<float>(i + 1);
    const auto weights = drawSamples(Distribution::Normal, 8 * n, 9);
    for (const Method method : {Method::Gptq, Method::GptqOrdered}) {
        const auto gptq = quantizeLayer(weights, {x, n}, schemeOf(method));
        const auto rtn = quantizeLayer(weights, {x, n}, schemeOf(Method::Rtn));
        QCOMPARE(gptq->weights.codes, rtn->weights.codes);
        QCOMPARE(gptq->weights.scales, rtn->weights.scales);
        QCOMPARE(gptq->weights.bits, rtn->weights.bits);
    }
}

void TestCalibrated::methodsHelpTheOutput()
{
    constexpr std::size_t columns = 256, rows = 64, tokens = 1024;
    const auto weights = drawSamples(Distribution::Normal, rows * columns, 1);
    const auto all = drawInputs(2 * tokens, columns, 0.8, 0.02, 20, 2);
    const LayerInputs seen{std::span(all).first(tokens * columns), columns};
    const LayerInputs unseen{std::span(all).last(tokens * columns), columns};
    const auto sqnr = [&](Method method) {
        const auto got = restored(*quantizeLayer(weights, seen, schemeOf(method, "int4", Granularity::Group, 128)));
        return std::pair{outputErrorOf(weights, got, unseen, unseen.values).sqnr(), errorOf(weights, got).sqnr()};
    };
    const auto rtn = sqnr(Method::Rtn), gptq = sqnr(Method::Gptq), ordered = sqnr(Method::GptqOrdered),
               awq = sqnr(Method::Awq);
    QVERIFY2(gptq.first > rtn.first + 3, QByteArray::number(gptq.first - rtn.first));
    QVERIFY2(ordered.first > gptq.first, QByteArray::number(ordered.first - gptq.first));
    QVERIFY2(awq.first > rtn.first + 1, QByteArray::number(awq.first - rtn.first));
    // what they pay with: the weights themselves are further off
    QVERIFY(gptq.second < rtn.second && awq.second < rtn.second);
}

void TestCalibrated::outliersNeedSmoothing()
{
    constexpr std::size_t columns = 256, rows = 64, tokens = 256;
    const auto weights = drawSamples(Distribution::Normal, rows * columns, 1);
    const auto x = drawInputs(tokens, columns, 0.5, 0.02, 60, 2);
    const LayerInputs inputs{x, columns};
    const auto scheme = schemeOf(Method::Rtn, "int8", Granularity::Channel);
    const auto whole = schemeOf(Method::Rtn, "int8", Granularity::Tensor);
    const auto sqnr = [&](Method method) {
        auto own = scheme;
        own.method = method;
        const auto layer = *quantizeLayer(weights, inputs, own);
        const auto given = *quantizedInputs(inputs, layer.channelScales, whole);
        return outputErrorOf(weights, restored(layer), inputs, given).sqnr();
    };
    QVERIFY2(sqnr(Method::SmoothQuant) > sqnr(Method::Rtn) + 3,
             QByteArray::number(sqnr(Method::SmoothQuant) - sqnr(Method::Rtn)));
}

void TestCalibrated::awqLeavesTheBestOfItsSearch()
{
    constexpr std::size_t columns = 64, rows = 32;
    const auto weights = drawSamples(Distribution::Normal, rows * columns, 3);
    for (const double factor : {1.0, 5.0, 50.0}) {
        const auto x = drawInputs(128, columns, 0.3, 0.05, factor, 4);
        const LayerInputs inputs{x, columns};
        CalibrationOptions options;
        const auto noise = [&](Method method, int steps) {
            options.steps = steps;
            const auto layer = *quantizeLayer(weights, inputs, schemeOf(method), options);
            return outputErrorOf(weights, restored(layer), inputs, x).noise;
        };
        const double rtn = noise(Method::Rtn, 1);
        QVERIFY(std::fabs(noise(Method::Awq, 1) - rtn) < 1e-9 * rtn); // exponent 0 alone: scales of 1
        QVERIFY(noise(Method::Awq, 20) <= rtn * (1 + 1e-9));
        QVERIFY(noise(Method::Awq, 20) <= noise(Method::Awq, 10) * (1 + 1e-9)); // the ten are among the twenty
    }
}

void TestCalibrated::smoothScales()
{
    // max|x| 16 and 1, max|w| 4 and 1: m = 0.5 gives 4 / 2 and 1; m = 1 gives 16 and 1; m = 0 gives 1 / 4 and 1
    const std::vector<double> weights{4, 1, -2, 0.5};
    const std::vector<float> x{-16, 1, 3, -1};
    CalibrationOptions options;
    const auto scales = [&](double migration) {
        options.migration = migration;
        return quantizeLayer(weights, {x, 2}, schemeOf(Method::SmoothQuant, "int8", Granularity::Channel), options)
            ->channelScales;
    };
    QCOMPARE(scales(0.5), (std::vector<float>{2, 1}));
    QCOMPARE(scales(1), (std::vector<float>{16, 1}));
    QCOMPARE(scales(0), (std::vector<float>{0.25, 1}));
    // the function stays: with a format that loses next to nothing, weights and inputs come back
    const auto layer = *quantizeLayer(weights, {x, 2}, schemeOf(Method::SmoothQuant, "fp32", Granularity::Channel));
    const auto back = restored(layer);
    const auto inputs = *quantizedInputs({x, 2}, layer.channelScales, schemeOf(Method::Rtn, "fp32"));
    for (std::size_t i = 0; i < 4; ++i) {
        QVERIFY(std::fabs(back[i] - weights[i]) < 1e-6);
        QVERIFY(std::fabs(inputs[i] - x[i]) < 1e-5f);
    }
}

void TestCalibrated::outputErrorsAreThoseOfTheProduct()
{
    constexpr std::size_t columns = 40, rows = 300, tokens = 7; // more rows than are multiplied at once
    const auto weights = drawSamples(Distribution::Normal, rows * columns, 1);
    auto other = weights;
    for (std::size_t i = 0; i < other.size(); ++i)
        other[i] += 0.01 * std::sin(static_cast<double>(i));
    const auto x = floats(tokens * columns, 2);
    auto given = x;
    for (std::size_t i = 0; i < given.size(); ++i)
        given[i] += 0.003f * std::cos(static_cast<float>(i));
    double signal = 0, noise = 0;
    for (std::size_t t = 0; t < tokens; ++t)
        for (std::size_t r = 0; r < rows; ++r) {
            double y = 0, z = 0;
            for (std::size_t j = 0; j < columns; ++j) {
                y += weights[r * columns + j] * x[t * columns + j];
                z += other[r * columns + j] * given[t * columns + j];
            }
            signal += y * y;
            noise += (y - z) * (y - z);
        }
    const QuantError error = outputErrorOf(weights, other, {x, columns}, given);
    QVERIFY(std::fabs(error.signal / signal - 1) < 1e-5);
    QVERIFY(std::fabs(error.noise / noise - 1) < 1e-3);
    QVERIFY(outputErrorOf(weights, weights, {x, columns}, x).exact());
}

void TestCalibrated::formats_data()
{
    QTest::addColumn<QByteArray>("id");
    for (const QuantFormat& format : quantFormats())
        QTest::newRow(format.id.data()) << QByteArray(format.id.data());
}

void TestCalibrated::formats()
{
    QFETCH(QByteArray, id);
    constexpr std::size_t columns = 256, rows = 8;
    const auto weights = drawSamples(Distribution::Normal, rows * columns, 1);
    const auto x = drawInputs(300, columns, 0.8, 0.02, 10, 2);
    const LayerInputs inputs{x, columns};
    const bool gguf = findQuantFormat(id.data())->kind == QuantKind::Gguf;
    double rtn = 0;
    for (const Method method : {Method::Rtn, Method::Gptq, Method::GptqOrdered, Method::Awq, Method::SmoothQuant}) {
        const auto layer = quantizeLayer(weights, inputs, schemeOf(method, id.data()));
        if (gguf && (method == Method::Gptq || method == Method::GptqOrdered)) {
            QVERIFY(!layer);
            continue;
        }
        QVERIFY(layer);
        QCOMPARE(layer->weights.scheme.method, method);
        const QuantError error = outputErrorOf(weights, restored(*layer), inputs, inputs.values);
        const double sqnr = error.exact() ? 200 : std::min(200.0, error.sqnr());
        if (method == Method::Rtn)
            rtn = sqnr;
        else if (rtn < 60 && method != Method::SmoothQuant) // finer formats are at the end of float32's digits
            QVERIFY2(sqnr > rtn - 0.5, QByteArray::number(sqnr - rtn));
    }
}

void TestCalibrated::refusals()
{
    const std::vector<double> weights(64, 1.0);
    const std::vector<float> x(32, 1.0f);
    const auto codeOf = [](const Result<QuantizedLayer>& result) {
        return QByteArray::fromStdString(result ? std::string("none") : result.error().code);
    };
    const LayerInputs inputs{x, 32};
    for (const Method method : {Method::Rtn, Method::Gptq, Method::GptqOrdered, Method::Awq, Method::SmoothQuant}) {
        const auto scheme = schemeOf(method);
        QCOMPARE(codeOf(quantizeLayer(weights, inputs, scheme)), QByteArray("none"));
        QCOMPARE(codeOf(quantizeLayer(std::span(weights).first(33), inputs, scheme)), QByteArray("bad-scheme"));
        QCOMPARE(codeOf(quantizeLayer({}, inputs, scheme)), QByteArray("bad-scheme"));
        QCOMPARE(codeOf(quantizeLayer(weights, {std::span(x).first(31), 32}, scheme)), QByteArray("bad-scheme"));
        QCOMPARE(codeOf(quantizeLayer(weights, {{}, 32}, scheme)), QByteArray("bad-scheme"));
        QCOMPARE(codeOf(quantizeLayer(weights, inputs, schemeOf(method, "int4", Granularity::Group, 0))),
                 QByteArray("bad-scheme"));
        auto bad = x;
        bad[3] = std::numeric_limits<float>::quiet_NaN();
        QCOMPARE(codeOf(quantizeLayer(weights, {bad, 32}, scheme)), QByteArray("bad-scheme"));
        auto bigger = weights;
        bigger[5] = std::numeric_limits<double>::infinity();
        QCOMPARE(codeOf(quantizeLayer(bigger, inputs, scheme)), QByteArray("bad-sample"));
        const std::vector<float> zeros(32, 0.0f);
        QCOMPARE(codeOf(quantizeLayer(weights, {zeros, 32}, scheme)), QByteArray("none"));
        CalibrationOptions options;
        options.stop = [] { return true; };
        if (method != Method::Rtn && method != Method::SmoothQuant)
            QCOMPARE(codeOf(quantizeLayer(weights, inputs, scheme, options)), QByteArray("cancelled"));
    }
    const std::size_t wide = kMostHessianColumns + 1;
    const std::vector<float> long1(wide, 1.0f);
    QCOMPARE(codeOf(quantizeLayer(std::vector<double>(wide, 1.0), {long1, wide}, schemeOf(Method::Gptq))),
             QByteArray("bad-scheme"));
    const auto plain = quantize(weights, 32, schemeOf(Method::Awq));
    QVERIFY(!plain && plain.error().code == "bad-scheme");
}

QTEST_APPLESS_MAIN(TestCalibrated)
#include "tst_calibrated.moc"
