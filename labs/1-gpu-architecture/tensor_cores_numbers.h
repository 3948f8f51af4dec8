// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/harness/lost_bits.h"
#include "labs/harness/small_formats.h"
#include "silicon/chip.h"

#include <span>
#include <string>
#include <vector>

namespace ridge::labs {

/// A precision of the experiment: format of the factors, and of what is stored.
struct MatrixPrecision {
    const char* name;
    SmallFormat in, out;
    int capability; ///< 10 × major + minor that it needs
    silicon::Precision peak;

    unsigned inBytes() const { return static_cast<unsigned>(in.bits() <= 8 ? 1 : in.bits() <= 16 ? 2 : 4); }
    unsigned outBytes() const { return out.bits() <= 16 ? 2 : 4; }
    bool tensor() const { return in.fractionBits < kFp32.fractionBits; }
};

/// One of "fp32", "tf32", "fp16", "bf16", "fp8".
const MatrixPrecision& matrixPrecision(const std::string& name);

enum class MatrixData { Uniform, Large, Cancel };

/// C = A·B of order n, with A row by row and B column by column, before anybody has rounded anything.
struct MatrixInputs {
    MatrixData data = MatrixData::Uniform;
    std::uint64_t n = 0;
    double value = 0; ///< of Large
    std::uint32_t salt = 0;

    double a(std::uint64_t row, std::uint64_t k) const;
    double b(std::uint64_t k, std::uint64_t column) const;
};

/// The factor as the device takes it, rounded to the format: little-endian, TF32 in 32 bits with zeros at the end.
std::vector<std::byte> encoded(const MatrixInputs& inputs, bool second, const MatrixPrecision& precision);

/// An element as `computeCapability`'s tensor cores add it by published measurements (gpu/simt/run/tensor_math.h), over
/// 32 bytes of k an instruction, or of FP32 a chain of fused multiply-adds; in bits of the output format.
std::uint32_t emulated(const MatrixInputs& inputs, const MatrixPrecision& precision, int computeCapability,
                       std::uint64_t row, std::uint64_t column);

} // namespace ridge::labs
