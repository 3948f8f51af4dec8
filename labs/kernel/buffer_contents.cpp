// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/kernel/buffer_contents.h"

#include "base/bfloat16.h"
#include "gpu/simt/lanes/small_float.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace ridge::labs {
namespace {

template<class T>
T read(std::span<const std::byte> bytes)
{
    T value{};
    std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
    return value;
}

template<class T>
std::string shortest(T value)
{
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return {text, end};
}

/// Of a narrow float the fewest digits that tell it from its neighbours.
std::string narrow(DataType type, std::uint16_t bits, float value)
{
    if (!std::isfinite(value))
        return shortest(value);
    for (int digits = 1; digits < 9; ++digits) {
        char text[64];
        const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits).ptr;
        double back = 0;
        std::from_chars(text, end, back);
        if (floatBits(type, back) == bits)
            return {text, end};
    }
    return shortest(value);
}

} // namespace

std::string elementText(DataType type, std::span<const std::byte> bytes)
{
    switch (type) {
    case DataType::F64:
        return shortest(read<double>(bytes));
    case DataType::F32:
        return shortest(read<float>(bytes));
    case DataType::F16: {
        const auto bits = read<std::uint16_t>(bytes);
        const float value = gpu::simt::halfToSingle(bits);
        return narrow(type, bits, std::isnan(value) ? std::fabs(value) : value);
    }
    case DataType::BF16:
        return narrow(type, read<std::uint16_t>(bytes), fromBf16(read<std::uint16_t>(bytes)));
    case DataType::I8:
        return shortest(int(read<std::int8_t>(bytes)));
    case DataType::U8:
        return shortest(unsigned(read<std::uint8_t>(bytes)));
    case DataType::I16:
        return shortest(read<std::int16_t>(bytes));
    case DataType::U16:
        return shortest(read<std::uint16_t>(bytes));
    case DataType::I32:
        return shortest(read<std::int32_t>(bytes));
    case DataType::U32:
        return shortest(read<std::uint32_t>(bytes));
    case DataType::I64:
        return shortest(read<std::int64_t>(bytes));
    case DataType::U64:
        return shortest(read<std::uint64_t>(bytes));
    }
    return {};
}

Json contentsToJson(const KernelArgument& argument, std::span<const std::byte> before, std::span<const std::byte> after)
{
    const std::size_t size = sizeOf(argument.type);
    const std::size_t compared = std::min(before.size(), after.size()) / size;
    const auto differs = [&](std::size_t at) {
        return std::memcmp(before.data() + at * size, after.data() + at * size, size) != 0;
    };
    Json values = Json::array();
    const auto tell = [&](std::size_t at) {
        values.push_back(Json{{"index", at},
                              {"before", elementText(argument.type, before.subspan(at * size, size))},
                              {"after", elementText(argument.type, after.subspan(at * size, size))}});
    };
    std::size_t changed = 0, changedBehind = 0;
    for (std::size_t at = 0; at < compared; ++at)
        if (differs(at)) {
            ++changed;
            changedBehind += at >= kToldElements / 2 ? 1 : 0;
        }
    // The first half is always the beginning of the buffer; the rest goes to changes that lie behind it.
    const std::size_t first = changedBehind > 0 ? kToldElements / 2 : kToldElements;
    for (std::size_t at = 0; at < std::min(first, compared); ++at)
        tell(at);
    for (std::size_t at = first; at < compared && values.size() < kToldElements && changedBehind > 0; ++at)
        if (differs(at))
            tell(at);
    return Json{{"type", toText(argument.type)},
                {"elements", argument.count},
                {"compared", compared},
                {"changed", changed},
                {"values", std::move(values)}};
}

} // namespace ridge::labs
