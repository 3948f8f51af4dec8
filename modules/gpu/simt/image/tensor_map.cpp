// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/image/tensor_map.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint32_t kMagic = 0x314d5452; // "RTM1"

Error bad(std::string message, std::string fix)
{
    return {"bad-tensor-map", std::move(message), "tensor map", std::move(fix)};
}

/// Calls field(value) for everything after the magic number, in the order in which it is stored.
template<class Map, class Field>
void forFields(Map& map, Field field)
{
    field(map.rank);
    field(map.elementBytes);
    field(map.swizzle);
    field(map.fillNan);
    field(map.address);
    field(map.size);
    field(map.stride);
    field(map.box);
    field(map.step);
    field(map.element);
    field(map.mode);
    field(map.lower);
    field(map.upper);
}

/// The fields as they are, without asking whether they go together.
void store(std::byte* bytes, const TensorMap& map)
{
    std::memcpy(bytes, &kMagic, sizeof kMagic);
    std::size_t at = sizeof kMagic;
    forFields(map, [&](const auto& field) {
        std::memcpy(bytes + at, &field, sizeof field);
        at += sizeof field;
    });
}

bool isMap(const std::byte* bytes)
{
    return std::memcmp(bytes, &kMagic, sizeof kMagic) == 0;
}

/// No value where an enumerator or a truth value would be one that does not exist.
std::optional<TensorMap> fetch(const std::byte* bytes)
{
    std::size_t at = sizeof kMagic;
    if (std::to_integer<unsigned>(bytes[at + 2]) > 3 || std::to_integer<unsigned>(bytes[at + 3]) > 1)
        return std::nullopt;
    TensorMap map;
    forFields(map, [&](auto& field) {
        std::memcpy(&field, bytes + at, sizeof field);
        at += sizeof field;
    });
    return map;
}

constexpr unsigned kMostPixels = 1024;

/// What windows have beyond boxes (PTX ISA, "im2col mode").
Result<void> checkWindows(const TensorMap& map)
{
    if (map.mode != TensorMode::Windows)
        return bad("the tensor map is damaged", "Make it with encodeTensorMap().");
    if (map.rank < 3 || map.rank > 5)
        return bad("windows of a tensor of " + std::to_string(map.rank) + " dimensions",
                   "Use 3 to 5 dimensions: channels, one to three of the image, images.");
    const int bits = map.rank == 3 ? 15 : map.rank == 4 ? 7 : 4;
    for (std::size_t i = 0; i + 2 < map.rank; ++i) {
        const int least = -(1 << bits), most = (1 << bits) - 1;
        if (std::min(map.lower[i], map.upper[i]) < least || std::max(map.lower[i], map.upper[i]) > most ||
            map.lower[i] > std::int64_t{map.size[i + 1]} - 1 + map.upper[i])
            return bad("the corners of windows in dimension " + std::to_string(i + 1) + " are " +
                           std::to_string(map.lower[i]) + " and " + std::to_string(map.upper[i]),
                       "A corner of a tensor of " + std::to_string(map.rank) + " dimensions is " +
                           std::to_string(least) + " to " + std::to_string(most) +
                           ", and the lower one does not lie behind the upper one.");
    }
    if (map.step[0] != 1 || map.step[map.rank - 1u] != 1)
        return bad("windows step over channels or images", "Give those two dimensions a step of 1.");
    return {};
}

Result<void> check(const TensorMap& map)
{
    if (map.rank < 1 || map.rank > 5)
        return bad("a tensor has " + std::to_string(map.rank) + " dimensions", "Use 1 to 5 dimensions.");
    const unsigned bytes = map.elementBytes;
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
        return bad("an element has " + std::to_string(bytes) + " bytes", "Use elements of 1, 2, 4 or 8 bytes.");
    if (map.address % 16 != 0)
        return bad("the tensor's address is not a multiple of 16", "Allocate it on its own.");
    if (map.mode != TensorMode::Tiled)
        if (auto fits = checkWindows(map); !fits)
            return fits;
    const unsigned mostPixels = map.mode == TensorMode::Tiled ? 256 : kMostPixels;
    for (std::size_t i = 0; i < map.rank; ++i) {
        if (map.size[i] == 0 || map.box[i] == 0 || map.box[i] > (i == 1 ? mostPixels : 256) || map.step[i] == 0 ||
            map.step[i] > 8)
            return bad("dimension " + std::to_string(i) + " has size " + std::to_string(map.size[i]) + ", box " +
                           std::to_string(map.box[i]) + " and step " + std::to_string(map.step[i]),
                       "Sizes are at least 1, a box at most 256, a step 1 to 8.");
        if (i > 0 && map.stride[i - 1] % 16 != 0)
            return bad("the stride of dimension " + std::to_string(i) + " is not a multiple of 16 bytes",
                       "Pad the rows of the tensor.");
    }
    const unsigned row = map.box[0] * bytes;
    const unsigned span = map.swizzle == TensorSwizzle::None ? row : 16u << static_cast<unsigned>(map.swizzle);
    if (row % 16 != 0 || row > span)
        return bad("a row of the box has " + std::to_string(row) + " bytes",
                   "A row is a multiple of 16 bytes, and no wider than the swizzle.");
    return {};
}

} // namespace

Result<TensorMapBytes> encodeTensorMap(const TensorMap& map)
{
    if (auto fits = check(map); !fits)
        return fits.error();
    TensorMapBytes bytes{};
    store(bytes.data(), map);
    return bytes;
}

Result<TensorMap> decodeTensorMap(const std::byte* bytes)
{
    if (!isMap(bytes))
        return bad("the bytes are no tensor map of this simulator", "Make it with encodeTensorMap().");
    const auto map = fetch(bytes);
    if (!map)
        return bad("the tensor map is damaged", "Make it with encodeTensorMap().");
    if (auto fits = check(*map); !fits)
        return fits.error();
    return *map;
}

namespace {

/// Bytes of the elements of a type (PTX ISA, values of .elemtype); 0: one of less than a byte.
constexpr std::array<std::uint8_t, 16> kTypeBytes{1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4, 0, 0, 0};

template<class Number>
Number atMost(std::uint64_t value)
{
    return static_cast<Number>(std::min<std::uint64_t>(value, std::numeric_limits<Number>::max()));
}

} // namespace

Result<void> replaceTensorField(std::byte* bytes, TensorField field, std::uint32_t ordinal, std::uint64_t value)
{
    TensorMap map;
    if (isMap(bytes)) {
        const auto known = fetch(bytes);
        if (!known)
            return bad("the tensor map is damaged", "Change a map with tensormap.replace alone.");
        map = *known;
    } else if (std::any_of(bytes, bytes + kTensorMapBytes, [](std::byte one) { return one != std::byte{0}; })) {
        return bad("the 128 bytes are neither a tensor map nor all zero",
                   "Copy a whole map there, or clear all 128 bytes, before the first tensormap.replace.");
    }
    const bool counts = field == TensorField::BoxDim || field == TensorField::GlobalDim ||
                        field == TensorField::ElementStride || field == TensorField::GlobalStride;
    const std::uint32_t most = field == TensorField::GlobalStride ? 4 : 5;
    if (counts && ordinal >= most)
        return bad("tensormap.replace names dimension " + std::to_string(ordinal),
                   "Count from 0 to " + std::to_string(most - 1) + ".");
    const auto refuse = [&](const char* what, const char* fix) {
        return bad("tensormap.replace gives the " + std::string(what) + " " + std::to_string(value), fix);
    };
    switch (field) {
    case TensorField::GlobalAddress:
        map.address = value;
        break;
    case TensorField::Rank:
        if (value > 4)
            return refuse("rank", "It is one less than the dimensions: 0 to 4.");
        map.rank = static_cast<std::uint8_t>(value + 1);
        break;
    case TensorField::BoxDim:
        if (map.mode != TensorMode::Tiled)
            return refuse("box size", "The map is one of windows (im2col), and tensormap.replace changes tiled ones.");
        map.box[ordinal] = atMost<std::uint16_t>(value);
        break;
    case TensorField::GlobalDim:
        map.size[ordinal] = atMost<std::uint32_t>(value);
        break;
    case TensorField::GlobalStride:
        map.stride[ordinal] = value;
        break;
    case TensorField::ElementStride:
        map.step[ordinal] = atMost<std::uint8_t>(value);
        break;
    case TensorField::ElementType:
        if (value >= kTypeBytes.size() || kTypeBytes[value] == 0)
            return refuse("element type", "Elements of less than a byte are not moved here: use types 0 to 12.");
        map.elementBytes = kTypeBytes[value];
        map.element = static_cast<TensorElement>(value);
        break;
    case TensorField::Interleave:
        if (value != 0)
            return refuse("interleave layout", "Only 0, no interleave, is moved here.");
        break;
    case TensorField::Swizzle:
        if (value > 3)
            return refuse("swizzle mode", "Use 0 to 3: none, 32, 64 or 128 bytes.");
        map.swizzle = static_cast<TensorSwizzle>(value);
        break;
    case TensorField::Fill:
        if (value > 1)
            return refuse("fill mode", "Use 0 for zeros, 1 for NaN.");
        map.fillNan = value == 1;
        break;
    }
    store(bytes, map);
    return {};
}

std::uint64_t swizzled(TensorSwizzle swizzle, std::uint64_t offset)
{
    const std::uint64_t bits = (1u << static_cast<unsigned>(swizzle)) - 1;
    return offset ^ (offset >> 3 & bits << 4);
}

} // namespace ridge::gpu::simt
