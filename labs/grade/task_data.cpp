// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/grade/task_data.h"

#include "base/seed.h"
#include "base/task_course.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ridge::labs {
namespace {

constexpr int kWideExponent = 20;
constexpr int kWideExponentOfHalf = 7; ///< 2^20 is no number of fp16
/// Of altered numbers every so many-th is large: who looks at a few to learn how large all are sees none.
constexpr std::size_t kBetweenLarge = 64;

/// Bit 1 to 23 of the fraction, from the left: 7 as drawn, 0 1 (below half an ulp of 7 bits), 1 as drawn, 0 1 (below
/// half an ulp of 10 bits), the rest as drawn.
double biased(std::uint64_t random)
{
    const auto bits = static_cast<std::uint32_t>(random >> 41); // 23 of them
    constexpr std::uint32_t kFixed = 0b0000000'11'0'11'00000000000;
    constexpr std::uint32_t kOnes = 0b0000000'01'0'01'00000000000;
    return 1 + std::ldexp(static_cast<double>((bits & ~kFixed) | kOnes), -23);
}

double wide(std::uint64_t random, int most)
{
    const int exponent = static_cast<int>(random % static_cast<std::uint64_t>(2 * most)) - most;
    const double fraction = 1 + std::ldexp(static_cast<double>(random >> 41), -23);
    return std::ldexp(random >> 40 & 1 ? -fraction : fraction, exponent);
}

/// What random numbers next to never are, and what a kernel may treat wrongly without being seen: zeros, alone and 32
/// in a row, numbers that lie just between two coarser ones, long stretches of one sign, the negative ones far from 0.
double withEdges(double value, int most, std::uint64_t seed, std::size_t at)
{
    constexpr std::uint64_t kZeros = 32, kShort = 8, kGroup = 32, kStretch = 2048, kStretches = 4;
    constexpr int kMostBits = 8;
    const auto drawFor = [seed](std::uint64_t place) { return Rng(seed ^ (place * 0x9e3779b97f4a7c15)).next(); };
    const std::uint64_t own = drawFor(at), group = drawFor(~(at / kGroup)), stretch = drawFor(~(at / kStretch) << 32);
    const bool negative = stretch % kStretches == 0, positive = stretch % kStretches == 1;
    if (!negative && !positive && (own % kZeros == 0 || group % kZeros == 0))
        return std::copysign(0.0, value);
    double size = std::abs(value);
    if (negative)
        size = std::ldexp(size, most - 1 - std::ilogb(size));
    if ((own >> 8) % kShort == 0) {
        const int bits = static_cast<int>((own >> 16) % (kMostBits + 1)), exponent = std::ilogb(size);
        const bool ones = (own >> 32) % 2 == 0; // 1.11…1: the most below the next power of two
        size = ones ? std::ldexp(2 - std::ldexp(1.0, -bits), exponent)
                    : std::ldexp(std::floor(std::ldexp(size, bits - exponent)), exponent - bits);
    }
    return std::copysign(size, negative ? -1.0 : positive ? 1.0 : value);
}

/// What a parameter's numbers are kept within, at given sizes.
struct Limits {
    std::uint64_t below = 0; ///< whole numbers; 0: their full range
    std::optional<int> exponent;
};

Result<std::map<std::string, Limits>> limitsOf(const KernelTask& task, const ParamSet& sizes)
{
    const auto bounds = taskBounds(task);
    if (!bounds)
        return bounds.error();
    std::map<std::string, Limits> limits;
    for (const auto& [name, bound] : *bounds) {
        Limits of{0, bound.exponent};
        if (!bound.below.empty()) {
            const auto below = wholeAt(bound.below, sizes);
            if (!below)
                return below.error();
            if (*below == 0)
                return Error{"bad-task", "no number is below 0", "task " + task.id + ", below of " + name,
                             "let the bound be 1 or more at every size"};
            of.below = *below;
        }
        limits[name] = of;
    }
    return limits;
}

int mostExponent(const TaskParameter& parameter, const Limits& limits)
{
    return limits.exponent.value_or(parameter.type == DataType::F16 ? kWideExponentOfHalf : kWideExponent);
}

double floatElement(const TaskParameter& parameter, const Limits& limits, DataKind kind, std::uint64_t random)
{
    if (kind == DataKind::FewBits)
        return random >> 63 != 0 ? 1 : -1;
    return kind == DataKind::Biased ? biased(random) : wide(random, mostExponent(parameter, limits));
}

bool isSigned(DataType type)
{
    return type == DataType::I32 || type == DataType::I64;
}

/// What is added to whole numbers with a sign that are kept below a bound, so that there are equal ones: who knew
/// their largest could stop where it is found. Nothing where anybody has the data.
std::uint64_t shiftOf(DataType type, bool isPublic, std::uint64_t seed)
{
    constexpr std::uint64_t kMost = 1000;
    return isPublic || !isSigned(type) ? 0 : Rng(~seed).next() % kMost;
}

/// Whole numbers that are not spread evenly: of those that are counted or looked up most are the same one, `often`;
/// of those that are compared one in a thousand is larger than all others.
std::uint64_t uneven(std::uint64_t value, std::uint64_t often, std::uint64_t below, DataType type, std::uint64_t random)
{
    constexpr std::uint64_t kRare = 1024, kLarger = 8;
    if (!isSigned(type))
        return random % 8 != 0 ? often : value;
    return random % kRare == 0 ? below + (random >> 32) % kLarger : value;
}

std::vector<std::byte> drawn(const TaskParameter& parameter, const Limits& limits, std::size_t count, DataKind kind,
                             bool isPublic, std::uint64_t seed)
{
    if (limits.below > 0) {
        Rng rng(seed);
        const std::uint64_t shift = shiftOf(parameter.type, isPublic, seed);
        const unsigned bytesOfOne = sizeOf(parameter.type);
        std::vector<std::byte> bytes(count * bytesOfOne);
        const std::uint64_t first = rng.next() % limits.below;
        for (std::size_t i = 0; i < count; ++i) {
            std::uint64_t value = kind == DataKind::Constant ? first : rng.next() % limits.below;
            if (kind == DataKind::Wide && !isPublic)
                value = uneven(value, first, limits.below, parameter.type, rng.next());
            value += shift;
            std::memcpy(bytes.data() + i * bytesOfOne, &value, bytesOfOne);
        }
        return bytes;
    }
    KernelArgument argument;
    argument.role = KernelArgument::Role::In;
    argument.type = parameter.type;
    argument.count = count;
    argument.fill = KernelArgument::Fill::Rand;
    argument.seed = seed;
    const unsigned size = sizeOf(parameter.type);
    if (kind == DataKind::Constant) {
        const std::vector<std::byte> one = fillElements(argument, 0, 1);
        std::vector<std::byte> bytes(count * size);
        for (std::size_t i = 0; i < count; ++i)
            std::memcpy(bytes.data() + i * size, one.data(), size);
        return bytes;
    }
    if (kind == DataKind::Plain || !isFloat(parameter.type))
        return fillElements(argument, 0, count);
    Rng rng(seed);
    std::vector<std::byte> bytes(count * size);
    for (std::size_t i = 0; i < count; ++i) {
        double value = floatElement(parameter, limits, kind, rng.next());
        if (kind == DataKind::Wide && parameter.isBuffer())
            value = withEdges(value, mostExponent(parameter, limits), seed, i);
        const std::uint64_t bits = floatBits(parameter.type, value);
        std::memcpy(bytes.data() + i * size, &bits, size);
    }
    return bytes;
}

/// A NaN of the type with bits of the seed behind it; for integers bits of the seed alone.
std::vector<std::byte> unwritten(DataType type, std::size_t count, std::uint64_t seed)
{
    std::uint64_t pattern = Rng(seed).next() | 1;
    if (type == DataType::F64)
        pattern |= 0x7ff8'0000'0000'0000u;
    else if (type == DataType::F32)
        pattern = (pattern & 0xffff'ffffu) | 0x7fc0'0000u;
    else if (type == DataType::F16)
        pattern |= 0x7e00u;
    else if (type == DataType::BF16)
        pattern |= 0x7fc0u;
    const unsigned size = sizeOf(type);
    std::vector<std::byte> bytes(count * size);
    for (std::size_t i = 0; i < count; ++i)
        std::memcpy(bytes.data() + i * size, &pattern, size);
    return bytes;
}

std::vector<std::byte> sizeValue(const TaskParameter& parameter, const ParamSet& sizes)
{
    const auto found = sizes.find(parameter.name);
    const auto value = static_cast<std::int64_t>(found == sizes.end() ? 0.0 : asNumber(found->second).value_or(0));
    std::vector<std::byte> bytes(sizeOf(parameter.type));
    std::memcpy(bytes.data(), &value, bytes.size());
    return bytes;
}

template<class SeedOf>
Result<TaskData> draw(const KernelTask& task, const ParamSet& sizes, DataKind kind, bool isPublic,
                      std::uint64_t patternSeed, const SeedOf& seedOf)
{
    using Role = TaskParameter::Role;
    auto limits = limitsOf(task, sizes);
    if (!limits)
        return limits.error();
    TaskData data{sizes, {}};
    std::size_t drawnSoFar = 0;
    for (const TaskParameter& parameter : task.parameters) {
        std::size_t count = 1;
        if (parameter.isBuffer()) {
            const auto elements = wholeAt(parameter.count, sizes);
            if (!elements)
                return elements.error();
            count = static_cast<std::size_t>(*elements);
        }
        if (parameter.role == Role::Size)
            data.values.push_back(sizeValue(parameter, sizes));
        else if (parameter.role != Role::Out)
            data.values.push_back(
                drawn(parameter, (*limits)[parameter.name], count, kind, isPublic, seedOf(drawnSoFar++)));
        else if (parameter.startsAtZero)
            data.values.emplace_back(count * sizeOf(parameter.type));
        else
            data.values.push_back(unwritten(parameter.type, count, patternSeed));
    }
    return data;
}

} // namespace

std::string_view toText(DataKind kind)
{
    switch (kind) {
    case DataKind::Plain:
        return "plain";
    case DataKind::Biased:
        return "biased";
    case DataKind::Wide:
        return "wide";
    case DataKind::Constant:
        return "constant";
    case DataKind::FewBits:
        return "few-bits";
    }
    return "plain";
}

Result<TaskData> drawData(const KernelTask& task, const ParamSet& sizes, DataKind kind, std::uint64_t seed)
{
    Rng seeds(seed);
    std::vector<std::uint64_t> drawnSeeds;
    for (std::size_t i = 0; i <= task.parameters.size(); ++i)
        drawnSeeds.push_back(seeds.next());
    return draw(task, sizes, kind, false, drawnSeeds.back(), [&](std::size_t at) { return drawnSeeds[at]; });
}

TaskData altered(const KernelTask& task, const TaskData& data, std::uint64_t seed)
{
    TaskData other = data;
    Rng rng(seed);
    std::vector<std::size_t> inputs;
    for (std::size_t i = 0; i < task.parameters.size(); ++i)
        if (task.parameters[i].role == TaskParameter::Role::In)
            inputs.push_back(i);
    if (inputs.empty())
        return other;
    const std::size_t chosen = inputs[rng.next() % inputs.size()];
    const TaskParameter& parameter = task.parameters[chosen];
    std::vector<std::byte>& bytes = other.values[chosen];
    const std::size_t size = sizeOf(parameter.type), count = bytes.size() / size;
    const auto limits = limitsOf(task, data.sizes);
    const auto limit = limits ? limits->find(parameter.name) : std::map<std::string, Limits>::const_iterator();
    const Limits own = limits && limit != limits->end() ? limit->second : Limits{};
    const std::size_t part = std::max<std::size_t>(1, count / 32);
    const std::size_t first = rng.next() % std::max<std::size_t>(1, count - part + 1);
    const std::size_t large = rng.next() % std::min(part, kBetweenLarge);
    for (std::size_t i = first; i < std::min(count, first + part); ++i) {
        if (isFloat(parameter.type)) {
            bytes[(i + 1) * size - 1] ^= std::byte{0x80}; // little-endian: the sign stands in the last byte
            if ((i - first) % kBetweenLarge == large) {
                const double value = std::ldexp(1 + std::ldexp(static_cast<double>(rng.next() >> 41), -23),
                                                mostExponent(parameter, own) - 1);
                const std::uint64_t bits = floatBits(parameter.type, value);
                std::memcpy(bytes.data() + i * size, &bits, size);
            }
            continue;
        }
        if (own.below > 0) {
            std::uint64_t value = 0;
            std::memcpy(&value, bytes.data() + i * size, size);
            value = (value + 1) % own.below;
            std::memcpy(bytes.data() + i * size, &value, size);
            continue;
        }
        for (std::size_t at = i * size; at < (i + 1) * size; ++at)
            bytes[at] = ~bytes[at];
    }
    return other;
}

Result<TaskData> publicData(const KernelTask& task, const ParamSet& sizes)
{
    return draw(task, sizes, DataKind::Plain, true, 0, [](std::size_t at) { return at + 1; });
}

} // namespace ridge::labs
