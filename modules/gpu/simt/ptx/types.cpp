// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/ptx/types.h"

#include <array>

namespace ridge::gpu::simt {

namespace {

struct TypeRow {
    std::string_view text;
    unsigned bytes;
    char family; ///< b, u, s, f or - for none
};

constexpr std::array<TypeRow, 26> kTypes{{
    {"", 0, '-'},       {"pred", 0, '-'},   {"b8", 1, 'b'},    {"u8", 1, 'u'},     {"s8", 1, 's'},    {"b16", 2, 'b'},
    {"u16", 2, 'u'},    {"s16", 2, 's'},    {"f16", 2, 'f'},   {"bf16", 2, 'f'},   {"b32", 4, 'b'},   {"u32", 4, 'u'},
    {"s32", 4, 's'},    {"f32", 4, 'f'},    {"f16x2", 4, 'f'}, {"bf16x2", 4, 'f'}, {"b64", 8, 'b'},   {"u64", 8, 'u'},
    {"s64", 8, 's'},    {"f64", 8, 'f'},    {"b128", 16, 'b'}, {"tf32", 4, '-'},   {"u16x2", 4, 'u'}, {"s16x2", 4, 's'},
    {"e4m3x2", 2, '-'}, {"e5m2x2", 2, '-'},
}};

const TypeRow& row(ScalarType type)
{
    return kTypes[static_cast<std::size_t>(type)];
}

} // namespace

std::optional<ScalarType> scalarTypeFromText(std::string_view text)
{
    for (std::size_t i = 1; i < kTypes.size(); ++i) {
        if (kTypes[i].text == text)
            return static_cast<ScalarType>(i);
    }
    return std::nullopt;
}

std::string_view toText(ScalarType type)
{
    return row(type).text;
}

std::string_view toText(Space space)
{
    constexpr std::array<std::string_view, 6> names{"generic", "global", "shared", "local", "const", "param"};
    return names[static_cast<std::size_t>(space)];
}

unsigned sizeOf(ScalarType type)
{
    return row(type).bytes;
}

bool isFloat(ScalarType type)
{
    return row(type).family == 'f';
}

bool isSigned(ScalarType type)
{
    return row(type).family == 's';
}

bool isBits(ScalarType type)
{
    return row(type).family == 'b';
}

} // namespace ridge::gpu::simt
