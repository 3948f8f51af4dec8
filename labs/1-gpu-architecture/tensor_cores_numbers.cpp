// SPDX-License-Identifier: GPL-3.0-or-later
// What the experiment "tensor_cores" multiplies, and how a processor gets the bits of a tensor core.
#include "labs/1-gpu-architecture/tensor_cores_numbers.h"

#include "gpu/simt/run/tensor_math.h"
#include "labs/harness/buffers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace ridge::labs {

namespace {

constexpr MatrixPrecision kPrecisions[] = {{"fp32", kFp32, kFp32, 70, silicon::Precision::Fp32},
                                           {"tf32", kTf32, kFp32, 80, silicon::Precision::Tf32},
                                           {"fp16", kFp16, kFp16, 80, silicon::Precision::Fp16},
                                           {"bf16", kBf16, kBf16, 80, silicon::Precision::Bf16},
                                           {"fp8", kE4m3, kFp32, 89, silicon::Precision::Fp8}};

constexpr unsigned kStepBytes = 32; ///< of k in one instruction

double unit(std::uint64_t index, std::uint32_t salt)
{
    return static_cast<double>(mixed(index, salt) >> 8) * 0x1p-24;
}

gpu::simt::Element elementOf(const MatrixPrecision& precision)
{
    switch (precision.peak) {
    case silicon::Precision::Tf32:
        return gpu::simt::Element::TF32;
    case silicon::Precision::Fp16:
        return gpu::simt::Element::F16;
    case silicon::Precision::Bf16:
        return gpu::simt::Element::BF16;
    default:
        return gpu::simt::Element::E4M3;
    }
}

/// As registers hold it: TF32 is the upper part of an f32.
std::uint32_t deviceBits(const MatrixPrecision& precision, double value)
{
    const std::uint32_t bits = roundTo(precision.in, value);
    return precision.peak == silicon::Precision::Tf32 ? bits << (kFp32.fractionBits - precision.in.fractionBits) : bits;
}

} // namespace

const MatrixPrecision& matrixPrecision(const std::string& name)
{
    return *std::find_if(std::begin(kPrecisions), std::end(kPrecisions) - 1,
                         [&](const MatrixPrecision& each) { return name == each.name; });
}

double MatrixInputs::a(std::uint64_t row, std::uint64_t k) const
{
    switch (data) {
    case MatrixData::Uniform:
        return unit(row * n + k, salt);
    case MatrixData::Large:
        return value;
    default: {
        // 1 + p / 1024 and, of the other sign, 1 + (p - 1) / 1024: 11 significant bits, which FP16 and TF32 have.
        const auto p = static_cast<double>(1 + mixed(row * n + k / 2, salt) % 1023);
        return k % 2 == 0 ? 1 + p / 1024 : -(1 + (p - 1) / 1024);
    }
    }
}

double MatrixInputs::b(std::uint64_t k, std::uint64_t column) const
{
    return data == MatrixData::Uniform ? unit(column * n + k, salt + 0x51ED270Bu)
           : data == MatrixData::Large ? value
                                       : 1.0;
}

std::vector<std::byte> encoded(const MatrixInputs& inputs, bool second, const MatrixPrecision& precision)
{
    const unsigned size = precision.inBytes();
    std::vector<std::byte> bytes(inputs.n * inputs.n * size);
    std::byte* to = bytes.data();
    for (std::uint64_t major = 0; major < inputs.n; ++major)
        for (std::uint64_t k = 0; k < inputs.n; ++k, to += size) {
            const std::uint32_t bits = deviceBits(precision, second ? inputs.b(k, major) : inputs.a(major, k));
            std::memcpy(to, &bits, size); // x86-64 and aarch64 put the low byte first, as GPUs do
        }
    return bytes;
}

std::uint32_t emulated(const MatrixInputs& inputs, const MatrixPrecision& precision, int computeCapability,
                       std::uint64_t row, std::uint64_t column)
{
    float sum = 0;
    if (!precision.tensor()) {
        for (std::uint64_t k = 0; k < inputs.n; ++k)
            sum = std::fma(static_cast<float>(inputs.a(row, k)), static_cast<float>(inputs.b(k, column)), sum);
        return std::bit_cast<std::uint32_t>(sum);
    }
    const gpu::simt::Element element = elementOf(precision);
    const gpu::simt::TensorRules rules = gpu::simt::tensorRules(computeCapability);
    const unsigned depth = kStepBytes / precision.inBytes();
    std::array<gpu::simt::TensorTerm, kStepBytes> a, b;
    for (std::uint64_t k = 0; k < inputs.n; k += depth) {
        for (unsigned i = 0; i < depth; ++i) {
            a[i] = gpu::simt::decodeTerm(element, deviceBits(precision, inputs.a(row, k + i)));
            b[i] = gpu::simt::decodeTerm(element, deviceBits(precision, inputs.b(k + i, column)));
        }
        sum = gpu::simt::tensorSum(rules, element, a.data(), element, b.data(), depth, sum);
    }
    return precision.outBytes() == 4 ? std::bit_cast<std::uint32_t>(sum) : roundTo(precision.out, double{sum});
}

} // namespace ridge::labs
