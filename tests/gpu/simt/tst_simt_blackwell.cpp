// SPDX-License-Identifier: GPL-3.0-or-later
// What compute capability 10.0 and 12.0 brought: floats of 4 and 6 bits, sums of halves and singles, matrices of bytes,
// sparse products with scales, boxes that are reduced, gathered and scattered, cancelled launches.
#include "forms_lab.h"

#include "gpu/simt/image/tensor_map.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr int kNewest = 0; ///< no chip is asked

struct Format {
    const char* name;
    int exponent, fraction;
    u32 most;       ///< the largest finite code
    u32 notANumber; ///< what a NaN becomes
};
constexpr std::array<Format, 5> kFormats{{{"e4m3", 4, 3, 0x7e, 0x7f},
                                          {"e5m2", 5, 2, 0x7b, 0x7f},
                                          {"e2m3", 2, 3, 0x1f, 0x1f},
                                          {"e3m2", 3, 2, 0x1f, 0x1f},
                                          {"e2m1", 2, 1, 0x7, 0x7}}};

double valueOf(const Format& f, u32 code)
{
    const int bias = (1 << (f.exponent - 1)) - 1;
    const int field = int(code >> f.fraction), fraction = int(code & ((1u << f.fraction) - 1));
    return field == 0 ? std::ldexp(fraction, 1 - bias - f.fraction)
                      : std::ldexp((1 << f.fraction) + fraction, field - bias - f.fraction);
}

/// The nearest code of all, of two the even one.
u32 nearestCode(const Format& f, double value, bool relu)
{
    if (std::isnan(value))
        return f.notANumber;
    if (std::signbit(value) && relu)
        return 0;
    u32 best = 0;
    const double magnitude = std::min(std::fabs(value), valueOf(f, f.most));
    for (u32 code = 1; code <= f.most; ++code) {
        const double now = std::fabs(valueOf(f, code) - magnitude), then = std::fabs(valueOf(f, best) - magnitude);
        if (now < then || (now == then && code % 2 == 0))
            best = code;
    }
    return best | (std::signbit(value) ? 1u << (f.exponent + f.fraction) : 0u);
}

/// All values of a format, what lies in the middle of two and beside it, and the special ones; an even number.
std::vector<float> interesting(const Format& f)
{
    std::vector<float> values{0.0f, -0.0f, HUGE_VALF, -HUGE_VALF, NAN, 1e-30f, -1e30f, 3e38f};
    for (u32 code = 0; code < f.most; ++code) {
        const auto low = float(valueOf(f, code)), high = float(valueOf(f, code + 1));
        const float middle = (low + high) / 2;
        for (const float value : {low, middle, std::nextafter(middle, 1e9f), -std::nextafter(middle, 0.0f)})
            values.push_back(value);
    }
    return values;
}

u16 bfloatOf(float value) // the bits that fit
{
    return u16(std::bit_cast<u32>(value) >> 16);
}
float ofBfloat(u16 bits)
{
    return std::bit_cast<float>(u32{bits} << 16);
}

/// Every thread loads two floats (%f4 the upper) and stores %r9.
std::string onPairs(const std::string& body)
{
    return "mul.wide.u32 %rd4, %r0, 8; add.u64 %rd4, %rd4, %rd0; ld.global.v2.f32 {%f5, %f4}, [%rd4];\n" + body +
           "\nmul.wide.u32 %rd5, %r0, 4; add.u64 %rd5, %rd5, %rd1; st.global.u32 [%rd5], %r9;";
}

std::vector<u32> converted(Lab& lab, const std::vector<float>& in, const std::string& body)
{
    const DevicePtr out = lab.put(std::vector<u32>(in.size() / 2));
    if (!run(lab, onPairs(body), lab.put(in), out, u32(in.size() / 2)))
        return {};
    return lab.get<u32>(out, in.size() / 2);
}

constexpr const char* kToWord = "cvt.u32.u16 %r9, %rs5;";

} // namespace

class TestSimtBlackwell : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void smallFloats_data()
    {
        QTest::addColumn<int>("format");
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<bool>("relu");
        for (int at = 0; at < int(kFormats.size()); ++at)
            for (const char* source : {"f32", "f16x2", "bf16x2"})
                for (const bool relu : {false, true})
                    QTest::addRow("%s of %s%s", kFormats[std::size_t(at)].name, source, relu ? ", relu" : "")
                        << at << QByteArray(source) << relu;
    }
    void smallFloats()
    {
        QFETCH(int, format);
        QFETCH(QByteArray, source);
        QFETCH(bool, relu);
        const Format& f = kFormats[std::size_t(format)];
        std::vector<float> in = interesting(f);
        if (source == "bf16x2")
            for (float& value : in)
                value = ofBfloat(bfloatOf(value));
        const bool isNibble = f.exponent + f.fraction == 3;
        const std::string to = isNibble ? "t" : "%rs5";
        const std::string name = std::string("cvt.rn.satfinite") + (relu ? ".relu." : ".") + f.name + "x2.";
        std::string body = isNibble ? ".reg .b8 t;\n" : "";
        if (source != "f32") // what is out of a half's range is an infinity there
            body += "cvt.rn." + source.toStdString() + ".f32 %r8, %f4, %f5;\n";
        body += name + source.toStdString() + " " + to + (source == "f32" ? ", %f4, %f5;" : ", %r8;");
        body += isNibble ? "cvt.u32.u8 %r9, t;" : kToWord;
        Lab lab({}, {}, kNewest);
        const auto got = converted(lab, in, body);
        QVERIFY2(!got.empty(), lab.why());
        const unsigned width = isNibble ? 4 : 8;
        for (std::size_t i = 0; i < in.size(); ++i) {
            double value = double(in[i]);
            if (source == "f16x2") { // the same rounding as the program's first line
                const double unit = std::ldexp(1.0, std::max(value == 0 ? -14 : std::ilogb(value), -14) - 10);
                value = std::isfinite(value) ? std::nearbyint(value / unit) * unit : value;
            }
            const u32 code = got[i / 2] >> (i % 2 * width) & ((1u << width) - 1);
            QVERIFY2(
                code == nearestCode(f, value, relu),
                qPrintable(QStringLiteral("%1: %2, not %3").arg(value).arg(code).arg(nearestCode(f, value, relu))));
        }
    }

    void powersOfTwo()
    {
        const std::vector<float> in{1.0f,      1.5f,          0.75f,     -3.0f,      0x1p-127f, 0x1.8p-127f,
                                    0x1p-140f, 0.0f,          HUGE_VALF, NAN,        3e38f,     1e-20f,
                                    2.0f,      0x1.fffffep5f, 0x1p127f,  -HUGE_VALF, 4.1f,      0x1p-126f};
        for (const bool isUp : {false, true}) {
            for (const bool isFinite : {false, true}) {
                for (const bool isBfloat : {false, true}) {
                    std::string body =
                        isBfloat ? "mov.b32 %r7, %f4; mov.b32 %r8, %f5; prmt.b32 %r8, %r8, %r7, 0x7632;" : "";
                    body += std::string("cvt.") + (isUp ? "rp" : "rz") + (isFinite ? ".satfinite" : "") + ".ue8m0x2." +
                            (isBfloat ? "bf16x2 %rs5, %r8;" : "f32 %rs5, %f4, %f5;") + kToWord;
                    Lab lab({}, {}, kNewest);
                    const auto got = converted(lab, in, body);
                    QVERIFY2(!got.empty(), lab.why());
                    for (std::size_t i = 0; i < in.size(); ++i) {
                        const double value = std::fabs(double(isBfloat ? ofBfloat(bfloatOf(in[i])) : in[i]));
                        u32 expected = 0; // the largest power that is not above, or the least that is not below
                        if (std::isnan(value))
                            expected = 255;
                        else if (std::isinf(value))
                            expected = isFinite ? 254 : 255;
                        else
                            while (isUp ? std::ldexp(1.0, int(expected) - 127) < value
                                        : std::ldexp(1.0, int(expected) - 126) <= value)
                                ++expected;
                        if (isFinite && !std::isnan(value))
                            expected = std::min(expected, 254u);
                        QCOMPARE(got[i / 2] >> (i % 2 * 8) & 0xff, expected);
                    }
                }
            }
        }
        Lab lab({}, {}, kNewest);
        const std::vector<float> codes{0, 1, 127, 128, 254, 255, 64, 3};
        const auto got = converted(lab, codes,
                                   "cvt.rzi.u32.f32 %r7, %f4; cvt.rzi.u32.f32 %r8, %f5; bfi.b32 %r8, %r7, %r8, 8, 8;"
                                   "cvt.u16.u32 %rs5, %r8; cvt.rn.bf16x2.ue8m0x2 %r9, %rs5;");
        QVERIFY2(!got.empty(), lab.why());
        for (std::size_t i = 0; i < codes.size(); ++i) {
            const float value = ofBfloat(u16(got[i / 2] >> (i % 2 * 16)));
            if (codes[i] == 255)
                QVERIFY(std::isnan(value));
            else
                QCOMPARE(value, float(std::ldexp(1.0, int(codes[i]) - 127)));
        }
    }

    /// .satfinite to halves and tf32: what is too large stays finite.
    void finiteHalves()
    {
        const std::vector<float> in{1e6f, -1e6f, HUGE_VALF, -HUGE_VALF, 65519.0f, 65504.0f, 1.0009766f, -0x1.801p-3f};
        Lab lab({}, {}, kNewest);
        auto got = converted(lab, in, "cvt.rn.satfinite.f16x2.f32 %r9, %f4, %f5;");
        QVERIFY2(!got.empty(), lab.why());
        QCOMPARE(got, (std::vector<u32>{0xfbff7bff, 0xfbff7bff, 0x7bff7bff, 0xb2003c01}));
        const std::vector<float> large{
            std::numeric_limits<float>::max(), HUGE_VALF, NAN, -3.4e38f, 1.5f, 0x1.011p0f, -2.0f, 0x1.03p0f};
        got = converted(lab, large, "cvt.rz.satfinite.relu.bf16x2.f32 %r9, %f4, %f5;");
        QCOMPARE(got, (std::vector<u32>{0x7f7f7f7f, 0x00007fff, 0x3f803fc0, 0x3f810000}));
        got = converted(lab, large, "cvt.rna.satfinite.tf32.f32 %r9, %f5;");
        QCOMPARE(got, (std::vector<u32>{0x7f7fe000, 0x7fffffff, 0x3fc00000, 0xc0000000}));
        QVERIFY(!lab.load(handWritten("cvt.rz.satfinite.e2m3x2.f32 %rs4, %f1, %f2;")));
        QVERIFY2(lab.why().contains(".rn.satfinite"), lab.why());
    }

    /// Rounding by random bits: up where what is dropped and the bits, as fractions, come to one or more.
    void randomHalves_data()
    {
        QTest::addColumn<bool>("isBfloat");
        QTest::addColumn<bool>("isFinite");
        QTest::addColumn<bool>("relu");
        for (int at = 0; at < 8; ++at)
            QTest::addRow("%s%s%s", at % 2 ? "bf16x2" : "f16x2", at / 2 % 2 ? ", satfinite" : "",
                          at / 4 ? ", relu" : "")
                << (at % 2 != 0) << (at / 2 % 2 != 0) << (at / 4 != 0);
    }
    void randomHalves()
    {
        QFETCH(bool, isBfloat);
        QFETCH(bool, isFinite);
        QFETCH(bool, relu);
        const int kept = isBfloat ? 7 : 10, width = isBfloat ? 16 : 13;
        std::vector<float> in{0.0f, -0.0f, HUGE_VALF, -HUGE_VALF, NAN, 1.0f, 65504.0f, 65535.9f};
        in.push_back(isBfloat ? std::numeric_limits<float>::max() : 0x1p-24f);
        in.push_back(isBfloat ? -1e-40f : -0x1.8p-15f); // subnormal as halves: exact
        std::uint32_t state = 9;
        const auto random = [&] { return state = state * 1664525u + 1013904223u; };
        while (in.size() < 1000) {
            const u32 exponent = isBfloat ? random() >> 24 : 113 + random() % 30;
            const float value = std::bit_cast<float>((random() & 0x807fffffu) | exponent << 23);
            in.push_back(std::isnan(value) ? 1.0f : value);
        }
        const std::string form = std::string("cvt.rs") + (relu ? ".relu" : "") + (isFinite ? ".satfinite" : "") +
                                 (isBfloat ? ".bf16x2" : ".f16x2");
        Lab lab({}, {}, 100);
        const auto got = converted(lab, in,
                                   "mul.lo.u32 %r10, %r0, 2654435761; xor.b32 %r10, %r10, 0x5a5aa5a5;" + form +
                                       ".f32 %r9, %f4, %f5, %r10;");
        QVERIFY2(!got.empty(), lab.why());
        const auto expected = [&](float value, u32 bits) -> u32 {
            const u32 most = isBfloat ? 0x7f7f : 0x7bff, infinity = isBfloat ? 0x7f80 : 0x7c00;
            if (std::isnan(value))
                return 0x7fff;
            const u32 sign = std::signbit(value) ? 0x8000 : 0;
            if (sign != 0 && relu)
                return 0;
            if (std::isinf(value))
                return sign | (isFinite ? most : infinity);
            const int least = isBfloat ? -126 : -14, bias = isBfloat ? 127 : 15;
            const int exponent = value == 0 ? least : std::max(std::ilogb(value), least);
            const double units = std::ldexp(std::fabs(double(value)), kept - exponent), whole = std::floor(units);
            const double fraction = std::ldexp(double(bits & ((1u << width) - 1)), -width);
            const double code = std::ldexp(exponent + bias - 1, kept) + whole + (units - whole + fraction >= 1 ? 1 : 0);
            return sign | (isFinite ? std::min(u32(code), most) : u32(code));
        };
        for (std::size_t at = 0; at < got.size(); ++at) {
            const u32 bits = u32(at) * 2654435761u ^ 0x5a5aa5a5u;
            const u32 want = expected(in[2 * at], bits & 0xffff) | expected(in[2 * at + 1], bits >> 16) << 16;
            QVERIFY2(got[at] == want,
                     (std::to_string(at) + ": " + std::to_string(in[2 * at]) + " and " + std::to_string(in[2 * at + 1]))
                         .c_str());
        }
    }

    /// What the PTX ISA leaves open is refused with its name.
    void randomHalvesThatAreOpen()
    {
        Lab lab({}, {}, 100);
        const std::string half = "mov.u32 %r10, 5; cvt.rs.f16x2.f32 %r9, %f4, %f5, %r10;";
        QVERIFY(converted(lab, {1.0f, 1e-6f}, half).empty());
        QVERIFY2(lab.why().contains("rounds 1e-06 to a half by random bits"), lab.why());
        QVERIFY(converted(lab, {70000.0f, 1.0f}, half).empty());
        QVERIFY2(lab.why().contains("rounds 70000 to a half"), lab.why());
        QVERIFY(!lab.load(handWritten("cvt.rs.satfinite.e4m3x4.f32 %r4, {%f1, %f2, %f1, %f2}, %r5;")));
        QVERIFY2(lab.why().contains("share their random bits"), lab.why());
    }

    /// add, sub and fma of halves and a float: no rounding before the last.
    void mixedSums()
    {
        Lab lab({}, {}, kNewest);
        const DevicePtr out = lab.put(std::vector<float>(8));
        // 1.5 and -2.25 as halves and as bfloat16; a float far below their last place.
        QVERIFY2(
            run(lab,
                "mov.b16 %rs4, 0x3e00; mov.b16 %rs5, 0xc080; mov.b16 %rs6, 0x3fc0; mov.b16 %rs7, 0xc010;"
                "mov.f32 %f3, 0f32000000; add.rn.f32.f16 %f4, %rs4, %f3; add.rp.f32.bf16 %f5, %rs6, %f3;"
                "sub.rz.f32.f16 %f6, %rs5, %f3; sub.rm.f32.bf16 %f7, %rs7, %f3;"
                "fma.rn.f32.f16 %f8, %rs4, %rs5, %f1; fma.rp.f32.bf16 %f9, %rs6, %rs7, %f3;"
                "add.sat.f32.f16 %f10, %rs4, %f1; fma.rn.sat.f32.f16 %f11, %rs4, %rs5, %f1;"
                "st.global.v4.f32 [%rd1], {%f4, %f5, %f6, %f7}; st.global.v4.f32 [%rd1+16], {%f8, %f9, %f10, %f11};",
                out, out, 1),
            lab.why());
        const float up = std::nextafter(1.5f, 2.0f), down = std::nextafter(-2.25f, -3.0f);
        QCOMPARE(lab.get<float>(out, 8), (std::vector<float>{1.5f, up, -2.25f, down, 1.5f * -2.25f + 1.5f,
                                                             std::nextafter(-3.375f, 0.0f), 1.0f, 0.0f}));
    }

    /// Sixteen columns of 32 rows of bytes, turned on their way into registers, are B of a product of whole numbers.
    void rowsOfBytes()
    {
        Lab lab({}, {}, kNewest);
        std::vector<std::int8_t> a(16 * 32), b(32 * 16);
        for (int i = 0; i < 512; ++i) {
            a[std::size_t(i)] = std::int8_t(i * 37 % 101 - 50);
            b[std::size_t(i)] = std::int8_t(i * 53 % 127 - 63);
        }
        std::vector<std::int8_t> in = a;
        in.insert(in.end(), b.begin(), b.end());
        const DevicePtr out = lab.put(std::vector<int>(16 * 16));
        QVERIFY2(
            run(lab,
                ".shared .align 16 .b8 s[512]; mul.wide.u32 %rd4, %r0, 16; add.u64 %rd4, %rd4, %rd0;"
                "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd4+512]; mov.u32 %r14, s; mad.lo.u32 %r14, %r0, 16, "
                "%r14;"
                "st.shared.v4.u32 [%r14], {%r10, %r11, %r12, %r13}; bar.warp.sync -1;"
                "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8 {%r20, %r21, %r22, %r23}, [%r14];"
                "shr.u32 %r15, %r0, 2; and.b32 %r16, %r0, 3; shl.b32 %r17, %r15, 5; mad.lo.u32 %r17, %r16, 4, %r17;"
                "cvt.u64.u32 %rd5, %r17; add.u64 %rd5, %rd5, %rd0;"
                "ld.global.u32 %r24, [%rd5]; ld.global.u32 %r25, [%rd5+256]; ld.global.u32 %r26, [%rd5+16];"
                "ld.global.u32 %r27, [%rd5+272]; mov.u32 %r9, 0;"
                "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r28, %r29, %r30, %r31}, {%r24, %r25, %r26, %r27},"
                " {%r20, %r22}, {%r9, %r9, %r9, %r9};"
                "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r32, %r33, %r34, %r35}, {%r24, %r25, %r26, %r27},"
                " {%r21, %r23}, {%r9, %r9, %r9, %r9};"
                "shl.b32 %r17, %r15, 6; mad.lo.u32 %r17, %r16, 8, %r17; cvt.u64.u32 %rd5, %r17; add.u64 %rd5, %rd5, "
                "%rd1;"
                "st.global.v2.u32 [%rd5], {%r28, %r29}; st.global.v2.u32 [%rd5+512], {%r30, %r31};"
                "st.global.v2.u32 [%rd5+32], {%r32, %r33}; st.global.v2.u32 [%rd5+544], {%r34, %r35};",
                lab.put(in), out),
            lab.why());
        const auto got = lab.get<int>(out, 256);
        for (int row = 0; row < 16; ++row) {
            for (int column = 0; column < 16; ++column) {
                int sum = 0;
                for (int k = 0; k < 32; ++k)
                    sum += a[std::size_t(row * 32 + k)] * b[std::size_t(k * 16 + column)];
                QCOMPARE(got[std::size_t(row * 16 + column)], sum);
            }
        }
    }

    /// Packed elements of 4 and 6 bits become bytes; bytes of a fragment go back as columns.
    void packedRows()
    {
        Lab lab({}, {}, kNewest);
        std::vector<std::uint8_t> in(8 * 16, 0xee); // padding that nobody looks at
        for (u32 row = 0; row < 8; ++row) {
            for (u32 byte = 0; byte < 8; ++byte)
                in[row * 16 + byte] = std::uint8_t((row + 2 * byte) % 16 | (row + 2 * byte + 1) % 16 << 4);
        }
        const DevicePtr out = lab.put(std::vector<u32>(96));
        const std::string first =
            ".shared .align 16 .b8 s[128]; mul.wide.u32 %rd4, %r0, 4; add.u64 %rd5, %rd4, %rd0; add.u64 %rd6, %rd4, "
            "%rd1;"
            "mov.u32 %r10, s; shl.b32 %r11, %r0, 2; add.u32 %r11, %r11, %r10; and.b32 %r12, %r0, 7;"
            "mad.lo.u32 %r12, %r12, 16, %r10; ld.global.u32 %r13, [%rd5]; st.shared.u32 [%r11], %r13; bar.warp.sync "
            "-1;";
        QVERIFY2(run(lab,
                     first +
                         "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64 {%r14}, [%r12];"
                         "ldmatrix.sync.aligned.m8n16.x1.shared::cta.b8x16.b6x16_p32 {%r15}, [%r12]; bar.warp.sync -1;"
                         "mul.lo.u32 %r16, %r0, 0x04040404; add.u32 %r16, %r16, 0x03020100;"
                         "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r12], {%r16}; bar.warp.sync -1;"
                         "ld.shared.u32 %r17, [%r11]; st.global.u32 [%rd6], %r14; st.global.u32 [%rd6+128], %r15;"
                         "st.global.u32 [%rd6+256], %r17;",
                     lab.put(in), out),
                 lab.why());
        const auto got = lab.get<u32>(out, 96);
        for (u32 lane = 0; lane < 32; ++lane) {
            for (u32 part = 0; part < 4; ++part) {
                const u32 row = lane / 4, element = lane % 4 * 4 + part;
                QCOMPARE(got[lane] >> (8 * part) & 0xff, (row + element) % 16);
                u32 six = 0;
                for (u32 bit = 0; bit < 6; ++bit)
                    six |= (u32{in[row * 16 + (element * 6 + bit) / 8]} >> ((element * 6 + bit) % 8) & 1) << bit;
                QCOMPARE(got[32 + lane] >> (8 * part) & 0xff, six);
                // Memory row n, byte m: lane 4 (m % 8) + n / 2 holds it as byte n % 2 + 2 (m / 8), numbered through.
                const u32 n = row, m = element;
                QCOMPARE(got[64 + lane] >> (8 * part) & 0xff, (m % 8 * 4 + n / 2) * 4 + n % 2 + m / 8 * 2);
            }
        }
        QVERIFY(!lab.load(handWritten("ldmatrix.sync.aligned.m8n16.x1.shared.b8 {%r4}, [%r5];")));
        QVERIFY2(lab.why().contains("does not exist"), lab.why());
    }

    /// Sparse products of small floats: A holds two of four neighbours, with 4 bits two of four pairs. Sums of small
    /// numbers, which an f32 holds exactly.
    void sparseSmallProducts_data()
    {
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<QByteArray>("types");
        QTest::addColumn<int>("scales");
        QTest::newRow("plain bytes") << QByteArray("f8f6f4") << QByteArray("e4m3.e2m1") << 0;
        QTest::newRow("bytes") << QByteArray("mxf8f6f4") << QByteArray("e2m1.e4m3") << 1;
        QTest::newRow("nibbles") << QByteArray("mxf4") << QByteArray("e2m1.e2m1") << 2;
        QTest::newRow("fine nibbles") << QByteArray("mxf4nvf4") << QByteArray("e2m1.e2m1") << 4;
    }
    void sparseSmallProducts()
    {
        QFETCH(QByteArray, kind);
        QFETCH(QByteArray, types);
        QFETCH(int, scales);
        const bool isFour = kind.contains("mxf4"), isFine = scales == 4;
        const u32 depth = isFour ? 128 : 64, pack = isFour ? 8 : 4, bits = 32 / pack;
        const u32 together = isFour ? 2 : 1, chunk = 4 * together;
        u32 seed = 12345;
        const auto next = [&](u32 count) {
            seed = seed * 1664525u + 1013904223u;
            return (seed >> 8) % count;
        };
        const auto element = [&](const QByteArray& type, int& value) -> u32 { // -2 … 2
            value = int(next(5)) - 2;
            const u32 one = type == "e4m3" ? 0x38
                            : isFour       ? 2
                                           : 2 << 2,
                      two = type == "e4m3" ? 0x40
                            : isFour       ? 4
                                           : 4 << 2;
            const u32 sign = type == "e4m3" ? 0x80 : isFour ? 8 : 8 << 2;
            return (std::abs(value) == 2 ? two : value != 0 ? one : 0) | (value < 0 ? sign : 0);
        };
        const auto type = types.split('.');
        std::vector<int> a(16 * depth), b(8 * depth);
        // Words of a lane: 4 of A, 4 of B, metadata, scales of A and of B.
        constexpr u32 kWords = 11;
        std::vector<u32> in(32 * kWords);
        for (u32 row = 0; row < 16; ++row) {
            for (u32 group = 0; group < depth / chunk; ++group) {
                const u32 low = next(3), high = low + 1 + next(3 - low);
                const u32 at = group * 4; // bits of metadata: 64 a row, 32 of them in a lane
                u32& word = in[(row % 8 * 4 + at / 32 * 2 + row / 8) * kWords + 8];
                word |= (low | high << 2) << (at % 32);
                for (u32 unit = 0; unit < 2 * together; ++unit) {
                    const u32 place = (unit / together == 0 ? low : high) * together + unit % together;
                    const u32 column = group * chunk / 2 + unit;
                    const u32 lane = row % 8 * 4 + column % (4 * pack) / pack;
                    const u32 index = row / 8 + column / (4 * pack) * 2;
                    in[lane * kWords + index] |= element(type[0], a[row * depth + group * chunk + place])
                                                 << (column % pack * bits);
                }
            }
        }
        for (u32 column = 0; column < 8; ++column)
            for (u32 k = 0; k < depth; ++k)
                in[(column * 4 + k % (4 * pack) / pack) * kWords + 4 + k / (4 * pack)] |=
                    element(type[1], b[column * depth + k]) << (k % pack * bits);
        // Scales: powers of two by row, column and part of k; ue4m3 has a bias of 7.
        std::vector<double> scaleA(16 * 4, 1.0), scaleB(8 * 4, 1.0);
        for (u32 part = 0; part < u32(scales); ++part) {
            for (u32 row = 0; row < 16; ++row) {
                const int power = int(row + part) % 3;
                scaleA[row * 4 + part] = std::ldexp(1.0, power);
                in[(row % 8 * 4 + row / 8) * kWords + 9] |= u32(isFine ? (7 + power) << 3 : 127 + power) << (8 * part);
            }
            for (u32 column = 0; column < 8; ++column) {
                const int power = int(column + 2 * part) % 3 - 1;
                scaleB[column * 4 + part] = std::ldexp(1.0, power);
                in[column * 4 * kWords + 10] |= u32(isFine ? (7 + power) << 3 : 127 + power) << (8 * part);
            }
        }
        std::string text = "mma.sp::ordered_metadata.sync.aligned." + std::string(isFour ? "m16n8k128" : "m16n8k64") +
                           ".row.col.kind::" + kind.toStdString();
        if (scales != 0)
            text += ".block_scale.scale_vec::" + std::to_string(scales) + "X";
        text += ".f32." + types.toStdString() + ".f32" + (scales == 0 ? "" : isFine ? ".ue4m3" : ".ue8m0");
        text +=
            " {%f4, %f5, %f6, %f7}, {%r10, %r11, %r12, %r13}, {%r14, %r15, %r16, %r17}, {%f8, %f8, %f8, %f8}, %r18, 0";
        text += scales == 0 ? ";" : ", %r19, {0, 0}, %r20, {0, 0};";
        std::string body = "mul.wide.u32 %rd4, %r0, 44; add.u64 %rd4, %rd4, %rd0;";
        for (u32 word = 0; word < kWords; ++word)
            body += "ld.global.u32 %r" + std::to_string(10 + word) + ", [%rd4+" + std::to_string(4 * word) + "];";
        body += "mov.f32 %f8, 0f3f000000;" + text +
                "mul.wide.u32 %rd5, %r0, 16; add.u64 %rd5, %rd5, %rd1; st.global.v4.f32 [%rd5], {%f4, %f5, %f6, %f7};";
        Lab lab({}, {}, 120);
        const DevicePtr out = lab.put(std::vector<float>(128));
        QVERIFY2(run(lab, body, lab.put(in), out), lab.why());
        const auto got = lab.get<float>(out, 128);
        for (u32 lane = 0; lane < 32; ++lane) {
            for (u32 index = 0; index < 4; ++index) {
                const u32 row = lane / 4 + index / 2 * 8, column = lane % 4 * 2 + index % 2;
                double sum = 0.5;
                for (u32 k = 0; k < depth; ++k) {
                    const u32 part = scales == 0 ? 0 : k / (depth / u32(scales));
                    sum +=
                        a[row * depth + k] * scaleA[row * 4 + part] * b[column * depth + k] * scaleB[column * 4 + part];
                }
                QCOMPARE(double(got[lane * 4 + index]), sum);
            }
        }
    }

    /// A box added to a tensor, partly outside it.
    void reducedBoxes_data()
    {
        QTest::addColumn<int>("element");
        QTest::addColumn<QByteArray>("operation");
        QTest::newRow("add u32") << int(TensorElement::U32) << QByteArray("add");
        QTest::newRow("max s32") << int(TensorElement::S32) << QByteArray("max");
        QTest::newRow("add f32") << int(TensorElement::F32) << QByteArray("add");
        QTest::newRow("xor u32") << int(TensorElement::U32) << QByteArray("xor");
    }
    void reducedBoxes()
    {
        QFETCH(int, element);
        QFETCH(QByteArray, operation);
        const bool isFloat = element == int(TensorElement::F32);
        std::vector<u32> values(64), box(32);
        const auto coded = [&](int value) { return isFloat ? std::bit_cast<u32>(float(value) / 4) : u32(value); };
        for (int i = 0; i < 64; ++i)
            values[std::size_t(i)] = coded(100 - 3 * i);
        for (int i = 0; i < 32; ++i)
            box[std::size_t(i)] = coded(7 * i - 90);
        Lab lab({}, {}, kNewest);
        const DevicePtr tensor = lab.put(values), in = lab.put(box);
        TensorMap map;
        map.address = tensor.address;
        map.rank = 2;
        map.element = TensorElement(element);
        map.size = {6, 6, 1, 1, 1};
        map.stride = {32, 0, 0, 0};
        map.box = {4, 8, 1, 1, 1};
        const std::string body =
            ".shared .align 128 .b8 s[128]; mul.wide.u32 %rd4, %r0, 4; add.u64 %rd4, %rd4, %rd1; ld.global.u32 %r9, "
            "[%rd4];"
            "mov.u32 %r10, s; mad.lo.u32 %r10, %r0, 4, %r10; st.shared.u32 [%r10], %r9; fence.proxy.async.shared::cta;"
            "bar.sync 0; setp.ne.u32 %p1, %r0, 0; @%p1 bra END; mov.u32 %r11, 4; mov.u32 %r12, 3;"
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta." +
            operation.toStdString() +
            ".tile.bulk_group [%rd0, {%r11, %r12}], [s]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; END:";
        const auto made = encodeTensorMap(map);
        QVERIFY(made.ok());
        QVERIFY2(run(lab, body, lab.put(std::vector<std::byte>(made->begin(), made->end())), in), lab.why());
        const auto got = lab.get<u32>(tensor, 64);
        for (u32 row = 0; row < 8; ++row) {
            for (u32 column = 0; column < 8; ++column) {
                const u32 old = values[row * 8 + column];
                u32 expected = old;
                if (row >= 3 && row < 6 && column >= 4 && column < 6) {
                    const u32 by = box[(row - 3) * 4 + column - 4];
                    expected = isFloat ? std::bit_cast<u32>(std::bit_cast<float>(old) + std::bit_cast<float>(by))
                               : operation == "add" ? old + by
                               : operation == "xor" ? old ^ by
                                                    : u32(std::max(int(old), int(by)));
                }
                QCOMPARE(got[row * 8 + column], expected);
            }
        }
        map.element = kUnknownElement;
        const auto unknown = encodeTensorMap(map);
        QVERIFY(!run(lab, body, lab.put(std::vector<std::byte>(unknown->begin(), unknown->end())), in));
        QVERIFY2(lab.why().contains("does not say what its elements are"), lab.why());
    }

    /// Four rows of a tensor, in any order and one of them outside, to shared memory and back to other rows.
    void fourRows()
    {
        std::vector<u32> values(8 * 16);
        for (u32 i = 0; i < values.size(); ++i)
            values[i] = 1000 + i;
        Lab lab({}, {}, kNewest);
        const DevicePtr tensor = lab.put(values);
        TensorMap map;
        map.address = tensor.address;
        map.rank = 2;
        map.element = TensorElement::U32;
        map.size = {16, 8, 1, 1, 1};
        map.stride = {64, 0, 0, 0};
        map.box = {8, 1, 1, 1, 1};
        const DevicePtr out = lab.put(std::vector<u32>(32));
        const std::string body =
            ".shared .align 128 .b8 s[128]; .shared .align 8 .b64 bar; mbarrier.init.shared.b64 [bar], 1;"
            "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128; mov.u32 %r10, 4; mov.u32 %r11, 5; mov.u32 %r12, 2;"
            "mov.u32 %r13, 9; mov.u32 %r14, 0; mov.u32 %r15, 8; mov.u32 %r16, 7; mov.u32 %r17, 1; mov.u32 %r18, 3;"
            "mov.u32 %r19, -1;"
            "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [s], "
            "[%rd0, {%r10, %r11, %r12, %r13, %r14}], [bar];\n"
            "L: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra L;"
            "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group "
            "[%rd0, {%r15, %r16, %r17, %r19, %r18}], [s];"
            "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 128;";
        const auto made = encodeTensorMap(map);
        QVERIFY(made.ok());
        QVERIFY2(run(lab, body, lab.put(std::vector<std::byte>(made->begin(), made->end())), out, 1), lab.why());
        const std::array<int, 4> from{5, 2, 9, 0}, to{7, 1, -1, 3};
        const auto got = lab.get<u32>(out, 32);
        auto expected = values;
        for (u32 at = 0; at < 4; ++at) {
            for (u32 column = 0; column < 8; ++column) {
                const u32 value = from[at] < 8 ? values[u32(from[at]) * 16 + 4 + column] : 0;
                QCOMPARE(got[at * 8 + column], value);
                if (to[at] >= 0)
                    expected[u32(to[at]) * 16 + 8 + column] = value;
            }
        }
        QCOMPARE(lab.get<u32>(tensor, 128), expected);
        map.box[1] = 2;
        const auto two = encodeTensorMap(map);
        QVERIFY(!run(lab, body, lab.put(std::vector<std::byte>(two->begin(), two->end())), out, 1));
        QVERIFY2(lab.why().contains("one row each"), lab.why());
    }

    /// A block may ask for another one's place; no request succeeds, which the PTX ISA allows, and every block runs.
    void cancelledLaunches()
    {
        Lab lab({}, {}, kNewest);
        const DevicePtr out = lab.put(std::vector<u32>(4, 99));
        const std::string body =
            ".shared .align 16 .b8 s[16]; .shared .align 8 .b64 bar; mbarrier.init.shared.b64 [bar], 1;"
            "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;"
            "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [s], [bar];\n"
            "L: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra L;"
            "ld.shared.b128 %rq1, [s]; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %rq1;"
            "mov.u32 %r9, %ctaid.x; @%p3 clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 "
            "{%r9, %r10, %r11, _}, %rq1;"
            "mul.wide.u32 %rd4, %r9, 4; add.u64 %rd4, %rd4, %rd1; st.global.u32 [%rd4], %r9;";
        QVERIFY2(lab.load(handWritten(kInputs + body)), lab.why());
        QVERIFY2(lab.run("k", {4}, {1}, {out, out, out}), lab.why());
        QCOMPARE(lab.get<u32>(out, 4), (std::vector<u32>{0, 1, 2, 3}));
    }

    void bulkZeros()
    {
        Lab lab({}, {}, kNewest);
        const DevicePtr out = lab.put(std::vector<u32>(32));
        const std::string head = ".shared .align 8 .b8 s[128]; mov.u32 %r10, s; mad.lo.u32 %r11, %r0, 4, %r10;"
                                 "st.shared.u32 [%r11], 77; bar.warp.sync -1; setp.ne.u32 %p1, %r0, 3; mov.u64 %rd5, ";
        const std::string tail = "; @!%p1 st.bulk.weak.shared::cta [%r10+16], %rd5, 0; bar.warp.sync -1;"
                                 "ld.shared.u32 %r12, [%r11]; mul.wide.u32 %rd4, %r0, 4; add.u64 %rd4, %rd4, %rd1;"
                                 "st.global.u32 [%rd4], %r12;";
        QVERIFY2(run(lab, head + "40" + tail, out, out), lab.why());
        const auto got = lab.get<u32>(out, 32);
        for (u32 i = 0; i < 32; ++i)
            QCOMPARE(got[i], i >= 4 && i < 14 ? 0u : 77u);
        QVERIFY(!run(lab, head + "120" + tail, out, out)); // past the end
        QCOMPARE(lab.code(), std::string("out-of-bounds"));
        QVERIFY(!lab.load(handWritten("multimem.ld_reduce.global.add.u32 %r4, [%rd0];")));
        QVERIFY2(lab.why().contains("one GPU"), lab.why());
    }
};

QTEST_APPLESS_MAIN(TestSimtBlackwell)
#include "tst_simt_blackwell.moc"
