// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/aside.h"
#include "gpu/simt/run/store_log.h"
#include "gpu/simt/timing/sm.h"

namespace ridge::gpu::simt {

/// What the blocks of one SM run with while they run ahead beside those of the other SMs: memory is what it was when
/// all of them began, and what they store is not in it yet.
struct Aside {
    LaunchState state;
    LaunchControl control;
    StoreLog log;
    Refilled how = Refilled::Whole;
};

} // namespace ridge::gpu::simt
