// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"

#include <variant>

namespace ridge::gpu {

/// Formats of a matrix: TF32 lies in 32 bits, E4M3 is the 8-bit format of OCP.
enum class MatrixFormat : int { Fp32, Tf32, Fp16, Bf16, E4m3 };

/// C = A·B summed in FP32: A is m × k row by row, B is k × n column by column, C is m × n row by row, all without gaps.
/// The buffers are those on which a library's ways to do it are tried; a launch names its own: {a, b, c}.
struct MatrixProduct {
    MatrixFormat in = MatrixFormat::Fp16, out = MatrixFormat::Fp16;
    std::uint64_t m = 0, n = 0, k = 0;
    DevicePtr a, b, c;
};

/// Bytes from one place of device memory to another. A launch says from where to where: {to, from}.
struct DeviceCopy {
    std::uint64_t bytes = 0;
};

/// Rows of bf16, without gaps, each divided by the root of its mean square (plus epsilon) and multiplied by the weights
/// of its columns; with `layer`, less its mean before and plus the columns' biases after. Weights and biases are bf16.
/// The buffers are those on which a library's ways to do it are tried; a launch names its own: {x, weights, y}, with
/// `layer` {x, weights, biases, y}.
struct RowNorm {
    bool layer = false;
    std::uint64_t rows = 0, columns = 0;
    float epsilon = 0;
    DevicePtr x, weights, biases, y;
};

/// softmax(scale · Q Kᵀ) V of fp16 or bf16, its sums in FP32: Q and the result are heads × tokens × columns, K and V
/// keyHeads × tokens × columns, without gaps; heads ÷ keyHeads neighbours share a head of K and V. Causal: a query sees
/// itself and what is before it. The buffers are those on which a library's ways to do it are tried; a launch names its
/// own: {q, k, v, out}.
struct Attention {
    MatrixFormat format = MatrixFormat::Fp16;
    bool causal = false;
    std::uint64_t heads = 0, keyHeads = 0, tokens = 0, columns = 0;
    float scale = 1;
    DevicePtr q, k, v, out;
};

/// Bytes from this GPU to memory of the next one, by a copy of the driver's or by a pair of NCCL's send and receive. A
/// launch says to where and from where: {to, from}.
struct PeerCopy {
    enum class By : int { Driver, Nccl };
    std::uint64_t bytes = 0;
    const PeerMemory* memory = nullptr; ///< that launches write to; must outlive what is made of it
    By by = By::Driver;
};

/// NCCL's all-reduce over this GPU and the next one: both get the sum of two vectors of float32, one on each. A launch
/// names {sum here, addends here, sum there, addends there}.
struct PeerSum {
    std::uint64_t elements = 0;
    const PeerMemory* sum = nullptr;     ///< as above
    const PeerMemory* addends = nullptr; ///< as above
};

/// Work that a kernel of ours can be held against: the vendor's own way to do it.
struct ReferenceWork : std::variant<MatrixProduct, DeviceCopy, RowNorm, Attention, PeerCopy, PeerSum> {
    using variant::variant;
};

} // namespace ridge::gpu
