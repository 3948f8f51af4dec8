// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ridge::app {

/// Which lane of a warp holds which element in mma.sync, by the PTX ISA's section on matrix fragments.
enum class MmaShape : std::uint8_t {
    M16N8K16Half, ///< .f16, .bf16
    M16N8K8Half,
    M16N8K8Tf32,
    M16N8K4Tf32,
    M16N8K16Byte, ///< .s8, .u8, fp8
    M16N8K32Byte,
    M8N8K4Double
};
inline constexpr MmaShape kMmaShapes[] = {MmaShape::M16N8K16Half, MmaShape::M16N8K8Half,  MmaShape::M16N8K8Tf32,
                                          MmaShape::M16N8K4Tf32,  MmaShape::M16N8K16Byte, MmaShape::M16N8K32Byte,
                                          MmaShape::M8N8K4Double};
enum class MmaMatrix : std::uint8_t { A, B, C }; ///< C and D lie alike

struct MmaSize {
    int m = 0, n = 0, k = 0;
    int rows(MmaMatrix matrix) const { return matrix == MmaMatrix::B ? k : m; }
    int columns(MmaMatrix matrix) const { return matrix == MmaMatrix::A ? k : n; }
};
MmaSize sizeOf(MmaShape shape);
std::string_view nameOf(MmaShape shape); ///< "m16n8k16 .f16 .bf16"

struct MmaPlace {
    int row = 0, column = 0;
    bool operator==(const MmaPlace&) const = default;
};
/// Places of the elements that a lane holds, a0, a1 … in order.
std::vector<MmaPlace> fragmentOf(MmaShape shape, MmaMatrix matrix, int lane);

struct MmaOwner {
    int lane = -1, element = -1; ///< −1: outside the matrix
};
MmaOwner ownerOf(MmaShape shape, MmaMatrix matrix, MmaPlace place);

} // namespace ridge::app
