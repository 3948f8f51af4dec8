// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"

namespace ridge::gpu::simt {

/// mov between a register of 16 or 32 bits and two or four of 8, which take a plane of 16. flags: how many. Apart: a to
/// d, b, c, e (kNone: left out), lowest first; together: a, b, c, e to d.
OpFunction findByteMove(bool unpack);

} // namespace ridge::gpu::simt
