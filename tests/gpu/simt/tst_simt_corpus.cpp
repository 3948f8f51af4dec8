// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels as lessons write them, from every compiler whose PTX is checked in, against the same sums on the host.
#include "corpus_lab.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

class TestSimtCorpus : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyKernelIsSupported_data() { variants(); }
    void everyKernelIsSupported()
    {
        for (const char* part : {"lab", "library"}) {
            Lab lab;
            QVERIFY2(load(lab, part), lab.why());
            for (const char* kernel : {"nothing_of_this_name"}) {
                QVERIFY(!lab.run(kernel, {1}, {32}, {}));
                QVERIFY2(!lab.why().contains("not supported"), lab.why());
            }
        }
    }

    void memoryKernels_data() { variants(); }
    void memoryKernels()
    {
        Lab lab;
        QVERIFY2(load(lab, "lab"), lab.why());
        const auto x = uniform(1000, 1);
        const auto y = uniform(1000, 2);
        const DevicePtr py = lab.put(y);
        QVERIFY2(lab.run("saxpy", {2}, {128}, {2.5f, lab.put(x), py, std::int32_t{1000}}), lab.why());
        const auto got = lab.get<float>(py, 1000);
        for (std::size_t i = 0; i < 1000; ++i)
            QCOMPARE(got[i], std::fma(2.5f, x[i], y[i])); // contraction is on in these files

        const DevicePtr copied = lab.put(std::vector<float>(1000));
        QVERIFY2(lab.run("copy_float4", {2}, {128}, {lab.put(x), copied, std::int32_t{250}}), lab.why());
        QCOMPARE(lab.get<float>(copied, 1000), x);
        QCOMPARE(lab.counters.globalLoadRequests, 8u); // 16 bytes a lane, or it would be more

        const auto numbers = whole(1000, 3);
        const DevicePtr sum = lab.put(std::vector<float>(1));
        QVERIFY2(lab.run("reduce_shared", {4}, {256}, {lab.put(numbers), sum, std::int32_t{1000}}, 1024), lab.why());
        QCOMPARE(lab.get<float>(sum, 1)[0], std::accumulate(numbers.begin(), numbers.end(), 0.0f));

        std::vector<int> values(256);
        std::iota(values.begin(), values.end(), -7);
        const DevicePtr scanned = lab.put(values);
        QVERIFY2(lab.run("scan_block", {1}, {256}, {scanned, scanned}), lab.why());
        std::vector<int> expected(256);
        std::partial_sum(values.begin(), values.end(), expected.begin());
        QCOMPARE(lab.get<int>(scanned, 256), expected);
    }

    void matrixProducts_data() { variants(); }
    void matrixProducts()
    {
        Lab lab;
        QVERIFY2(load(lab, "lab"), lab.why());
        constexpr int n = 64;
        const auto a = whole(n * n, 4);
        const auto b = whole(n * n, 5);
        std::vector<float> rows(n * n), columns(n * n); // A*B and A*B^T
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                for (std::size_t k = 0; k < n; ++k) {
                    rows[i * n + j] += a[i * n + k] * b[k * n + j];
                    columns[i * n + j] += a[i * n + k] * b[j * n + k];
                }
            }
        }
        const DevicePtr c = lab.put(std::vector<float>(n * n));
        QVERIFY2(lab.run("sgemm_register", {2, 2}, {8, 8}, {lab.put(a), lab.put(b), c, std::int32_t{n}}), lab.why());
        QCOMPARE(lab.get<float>(c, n * n), rows);
        QVERIFY2(lab.run("wmma_gemm", {4, 4}, {32}, {lab.put(halves(a)), lab.put(halves(b)), c, std::int32_t{n}}),
                 lab.why());
        const auto doubled = lab.get<float>(c, n * n);
        for (std::size_t i = 0; i < doubled.size(); ++i)
            QCOMPARE(doubled[i], 2 * columns[i]);

        const auto small = whole(16 * 16, 6);
        const auto tall = whole(16 * 8, 7);
        const DevicePtr d = lab.put(std::vector<float>(16 * 8));
        QVERIFY2(lab.run("mma_ldmatrix", {1}, {32}, {lab.put(halves(small)), lab.put(halves(tall)), d}), lab.why());
        const auto product = lab.get<float>(d, 16 * 8);
        for (std::size_t i = 0; i < 16; ++i) {
            for (std::size_t j = 0; j < 8; ++j) {
                float sum = 0;
                for (std::size_t k = 0; k < 16; ++k)
                    sum += small[i * 16 + k] * tall[k * 8 + j];
                QCOMPARE(product[i * 8 + j], sum);
            }
        }
        std::vector<double> wide(a.begin(), a.end()), wideB(b.begin(), b.end());
        const DevicePtr e = lab.put(std::vector<double>(n * n));
        QVERIFY2(lab.run("dgemm", {4, 4}, {16, 16}, {lab.put(wide), lab.put(wideB), e, std::int32_t{n}}), lab.why());
        const auto doubles = lab.get<double>(e, n * n);
        for (std::size_t i = 0; i < doubles.size(); ++i)
            QCOMPARE(doubles[i], double(rows[i]));
    }

    void asyncCopiesArrive_data() { variants(); }
    void asyncCopiesArrive()
    {
        Lab lab;
        QVERIFY2(load(lab, "lab"), lab.why());
        const auto in = whole(4 * 64 * 5, 8);
        const DevicePtr out = lab.put(std::vector<float>(64));
        QVERIFY2(lab.run("cp_async_double", {1}, {64}, {lab.put(in), out, std::int32_t{5}}), lab.why());
        const auto got = lab.get<float>(out, 64);
        for (std::size_t i = 0; i < 64; ++i) {
            float sum = 0;
            for (std::size_t t = 0; t < 5; ++t) {
                const float* v = &in[(t * 64 + 63 - i) * 4];
                sum += v[0] + 2 * v[1] + 3 * v[2] + 4 * v[3];
            }
            QCOMPARE(got[i], sum);
        }
        QCOMPARE(lab.counters.globalLoadRequests, 2u * 5u);
    }

    void networks_data() { variants(); }
    void networks()
    {
        Lab lab;
        QVERIFY2(load(lab, "lab"), lab.why());
        constexpr std::size_t n = 128;
        const auto in = uniform(4 * n, 9);
        const DevicePtr out = lab.put(std::vector<float>(4 * n));
        QVERIFY2(lab.run("softmax_online", {4}, {32}, {lab.put(in), out, std::int32_t{n}}), lab.why());
        auto got = lab.get<float>(out, 4 * n);
        for (std::size_t row = 0; row < 4; ++row) {
            double sum = 0;
            for (std::size_t i = 0; i < n; ++i)
                sum += std::exp(double{in[row * n + i]});
            for (std::size_t i = 0; i < n; ++i)
                QVERIFY(near(got[row * n + i], std::exp(double{in[row * n + i]}) / sum, 2e-6));
        }
        const auto gain = uniform(n, 10);
        const auto bias = uniform(n, 11);
        QVERIFY2(lab.run("layernorm", {4}, {32}, {lab.put(in), lab.put(gain), lab.put(bias), out, std::int32_t{n}}),
                 lab.why());
        got = lab.get<float>(out, 4 * n);
        for (std::size_t row = 0; row < 4; ++row) {
            double sum = 0, square = 0;
            for (std::size_t i = 0; i < n; ++i) {
                sum += in[row * n + i];
                square += double{in[row * n + i]} * in[row * n + i];
            }
            const double mean = sum / n;
            const double scale = 1 / std::sqrt(square / n - mean * mean + 1e-5);
            for (std::size_t i = 0; i < n; ++i)
                QVERIFY(std::fabs(got[row * n + i] - ((in[row * n + i] - mean) * scale * gain[i] + bias[i])) < 1e-5);
        }
        const DevicePtr norm = lab.put(std::vector<u16>(4 * n));
        QVERIFY2(lab.run("rmsnorm_half2", {4}, {32},
                         {lab.put(halves(in)), lab.put(halves(gain)), norm, std::int32_t{n / 2}}),
                 lab.why());
        const auto bits = lab.get<u16>(norm, 4 * n);
        for (std::size_t i = 0; i < n; ++i) {
            double square = 0;
            for (std::size_t k = 0; k < n; ++k)
                square += double{half(in[k])} * half(in[k]);
            const double scale = 1 / std::sqrt(square / n + 1e-5);
            QVERIFY(std::fabs(halfToSingle(bits[i]) - half(in[i]) * scale * half(gain[i])) < 4e-3);
        }
        const DevicePtr twice = lab.put(std::vector<float>(8 * n));
        QVERIFY2(lab.run("gelu", {4}, {128}, {lab.put(in), twice, std::int32_t{4 * n}}), lab.why());
        got = lab.get<float>(twice, 8 * n);
        for (std::size_t i = 0; i < 4 * n; ++i) {
            const double x = in[i];
            QVERIFY(std::fabs(got[2 * i] - 0.5 * x * (1 + std::tanh(0.79788456 * (x + 0.044715 * x * x * x)))) < 2e-6);
            QVERIFY(std::fabs(got[2 * i + 1] - 0.5 * x * (1 + std::erf(x * 0.70710678))) < 2e-6);
        }
    }

    void attention_data() { variants(); }
    void attention()
    {
        Lab lab;
        QVERIFY2(load(lab, "lab"), lab.why());
        constexpr std::size_t n = 64;
        const auto q = uniform(n * 32, 12);
        const auto k = uniform(n * 32, 13);
        const auto v = uniform(n * 32, 14);
        const DevicePtr o = lab.put(std::vector<float>(n * 32));
        QVERIFY2(lab.run("flash_fp32", {2}, {32}, {lab.put(q), lab.put(k), lab.put(v), o, std::int32_t{n}}), lab.why());
        const auto got = lab.get<float>(o, n * 32);
        for (std::size_t row = 0; row < n; row += 7) {
            std::vector<double> p(n);
            double sum = 0;
            for (std::size_t j = 0; j < n; ++j) {
                for (std::size_t i = 0; i < 32; ++i)
                    p[j] += double{q[row * 32 + i]} * k[j * 32 + i] * 0.17677669;
                sum += p[j] = std::exp(p[j]);
            }
            for (std::size_t i = 0; i < 32; ++i) {
                double value = 0;
                for (std::size_t j = 0; j < n; ++j)
                    value += p[j] / sum * v[j * 32 + i];
                QVERIFY(std::fabs(got[row * 32 + i] - value) < 1e-5);
            }
        }
    }

    void integers_data() { variants(); }
    void integers()
    {
        Lab lab;
        QVERIFY2(load(lab, "lab"), lab.why());
        std::mt19937 random(15);
        std::vector<u32> a(8), b(64 * 8);
        for (auto* list : {&a, &b})
            for (u32& v : *list)
                v = random();
        const DevicePtr c = lab.put(std::vector<int>(64));
        QVERIFY2(lab.run("gemm_dp4a", {1, 1}, {64}, {lab.put(a), lab.put(b), c, std::int32_t{8}}), lab.why());
        const auto got = lab.get<int>(c, 64);
        for (std::size_t x = 0; x < 64; ++x) {
            int sum = 0;
            for (std::size_t i = 0; i < 32; ++i)
                sum += static_cast<std::int8_t>(a[i / 4] >> (i % 4 * 8)) *
                       static_cast<std::int8_t>(b[x * 8 + i / 4] >> (i % 4 * 8));
            QCOMPARE(got[x], sum);
        }
        std::vector<int> signs(32);
        for (std::size_t i = 0; i < 32; ++i)
            signs[i] = static_cast<int>(i % 3) - 1 == 0 ? -5 : static_cast<int>(i) + 1;
        const DevicePtr kept = lab.put(std::vector<int>(32));
        const DevicePtr count = lab.put(std::vector<int>(1));
        QVERIFY2(lab.run("vote_compact", {1}, {32}, {lab.put(signs), kept, count}), lab.why());
        std::vector<int> expected;
        std::copy_if(signs.begin(), signs.end(), std::back_inserter(expected), [](int v) { return v > 0; });
        QCOMPARE(lab.get<int>(count, 1)[0], static_cast<int>(expected.size()));
        QCOMPARE(lab.get<int>(kept, expected.size()), expected);

        std::vector<u32> next(32);
        for (u32 i = 0; i < 32; ++i)
            next[i] = (i * 5 + 1) % 32;
        const DevicePtr at = lab.put(std::vector<u32>(32));
        const DevicePtr cycles = lab.put(std::vector<std::int64_t>(32));
        QVERIFY2(lab.run("pointer_chase", {1}, {32}, {lab.put(next), at, cycles, std::int32_t{10}}), lab.why());
        u32 place = 3;
        for (int i = 0; i < 10; ++i)
            place = next[place];
        QCOMPARE(lab.get<u32>(at, 32)[3], place);
        const auto time = lab.get<std::int64_t>(cycles, 1)[0];
        QVERIFY2(time >= 30 && time < 100, "the clock counts the instructions in between");
    }

    void printing_data() { variants(); }
    void printing()
    {
        Lab lab;
        QVERIFY2(load(lab, "lab"), lab.why());
        QVERIFY2(lab.run("say", {1}, {32}, {lab.put(std::vector<float>{1.5f, -0.25f})}), lab.why());
        QCOMPARE(lab.printed, std::string("thread 0 has 1.500 and text    42|ff  |z %\n"
                                          "thread 1 has -0.250 and text    42|ff  |z %\n"));
    }
};

QTEST_APPLESS_MAIN(TestSimtCorpus)
#include "tst_simt_corpus.moc"
