// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_value.h"
#include "gpu/cuda/counter_access.h"

namespace ridge::gpu::cuda {

/// What the driver and NVML tell a person about one GPU, without a context and without counting anything; members as
/// docs/protocol.md names them ("gpu" of a target). What is not told is left out; null where the GPU cannot be asked.
JsonValue gpuCard(int index, const CounterFiles& files = {});

} // namespace ridge::gpu::cuda
