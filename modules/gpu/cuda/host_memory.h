// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/cuda/session.h"
#include "gpu/schedule.h"

namespace ridge::gpu::cuda {

/// Errors: "out-of-memory", "bad-allocation", "driver-too-old" (names the entry point and the driver that has it),
/// "driver-failed".
Result<std::unique_ptr<HostMemory>> allocateHostMemory(std::shared_ptr<Session> session, std::uint64_t bytes,
                                                       HostKind kind, std::string_view label);

/// What is said where an optional entry point is missing.
Error lacksEntry(const Session& session, const char* symbol, const std::string& doing, const char* driver);

} // namespace ridge::gpu::cuda
