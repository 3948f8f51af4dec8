// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_verdict.h"
#include "gpu/device.h"

#include <string>

namespace ridge::labs {

/// The published roof of a chip. FP32 results may also come from three TF32 products on tensor cores.
GradeRoof publishedRoof(const gpu::DeviceInfo& device);

/// The simulated target with a clock that is nearest to a chip of the catalogue: of its compute capability if there is
/// one, else of its architecture, else any, and of these the one whose number of SMs is nearest by its ratio. Empty:
/// there is none, or no such chip. The chip itself where it has a clock.
std::string nearestClockedTarget(const std::string& chip);

} // namespace ridge::labs
