// SPDX-License-Identifier: GPL-3.0-or-later
// Video instructions, once more: whole numbers, elements taken out by division, from the pseudo-code of the PTX
// ISA ("Video Instructions"). Every combination of kind, signs, clamping and third operand; parts and picks take turns.
#include "gpu/simt/lanes/video.h"
#include "tools/oracle/oracle.h"

#include <algorithm>

namespace ridge::gpu::simt::oracle {

namespace {

using Kind = VideoSpec::Kind;
using Part = VideoSpec::Part;
using Second = VideoSpec::Second;
using whole = std::int64_t;
__extension__ typedef __int128 wide; ///< for products, and shifts that leave 64 bits

whole power(unsigned bits)
{
    return whole{1} << bits;
}

template<class Number>
Number floorOf(Number value, whole by)
{
    const Number cut = value / by;
    return cut * by > value ? cut - 1 : cut;
}

template<class Number>
whole modulo(Number value, whole by)
{
    return static_cast<whole>(value - floorOf(value, by) * by);
}

/// What `bits` bits of a register from bit `from` on stand for.
whole field(u64 word, unsigned from, unsigned bits, bool isSigned)
{
    const whole value = modulo(floorOf(static_cast<whole>(word), power(from)), power(bits));
    return isSigned && value >= power(bits - 1) ? value - power(bits) : value;
}

struct Cut {
    unsigned from, bits;
};

Cut cutOf(Part part)
{
    switch (part) {
    case Part::Word:
        return {0, 32};
    case Part::H0:
        return {0, 16};
    case Part::H1:
        return {16, 16};
    default:
        return {8 * static_cast<unsigned>(part), 8};
    }
}

template<class Number>
Number within(Number value, unsigned bits, bool isSigned)
{
    const Number least = isSigned ? -power(bits - 1) : 0, most = least + power(bits) - 1;
    return value < least ? least : value > most ? most : value;
}

bool holds(Compare compare, whole a, whole b)
{
    switch (compare) {
    case Compare::Eq:
        return a == b;
    case Compare::Ne:
        return a != b;
    case Compare::Lt:
        return a < b;
    case Compare::Le:
        return a <= b;
    case Compare::Gt:
        return a > b;
    default:
        return a >= b;
    }
}

whole primary(const VideoSpec& spec, whole a, whole b)
{
    switch (spec.kind) {
    case Kind::Add:
        return a + b;
    case Kind::Sub:
        return a - b;
    case Kind::AbsDiff:
        return a < b ? b - a : a - b;
    case Kind::Min:
        return a < b ? a : b;
    case Kind::Max:
        return a < b ? b : a;
    case Kind::Average:
        return floorOf(a + b >= 0 ? a + b + 1 : a + b, 2);
    case Kind::Set:
        return holds(spec.compare, a, b) ? 1 : 0;
    default:
        break;
    }
    const whole by = !spec.clampShift ? modulo(b, 32) : b > 32 ? whole{32} : b;
    if (spec.kind == Kind::Shr)
        return floorOf(a, power(static_cast<unsigned>(by)));
    // Intermediate results have 34 bits.
    const whole shifted = modulo(wide{a} * power(static_cast<unsigned>(by)), power(34));
    return shifted >= power(33) ? shifted - power(34) : shifted;
}

u64 product(const VideoSpec& spec, whole a, whole b, u64 c)
{
    const bool isSigned = spec.signedA || spec.signedB || spec.negateProduct || spec.negateC;
    // A sign is a complement and an added one: of the product in all its bits, of the third operand in 32.
    const whole third = field(spec.negateC ? c ^ 0xffffffffu : c, 0, 32, isSigned);
    wide sum = third + (spec.negateProduct ? -(wide{a} * b) - 1 : wide{a} * b);
    sum += spec.plusOne || spec.negateProduct || spec.negateC ? 1 : 0;
    sum = floorOf(sum, power(spec.scale));
    return static_cast<u64>(modulo(spec.saturate ? within(sum, 32, isSigned) : sum, power(32)));
}

u64 scalarForm(const VideoSpec& spec, u64 x, u64 y, u64 c)
{
    const Cut from = cutOf(spec.a), with = cutOf(spec.b), to = cutOf(spec.d);
    const whole a = field(x, from.from, from.bits, spec.signedA), b = field(y, with.from, with.bits, spec.signedB);
    if (spec.kind == Kind::Mad)
        return product(spec, a, b, c);
    whole result = primary(spec, a, b);
    if (spec.saturate)
        result = within(result, to.bits, spec.signedD);
    const whole third = field(c, 0, 32, spec.signedD);
    if (spec.second == Second::Add)
        result += third;
    else if (spec.second == Second::Min)
        result = result < third ? result : third;
    else if (spec.second == Second::Max)
        result = result < third ? third : result;
    if (spec.d == Part::Word)
        return static_cast<u64>(modulo(result, power(32)));
    const whole there = field(c, to.from, to.bits, false), put = modulo(result, power(to.bits));
    return static_cast<u64>(static_cast<whole>(c) + (put - there) * power(to.from));
}

u64 elementForm(const VideoSpec& spec, u64 x, u64 y, u64 c)
{
    const unsigned count = spec.elements, bits = 32 / count;
    whole merged = 0, total = static_cast<whole>(c);
    for (unsigned at = 0; at < count; ++at) {
        const auto picked = [&](unsigned index, bool isSigned) {
            return field(index < count ? x : y, index % count * bits, bits, isSigned);
        };
        whole result = primary(spec, picked(spec.pickA[at], spec.signedA), picked(spec.pickB[at], spec.signedB));
        if (spec.saturate)
            result = within(result, bits, spec.signedD);
        const bool isComputed = (spec.mask >> at & 1) != 0;
        total += isComputed ? result : 0;
        merged += (isComputed ? modulo(result, power(bits)) : field(c, at * bits, bits, false)) * power(at * bits);
    }
    return static_cast<u64>(modulo(spec.second == Second::Add ? total : merged, power(32)));
}

struct Name {
    Kind kind;
    const char* text;
};
constexpr std::array<Name, 10> kNames{{{Kind::Add, "vadd"},
                                       {Kind::Sub, "vsub"},
                                       {Kind::AbsDiff, "vabsdiff"},
                                       {Kind::Min, "vmin"},
                                       {Kind::Max, "vmax"},
                                       {Kind::Average, "vavrg"},
                                       {Kind::Shl, "vshl"},
                                       {Kind::Shr, "vshr"},
                                       {Kind::Set, "vset"},
                                       {Kind::Mad, "vmad"}}};

class List {
public:
    void add(const VideoSpec& spec)
    {
        const unsigned number = static_cast<unsigned>(all.size());
        const auto name =
            std::find_if(kNames.begin(), kNames.end(), [&](const Name& row) { return row.kind == spec.kind; });
        Case one;
        one.group = "video";
        one.name = std::string(name->text) + (spec.elements > 1 ? std::to_string(spec.elements) : "") + ", form " +
                   std::to_string(number);
        one.alone = findVideoOp();
        one.imm = packVideo(spec);
        one.bytes = {4, 4, 4, 0};
        one.expected = [spec](u64 a, u64 b, u64 c, u64) {
            return spec.elements == 1 ? scalarForm(spec, a, b, c) : elementForm(spec, a, b, c);
        };
        all.push_back(std::move(one));
    }
    std::vector<Case> all;
};

constexpr std::array<Compare, 6> kCompares{Compare::Eq, Compare::Ne, Compare::Lt,
                                           Compare::Le, Compare::Gt, Compare::Ge};

void addScalars(List& list)
{
    unsigned turn = 0;
    const auto part = [&](unsigned step) { return static_cast<Part>((turn + step) % 7); };
    for (const Name& name : kNames) {
        if (name.kind == Kind::Average || name.kind == Kind::Mad)
            continue;
        const bool isShift = name.kind == Kind::Shl || name.kind == Kind::Shr, isSet = name.kind == Kind::Set;
        // Signs of the result and both sources, clamping, the kind of shift or the comparison, the third operand.
        for (unsigned bits = 0; bits < 16; ++bits) {
            for (unsigned way = 0; way < (isShift ? 2u : isSet ? 6u : 1u); ++way) {
                for (unsigned third = 0; third < 5; ++third, turn += 3) {
                    VideoSpec spec;
                    spec.kind = name.kind;
                    spec.signedA = (bits & 1) != 0;
                    spec.signedB = !isShift && (bits & 2) != 0;
                    spec.signedD = !isSet && (bits & 4) != 0;
                    spec.saturate = !isSet && (bits & 8) != 0;
                    if ((isShift && (bits & 2) != 0) || (isSet && bits > 3))
                        continue;
                    spec.clampShift = isShift && way == 1;
                    spec.compare = isSet ? kCompares[way] : Compare::Eq;
                    spec.second = third < 4 ? static_cast<Second>(third) : Second::None;
                    spec.a = part(0);
                    spec.b = part(turn / 7);
                    spec.d = third == 4 ? static_cast<Part>(turn % 6) : Part::Word;
                    list.add(spec);
                }
            }
        }
    }
}

void addProducts(List& list)
{
    unsigned turn = 0;
    for (unsigned bits = 0; bits < 8; ++bits) {
        for (const std::uint8_t scale : {std::uint8_t{0}, std::uint8_t{7}, std::uint8_t{15}}) {
            for (unsigned sign = 0; sign < 4; ++sign, turn += 3) {
                VideoSpec spec;
                spec.kind = Kind::Mad;
                spec.signedA = (bits & 1) != 0;
                spec.signedB = (bits & 2) != 0;
                spec.saturate = (bits & 4) != 0;
                spec.scale = scale;
                spec.plusOne = sign == 1;
                spec.negateProduct = sign == 2;
                spec.negateC = sign == 3;
                spec.a = static_cast<Part>(turn % 7);
                spec.b = static_cast<Part>(turn / 7 % 7);
                list.add(spec);
            }
        }
    }
}

void addElements(List& list)
{
    unsigned turn = 0;
    for (const Name& name : kNames) {
        const bool isSet = name.kind == Kind::Set;
        if (name.kind == Kind::Shl || name.kind == Kind::Shr || name.kind == Kind::Mad)
            continue;
        for (const std::uint8_t elements : {std::uint8_t{2}, std::uint8_t{4}}) {
            for (unsigned bits = 0; bits < 8; ++bits) {
                for (unsigned third = 0; third < 3; ++third, turn += 5) {
                    VideoSpec spec;
                    spec.kind = name.kind;
                    spec.elements = elements;
                    spec.signedA = (bits & 1) != 0;
                    spec.signedB = (bits & 2) != 0;
                    spec.signedD = !isSet && (bits & 4) != 0;
                    spec.saturate = !isSet && third == 1;
                    spec.second = third == 2 ? Second::Add : Second::None;
                    spec.compare = kCompares[turn % 6];
                    spec.mask = static_cast<std::uint8_t>(1 + turn % ((1u << elements) - 1));
                    for (unsigned at = 0; at < elements; ++at) {
                        spec.pickA[at] = static_cast<std::uint8_t>((at + turn) % (2u * elements));
                        spec.pickB[at] = static_cast<std::uint8_t>((elements + at * (turn % 3)) % (2u * elements));
                    }
                    list.add(spec);
                }
            }
        }
    }
}

} // namespace

std::vector<Case> videoCases()
{
    List list;
    addScalars(list);
    addProducts(list);
    addElements(list);
    return std::move(list.all);
}

} // namespace ridge::gpu::simt::oracle
