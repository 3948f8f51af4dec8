// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/state.h"

namespace ridge::gpu::simt {

/// Appends one access to the stream of the warp that runs (LaunchState::stream, not null), reduced to lines, sectors
/// and wavefronts. `lanes` has been analysed; addresses are those of `space`. Local memory is laid out as the hardware
/// does, so that the same offset of all lanes of a warp is contiguous.
void recordAccess(const Warp& warp, const MicroOp& op, Space space, MemoryOp kind, const LaneAddresses& lanes);

/// A match.any and how many values it found, if the launch is recorded.
void recordValues(const Warp& warp, const MicroOp& op, std::uint16_t values);

/// Lines of the bytes from `begin` to `end` (one past); one that goes on with the last line since entry `first` joins
/// it.
void appendRange(std::uint64_t begin, std::uint64_t end, std::size_t first, std::vector<LineTouch>& lines);

/// Distinct lines of 128 bytes with their touched sectors, in the order of first touch.
void appendLines(const LaneAddresses& lanes, std::vector<LineTouch>& lines);

} // namespace ridge::gpu::simt
