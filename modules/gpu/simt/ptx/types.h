// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ridge::gpu::simt {

/// The fundamental types of PTX (PTX ISA, chapter "Types"), in one order for tables.
enum class ScalarType : std::uint8_t {
    None,
    Pred,
    B8,
    U8,
    S8,
    B16,
    U16,
    S16,
    F16,
    BF16,
    B32,
    U32,
    S32,
    F32,
    F16x2,
    BF16x2,
    B64,
    U64,
    S64,
    F64,
    B128,
    TF32, ///< in a 32-bit register
    U16x2,
    S16x2,
    E4M3x2, ///< two 8-bit floats
    E5M2x2,
};

/// State spaces. Generic: an address whose space is found at run time.
enum class Space : std::uint8_t { Generic, Global, Shared, Local, Const, Param };

/// Without the leading dot: "u32". No value for anything that is not a type we know.
std::optional<ScalarType> scalarTypeFromText(std::string_view text);
std::string_view toText(ScalarType type);
std::string_view toText(Space space);

/// Size in bytes; 0 for None and Pred, which have none in memory.
unsigned sizeOf(ScalarType type);
bool isFloat(ScalarType type);  ///< F16, BF16, F32, F64 and the packed halves
bool isSigned(ScalarType type); ///< S8 … S64
bool isBits(ScalarType type);   ///< B8 … B64

} // namespace ridge::gpu::simt
