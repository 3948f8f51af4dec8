// SPDX-License-Identifier: GPL-3.0-or-later
// Integer operations, each defined once more: in 128 bits where the lanes use the operand's own width, bit by bit or
// byte by byte where they use masks and shifts.
#include "tools/oracle/oracle.h"

namespace ridge::gpu::simt::oracle {

namespace {

using T = ScalarType;
__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

/// An operand as the number it stands for.
s128 number(u64 bits, unsigned width, bool isSignedType)
{
    const u64 value = width == 64 ? bits : bits & ((u64{1} << width) - 1);
    const bool negative = isSignedType && (value >> (width - 1) & 1) != 0;
    return negative ? static_cast<s128>(value) - (s128{1} << width) : static_cast<s128>(value);
}

u64 cut(s128 value, unsigned width)
{
    const u64 bits = static_cast<u64>(static_cast<u128>(value));
    return width >= 64 ? bits : bits & ((u64{1} << width) - 1);
}

u64 bit(u64 value, u64 at)
{
    return at < 64 ? value >> at & 1 : 0;
}

struct Width {
    unsigned bits;
    T unsignedType;
    T signedType;
    T bitsType;
};
constexpr std::array<Width, 3> kWidths{
    {{16, T::U16, T::S16, T::B16}, {32, T::U32, T::S32, T::B32}, {64, T::U64, T::S64, T::B64}}};

class List {
public:
    using Expected = std::function<u64(u64, u64, u64, u64)>;

    Case& add(std::string name, LaneOp op, T type, std::array<unsigned, 4> bytes, unsigned to, Expected expected,
              u32 flags = 0)
    {
        Case one;
        one.group = "integers and bits";
        one.name = std::move(name) + "." + std::string(toText(type));
        one.key.op = op;
        one.key.type = type;
        one.flags = flags;
        one.bytes = bytes;
        one.to = to;
        one.expected = std::move(expected);
        all.push_back(std::move(one));
        return all.back();
    }
    std::vector<Case> all;
};

/// Sums, products, quotients: of numbers without end, cut to the result's width.
void addNumbers(List& list)
{
    using Number = s128 (*)(s128 a, s128 b, s128 c);
    struct Row {
        const char* name;
        LaneOp op;
        unsigned sources;
        Number value;
    };
    static const std::vector<Row> rows{
        {"add", LaneOp::Add, 2, [](s128 a, s128 b, s128) { return a + b; }},
        {"sub", LaneOp::Sub, 2, [](s128 a, s128 b, s128) { return a - b; }},
        {"min", LaneOp::Min, 2, [](s128 a, s128 b, s128) { return a < b ? a : b; }},
        {"max", LaneOp::Max, 2, [](s128 a, s128 b, s128) { return a > b ? a : b; }},
        {"abs", LaneOp::Abs, 1, [](s128 a, s128, s128) { return a < 0 ? -a : a; }},
        {"neg", LaneOp::Neg, 1, [](s128 a, s128, s128) { return -a; }},
        {"sad", LaneOp::Sad, 3, [](s128 a, s128 b, s128 c) { return (a < b ? b - a : a - b) + c; }},
        // Of unsigned 64-bit factors the sign of the 128-bit product is wrong and its bits are right.
        {"mul.lo", LaneOp::MulLo, 2, [](s128 a, s128 b, s128) { return s128(u128(a) * u128(b)); }},
        {"mad.lo", LaneOp::MadLo, 3, [](s128 a, s128 b, s128 c) { return s128(u128(a) * u128(b) + u128(c)); }},
        {"div", LaneOp::Div, 2, [](s128 a, s128 b, s128) { return b == 0 ? s128{-1} : a / b; }},
        {"rem", LaneOp::Rem, 2, [](s128 a, s128 b, s128) { return b == 0 ? s128{-1} : a % b; }},
    };
    for (const Width& width : kWidths) {
        const unsigned n = width.bits;
        for (const bool isSignedType : {false, true}) {
            const T type = isSignedType ? width.signedType : width.unsignedType;
            for (const Row& row : rows) {
                if (!isSignedType && (row.op == LaneOp::Abs || row.op == LaneOp::Neg))
                    continue;
                const unsigned bytes = n / 8;
                list.add(row.name, row.op, type, {bytes, row.sources > 1 ? bytes : 0, row.sources > 2 ? bytes : 0, 0},
                         bytes, [=, value = row.value](u64 a, u64 b, u64 c, u64) {
                             return cut(value(number(a, n, isSignedType), number(b, n, isSignedType),
                                              number(c, n, isSignedType)),
                                        n);
                         });
            }
            const unsigned bytes = n / 8;
            const auto high = [=](u64 a, u64 b) {
                const u128 product = u128(number(a, n, isSignedType)) * u128(number(b, n, isSignedType));
                return cut(s128(product >> n), n);
            };
            list.add("mul.hi", LaneOp::MulHi, type, {bytes, bytes, 0, 0}, bytes,
                     [=](u64 a, u64 b, u64, u64) { return high(a, b); });
            list.add("mad.hi", LaneOp::MadHi, type, {bytes, bytes, bytes, 0}, bytes,
                     [=](u64 a, u64 b, u64 c, u64) { return cut(s128{high(a, b)} + c, n); });
            if (n == 64)
                continue;
            list.add("mul.wide", LaneOp::MulWide, type, {bytes, bytes, 0, 0}, 2 * bytes, [=](u64 a, u64 b, u64, u64) {
                return cut(number(a, n, isSignedType) * number(b, n, isSignedType), 2 * n);
            });
            list.add("mad.wide", LaneOp::MadWide, type, {bytes, bytes, 2 * bytes, 0}, 2 * bytes,
                     [=](u64 a, u64 b, u64 c, u64) {
                         return cut(number(a, n, isSignedType) * number(b, n, isSignedType) + c, 2 * n);
                     });
        }
    }
    for (const bool isSignedType : {false, true}) {
        const T type = isSignedType ? T::S32 : T::U32;
        for (const bool high : {false, true}) {
            const auto product = [=](u64 a, u64 b) {
                const s128 whole = number(a, 24, isSignedType) * number(b, 24, isSignedType);
                return cut(high ? whole >> 16 : whole, 32);
            };
            list.add(high ? "mul24.hi" : "mul24.lo", high ? LaneOp::Mul24Hi : LaneOp::Mul24Lo, type, {4, 4, 0, 0}, 4,
                     [=](u64 a, u64 b, u64, u64) { return product(a, b); });
            list.add(high ? "mad24.hi" : "mad24.lo", high ? LaneOp::Mad24Hi : LaneOp::Mad24Lo, type, {4, 4, 4, 0}, 4,
                     [=](u64 a, u64 b, u64 c, u64) { return cut(s128{product(a, b)} + c, 32); });
        }
    }
}

void addLogicAndShifts(List& list)
{
    for (const Width& width : kWidths) {
        const unsigned n = width.bits;
        const unsigned bytes = n / 8;
        struct Row {
            const char* name;
            LaneOp op;
            unsigned table; ///< result for bits a b: bit 2a + b
            bool two;
        };
        for (const Row& row : {Row{"and", LaneOp::And, 8, true}, Row{"or", LaneOp::Or, 14, true},
                               Row{"xor", LaneOp::Xor, 6, true}, Row{"not", LaneOp::Not, 3, false}})
            list.add(row.name, row.op, width.bitsType, {bytes, row.two ? bytes : 0, 0, 0}, bytes,
                     [n, table = row.table](u64 a, u64 b, u64, u64) {
                         u64 value = 0;
                         for (unsigned at = 0; at < n; ++at)
                             value |= u64{table >> (2 * bit(a, at) + bit(b, at)) & 1} << at;
                         return value;
                     });
        list.add("cnot", LaneOp::Cnot, width.bitsType, {bytes, 0, 0, 0}, bytes,
                 [](u64 a, u64, u64, u64) { return u64{a == 0}; });
        list.add("shl", LaneOp::Shl, width.bitsType, {bytes, 4, 0, 0}, bytes,
                 [n](u64 a, u64 b, u64, u64) { return b >= n ? u64{0} : cut(s128(u128{a} << b), n); });
        for (const bool isSignedType : {false, true})
            list.add("shr", LaneOp::Shr, isSignedType ? width.signedType : width.unsignedType, {bytes, 4, 0, 0}, bytes,
                     [=](u64 a, u64 b, u64, u64) {
                         return cut(number(a, n, isSignedType) >> (b < 100 ? b : 100), n); // floor of a / 2^b
                     });
    }
    for (const bool left : {false, true}) {
        for (const bool clamp : {false, true}) {
            const LaneOp op = left ? (clamp ? LaneOp::FunnelLeftClamp : LaneOp::FunnelLeftWrap)
                                   : (clamp ? LaneOp::FunnelRightClamp : LaneOp::FunnelRightWrap);
            list.add(std::string("shf.") + (left ? "l" : "r") + (clamp ? ".clamp" : ".wrap"), op, T::B32, {4, 4, 4, 0},
                     4, [=](u64 a, u64 b, u64 c, u64) {
                         const u64 n = clamp ? (c < 32 ? c : 32) : c % 32;
                         u64 value = 0;
                         for (u64 at = 0; at < 32; ++at) { // bit `at` of the result within b:a
                             const u64 from = left ? at + 32 - n : at + n;
                             value |= (from < 32 ? bit(a, from) : bit(b, from - 32)) << at;
                         }
                         return value;
                     });
        }
    }
}

void addCounts(List& list)
{
    for (const Width& width : {kWidths[1], kWidths[2]}) {
        const unsigned n = width.bits;
        const unsigned bytes = n / 8;
        const auto highest = [n](u64 a, bool isSignedType) {
            const u64 sign = isSignedType ? bit(a, n - 1) : 0;
            int at = static_cast<int>(n) - 1;
            while (at >= 0 && bit(a, static_cast<u64>(at)) == sign)
                --at;
            return at;
        };
        list.add("popc", LaneOp::Popc, width.bitsType, {bytes, 0, 0, 0}, 4, [](u64 a, u64, u64, u64) {
            u64 count = 0;
            for (; a != 0; a &= a - 1)
                ++count;
            return count;
        });
        list.add("clz", LaneOp::Clz, width.bitsType, {bytes, 0, 0, 0}, 4,
                 [=](u64 a, u64, u64, u64) { return u64(static_cast<int>(n) - 1 - highest(a, false)); });
        list.add("brev", LaneOp::Brev, width.bitsType, {bytes, 0, 0, 0}, bytes, [n](u64 a, u64, u64, u64) {
            u64 value = 0;
            for (unsigned at = 0; at < n; ++at)
                value = value << 1 | bit(a, at);
            return value;
        });
        for (const bool isSignedType : {false, true}) {
            const T type = isSignedType ? width.signedType : width.unsignedType;
            list.add("bfind", LaneOp::Bfind, type, {bytes, 0, 0, 0}, 4,
                     [=](u64 a, u64, u64, u64) { return cut(highest(a, isSignedType), 32); });
            list.add("bfind.shiftamt", LaneOp::BfindShift, type, {bytes, 0, 0, 0}, 4, [=](u64 a, u64, u64, u64) {
                const int at = highest(a, isSignedType);
                return cut(at < 0 ? -1 : static_cast<int>(n) - 1 - at, 32);
            });
            list.add("bfe", LaneOp::Bfe, type, {bytes, 4, 4, 0}, bytes, [=](u64 a, u64 b, u64 c, u64) {
                const u64 position = b & 255;
                const u64 length = c & 255;
                const u64 last = position + length - 1 < n ? position + length - 1 : n - 1;
                const u64 fill = isSignedType && length != 0 ? bit(a, last) : 0;
                u64 value = 0;
                for (u64 at = 0; at < n; ++at)
                    value |= (at < length && position + at < n ? bit(a, position + at) : fill) << at;
                return value;
            });
        }
        list.add("bfi", LaneOp::Bfi, width.bitsType, {bytes, bytes, 4, 4}, bytes, [n](u64 a, u64 b, u64 c, u64 e) {
            const u64 position = c & 255;
            const u64 length = e & 255;
            u64 value = 0;
            for (u64 at = 0; at < n; ++at)
                value |= (at >= position && at < position + length ? bit(a, at - position) : bit(b, at)) << at;
            return value;
        });
    }
}

u64 byteOf(u64 low, u64 high, u64 index)
{
    return (index < 4 ? low >> (8 * index) : high >> (8 * (index - 4))) & 255;
}

void addWords(List& list)
{
    struct Mode {
        const char* name;
        PrmtMode mode;
        std::array<std::array<int, 4>, 4> bytes; ///< by c % 4: which byte, lowest first (PTX ISA, table of prmt)
    };
    static const std::array<Mode, 6> modes{
        {{"prmt.f4e", PrmtMode::F4e, {{{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}}}},
         {"prmt.b4e", PrmtMode::B4e, {{{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}}}},
         {"prmt.rc8", PrmtMode::Rc8, {{{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}}},
         {"prmt.ecl", PrmtMode::Ecl, {{{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}}}},
         {"prmt.ecr", PrmtMode::Ecr, {{{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}}}},
         {"prmt.rc16", PrmtMode::Rc16, {{{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}}}}};
    for (const Mode& mode : modes)
        list.add(
            mode.name, LaneOp::Prmt, T::B32, {4, 4, 4, 0}, 4,
            [bytes = mode.bytes](u64 a, u64 b, u64 c, u64) {
                u64 value = 0;
                for (std::size_t at = 0; at < 4; ++at)
                    value |= byteOf(a, b, static_cast<u64>(bytes[c & 3][at])) << (8 * at);
                return value;
            },
            static_cast<u32>(mode.mode));
    list.add(
        "prmt", LaneOp::Prmt, T::B32, {4, 4, 4, 0}, 4,
        [](u64 a, u64 b, u64 c, u64) {
            u64 value = 0;
            for (u64 at = 0; at < 4; ++at) {
                const u64 byte = byteOf(a, b, c >> (4 * at) & 7);
                const bool sign = bit(c, 4 * at + 3) != 0;
                value |= (sign ? bit(byte, 7) * 255 : byte) << (8 * at);
            }
            return value;
        },
        static_cast<u32>(PrmtMode::Index));
    for (const u32 table : {0x00u, 0x01u, 0x1bu, 0x40u, 0x78u, 0x80u, 0x96u, 0xcau, 0xe8u, 0xf8u, 0xfeu, 0xffu})
        list.add(
            "lop3 " + std::to_string(table), LaneOp::Lop3, T::B32, {4, 4, 4, 0}, 4,
            [table](u64 a, u64 b, u64 c, u64) {
                u64 value = 0;
                for (u64 at = 0; at < 32; ++at)
                    value |= u64{table >> (4 * bit(a, at) + 2 * bit(b, at) + bit(c, at)) & 1} << at;
                return value;
            },
            table);
    for (u32 flags = 0; flags < 8; ++flags) {
        const bool signedA = (flags & kDotSignedA) != 0;
        const bool signedB = (flags & kDotSignedB) != 0;
        const std::string types = std::string(signedA ? ".s32" : ".u32") + (signedB ? ".s32" : ".u32");
        const bool upper = (flags & kDotUpper) != 0;
        if (!upper)
            list.add(
                "dp4a" + types, LaneOp::Dp4a, T::B32, {4, 4, 4, 0}, 4,
                [=](u64 a, u64 b, u64 c, u64) {
                    s128 total = c;
                    for (unsigned at = 0; at < 32; at += 8)
                        total += number(a >> at, 8, signedA) * number(b >> at, 8, signedB);
                    return cut(total, 32);
                },
                flags);
        list.add(
            std::string("dp2a") + (upper ? ".hi" : ".lo") + types, LaneOp::Dp2a, T::B32, {4, 4, 4, 0}, 4,
            [=](u64 a, u64 b, u64 c, u64) {
                const unsigned first = upper ? 16 : 0;
                return cut(s128{c} + number(a, 16, signedA) * number(b >> first, 8, signedB) +
                               number(a >> 16, 16, signedA) * number(b >> (first + 8), 8, signedB),
                           32);
            },
            flags);
    }
}

void addRare(List& list)
{
    for (const bool clamp : {false, true}) {
        list.add(clamp ? "bmsk.clamp" : "bmsk.wrap", clamp ? LaneOp::Bmsk : LaneOp::BmskWrap, T::B32, {4, 4, 0, 0}, 4,
                 [clamp](u64 a, u64 b, u64, u64) {
                     const u64 from = clamp ? a : a & 31;
                     const u64 length = clamp ? b : b & 31;
                     u64 value = 0;
                     for (u64 at = 0; at < 32; ++at)
                         value |= u64{at >= from && at - from < length} << at;
                     return value;
                 });
        for (const bool isSignedType : {false, true})
            list.add(clamp ? "szext.clamp" : "szext.wrap", clamp ? LaneOp::SzextClamp : LaneOp::SzextWrap,
                     isSignedType ? T::S32 : T::U32, {4, 4, 0, 0}, 4, [=](u64 a, u64 b, u64, u64) {
                         const u64 width = clamp ? (b < 32 ? b : 32) : b & 31;
                         return width == 0 ? u64{0} : cut(number(a, static_cast<unsigned>(width), isSignedType), 32);
                     });
    }
    list.add("fns", LaneOp::Fns, T::B32, {4, 4, 4, 0}, 4, [](u64 a, u64 b, u64 c, u64) {
        // The set bits from the base on, in the direction of the offset's sign, counted from one.
        const s128 offset = number(c, 32, true);
        std::vector<u64> found;
        for (s128 at = static_cast<s128>(b); at >= 0 && at < 32; at += offset < 0 ? -1 : 1) {
            if (bit(a, static_cast<u64>(at)) != 0)
                found.push_back(static_cast<u64>(at));
        }
        if (offset == 0)
            return b < 32 && bit(a, b) != 0 ? b : u64{0xffffffff};
        const s128 wanted = offset < 0 ? -offset : offset;
        return wanted <= static_cast<s128>(found.size()) ? found[static_cast<std::size_t>(wanted - 1)]
                                                         : u64{0xffffffff};
    });
}

/// Halves of a word, each on its own.
void addPairs(List& list)
{
    struct Row {
        const char* name;
        LaneOp op;
        s128 (*value)(s128 a, s128 b);
    };
    for (const Row& row : {Row{"add", LaneOp::Add, [](s128 a, s128 b) { return a + b; }},
                           Row{"min", LaneOp::Min, [](s128 a, s128 b) { return a < b ? a : b; }},
                           Row{"max", LaneOp::Max, [](s128 a, s128 b) { return a < b ? b : a; }}}) {
        for (const bool isSignedType : {false, true}) {
            for (const bool relu : {false, true}) {
                if (relu && (!isSignedType || row.op == LaneOp::Add))
                    continue;
                Case& one =
                    list.add(std::string(row.name) + (relu ? ".relu" : ""), row.op, isSignedType ? T::S16x2 : T::U16x2,
                             {4, 4, 0, 0}, 4, [=, value = row.value](u64 a, u64 b, u64, u64) {
                                 u64 both = 0;
                                 for (const unsigned at : {0u, 16u}) {
                                     const s128 half =
                                         value(number(a >> at, 16, isSignedType), number(b >> at, 16, isSignedType));
                                     both |= cut(relu && half < 0 ? s128{0} : half, 16) << at;
                                 }
                                 return both;
                             });
                one.key.relu = relu;
                one.flags = laneFlags(one.key);
            }
        }
    }
}

} // namespace

std::vector<Case> integerCases()
{
    List list;
    addNumbers(list);
    addLogicAndShifts(list);
    addCounts(list);
    addWords(list);
    addRare(list);
    addPairs(list);
    return std::move(list.all);
}

} // namespace ridge::gpu::simt::oracle
