// SPDX-License-Identifier: GPL-3.0-or-later
// Functions of floats in kernels: those of the compilers' libraries, our own, and the formats of 16 bits.
#include "corpus_lab.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

class TestSimtCorpusMath : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
};

QTEST_APPLESS_MAIN(TestSimtCorpusMath)
#include "tst_simt_corpus_math.moc"
