// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"

namespace ridge::gpu {

/// A loaded program that tells where its own variables lie, which the host may fill (cuModuleGetGlobal,
/// cudaMemcpyToSymbol). What has none is no ProgramVariables.
class ProgramVariables {
public:
    virtual ~ProgramVariables() = default;
    /// `name` as the PTX has it. Errors: "no-variable".
    virtual Result<DevicePtr> variableAddress(const std::string& name) const = 0;
};

} // namespace ridge::gpu
