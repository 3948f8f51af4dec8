// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ridge {

/// Element types of kernel arguments, in the order in which messages list them.
enum class DataType : std::uint8_t { F64, F32, F16, BF16, I8, U8, I16, U16, I32, U32, I64, U64 };
inline constexpr std::size_t kDataTypes = 12;

std::string_view toText(DataType type);
std::optional<DataType> dataTypeFromText(std::string_view text);
unsigned sizeOf(DataType type); ///< bytes
bool isFloat(DataType type);    ///< F64, F32, F16, BF16

/// One `--arg` of a kernel launch, as `ridge kernel run` takes it:
///   f32:2.5                    a value
///   in:f32:1024:rand(7)        a buffer that is filled before the run
///   inout:f32:1024:@x.bin>y.bin  filled from a file, written to another after the run
///   out:f32:1024               a buffer of zeros (on a GPU too)
struct KernelArgument {
    enum class Role : std::uint8_t { Scalar, In, InOut, Out };
    enum class Fill : std::uint8_t { Zeros, Ones, Iota, Rand, File };

    std::string text; ///< as given
    Role role = Role::Scalar;
    DataType type = DataType::F32;
    std::uint64_t bits = 0;  ///< Scalar: the value in its own format, zero-extended
    std::uint64_t count = 0; ///< buffers: elements
    Fill fill = Fill::Zeros;
    std::uint64_t seed = 0; ///< Rand
    std::string inFile;     ///< File
    std::string outFile;    ///< written after the run; empty: not

    bool isBuffer() const { return role != Role::Scalar; }
    std::uint64_t bytes() const { return count * sizeOf(type); }
};

/// Reads a SPEC. `number` is its place among the arguments, from 1, for messages.
/// Values are rounded to the nearest of their type, ties to even; one that would become infinite is refused unless it
/// says "inf". Integers take decimal and 0x. Errors: "bad-argument", naming the argument, the part and what is legal.
Result<KernelArgument> parseKernelArgument(std::string_view text, std::size_t number);

/// Elements [first, first + count) of a fill other than File, little-endian, count × sizeOf(type) bytes.
/// rand(SEED): element i comes from z = the i-th output of SplitMix64 (Steele, Lea, Flood 2014) started at SEED, which
/// is a function of SEED + (i + 1) · 0x9e3779b97f4a7c15 alone: the same on every machine, whatever the order.
/// Floats are (z >> (64 − p)) · 2^(1−p) − 1 with p = 53, 24, 11, 8 bits for f64, f32, f16, bf16: exact multiples of
/// 2^(1−p), uniform in [−1, 1). Integers are the upper bits of z. iota counts from 0; integers wrap.
std::vector<std::byte> fillElements(const KernelArgument& argument, std::uint64_t first, std::size_t count);

/// Bits of `value` in `type` (a float type), rounded to nearest even; overflow gives an infinity.
std::uint64_t floatBits(DataType type, double value);

} // namespace ridge
