// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/scenes/mma_fragments.h"

namespace ridge::app {
namespace {

/// Consecutive elements along k that one 32-bit register holds: 2 of 16 bits, 4 of 8, 1 of 32 and of 64.
int packed(MmaShape shape)
{
    switch (shape) {
    case MmaShape::M16N8K16Half:
    case MmaShape::M16N8K8Half:
        return 2;
    case MmaShape::M16N8K16Byte:
    case MmaShape::M16N8K32Byte:
        return 4;
    default:
        return 1;
    }
}

} // namespace

MmaSize sizeOf(MmaShape shape)
{
    switch (shape) {
    case MmaShape::M16N8K16Half:
    case MmaShape::M16N8K16Byte:
        return {16, 8, 16};
    case MmaShape::M16N8K8Half:
    case MmaShape::M16N8K8Tf32:
        return {16, 8, 8};
    case MmaShape::M16N8K4Tf32:
        return {16, 8, 4};
    case MmaShape::M16N8K32Byte:
        return {16, 8, 32};
    case MmaShape::M8N8K4Double:
        return {8, 8, 4};
    }
    return {};
}

std::string_view nameOf(MmaShape shape)
{
    switch (shape) {
    case MmaShape::M16N8K16Half:
        return "m16n8k16 .f16 .bf16";
    case MmaShape::M16N8K8Half:
        return "m16n8k8 .f16 .bf16";
    case MmaShape::M16N8K8Tf32:
        return "m16n8k8 .tf32";
    case MmaShape::M16N8K4Tf32:
        return "m16n8k4 .tf32";
    case MmaShape::M16N8K16Byte:
        return "m16n8k16 .s8 .u8";
    case MmaShape::M16N8K32Byte:
        return "m16n8k32 .s8 .u8";
    case MmaShape::M8N8K4Double:
        return "m8n8k4 .f64";
    }
    return {};
}

// All of them are one pattern: lanes in eight groups of four. The group is the row of A and C and the column of B; the
// place in the group, times what a register packs, is the place along k (or along n in C). Registers go on first to the
// lower half of the rows of A, then to the next stretch of k.
std::vector<MmaPlace> fragmentOf(MmaShape shape, MmaMatrix matrix, int lane)
{
    const MmaSize size = sizeOf(shape);
    const int group = lane / 4, inGroup = lane % 4;
    std::vector<MmaPlace> places;
    if (matrix == MmaMatrix::C) {
        for (int half = 0; half < size.m; half += 8)
            for (int at = 0; at < 2; ++at)
                places.push_back({group + half, inGroup * 2 + at});
        return places;
    }
    const int pack = packed(shape);
    for (int stretch = 0; stretch < size.k; stretch += 4 * pack)
        for (int half = 0; half < (matrix == MmaMatrix::A ? size.m : 8); half += 8)
            for (int at = 0; at < pack; ++at) {
                const int k = stretch + inGroup * pack + at;
                places.push_back(matrix == MmaMatrix::A ? MmaPlace{group + half, k} : MmaPlace{k, group});
            }
    return places;
}

MmaOwner ownerOf(MmaShape shape, MmaMatrix matrix, MmaPlace place)
{
    for (int lane = 0; lane < 32; ++lane) {
        const std::vector<MmaPlace> places = fragmentOf(shape, matrix, lane);
        for (std::size_t element = 0; element < places.size(); ++element)
            if (places[element] == place)
                return {lane, static_cast<int>(element)};
    }
    return {};
}

} // namespace ridge::app
