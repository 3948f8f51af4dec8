// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"

namespace ridge::gpu::simt {

/// tensormap.replace: a the map, b the value (64 bits; kNone: imm), c the TensorField, e the dimension, flags
/// MapSpace.
/// tensormap.cp_fenceproxy: a from, b to, once for the warp.
enum MapSpace : std::uint32_t { kMapGeneric, kMapGlobal, kMapShared };
OpFunction findMapReplace();
OpFunction findMapCopy();

} // namespace ridge::gpu::simt
