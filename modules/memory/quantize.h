// SPDX-License-Identifier: GPL-3.0-or-later
// Quantization of a tensor: codes and scales, and back.
#pragma once

#include "memory/formats.h"
#include "memory/gguf_blocks.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ridge::memory {

/// Integer and Float have the granularity and scaling of the scheme. All others bring their blocks and scales along.
enum class QuantKind : std::uint8_t { Integer, Float, Mx, Nvfp4, Gguf };

struct QuantFormat {
    std::string_view id, title;
    QuantKind kind = QuantKind::Integer;
    const NumberFormat* element = nullptr; ///< null: Gguf
    std::uint32_t block = 0;               ///< elements with a common scale; 0: the scheme says
    const GgufBlock* gguf = nullptr;
};

std::span<const QuantFormat> quantFormats();
/// Also by "fp8", "fp4", "mxfp8" (e4m3), "mxfp6" (e2m3). Null: there is none.
const QuantFormat* findQuantFormat(std::string_view id);

/// What shares a scale: all, a row, or so many elements of a row.
enum class Granularity : std::uint8_t { Tensor, Channel, Group };

/// None: scale 1. Absmax: the largest size becomes the largest number (127 of int8, so -128 is not used). Minmax:
/// integers from 0; the range is widened to hold 0, which has a code of its own, the zero point.
enum class Scaling : std::uint8_t { None, Absmax, Minmax };

/// How codes are chosen. Rtn: each number for itself, to nearest even. The others look at what a layer's inputs were:
/// memory/calibrated.h.
enum class Method : std::uint8_t { Rtn, Gptq, GptqOrdered, Awq, SmoothQuant };

struct QuantScheme {
    const QuantFormat* format = nullptr;
    Granularity granularity = Granularity::Tensor;
    std::uint32_t group = 128; ///< of Group
    Scaling scaling = Scaling::Absmax;
    Method method = Method::Rtn;
};

struct Quantized {
    QuantScheme scheme;
    std::size_t count = 0, columns = 0;
    std::uint32_t group = 0;          ///< elements of a group, the last of a row may have fewer
    std::vector<std::int32_t> codes;  ///< one each; bit patterns of floating-point formats
    std::vector<double> scales;       ///< one a group
    std::vector<std::int32_t> zeros;  ///< Minmax: one a group
    std::vector<std::uint8_t> blocks; ///< Gguf: as a file has them, in place of all of these
    double bits = 0;                  ///< that a file needs for it; scales of Integer and Float count 16 each, zero
                                      ///< points as one element, and the scales here are not rounded

    double bitsPerElement() const { return bits / static_cast<double>(count); }
};

// Sums of squares and FP64 scales stay finite below it.
inline constexpr double kLargestSample = 1e150;

/// Rows of `columns` numbers; the last one may be shorter. Groups do not cross rows.
/// Errors: "bad-scheme" (what does not go together, with the fix; a method other than Rtn), "bad-sample" (not finite or
/// past kLargestSample; a scale past the FP16 of a GGUF block), both with the place.
Result<Quantized> quantize(std::span<const double> values, std::size_t columns, const QuantScheme& scheme);
/// `out` has Quantized::count places.
void dequantize(const Quantized& quantized, std::span<double> out);

struct QuantError {
    double signal = 0, noise = 0; ///< sums of squares
    double most = 0;              ///< largest |x - q|
    bool exact() const { return noise == 0; }
    double sqnr() const; ///< dB; meaningless where exact
};
QuantError errorOf(std::span<const double> values, std::span<const double> restored);

} // namespace ridge::memory
