// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/gguf_blocks.h"

#include "memory/formats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace ridge::memory {
namespace {

// Block sizes: ggml-common.h of llama.cpp, held to gguf 0.19.0's GGML_QUANT_SIZES.
constexpr GgufBlock kBlocks[] = {
    {GgufType::Q4_0, "q4_0", 32, 18, true},    {GgufType::Q4_1, "q4_1", 32, 20, true},
    {GgufType::Q5_0, "q5_0", 32, 22, true},    {GgufType::Q5_1, "q5_1", 32, 24, true},
    {GgufType::Q8_0, "q8_0", 32, 34, true},    {GgufType::Q2_K, "q2_k", 256, 84, false},
    {GgufType::Q3_K, "q3_k", 256, 110, false}, {GgufType::Q4_K, "q4_k", 256, 144, true},
    {GgufType::Q5_K, "q5_k", 256, 176, true},  {GgufType::Q6_K, "q6_k", 256, 210, true},
};

constexpr std::size_t kBlock = 32, kSuper = 256;

const NumberFormat& half()
{
    static const NumberFormat& format = *findFormat("fp16");
    return format;
}

/// False: it is infinite.
bool putHalf(std::uint8_t* at, float value)
{
    const auto bits = static_cast<std::uint16_t>(encode(half(), value).bits);
    at[0] = static_cast<std::uint8_t>(bits);
    at[1] = static_cast<std::uint8_t>(bits >> 8);
    return (bits & 0x7fff) < 0x7c00;
}

float getHalf(const std::uint8_t* at)
{
    return static_cast<float>(decode(half(), static_cast<std::uint64_t>(at[0] | at[1] << 8)));
}

/// 1 / d, or 0 where that is no number: the block is then all zeros.
float inverse(float d)
{
    const float one = d != 0 ? 1 / d : 0;
    return std::isfinite(one) ? one : 0;
}

int nearest(float value)
{
    return static_cast<int>(std::nearbyintf(value));
}

int clamped(int value, int least, int most)
{
    return std::max(least, std::min(value, most));
}

/// The number with the largest size, with its sign.
float extreme(std::span<const float> values)
{
    float found = 0, size = 0;
    for (const float value : values)
        if (size < std::fabs(value)) {
            size = std::fabs(value);
            found = value;
        }
    return found;
}

struct Basic { ///< q4_0, q4_1, q5_0, q5_1: one recipe
    int bits;
    bool least; ///< a least value is stored; else the middle code is 0
    std::size_t head() const { return least ? 4 : 2; }
    int top() const { return (1 << bits) - 1; }
};

Basic basicOf(GgufType type)
{
    const bool five = type == GgufType::Q5_0 || type == GgufType::Q5_1;
    return {five ? 5 : 4, type == GgufType::Q4_1 || type == GgufType::Q5_1};
}

bool encodeBasic(const Basic& basic, std::span<const float> x, std::uint8_t* out)
{
    float d = 0, base = 0, add = 0.5F;
    if (basic.least) {
        const auto [low, high] = std::minmax_element(x.begin(), x.end());
        base = *low;
        d = (*high - *low) / static_cast<float>(basic.top());
    } else {
        const int middle = 1 << (basic.bits - 1);
        d = extreme(x) / static_cast<float>(-middle);
        add += static_cast<float>(middle);
    }
    bool good = putHalf(out, d);
    if (basic.least)
        good = putHalf(out + 2, base) && good;
    if (!good)
        return false;
    const float id = inverse(d);
    std::uint8_t* nibbles = out + basic.head() + (basic.bits == 5 ? 4 : 0);
    std::uint32_t fifth = 0;
    for (std::size_t j = 0; j < kBlock; ++j) {
        const auto code =
            static_cast<std::uint32_t>(clamped(static_cast<int>((x[j] - base) * id + add), 0, basic.top()));
        fifth |= (code >> 4) << j;
        std::uint8_t& at = nibbles[j % 16];
        at = static_cast<std::uint8_t>(j < 16 ? code & 15 : at | (code & 15) << 4);
    }
    if (basic.bits == 5)
        for (int i = 0; i < 4; ++i)
            out[basic.head() + static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(fifth >> (8 * i));
    return true;
}

void decodeBasic(const Basic& basic, const std::uint8_t* in, std::span<float> out)
{
    const float d = getHalf(in), base = basic.least ? getHalf(in + 2) : 0;
    const int zero = basic.least ? 0 : 1 << (basic.bits - 1);
    const std::uint8_t* fifth = in + basic.head();
    const std::uint8_t* nibbles = fifth + (basic.bits == 5 ? 4 : 0);
    for (std::size_t j = 0; j < kBlock; ++j) {
        int code = j < 16 ? nibbles[j] & 15 : nibbles[j - 16] >> 4;
        if (basic.bits == 5)
            code |= (fifth[j / 8] >> (j % 8) & 1) << 4;
        out[j] = static_cast<float>(code - zero) * d + base;
    }
}

bool encodeQ8(std::span<const float> x, std::uint8_t* out)
{
    const float d = std::fabs(extreme(x)) / 127;
    const float id = inverse(d);
    for (std::size_t j = 0; j < kBlock; ++j)
        out[2 + j] = static_cast<std::uint8_t>(static_cast<int>(std::roundf(x[j] * id)));
    return putHalf(out, d);
}

/// A part of q4_k or q5_k: codes 0 to `top`, number = scale × code - least. Starts at the extremes, then tries `steps`
/// slightly different steps, each with the weighted least squares fit, and keeps the best.
struct Fit {
    float scale = 0, least = 0;
};

Fit fitPart(std::span<const float> x, int top, float first, int steps)
{
    float squares = 0;
    for (const float value : x)
        squares += value * value;
    const float usual = std::sqrt(squares / static_cast<float>(x.size()));
    float low = x[0], high = x[0], sumW = 0, sumX = 0;
    std::array<float, kBlock> weight{};
    for (std::size_t i = 0; i < x.size(); ++i) {
        weight[i] = usual + std::fabs(x[i]);
        low = std::min(low, x[i]);
        high = std::max(high, x[i]);
        sumW += weight[i];
        sumX += weight[i] * x[i];
    }
    low = std::min(low, 0.0F);
    if (high == low)
        return {0, -low};
    const auto codeOf = [&](float inverted, float value) { return clamped(nearest(inverted * (value - low)), 0, top); };
    const auto errorOf = [&](float inverted, float scale, float least) {
        float sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const float off = scale * static_cast<float>(codeOf(inverted, x[i])) + least - x[i];
            sum += weight[i] * off * off;
        }
        return sum;
    };
    const float range = high - low;
    float scale = range / static_cast<float>(top), least = low;
    float best = errorOf(static_cast<float>(top) / range, scale, low);
    for (int step = 0; step <= steps; ++step) {
        const float inverted = (first + 0.1F * static_cast<float>(step) + static_cast<float>(top)) / range;
        float sumL = 0, sumLL = 0, sumXL = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const auto code = static_cast<float>(codeOf(inverted, x[i]));
            sumL += weight[i] * code;
            sumLL += weight[i] * code * code;
            sumXL += weight[i] * code * x[i];
        }
        const float det = sumW * sumLL - sumL * sumL;
        if (det <= 0)
            continue;
        float newScale = (sumW * sumXL - sumX * sumL) / det;
        float newLeast = (sumLL * sumX - sumL * sumXL) / det;
        if (newLeast > 0) {
            newLeast = 0;
            newScale = sumXL / sumLL;
        }
        const float error = errorOf(inverted, newScale, newLeast);
        if (error < best) {
            best = error;
            scale = newScale;
            least = newLeast;
        }
    }
    return {scale, -least};
}

/// Scale and least of a part: six bits each, eight of them in twelve bytes.
void putSix(std::uint8_t* at, std::size_t part, int scale, int least)
{
    const auto byte = [](int value) { return static_cast<std::uint8_t>(value); };
    if (part < 4) {
        at[part] = byte(scale);
        at[part + 4] = byte(least);
        return;
    }
    at[part + 4] = byte((scale & 15) | (least & 15) << 4);
    at[part - 4] = byte(at[part - 4] | (scale >> 4) << 6);
    at[part] = byte(at[part] | (least >> 4) << 6);
}

std::array<int, 2> getSix(const std::uint8_t* at, std::size_t part)
{
    if (part < 4)
        return {at[part] & 63, at[part + 4] & 63};
    return {(at[part + 4] & 15) | (at[part - 4] >> 6) << 4, at[part + 4] >> 4 | (at[part] >> 6) << 4};
}

bool encodeQ45(int bits, std::span<const float> x, std::span<std::uint8_t> out)
{
    const int top = (1 << bits) - 1;
    std::array<Fit, 8> fits;
    float mostScale = 0, mostLeast = 0;
    for (std::size_t part = 0; part < 8; ++part) {
        fits[part] = fitPart(x.subspan(part * 32, 32), top, bits == 4 ? -1.0F : -0.5F, bits == 4 ? 20 : 15);
        mostScale = std::max(mostScale, fits[part].scale);
        mostLeast = std::max(mostLeast, fits[part].least);
    }
    std::fill(out.begin(), out.end(), std::uint8_t{0});
    if (!putHalf(&out[0], mostScale / 63) || !putHalf(&out[2], mostLeast / 63))
        return false;
    const float perScale = mostScale > 0 ? 63 / mostScale : 0, perLeast = mostLeast > 0 ? 63 / mostLeast : 0;
    const float d = getHalf(&out[0]), dLeast = getHalf(&out[2]);
    std::uint8_t* fifth = &out[16];
    std::uint8_t* nibbles = fifth + (bits == 5 ? 32 : 0);
    for (std::size_t part = 0; part < 8; ++part) {
        putSix(&out[4], part, clamped(nearest(perScale * fits[part].scale), 0, 63),
               clamped(nearest(perLeast * fits[part].least), 0, 63));
        const auto [scale, least] = getSix(&out[4], part);
        const float step = d * static_cast<float>(scale), below = dLeast * static_cast<float>(least);
        for (std::size_t i = 0; i < 32; ++i) {
            const int code = step != 0 ? clamped(nearest((x[part * 32 + i] + below) / step), 0, top) : 0;
            std::uint8_t& at = nibbles[part / 2 * 32 + i];
            at = static_cast<std::uint8_t>(at | (code & 15) << (part % 2 * 4));
            if (bits == 5)
                fifth[i] = static_cast<std::uint8_t>(fifth[i] | (code >> 4) << part);
        }
    }
    return true;
}

void decodeQ45(int bits, std::span<const std::uint8_t> in, std::span<float> out)
{
    const float d = getHalf(&in[0]), dLeast = getHalf(&in[2]);
    const std::uint8_t* fifth = &in[16];
    const std::uint8_t* nibbles = fifth + (bits == 5 ? 32 : 0);
    for (std::size_t part = 0; part < 8; ++part) {
        const auto [scale, least] = getSix(&in[4], part);
        const float step = d * static_cast<float>(scale), below = dLeast * static_cast<float>(least);
        for (std::size_t i = 0; i < 32; ++i) {
            int code = nibbles[part / 2 * 32 + i] >> (part % 2 * 4) & 15;
            if (bits == 5)
                code |= (fifth[i] >> part & 1) << 4;
            out[part * 32 + i] = step * static_cast<float>(code) - below;
        }
    }
}

/// A part of q6_k: codes -32 to 31, number = scale × code, weights x².
float fitSymmetric(std::span<const float> x)
{
    const float most = extreme(x);
    if (std::fabs(most) < 1e-15F) // GROUP_MAX_EPS of llama.cpp
        return 0;
    float scale = 0, best = 0;
    for (int step = -10; step <= 9; ++step) { // the first is the middle one, as it decides ties
        const int tried = step == -10 ? 0 : step;
        if (step == 0)
            continue;
        const float inverted = -(32 + 0.1F * static_cast<float>(tried)) / most;
        float sumXL = 0, sumLL = 0;
        for (const float value : x) {
            const auto code = static_cast<float>(clamped(nearest(inverted * value), -32, 31));
            const float weight = value * value;
            sumXL += weight * value * code;
            sumLL += weight * code * code;
        }
        if (sumLL > 0 && sumXL * sumXL > best * sumLL) {
            scale = sumXL / sumLL;
            best = scale * sumXL;
        }
    }
    return scale;
}

bool encodeQ6(std::span<const float> x, std::span<std::uint8_t> out)
{
    std::array<float, 16> scales{};
    if (std::fabs(extreme(x)) > 65504.0F * 128 * 32) // codes and scales at their ends; squares stay finite below it
        return false;
    for (std::size_t part = 0; part < 16; ++part)
        scales[part] = fitSymmetric(x.subspan(part * 16, 16));
    std::fill(out.begin(), out.end(), std::uint8_t{0});
    const float most = extreme(scales);
    if (std::fabs(most) < 1e-15F)
        return true;
    const float inverted = -128 / most;
    if (!putHalf(&out[208], 1 / inverted))
        return false;
    const float d = getHalf(&out[208]);
    for (std::size_t part = 0; part < 16; ++part) {
        const int scale = clamped(nearest(inverted * scales[part]), -128, 127);
        out[192 + part] = static_cast<std::uint8_t>(scale);
        const float step = d * static_cast<float>(scale);
        for (std::size_t i = part * 16; i < part * 16 + 16; ++i) {
            const int code = step != 0 ? clamped(nearest(x[i] / step), -32, 31) + 32 : 32;
            const std::size_t group = i / 128, at = i % 32, quarter = i % 128 / 32;
            std::uint8_t& low = out[group * 64 + at + quarter % 2 * 32];
            std::uint8_t& high = out[128 + group * 32 + at];
            low = static_cast<std::uint8_t>(low | (code & 15) << (quarter / 2 * 4));
            high = static_cast<std::uint8_t>(high | (code >> 4) << (quarter * 2));
        }
    }
    return true;
}

void decodeQ6(std::span<const std::uint8_t> in, std::span<float> out)
{
    const float d = getHalf(&in[208]);
    for (std::size_t i = 0; i < kSuper; ++i) {
        const std::size_t group = i / 128, at = i % 32, quarter = i % 128 / 32;
        const int low = in[group * 64 + at + quarter % 2 * 32] >> (quarter / 2 * 4) & 15;
        const int high = in[128 + group * 32 + at] >> (quarter * 2) & 3;
        const auto scale = static_cast<float>(static_cast<std::int8_t>(in[192 + i / 16]));
        out[i] = d * scale * static_cast<float>((low | high << 4) - 32);
    }
}

} // namespace

std::span<const GgufBlock> ggufBlocks()
{
    return kBlocks;
}

const GgufBlock* findGgufBlock(std::string_view id)
{
    for (const GgufBlock& block : kBlocks)
        if (block.id == id)
            return &block;
    return nullptr;
}

bool encodeGguf(const GgufBlock& block, std::span<const float> values, std::span<std::uint8_t> out)
{
    if (!block.codec || values.size() != block.elements || out.size() != block.bytes)
        throw std::logic_error("encodeGguf: not a block of a type that it encodes");
    for (const float value : values)
        if (!std::isfinite(value))
            return false;
    switch (block.type) {
    case GgufType::Q8_0:
        return encodeQ8(values, out.data());
    case GgufType::Q4_K:
        return encodeQ45(4, values, out);
    case GgufType::Q5_K:
        return encodeQ45(5, values, out);
    case GgufType::Q6_K:
        return encodeQ6(values, out);
    default:
        return encodeBasic(basicOf(block.type), values, out.data());
    }
}

void decodeGguf(const GgufBlock& block, std::span<const std::uint8_t> bytes, std::span<float> out)
{
    if (!block.codec || bytes.size() != block.bytes || out.size() != block.elements)
        throw std::logic_error("decodeGguf: not a block of a type that it decodes");
    switch (block.type) {
    case GgufType::Q8_0: {
        const float d = getHalf(bytes.data());
        for (std::size_t j = 0; j < kBlock; ++j)
            out[j] = static_cast<float>(static_cast<std::int8_t>(bytes[2 + j])) * d;
        return;
    }
    case GgufType::Q4_K:
        return decodeQ45(4, bytes, out);
    case GgufType::Q5_K:
        return decodeQ45(5, bytes, out);
    case GgufType::Q6_K:
        return decodeQ6(bytes, out);
    default:
        return decodeBasic(basicOf(block.type), bytes.data(), out);
    }
}

} // namespace ridge::memory
