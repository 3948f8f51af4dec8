// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"

namespace ridge::gpu {

/// Every target of this machine: gpu:0 … (or one unavailable gpu:0 row that says why), then sim:<chip> for each
/// NVIDIA chip of compute capability 7.0 or newer in the catalogue.
std::vector<TargetInfo> listTargets();

/// What decides over the bits of a simulated run beside its request and its kernels: this program, by the id that the
/// linker gave it, and the files of the chips. 16 hex digits. Two programs of one version may differ in it, and then
/// nobody can say that equal requests have to give equal bits.
const std::string& simulatorBuild();

/// Errors: "unknown-target" (with near names), "target-unavailable" (with reason and fix).
Result<std::unique_ptr<Device>> openDevice(std::string_view target, const DeviceOptions& options);

} // namespace ridge::gpu
