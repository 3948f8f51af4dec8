// SPDX-License-Identifier: GPL-3.0-or-later
// Each class of instructions against a host oracle, on special and random operands. Every case runs converged and
// with a third of the lanes switched off.
#include "simt_lab.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <random>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

using Oracle = u64 (*)(u64 a, u64 b, u64 c);

struct Case {
    const char* text; ///< the instruction with its modifiers
    int sources;
    int to;      ///< bytes of the destination
    int a, b, c; ///< bytes of the sources
    Oracle oracle;
};

float f(u64 bits)
{
    return std::bit_cast<float>(static_cast<u32>(bits));
}
double d(u64 bits)
{
    return std::bit_cast<double>(bits);
}
u64 bits(float v)
{
    return std::isnan(v) ? 0x7fffffffu : std::bit_cast<u32>(v);
}
u64 bits(double v)
{
    return std::isnan(v) ? 0xfff8000000000000u : std::bit_cast<u64>(v);
}
u64 ftz(u64 v)
{
    return (v & 0x7f800000u) == 0 ? v & 0x80000000u : v;
}
s32 s(u64 v)
{
    return static_cast<s32>(v);
}
u32 u(u64 v)
{
    return static_cast<u32>(v);
}
s64 l(u64 v)
{
    return static_cast<s64>(v);
}

template<class F>
float rounded(int mode, F compute)
{
    std::fesetround(mode);
    volatile float r = compute();
    std::fesetround(FE_TONEAREST);
    return r;
}

u64 saturatingS32(u64 a, double whole)
{
    if (std::isnan(f(a)))
        return 0;
    return u(static_cast<u64>(static_cast<s64>(std::clamp(whole, -2147483648.0, 2147483647.0))));
}

const std::vector<Case>& cases()
{
    static const std::vector<Case> table{
        {"add.s32", 2, 4, 4, 4, 0, [](u64 a, u64 b, u64) { return u64{u(a + b)}; }},
        {"add.u16", 2, 2, 2, 2, 0, [](u64 a, u64 b, u64) { return u64{static_cast<u16>(a + b)}; }},
        {"sub.s64", 2, 8, 8, 8, 0, [](u64 a, u64 b, u64) { return a - b; }},
        {"mul.lo.s32", 2, 4, 4, 4, 0, [](u64 a, u64 b, u64) { return u64{u(a * b)}; }},
        {"mul.lo.u16", 2, 2, 2, 2, 0, [](u64 a, u64 b, u64) { return u64{static_cast<u16>(a * b)}; }},
        {"mul.hi.s32", 2, 4, 4, 4, 0, [](u64 a, u64 b, u64) { return u64{u(static_cast<u64>(s64{s(a)} * s(b)) >> 32)}; }},
        {"mul.hi.u32", 2, 4, 4, 4, 0, [](u64 a, u64 b, u64) { return u64{u(u64{u(a)} * u(b) >> 32)}; }},
        {"mul.hi.u64", 2, 8, 8, 8, 0, [](u64 a, u64 b, u64) { return static_cast<u64>(u128{a} * b >> 64); }},
        {"mul.hi.s64", 2, 8, 8, 8, 0, [](u64 a, u64 b, u64) { return static_cast<u64>(s128{l(a)} * l(b) >> 64); }},
        {"mul.wide.s32", 2, 8, 4, 4, 0, [](u64 a, u64 b, u64) { return static_cast<u64>(s64{s(a)} * s(b)); }},
        {"mul.wide.u16", 2, 4, 2, 2, 0, [](u64 a, u64 b, u64) { return u64{u(a * b)}; }},
        {"mul.wide.s16", 2, 4, 2, 2, 0,
         [](u64 a, u64 b, u64) { return u64{u(static_cast<u64>(static_cast<std::int16_t>(a) * static_cast<std::int16_t>(b)))}; }},
        {"mad.lo.s32", 3, 4, 4, 4, 4, [](u64 a, u64 b, u64 c) { return u64{u(a * b + c)}; }},
        {"mad.wide.u32", 3, 8, 4, 4, 8, [](u64 a, u64 b, u64 c) { return u64{u(a)} * u(b) + c; }},
        {"div.s32", 2, 4, 4, 4, 0,
         [](u64 a, u64 b, u64) { return u(b) == 0 ? u64{0xffffffffu} : u64{u(static_cast<u64>(s64{s(a)} / s(b)))}; }},
        {"div.u32", 2, 4, 4, 4, 0, [](u64 a, u64 b, u64) { return u(b) == 0 ? u64{0xffffffffu} : u64{u(a) / u(b)}; }},
        {"rem.s32", 2, 4, 4, 4, 0,
         [](u64 a, u64 b, u64) { return u(b) == 0 ? u64{0xffffffffu} : u64{u(static_cast<u64>(s64{s(a)} % s(b)))}; }},
        {"div.s64", 2, 8, 8, 8, 0,
         [](u64 a, u64 b, u64) { return b == 0 ? ~u64{0} : static_cast<u64>(s128{l(a)} / l(b)); }},
        {"rem.u64", 2, 8, 8, 8, 0, [](u64 a, u64 b, u64) { return b == 0 ? ~u64{0} : a % b; }},
        {"min.s32", 2, 4, 4, 4, 0, [](u64 a, u64 b, u64) { return u64{u(static_cast<u64>(std::min(s(a), s(b))))}; }},
        {"max.u64", 2, 8, 8, 8, 0, [](u64 a, u64 b, u64) { return std::max(a, b); }},
        {"abs.s32", 1, 4, 4, 0, 0, [](u64 a, u64, u64) { return u64{s(a) < 0 ? 0u - u(a) : u(a)}; }},
        {"neg.s64", 1, 8, 8, 0, 0, [](u64 a, u64, u64) { return 0 - a; }},
        {"sad.s32", 3, 4, 4, 4, 4,
         [](u64 a, u64 b, u64 c) { return u64{u(c + static_cast<u64>(std::abs(s64{s(a)} - s(b))))}; }},
        {"and.b32", 2, 4, 4, 4, 0, [](u64 a, u64 b, u64) { return a & b; }},
        {"or.b64", 2, 8, 8, 8, 0, [](u64 a, u64 b, u64) { return a | b; }},
        {"xor.b16", 2, 2, 2, 2, 0, [](u64 a, u64 b, u64) { return a ^ b; }},
        {"not.b32", 1, 4, 4, 0, 0, [](u64 a, u64, u64) { return u64{~u(a)}; }},
        {"cnot.b32", 1, 4, 4, 0, 0, [](u64 a, u64, u64) { return u64{u(a) == 0 ? 1u : 0u}; }},
        {"shl.b32", 2, 4, 4, 4, 0, [](u64 a, u64 b, u64) { return u(b) > 31 ? u64{0} : u64{u(a << u(b))}; }},
        {"shl.b64", 2, 8, 8, 4, 0, [](u64 a, u64 b, u64) { return u(b) > 63 ? u64{0} : a << u(b); }},
        {"shr.u32", 2, 4, 4, 4, 0, [](u64 a, u64 b, u64) { return u(b) > 31 ? u64{0} : a >> u(b); }},
        {"shr.s32", 2, 4, 4, 4, 0,
         [](u64 a, u64 b, u64) { return u64{u(static_cast<u64>(s64{s(a)} >> std::min(u(b), 31u)))}; }},
        {"shr.s16", 2, 2, 2, 4, 0,
         [](u64 a, u64 b, u64) { return u64{static_cast<u16>(static_cast<std::int16_t>(a) >> std::min(u(b), 15u))}; }},
        {"shr.s64", 2, 8, 8, 4, 0, [](u64 a, u64 b, u64) { return static_cast<u64>(l(a) >> std::min(u(b), 63u)); }},
        {"shf.l.wrap.b32", 3, 4, 4, 4, 4,
         [](u64 a, u64 b, u64 c) { return u64{u((b << 32 | a) << (c & 31) >> 32)}; }},
        {"shf.r.clamp.b32", 3, 4, 4, 4, 4,
         [](u64 a, u64 b, u64 c) { return u64{u((b << 32 | a) >> std::min(u(c), 32u))}; }},
        {"popc.b32", 1, 4, 4, 0, 0, [](u64 a, u64, u64) { return u64(std::popcount(u(a))); }},
        {"popc.b64", 1, 4, 8, 0, 0, [](u64 a, u64, u64) { return u64(std::popcount(a)); }},
        {"clz.b32", 1, 4, 4, 0, 0, [](u64 a, u64, u64) { return u64(std::countl_zero(u(a))); }},
        {"clz.b64", 1, 4, 8, 0, 0, [](u64 a, u64, u64) { return u64(std::countl_zero(a)); }},
        {"bfind.u32", 1, 4, 4, 0, 0,
         [](u64 a, u64, u64) { return u(a) == 0 ? u64{0xffffffffu} : u64(31 - std::countl_zero(u(a))); }},
        {"bfind.s32", 1, 4, 4, 0, 0,
         [](u64 a, u64, u64) {
             const u32 v = s(a) < 0 ? ~u(a) : u(a);
             return v == 0 ? u64{0xffffffffu} : u64(31 - std::countl_zero(v));
         }},
        {"brev.b32", 1, 4, 4, 0, 0,
         [](u64 a, u64, u64) {
             u64 r = 0;
             for (int i = 0; i < 32; ++i)
                 r |= (a >> i & 1) << (31 - i);
             return r;
         }},
        {"bfe.u32", 3, 4, 4, 4, 4,
         [](u64 a, u64 b, u64 c) {
             u64 r = 0;
             for (u32 i = 0; i < 32 && i < (c & 255); ++i)
                 r |= (i + (b & 255) < 32 ? a >> (i + (b & 255)) & 1 : 0) << i;
             return r;
         }},
        {"bfe.s32", 3, 4, 4, 4, 4,
         [](u64 a, u64 b, u64 c) {
             const u32 pos = b & 255;
             const u32 len = c & 255;
             const u64 sign = len == 0 ? 0 : a >> std::min(pos + len - 1, 31u) & 1;
             u64 r = 0;
             for (u32 i = 0; i < 32; ++i)
                 r |= (i < len && pos + i < 32 ? a >> (pos + i) & 1 : sign) << i;
             return r;
         }},
        {"prmt.b32", 3, 4, 4, 4, 4,
         [](u64 a, u64 b, u64 c) {
             u64 r = 0;
             for (int i = 0; i < 4; ++i) {
                 const u64 n = c >> (4 * i) & 15;
                 u64 byte = (b << 32 | a) >> (8 * (n & 7)) & 255;
                 if (n > 7)
                     byte = byte > 127 ? 255 : 0;
                 r |= byte << (8 * i);
             }
             return r;
         }},
        {"dp4a.s32.u32", 3, 4, 4, 4, 4,
         [](u64 a, u64 b, u64 c) {
             for (int i = 0; i < 32; i += 8)
                 c += static_cast<u64>(static_cast<std::int8_t>(a >> i) * static_cast<s32>(b >> i & 255));
             return u64{u(c)};
         }},
        {"add.f32", 2, 4, 4, 4, 0, [](u64 a, u64 b, u64) { return bits(f(a) + f(b)); }},
        {"add.rn.ftz.f32", 2, 4, 4, 4, 0, [](u64 a, u64 b, u64) { return ftz(bits(f(ftz(a)) + f(ftz(b)))); }},
        {"sub.f64", 2, 8, 8, 8, 0, [](u64 a, u64 b, u64) { return bits(d(a) - d(b)); }},
        {"mul.f32", 2, 4, 4, 4, 0, [](u64 a, u64 b, u64) { return bits(f(a) * f(b)); }},
        {"mul.sat.f32", 2, 4, 4, 4, 0,
         [](u64 a, u64 b, u64) {
             const float p = f(a) * f(b);
             return std::isnan(p) || !(p > 0) ? u64{0} : bits(std::min(p, 1.0f));
         }},
        {"fma.rn.f32", 3, 4, 4, 4, 4, [](u64 a, u64 b, u64 c) { return bits(std::fma(f(a), f(b), f(c))); }},
        {"fma.rn.f64", 3, 8, 8, 8, 8, [](u64 a, u64 b, u64 c) { return bits(std::fma(d(a), d(b), d(c))); }},
        {"fma.rm.f32", 3, 4, 4, 4, 4,
         [](u64 a, u64 b, u64 c) { return bits(rounded(FE_DOWNWARD, [&] { return std::fma(f(a), f(b), f(c)); })); }},
        {"add.rz.f32", 2, 4, 4, 4, 0,
         [](u64 a, u64 b, u64) {
             return bits(rounded(FE_TOWARDZERO, [&] { volatile float x = f(a), y = f(b); return x + y; }));
         }},
        {"mul.rp.f32", 2, 4, 4, 4, 0,
         [](u64 a, u64 b, u64) {
             return bits(rounded(FE_UPWARD, [&] { volatile float x = f(a), y = f(b); return x * y; }));
         }},
        {"div.rn.f32", 2, 4, 4, 4, 0, [](u64 a, u64 b, u64) { return bits(f(a) / f(b)); }},
        {"div.rn.f64", 2, 8, 8, 8, 0, [](u64 a, u64 b, u64) { return bits(d(a) / d(b)); }},
        {"rcp.rn.f32", 1, 4, 4, 0, 0, [](u64 a, u64, u64) { return bits(1.0f / f(a)); }},
        {"sqrt.rn.f32", 1, 4, 4, 0, 0, [](u64 a, u64, u64) { return bits(std::sqrt(f(a))); }},
        {"sqrt.rn.f64", 1, 8, 8, 0, 0, [](u64 a, u64, u64) { return bits(std::sqrt(d(a))); }},
        {"rsqrt.approx.f64", 1, 8, 8, 0, 0, [](u64 a, u64, u64) { return bits(static_cast<double>(1 / std::sqrt(static_cast<long double>(d(a))))); }},
        {"rcp.approx.ftz.f64", 1, 8, 8, 0, 0,
         [](u64 a, u64, u64) {
             const auto flush = [](u64 v) { return (v >> 52 & 0x7ff) == 0 ? v & (u64{1} << 63) : v; };
             return flush(bits(1.0 / d(flush(a)))) >> 32 << 32;
         }},
        {"min.f32", 2, 4, 4, 4, 0,
         [](u64 a, u64 b, u64) {
             if (f(a) == 0 && f(b) == 0)
                 return a | b;
             return bits(std::fmin(f(a), f(b)));
         }},
        {"max.NaN.f32", 2, 4, 4, 4, 0,
         [](u64 a, u64 b, u64) {
             if (std::isnan(f(a)) || std::isnan(f(b)))
                 return u64{0x7fffffffu};
             return f(a) == 0 && f(b) == 0 ? a & b : bits(std::max(f(a), f(b)));
         }},
        {"abs.f32", 1, 4, 4, 0, 0, [](u64 a, u64, u64) { return a & 0x7fffffffu; }},
        {"neg.f64", 1, 8, 8, 0, 0, [](u64 a, u64, u64) { return a ^ (u64{1} << 63); }},
        {"copysign.f32", 2, 4, 4, 4, 0, [](u64 a, u64 b, u64) { return (a & 0x80000000u) | (b & 0x7fffffffu); }},
        {"cvt.s64.s32", 1, 8, 4, 0, 0, [](u64 a, u64, u64) { return static_cast<u64>(s64{s(a)}); }},
        {"cvt.u64.u32", 1, 8, 4, 0, 0, [](u64 a, u64, u64) { return a; }},
        {"cvt.u32.u64", 1, 4, 8, 0, 0, [](u64 a, u64, u64) { return u64{u(a)}; }},
        {"cvt.s32.s8", 1, 4, 4, 0, 0, [](u64 a, u64, u64) { return u64{u(static_cast<u64>(static_cast<std::int8_t>(a)))}; }},
        {"cvt.u16.u32", 1, 2, 4, 0, 0, [](u64 a, u64, u64) { return a & 0xffff; }},
        {"cvt.sat.u8.s32", 1, 4, 4, 0, 0, [](u64 a, u64, u64) { return static_cast<u64>(std::clamp(s(a), 0, 255)); }},
        {"cvt.sat.s16.s64", 1, 4, 8, 0, 0,
         [](u64 a, u64, u64) { return u64{u(static_cast<u64>(std::clamp<s64>(l(a), -32768, 32767)))}; }},
        {"cvt.rn.f32.s32", 1, 4, 4, 0, 0, [](u64 a, u64, u64) { return bits(static_cast<float>(s(a))); }},
        {"cvt.rn.f32.u64", 1, 4, 8, 0, 0, [](u64 a, u64, u64) { return bits(static_cast<float>(a)); }},
        {"cvt.rz.f32.s32", 1, 4, 4, 0, 0,
         [](u64 a, u64, u64) {
             return bits(rounded(FE_TOWARDZERO, [&] { volatile s32 x = s(a); return static_cast<float>(x); }));
         }},
        {"cvt.rn.f64.u64", 1, 8, 8, 0, 0, [](u64 a, u64, u64) { return bits(static_cast<double>(a)); }},
        {"cvt.f64.f32", 1, 8, 4, 0, 0, [](u64 a, u64, u64) { return bits(double{f(a)}); }},
        {"cvt.rn.f32.f64", 1, 4, 8, 0, 0, [](u64 a, u64, u64) { return bits(static_cast<float>(d(a))); }},
        {"cvt.rzi.s32.f32", 1, 4, 4, 0, 0, [](u64 a, u64, u64) { return saturatingS32(a, std::trunc(double{f(a)})); }},
        {"cvt.rni.s32.f32", 1, 4, 4, 0, 0, [](u64 a, u64, u64) { return saturatingS32(a, std::nearbyint(double{f(a)})); }},
        {"cvt.rmi.f32.f32", 1, 4, 4, 0, 0, [](u64 a, u64, u64) { return bits(std::floor(f(a))); }},
        {"cvt.sat.f32.f32", 1, 4, 4, 0, 0,
         [](u64 a, u64, u64) { return f(a) > 0 ? bits(std::min(f(a), 1.0f)) : u64{0}; }},
        {"cvt.rzi.u64.f64", 1, 8, 8, 0, 0,
         [](u64 a, u64, u64) {
             if (std::isnan(d(a)))
                 return u64{1} << 63; // PTX ISA 9.0: the middle of the range
             if (!(d(a) > 0))
                 return u64{0};
             return d(a) >= 18446744073709551616.0 ? ~u64{0} : static_cast<u64>(d(a));
         }},
    };
    return table;
}

std::vector<u64> operands(unsigned seed)
{
    const std::vector<u64> special{0,
                                   1,
                                   2,
                                   31,
                                   32,
                                   33,
                                   63,
                                   64,
                                   0x7fffffffu,
                                   0x80000000u,
                                   0xffffffffu,
                                   0x3f800000u,
                                   0xbf000000u,
                                   0x7f800000u,
                                   0xff800000u,
                                   0x7fc00001u,
                                   0x00000123u,
                                   0x80000fffu,
                                   0x4f000000u,
                                   0x7f7fffffu,
                                   0x8000000000000000u,
                                   0x7fffffffffffffffu,
                                   0xffffffffffffffffu,
                                   0x3ff0000000000000u,
                                   0x7ff0000000000000u,
                                   0x7ff8000000000001u,
                                   0x000fffffffffffffu,
                                   0x43e0000000000000u};
    std::mt19937_64 random(seed);
    std::vector<u64> values;
    for (std::size_t i = 0; i < special.size() * 32; ++i)
        values.push_back(seed == 1 ? special[i % special.size()] : special[i / special.size() % special.size()]);
    while (values.size() < 2048)
        values.push_back(random() >> (random() % 64));
    return values;
}

std::string reg(int bytes, int number)
{
    return (bytes == 2 ? "%rs" : bytes == 4 ? "%r" : "%rd") + std::to_string(number);
}

std::string move(const char* how, int bytes, int number, int address)
{
    const std::string type = ".b" + std::to_string(bytes * 8) + " ";
    const std::string at = "[%rd" + std::to_string(address) + "]";
    const bool isLoad = how[0] == 'l';
    return std::string(how) + ".global" + type +
           (isLoad ? reg(bytes, number) + ", " + at : at + ", " + reg(bytes, number)) + ";\n";
}

/// Arrays of 64-bit slots: a at pa, b and c 16384 and 32768 bytes on; the result goes to pb.
std::string program(const Case& test, bool partial)
{
    std::string body = "mul.wide.u32 %rd10, %r0, 8; add.s64 %rd11, %rd0, %rd10; add.s64 %rd12, %rd11, 16384;\n"
                       "add.s64 %rd13, %rd11, 32768; add.s64 %rd14, %rd1, %rd10;\n"
                       "rem.u32 %r20, %r0, 3; setp.ne.u32 %p1, %r20, 0;\n";
    body += move("ld", test.a, 4, 11);
    if (test.sources > 1)
        body += move("ld", test.b, 5, 12);
    if (test.sources > 2)
        body += move("ld", test.c, 6, 13);
    body += partial ? "@%p1 " : "";
    body += std::string(test.text) + " " + reg(test.to, 7) + ", " + reg(test.a, 4);
    if (test.sources > 1)
        body += ", " + reg(test.b, 5);
    if (test.sources > 2)
        body += ", " + reg(test.c, 6);
    return handWritten(body + ";\n" + move("st", test.to, 7, 14));
}

u64 low(u64 value, int bytes)
{
    return bytes == 8 ? value : value & ((u64{1} << (8 * bytes)) - 1);
}

} // namespace

class TestSimtOpcodes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void againstHost_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < cases().size(); ++i)
            QTest::newRow(cases()[i].text) << int(i);
    }

    void againstHost()
    {
        QFETCH(int, index);
        const Case& test = cases()[static_cast<std::size_t>(index)];
        const auto a = operands(1);
        const auto b = operands(2);
        const auto c = operands(3);
        std::vector<u64> all(a);
        all.insert(all.end(), b.begin(), b.end());
        all.insert(all.end(), c.begin(), c.end());
        for (const bool partial : {false, true}) {
            Lab lab;
            QVERIFY2(lab.load(program(test, partial)), lab.why());
            const DevicePtr out = lab.put(std::vector<u64>(2048));
            QVERIFY2(lab.run("k", {8}, {256}, {lab.put(all), out, out}), lab.why());
            const auto got = lab.get<u64>(out, 2048);
            for (std::size_t i = 0; i < 2048; ++i) {
                if (partial && i % 3 == 0)
                    continue;
                const u64 expected = low(test.oracle(low(a[i], test.a), low(b[i], test.b == 0 ? 8 : test.b),
                                                     low(c[i], test.c == 0 ? 8 : test.c)),
                                         test.to);
                QVERIFY2(got[i] == expected, qPrintable(QStringLiteral("%1: a %2 b %3 c %4: got %5, expected %6")
                                                            .arg(QLatin1String(test.text))
                                                            .arg(low(a[i], test.a), 0, 16)
                                                            .arg(b[i], 0, 16)
                                                            .arg(c[i], 0, 16)
                                                            .arg(got[i], 0, 16)
                                                            .arg(expected, 0, 16)));
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestSimtOpcodes)
#include "tst_simt_opcodes.moc"
