// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/norm_shape.h"

#include <algorithm>
#include <bit>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr Rung kRungs[] = {
    {"copy", "the ceiling", "norm/01_copy.cu"},
    {"passes", "a pass over the row for each question", "norm/02_passes.cu"},
    {"online", "mean and spread in one pass", "norm/03_online.cu"},
    {"warp", "a warp for each row", "norm/04_warp.cu"},
    {"registers", "the row stays in registers", "norm/05_registers.cu"},
    {"vector", "16 bytes a lane", "norm/06_vector.cu"},
    {"persistent", "blocks that stay and load ahead", "norm/07_persistent.cu"},
    {"cluster", "a cluster of blocks for a long row, sm_90 or newer", "norm/08_cluster.cu"},
};
constexpr std::uint64_t kThreads = 256; ///< of a block where the row does not decide
constexpr std::uint64_t kOwn = 32;      ///< elements that a thread keeps in registers
constexpr std::uint64_t kBlockColumns = kOwn * 1024;
constexpr std::uint64_t kPersistentThreads = 512; ///< resident on an SM with 128 registers each

bool keepsRow(std::size_t rung)
{
    return rung >= kNormRegisters;
}

} // namespace

UsefulBytes NormShape::bytes() const
{
    const double weights = rung == kNormCopy ? 0 : 2.0 * static_cast<double>(columns) * (layer ? 2 : 1);
    return {static_cast<double>(rowsBytes()) + weights, static_cast<double>(rowsBytes())};
}

std::uint32_t NormShape::cluster() const
{
    if (rung != kNormCluster)
        return 1;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(8, std::bit_ceil(ceilDiv(columns, kBlockColumns))));
}

std::uint32_t NormShape::threads() const
{
    if (!keepsRow(rung))
        return kThreads;
    const std::uint64_t own = 8 * ceilDiv(ceilDiv(columns, 8), cluster()); // of a block, in whole vectors
    const std::uint64_t most = rung == kNormPersistent ? kPersistentThreads : 1024;
    return static_cast<std::uint32_t>(std::min(most, ceilDiv(ceilDiv(own, kOwn), 32) * 32));
}

std::uint64_t NormShape::blocks() const
{
    switch (rung) {
    case kNormCopy:
        return ceilDiv(elements(), 4 * 8 * kThreads);
    case kNormWarp:
        return ceilDiv(rows, kThreads / 32);
    case kNormPersistent:
        return std::min<std::uint64_t>(rows, smCount * (kPersistentThreads / threads()));
    default:
        return rows * cluster();
    }
}

double NormShape::rowReads() const
{
    if (rung == kNormCopy)
        return 1;
    const double passes = rung == kNormOnline || !layer ? 2 : 3;
    if (!keepsRow(rung))
        return passes;
    const std::uint64_t kept = std::min<std::uint64_t>(columns, kOwn * threads() * cluster());
    return 1 + (passes - 1) * static_cast<double>(columns - kept) / static_cast<double>(columns);
}

std::uint64_t NormShape::chain() const
{
    const std::uint64_t lanes = rung == kNormWarp ? 32 : std::uint64_t{threads()} * cluster();
    return ceilDiv(columns, lanes) + kOwn + 10 + cluster(); // a thread's own, warps, block, cluster
}

std::string NormShape::kernel() const
{
    if (rung == kNormCopy)
        return "norm_copy";
    return fmt::format("norm_{}_{}", kRungs[rung].name, layer ? "layer" : "rms");
}

std::span<const Rung> normRungs()
{
    return kRungs;
}

} // namespace ridge::labs
