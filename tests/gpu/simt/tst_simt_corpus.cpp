// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels as lessons and libraries write them, from every compiler whose PTX is checked in, against the same sums on
// the host.
#include "simt_lab.h"

#include "gpu/simt/lanes/small_float.h"

#include <cmath>
#include <numeric>
#include <random>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

std::vector<float> uniform(std::size_t count, unsigned seed)
{
    std::mt19937 random(seed);
    std::vector<float> values(count);
    for (float& v : values)
        v = static_cast<float>(random() % 20001) / 10000.0f - 1.0f;
    return values;
}

/// Small whole numbers, whose sums of products are exact in any order.
std::vector<float> whole(std::size_t count, unsigned seed)
{
    std::mt19937 random(seed);
    std::vector<float> values(count);
    for (float& v : values)
        v = static_cast<float>(static_cast<int>(random() % 9)) - 4.0f;
    return values;
}

std::vector<u16> halves(const std::vector<float>& values)
{
    std::vector<u16> bits;
    for (const float v : values)
        bits.push_back(halfNearest(v));
    return bits;
}

float half(float value)
{
    return halfToSingle(halfNearest(value));
}

float bfloat(float value)
{
    return bfloatToSingle(bfloatNearest(value));
}

} // namespace

class TestSimtCorpus : public QObject {
    Q_OBJECT

    static bool near(float got, double expected, double relative)
    {
        if (std::isnan(expected))
            return std::isnan(got);
        if (std::isinf(expected))
            return got == static_cast<float>(expected);
        return std::fabs(got - expected) <= relative * std::max(1e-30, std::fabs(expected));
    }

    static void variants()
    {
        QTest::addColumn<QString>("file");
        for (const char* compiler : {"nvcc", "clang"})
            QTest::newRow(compiler) << QString::fromLatin1(compiler);
    }

    static bool load(Lab& lab, const char* part)
    {
        QFETCH(QString, file);
        const std::string text = fixture((std::string("corpus/") + part + "." + file.toStdString() + ".ptx").c_str());
        return !text.empty() && lab.load(text);
    }

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

    void mathFunctions_data() { variants(); }
    void mathFunctions()
    {
        Lab lab;
        QVERIFY2(load(lab, "library"), lab.why());
        constexpr std::size_t n = 512;
        auto in = uniform(n, 16);
        for (float& v : in)
            v *= 5;
        const DevicePtr out = lab.put(std::vector<float>(32 * n));
        QVERIFY2(lab.run("math_single", {4}, {128}, {lab.put(in), out, std::int32_t{n}}), lab.why());
        const auto got = lab.get<float>(out, 32 * n);
        for (std::size_t i = 0; i < n; ++i) {
            const double v = in[i];
            const double p = std::fabs(in[i]) + 0.5f;
            const std::array<double, 32> expected{
                std::exp(v),         std::log(p),    std::sin(v),      std::cos(v),   std::tanh(v),    std::erf(v),
                std::pow(p, v),      std::sqrt(p),   1 / std::sqrt(p), std::exp2(v),  std::log2(p),    std::log10(p),
                std::floor(v),       std::ceil(v),   std::trunc(v),    std::rint(v),  std::fmod(v, p), v * p + 1,
                std::exp(v),         std::log(p),    std::sin(v),      std::cos(v),   std::pow(p, v),  v / p,
                std::copysign(p, v), std::min(v, p), std::max(v, p),   std::round(v), std::cbrt(v),    std::expm1(v),
                std::log1p(p),       std::atan(v)};
            for (std::size_t k = 0; k < 32; ++k) {
                const double error = std::fabs(got[i * 32 + k] - expected[k]);
                const double bound = k == 22 ? 3e-5 : k >= 18 && k <= 21 ? 2e-6 : 1e-6;
                QVERIFY2(error <= bound * std::max(1.0, std::fabs(expected[k])),
                         qPrintable(QStringLiteral("function %1 of %2: got %3, expected %4")
                                        .arg(k)
                                        .arg(v)
                                        .arg(double(got[i * 32 + k]))
                                        .arg(expected[k])));
            }
        }
    }

    /// What assets/cuda/ridge/math.h states, over the range in which each function is neither zero nor infinite.
    void ownMathHasItsStatedErrors()
    {
        struct Row {
            const char* name;
            std::size_t slot;
            double low, high, bound;
            double (*exact)(double v, double p);
        };
        const std::vector<Row> rows{
            {"expf", 0, -86, 88, 2, [](double v, double) { return std::exp(v); }},
            {"logf", 1, -1e6, 1e6, 2, [](double, double p) { return std::log(p); }},
            {"sinf", 2, -4e8, 4e8, 2, [](double v, double) { return std::sin(v); }},
            {"sinf near zero", 2, -20, 20, 2, [](double v, double) { return std::sin(v); }},
            {"cosf", 3, -4e8, 4e8, 2, [](double v, double) { return std::cos(v); }},
            {"cosf near zero", 3, -20000, 20000, 2, [](double v, double) { return std::cos(v); }},
            {"tanhf", 4, -12, 12, 4, [](double v, double) { return std::tanh(v); }},
            {"erff", 5, -4, 4, 4, [](double v, double) { return std::erf(v); }},
            {"powf", 6, -12, 12, 1, [](double v, double p) { return std::pow(p, v); }},
            {"exp2f", 9, -125, 127, 2, [](double v, double) { return std::exp2(v); }},
            {"log2f", 10, -1e6, 1e6, 2, [](double, double p) { return std::log2(p); }},
            {"log10f", 11, -1e6, 1e6, 2, [](double, double p) { return std::log10(p); }},
            {"cbrtf", 28, -1e6, 1e6, 1, [](double v, double) { return std::cbrt(v); }},
            {"expm1f", 29, -20, 80, 1, [](double v, double) { return std::expm1(v); }},
            {"log1pf", 30, -1e6, 1e6, 1, [](double, double p) { return std::log1p(p); }},
            {"atanf", 31, -40, 40, 2, [](double v, double) { return std::atan(v); }},
        };
        Lab lab;
        QVERIFY2(lab.load(fixture("corpus/library.clang.ptx")), lab.why());
        constexpr std::size_t n = 1 << 14;
        const DevicePtr out = lab.put(std::vector<float>(32 * n));
        QString failures;
        for (const Row& row : rows) {
            std::mt19937 random(19);
            std::vector<float> in(n);
            for (float& v : in)
                v = static_cast<float>(row.low + (row.high - row.low) * (random() / 4294967296.0));
            const DevicePtr values = lab.put(in);
            QVERIFY2(lab.run("math_single", {n / 128}, {128}, {values, out, std::int32_t{n}}), lab.why());
            const auto got = lab.get<float>(out, 32 * n);
            double worst = 0;
            double where = 0;
            for (std::size_t i = 0; i < n; ++i) {
                const double exact = row.exact(in[i], double{std::fabs(in[i]) + 0.5f});
                const double place = std::ldexp(1.0, std::max(std::ilogb(exact), -126) - 23);
                const double error = std::fabs(got[i * 32 + row.slot] - exact) / place;
                if (error > worst) {
                    worst = error;
                    where = in[i];
                }
            }
            QVERIFY(lab.device->free(values).ok());
            if (worst > row.bound)
                failures += QStringLiteral("%1 is off by %2 units of the last place at %3\n")
                                .arg(QLatin1String(row.name))
                                .arg(worst)
                                .arg(where, 0, 'g', 9);
        }
        QVERIFY2(failures.isEmpty(), qPrintable(failures));
    }

    void smallFloats_data() { variants(); }
    void smallFloats()
    {
        Lab lab;
        QVERIFY2(load(lab, "library"), lab.why());
        const auto in = uniform(64, 17);
        const DevicePtr out = lab.put(std::vector<float>(32 * 16));
        QVERIFY2(lab.run("halves", {1}, {32}, {lab.put(in), out}), lab.why());
        auto got = lab.get<float>(out, 32 * 16);
        for (std::size_t i = 0; i < 32; ++i) {
            const float a = half(in[2 * i]);
            const float b = half(in[2 * i + 1]);
            const float fused = half(static_cast<float>(double{a} * b + a));
            const float packed = half(static_cast<float>(double{a} * b + half(a + b)));
            const std::array<float, 16> expected{half(a + b),
                                                 half(a - b),
                                                 half(a * b),
                                                 fused,
                                                 half(a / b),
                                                 std::max(a, b),
                                                 std::min(a, b),
                                                 a < b ? 1.0f : 0.0f,
                                                 packed,
                                                 packed,
                                                 -a,
                                                 std::fabs(a),
                                                 half(std::exp(a)),
                                                 half(std::sqrt(std::fabs(b))),
                                                 std::rint(b),
                                                 static_cast<float>(i * 3)};
            for (std::size_t k = 0; k < 16; ++k) {
                const float slack = k == 4 || k == 12 || k == 13 ? std::fabs(expected[k]) / 512 : 0;
                QVERIFY2(std::fabs(got[i * 16 + k] - expected[k]) <= slack,
                         qPrintable(QStringLiteral("%1 of lane %2: %3, expected %4")
                                        .arg(k)
                                        .arg(i)
                                        .arg(double(got[i * 16 + k]))
                                        .arg(double(expected[k]))));
            }
        }
        QVERIFY2(lab.run("bfloats", {1}, {32}, {lab.put(in), out}), lab.why());
        got = lab.get<float>(out, 32 * 8);
        for (std::size_t i = 0; i < 32; ++i) {
            const float a = bfloat(in[2 * i]);
            const float b = bfloat(in[2 * i + 1]);
            const auto square = [](float v) { return bfloat(static_cast<float>(double{v} * v + v)); };
            const std::array<float, 8> expected{bfloat(a + b),
                                                bfloat(a * b),
                                                bfloat(static_cast<float>(double{a} * b + a)),
                                                std::max(a, b),
                                                square(a),
                                                square(b),
                                                a > b ? 1.0f : 0.0f,
                                                -b};
            for (std::size_t k = 0; k < 8; ++k)
                QCOMPARE(got[i * 8 + k], expected[k]);
        }
    }

    void calls_data() { variants(); }
    void calls()
    {
        Lab lab;
        QVERIFY2(load(lab, "library"), lab.why());
        const DevicePtr out = lab.put(std::vector<int>(64));
        QVERIFY2(lab.run("recursion", {1}, {64}, {out}), lab.why());
        auto got = lab.get<int>(out, 64);
        const std::array<int, 12> fibonacci{0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
        for (std::size_t i = 0; i < 64; ++i)
            QCOMPARE(got[i], fibonacci[i % 12]);

        std::vector<int> which(64);
        for (std::size_t i = 0; i < 64; ++i)
            which[i] = static_cast<int>(i % 3);
        QVERIFY2(lab.run("function_pointers", {1}, {64}, {lab.put(which), out}), lab.why());
        got = lab.get<int>(out, 64);
        for (int i = 0; i < 64; ++i)
            QCOMPARE(got[static_cast<std::size_t>(i)], i % 3 == 0 ? i + 7 : i % 3 == 1 ? i - 7 : i * 7);

        const DevicePtr areas = lab.put(std::vector<float>(32));
        QVERIFY2(lab.run("virtual_calls", {1}, {32}, {areas}), lab.why());
        const auto area = lab.get<float>(areas, 32);
        for (std::size_t i = 0; i < 32; ++i) {
            const auto t = static_cast<float>(i);
            QCOMPARE(area[i], i % 2 != 0 ? (t + 1) * (t + 1) : 3 * (t + 2) * (t + 2));
        }
    }

    void atomicsOfLibraries_data() { variants(); }
    void atomicsOfLibraries()
    {
        Lab lab;
        QVERIFY2(load(lab, "library"), lab.why());
        const DevicePtr i = lab.put(std::vector<int>{0, 0, 0, 0, -1, 0, 0, 0, 0, 0});
        const DevicePtr u = lab.put(std::vector<u32>{0, 0, 99});
        const DevicePtr l = lab.put(std::vector<u64>(3));
        const DevicePtr f = lab.put(std::vector<float>(1));
        const DevicePtr d = lab.put(std::vector<double>(1));
        const DevicePtr h = lab.put(std::vector<u16>(2));
        QVERIFY2(lab.run("atomics", {1}, {64}, {i, u, l, f, d, h}), lab.why());
        QCOMPARE(lab.get<int>(i, 10), (std::vector<int>{2016, -2016, -63, 63, 0, -1, 0, 5, 9, 64}));
        QCOMPARE(lab.get<u32>(u, 3), (std::vector<u32>{64 % 11, (11 - 64 % 11) % 11, 3}));
        QCOMPARE(lab.get<u64>(l, 3), (std::vector<u64>{2016, u64{63} << 33, u64{1} << 40}));
        QCOMPARE(lab.get<float>(f, 1)[0], 32.0f);
        QCOMPARE(lab.get<double>(d, 1)[0], 16.0);
        QCOMPARE(lab.get<u16>(h, 2), (std::vector<u16>{halfNearest(64), halfNearest(128)}));
    }

    void warpFunctions_data() { variants(); }
    void warpFunctions()
    {
        Lab lab;
        QVERIFY2(load(lab, "library"), lab.why());
        std::vector<int> in(32);
        for (int i = 0; i < 32; ++i)
            in[static_cast<std::size_t>(i)] = i / 4 * 3 + 1;
        const DevicePtr out = lab.put(std::vector<u32>(32 * 12));
        const DevicePtr wide = lab.put(std::vector<double>(32));
        QVERIFY2(lab.run("warp_functions", {1}, {32}, {lab.put(in), out, wide}), lab.why());
        const auto got = lab.get<u32>(out, 32 * 12);
        const auto doubles = lab.get<double>(wide, 32);
        u32 ors = 0;
        for (const int v : in)
            ors |= static_cast<u32>(v);
        for (u32 t = 0; t < 32; ++t) {
            const auto v = static_cast<u32>(in[t]);
            const u32* o = &got[t * 12];
            QCOMPARE(o[0], static_cast<u32>(std::accumulate(in.begin(), in.end(), 0)));
            QCOMPARE(o[1], 1u);
            QCOMPARE(o[2], ors);
            QCOMPARE(o[3], 0xfu << t / 4 * 4);
            QCOMPARE(o[4], 0u); // all lanes agree: -1 + 1
            QCOMPARE(o[5], static_cast<u32>(in[t % 16 < 2 ? t : t - 2]));
            QCOMPARE(o[6], ~0u);
            QCOMPARE(o[7], 1u);
            QCOMPARE(o[8], static_cast<u32>(in[t ^ 1]));
            QCOMPARE(o[9], t << 7 | v >> 25);
            QCOMPARE(o[10], v | t << 16);
            u32 reversed = 0;
            for (int bit = 0; bit < 32; ++bit)
                reversed |= (v >> bit & 1) << (31 - bit);
            const u32 distance = v > t ? v - t : t - v;
            QCOMPARE(o[11], reversed + static_cast<u32>(std::countl_zero(v)) + static_cast<u32>(std::popcount(v)) +
                                static_cast<u32>(std::countr_zero(v) + 1) + distance + 1);
            QCOMPARE(doubles[t], double(in[t < 31 ? t + 1 : t]));
        }
    }

    void wideIntegers_data() { variants(); }
    void wideIntegers()
    {
        __extension__ typedef __int128 Wide;
        Lab lab;
        QVERIFY2(load(lab, "library"), lab.why());
        std::vector<std::int64_t> in(32);
        for (std::size_t i = 0; i < 32; ++i)
            in[i] = static_cast<std::int64_t>(i + 1) * 0x123456789ab * (i % 2 != 0 ? -1 : 1);
        const DevicePtr out = lab.put(std::vector<std::int64_t>(32 * 8));
        QVERIFY2(lab.run("wide_integers", {1}, {32}, {lab.put(in), out}), lab.why());
        const auto got = lab.get<std::int64_t>(out, 32 * 8);
        for (std::size_t i = 0; i < 32; ++i) {
            const std::int64_t v = in[i];
            const auto u = static_cast<u64>(v);
            const Wide square = static_cast<Wide>(v) * v;
            u64 reversed = 0;
            for (int bit = 0; bit < 64; ++bit)
                reversed |= (u >> bit & 1) << (63 - bit);
            const std::array<std::int64_t, 8> expected{
                v / 7,
                v % 13,
                static_cast<std::int64_t>(u / 11),
                std::popcount(u) + std::countl_zero(u) + std::countr_zero(u) + 1,
                static_cast<std::int64_t>(reversed),
                static_cast<std::int64_t>(square >> 64),
                static_cast<std::int64_t>(square >> 70),
                qstrcmp(QTest::currentDataTag(), "clang") == 0 ? v : static_cast<std::int64_t>(square / 1000003)};
            for (std::size_t k = 0; k < 8; ++k)
                QCOMPARE(got[i * 8 + k], expected[k]);
        }
    }

    void groupsHeapAndAssertions_data() { variants(); }
    void groupsHeapAndAssertions()
    {
        Lab lab;
        QVERIFY2(load(lab, "library"), lab.why());
        std::vector<int> in(64);
        std::iota(in.begin(), in.end(), 1);
        const DevicePtr out = lab.put(std::vector<int>(64));
        QVERIFY2(lab.run("groups", {1}, {64}, {lab.put(in), out}), lab.why());
        QCOMPARE(lab.get<int>(out, 2), (std::vector<int>{528, 1552}));
        QVERIFY2(lab.run("heap", {1}, {32}, {std::int32_t{10}, out}), lab.why());
        for (int i = 0; i < 32; ++i)
            QCOMPARE(lab.get<int>(out, 32)[static_cast<std::size_t>(i)], 45 * i);
        QVERIFY2(lab.run("checked", {1}, {32}, {lab.put(in), out}), lab.why());
        in[5] = -1;
        QVERIFY(!lab.run("checked", {1}, {32}, {lab.put(in), out}));
        QCOMPARE(lab.code(), std::string("assertion-failed"));
        QVERIFY2(lab.why().contains("in[threadIdx.x] >= 0") && lab.why().contains("lane 5"), lab.why());
        if (lab.run("grid_sum", {4}, {32}, {lab.put(std::vector<int>(128)), lab.put(std::vector<int>(128))})) {
            const DevicePtr values = lab.put(std::vector<int>(128));
            const DevicePtr sums = lab.put(std::vector<int>(128));
            QVERIFY2(lab.run("grid_sum", {4}, {32}, {values, sums}), lab.why()); // the barrier serves again
            QCOMPARE(lab.get<int>(sums, 128), std::vector<int>(128, 6));
        } else {
            QCOMPARE(lab.code(), std::string("kernel-not-found")); // clang's file
        }
        const auto x = uniform(32, 18);
        const DevicePtr hinted = lab.put(std::vector<float>(96));
        QVERIFY2(lab.run("hints", {1}, {32}, {lab.put(x), hinted}), lab.why());
        const auto got = lab.get<float>(hinted, 96);
        for (std::size_t i = 0; i < 32; ++i) {
            QCOMPARE(got[i], x[i] + x[i] + x[i] + x[i]);
            QCOMPARE(got[64 + i], x[i]);
        }
    }
};

QTEST_APPLESS_MAIN(TestSimtCorpus)
#include "tst_simt_corpus.moc"
