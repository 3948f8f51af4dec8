// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_verdict.h"
#include "gpu/device.h"

#include <string>

namespace ridge::labs {

/// The published roof of a chip. FP32 results may also come from three TF32 products on tensor cores.
GradeRoof publishedRoof(const gpu::DeviceInfo& device);

} // namespace ridge::labs
