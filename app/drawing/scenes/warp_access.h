// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/scene.h"

namespace ridge::app {

/// The request a state points at; null when the frame or its trace is empty.
const MemoryRequest* shownRequest(const std::vector<SceneFrame>& frames, const SceneState& state);

/// Whether the frame's memory trace has requests to `space`.
bool hasRequests(const SceneFrame& frame, MemorySpace space);

bool laneActive(const MemoryRequest& request, int lane);
int activeLanes(const MemoryRequest& request);

/// "in + 160 B", or "0x7f20" where no buffer of the trace holds the address.
QString addressText(const MemoryTrace& trace, MemorySpace space, std::uint64_t address);

/// Number of a granule counted from the start of the buffer that holds it (a device address has ten digits of
/// which a reader needs none).
std::uint64_t granuleInBuffer(const MemoryTrace& trace, std::uint64_t granule, std::uint32_t granuleBytes);

/// "load, 4 bytes a lane", "16-byte store".
QString operationText(const MemoryRequest& request);

/// Steps done of `steps` at a progress of 0..1.
std::size_t stepsDone(double progress, std::size_t steps);

} // namespace ridge::app
