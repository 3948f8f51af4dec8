// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/ptx/module.h"
#include "gpu/simt/ptx/names.h"

#include <span>
#include <string_view>

namespace ridge::gpu::simt {

/// Registers of a function that may differ between the lanes of a warp: made of a lane's own numbers, of what an atomic
/// or an exchange gives it, or of a load whose address differs. Says so of a register wherever it is written; branches
/// are not looked at.
NameSet laneValues(std::span<const Statement> body);

} // namespace ridge::gpu::simt
