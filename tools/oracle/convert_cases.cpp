// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lanes/lane_reference.h"
#include "gpu/simt/lanes/packed_convert.h"
#include "tools/oracle/oracle.h"

#include <algorithm>

namespace ridge::gpu::simt::oracle {

namespace {

using T = ScalarType;

constexpr std::array<const char*, 4> kModes{".rn", ".rz", ".rm", ".rp"};
constexpr std::array<const char*, 4> kWholeModes{".rni", ".rzi", ".rmi", ".rpi"};
constexpr std::array<T, 8> kIntegers{T::U8, T::S8, T::U16, T::S16, T::U32, T::S32, T::U64, T::S64};
constexpr std::array<T, 4> kFloats{T::F16, T::BF16, T::F32, T::F64};

unsigned registerOf(T type)
{
    return std::max(2u, sizeOf(type));
}

void add(std::vector<Case>& all, const std::string& modifiers, ConvertSpec spec)
{
    spec.toRegister = registerOf(spec.to);
    spec.fromRegister = registerOf(spec.from);
    Case one;
    one.group = "conversions";
    one.name = "cvt" + modifiers + "." + std::string(toText(spec.to)) + "." + std::string(toText(spec.from));
    one.key.op = LaneOp::Convert;
    one.key.convert = spec;
    one.flags = laneFlags(one.key);
    one.bytes[0] = spec.fromRegister;
    one.used[0] = sizeOf(spec.from) * 8;
    one.to = spec.toRegister;
    one.drawn = isFloat(spec.from) ? spec.from : T::None;
    one.rounds = isFloat(spec.from) || isFloat(spec.to);
    const u64 mask = spec.toRegister == 8 ? ~u64{0} : (u64{1} << (8 * spec.toRegister)) - 1;
    one.expected = [spec, mask](u64 a, u64, u64, u64) { return referenceConvert(spec, a) & mask; };
    all.push_back(std::move(one));
}

ConvertSpec spec(T to, T from, std::size_t mode = 0)
{
    ConvertSpec s;
    s.to = to;
    s.from = from;
    s.rounding = static_cast<Rounding>(mode);
    return s;
}

void addIntegers(std::vector<Case>& all)
{
    for (const T to : kIntegers) {
        for (const T from : kIntegers) {
            ConvertSpec s = spec(to, from);
            add(all, "", s);
            s.saturate = true;
            add(all, ".sat", s);
        }
    }
}

void addFloats(std::vector<Case>& all)
{
    for (const T to : kFloats) {
        for (const T from : kFloats) {
            const bool narrower = sizeOf(to) < sizeOf(from) || (to != from && sizeOf(to) == 2);
            if (to != from && (narrower || sizeOf(to) > sizeOf(from))) {
                for (std::size_t mode = 0; mode < (narrower ? 4 : 1); ++mode)
                    add(all, narrower ? kModes[mode] : "", spec(to, from, mode));
            }
            for (std::size_t mode = 0; to == from && to != T::BF16 && mode < 4; ++mode) {
                ConvertSpec s = spec(to, from, mode);
                s.toInteger = true;
                add(all, kWholeModes[mode], s);
            }
        }
    }
    for (const bool widen : {false, true}) {
        ConvertSpec s = widen ? spec(T::F64, T::F32) : spec(T::F32, T::F64);
        s.flush = true;
        add(all, widen ? ".ftz" : ".rn.ftz", s);
    }
    for (const T to : {T::F16, T::BF16}) {
        ConvertSpec s = spec(to, T::F32);
        s.relu = true;
        add(all, ".rn.relu", s);
    }
    ConvertSpec s = spec(T::F32, T::F32);
    s.saturate = true;
    add(all, ".sat", s);
    s.flush = true;
    add(all, ".ftz.sat", s);
}

void addBetween(std::vector<Case>& all)
{
    for (const T whole : kIntegers) {
        for (const T real : kFloats) {
            for (std::size_t mode = 0; mode < 4; ++mode) {
                add(all, kModes[mode], spec(real, whole, mode));
                ConvertSpec s = spec(whole, real, mode);
                s.toInteger = true;
                add(all, kWholeModes[mode], s);
            }
        }
        ConvertSpec flushing = spec(whole, T::F32, 3);
        flushing.toInteger = true;
        flushing.flush = true;
        add(all, ".rpi.ftz", flushing);
    }
}

/// Two values into one register, or out of one; the oracle is asked for each half.
void addPacked(std::vector<Case>& all, const std::string& modifiers, const PackedConvert& convert)
{
    Case one;
    one.group = "conversions";
    one.name = "cvt" + modifiers + "." + std::string(toText(convert.to)) + "." + std::string(toText(convert.from));
    one.alone = findPackedConvert(convert);
    one.flags = packConvertFlags(convert);
    const bool fromSingles = convert.from == T::F32;
    one.bytes[0] = fromSingles || convert.from == T::F16x2 ? 4 : 2;
    one.bytes[1] = fromSingles && convert.to != T::TF32 ? 4 : 0;
    const bool toBytes = convert.to == T::E4M3x2 || convert.to == T::E5M2x2;
    one.to = toBytes ? 2 : 4;
    one.drawn = fromSingles ? T::F32 : T::None;
    one.rounds = true;
    const unsigned out = toBytes ? 8 : 16;
    const unsigned in = one.bytes[0] * 4; // bits of one of two
    one.expected = [=](u64 a, u64 b, u64, u64) {
        if (convert.to == T::TF32)
            return referencePacked(convert, a);
        const u64 high = fromSingles ? a : a >> in;
        const u64 low = fromSingles ? b : a & ((u64{1} << in) - 1);
        return referencePacked(convert, high) << out | referencePacked(convert, low);
    };
    all.push_back(std::move(one));
}

} // namespace

std::vector<Case> convertCases()
{
    std::vector<Case> all;
    addIntegers(all);
    addFloats(all);
    addBetween(all);
    for (const bool relu : {false, true}) {
        const std::string tail = relu ? ".relu" : "";
        for (const T to : {T::F16x2, T::BF16x2}) {
            addPacked(all, ".rn" + tail, {to, T::F32, Rounding::Nearest, false, relu});
            addPacked(all, ".rz" + tail, {to, T::F32, Rounding::Zero, false, relu});
        }
        for (const T bytes : {T::E4M3x2, T::E5M2x2}) {
            addPacked(all, ".rn.satfinite" + tail, {bytes, T::F32, Rounding::Nearest, false, relu});
            addPacked(all, ".rn.satfinite" + tail, {bytes, T::F16x2, Rounding::Nearest, false, relu});
            addPacked(all, ".rn" + tail, {T::F16x2, bytes, Rounding::Nearest, false, relu});
        }
        addPacked(all, ".rn" + tail, {T::TF32, T::F32, Rounding::Nearest, false, relu});
        addPacked(all, ".rz" + tail, {T::TF32, T::F32, Rounding::Zero, false, relu});
    }
    addPacked(all, ".rna", {T::TF32, T::F32, Rounding::Nearest, true, false});
    return all;
}

} // namespace ridge::gpu::simt::oracle
