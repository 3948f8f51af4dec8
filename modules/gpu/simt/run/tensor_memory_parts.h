// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/async_parts.h"
#include "gpu/simt/run/matrix_parts.h"
#include "gpu/simt/run/tensor_memory.h"
#include "gpu/simt/run/wgmma_ops.h"

#include <string>
#include <vector>

namespace ridge::gpu::simt {

constexpr std::uint32_t kTensorLanes = 128, kTensorColumns = 512, kLeastColumns = 32;
constexpr std::uint32_t kPartition = 32;            ///< lanes that a warp reaches
constexpr std::uint32_t kNeverWritten = 0x7fffffff; ///< a NaN
constexpr unsigned kLaneShift = 16;

struct TensorMemory {
    struct Span {
        std::uint32_t first = 0, columns = 0;
    };
    std::vector<std::uint32_t> words =
        std::vector<std::uint32_t>(std::size_t{kTensorLanes} * kTensorColumns, kNeverWritten); ///< lane by lane
    std::vector<Span> spans;                                                                   ///< in order
    bool isRelinquished = false;

    std::uint32_t& at(std::uint32_t lane, std::uint32_t column)
    {
        return words[std::size_t{lane} * kTensorColumns + column];
    }
};

struct TensorAddress {
    std::uint32_t lane = 0, column = 0;
    explicit TensorAddress(std::uint64_t bits)
        : lane(static_cast<std::uint32_t>(bits >> kLaneShift & 0xffff)),
          column(static_cast<std::uint32_t>(bits & 0xffff))
    {
    }
};

/// Of a block of the running cluster.
TensorMemory& tensorMemoryOf(const LaunchState& launch, std::uint32_t rank);

Step refuseTensor(Warp& warp, std::size_t lane, std::string why);

/// "0 to 63 are", "none is".
std::string spansText(const TensorMemory& memory);

/// Why columns cannot be used; empty where they all can.
std::string problemOfColumns(const TensorMemory& memory, std::uint32_t column, std::uint32_t columns, const char* what);

/// The blocks that an instruction reaches: its own, or with .cta_group::2 the pair, the even rank first. Empty where
/// the cluster has no pairs, or where the other block has ended; a fault is noted.
std::vector<std::uint32_t> blocksOf(Warp& warp, std::size_t lane, bool isPair);

OpFunction findTensorMultiply(); ///< tensor_product.cpp

} // namespace ridge::gpu::simt
