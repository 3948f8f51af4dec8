// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lower/symbol_table.h"

namespace ridge::gpu::simt {

/// The plane of a special register, filled by the launch; kNone where the operand is none, or one of that name is in
/// `scopes`. Throws Unsupported for those that the simulator does not have.
std::uint32_t specialRegister(const Operand& operand, unsigned bytes, RegisterFile& registers,
                              const VariableAddresses& addresses, Scopes& scopes);

} // namespace ridge::gpu::simt
