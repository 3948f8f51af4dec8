// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace ridge::gpu::simt {

enum class TensorSwizzle : std::uint8_t { None, Bytes32, Bytes64, Bytes128 };

/// What an element is, as tensormap.replace numbers it (PTX ISA, values of .elemtype).
enum class TensorElement : std::uint8_t { U8, U16, U32, S32, U64, S64, F16, F32, F32Ftz, F64, BF16, TF32, TF32Ftz };
inline constexpr TensorElement kUnknownElement{0xff}; ///< only its bytes are known: copies need no more

/// Windows: what the PTX ISA calls im2col. A copy moves pixels of a batch of images, in the order in which the corner
/// of a filter visits them.
enum class TensorMode : std::uint8_t { Tiled, Windows };

/// A tensor in device memory and the box that one bulk copy moves, as cuTensorMapEncodeTiled and
/// cuTensorMapEncodeIm2col describe them (CUDA driver API, "Tensor Map Object Management"). Dimension 0 is the
/// contiguous one. Of windows dimension 0 are the channels and the last one is the image; the box is channels, then
/// pixels.
struct TensorMap {
    std::uint64_t address = 0;     ///< a multiple of 16
    std::uint8_t rank = 1;         ///< 1 to 5
    std::uint8_t elementBytes = 4; ///< 1, 2, 4 or 8
    TensorSwizzle swizzle = TensorSwizzle::None;
    bool fillNan = false; ///< elements outside are NaN (all ones but the sign) in place of zero
    std::array<std::uint32_t, 5> size{1, 1, 1, 1, 1}; ///< elements a dimension
    std::array<std::uint64_t, 4> stride{};            ///< bytes from one index of dimension 1 … 4 to the next
    std::array<std::uint16_t, 5> box{1, 1, 1, 1, 1};  ///< elements a dimension, at most 256
    std::array<std::uint8_t, 5> step{1, 1, 1, 1, 1};  ///< elements of the tensor from one of the box to the next
    TensorElement element = kUnknownElement;          ///< what reductions have to know
    TensorMode mode = TensorMode::Tiled;
    // Of windows: where the filter's corner goes in W, H and D, counted from the first pixel and from the last one.
    std::array<std::int16_t, 3> lower{}, upper{};
};

inline constexpr std::size_t kTensorMapBytes = 128;
using TensorMapBytes = std::array<std::byte, kTensorMapBytes>;

/// The 128 bytes that a kernel takes as its __grid_constant__ CUtensorMap on this simulator. NVIDIA's own are opaque;
/// these hold "RTM1", rank, element bytes, swizzle, fill, then the other fields in the order above, little-endian.
/// Errors: "bad-tensor-map" (rank, sizes, alignment, a box beyond 256, a swizzled row wider than its span).
Result<TensorMapBytes> encodeTensorMap(const TensorMap& map);
/// Errors: "bad-tensor-map" where the bytes are no map of this simulator.
Result<TensorMap> decodeTensorMap(const std::byte* bytes);

/// What tensormap.replace may write (PTX ISA, "tensormap.replace"), in its order there.
enum class TensorField : std::uint8_t {
    GlobalAddress,
    Rank, ///< one less than the dimensions
    BoxDim,
    GlobalDim,
    GlobalStride,
    ElementStride,
    ElementType,
    Interleave,
    Swizzle,
    Fill,
};
/// Writes one field into 128 bytes that are a map or all zero; `ordinal` is the dimension, of GlobalStride the one
/// below it. What the whole of them is worth is asked when a copy uses it. Errors: "bad-tensor-map" (the bytes are
/// neither, a dimension beyond the fifth, a type or mode that copies here do not have).
Result<void> replaceTensorField(std::byte* bytes, TensorField field, std::uint32_t ordinal, std::uint64_t value);

/// Where byte `offset` of shared memory goes under a swizzle: bits 4 … 6 are exchanged with those three above, as the
/// PTX ISA shows for 32, 64 and 128 bytes.
std::uint64_t swizzled(TensorSwizzle swizzle, std::uint64_t offset);

} // namespace ridge::gpu::simt
