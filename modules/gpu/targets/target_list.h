// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"

namespace ridge::silicon {
class Catalogue;
}

namespace ridge::gpu {

/// What a simulated chip can give, and its group in a list of chips.
struct ChipOffer {
    std::string group;       ///< class of the catalogue: "datacenter", "desktop", "laptop", "edge"
    bool times = false;      ///< it has a timing file; without one it gives counts only
    std::string derivedFrom; ///< the measured chip from whose timing file its own was derived by rule; mostly empty
    std::string nearest;     ///< where it gives no times: the target of the nearest chip that does
};
ChipOffer offerOf(const silicon::Catalogue& catalogue, const std::string& chip);

/// The simulated target whose chip has a clock and is the nearest to this one: itself, else of the same compute
/// capability, else of the same architecture, then by the number of SMs. Empty for a chip that nobody knows.
std::string nearestClockedTarget(const silicon::Catalogue& catalogue, const std::string& chip);

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
