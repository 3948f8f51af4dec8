// SPDX-License-Identifier: GPL-3.0-or-later
// Mathematical functions and vector types of clang's own headers where they once were wrong: arguments of any size,
// special values, tails. Expected numbers come from 300 and more bits (mpmath).
#include "own_kernel.h"

#include <QtTest>

#include <cmath>

using namespace ridge;
using namespace ridge::test;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Row {
    const char* expression;
    double expected;
    double bound; ///< in units of the last place, of single precision where the function is
    bool single;
};

/// D and F hide a number from the compiler, which would otherwise compute with it itself.
const char* const kHead = R"(
__device__ double D(double v) { asm volatile("" : "+d"(v)); return v; }
__device__ float F(float v) { asm volatile("" : "+f"(v)); return v; }
__device__ void put(float* at, double v) { *(double*)at = v; }
__global__ void k(const int*, float* out) {
)";

const char* const kVectors = R"(
#define SIZE(type, size, alignment) static_assert(sizeof(type) == size && alignof(type) == alignment, #type)
#define SIZES(stem, size, two, four) SIZE(stem##1, size, size); SIZE(stem##2, 2 * size, two); \
    SIZE(stem##3, 3 * size, size); SIZE(stem##4, 4 * size, four)
SIZES(char, 1, 2, 4); SIZES(uchar, 1, 2, 4); SIZES(short, 2, 4, 8); SIZES(ushort, 2, 4, 8);
SIZES(int, 4, 8, 16); SIZES(uint, 4, 8, 16); SIZES(float, 4, 8, 16); SIZES(double, 8, 16, 16);
SIZES(longlong, 8, 16, 16); SIZES(ulonglong, 8, 16, 16); SIZE(dim3, 12, 4);
__constant__ float4 fixed = {1, 2, 3, 4};
__device__ float2 table[2] = {{1, 2}, {3, 4}};
constexpr int2 pair = {3, 4};
constexpr int2 twin = pair;
static_assert(twin.y == 4, "copied at compile time");
struct Holds { float4 v; int n; };
__global__ void k(const int* in, float* out) {
    __shared__ float4 tile[32];
    __shared__ Holds held[2];
    const int t = threadIdx.x;
    tile[t] = ((const float4*)in)[t];
    __syncthreads();
    const float4 z = {1.f, 2.f}, none = {}, zero = {0};
    float4* to = (float4*)out;
    to[t] = tile[31 - t];
    if (t == 0) {
        to[32] = z;
        to[33] = none;
        to[34] = zero;
        to[35] = fixed;
        to[36] = float4{table[0].x, table[0].y, table[1].x, table[1].y};
        held[1] = Holds{fixed, 5};
        held[0] = held[1];
        to[37] = held[0].v;
        to[38] = make_float4(twin.x, char4{-1, 2, 3, 4}.x, held[0].n, dim3(7).x);
    }
}
)";

const char* const kLoads = R"(
__global__ void k(const float4* in, float4* out) {
    __shared__ __align__(16) float tile[128];
    const int t = threadIdx.x;
    *(float4*)&tile[4 * t] = in[t];
    __syncthreads();
    const float4 v = *(const float4*)&tile[4 * (t ^ 1)];
    float4 w = in[t + 32];
    w.x += v.x * v.y;
    w.y += v.z;
    w.z += v.w;
    out[t] = w;
}
)";

const char* const kCopies = R"(
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
__global__ void k(const uint4* in, uint4* out) {
    __shared__ uint4 tile[32];
    __pipeline_memcpy_async(&tile[threadIdx.x], in + threadIdx.x, 16, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    uint4 v = tile[31 - threadIdx.x];
    v.x = __half_as_ushort(__hmin_nan(__ushort_as_half(v.x), __ushort_as_half(v.y)));
    v.y = __bfloat16_as_ushort(__hmax(__ushort_as_bfloat16(v.y), __float2bfloat16(__uint_as_float(v.z))));
    v.z = __half_as_ushort(__floats2half2_rn(__uint_as_float(v.z), 1.0f).x);
    out[threadIdx.x] = v;
}
)";

double valueOf(const std::vector<float>& words, std::size_t at)
{
    double value = 0;
    std::memcpy(&value, words.data() + 2 * at, sizeof value);
    return value;
}

bool isWithin(double got, const Row& row)
{
    if (std::isnan(row.expected))
        return std::isnan(got);
    if (std::isinf(row.expected) || std::fpclassify(row.expected) == FP_ZERO)
        return !(got < row.expected) && !(got > row.expected) && !std::isnan(got) &&
               std::signbit(got) == std::signbit(row.expected);
    const int exponent = std::max(std::ilogb(row.expected), row.single ? -126 : -1022);
    return std::fabs(got - row.expected) <= row.bound * std::ldexp(1.0, exponent - (row.single ? 23 : 52));
}

void hold(const std::vector<Row>& rows)
{
    std::string source = kHead;
    for (std::size_t at = 0; at < rows.size(); ++at)
        source += "put(out + " + std::to_string(2 * at) + ", " + rows[at].expression + ");\n";
    const Answer got = run("clang", source + "}", 1, 2 * rows.size());
    QVERIFY2(got.why.empty(), got.why.c_str());
    QCOMPARE(got.out.size(), 2 * rows.size());
    QString failures;
    for (std::size_t at = 0; at < rows.size(); ++at) {
        const double value = valueOf(got.out, at);
        if (!isWithin(value, rows[at]))
            failures += QStringLiteral("%1 is %2, not %3\n")
                            .arg(QLatin1String(rows[at].expression))
                            .arg(value, 0, 'g', 17)
                            .arg(rows[at].expected, 0, 'g', 17);
    }
    QVERIFY2(failures.isEmpty(), qPrintable(failures));
}

} // namespace

class TestKernelMath : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!has("clang"))
            QSKIP("no clang here");
    }

    /// 5.3…e255 is next to a multiple of pi/2 as no other double is, 31942902 the like among floats below 2^25.
    void anglesOfAnySize()
    {
        hold({
            {"sin(D(1e22))", -0.8522008497671888, 1, false},
            {"cos(D(1e22))", 0.523214785395139, 1, false},
            {"tan(D(1e22))", -1.6287782256068988, 1, false},
            {"sin(D(1.7976931348623157e308))", 0.004961954789184062, 1, false},
            {"cos(D(1.7976931348623157e308))", -0.9999876894265599, 1, false},
            {"tan(D(-1.7976931348623157e308))", 0.004962015874444895, 1, false},
            {"sin(D(5.319372648326541e255))", 1.0, 1, false},
            {"cos(D(5.319372648326541e255))", -4.687165924254628e-19, 1, false},
            {"tan(D(5.319372648326541e255))", -2.133485385753704e18, 1, false},
            {"sin(D(-0.0))", -0.0, 0, false},
            {"tan(D(1.0 / 0.0))", kNan, 0, false},
            {"sinf(F(3.4e38f))", -0.24408487440838297, 2, true},
            {"cosf(F(3.4e38f))", 0.9697538729415026, 2, true},
            {"tanf(F(3.4e38f))", -0.2516977567390511, 3, true},
            {"cosf(F(31942902.0f))", -6.468713601532782e-08, 2, true},
            {"tanf(F(31942902.0f))", 15459024.183155129, 3, true},
            {"sinf(F(-0.0f))", -0.0, 0, true},
            {"tanhf(F(-0.0f))", -0.0, 0, true},
            {"sinpi(D(1.0 / 0.0))", kNan, 0, false},
            {"sinpi(D(-4503599627370495.5))", 1.0, 0, false},
            {"cospif(F(3.4e38f))", 1.0, 0, true},
        });
    }

    /// Subnormal divisors once took a step for each unit of the quotient.
    void quotients()
    {
        hold({
            {"fmodf(F(3.4e38f), F(1e-45f))", 0.0, 0, true},
            {"fmod(D(-1.7976931348623157e308), D(5e-324))", -0.0, 0, false},
            {"fmod(D(1e308), D(3e-308))", std::fmod(1e308, 3e-308), 0, false},
            {"fmod(D(-5.5), D(1.0 / 0.0))", -5.5, 0, false},
            {"fmod(D(5.5), D(0.0))", kNan, 0, false},
            {"remainder(D(1.7976931348623157e308), D(1.2e308))", std::remainder(1.7976931348623157e308, 1.2e308), 0,
             false},
            {"remainder(D(7.5), D(5.0))", -2.5, 0, false},
            {"remainder(D(2.5), D(5.0))", 2.5, 0, false},
            {"remainderf(F(3.4e38f), F(1.1e-40f))", std::remainder(double{3.4e38f}, double{1.1e-40f}), 0, true},
            {"[] { int q; remquo(D(-1e15), D(3.0), &q); return (double)q; }()", -5.0, 0, false},
            {"logb(D(0.0))", -kInfinity, 0, false},
            {"logbf(F(-1.0f / 0.0f))", kInfinity, 0, true},
            {"logbf(F(0.0f / 0.0f))", kNan, 0, true},
        });
    }

    void specialValues()
    {
        hold({
            {"tgamma(D(1.0 / 0.0))", kInfinity, 0, false},
            {"tgammaf(F(1e10f))", kInfinity, 0, true},
            {"tgamma(D(-0.0))", -kInfinity, 0, false},
            {"tgamma(D(-3.0))", kNan, 0, false},
            {"lgammaf(F(-1.0f / 0.0f))", kInfinity, 0, true},
            {"atan2f(F(1.0f / 0.0f), F(-1.0f / 0.0f))", 2.356194490192345, 1, true},
            {"atan2f(F(-1.0f / 0.0f), F(1.0f / 0.0f))", -0.7853981633974483, 1, true},
            {"powf(F(-1.0f), F(-1.0f / 0.0f))", 1.0, 0, true},
            {"powf(F(0.0f), F(0.0f / 0.0f))", kNan, 0, true},
            {"powf(F(1.0f), F(0.0f / 0.0f))", 1.0, 0, true},
            {"hypotf(F(-1.0f / 0.0f), F(0.0f / 0.0f))", kInfinity, 0, true},
            {"rhypotf(F(0.0f / 0.0f), F(1.0f / 0.0f))", 0.0, 0, true},
            {"hypot(D(0.0 / 0.0), D(0.0))", kNan, 0, false},
            {"rhypot(D(0.0 / 0.0), D(0.0))", kNan, 0, false},
            {"acosh(D(-1e300))", kNan, 0, false},
            {"log1p(D(-1.0 / 0.0))", kNan, 0, false},
            {"erfcinv(D(0.0))", kInfinity, 0, false},
            {"(double)__byte_perm(0x80818283u, 0u, 0xba98u)", double{0x80818283u}, 0, false},
            {"[] { const double a = 1.0 + 0x1p-30; return __dadd_rn(__dmul_rn(D(a), D(a)), -1.0 - 0x1p-29); }()", 0.0,
             0, false},
        });
    }

    void tails()
    {
        hold({
            {"tgamma(D(150.0))", 3.80892263763057e260, 6, false},
            {"tgamma(D(170.5))", 5.56209241456e305, 6, false},
            {"tgamma(D(-150.5))", -4.478447658150641e-264, 6, false},
            {"lgamma(D(5e-324))", 744.4400719213812, 4, false},
            {"lgamma(D(1e300))", 6.897755278982137e302, 4, false},
            {"erfcinv(D(1e-320))", 27.073153719853043, 4, false},
            {"normcdfinv(D(1e-310))", -37.663060331949524, 4, false},
            {"erfcx(D(33.5))", 0.016833986668717337, 3, false},
            {"normcdf(D(-29.08))", 3.2138161389288916e-186, 5, false},
            {"normcdf(D(-38.0))", 2.88542835e-316, 5, false},
            {"erfinv(D(0.999999))", 3.458910737275499, 4, false},
            {"atanh(D(-0.9999999999))", -11.859499013855018, 2, false},
            {"log1p(D(-0.25))", -0.2876820724517809, 2, false},
            {"cbrt(D(5e-324))", 1.7031839360032603e-108, 2, false},
            {"erfcinvf(F(1e-45f))", 10.019834265884624, 1, true},
            {"log1pf(F(9.5e-7f))", 9.499995634047781e-07, 1, true},
            {"rhypotf(F(3.4e38f), F(3.4e38f))", 2.0797258562917877e-39, 1, true},
        });
    }

    void vectorsAreAggregates()
    {
        const Answer own = run("clang", kVectors, 32, 156);
        QVERIFY2(own.why.empty(), own.why.c_str());
        QCOMPARE(own.codes, std::string());
        QCOMPARE(own.out.size(), std::size_t{156});
        const std::vector<float> expected{1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  1, 2,
                                          3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 3, -1, 5, 7};
        QCOMPARE(std::vector<float>(own.out.begin() + 128, own.out.end()), expected);
        if (!has("nvrtc"))
            return;
        const Answer theirs = run("nvrtc", kVectors, 32, 156);
        QVERIFY2(theirs.why.empty(), theirs.why.c_str());
        for (std::size_t at = 0; at < own.out.size(); ++at)
            QCOMPARE(bitsOf(own.out[at]), bitsOf(theirs.out[at]));
    }

    /// Also from memory that was declared as single floats.
    void vectorsMoveAsOne()
    {
        const auto made = gpu::compile({"loads.cu", kLoads}, 8, 0, gpu::CompilerChoice::Clang);
        QVERIFY(made.ok());
        const QString ptx = QString::fromStdString(made->ptx);
        QCOMPARE(ptx.count(QLatin1String("ld.global")), ptx.count(QLatin1String("ld.global.v4")));
        QCOMPARE(ptx.count(QLatin1String("st.global")), ptx.count(QLatin1String("st.global.v4")));
        QCOMPARE(ptx.count(QLatin1String("ld.shared")), ptx.count(QLatin1String("ld.shared.v4")));
        QCOMPARE(ptx.count(QLatin1String("st.shared")), ptx.count(QLatin1String("st.shared.v4")));
        QVERIFY(ptx.contains(QLatin1String("ld.shared.v4")));
    }

    /// What a chip has no instruction for is done without it.
    void olderChipsGetWhatTheyHave()
    {
        const auto old = gpu::compile({"copies.cu", kCopies}, 7, 5, gpu::CompilerChoice::Clang);
        const auto recent = gpu::compile({"copies.cu", kCopies}, 8, 0, gpu::CompilerChoice::Clang);
        QVERIFY(old.ok() && recent.ok());
        for (const char* form : {"cp.async", "min.NaN.f16", "bf16", "f16x2.f32"}) {
            QVERIFY2(!QString::fromStdString(old->ptx).contains(QLatin1String(form)), form);
            QVERIFY2(QString::fromStdString(recent->ptx).contains(QLatin1String(form)), form);
        }
    }
};

QTEST_GUILESS_MAIN(TestKernelMath)
#include "tst_kernel_math.moc"
