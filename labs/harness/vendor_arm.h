// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/reference.h"
#include "labs/gpu_experiment.h"

namespace ridge::labs {

/// The vendor's own way to do the work of a point. Null where the target has none; where it should have one and does
/// not, the reason and its fix are logged and the point goes on without. Errors: what ends the run.
Result<std::unique_ptr<gpu::LoadedProgram>> vendorWay(GpuContext& context, const gpu::ReferenceWork& work);

/// A launch of it on these buffers.
gpu::Step vendorStep(const gpu::LoadedProgram& way, std::vector<gpu::KernelArg> buffers);

} // namespace ridge::labs
