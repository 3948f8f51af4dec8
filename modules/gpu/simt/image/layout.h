// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace ridge::gpu::simt {

/// Successors of each basic block; block 0 is the entry.
using FlowGraph = std::vector<std::vector<std::uint32_t>>;

/// The order in which blocks are laid out: entry first, forward edges ascending, loops contiguous with their header
/// first; blocks that cannot be reached are left out. Among choices the order of the text is kept.
///
/// With it, "lowest position runs first" waits at a join for every lane that can still reach it by a forward edge:
/// the thread frontiers of Diamos et al. (MICRO 2011), which meet at the immediate post-dominator at the latest,
/// whatever order the compiler wrote its blocks in.
std::vector<std::uint32_t> layoutBlocks(const FlowGraph& graph);

/// Immediate post-dominator of each block; the number of blocks stands for the end of the kernel, which is also the
/// answer for blocks that never get there.
std::vector<std::uint32_t> postDominators(const FlowGraph& graph);

} // namespace ridge::gpu::simt
